"""Encoding of a dict or a list of data frames, where each frame contains the lists of one voter."""

from collections.abc import Mapping
from contextlib import contextmanager

import numpy as np
import pandas as pd

from ..exceptions import InputError, InputTypeError
from ._frames import LIST_COLUMNS, Columns, is_frame
from ._long_rows import encode_rows, has_own_mask, join_ids, repeat_id

_PLAIN = (Mapping, list, tuple, str, np.ndarray, int, float)


def holds_frames(given):
    """Return True if a dict or a list contains data frames rather than lists, dicts or ids.

    >>> import pandas as pd
    >>> from skrankagg._data._frames_of_voters import holds_frames
    >>> holds_frames([pd.DataFrame()]), holds_frames({"bm25": ["d1"]}), holds_frames(pd.DataFrame())
    (True, False, False)
    """
    if isinstance(given, Mapping):
        given = list(given.values())
    return isinstance(given, list | tuple) and any(map(_is_frame, given))


def name_frames(frames, caller):
    """Return a dict of voter to frame; for a list, the voters are read from the frames or numbered from 1."""
    named = dict(frames) if isinstance(frames, Mapping) else dict(enumerate(frames, 1))
    for name, frame in named.items():
        if not _is_frame(frame):
            raise InputTypeError(
                f"The input of {caller} must have a data frame for every voter; {name!r} has {type(frame).__name__} "
                "instead. Put the rows of all voters into one frame with a column 'voter'."
            )
    if isinstance(frames, Mapping):
        return named
    voters = [_voter_of(name, _read(name, frame)) for name, frame in named.items()]
    if None in voters:
        return named
    if len(set(voters)) != len(voters):
        raise InputError(
            f"The frames passed to {caller} must belong to different voters; got {voters}. Put the rows of one voter "
            "into one frame."
        )
    return dict(zip(voters, frames, strict=True))


def encode_frames(cls, frames, caller, *, query=None, weights=None, **options):
    """Encode a dict or a list of frames, one for each voter.

    `query` is the id of the query for frames without a column of queries.
    """
    frames = name_frames(frames, caller)
    read = {name: _read(name, frame) for name, frame in frames.items()}
    held = {name: _columns_of(name, columns, query) for name, columns in read.items() if columns.n_rows}
    if not held:
        raise InputError(
            f"The input of {caller} must have at least one row; all {len(frames)} frames are empty. Check how "
            "they were read or filtered."
        )
    kinds = {name: [kind for kind in ("rank", "score") if kind in one] for name, one in held.items()}
    (first, kind), *others = kinds.items()
    for other, found in others:
        if found != kind:
            raise InputError(
                f"The frames passed to {caller} must all have only ranks, only scores, or both; {first!r} has "
                f"{' and '.join(kind)}, {other!r} has {' and '.join(found)}. Drop the column that some frames lack."
            )
    weighted = [name for name, one in held.items() if "weight" in one]
    if weighted and weights is not None:
        raise InputError(
            f"Weights must be passed to {caller} either in a column or as weights=; got both. Drop the column of "
            f"weights from the frame of {weighted[0]!r}."
        )
    parts, voters = list(held.values()), list(frames)
    columns = {
        "query": join_ids([one["query"] for one in parts]),
        "voter": np.repeat([voters.index(name) for name in held], [len(one["item"]) for one in parts]),
        "item": join_ids([one["item"] for one in parts]),
    }
    for name in kind:
        columns[name] = pd.concat([one[name] for one in parts], ignore_index=True)
    if weighted:
        ones = [one.get("weight", pd.Series(np.ones(len(one["item"])))) for one in parts]
        columns["weight"] = pd.concat(ones, ignore_index=True)
    return encode_rows(
        cls,
        columns,
        voters=voters,
        caller=caller,
        weights=weights,
        plain_ids=not any(has_own_mask(columns, columns.name("item")) for columns in read.values()),
        **options,
    )


def _is_frame(one):
    return not isinstance(one, _PLAIN) and is_frame(one)


@contextmanager
def _blaming(name):
    """Return a context manager that adds the name of a frame to the messages of errors."""
    try:
        yield
    except (InputError, InputTypeError) as error:
        raise type(error)(f"The frame of {name!r} cannot be read: {error}") from None


def _read(name, frame):
    with _blaming(name):
        return Columns(frame, {column: column for column in LIST_COLUMNS}, "RankedLists.from_frame")


def _voter_of(name, columns):
    """Return the only voter in the frame's column of voters, or None if the column is missing or empty."""
    if not columns.has("voter"):
        return None
    voters = pd.unique(columns.series(columns.name("voter")).dropna())
    if len(voters) > 1:
        raise InputError(
            f"The frame of {name!r} must contain the lists of a single voter; its column {columns.name('voter')!r} "
            f"contains {len(voters)} voters. Pass one frame of all voters, or drop the column."
        )
    return voters.tolist()[0] if len(voters) else None


def _columns_of(name, columns, query):
    """Check the columns of a frame; return them, not yet encoded, in a dict keyed by canonical name."""
    _voter_of(name, columns)
    with _blaming(name):
        numbers = [one for one in ("rank", "score", "weight") if columns.has(one)]
        known = query is None or columns.has("query")
        columns.require(
            *(["query"] if known else []),
            "item",
            *numbers,
            *([] if {"rank", "score"} & set(numbers) else ["rank or score"]),
        )
        for one in numbers:
            columns.numbers(one)  # raises an error for values that are not numbers
        found = {one: columns.id_column(one) for one in (["query", "item"] if known else ["item"])}
    found.update({one: columns.series(columns.name(one)) for one in numbers})
    found = {one: pd.Series(values).reset_index(drop=True) for one, values in found.items()}
    return found if known else {"query": pd.Series(repeat_id(query, columns.n_rows)), **found}
