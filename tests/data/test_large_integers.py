"""Integers beyond 2 ** 53, where several round to the same float64, keep their order."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import BordaCount, CombMNZ, CombSUM, RankedLists
from skrankagg.datasets import read_lists
from skrankagg.exceptions import InputError, RankScoreConflictWarning
from skrankagg.metrics import average_precision, consensus_agreement, kendall_tau
from skrankagg.preprocessing import ScoreNormalizer, TopK

LARGE = 2**53
NOON = 1_700_000_000_000_000_000  # nanoseconds
SIGNED = ["int64", "Int64"]
UNSIGNED = ["uint64", "UInt64"]


def build(column, values, dtype, library="pandas"):
    """Return a frame of lists of up to four items, one list after the other."""
    n = len(values)
    ids = {
        "query": ["q"] * n,
        "voter": [f"v{k // 4:04d}" for k in range(n)],
        "item": ["abcd"[k % 4] for k in range(n)],
    }
    if library == "pandas":
        return pd.DataFrame({**ids, column: pd.Series(values, dtype=dtype)})
    if library == "polars":
        polars = pytest.importorskip("polars")
        return polars.DataFrame({**ids, column: polars.Series(values, dtype=getattr(polars, dtype))})
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({**ids, column: pyarrow.array(values, getattr(pyarrow, dtype)())})
    return table.to_pandas(types_mapper=pd.ArrowDtype) if library == "arrow in pandas" else table


def exact_ranks(values, sign):
    """Return mid-ranks of each list of up to four items, computed from the integers."""
    ranks = []
    for first in range(0, len(values), 4):
        one = [sign * value for value in values[first : first + 4]]
        ranks += [sum(other < value for other in one) + (one.count(value) + 1) / 2 for value in one]
    return ranks


def check_exact(column, values, frame):
    lists = RankedLists.from_frame(frame)
    got = lists.to_frame().sort_values(["voter", "item"])["rank"].tolist()
    assert got == exact_ranks(values, 1 if column == "rank" else -1)
    merged = {
        first // 4
        for first in range(0, len(values), 4)
        if len({float(value) for value in values[first : first + 4]}) < len(set(values[first : first + 4]))
    }
    if column == "score":
        assert set(np.flatnonzero(np.zeros(1) if lists.list_merged is None else lists.list_merged)) == merged
    else:
        assert lists.list_merged is None


def near(low, high):
    """Draw integers, often adjacent ones that round to the same float64."""
    middle = st.sampled_from(
        [value for value in (LARGE, -LARGE, NOON, 2**62, high - 6, low + 6) if low <= value <= high]
    )
    return st.builds(lambda one, more: min(max(one + more, low), high), middle, st.integers(-6, 6))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("column", ["rank", "score"])
@pytest.mark.parametrize(
    ("library", "dtype"),
    [
        *(("pandas", dtype) for dtype in SIGNED + UNSIGNED),
        *((library, dtype) for library in ("pyarrow", "arrow in pandas") for dtype in ("int64", "uint64")),
        *(("polars", dtype) for dtype in ("Int64", "UInt64")),
    ],
)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_from_frame_orders_large_integers_exactly(column, library, dtype, data):
    low, high = (0, 2**64 - 1) if dtype.lower().startswith("u") else (-(2**63), 2**63 - 1)
    values = data.draw(st.lists(near(0 if column == "rank" else low, high), min_size=1, max_size=40))
    check_exact(column, values, build(column, values, dtype, library))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "UInt64"])
@pytest.mark.parametrize("column", ["rank", "score"])
def test_from_frame_orders_large_integers_exactly_in_many_lists(column, dtype):
    # From 10,000 rows on, rows are sorted by other means.
    values = (NOON + np.random.default_rng(0).integers(0, 5, size=20_000)).tolist()
    check_exact(column, values, build(column, values, dtype))


@pytest.mark.twice
@pytest.mark.parametrize("column", ["rank", "score"])
def test_from_frame_orders_decimals_and_long_doubles_exactly(column):
    pyarrow = pytest.importorskip("pyarrow")
    values = [Fraction(NOON * 10 + one, 10) for one in (3, 1, 2, 1)]
    decimal = pyarrow.array([f"{NOON}.{one}" for one in (3, 1, 2, 1)]).cast(pyarrow.decimal128(30, 1))
    check_exact(column, values, build(column, decimal, pd.ArrowDtype(decimal.type)))
    if np.finfo(np.longdouble).nmant >= 63:
        values = [NOON + one for one in (3, 1, 2, 1)]
        frame = build(column, values, "int64")
        check_exact(column, values, frame.assign(**{column: np.array(values, dtype=np.longdouble)}))


@pytest.mark.parametrize("column", ["rank", "score"])
@pytest.mark.parametrize("unit", ["datetime64[ns]", "timedelta64[ns]"])
def test_from_frame_rejects_times_and_orders_their_integers_exactly(column, unit):
    values = [NOON + 3, NOON + 1, NOON + 2, NOON + 1]
    frame = build(column, values, "int64").astype({column: unit})
    with pytest.raises(InputError, match=rf"must have numbers; its dtype is {unit[:8]}.*pandas.to_numeric"):
        RankedLists.from_frame(frame)
    check_exact(column, values, frame.assign(**{column: pd.to_numeric(frame[column])}))


def test_from_frame_rejects_scores_of_128_bits():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"query": ["q"] * 2, "item": ["a", "b"]})
    if not hasattr(polars, "Int128"):
        pytest.skip("this version of polars has no integers of 128 bits")
    frame = frame.with_columns(score=polars.Series([2**100, 2**100 + 1], dtype=polars.Int128))
    with pytest.raises(InputError, match="'score' must have numbers; its dtype is object"):
        RankedLists.from_frame(frame)
    ids = frame.with_columns(item="score", score=polars.Series([1.0, 2.0]))
    assert RankedLists.from_frame(ids).items.tolist() == [2**100, 2**100 + 1]


# ---------------------------------------------------------------------- methods


def times():
    """Return two lists; the scores of the first are equal in float64, those of the second differ."""
    values = [NOON + 3, NOON + 1, NOON + 2, NOON, 7, 9, 8, 6]
    return build("score", values, "int64")


@pytest.mark.parametrize("method", [CombSUM(), CombMNZ(norm="z-score"), CombSUM(norm=None), ScoreNormalizer()])
def test_score_based_methods_reject_scores_merged_by_float64(method):
    with pytest.raises(
        InputError, match=r"the scores of 1 list differ by less than float64 .* voter 'v0000'\)\. Subtract the"
    ):
        method.fit(times())
    shifted = times()
    shifted["score"] -= shifted.groupby("voter")["score"].transform("min")
    assert method.fit(shifted).transform(shifted)["score"].notna().all()


def test_score_based_methods_accept_merged_scores_in_lists_of_weight_0():
    frame = times()
    assert len(CombSUM(voter_weights={"v0000": 0, "v0001": 1}).fit_transform(frame)) == 4
    lists = RankedLists.from_frame(frame)
    kept, _ = lists.keep_lists(lists.list_voter == 1)
    assert kept.list_merged is None


def test_rank_based_methods_use_the_exact_order():
    assert BordaCount().fit_transform(times().iloc[:4])["item"].tolist() == list("acbd")
    assert CombSUM(norm="borda").fit_transform(times().iloc[:4])["item"].tolist() == list("acbd")


def test_derived_lists_keep_the_list_merged_flags():
    lists = RankedLists.from_frame(times())
    assert lists.list_merged.tolist() == [True, False] and not lists.list_merged.flags.writeable
    assert lists[[0]].list_merged.tolist() == [True, False]
    assert TopK(2).fit_transform(lists).list_merged.tolist() == [True, False]
    assert TopK(1).fit_transform(lists).list_merged is None
    assert ScoreNormalizer("borda").fit_transform(lists).list_merged is None


def test_ranks_next_to_merged_scores_cause_no_warning():
    lists = RankedLists.from_frame(times().assign(rank=[4, 2, 3, 1, 1, 2, 3, 4]).iloc[:4])  # warnings are errors
    assert lists.to_frame()["item"].tolist() == list("dbca")
    assert lists.list_conflict is None and lists.list_merged.tolist() == [True]
    with pytest.warns(RankScoreConflictWarning):
        lists = RankedLists.from_frame(times().assign(rank=[4, 2, 3, 1, 1, 2, 3, 4]))
    assert lists.list_conflict.tolist() == [False, True]
    with pytest.raises(InputError, match="voter 'v0001'"):
        CombSUM().fit(lists)


def test_average_precision_has_no_ties_among_merged_scores():
    run = times().iloc[:4].drop(columns="voter")
    qrels = pd.DataFrame({"query": "q", "item": ["a"], "relevance": [1]})
    assert average_precision(run, qrels) == 1
    with pytest.raises(InputError, match=r"ties='expected' needs scores .* differ by less than float64"):
        average_precision(run, qrels, ties="expected")
    by_rank = build("rank", [1, 3, 2, 4], "int64")
    assert consensus_agreement(by_rank, run.assign(rank=[1, 3, 2, 4])).tolist() == [1.0]


# ---------------------------------------------------------------------- files


def rows_of(scores, voter="v"):
    return "query,voter,item,score\n" + "".join(
        f"q,{voter},{item},{score}\n" for item, score in zip("abcd", scores, strict=True)
    )


@pytest.mark.parametrize("scores", [[NOON + 2, NOON, NOON + 1, 5], [2**64 - 1, 2**64 - 2, 3, 2**63]])
def test_read_lists_keeps_large_integers(tmp_path, scores):
    path = tmp_path / "lists.csv"
    path.write_text(rows_of(scores))
    assert read_lists(path)["score"].tolist() == scores
    check_exact("score", scores, read_lists(path))
    path.write_text(rows_of(scores).replace("score", "rank"))
    assert read_lists(path)["rank"].tolist() == scores
    path = tmp_path / "lists.run"
    path.write_text("".join(f"q Q0 {item} {score} {score} v\n" for item, score in zip("abcd", scores, strict=True)))
    assert read_lists(path)["score"].tolist() == read_lists(path)["rank"].tolist() == scores


@pytest.mark.twice
def test_read_lists_keeps_large_integers_of_parquet_files(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "lists.parquet"
    times().to_parquet(path)
    assert read_lists(path)["score"].tolist() == times()["score"].tolist()
    times().assign(score=1).to_parquet(path)
    assert read_lists(path)["score"].dtype == np.float64


def test_read_lists_keeps_large_integers_of_files_with_different_types(tmp_path):
    small, large, huge = [tmp_path / f"{name}.csv" for name in ("small", "large", "huge")]
    small.write_text(rows_of([3, 1, 2, 0], "s"))
    large.write_text(rows_of([NOON + 2, NOON, NOON + 1, 5], "l"))
    huge.write_text(rows_of([2**64 - 1, 2**64 - 2, 3, 2**63], "h"))
    assert read_lists([small, large])["score"].tolist() == [3, 1, 2, 0, NOON + 2, NOON, NOON + 1, 5]
    together = read_lists([small, large, huge])["score"]
    assert together.dtype == np.uint64 and together.tolist()[4:9] == [NOON + 2, NOON, NOON + 1, 5, 2**64 - 1]


@pytest.mark.parametrize("scores", [["1e300", "2", "3", "4"], [f"{NOON}.5", "2", "3", "4"], [2**80, 1, 2, 3]])
def test_read_lists_reads_other_large_numbers_as_float64(tmp_path, scores):
    path = tmp_path / "lists.csv"
    path.write_text(rows_of(scores))
    assert read_lists(path)["score"].tolist() == [float(score) for score in scores]


# ---------------------------------------------------------------------- other constructors


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("lower_is_better", [False, True])
def test_other_constructors_keep_the_order_of_large_integers(dtype, lower_is_better):
    scores = np.array([NOON + 3, NOON + 1, NOON + 2, NOON], dtype=dtype)
    hits = {"v": [{"id": item, "score": score} for item, score in zip("abcd", scores, strict=True)]}
    for lists in (
        RankedLists.from_hits(hits, key="id", score="score", lower_is_better=lower_is_better),
        RankedLists.from_matrix(scores[:, None], kind="score", items=list("abcd"), lower_is_better=lower_is_better),
        RankedLists.from_lists({"v": dict(zip("abcd", scores.tolist(), strict=True))}, lower_is_better=lower_is_better),
    ):
        assert lists.to_frame()["item"].tolist() == list("dbca" if lower_is_better else "acbd")
        assert lists.list_merged.tolist() == [True]


# ---------------------------------------------------------------------- plain rankings and runs


@pytest.mark.parametrize("number", [int, np.int64, np.uint64])
def test_kendall_tau_keeps_the_order_of_large_integers(number):
    ranking = {item: number(LARGE + rank) for item, rank in zip("abc", [2, 1, 3], strict=True)}
    assert kendall_tau(ranking, ["b", "a", "c"]) == 1
    assert kendall_tau(pd.Series(ranking), ["b", "a", "c"]) == 1
    assert kendall_tau({"a": 10**400, "b": 1.5}, ["b", "a"]) == 1


@pytest.mark.parametrize("number", [int, np.int64, np.uint64, np.uint8])
def test_average_precision_accepts_unsigned_scores(number):
    run = {item: number(score) for item, score in zip("abc", [0, 200, 3], strict=True)}
    assert average_precision(run, ["b"]) == 1
