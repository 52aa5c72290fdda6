"""Turn a reader's logit into a probability that can be taken at its word. Pure.

Fitted by `python -m benchmarks.fit_evaluation` to public questions that the packaged reader was not fitted on;
docs/decisions/0089 has the figures.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """A logistic regression over the logit that a text answers a question."""

    slope: float
    intercept: float

    def probability(self, logit: float) -> float:
        """Return the probability, 0..1."""
        weighted = self.slope * logit + self.intercept
        return 1.0 / (1.0 + math.exp(-max(min(weighted, 30.0), -30.0)))


OF_PASSAGE = Calibration(slope=0.564, intercept=0.472)
OF_ANSWER = Calibration(slope=0.684, intercept=0.466)  # of texts as short as answers, which stand alone
# Of the passage whose sentence is to be chosen, beside others. By the reader's own probability (.50 for 0, .88 for 2,
# .98 for 4; here .12, .40 and .77) a sentence of a passage that hardly answers, and has more of the question's words,
# goes before one of a passage that surely does. Not fitted: of 566 answerable questions in ten sets 432 are then
# answered rightly where it was 423, and 43 wrongly where it was 44.
OF_SENTENCE = Calibration(slope=0.8, intercept=-2.0)
