"""Give a fitted reader's logits the meaning of another one's.

What the product makes of a logit, from which on a passage answers and how sure an answer is, was measured with the
packaged reader. Fitting on rows with fewer answers moves all logits down without changing their order (King and Zeng,
"Logistic Regression in Rare Events Data", 2001, section 4.1). Two logistic regressions over the same rows say by how
much, and the last layer takes it in.
"""

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from core.asking.reading.network import Network
from core.errors import ReaderError
from readers.batches import ANSWERS


@dataclass(frozen=True, kw_only=True, slots=True)
class Alignment:
    """Holds the line that a logit has to be put on: slope times logit plus shift."""

    slope: float
    shift: float


def find_alignment(own: np.ndarray, other: np.ndarray, answers: np.ndarray) -> Alignment:
    """Return what makes a reader's logits give the probabilities that another one's give on the same rows.

    own, other: the logits of both readers, one for each row. answers: which rows answer. ReaderError where either
    reader does not tell them apart, or all rows are alike.
    """
    if answers.all() or not answers.any():
        raise ReaderError("To align two readers it takes rows that answer and rows that do not.")
    (own_slope, own_shift), (other_slope, other_shift) = (_fit_line(logits, answers) for logits in (own, other))
    if own_slope <= 0 or other_slope <= 0:
        raise ReaderError("One of the readers does not tell the rows that answer from the others.")
    return Alignment(slope=own_slope / other_slope, shift=(own_shift - other_shift) / other_slope)


def align(network: Network, alignment: Alignment) -> None:
    """Put the logit that a text answers on the line; that of statements and the spans stay."""
    with torch.no_grad():
        network.judge.weight[ANSWERS] *= alignment.slope
        network.judge.bias[ANSWERS] = network.judge.bias[ANSWERS] * alignment.slope + alignment.shift


def _fit_line(logits: np.ndarray, answers: np.ndarray) -> tuple[float, float]:
    """Return slope and intercept of a logistic regression."""
    found = LogisticRegression(C=1e6).fit(logits.reshape(-1, 1), answers)
    return float(found.coef_[0, 0]), float(found.intercept_[0])
