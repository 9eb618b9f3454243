"""scikit-learn's callbacks: what is fitted tells them which of its parts begin and end.

They are experimental in scikit-learn 1.9 and missing before, and only this module knows them. A fit whose estimator has
no callbacks, and is in no estimator that has some, costs a look into a dict.
"""

import copy
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:

    class CallbackSupport:
        """What scikit-learn's class says to type checkers."""

        def set_callbacks(self, *callbacks: object) -> Self:
            """Set the callbacks that are told of a fit; none removes them."""
            ...

else:
    try:
        from sklearn.callback import CallbackSupportMixin as CallbackSupport
        from sklearn.callback._callback_support import callback_management_context
    except ImportError:

        class CallbackSupport:
            """Without callbacks in scikit-learn, estimators have none either."""


__all__ = ["CallbackSupport", "Task", "fit_task", "fitting", "without_callbacks"]

# Set while an estimator with callbacks is fitted, for the same work is not reported where it is done in `transform`.
_MARK = "_in_fit"


class Task:
    """A part of a fit; as a context manager it tells the callbacks, if there are any, that it begins and ends.

    Parameters
    ----------
    estimator : estimator instance, default=None
        What is fitted.
    context : sklearn.callback.CallbackContext, default=None
        scikit-learn's record of the part; None where there are no callbacks.
    """

    def __init__(self, estimator=None, context=None):
        self.estimator, self.context = estimator, context
        #: Whether a callback has asked to stop after this part.
        self.stop = False

    def part(self, name, n_parts=0):
        """Make a part of this one, which may have parts of its own: their number, or the most there can be.

        Parameters
        ----------
        name : str
        n_parts : int, default=0

        Returns
        -------
        Task
        """
        if self.context is None:
            return self
        return Task(self.estimator, self.context.subcontext(task_name=name, max_subtasks=n_parts))

    def propagate(self, member):
        """Let a member that is fitted in this part, in a ``with`` block, tell the same callbacks of its own parts.

        Parameters
        ----------
        member : estimator instance

        Returns
        -------
        context manager
        """
        return nullcontext() if self.context is None else self.context.propagate_callback_context(member)

    def __enter__(self):
        if self.context is not None:
            self.context.call_on_fit_task_begin(estimator=self.estimator)
        return self

    def __exit__(self, error, *_):
        if self.context is not None and error is None:
            self.stop = self.context.call_on_fit_task_end(estimator=self.estimator)


@contextmanager
def fitting(estimator, X=None, y=None):
    """Tell the callbacks of an estimator, within the block, what is done; parts come from :func:`fit_task`."""
    if not vars(estimator).keys() & {"_skl_callbacks", "_parent_callback_ctx"}:
        yield
        return
    setattr(estimator, _MARK, {"X": X, "y": y})
    try:
        with callback_management_context(estimator):
            yield
            whole = fit_task(estimator)  # of a fit without parts, which begins and ends here
            whole.context.call_on_fit_task_end(
                estimator=estimator, X=X, y=y, reconstruction_attributes=lambda: _fitted_attributes(estimator)
            )
    finally:
        delattr(estimator, _MARK)


def _fitted_attributes(estimator):
    return {name: value for name, value in vars(estimator).items() if name.endswith("_") and name[0] != "_"}


def fit_task(estimator, n_parts=0):
    """The fit that is going on as a task of at most so many parts; outside of a fit nothing is told."""
    if not hasattr(estimator, _MARK):
        return Task()
    context = getattr(estimator, "_callback_fit_ctx", None)
    if context is None:
        context = estimator._init_callback_context(max_subtasks=n_parts)
        context.call_on_fit_task_begin(estimator=estimator, **getattr(estimator, _MARK))
    return Task(estimator, context)


def without_callbacks(estimator):
    """A shallow copy for another process, which tells nothing."""
    bare = copy.copy(estimator)
    for name in ("_skl_callbacks", "_skl_callbacks_to_teardown", "_callback_fit_ctx", "_parent_callback_ctx", _MARK):
        vars(bare).pop(name, None)
    return bare
