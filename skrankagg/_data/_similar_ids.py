"""Warning about ids that differ only in case or blanks, such as "BM25" and "bm25 ".

Such ids probably mean the same query, voter or item.
"""

import pandas as pd

from .._support._warn import warn_user
from ..exceptions import SimilarIdsWarning
from ._frames import plain_index

#: Largest number of distinct ids that are compared. This costs at most a twentieth of the time to encode 500,000 rows.
MOST_IDS = 30_000


def warn_of_similar_ids(lists, caller):
    """Issue one warning if two text ids of queries, of voters or of items differ only in case or blanks."""
    found = []
    for many, ids in (("queries", lists.queries), ("voters", lists.voters), ("items", lists.items)):
        pairs = _similar(ids) if 1 < len(ids) <= MOST_IDS else []
        if pairs:
            first, second = pairs[0]
            others = f" and {len(pairs) - 1} more of the {many}" if len(pairs) > 1 else f" of the {many}"
            found.append(f"{first!r} and {second!r}{others}")
    if found:
        warn_user(
            f"These ids differ only in case or blanks: {'; '.join(found)}. They are treated as different. To remove "
            f"blanks around ids, pass strip=True to {caller}. Otherwise use one spelling for each id, "
            "or ignore this warning if the ids are meant to be different.",
            SimilarIdsWarning,
        )


def _similar(ids):
    """Find ids that differ only in case or blanks; return pairs of ids, each in the order of `ids`."""
    if isinstance(ids, pd.CategoricalIndex):
        ids = plain_index(ids)
    if not pd.api.types.is_string_dtype(ids.dtype):
        return []
    names = ids.tolist()
    if ids.dtype == object and not all(isinstance(one, str) for one in names):
        return []
    plain = "\n".join(names).casefold().split()
    if len(plain) != len(names):  # some ids contain blanks
        plain = [" ".join(one.split()).casefold() for one in names]
    if len(set(plain)) == len(names):
        return []
    first, pairs = {}, []
    for one, name in zip(plain, names, strict=True):
        if one in first:
            pairs.append((first[one], name))
        else:
            first[one] = name
    return pairs
