"""Templates of the sandbox that serve one test after another: starting one takes seconds, most files milliseconds."""

from collections.abc import Sequence

from core.library.ingestion.sandbox.environment import clean_environment
from core.library.ingestion.sandbox.template import Template

_MOST = 3  # that wait for a test; each takes memory meanwhile

Kind = tuple[tuple[str, ...], frozenset[tuple[str, str]]]  # the command, and its environment


class KeptTemplate(Template):
    """A template that waits for whoever starts the same one next, instead of being ended when it is closed.

    It never sees a file, and makes a new copy of itself for each: a test finds nothing of what another one had read.
    """

    def __init__(self, kind: Kind, waiting: list["KeptTemplate"]) -> None:
        super().__init__(kind[0], makes_copies=True)
        self.kind, self._waiting = kind, waiting

    def close(self) -> None:
        """Wait; where too many do, the one that has waited longest ends."""
        self._waiting.append(self)
        if len(self._waiting) > _MOST:
            self._waiting[0].end()

    def end(self) -> None:
        """End the process."""
        self._waiting.remove(self)
        super().close()


class Templates:
    """The templates of a session of tests. Called as the class `Template` is, it gives one that waits, or a new one."""

    def __init__(self) -> None:
        self._waiting: list[KeptTemplate] = []

    def __call__(self, command: Sequence[str], *, makes_copies: bool) -> Template:
        """One that makes no copies is ended by its first file, and one that has ended serves nobody."""
        if not makes_copies:
            return Template(command, makes_copies=False)
        kind = (tuple(command), frozenset(clean_environment().items()))
        for template in [*self._waiting]:
            if not template.is_running:
                template.end()
            elif template.kind == kind:
                self._waiting.remove(template)
                return template
        return KeptTemplate(kind, self._waiting)

    def end(self) -> None:
        """End all that wait."""
        for template in [*self._waiting]:
            template.end()
