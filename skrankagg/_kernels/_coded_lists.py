"""Codes and scores of the plain Python lists of many queries."""

import math
from typing import Any, Final, cast

from librt.vecs import vec
from mypy_extensions import i64

# Integers of at least this size may not be represented by float64.
_EXACT: Final = 9007199254740992


def code_lists(lists_in: object, n_rows: i64) -> object:
    # Numbers the ids of all lists in order of appearance, and gathers the scores. Returns None for unusual input. The
    # caller then calls the general code, which has all checks and errors.
    lists = cast(list[Any], lists_in)
    code = vec[i64]([0] * n_rows)
    score = vec[float]([0.0] * n_rows)
    last = vec[i64]([-1] * n_rows)
    number: dict[Any, int] = {}
    kind: object = None
    # 1 if the lists have scores, 0 if they have none.
    scored: i64 = -1
    row: i64 = 0
    v: i64 = 0
    for one in lists:
        if type(one) is dict:
            if scored == 0:
                return None
            scored = 1
            for ident, given in cast(dict[Any, Any], one).items():
                if type(ident) is not kind:
                    if row > 0 or (type(ident) is not str and type(ident) is not int):
                        return None
                    kind = type(ident)
                if not _read_score(given, score, row):
                    return None
                code[row] = _number(number, ident)
                row += 1
        elif type(one) is list:
            entries = cast(list[Any], one)
            has_pairs = type(entries[0]) is tuple
            if scored == (0 if has_pairs else 1):
                return None
            scored = 1 if has_pairs else 0
            for entry in entries:
                ident2 = entry
                if has_pairs:
                    if type(entry) is not tuple:
                        return None
                    pair = cast(tuple[Any, ...], entry)
                    if len(pair) != 2 or not _read_score(pair[1], score, row):
                        return None
                    ident2 = pair[0]
                if type(ident2) is not kind:
                    if row > 0 or (type(ident2) is not str and type(ident2) is not int):
                        return None
                    kind = type(ident2)
                c: i64 = _number(number, ident2)
                if last[c] == v:
                    return None
                last[c] = v
                code[row] = c
                row += 1
        else:
            return None
        v += 1  # noqa: SIM113 - enumerate would count in Python integers
    return list(number), code, score, scored == 1


def _number(number: dict[Any, int], ident: object) -> i64:
    known = number.get(ident)
    if known is not None:
        return known
    n: int = len(number)
    number[ident] = n
    return n


def _read_score(given: object, score: vec[float], row: i64) -> bool:
    # Stores a score. Returns False if it is not a finite number that float64 represents.
    value = 0.0
    if isinstance(given, float):
        value = given
    elif type(given) is int:
        whole = cast(int, given)
        if not -_EXACT < whole < _EXACT:
            return False
        value = float(whole)
    else:
        return False
    score[row] = value
    return -math.inf < value < math.inf
