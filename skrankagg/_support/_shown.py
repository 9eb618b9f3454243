"""Display of users' values in messages: on one line, cut if they are long."""

import re

import numpy as np

_LONGEST = 80


def show(value: object) -> str:
    """Write a value for a message: its repr on one line, cut if it is long.

    >>> from skrankagg._support._shown import show
    >>> show("d1"), show("x" * 100)[-6:]
    ("'d1'", 'xxx...')
    """
    try:
        text = repr(value.item() if isinstance(value, np.generic) else value)
    except Exception:  # a class defined by the user
        text = f"<{type(value).__name__}>"
    text = re.sub(r"\s*\n\s*", " ", text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
