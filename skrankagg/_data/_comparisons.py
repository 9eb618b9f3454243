"""Checks of a frame of winners and losers: valid ties, and no column that contains outcomes instead of items."""

from numbers import Number

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from ..exceptions import InputError
from ._frames import known_frame, titles_of
from ._id_codes import distinct_objects

#: Largest number of invalid values that a message lists.
_SHOWN = 5


def read_ties(values, name):
    """Read a column of ties as bool of shape (n_rows,); raise InputError if a value is not a boolean, 0 or 1.

    >>> import pandas as pd
    >>> from skrankagg._data._comparisons import read_ties
    >>> read_ties(pd.Series([0.0, 1.0]), "draw")
    array([False,  True])
    """
    if values.dtype == bool:
        return values.to_numpy()
    found = values.to_numpy(dtype=object)
    bad = {_show(one): None for one in found if not _is_truth(one)}
    if bad:
        raise InputError(
            f"`tie` must be a column of booleans or of the numbers 0 and 1; column {name!r} has "
            f"{', '.join(list(bad)[:_SHOWN])}{', ...' if len(bad) > _SHOWN else ''} instead. Make a column such as "
            f"df[{name!r}] == 'yes', and drop rows of unknown outcome."
        )
    return found.astype(bool)


def refuse_outcomes(df, winner, loser, caller, items=None):
    """Raise InputError if the values of a column are the names of the two item columns; such values are outcomes.

    `items` is an index of all ids in the columns `winner` and `loser`. If it is given, these two columns need not be
    searched.
    """
    frame = known_frame(df, caller)
    titles = titles_of(frame)
    # The column of winners may contain the names of two other columns, although there is a column of losers.
    others = tuple(one for one in titles if isinstance(one, str) and one not in (winner, loser))
    known = None if items is None else _texts(items)
    # Columns that need not be searched.
    of_items = () if known is None or known & {winner, loser} else (winner, loser)
    found = list(_columns_with(frame, (winner, loser), of_items))
    if known is None or not known.isdisjoint(others):
        winners = frame[[winner]] if isinstance(frame, pd.DataFrame) else frame.select(winner)
        found += _columns_with(winners, others)
    for name in dict.fromkeys(found):
        values = frame[name] if isinstance(frame, pd.DataFrame) else frame.select(name).lazy().collect()[name].to_list()
        texts = list(dict.fromkeys(one for one in values if isinstance(one, str)))
        sides = [winner, loser]
        if name in sides:  # an item may have the same name as the other column
            sides = [one for one in texts if one in titles and one != name]
        if len(sides) == 2:
            first, second = sides
            raise InputError(
                f"`winner` and `loser` must be columns of items; column {name!r} contains outcomes. Call {caller}(df, "
                f"first={first!r}, second={second!r}, outcome={name!r}), or drop column {name!r} if it is not an "
                "outcome."
            )


def _is_truth(one):
    return isinstance(one, Number | np.bool_) and one in (0, 1)


def _show(one):
    return repr(one.item() if isinstance(one, np.generic) else one)


def _texts(ids):
    """Return all text ids of an index as a set."""
    return set() if pd.api.types.is_numeric_dtype(ids.dtype) else {one for one in ids.tolist() if isinstance(one, str)}


def _columns_with(frame, names, skipped=()):
    """Yield the title of each column that contains one of the texts `names` as a value; ignore `skipped` columns."""
    if isinstance(frame, pd.DataFrame):
        for k, name in enumerate(frame.columns):
            if name not in skipped and _holds(frame.iloc[:, k], names):
                yield name
        return
    kinds = (nw.String, nw.Categorical, nw.Enum)
    schema = frame.collect_schema().items()
    text = [name for name, dtype in schema if isinstance(dtype, kinds) and name not in skipped]
    if text:
        held = frame.select(nw.col(name).cast(nw.String).is_in(names).any() for name in text).lazy().collect()
        yield from (name for name in text if held[name].item())


def _holds(values, names):
    """Return True if a Series contains one of the texts `names`."""
    if pd.api.types.is_numeric_dtype(values.dtype):
        return False
    if values.dtype == object:
        # Only texts are looked up, because cells may be lists or arrays, which cannot be hashed.
        return any(one in names for one in distinct_objects(values.to_numpy()).tolist() if isinstance(one, str))
    return bool(values.isin(list(names)).any())
