"""The argument of a user-defined measure: one query's ranking with its judgements."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._data._frames import plain_index
from ...exceptions import InputError


class JudgedRanking:
    """Ranking of one query with its judgements: the argument of a user-defined measure.

    Functions such as :func:`evaluate` build a JudgedRanking for each query. They pass the JudgedRanking to the function
    that was given to :func:`make_measure`. A JudgedRanking is immutable, and its arrays are read-only. To try out a
    function, build a JudgedRanking yourself.

    Parameters
    ----------
    items : sequence of object
        The items returned, best first; the sequence may be empty.
    relevance : array-like of shape (n_items,)
        Grade of each item, or 0 for an item that is not judged; negative grades are kept.
    judged : array-like of shape (n_items,), dtype=bool, default=None
        Mask of the judged items; None means that all items are judged.
    scores : array-like of shape (n_items,), default=None
        Scores of the items; None if the run has only ranks.
    grades : array-like of shape (n_judged,), default=None
        Grades of all judged items of the query, whether they are returned or not. None uses the grades of the returned
        items.
    query : object, default=None
        Id of the query.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means that every grade above 0 is relevant.

    Attributes
    ----------
    items : tuple of object
        The items returned, best first.
    relevance : ndarray of shape (n_items,), dtype=float64
        Grade of each item, or 0 for an item that is not judged.
    judged : ndarray of shape (n_items,), dtype=bool
        Mask of the judged items.
    relevant : ndarray of shape (n_items,), dtype=bool
        Mask of the relevant items.
    scores : ndarray of shape (n_items,), dtype=float64, or None
        Scores of the items.
    grades : ndarray of shape (n_judged,), dtype=float64
        Grades of all judged items of the query, in descending order. They are the grades of an ideal ranking.
    n_relevant : int
        Number of relevant items of the query, whether they are returned or not.
    query : object
        Id of the query, or the position of the query if the judgements are a list.
    relevance_threshold : float or None
        Lowest grade that counts as relevant; None means that every grade above 0 is relevant.

    See Also
    --------
    make_measure : Turns a function of a JudgedRanking into a measure.

    Examples
    --------
    >>> from skrankagg.metrics import JudgedRanking
    >>> ranking = JudgedRanking(["a", "b", "c"], [0, 2, 0], judged=[True, True, False],
    ...     grades=[2, 1, 0])
    >>> ranking.relevant.tolist(), ranking.n_relevant, ranking
    ([False, True, False], 2, JudgedRanking(n_items=3, n_judged=3, n_relevant=2))
    """

    judged: NDArray[np.bool_]
    relevance: NDArray[np.float64]
    scores: NDArray[np.float64] | None
    grades: NDArray[np.float64]
    query: Any
    relevance_threshold: float | None

    def __init__(
        self,
        items: Sequence[Hashable],
        relevance: ArrayLike,
        *,
        judged: ArrayLike | None = None,
        scores: ArrayLike | None = None,
        grades: ArrayLike | None = None,
        query: object = None,
        relevance_threshold: float | None = None,
    ) -> None:
        grade = np.array(relevance, dtype=np.float64)
        known = np.ones(len(items), dtype=bool) if judged is None else np.array(judged, dtype=bool)
        score = None if scores is None else np.array(scores, dtype=np.float64)
        for name, values in (("relevance", grade), ("judged", known), ("scores", score)):
            if values is not None and values.shape != (len(items),):
                raise InputError(
                    f"`{name}` must have a value for each of the {len(items)} items; got an array of shape "
                    f"{values.shape}."
                )
        best = -np.sort(-(grade[known] if grades is None else np.array(grades, dtype=np.float64)))
        self._fill(grade, known, score, best, query, relevance_threshold)
        self.__dict__["items"] = tuple(items)

    @classmethod
    def _take(cls, ids, grade, known, score, best, query, threshold) -> Self:
        """Build the ranking of one query from arrays, without checking or copying them.

        `ids` is a pair: the code of each item, which is its position in an index of ids, and this index. An id is
        looked up only when it is needed.
        """
        ranking = cls.__new__(cls)
        ranking._fill(grade, known, score, best, query, threshold)
        ranking.__dict__["_ids"] = ids
        return ranking

    def _fill(self, grade, known, score, best, query, threshold) -> None:
        for array in (grade, known, score, best):
            if array is not None:
                array.flags.writeable = False
        self.__dict__.update(
            relevance=grade, judged=known, scores=score, grades=best, query=query, relevance_threshold=threshold
        )

    @cached_property
    def items(self) -> tuple[Any, ...]:
        """Return the items, best first."""
        codes, index = self.__dict__["_ids"]
        return tuple(plain_index(index)[codes].tolist())

    @cached_property
    def relevant(self) -> NDArray[np.bool_]:
        """Return the mask of the relevant items."""
        relevant = self._is_relevant(self.relevance)
        relevant.flags.writeable = False
        return relevant

    @cached_property
    def n_relevant(self) -> int:
        """Return the number of relevant items of the query, whether they are returned or not."""
        return int(np.count_nonzero(self._is_relevant(self.grades)))

    def _is_relevant(self, grade):
        return grade > 0 if self.relevance_threshold is None else grade >= self.relevance_threshold

    def __len__(self) -> int:
        return len(self.relevance)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"A JudgedRanking is immutable; {name} cannot be set. Build a new JudgedRanking.")

    def __repr__(self) -> str:
        return f"JudgedRanking(n_items={len(self)}, n_judged={len(self.grades)}, n_relevant={self.n_relevant})"
