"""Base classes: the hooks of subclasses, fitted columns, information about queries, and checks of weights."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import Kemeny, RankedLists
from skrankagg.base import ListTransformer, SupervisedAggregator
from skrankagg.base._supervised import SupervisedListTransformer
from skrankagg.base._weight_range import check_range, check_sums
from skrankagg.exceptions import InputError
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

LISTS = RankedLists.from_frame(example_lists(0, n_queries=2, n_voters=3, n_items=4))
RELEVANT = {query: {LISTS.items[0]: 1} for query in LISTS.queries}


class Unfinished(SupervisedAggregator):
    pass


class UnfinishedTransformer(SupervisedListTransformer):
    qrels = None


def test_missing_hooks_are_named():
    with pytest.raises(NotImplementedError, match=r"Unfinished must define _learn\(lists, judged\)"):
        Unfinished().fit(LISTS, qrels=RELEVANT)
    with pytest.raises(NotImplementedError, match=r"UnfinishedTransformer must define _fit_judged\(lists, qrels\)"):
        UnfinishedTransformer().fit(LISTS, qrels=RELEVANT)
    with pytest.raises(NotImplementedError, match=r"ListTransformer must define _transform_lists\(lists\)"):
        ListTransformer().fit(LISTS)


class Scores(ListTransformer):
    """Leave the lists as they are."""

    def _transform_lists(self, lists):
        return lists


def test_set_output_requires_the_columns_of_the_fitted_lists():
    frame = LISTS.to_frame()
    method = Scores().set_output(transform="pandas").fit(LISTS)
    pd.testing.assert_frame_equal(method.transform(LISTS), frame)
    ranks = frame[["query", "voter", "item", "rank"]]
    more = RankedLists.from_frame(ranks.assign(score=-ranks["rank"]))
    for fitted, other in ((RankedLists.from_frame(ranks), more), (more, RankedLists.from_frame(ranks))):
        with pytest.raises(InputError, match="must have the same columns as the lists in fit"):
            method.fit(fitted).transform(other)


def test_query_info_is_the_frame_that_is_assigned():
    method = Kemeny().fit(LISTS)
    computed = method.query_info_
    assert computed["query"].tolist() == LISTS.queries.tolist()
    method.query_info_ = computed.iloc[:1]
    pd.testing.assert_frame_equal(method.query_info_, computed.iloc[:1])


def test_check_sums_accepts_large_weights_whose_sums_are_finite():
    weight = np.zeros(LISTS.n_lists)
    weight[LISTS.list_ptr[:-1]] = 1.7e308  # one list of each query
    check_sums("method", LISTS.with_list_weight(weight))
    with pytest.raises(InputError, match="weights are from"):
        check_sums("method", LISTS.with_list_weight(np.full(LISTS.n_lists, 1.7e308)))


def test_check_range_raises_only_if_weights_may_explain_infinite_scores():
    score = np.zeros(LISTS.n_candidates)
    score[LISTS.candidate_ptr[1]] = np.inf  # in the second query
    ordinary = LISTS.with_list_weight(np.where(LISTS.list_query == 0, 1e300, 2.0))
    check_range("method", ordinary, score)
    with pytest.raises(InputError, match=f"query {LISTS.queries[1]!r} has .* from 2 to 2"):
        check_range("method", ordinary, score, far=False)
    check_range("method", ordinary, np.zeros(LISTS.n_candidates))
    score[0] = np.nan
    with pytest.raises(InputError, match=f"query {LISTS.queries[0]!r} has .* from 1e.300 to 1e.300"):
        check_range("method", ordinary, score)
