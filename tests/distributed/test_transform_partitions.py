"""transform_partitions on Dask frames is bitwise equal to transform on all lists."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

pytest.importorskip("pyarrow", reason="frames of Dask need pyarrow")
dask = pytest.importorskip("dask", reason="Dask is not installed")
pytest.importorskip("dask.dataframe", reason="Dask has no data frames")

from frames_of_dask import as_dask, assert_declared_types, assert_same_consensus, in_this_process, shuffled  # noqa: E402, F401

from golden import GOLDEN  # noqa: E402
from skrankagg import (  # noqa: E402
    DIBRA,
    Agglomerative,
    CombSUM,
    Copeland,
    Kemeny,
    Qrels,
    RankedLists,
    RobustRankAggregation,
    SlideFuse,
)
from skrankagg._support._sklearn import NotFittedError  # noqa: E402
from skrankagg.datasets import make_ranked_lists  # noqa: E402
from skrankagg.distributed import fit_partitions, transform_partitions  # noqa: E402
from skrankagg.metrics import make_ranking_scorer  # noqa: E402
from skrankagg.preprocessing import AggregatorUnion, ScoreNormalizer, TopK, VoterSelector  # noqa: E402

pytestmark = [
    pytest.mark.twice,
    pytest.mark.filterwarnings("ignore::skrankagg.exceptions.PartialListsWarning"),
    pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning"),
]


@pytest.fixture(scope="module")
def data():
    frame, qrels, _ = make_ranked_lists(n_queries=24, n_voters=4, list_length=8, quality=0.5, random_state=0)
    return frame, Qrels.from_frame(qrels)


def fitted(method, frame, qrels):
    """Fit the method to all lists if it requires it."""
    lists = RankedLists.from_frame(frame)
    tags = method.__sklearn_tags__()
    if tags.aggregator_tags.supervised:
        return method.fit(lists, qrels.align(lists))
    return method.fit(lists) if tags.requires_fit else method


# ---------------------------------------------------------------------- equal to one machine


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
@pytest.mark.parametrize("method", [one for one, *_ in GOLDEN], ids=repr)
def test_transform_partitions_equals_transform_for_every_method(data, method):
    frame, qrels = data
    method = fitted(method, frame, qrels)
    lazy = transform_partitions(method, as_dask(shuffled(frame), 2))
    assert_same_consensus(assert_declared_types(lazy), method.transform(frame))


IDS = {
    "strings": lambda ids: ids,
    "integers": lambda ids: ids.astype("category").cat.codes.astype("int32"),
    "floats": lambda ids: ids.astype("category").cat.codes / 2,
    "objects": lambda ids: ids.astype(object),
    "Arrow's strings": lambda ids: ids.astype("string[pyarrow]"),
    "categories": lambda ids: ids.astype("category"),
    "dates": lambda ids: pd.Timestamp("2026-01-01") + pd.to_timedelta(ids.astype("category").cat.codes, unit="D"),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("npartitions", [1, 3, 8])  # there are 6 queries
def test_transform_partitions_keeps_the_types_of_ids(data, kind, npartitions):
    frame = data[0][data[0]["query"] <= "q06"]
    frame = shuffled(frame.assign(**{name: IDS[kind](frame[name]) for name in ("query", "voter", "item")}))
    with dask.config.set({"dataframe.convert-string": kind == "strings"}):
        lists = as_dask(frame, npartitions)
        for partitioned in [False, True] if npartitions == 1 else [False]:
            lazy = transform_partitions(CombSUM(), lists, partitioned=partitioned)
            assert_same_consensus(lazy.compute(), CombSUM().transform(frame))
            assert_declared_types(lazy)
            assert lazy.dtypes["query"] == lists.dtypes["query"] and lazy.dtypes["item"] == lists.dtypes["item"]


def test_transform_partitions_accepts_different_categories_by_partition(data):
    import dask.dataframe as dd

    frame = data[0].assign(query=data[0]["query"].astype("category"))
    parts = [
        part.assign(query=part["query"].cat.remove_unused_categories()) for _, part in frame.groupby(frame.index % 3)
    ]
    lists = dd.from_map(lambda k: parts[k], range(3), meta=dd.utils.clear_known_categories(frame.head(0)))
    found = transform_partitions(CombSUM(), lists).compute()
    assert isinstance(found["query"].dtype, pd.CategoricalDtype)
    assert not [one for one in found["query"].cat.categories if "UNKNOWN" in one]
    expected = CombSUM().transform(frame)
    assert_same_consensus(found.astype({"query": str}), expected.astype({"query": str}))


def test_transform_partitions_works_with_threads(data):
    with dask.config.set(scheduler="threads", num_workers=4):
        lazy = transform_partitions(DIBRA(), as_dask(shuffled(data[0]), 12))
        assert_same_consensus(lazy.compute(), DIBRA().fit_transform(data[0]))


def test_transform_partitions_accepts_empty_partitions_and_extra_columns(data):
    frame = shuffled(data[0][data[0]["query"].isin(["q01", "q02"])])
    lists = as_dask(frame.assign(note="x", relevance=0, bucket=1), 3).shuffle("query", npartitions=9)
    assert 0 in lists.map_partitions(len).compute().tolist()
    lazy = transform_partitions(RobustRankAggregation(), lists, partitioned=True)
    assert list(lazy.columns) == ["query", "item", "score", "rank", "pvalue"]
    assert_same_consensus(lazy.compute(), RobustRankAggregation().transform(frame))
    assert_declared_types(lazy)


def test_transform_partitions_accepts_a_frame_without_rows(data):
    lazy = transform_partitions(CombSUM(), as_dask(data[0], 2).query("query == 'none'"))
    assert len(lazy.compute()) == 0 and list(lazy.columns) == ["query", "item", "score", "rank"]


def test_transform_partitions_uses_list_weights(data):
    frame = data[0].assign(weight=data[0]["voter"].map({"v1": 0.0, "v2": 3.0}).fillna(1.0))
    found = transform_partitions(CombSUM(), as_dask(shuffled(frame))).compute()
    assert_same_consensus(found, CombSUM().transform(frame))
    assert not found.equals(transform_partitions(CombSUM(), as_dask(shuffled(data[0]))).compute())


PIPELINES = {
    "cut": lambda: make_pipeline(TopK(5), Copeland()),
    "scores": lambda: make_pipeline(ScoreNormalizer("z-score"), CombSUM(norm=None)),
    "cut after": lambda: make_pipeline(CombSUM(), TopK(3)),
    "twice": lambda: make_pipeline(TopK(5), make_pipeline(DIBRA())),
    "union": lambda: make_pipeline(AggregatorUnion([("sum", CombSUM()), ("copeland", Copeland())]), CombSUM()),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", PIPELINES)
@pytest.mark.parametrize("how", ["as it is", "fit_partitions", "fit"])
def test_transform_partitions_accepts_pipelines_without_learning(data, kind, how):
    frame, lists = data[0], as_dask(shuffled(data[0]))
    pipeline = PIPELINES[kind]()
    if how == "fit":
        pipeline.fit(frame)
    elif how == "fit_partitions":
        assert fit_partitions(pipeline, lists, queries=["q01"] if kind == "union" else None) is pipeline
    elif kind == "union":  # which must be fitted in any case
        with pytest.raises(NotFittedError):
            transform_partitions(pipeline, lists)
        return
    expected = PIPELINES[kind]().fit_transform(frame)
    expected = expected.to_frame() if isinstance(expected, RankedLists) else expected
    lazy = transform_partitions(pipeline, lists)
    assert_same_consensus(lazy.compute(), expected)
    assert_declared_types(lazy)


def test_transform_partitions_declares_a_voter_if_steps_follow_the_aggregator(data):
    pipeline = PIPELINES["cut after"]()
    lazy = transform_partitions(pipeline, as_dask(data[0]))
    assert list(lazy.columns) == ["query", "voter", "item", "rank", "score"]
    assert_same_consensus(lazy.compute(), pipeline.fit_transform(data[0]))


def test_transform_partitions_accepts_fitted_pipelines(data):
    frame = data[0]
    pipeline = make_pipeline(VoterSelector(n_voters=2), TopK(5), DIBRA(weighting="global")).fit(frame)
    found = transform_partitions(pipeline, as_dask(shuffled(frame))).compute()
    assert_same_consensus(found, pipeline.transform(frame))


def test_transform_partitions_accepts_aggregator_union(data):
    union = AggregatorUnion([("sum", CombSUM()), ("dibra", DIBRA())])
    lazy = transform_partitions(union.fit(data[0]), as_dask(shuffled(data[0])))
    expected = union.transform(data[0])
    assert_same_consensus(lazy.compute(), expected.to_frame() if isinstance(expected, RankedLists) else expected)
    assert_declared_types(lazy)


def test_transform_partitions_accepts_a_fitted_search(data):
    frame, qrels = data
    scorer = make_ranking_scorer("ndcg@5", qrels=qrels)
    search = GridSearchCV(CombSUM(), {"norm": ["borda", "min-max"]}, scoring=scorer, cv=3)
    search.fit(RankedLists.from_frame(frame))
    found = transform_partitions(search, as_dask(shuffled(frame))).compute()
    assert_same_consensus(found, search.transform(frame))


# ---------------------------------------------------------------------- invariances


def test_transform_partitions_is_independent_of_set_output(data):
    pytest.importorskip("polars")
    lists = as_dask(shuffled(data[0]))
    expected = CombSUM().transform(data[0])
    for method in (CombSUM().set_output(transform="polars"), make_pipeline(TopK(10**6), CombSUM())):
        if hasattr(method, "steps"):
            method.fit(data[0]).set_output(transform="polars")
        assert_same_consensus(transform_partitions(method, lists).compute(), expected)
        assert type(method.transform(data[0])).__module__.startswith("polars")  # which stays as it was
    with config_context(transform_output="polars"):
        assert_same_consensus(transform_partitions(CombSUM(), lists).compute(), expected)


def test_transform_partitions_is_lazy_and_copies_the_estimator(data):
    frame, lists = data[0], as_dask(shuffled(data[0]))
    method = DIBRA(weighting="global").fit(frame)
    lazy, expected = transform_partitions(method, lists), method.transform(frame)
    method.fit(frame[frame["query"] == "q01"])
    assert_same_consensus(lazy.compute(), expected)


# ---------------------------------------------------------------------- whole queries


def test_transform_partitions_does_not_move_partitions_of_whole_queries(data):
    frame = data[0].sort_values("query", kind="stable", ignore_index=True)
    lists = as_dask(frame, 3).map_partitions(lambda part: part)
    whole = lists.shuffle("query")
    found = transform_partitions(CombSUM(), whole, partitioned=True)
    assert found.npartitions == whole.npartitions
    # Each partition equals the result of its own rows.
    for rows, part in zip(whole.to_delayed(), found.to_delayed(), strict=True):
        rows = rows.compute()
        if len(rows):
            assert_same_consensus(part.compute(), CombSUM().transform(rows.reset_index(drop=True)))


def test_transform_partitions_rejects_split_queries_immediately(data):
    with pytest.raises(ValueError, match="the rows of 24 queries, such as 'q"):
        transform_partitions(CombSUM(), as_dask(shuffled(data[0])), partitioned=True)
    frame = data[0].sort_values("query", kind="stable", ignore_index=True)
    cut = frame.index[frame["query"] == "q03"][1]
    import dask.dataframe as dd

    lists = dd.concat([as_dask(frame[:cut], 1), as_dask(frame[cut:], 1)])
    with pytest.raises(
        ValueError, match=r"With partitioned=True, .*; the rows of 1 query, such as 'q03', are in several"
    ):
        transform_partitions(CombSUM(), lists, partitioned=True)


def test_transform_partitions_separates_queries_with_equal_hashes(data, monkeypatch):
    from skrankagg.distributed import _work

    monkeypatch.setattr(_work, "hash_ids", lambda ids, role: np.zeros(len(ids), dtype=np.uint64))
    whole = as_dask(shuffled(data[0])).shuffle("query")
    found = transform_partitions(CombSUM(), whole, partitioned=True).compute()
    assert_same_consensus(found, CombSUM().transform(data[0]))


@pytest.mark.parametrize("column", ["rank", "score"])
def test_transform_partitions_rejects_lists_that_have_lost_rows(data, column):
    frame = data[0].drop(columns="score" if column == "rank" else "rank")
    lists = as_dask(frame, 2).shuffle("query").sample(frac=0.5, random_state=0)
    with pytest.raises(ValueError, match="have lost rows"):
        transform_partitions(
            CombSUM() if column == "score" else CombSUM(norm="rank"), lists, partitioned=True
        ).compute()


# ---------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("method", "name"),
    [
        (Kemeny(random_state=None), "random_state=None"),
        (Kemeny(random_state=np.random.RandomState(0)), r"random_state=RandomState\(MT19937\).*"),
        (make_pipeline(TopK(5), Kemeny(random_state=None)), "kemeny__random_state=None"),
        (AggregatorUnion([("sum", CombSUM()), ("k", Kemeny(random_state=None))]), "k__random_state=None"),
    ],
)
def test_partition_functions_reject_random_methods_without_a_seed(data, method, name):
    for call in (transform_partitions, fit_partitions):
        with pytest.raises(ValueError, match=f"^{name} gives different numbers in every partition"):
            call(method, as_dask(data[0]))


@pytest.mark.parametrize(
    "method",
    [
        DIBRA(weighting="global"),
        SlideFuse(),
        make_pipeline(VoterSelector(n_voters=2), CombSUM()),
        make_pipeline(TopK(5), Agglomerative(weighting="global")),
        AggregatorUnion([("a", DIBRA(weighting="global")), ("b", CombSUM())]),
        GridSearchCV(CombSUM(), {"norm": ["rank"]}),
    ],
    ids=lambda method: type(method).__name__,
)
def test_transform_partitions_rejects_unfitted_methods_immediately(data, method):
    with pytest.raises(NotFittedError):
        transform_partitions(method, as_dask(data[0]))


def test_partition_functions_reject_data_in_memory(data):
    for call in (transform_partitions, fit_partitions):
        for lists in (data[0], RankedLists.from_frame(data[0]), [["a", "b"]]):
            with pytest.raises(TypeError, match="a Dask or Spark data frame, or the result of scan_parquet; got"):
                call(CombSUM(), lists)


def test_transform_partitions_rejects_estimators_without_a_consensus(data):
    lists = as_dask(data[0])
    for wrong in (CombSUM, "CombSUM", None):
        with pytest.raises(TypeError, match="must be an aggregator"):
            transform_partitions(wrong, lists)
    for without in (make_pipeline(TopK(5)), FunctionTransformer()):
        with pytest.raises(TypeError, match="which determines the columns"):
            transform_partitions(without, lists)


@pytest.mark.parametrize("name", ["query", "item"])
def test_transform_partitions_names_missing_columns(data, name):
    with pytest.raises(ValueError, match=f"'query' and 'item'; '{name}' is missing from .* Rename the columns"):
        transform_partitions(CombSUM(), as_dask(data[0].rename(columns={name: "other"})))


def test_transform_partitions_rejects_two_columns_of_query_ids(data):
    frame = data[0].rename(columns={"query": "qid"}).assign(query="text")
    with pytest.raises(ValueError, match="one column of query ids; it has 'query' and 'qid'"):
        transform_partitions(CombSUM(), as_dask(frame))


def test_transform_partitions_rejects_lists_without_rank_and_score(data):
    with pytest.raises(ValueError, match="rank"):
        transform_partitions(CombSUM(), as_dask(data[0][["query", "voter", "item"]])).compute()
