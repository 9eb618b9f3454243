"""Conversion of numeric columns to 64-bit integers if the numbers are too large to be exact in float64."""

import re

import numpy as np
import pandas as pd

from .._data._frames import EXACT_LIMIT
from ..exceptions import InputError
from ._delimited import clip, is_number, line_of, read_table, to_number

#: Columns of lists that contain numbers.
NUMERIC_OF_LISTS = {"rank", "score", "weight", "duel"}
_INTEGER = re.compile(r"[ \t]*[+-]?\d+[ \t]*", re.ASCII)


def restore_integers(frame, source, layout):
    """Read a column of ranks or scores again as integers if its numbers are too large to be exact in float64.

    This is only done if all numbers of the column are written as integers and fit into 64 bits. Returns the frame.
    """
    large = {
        name
        for name in ("rank", "score")
        if name in frame and frame[name].dtype.kind == "f" and is_beyond_float64(frame[name].to_numpy())
    }
    if large:
        text = read_table(source, layout._replace(coded=False), NUMERIC_OF_LISTS - large)
        for name in large:
            if text[name].str.fullmatch(_INTEGER.pattern).all():
                values = [int(value) for value in text[name]]
                number = integers_for(min(values), max(values))
                frame[name] = np.array(values, dtype=number) if number else frame[name]
    return frame


def is_beyond_float64(values):
    """Return True if an array contains numbers so large that float64 cannot represent all integers of their size."""
    # np.abs would make a copy of the column.
    return values.max(initial=0) >= EXACT_LIMIT or values.min(initial=0) <= -EXACT_LIMIT


def of_one_type(frames):
    """Convert the ranks, or the scores, of several files to one integer type if the types in the files differ.

    Otherwise pandas would convert all numbers to float64, which rounds large integers. The types are only changed if
    all numbers are integers that their present types represent exactly.
    """
    for name in ("rank", "score"):
        columns = [frame[name] for frame in frames if name in frame]
        if len({column.dtype for column in columns}) > 1 and all(map(_are_integers, columns)):
            number = integers_for(min(int(one.min()) for one in columns), max(int(one.max()) for one in columns))
            if number:
                frames = [frame.astype({name: number}) for frame in frames]
    return frames


def _are_integers(column):
    """Return True if all values of a column are integers that the type of the column represents exactly."""
    return column.dtype.kind != "f" or bool(((column == np.floor(column)) & (column.abs() < EXACT_LIMIT)).all())


def integers_for(low, high):
    """Return a 64-bit type for integers from `low` to `high`; return None if no 64-bit type is large enough."""
    return next((one for one in (np.int64, np.uint64) if np.iinfo(one).min <= low and high <= np.iinfo(one).max), None)


def judgements(source, layout, text):
    """Convert judgements to int64 if all judgements are written as integers; otherwise convert them to float64."""
    codes, values = pd.factorize(text)
    if all(map(_INTEGER.fullmatch, values)):
        beyond = [not _fits(value) for value in values]
        if any(beyond):
            row = int(np.array(beyond)[codes].argmax())
            place = f"in row {row}" if layout.style == "parquet" else f"on line {line_of(source, layout, row)}"
            raise InputError(
                f"expected a judgement that fits into a 64-bit integer {place}, got {clip(text.iloc[row])!r}"
            )
        return np.array([int(value) for value in values], dtype=np.int64)[codes]
    if not all(is_number(value, layout.decimal) for value in values):
        # The file is read again as numbers to find the line of the first invalid number.
        read_table(source, layout, {"relevance"})
    return np.array([to_number(value, layout.decimal) for value in values])[codes]


def _fits(text):
    """Return True if an integer, given as text, fits into int64.

    The length of the text is checked first, because Python refuses to convert very long texts.
    """
    return len(text.strip(" \t+-").lstrip("0")) < 20 and integers_for(int(text), int(text)) is np.int64
