"""Time limit of a query: one object, which all loops and all calls of a solver share.

Only this module reads the clock. A step that cannot be stopped is not started if it is expected to end after the
deadline.
"""

import time

from scipy.optimize import linprog, milp

from ._worker import Late, Unstarted, Worker

# Longest expected time, in seconds, of a solver that runs in this process. A solver cannot be stopped in this process.
_HERE = 0.25


class Unfinished(Exception):
    """Error that is raised if time runs out or the solver gives up.

    It contains a lower bound on the cost, and the reason why the search ended.
    """

    def __init__(self, bound=float("-inf"), reason="time limit"):
        super().__init__(bound, reason)
        self.bound, self.reason = bound, reason


class Budget:
    """Time limit in seconds from now; None means no limit.

    Use the object as a context manager: at the end of the context, the process that runs the solvers is ended.

    >>> from skrankagg.aggregators._kemeny._budget import Budget
    >>> with Budget(60) as budget:
    ...     budget.check()
    ...     budget.late
    False
    """

    def __init__(self, seconds=None):
        self.end = float("inf") if seconds is None else time.monotonic() + seconds
        self._worker = Worker()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._worker.close()

    @property
    def left(self):
        """Return the number of seconds until the time limit; the number is infinite without a limit."""
        return self.end - time.monotonic() if self.end < float("inf") else self.end

    @property
    def late(self):
        """Return True if the time limit has passed."""
        return self.left <= 0

    def check(self, seconds=0.0):
        """Raise Unfinished if the time limit has passed, or will pass within the given number of seconds."""
        if self.left <= seconds:
            raise Unfinished

    def share(self, part):
        """Return a budget for a fraction of the remaining time; `part` is this fraction."""
        other = Budget.__new__(Budget)
        other.end, other._worker = self.end, self._worker
        if self.end < float("inf"):
            other.end = time.monotonic() + part * max(self.left, 0.0)
        return other

    def linprog(self, cost, matrix, most, bounds, method, *, foreseen=None, **equations):
        """Minimise ``cost @ x`` under ``matrix @ x <= most`` with SciPy; raise Unfinished if time runs out.

        `foreseen` is the expected time in seconds; None estimates it for a programme over pairs of items. `equations`
        contains SciPy's arguments for equations.
        """
        if foreseen is None:
            n_rows, n_columns = matrix.shape
            foreseen = 2e-6 * n_columns + 4e-5 * n_rows + 4e-9 * n_rows**2
        return self._solve(foreseen, linprog, cost, A_ub=matrix, b_ub=most, bounds=bounds, method=method, **equations)

    def milp(self, cost, options, **programme):
        """Minimise ``cost @ x`` with SciPy's solver for mixed-integer programmes; raise Unfinished if time runs out."""
        return self._solve(1e-6 * len(cost) ** 2, milp, cost, options=options, **programme)

    def _solve(self, foreseen, function, *args, options=None, **kwargs):
        self.check()
        options = dict(options or {})
        if self.end < float("inf"):
            options["time_limit"] = self.left
        if foreseen > _HERE:
            try:
                return self._worker.call(function, *args, options=options, end=self.end, **kwargs)
            except Late:
                raise Unfinished from None
            except Unstarted:
                pass  # without a process, only the solver's own limit applies
        self.check(foreseen)
        return function(*args, options=options, **kwargs)
