"""Conversion of values to text for messages."""

import numpy as np

from skrankagg._support._values import show


class Silent:
    """A class of a user, with a repr that fails."""

    def __repr__(self):
        raise RuntimeError("no text")


def test_show_names_the_class_of_a_value_without_a_repr():
    assert show(Silent()) == "<Silent>"
    assert show(np.int64(3)) == "3"
