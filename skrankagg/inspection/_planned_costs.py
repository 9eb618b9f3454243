"""Expected times of the methods of a comparison, used to skip slow methods or to warn about them."""

from joblib import effective_n_jobs

from .._support._progress import format_seconds
from .._support._warn import warn_user
from ..base._cost import LONG, Sizes, estimate
from ..base._cost import announced_costs as announced_costs
from ..exceptions import CostWarning

# A comparison of fewer rows, over all folds and methods, never takes a minute.
_QUICK_ROWS = 2_000
# Number of slow methods that the warning names.
_NAMED = 3


def plan(members, learners, lists, n_folds, n_jobs, skip_slower_than):
    """Find the methods to skip, and warn if the other methods take more than a minute.

    Returns a dict that maps the name of each skipped method to the reason. `members` contains pairs of a name and a
    method.

    `learners` contains the names of the methods that are fitted in each of `n_folds` folds.
    """
    if skip_slower_than is None and lists.n_rows * (len(members) + n_folds * len(learners)) < _QUICK_ROWS:
        return {}
    sizes, seconds = Sizes.of_lists(lists), {}
    for name, estimator in members:
        cost = estimate(estimator, sizes)
        if cost is not None:
            # The fits without one fold each cost as much as n_folds - 1 fits on all queries. The last fit is on all.
            seconds[name] = cost.seconds * (n_folds if name in learners else 1)
    skipped = {}
    if skip_slower_than is not None:
        for name in [name for name, one in seconds.items() if one > skip_slower_than]:
            skipped[name] = (
                f"skipped, because about {format_seconds(seconds.pop(name))} are expected and "
                f"skip_slower_than={skip_slower_than:g}"
            )
    total = sum(seconds.values()) / min(effective_n_jobs(n_jobs), max(len(members), 1))
    if total > LONG:
        slow = sorted(seconds, key=seconds.get, reverse=True)[:_NAMED]
        found = ", ".join(f"{name} {format_seconds(seconds[name])}" for name in slow)
        warn_user(
            f"The Comparator will take about {format_seconds(total)} for {sizes}; the slowest methods are {found}. "
            "Leave them out, or pass skip_slower_than=10, which skips methods that take more than 10 seconds. "
            "warnings.simplefilter('ignore', CostWarning) hides this warning.",
            CostWarning,
        )
    return skipped
