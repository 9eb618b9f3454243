"""Conversion of rows to ranked lists, with options for duplicates, missing ids, score direction and weights."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._support._checks import check_choice, check_flag
from .._support._values import is_hashable, is_integer, show
from ..exceptions import InputError, InputTypeError
from ._duplicate_options import Duplicates
from ._frames import EXACT_LIMIT, Columns, index_of_names, new_frame
from ._id_codes import encode_ids
from ._voter_names import near_voters

#: How to treat a place of a list without an item.
MissingIds: TypeAlias = Literal["error", "drop"]
#: Whether smaller scores are better: a bool for all voters, or the voters for which smaller scores are better.
LowerIsBetter: TypeAlias = bool | Sequence[Hashable]
#: Weights of the voters, given by name or in the order of the voters.
Weights: TypeAlias = Mapping[Any, float] | ArrayLike | None

_LIST = ["query", "voter", "item"]


def encode_rows(
    cls: Any,
    columns: Mapping[str, Any],
    *,
    voters: Sequence[Hashable],
    caller: str,
    lower_is_better: LowerIsBetter = False,
    duplicates: Duplicates = "error",
    missing_ids: MissingIds = "error",
    strip: bool = False,
    weights: Weights = None,
    groups: Sequence[str] = (),
    covariates: Sequence[str] = (),
    plain_ids: bool = False,
    index: pd.Index | None = None,
) -> Any:
    """Encode a dict of columns as ranked lists of class `cls`.

    The columns are `query`, `voter` (positions in `voters`), `item`, at least one of `rank` and `score`, and optionally
    `weight` and `duel`. `groups` contains the names of further columns that are constant within each list. `covariates`
    contains the names of further columns of numbers that a model may use, such as the length of an answer. If
    `plain_ids` is true, items of a nullable integer type become NumPy integers after missing items have been dropped.
    Gaps in `index`, the labels of the rows, show that rows were lost.
    """
    for name, value, known in (
        ("duplicates", duplicates, ("error", "first", "best", "mean")),
        ("missing_ids", missing_ids, ("error", "drop")),
    ):
        check_choice(name, value, known)
    if duplicates == "mean" and covariates:
        raise InputError(
            f"`duplicates` of {caller} must not be 'mean' with covariates, because covariates cannot be averaged. "
            "Choose 'first' or 'best'."
        )
    if not len(voters):
        raise InputError(f"The input of {caller} must have at least one voter; got none.")
    if any(one is None or one is pd.NA for one in voters):
        raise InputError(
            f"The input of {caller} must have a name for each voter; one name is missing. Give this voter a name."
        )
    frame = new_frame(dict(columns))
    kind = "score" if "score" in frame else "rank"
    check_flag("strip", strip)
    if strip:
        voters = _strip_names(voters, caller)
        frame["query"], frame["item"] = strip_ids(frame["query"]), strip_ids(frame["item"])
    frame = _without_missing(frame, missing_ids, caller)
    if plain_ids and is_nullable(frame["item"].dtype):
        frame["item"] = frame["item"].to_numpy(dtype=frame["item"].dtype.numpy_dtype)
    _refuse_no_numbers(frame, kind, voters, caller)
    falling = falling_voters(lower_is_better, voters, kind)
    if falling.any():
        # Scores are subtracted from 0, because negation would turn 0 into -0. Only integers above the range of int64
        # become floats.
        values = frame[kind]
        if values.dtype.kind == "u":
            values = values.astype(np.int64 if values.max() <= np.iinfo(np.int64).max else np.float64)
        frame[kind] = values.mask(pd.Series(falling[frame["voter"]]), 0 - values)
    if duplicates != "error":
        frame = _without_duplicates(frame, duplicates)
    if weights is not None:
        frame["weight"] = weights_of_voters(weights, voters)[frame["voter"]]
    frame["voter"] = pd.Series(voters if isinstance(voters, pd.Index) else list(voters)).take(frame["voter"]).array
    if index is not None and len(index) == len(frame):
        frame.index = index
    try:
        return cls.from_frame(frame, groups=groups, covariates=covariates or None)
    except InputError:
        # The message of from_frame does not name the caller's options, so the error is raised again with a better
        # message.
        _refuse_duplicates(frame, caller)
        _refuse_infinite(frame, kind, caller)
        raise


def repeat_id(one: Hashable, n: int) -> np.ndarray:
    """Return an array of shape (n,) that repeats one id, with the dtype that pandas chooses for this id."""
    check_query(one)
    return pd.Series([one]).repeat(n).to_numpy()


def index_of_one(one: Hashable) -> pd.Index:
    """Return an index that contains one id, with the dtype that pandas chooses for this id."""
    return index_of_names(one) if isinstance(one, str) else encode_ids(pd.Series(repeat_id(one, 1)))[1]


def join_ids(parts: Sequence[pd.Series]) -> pd.Series:
    """Concatenate columns of ids; if all floats are whole, they become integers, so that 1 and 1.0 are the same id.

    >>> import pandas as pd
    >>> from skrankagg._data._long_rows import join_ids
    >>> join_ids([pd.Series([1, 2]), pd.Series([2.0])]).tolist(), join_ids([pd.Series([1]), pd.Series([0.5])]).tolist()
    ([1, 2, 2], [1.0, 0.5])
    """
    kinds = {part.dtype.kind for part in parts}
    if len({part.dtype for part in parts}) > 1 and kinds & {"i", "u"} and kinds <= {"i", "u", "f"}:
        parts = _as_integers(parts)
    return pd.concat(parts, ignore_index=True)


def flat_ids(items: Sequence[Any]) -> pd.Series:
    """Concatenate the ids of many lists in one column; integers stay exact even if other ids are missing or fractions.

    >>> from skrankagg._data._long_rows import flat_ids
    >>> flat_ids([[2**53 + 1, None], [2**53]]).tolist()
    [9007199254740993, <NA>, 9007199254740992]
    """
    values = list(chain.from_iterable(items))
    ids = pd.Series(values, dtype=None if len(items) else object)
    whole = [one for one in values if is_integer(one)] if ids.dtype.kind == "f" else []
    if not whole:
        return ids
    if len(whole) < int(ids.notna().sum()):  # some ids are fractions
        return ids if max(map(abs, whole)) < EXACT_LIMIT else pd.Series(values, dtype=object)
    kind = {"i": "Int64", "u": "UInt64"}.get(pd.Series(whole).dtype.kind, object)
    return pd.Series([one if is_integer(one) else None for one in values], dtype=kind)


def has_own_mask(columns: Columns, name: str) -> bool:
    """Return True if a column of a pandas frame has a nullable integer type, which its ids should keep."""
    return columns.is_pandas and is_nullable(columns.series(name).dtype)


def check_query(query: Any) -> None:
    """Raise InputTypeError if the id of a query cannot be hashed."""
    if not is_hashable(query):
        raise InputTypeError(f"`query` must be an id, such as str or int; got {show(query)}. Pass one id.")


def as_mapping(given: Any, caller: str) -> dict[Hashable, Any]:
    """Return the lists as a dict keyed by voter; the lists of a sequence are numbered from 1."""
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | np.ndarray) or not np.iterable(given):
        raise InputTypeError(
            f"The lists passed to {caller} must be a dict keyed by voter, or a sequence of lists; got "
            f"{type(given).__name__}."
        )
    return dict(enumerate(given, 1))


def strip_ids(values):
    """Remove the blanks around the text ids of a Series; an id that consists of blanks becomes missing.

    >>> import pandas as pd
    >>> from skrankagg._data._long_rows import strip_ids
    >>> strip_ids(pd.Series(["a ", "a", 1], dtype=object)).tolist()
    ['a', 'a', 1]
    """
    kept = values.dtype.categories.dtype if isinstance(values.dtype, pd.CategoricalDtype) else values.dtype
    if not pd.api.types.is_string_dtype(kept):
        return values
    try:
        codes, found = pd.factorize(values)  # there are far fewer distinct ids than rows
    except TypeError:
        return values  # some ids are not hashable; the encoding raises an error later
    names = [(one.strip() or None) if isinstance(one, str) else one for one in found.tolist()]
    names = pd.Series([*names, None], dtype=kept)  # the last element is for missing values, code -1
    if kept is not values.dtype:
        names = names.astype("category")
    return names.take(codes).reset_index(drop=True)


def is_nullable(dtype):
    """Return True for a nullable integer type of pandas or Arrow."""
    return isinstance(dtype, pd.api.extensions.ExtensionDtype) and dtype.kind in "iu" and hasattr(dtype, "numpy_dtype")


def _as_integers(parts):
    """Convert columns of integer and float ids so that concatenating the columns keeps every integer exact.

    If all ids are whole numbers, the columns get an integer dtype. If some ids are fractions, the columns stay
    unchanged, or get the dtype object if float64 cannot represent all integers. Raises InputError if a float is so
    large that it may be a rounded integer.
    """
    largest = {"f": 0.0, "i": 0.0, "u": 0.0}
    fractions = False
    for part in parts:
        values = part.dropna().to_numpy(dtype=np.float64)
        largest[part.dtype.kind] = max(largest[part.dtype.kind], np.abs(values).max(initial=0))
        fractions = fractions or bool((values % 1 != 0).any())
    if largest["f"] >= EXACT_LIMIT:
        raise InputError(
            f"Ids of at least 2 ** 53 must not be floats, because floats are rounded; got {largest['f']:.0f}. Read the "
            "column as text, or as Int64, which allows missing values."
        )
    if fractions and max(largest.values()) < EXACT_LIMIT:
        return parts
    if fractions or largest["u"] >= 2.0**63:
        return [part.astype(object) for part in parts]
    return [
        part if part.dtype.kind == "i" else part.astype("Int64") if part.hasnans else part.astype(np.int64)
        for part in parts
    ]


def _strip_names(voters, caller):
    if isinstance(voters, pd.Index):
        return voters
    names = [one.strip() if isinstance(one, str) else one for one in voters]
    total = Counter(names)
    for name, voter in zip(names, voters, strict=True):
        if total[name] > 1:
            raise InputError(
                f"With strip=True, the voters of {caller} must still have different names after blanks at both ends "
                f"are removed; {show(voter)} and another voter both become {show(name)}. Rename one of them."
            )
    return names


def _without_missing(frame, missing_ids, caller):
    missing = frame["item"].isna().to_numpy()
    if not missing.any():
        return frame
    if missing_ids == "drop":
        return frame[~missing].reset_index(drop=True)
    raise InputError(
        f"Each place of a list passed to {caller} must have an item; {int(missing.sum())} have None or NaN. Pass "
        f"missing_ids='drop' to {caller} to leave them out."
    )


def _refuse_no_numbers(frame, name, voters, caller):
    values = frame[name]
    if pd.api.types.is_numeric_dtype(values.dtype) and values.dtype.kind != "c":
        return
    for row, value in enumerate(values.tolist()):
        if not (isinstance(value, float) or (is_integer(value) and abs(value) < 2**63)):
            voter = voters[int(frame["voter"].iloc[row])]
            raise InputError(
                f"Each {name} passed to {caller} must be a 64-bit int or a float; item "
                f"{show(frame['item'].iloc[row])} of voter {show(voter)} has {show(value)}. Convert it, or leave the "
                "item out."
            )


def _refuse_infinite(frame, name, caller):
    bad = ~np.isfinite(frame[name].to_numpy(dtype=np.float64, na_value=np.nan))
    if bad.any():
        row = frame.iloc[int(np.argmax(bad))]
        raise InputError(
            f"Each {name} passed to {caller} must be finite; item {show(row['item'])} of voter {show(row['voter'])} "
            f"has {row[name]}. Leave the item out."
        ) from None


def falling_voters(lower_is_better, voters, kind):
    """Check `lower_is_better`, and return a mask of the voters for which smaller scores are better."""
    if isinstance(lower_is_better, bool | np.bool_):
        mask = np.full(len(voters), bool(lower_is_better))
    elif isinstance(lower_is_better, str) or not np.iterable(lower_is_better):
        raise InputTypeError(f"`lower_is_better` must be True, False or a list of voters; got {show(lower_is_better)}.")
    else:
        lower_is_better = list(lower_is_better)
        if not all(map(is_hashable, lower_is_better)):
            raise InputTypeError(
                f"`lower_is_better` must be True, False or a list of voters; got {show(lower_is_better)}."
            )
        unknown = [name for name in lower_is_better if name not in voters]
        if unknown:
            hint = _hint(unknown[0], voters)
            raise InputError(f"`lower_is_better` names {show(unknown[0])}, which is not a voter{hint}.")
        mask = np.isin(np.arange(len(voters)), [list(voters).index(name) for name in lower_is_better])
    if mask.any() and kind == "rank":
        raise InputError("`lower_is_better` must be False for ranks, because rank 1 is always the best. Leave it out.")
    return mask


def _hint(name, voters):
    near = near_voters([name], voters)
    return f"; did you mean {near[0][1]!r}?" if near else f"; there are {', '.join(map(show, list(voters)[:5]))}"


def _refuse_duplicates(frame, caller):
    if not all(map(is_hashable, frame["item"])):
        return
    twice = frame.duplicated(_LIST).to_numpy()
    if twice.any():
        row = frame.iloc[int(np.argmax(twice))]
        raise InputError(
            f"A list passed to {caller} must contain each item only once; {int(twice.sum())} places repeat an item "
            f"(the first is item {show(row['item'])} of voter {show(row['voter'])}). Pass duplicates='first', 'best' "
            f"or 'mean' to {caller}."
        ) from None


def _without_duplicates(frame, duplicates):
    """Keep one row for each item of a list: the first row, the best row, or a row with the mean rank and score."""
    numbers = [name for name in ("rank", "score") if name in frame]
    if frame[numbers].isna().any(axis=None) or not all(map(is_hashable, frame["item"])):
        return frame  # the encoding raises an error later
    if duplicates == "best":
        frame = frame.sort_values(numbers[0], ascending=numbers[0] == "rank", kind="stable")
    elif duplicates == "mean":
        for name in numbers:
            if not isinstance(frame[name].dtype, np.dtype):  # pandas would replace -0.0 by 0.0
                frame[name] = frame[name].to_numpy(dtype=np.float64)
            frame[name] = frame.groupby(_LIST, sort=False, observed=True)[name].transform("mean")
    return frame.drop_duplicates(_LIST, ignore_index=True)


def named_weights(weights):
    """Convert a Series of weights to a dict of name to weight; raise InputError if a name is repeated."""
    if not weights.index.is_unique:
        twice = weights.index[weights.index.duplicated()]
        raise InputError(
            f"`weights` must have one value for each voter; its index repeats {twice.tolist()[0]!r}. Keep one value."
        )
    return weights.to_dict()


def weights_of_voters(weights, voters):
    if isinstance(weights, pd.Series):
        weights = named_weights(weights)
    if isinstance(weights, Mapping):
        unknown = [name for name in dict(weights) if name not in voters]
        lacking = [name for name in voters if name not in weights]
        if unknown or lacking:
            name = (unknown or lacking)[0]
            what = f"names {show(name)}, which is not a voter{_hint(name, voters)}"
            raise InputError(
                f"`weights` must have one value for each voter; it {what if unknown else f'lacks {show(name)}'}."
            )
        weights = [weights[name] for name in voters]
    weights = _as_weights(weights)
    if weights.shape != (len(voters),):
        raise InputError(f"`weights` must have one value for each of {len(voters)} voters; got shape {weights.shape}.")
    return weights


def _as_weights(weights):
    try:
        found = np.asarray(weights)
        if found.dtype.kind in "biuf" or (found.dtype == object and not any(map(_is_text, found.ravel()))):
            return found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputTypeError(
        f"`weights` must be numbers, one for each voter; got {show(weights)}. Convert them with float."
    )


def _is_text(one):
    return isinstance(one, str | bytes)
