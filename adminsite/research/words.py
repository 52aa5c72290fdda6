"""Put the states, ends, times and costs of researches into words for their pages."""

from decimal import Decimal

from core.values.research import Estimate, Progress, Research, ResearchState, StopReason

STATES = {
    ResearchState.PLANNED: "planned, not started",
    ResearchState.WAITING: "waiting to begin",
    ResearchState.RUNNING: "being asked",
    ResearchState.DONE: "done",
    ResearchState.STOPPED: "stopped early",
    ResearchState.FAILED: "failed",
}
_KEPT = "What was found until then is below."


def describe_end(research: Research) -> str:
    """Say why a research ended before all was asked; empty for one that did not."""
    minutes, dollars = research.budget.most_minutes, research.budget.most_usd
    said = {
        StopReason.ASKER: "You stopped it.",
        StopReason.MINUTES: f"It reached its limit of {minutes} minute{'' if minutes == 1 else 's'}.",
        StopReason.COST: f"It reached its limit of {describe_cost(dollars)}." if dollars else "It reached its limit.",
        StopReason.BUDGET: "A budget for language models, which an administrator set, is used up.",
        StopReason.ACCOUNT: "Your account could not be used while it was asked.",
        StopReason.ERROR: "The language model could not be reached, or something else went wrong.",
    }
    return f"{said[research.stop_reason]} {_KEPT}" if research.stop_reason else ""


def describe_estimate(estimate: Estimate) -> str:
    """Say what a plan will probably take."""
    if estimate.cost_usd is None:
        cost = "what it costs is not known"
    else:
        cost = f"costs about {describe_cost(estimate.cost_usd)}" if estimate.cost_usd else "costs nothing"
    return f"Takes about {describe_time(estimate.seconds)}, and {cost}."


def describe_use(progress: Progress) -> str:
    """Say what a research took so far."""
    taken = f"{progress.asked} of {progress.total} question{'' if progress.total == 1 else 's'} asked"
    parts = [taken, describe_time(progress.seconds)]
    return ", ".join([*parts, describe_cost(progress.cost_usd)] if progress.cost_usd else parts)


def describe_time(seconds: float) -> str:
    """Return a duration in words."""
    if seconds < 90:
        return f"{max(1, round(seconds))} second{'' if round(seconds) <= 1 else 's'}"
    return f"{round(seconds / 60)} minutes"


def describe_cost(usd: Decimal) -> str:
    """Return an amount in US dollars: cents, or what is less than one."""
    return f"${usd:,.2f}" if usd >= Decimal("0.01") else f"${usd.quantize(Decimal('0.0001')).normalize():f}"
