"""The helper for renamed parameters."""

import pytest

from skrankagg._support._deprecation import renamed
from skrankagg.exceptions import InputTypeError


@renamed("cutoff", "k", since="1.1", removed="1.3")
def first(items, *, k=1):
    return items[:k]


class Table:
    @renamed("top", "n_rows", since="1.1", removed="1.3")
    def __init__(self, *, n_rows=1):
        self.n_rows = n_rows


def test_renamed_accepts_the_old_name_with_a_warning_at_the_caller():
    with pytest.warns(
        FutureWarning, match="`cutoff` of first was renamed to `k` in 1.1; release 1.3 will refuse `cutoff`"
    ) as caught:
        assert first("abc", cutoff=2) == "ab"
    assert caught[0].filename == __file__
    with pytest.warns(FutureWarning, match="`top` of Table was renamed to `n_rows`"):
        assert Table(top=5).n_rows == 5


def test_renamed_does_not_warn_for_the_new_name():
    assert first("abc") == "a" and first("abc", k=3) == "abc" and Table(n_rows=2).n_rows == 2


def test_renamed_rejects_both_names_and_unknown_ones():
    with pytest.raises(InputTypeError, match="`k` must be given once; got k= and its old name cutoff="):
        first("abc", k=1, cutoff=2)
    with pytest.raises(TypeError, match="first has no parameter 'depth'"):
        renamed("cutoff", "depth", since="1.1", removed="1.3")(first)
