"""Support for scikit-learn's callbacks, which are called when parts of a fit begin and end.

Callbacks are experimental in scikit-learn 1.9 and missing in earlier releases. Only this module uses scikit-learn's
callback functions, which ``_sklearn`` imports. A fit without callbacks needs only one additional look-up in a dict.
"""

import copy
from contextlib import contextmanager, nullcontext

from . import _sklearn

# An estimator with callbacks has an attribute of this name during its fit. Without the attribute, for example in
# `transform`, nothing is reported.
_MARK = "_in_fit"


class Task:
    """Context manager for one part of a fit, which reports the start and the end of this part to the callbacks.

    Parameters
    ----------
    estimator : estimator instance, default=None
        Estimator whose fit contains this part.
    context : sklearn.callback.CallbackContext, default=None
        scikit-learn's record of the part; None if there are no callbacks.
    """

    def __init__(self, estimator=None, context=None):
        self.estimator, self.context = estimator, context
        #: True if a callback has requested a stop after this part.
        self.stop = False

    def part(self, name, n_parts=0):
        """Return a new task for a part of this task.

        Parameters
        ----------
        name : str
            Name of the part.
        n_parts : int, default=0
            Largest number of parts that the new task can have.

        Returns
        -------
        Task
        """
        if self.context is None:
            return self
        return Task(self.estimator, self.context.subcontext(task_name=name, max_subtasks=n_parts))

    def propagate(self, member):
        """Return a context manager; fits of `member` inside it report to the callbacks of this task.

        Parameters
        ----------
        member : estimator instance
            Estimator that is fitted in this part.

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
    """Return a context manager that reports a fit to the estimator's callbacks; call :func:`fit_task` inside it."""
    if not vars(estimator).keys() & {"_skl_callbacks", "_parent_callback_ctx"}:
        yield
        return
    setattr(estimator, _MARK, {"X": X, "y": y})
    try:
        with _sklearn.callback_management_context(estimator):
            yield
            whole = fit_task(estimator)  # a fit without parts begins and ends at this point
            whole.context.call_on_fit_task_end(
                estimator=estimator, X=X, y=y, reconstruction_attributes=lambda: _fitted_attributes(estimator)
            )
    finally:
        delattr(estimator, _MARK)


def _fitted_attributes(estimator):
    return {name: getattr(estimator, name) for name in vars(estimator) if name.endswith("_") and name[0] != "_"}


def fit_task(estimator, n_parts=0):
    """Return the task that reports the progress of the current fit to the callbacks.

    The task has at most `n_parts` parts, whose progress is also reported. Outside of a fit, the task reports nothing.
    """
    if not hasattr(estimator, _MARK):
        return Task()
    context = getattr(estimator, "_callback_fit_ctx", None)
    if context is None:
        context = estimator._init_callback_context(max_subtasks=n_parts)
        context.call_on_fit_task_begin(estimator=estimator, **getattr(estimator, _MARK))
    return Task(estimator, context)


def without_callbacks(estimator):
    """Copy an estimator without its callbacks, so that the copy can be sent to another process; the copy is shallow."""
    bare = copy.copy(estimator)
    for name in ("_skl_callbacks", "_skl_callbacks_to_teardown", "_callback_fit_ctx", "_parent_callback_ctx", _MARK):
        vars(bare).pop(name, None)
    return bare
