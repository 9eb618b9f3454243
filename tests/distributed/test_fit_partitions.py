"""fit_partitions, compared with fit on all lists."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

pytest.importorskip("pyarrow", reason="frames of Dask need pyarrow")
pytest.importorskip("dask", reason="Dask is not installed")
pytest.importorskip("dask.dataframe", reason="Dask has no data frames")

from frames_of_dask import as_dask, assert_same_consensus, in_this_process, shuffled  # noqa: F401

from skrankagg import (
    DIBRA,
    Agglomerative,
    CombSUM,
    Kemeny,
    PlackettLuce,
    PreferenceRelations,
    Qrels,
    SlideFuse,
)
from skrankagg.datasets import make_ranked_lists
from skrankagg.distributed import fit_partitions, scan_parquet, transform_partitions
from skrankagg.exceptions import UnequalLengthWarning
from skrankagg.preprocessing import TopK, VoterSelector

pytestmark = pytest.mark.twice

METHODS = [
    DIBRA(weighting="global"),
    DIBRA(weighting="global", prune="low"),
    PreferenceRelations(weighting="global"),
    Agglomerative(weighting="global"),
    Agglomerative(weighting="global", weight_update="similarity"),
]


@pytest.fixture(scope="module")
def data():
    """Return lists of four voters, one of them with few lists, and judgements."""
    frame, qrels, _ = make_ranked_lists(
        n_queries=24, n_voters=4, list_length=8, quality=0.5, quality_spread=1.0, random_state=0
    )
    return frame[(frame["voter"] != "v4") | frame["query"].isin(["q03", "q07"])].reset_index(drop=True), qrels


@pytest.fixture(params=["Dask", "Dask, whole", "chunks", "chunks, transformed"])
def in_parts(request, tmp_path):
    """Return a function that passes rows to an engine and returns its frame and `partitioned`."""

    def hand_over(frame):
        if request.param.startswith("Dask"):
            lists = as_dask(shuffled(frame), 4)
            return (lists.shuffle("query"), True) if "whole" in request.param else (lists, False)
        frame.sort_values("query", kind="stable").to_parquet(tmp_path / "lists.parquet", row_group_size=50)
        chunks = scan_parquet(tmp_path / "lists.parquet", chunk_queries=5)
        return chunks.then(_to_frame, chunks.names) if "transformed" in request.param else chunks, False

    return hand_over


def _to_frame(table):
    return table.to_pandas()


def assert_same_weights(found, expected):
    found, expected = (one.voter_weights_.astype({"voter": str}) for one in (found, expected))
    assert_frame_equal(found, expected, check_exact=False, rtol=1e-12)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_fit_partitions_learns_the_weights_of_fit(data, in_parts, method):
    lists, partitioned = in_parts(data[0])
    found = fit_partitions(method, lists, partitioned=partitioned)
    assert found is method
    expected = type(method)(**method.get_params()).fit(data[0])
    assert_same_weights(found, expected)
    # They are used.
    consensus = transform_partitions(found, as_dask(shuffled(data[0]))).compute()
    assert_frame_equal(
        consensus.sort_values(["query", "item"], ignore_index=True)
        .drop(columns="rank")
        .astype({"query": str, "item": str}),
        expected.transform(data[0]).sort_values(["query", "item"], ignore_index=True).drop(columns="rank"),
        rtol=1e-9,
    )


def test_fit_partitions_removes_attributes_of_an_earlier_fit(data):
    method = DIBRA(weighting="global").fit(data[0])
    fit_partitions(method, as_dask(data[0]))
    assert not hasattr(method, "query_voter_weights_")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("weights", [{"v1": 0.0}, {"v1": 0.0, "v2": 3.0, "v3": 0.5}, {"v4": 0.0, "v3": 0.0}])
def test_fit_partitions_ignores_lists_of_weight_zero(data, in_parts, weights):
    frame = data[0].assign(weight=data[0]["voter"].map(weights).fillna(1.0))
    # A voter has weight 0 in some queries only.
    frame.loc[frame["query"].isin(["q05", "q06"]) & (frame["voter"] == "v3"), "weight"] = 0.0
    lists, partitioned = in_parts(frame)
    method = fit_partitions(DIBRA(weighting="global"), lists, partitioned=partitioned)
    assert_same_weights(method, DIBRA(weighting="global").fit(frame))
    unweighted = DIBRA(weighting="global").fit(data[0]).voter_weights_["weight"]
    assert not np.allclose(method.voter_weights_["weight"], unweighted, rtol=1e-6)


@pytest.mark.sampled(1)
def test_fit_partitions_keeps_integer_voters(data, in_parts):
    frame = data[0].assign(voter=data[0]["voter"].str[1:].astype(int))
    lists, partitioned = in_parts(frame)
    method = fit_partitions(DIBRA(weighting="global"), lists, partitioned=partitioned)
    assert method.voter_weights_["voter"].tolist() == [1, 2, 3, 4]
    assert_same_weights(method, DIBRA(weighting="global").fit(frame))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("output", ["default", "polars"])
def test_fit_partitions_of_a_pipeline_learns_from_transformed_lists(data, in_parts, output):
    if output == "polars":
        pytest.importorskip("polars")
    lists, partitioned = in_parts(data[0])
    pipeline = make_pipeline(TopK(3), DIBRA(weighting="global")).set_output(transform=output)
    assert fit_partitions(pipeline, lists, partitioned=partitioned) is pipeline
    expected = make_pipeline(TopK(3), DIBRA(weighting="global")).fit(data[0])
    assert_same_weights(pipeline[-1], expected[-1])
    assert not np.allclose(
        pipeline[-1].voter_weights_["weight"],
        DIBRA(weighting="global").fit(data[0]).voter_weights_["weight"],
        rtol=1e-6,
    )
    consensus = transform_partitions(pipeline, as_dask(shuffled(data[0]))).compute()
    assert consensus.columns.tolist() == ["query", "item", "score", "rank"] and len(consensus)


def test_fit_partitions_warns_about_weights_that_follow_list_length(in_parts):
    long = [(q, "long", f"i{k}", k + 1) for q in ("q1", "q2", "q3") for k in range(200)]
    short = [(q, v, f"i{7 * k % 200}", k + 1) for q in ("q1", "q2", "q3") for v in ("a", "b", "c") for k in range(4)]
    frame = pd.DataFrame(long + short, columns=["query", "voter", "item", "rank"])
    lists, partitioned = in_parts(frame)
    with pytest.warns(UnequalLengthWarning, match=r"length of the lists in 3 of 3 queries\. In such a query") as caught:
        fit_partitions(DIBRA(weighting="global"), lists, partitioned=partitioned)
    assert len(caught) == 1
    with pytest.warns(UnequalLengthWarning, match=r"length of the lists in 3 of 3 queries \(the first is"):
        DIBRA(weighting="global").fit(frame)


def test_fit_partitions_does_not_change_methods_without_learning(data, in_parts):
    lists, partitioned = in_parts(data[0])
    for method in (CombSUM(), DIBRA(), make_pipeline(TopK(3), CombSUM())):
        before = {**vars(method)}
        assert fit_partitions(method, lists, partitioned=partitioned) is method and vars(method) == before


# ---------------------------------------------------------------------- fitted to the lists of some queries

OTHERS = [
    PlackettLuce(weighting="global"),
    make_pipeline(VoterSelector(n_voters=2), CombSUM()),
    make_pipeline(VoterSelector(n_voters=2), DIBRA(weighting="global")),
    make_pipeline(DIBRA(weighting="global"), CombSUM()),
    GridSearchCV(DIBRA(), {"prune": [None, "low"]}),
    SlideFuse(),
]


@pytest.mark.parametrize("method", OTHERS, ids=lambda method: type(method).__name__)
def test_fit_partitions_needs_queries_for_methods_that_are_not_means(data, method):
    with pytest.raises(
        ValueError, match=r"does not learn a mean over lists, .*Name the queries to fit on: queries=\[\.\.\.\]"
    ):
        fit_partitions(method, as_dask(data[0]))


@pytest.mark.exhaustive
def test_fit_partitions_with_queries_equals_fit_on_these_queries(data, in_parts):
    lists, partitioned = in_parts(data[0])
    chosen = ["q07", "q01", "q03", "q11"]
    sample = data[0][data[0]["query"].isin(chosen)].reset_index(drop=True)
    for make in (
        lambda: PlackettLuce(weighting="global"),
        lambda: DIBRA(weighting="global"),
        lambda: make_pipeline(VoterSelector(n_voters=2), CombSUM()),
    ):
        method = fit_partitions(make(), lists, queries=chosen, partitioned=partitioned)
        found = transform_partitions(method, as_dask(shuffled(data[0]))).compute()
        assert_same_consensus(found, make().fit(sample).transform(data[0]))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["frame", "qrels"])
def test_fit_partitions_with_queries_and_qrels_equals_fit(data, in_parts, kind):
    frame, qrels = data
    lists, partitioned = in_parts(frame)
    chosen = sorted(frame["query"].unique())[:12]
    sample = frame[frame["query"].isin(chosen)].reset_index(drop=True)
    given = qrels if kind == "frame" else Qrels.from_frame(qrels)
    method = fit_partitions(SlideFuse(), lists, given, queries=chosen, partitioned=partitioned)
    expected = SlideFuse().fit(sample, qrels=Qrels.from_frame(qrels))
    found = transform_partitions(method, as_dask(shuffled(frame))).compute()
    assert_same_consensus(found, expected.transform(frame))


# ---------------------------------------------------------------------- refused


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
def test_fit_partitions_rejects_invalid_arguments(data):
    lists = as_dask(shuffled(data[0]))
    method = DIBRA(weighting="global")
    with pytest.raises(ValueError, match="2 queries have no lists, such as 'none'"):
        fit_partitions(method, lists, queries=["q01", "none", "other"])
    with pytest.raises(ValueError, match=r"the lists of these queries on one machine\. Name the queries"):
        fit_partitions(SlideFuse(), lists, data[1])
    whole = lists.map_partitions(lambda rows: rows.reset_index(drop=True))
    with pytest.raises(ValueError, match="the rows of 24 queries, such as"):
        fit_partitions(method, whole, partitioned=True)
    with pytest.raises(ValueError, match="must have rows"):
        fit_partitions(method, lists.query("query == 'none'"))
    with pytest.raises(ValueError, match="random_state=None"):
        fit_partitions(Kemeny(random_state=None), lists)
    assert not hasattr(method, "voter_weights_")
