"""Warnings that name the line in the user's code."""

import sys
import warnings

_OURS = {"skrankagg", "sklearn", "joblib"}


def warn_user(message, category):
    """Issue a warning that names the innermost calling line outside of this package, scikit-learn and joblib.

    Parameters
    ----------
    message : str
    category : type of Warning
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
