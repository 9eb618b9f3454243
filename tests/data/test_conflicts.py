"""Lists whose scores contradict their ranks: methods of ranks use the ranks, methods of scores refuse the lists."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

from skrankagg import (
    DIBRA,
    CombMNZ,
    CombSUM,
    Comparator,
    Copeland,
    LocalKemenization,
    RankedLists,
    evaluate,
)
from skrankagg.__main__ import main
from skrankagg._data._conflicts import find_conflicts
from skrankagg.base import BaseAggregator, ListTransformer
from skrankagg.compat.pyflagr import QUIRKS, Linear
from skrankagg.exceptions import RankScoreConflictWarning
from skrankagg.metrics import agreement_matrix, consensus_agreement, consensus_score, evaluate_voters
from skrankagg.preprocessing import AggregatorUnion, ScoreNormalizer, TopK, VoterSelector
from skrankagg.utils.discovery import default_methods
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

SCORE_NORMS = ["min-max", "z-score", None]
READERS = [
    *(method(norm=norm) for method in (CombSUM, CombMNZ) for norm in SCORE_NORMS),
    *(ScoreNormalizer(norm) for norm in ("min-max", "z-score")),
    DIBRA(CombSUM()),
    LocalKemenization(CombMNZ()),
    LocalKemenization(DIBRA(CombSUM(norm=None))),
    make_pipeline(TopK(2), CombSUM()),
    make_pipeline(ScoreNormalizer(), CombSUM(norm=None)),
    AggregatorUnion([("borda", CombSUM(norm="borda")), ("sum", CombSUM())]),
    VoterSelector(DIBRA(CombSUM())),
]


@given(st.lists(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), min_size=1, max_size=4), max_size=4))
def test_find_conflicts_compares_all_pairs_of_items_of_each_list(lists):
    lists = [sorted(rows) for rows in lists]
    row_ptr = np.cumsum([0, *map(len, lists)])
    tie_start = np.array(
        [k == 0 or rows[k][0] > rows[k - 1][0] for rows in lists for k in range(len(rows))], dtype=bool
    )
    score = np.array([score for rows in lists for _, score in rows], dtype=float)
    expected = [any(a < b and x < y for a, x in rows for b, y in rows) for rows in lists]
    found = find_conflicts(row_ptr, tie_start, score)
    assert (found is None and not any(expected)) or found.tolist() == expected


def quiet(make, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankScoreConflictWarning)
        return make(*args, **kwargs)


def encode(frame, **columns):
    return quiet(RankedLists.from_frame, frame, **columns)


def p_values(queries=("glioma",), voters="abc"):
    """Return studies that rank g0 first and g4 last, with p-values next to the ranks."""
    ranks = [1, 2, 3, 4, 5]
    return pd.concat(
        [
            pd.DataFrame(
                {"query": query, "voter": voter, "item": [f"g{rank - 1}" for rank in ranks], "rank": ranks}
            ).assign(score=[1e-9 * 10**rank * (1 + k) for rank in ranks])
            for query in queries
            for k, voter in enumerate(voters)
        ],
        ignore_index=True,
    )


def one_of_three():
    """Return three queries; only voter b of the second one has p-values, other scores fall with the ranks."""
    frame = p_values(queries=("q0", "q1", "q2"))
    wrong = (frame["query"] == "q1") & (frame["voter"] == "b")
    return frame.assign(score=frame["score"].where(wrong, -frame["score"]))


# ---------------------------------------------------------------------- methods that reject conflicts and others


@pytest.mark.parametrize("reader", READERS, ids=repr)
def test_score_based_estimators_reject_lists_with_conflicting_scores(reader):
    with pytest.raises(
        ValueError,
        match=r"needs scores that order the items of each list in the same way as the ranks; the scores of 3 lists "
        r"order their items differently \(the first is query 'glioma', voter 'a'\)\. "
        r"If lower .* lower_is_better=T.* rank=None or score=None to ignore",
    ):
        reader.fit_transform(encode(p_values()))


@pytest.mark.parametrize("frame", [True, False])
def test_every_method_of_combsum_rejects_conflicting_scores(frame):
    X = p_values() if frame else encode(p_values())
    method = CombSUM().fit(example_lists())
    for call in (method.fit, method.fit_transform, method.transform, method.aggregate):
        with pytest.raises(ValueError, match="needs scores that order"):
            quiet(call, X)


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    "method", [one for _, one in default_methods() if not one.__sklearn_tags__().aggregator_tags.needs_scores], ids=repr
)
def test_rank_based_methods_use_the_ranks(method):
    lists = example_lists()
    found = method.fit_transform(encode(lists.assign(score=-lists["score"])))
    pd.testing.assert_frame_equal(found, method.fit_transform(lists.drop(columns="score")))


def test_conflict_warning_names_the_list_and_its_treatment():
    with pytest.warns(
        RankScoreConflictWarning,
        match=r"differently in 1 of 9 lists; the first is the list of query 'q1', voter 'b'\. Methods that use ranks "
        r"ignore the scores\. Methods that use scores refuse these lists\. If lower",
    ):
        RankedLists.from_frame(one_of_three())
    with pytest.warns(RankScoreConflictWarning, match=r"in 1 of 1 list;"):
        RankedLists.from_frame(p_values(voters="a"))


def test_advice_for_conflicts_works():
    frame = p_values()
    first = "g0"
    for right in (frame.drop(columns="score").assign(score=-frame["rank"]), frame.assign(score=-frame["score"])):
        assert CombSUM().fit_transform(right)["item"].iloc[0] == first
    by_score = RankedLists.from_frame(frame, rank=None)  # the user says that the scores are right
    assert CombSUM().fit_transform(by_score)["item"].iloc[0] == "g4"
    with pytest.raises(ValueError, match="only ranks"):
        CombSUM().fit(RankedLists.from_frame(frame, score=None))


def test_comparator_names_the_member_that_rejects_conflicts():
    qrels = pd.DataFrame({"query": ["glioma"], "item": ["g0"], "relevance": [1]})
    with pytest.raises(ValueError, match=r"CombSUM\(\) needs scores that order"):
        Comparator([("sum", CombSUM())], metrics="map", qrels=qrels, verbose=False).fit(encode(p_values()))


def test_needs_scores_tag_makes_a_custom_aggregator_reject_conflicts():
    class RawSum(BaseAggregator):
        def _aggregate(self, lists):
            return np.bincount(lists.candidate, weights=lists.score, minlength=lists.n_candidates)

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.aggregator_tags.needs_scores = True
            return tags

    with pytest.raises(ValueError, match=r"RawSum\(\) needs scores that order"):
        RawSum().fit(encode(p_values()))


# ---------------------------------------------------------------------- one list among many


def test_fit_rejects_and_names_a_single_conflicting_list():
    with pytest.raises(
        ValueError, match=r"the scores of 1 list order its items differently \(the first is query 'q1', .*'b'\)"
    ):
        CombSUM().fit(encode(one_of_three()))


def test_conflicting_lists_of_weight_0_are_ignored():
    frame = one_of_three()
    others = frame[(frame["query"] != "q1") | (frame["voter"] != "b")].reset_index(drop=True)
    expected = CombSUM().fit_transform(others)
    silent = frame.assign(weight=((frame["query"] != "q1") | (frame["voter"] != "b")).astype(float))
    pd.testing.assert_frame_equal(CombSUM().fit_transform(encode(silent)), expected)
    by_voter = CombSUM(voter_weights={"a": 1, "b": 0, "c": 1})
    assert by_voter.fit_transform(encode(frame))["item"].tolist() == [f"g{k}" for k in range(5)] * 3
    with pytest.raises(ValueError, match="voter 'b'"):
        CombSUM(voter_weights={"a": 0, "b": 1, "c": 0}).fit(encode(frame))


def test_keep_lists_drops_conflict_flags_of_removed_lists():
    lists = encode(one_of_three())
    kept, _ = lists.keep_lists(lists.list_voter != 1)
    assert kept.list_conflict is None
    CombSUM().fit(kept)
    selected = VoterSelector({"a": 1.0, "b": 0.0, "c": 1.0}, n_voters=2).fit_transform(lists)
    CombSUM().fit(selected)
    conflicting, _ = lists.keep_lists(lists.list_voter == 1)
    assert conflicting.list_conflict.tolist() == [False, True, False]


# ---------------------------------------------------------------------- conflict flags of lists


def conflicts(lists):
    """Return ids of the lists that conflict."""
    if lists.list_conflict is None:
        return set()
    assert lists.list_conflict.any() and lists.list_conflict.shape == (lists.n_lists,)
    return {
        (lists.queries[lists.list_query[v]], lists.voters[lists.list_voter[v]])
        for v in np.flatnonzero(lists.list_conflict)
    }


def test_subsets_keep_the_conflict_flags_of_their_lists():
    lists = encode(one_of_three())
    assert conflicts(lists) == {("q1", "b")}
    for part in (lists[[1]], lists[[0, 1]], lists[[1, 2]][[0]], pickle.loads(pickle.dumps(lists[[1]]))):
        assert conflicts(part) == {("q1", "b")}
        with pytest.raises(ValueError, match="query 'q1', voter 'b'"):
            CombSUM().fit(part)
    for part in (lists[[0]], lists[[0, 2]], lists[[0, 1]][[0]]):
        assert part.list_conflict is None
        CombSUM().fit_transform(part)


def test_fit_rejects_a_conflicting_subset_without_gathering_rows():
    part = encode(one_of_three())[[0, 1]]
    with pytest.raises(ValueError, match="query 'q1'"):
        CombSUM().fit(part)
    CombSUM().fit(other := encode(one_of_three())[[0, 2]])
    for lists in (part, other):
        assert not {"candidate", "rank", "score"} & set(vars(lists))


def test_conflict_flags_survive_reweighting_and_pickling_but_not_new_scores():
    lists = encode(one_of_three())
    assert conflicts(lists.with_list_weight(np.full(9, 2.0))) == {("q1", "b")}
    again = pickle.loads(pickle.dumps(lists))
    assert conflicts(again) == {("q1", "b")} and not again.list_conflict.flags.writeable
    negated = lists.with_score(np.where(lists.list_conflict[lists.row_list], -lists.score, lists.score))
    assert negated.list_conflict is None
    assert CombSUM().fit_transform(negated)["item"].iloc[0] == "g0"
    assert conflicts(lists) == {("q1", "b")}


def test_rank_norms_and_custom_transformers_resolve_conflicts():
    class Negate(ListTransformer):
        def _transform_lists(self, lists):
            return lists.with_score(-lists.score)

    lists = encode(p_values())
    for step in (ScoreNormalizer("rank"), ScoreNormalizer("borda"), Negate()):
        consensus = make_pipeline(step, CombSUM(norm=None)).fit_transform(lists)
        assert consensus["item"].tolist() == [f"g{k}" for k in range(5)]


def test_topk_checks_conflicts_in_the_remaining_rows():
    # The first two items agree, the third has the best score.
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": list("abc"), "rank": [1, 2, 3], "score": [2.0, 1.0, 9.0]})
    lists = encode(frame)
    assert conflicts(TopK(3).fit_transform(lists)) == {("q", "v")}
    head = TopK(2).fit_transform(lists)
    assert head.list_conflict is None
    found = CombSUM().fit_transform(head)
    pd.testing.assert_frame_equal(found, CombSUM().fit_transform(frame[:2]))
    with pytest.raises(ValueError, match="needs scores that order"):
        make_pipeline(TopK(3), CombSUM()).fit(lists)


def random_frame(rows):
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "score"])
    return frame.drop_duplicates(["query", "voter", "item"], ignore_index=True)


SMALL = st.integers(0, 3)
ROWS = st.lists(st.tuples(SMALL, SMALL, st.integers(0, 6), SMALL, st.integers(-2, 2)), min_size=1, max_size=50)


@given(rows=ROWS, depth=st.integers(1, 4), seed=st.integers(0, 99))
@settings(max_examples=75, deadline=None)
def test_list_conflict_is_the_same_for_encoded_cut_and_selected_lists(rows, depth, seed):
    frame = random_frame(rows)
    lists = encode(frame)
    expected = {
        (query, voter)
        for (query, voter), own in frame.groupby(["query", "voter"])
        if any(
            r < other_r and s < other_s
            for r, s in zip(own["rank"], own["score"], strict=True)
            for other_r, other_s in zip(own["rank"], own["score"], strict=True)
        )
    }
    assert conflicts(lists) == expected
    assert conflicts(encode(lists.to_frame())) == expected
    chosen = np.random.default_rng(seed).permutation(len(lists))[: depth % len(lists) + 1]
    for part in (TopK(depth).fit_transform(lists), lists[chosen], TopK(depth).fit_transform(lists[chosen])):
        assert conflicts(part) == conflicts(encode(part.to_frame()))


@pytest.mark.sampled(19)
@pytest.mark.parametrize("method", [one for _, one in default_methods()], ids=repr)
def test_ranks_and_scores_of_a_consensus_do_not_conflict(method):
    consensus = method.fit_transform(example_lists())
    lists = RankedLists.from_frame(consensus)  # warnings are errors
    assert lists.list_conflict is None
    again = CombSUM(norm=None).fit_transform(lists)
    assert again["score"].tolist() == consensus["score"].tolist()


# ---------------------------------------------------------------------- measures


QRELS = pd.DataFrame({"query": "glioma", "item": ["g0", "g1"], "relevance": 1})


def test_evaluate_uses_the_ranks_or_rejects_conflicts():
    run = p_values(voters="a").drop(columns="voter")
    with pytest.warns(RankScoreConflictWarning):
        assert evaluate(run, QRELS, "map").iloc[0, 0] == 1.0
    run = encode(run)
    # g4 ... g0 by the scores alone: the relevant ones stand at places 4 and 5.
    assert evaluate(run, QRELS, "map", ties="trec_eval").iloc[0, 0] == pytest.approx((1 / 4 + 2 / 5) / 2)
    for rule in ("expected", "optimistic", "pessimistic"):
        with pytest.raises(ValueError, match=rf"ties='{rule}' needs scores that order .* query 'glioma', voter 'cons"):
            evaluate(run, QRELS, "map", ties=rule)
        with pytest.raises(ValueError, match=rf"ties='{rule}'"):
            evaluate(run, QRELS, f"map[ties={rule}]")
        with pytest.raises(ValueError, match=rf"ties='{rule}' .* voter 'a'"):
            evaluate_voters(encode(p_values()), QRELS, "map", ties=rule)
    assert evaluate_voters(encode(p_values()), QRELS, "map")["map"].tolist() == [1.0] * 3


def test_evaluate_checks_conflicts_in_judged_queries_only():
    run = one_of_three()[lambda frame: frame["voter"] == "b"].drop(columns="voter").reset_index(drop=True)
    for query, refused in (("q0", False), ("q1", True)):
        qrels = QRELS.assign(query=query)
        if refused:
            with pytest.raises(ValueError, match="'q1'"):
                evaluate(encode(run), qrels, "map", ties="expected")
        else:
            assert evaluate(encode(run), qrels, "map", ties="expected").iloc[0, 0] == 1.0


def test_comparator_measures_a_conflicting_run_by_its_ranks():
    class Distances(ListTransformer):
        def _transform_lists(self, lists):
            return lists.with_score(lists.rank)

        def _publish(self, result, X):
            return result.to_frame().drop(columns="voter")

    lists, judged = p_values().drop(columns="score"), QRELS
    member = [("one", make_pipeline(Copeland(), Distances()))]
    fitted = quiet(Comparator(member, metrics="map", qrels=judged, verbose=False).fit, lists)
    assert fitted.best_score_ == 1.0
    with pytest.raises(ValueError, match="ties='expected'"):
        quiet(Comparator(member, metrics="map[ties=expected]", qrels=judged, verbose=False).fit, lists)


def test_agreement_uses_the_ranks_of_conflicting_runs():
    lists = p_values().drop(columns="score")
    run = p_values(voters="a").drop(columns="voter")
    with pytest.warns(RankScoreConflictWarning):
        assert consensus_agreement(lists, run).tolist() == [1.0] * 3
    with pytest.warns(RankScoreConflictWarning):
        assert consensus_score(lists, run) == 1.0
    with pytest.warns(RankScoreConflictWarning):
        found = agreement_matrix({"run": run, "right": run.assign(score=-run["score"])})
    assert found.loc["run", "right"] == 1.0


def test_consensus_score_uses_ranks_in_conflicting_queries_only():
    # In q0 the scores tie items whose ranks differ, as in a consensus; q1 has distances.
    run = pd.DataFrame(
        {"query": ["q0", "q0", "q1", "q1"], "item": list("abab"), "rank": [1, 2, 1, 2], "score": [5.0, 5.0, 0.1, 0.9]}
    ).astype({"rank": "uint8"})
    reversed_ranks = pd.DataFrame({"query": ["q0", "q0", "q1", "q1"], "item": list("baab"), "rank": [1, 2, 1, 2]})
    first, second = (reversed_ranks[reversed_ranks["query"] == query].assign(voter="v") for query in ("q0", "q1"))
    assert quiet(consensus_score, first, run) == 1.0  # a tie contradicts no order
    assert quiet(consensus_score, second, run) == 1.0


# ---------------------------------------------------------------------- the command line, PyFLAGR's names


def test_compare_explains_why_methods_are_left_out(tmp_path, capsys):
    p_values().to_csv(tmp_path / "lists.csv", index=False)
    QRELS.to_csv(tmp_path / "qrels.csv", index=False)
    assert (
        main(
            [
                "compare",
                str(tmp_path / "lists.csv"),
                str(tmp_path / "qrels.csv"),
                "--metrics",
                "map",
                "--methods",
                "all",
            ]
        )
        == 0
    )
    out, err = capsys.readouterr()
    notes, _, table = " ".join(out.split()).partition(" method map ")
    assert (
        "Left out because they need scores that order the items of a list in the same way as the ranks, and the scores "
        "of 3 lists order their items differently (the first is query 'glioma', voter 'a'): CombANZ[norm=min-max],"
        in notes
    )
    assert "CombSUM[norm=min-max]" not in table and "CombSUM[norm=borda] 1.0000" in table
    assert err.startswith("skrankagg: warning: Ranks and scores order the items differently in 3 of 3 lists;")
    assert main(["aggregate", str(tmp_path / "lists.csv"), "--method", "CombSUM"]) == 1
    assert "CombSUM needs scores that order" in capsys.readouterr().err


def test_pyflagr_names_reject_conflicts_unless_flagr_reads_only_scores():
    frame = p_values()
    by_score, _ = Linear.CombSUM(norm="score").aggregate(input_df=frame)  # FLAGR sorts lists by their scores
    assert by_score["ItemID"].iloc[0] == "g4"
    for convention in ("papers", [name for name in QUIRKS if name != "rank.verbatim"]):
        for norm in ("score", "z-score"):
            with pytest.raises(ValueError, match="needs scores that order"):
                quiet(Linear.CombSUM(norm=norm, convention=convention).aggregate, input_df=frame)
        by_rank, _ = quiet(Linear.CombSUM(norm="borda", convention=convention).aggregate, input_df=frame)
        assert by_rank["ItemID"].iloc[0] == "g0"
