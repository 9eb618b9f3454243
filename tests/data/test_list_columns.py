"""Marks of comparisons and groupings stay with their lists, whatever is done to the lists."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from skrankagg import MAIC, BordaCount, PlackettLuce, RankedLists
from skrankagg.datasets import make_comparisons
from skrankagg.exceptions import ExposureWarning, InputError, InputTypeError
from skrankagg.inspection import rank_confidence, rank_stability, voter_influence
from skrankagg.model_selection import VoterKFold, cross_val_likelihood
from skrankagg.preprocessing import TopK
from skrankagg.utils.discovery import all_aggregators
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice


@pytest.fixture
def lists():
    """Encode two queries: comparisons with shares and judges, and other lists with judges."""
    games = make_comparisons(6, 80, n_voters=4, tie_probability=0.2, random_state=0).comparisons
    games["share"] = np.where(games["tie"], 0.5, 1.0)
    games.loc[::7, "share"] = 0.7
    one = RankedLists.from_comparisons(games, first="winner", second="loser", outcome="share", voter="judge", query="a")
    duels = one.to_frame().assign(voter=one.row_list.astype(str))
    frame = example_lists(1, n_queries=1, n_voters=4, n_items=6).assign(query="b", weight=1.0, duel=0)
    frame["judge"] = "j" + frame["voter"].astype(str)
    return RankedLists.from_frame(pd.concat([duels, frame]), score=None, groups=["judge"])


def rows(lists):
    """Return the rows of lists with all columns as text, sorted by query, voter and rank."""
    return lists.to_frame().astype(str)


def test_marks_and_groups_survive_frames_pickles_and_copies(lists):
    assert lists.list_duel.max() > 1 and lists.list_duel.min() == -1 and (lists.list_duel == 0).any()
    again = RankedLists.from_frame(lists.to_frame(), groups=["judge"])
    for other in (again, pickle.loads(pickle.dumps(lists)), copy.deepcopy(lists), copy.copy(lists)):
        assert other.equals(lists)
        assert_frame_equal(rows(other), rows(lists))
    assert not RankedLists.from_frame(lists.to_frame()).equals(lists)
    assert not RankedLists.from_frame(lists.to_frame(), duel=None, groups=["judge"]).equals(lists)


def test_marks_and_groups_survive_subsets(lists):
    whole = rows(lists)
    for q, query in enumerate(("a", "b")):
        own = whole[whole["query"] == query].reset_index(drop=True)
        assert_frame_equal(rows(lists.take([q])), own if query == "a" else own.drop(columns=["weight", "duel"]))
        assert pickle.loads(pickle.dumps(lists[[q]])).equals(lists[[q]])
    kept = np.arange(lists.n_lists) % 3 != 0
    expected = whole[kept[lists.row_list]].reset_index(drop=True)
    assert_frame_equal(rows(lists.keep_lists(kept)[0]), expected)
    first = lists.select(queries=["b", "a"], items=["i1", "i2", "i3"])
    assert set(rows(first)["judge"]) <= set(whole["judge"]) and first.list_duel.shape == (first.n_lists,)
    assert lists.take([1]).list_duel is None and lists.take([1]).groups is not None
    assert_frame_equal(rows(RankedLists.concat([lists[[1]], lists[[0]]])), whole)


def test_new_weights_of_merged_comparisons_may_be_factors(lists):
    other = lists.with_list_weight(lists.list_weight * 1.5)
    assert set(other.list_duel[lists.list_duel == -1]) == {-2}
    assert (other.list_duel[lists.list_duel != -1] == lists.list_duel[lists.list_duel != -1]).all()


def test_concat_numbers_comparisons_anew():
    games = make_comparisons(5, 40, random_state=1).comparisons.assign(share=0.7)
    days = [
        RankedLists.from_comparisons(part, first="winner", second="loser", outcome="share")
        for part in (games[:25], games[25:])
    ]
    both = RankedLists.concat(days)
    assert both.n_lists == 80 and sorted(set(both.list_duel)) == list(range(1, 41))
    assert both.voters.tolist() == list(range(80))
    whole = RankedLists.from_comparisons(games, first="winner", second="loser", outcome="share")
    method = PlackettLuce(std_errors="voters")
    one, other = (method.fit_transform(one).sort_values("item", ignore_index=True) for one in (both, whole))
    assert_frame_equal(one, other)


@pytest.mark.parametrize(
    ("voters", "expected"),
    [
        (["bm25", "dense"], ["bm25", "comparison 0", "comparison 1", "comparison 2", "dense"]),
        (["comparison 7", "dense"], ["comparison 7", "comparison_ 0", "comparison_ 1", "comparison_ 2", "dense"]),
        ([0, 4], [0, 4, 5, 6, 7]),
        ([-9, -2], [-9, -2, 0, 1, 2]),
    ],
)
def test_concat_gives_comparisons_voters_of_the_type_of_the_other_lists(voters, expected):
    duels = RankedLists.from_comparisons([("a", "b"), ("b", "c"), ("c", "a"), ("a", "b")])
    others = RankedLists.from_lists({voter: ["a", "b", "c"] for voter in voters})
    both = RankedLists.concat([others, duels])
    assert set(both.voters) == set(expected) and both.n_lists == 5
    assert rows(RankedLists.concat([duels, others])).equals(rows(both))
    assert sorted(both.list_duel.tolist()) == [-1, -1, -1, 0, 0] and sorted(both.list_weight) == [1, 1, 1, 1, 2]
    # The others rank absent items last, and comparisons compare two items.
    assert PlackettLuce().fit_transform(both)["item"].tolist() == ["a", "b", "c"]


def test_concat_keeps_many_comparisons_in_order():
    many = RankedLists.from_comparisons([(f"i{k:02d}", f"i{k + 1:02d}") for k in range(12)])
    both = RankedLists.concat([many, RankedLists.from_lists({"zed": ["i00", "i01"]})])
    assert both.voters.tolist() == [f"comparison {k:02d}" for k in range(12)] + ["zed"]
    assert both.to_frame()["item"].tolist()[:24] == many.to_frame()["item"].tolist()


def test_concat_refuses_different_groupings(lists):
    with pytest.raises(InputError, match=r"the same groupings; got \['judge'\], \[\]"):
        RankedLists.concat([lists, RankedLists.from_lists([["a"]], query="c")])


@pytest.mark.parametrize(
    ("change", "options", "error", "message"),
    [
        ({"judge": [1, 2]}, {"groups": ["judge"]}, InputError, "the same 'judge'; it varies in the list of query 'q'"),
        ({"judge": [1, None]}, {"groups": ["judge"]}, InputError, "must have an id in every row"),
        ({}, {"groups": ["judge"]}, InputError, "'judge' is not among"),
        ({}, {"groups": "judge"}, InputTypeError, "must be a list of column names"),
        ({}, {"groups": [3]}, InputTypeError, "must be column names of type str; got 3"),
        ({"judge": 1}, {"groups": ["judge", "judge"]}, InputError, "must be different columns"),
        ({}, {"groups": ["query"]}, InputError, "must not contain 'query'"),
        ({"duel": [1, 2]}, {}, InputError, "the same mark in the column 'duel'"),
        ({"duel": 0.5}, {}, InputError, "must have whole numbers of at least -2"),
        ({"duel": -3}, {}, InputError, "must have whole numbers of at least -2"),
        ({"duel": "yes"}, {}, InputError, "must have numbers"),
    ],
)
def test_from_frame_refuses_bad_marks_and_groupings(change, options, error, message):
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b"], "rank": [1, 2]}).assign(**change)
    with pytest.raises(error, match=message):
        RankedLists.from_frame(frame, **options)


def test_from_frame_reads_groupings_with_options_that_clean_rows():
    frame = pd.DataFrame({
        "query": "q", "voter": ["v", "v", "w"], "item": ["a ", "b", "a"], "rank": [1, 2, 1], "judge": [7, 7, 8]
    })  # fmt: skip
    lists = RankedLists.from_frame(frame, groups=["judge"], strip=True)
    assert lists.items.tolist() == ["a", "b"] and lists.groups["judge"].tolist() == [7, 8]


def test_groups_returns_a_copy(lists):
    groups = lists.groups
    groups["judge"] = None
    assert lists.groups["judge"].notna().all()


def test_resampling_draws_groups_like_voters():
    frame = example_lists(2, n_queries=2, n_voters=6, n_items=5)
    frame["panel"] = frame["voter"]
    lists = RankedLists.from_frame(frame, groups=["panel"])
    for function, method in ((rank_stability, PlackettLuce()), (rank_confidence, BordaCount())):
        one, other = (function(method, lists, n_resamples=40, unit=unit) for unit in ("panel", "voter"))
        assert_frame_equal(one, other)
    with pytest.raises(InputError, match="`unit` must be one of 'list', 'voter', 'query', 'panel'; got 'panels'"):
        rank_stability(PlackettLuce(), lists, unit="panels")


def test_resampling_draws_the_lists_of_one_comparison_together(lists):
    from skrankagg.inspection._draws import make_draws

    duels = lists[[0]]
    draws = make_draws(duels, duels, "list", 50, 0)
    counts = draws.units(0, 1)[0]
    shared = duels.list_duel > 0
    for number in np.unique(duels.list_duel[shared]):
        pair = counts[duels.list_duel == number]
        assert len(pair) == 2 and (pair[0] == pair[1]).all() and pair.max() > 1
    assert draws.n_units.tolist() == [80]
    merged = duels.list_duel == -1
    np.testing.assert_allclose(draws.weights(0, 1).dense()[merged].sum(axis=0) + counts[shared].sum(axis=0) / 2, 80)


def test_transformers_pipelines_and_files_keep_marks(lists, tmp_path):
    from sklearn.pipeline import make_pipeline

    from skrankagg.datasets import read_lists

    duels = lists[[0]]
    frame = duels.to_frame()
    expected = PlackettLuce().fit_transform(duels)
    assert_frame_equal(make_pipeline(TopK(2), PlackettLuce()).fit_transform(frame), expected)
    assert_frame_equal(make_pipeline(TopK(2), PlackettLuce()).fit_transform(duels), expected)
    step = TopK(2).set_output(transform="pandas")
    assert step.fit_transform(duels).columns.tolist() == step.get_feature_names_out().tolist() == frame.columns.tolist()
    frame.to_csv(tmp_path / "duels.csv", index=False)
    again = RankedLists.from_frame(read_lists(tmp_path / "duels.csv"))
    assert (np.sort(again.list_duel) == np.sort(duels.list_duel)).all()


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.FewListsWarning")
@pytest.mark.parametrize("kind", ["frame", "pandas", "polars"])
def test_columns_that_parameters_name_are_groupings_in_frames_too(lists, kind):
    from sklearn.pipeline import make_pipeline

    duels = lists[[0]]
    if kind == "polars":
        pytest.importorskip("polars", reason="set_output")
        pytest.importorskip("pyarrow", reason="polars")
    step = TopK(2).set_output(transform="pandas" if kind == "frame" else kind)
    frame = duels.to_frame() if kind == "frame" else step.fit_transform(duels)
    judged = PlackettLuce(std_errors="judge", weighting="global", reliability_of="judge")
    expected = PlackettLuce(std_errors="judge", weighting="global", reliability_of="judge").fit_transform(duels)
    assert_frame_equal(judged.fit_transform(frame), expected, check_dtype=False)
    assert_frame_equal(make_pipeline(step, judged).fit_transform(duels), expected, check_dtype=False)
    for function in (rank_stability, voter_influence):
        options = {"n_resamples": 20} if function is rank_stability else {}
        found = function(PlackettLuce(std_errors="judge"), frame, unit="judge", **options)
        assert_frame_equal(found, function(PlackettLuce(), duels, unit="judge", **options), check_dtype=False)
    cv = VoterKFold(3, groups="judge")
    ours, theirs = (cross_val_likelihood(PlackettLuce(), one, cv) for one in (frame, duels))
    assert_frame_equal(ours, theirs, check_dtype=False)
    for ours, theirs in zip(cv.split(frame), cv.split(duels), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(InputError, match=r"`std_errors` must be .* got 'jdge'.* Pass a frame with"):
        PlackettLuce(std_errors="jdge").fit(frame)
    varying = duels.to_frame().astype({"judge": object})
    varying.loc[0, "judge"] = "somebody"
    with pytest.raises(InputError, match="All rows of a list must have the same"):
        PlackettLuce(std_errors="judge").fit(varying)


def test_maic_reads_its_grouping_from_a_frame():
    frame = example_lists(1, n_queries=2, n_voters=6, n_items=8)
    frame["platform"] = frame["voter"].astype(str).map(lambda one: "ab"[ord(one[-1]) % 2])
    expected = MAIC(groups="platform").fit_transform(RankedLists.from_frame(frame, groups=["platform"]))
    assert_frame_equal(MAIC(groups="platform").fit_transform(frame), expected)
    assert not MAIC().fit_transform(frame)["score"].equals(expected["score"])


def test_distributed_engines_keep_marks(lists):
    pytest.importorskip("dask")
    import dask.dataframe as dd

    from skrankagg.distributed import transform_partitions

    frame = lists.to_frame().drop(columns="judge")
    parts = dd.from_pandas(frame, npartitions=2)
    found = transform_partitions(PlackettLuce(), parts).compute().sort_values(["query", "rank"], ignore_index=True)
    expected = PlackettLuce().fit_transform(frame)
    np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-9)


# ---------------------------------------------------------------------- what absent="auto" means


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
def test_auto_ignores_absent_items_in_comparisons_only():
    games = make_comparisons(8, 200, random_state=0).comparisons
    duels = RankedLists.from_comparisons(games)
    plain = RankedLists.from_frame(duels.to_frame(), duel=None)
    found = PlackettLuce().fit_transform(duels)
    assert_frame_equal(found, PlackettLuce(absent="ignore").fit_transform(plain))
    with pytest.warns(ExposureWarning, match=r"use PlackettLuce\(absent='ignore'\) or MarkovChain"):
        last = PlackettLuce().fit_transform(plain)
    assert_frame_equal(last, PlackettLuce(absent="last").fit_transform(duels))
    assert abs(last["score"] - found["score"]).max() > 0.1


@pytest.mark.parametrize("options", [{}, {"ties": "davidson"}, {"ties": "efron"}, {"std_errors": "voters"}])
def test_auto_treats_queries_of_comparisons_and_other_queries_by_their_marks(lists, options):
    together = PlackettLuce(**options).fit_transform(lists)
    absent = ("ignore", "last")
    alone = [PlackettLuce(absent=one, **options).fit_transform(lists[[q]]) for q, one in enumerate(absent)]
    assert_frame_equal(together, pd.concat(alone, ignore_index=True), rtol=1e-9)


@pytest.mark.parametrize("ties", ["average", "efron"])
def test_auto_treats_each_list_of_a_query_by_its_mark(lists, ties):
    frame = lists.to_frame()
    frame["voter"] = frame["query"].astype(str) + frame["voter"].astype(str)
    mixed = RankedLists.from_frame(frame.assign(query="c"), groups=["judge"])
    method = PlackettLuce(ties=ties).fit(mixed)
    score = method._aggregate(mixed).score
    # At the estimate, the slopes of both kinds of lists and of the prior add up to 0.
    slope = -np.tanh(score / 2) * 0.5
    for absent, mask in (("ignore", mixed.list_duel != 0), ("last", mixed.list_duel == 0)):
        weighted = mixed.with_list_weight(np.where(mask, mixed.list_weight, 0.0))
        slope += PlackettLuce(absent=absent, ties=ties)._plain_stages(weighted).value_and_gradient(score)[1]
    np.testing.assert_allclose(slope, 0, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_top_2_changes_no_method_because_its_lists_are_no_comparisons():
    lists = RankedLists.from_frame(example_lists(3, n_queries=3, n_voters=6, n_items=9))
    cut = TopK(2).fit_transform(lists)
    frame = cut.to_frame() if isinstance(cut, RankedLists) else cut
    assert "duel" not in frame and frame.groupby(["query", "voter"]).size().max() == 2
    unmarked = RankedLists.from_frame(frame, duel=None)
    for name, method in all_aggregators().items():
        if not method().__sklearn_tags__().aggregator_tags.supervised:
            assert_frame_equal(method().fit_transform(frame), method().fit_transform(unmarked), obj=name)
    assert_frame_equal(PlackettLuce().fit_transform(frame), PlackettLuce(absent="last").fit_transform(frame))
