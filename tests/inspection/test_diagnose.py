"""diagnose: planted defects and sound lists, statistics compared with plain Python, and what the texts say."""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr, ttest_1samp

from skrankagg import BordaCount, Comparator, Copeland, Qrels, RankedLists, ReciprocalRankFusion
from skrankagg.datasets import make_ranked_lists, read_lists
from skrankagg.exceptions import InputError
from skrankagg.inspection import Diagnosis, diagnose
from skrankagg.inspection._diagnose import COLUMNS, near_copies
from skrankagg.inspection._list_statistics import (
    Likeness,
    agreement_with_others,
    by_voter,
    expected_distance,
    likeness,
    random_limit,
    score_statistics,
)
from skrankagg.utils.estimator_checks import example_lists

COMMON_DRAWS, DRAWS = 10, 20


@pytest.fixture(scope="module")
def script():
    """Import the script that counts planted defects."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
        import diagnose as found

        yield found


def _cases():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
        import diagnose as found
    return [(defect, kind) for defect, (*_, kinds) in found.DEFECTS.items() for kind in kinds], list(found.SOUND)


PLANTED, SOUND = _cases()


def topics(lists, level="warning"):
    frame = diagnose(lists).frame
    return frame.loc[frame["level"] == level, "topic"].tolist()


def ballots(lists):
    """Return the items of each list with their ranks, as dicts by query and voter."""
    found = {}
    for row in RankedLists.from_frame(lists).to_frame().itertuples():
        found.setdefault(row.query, {}).setdefault(row.voter, {})[row.item] = row.rank
    return found


# ---------------------------------------------------------------------- planted defects and sound lists


@pytest.mark.parametrize(("defect", "kind"), PLANTED)
def test_diagnose_names_planted_defects(script, defect, kind):
    named = [script.is_named(defect, kind, seed) for seed in range(3)]
    assert all(named)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("defect", "kind"), PLANTED)
def test_diagnose_names_planted_defects_in_19_of_20_draws(script, defect, kind):
    assert sum(script.is_named(defect, kind, seed) for seed in range(DRAWS)) >= 19


@pytest.mark.parametrize("name", SOUND)
def test_diagnose_seldom_warns_of_sound_lists(script, name):
    kind, options = script.SOUND[name]
    assert sum(script.warns(kind, seed, **options) for seed in range(COMMON_DRAWS)) <= 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SOUND)
def test_diagnose_does_not_warn_of_sound_lists_in_19_of_20_draws(script, name):
    kind, options = script.SOUND[name]
    assert sum(script.warns(kind, seed, **options) for seed in range(DRAWS)) <= 1


def test_diagnose_names_two_copies_among_three_voters():
    lists = make_ranked_lists(n_queries=20, n_voters=2, n_items=300, list_length=50, random_state=0)[0]
    three = pd.concat([lists, lists[lists["voter"] == "v1"].assign(voter="again")])
    frame = diagnose(three).frame
    assert frame.loc[frame["level"] == "warning", "voters"].tolist() == [("again", "v1")]
    two = three[three["voter"] != "v2"]
    assert topics(two) == [] and "copies" in topics(two, "fact")


def test_diagnose_groups_copies_of_one_voter():
    lists = make_ranked_lists(n_queries=20, n_voters=6, n_items=300, list_length=50, random_state=0)[0]
    copies = [lists[lists["voter"] == "v3"].assign(voter=f"copy {k}") for k in (1, 2)]
    frame = diagnose(pd.concat([lists, *copies])).frame
    assert frame.loc[frame["topic"] == "copies", "voters"].tolist() == [("copy 1", "copy 2", "v3")]


def test_diagnose_names_both_voters_if_one_of_two_is_reversed(script):
    lists = script.negated(script.sound("full", 0, n_voters=2), None)
    frame = diagnose(lists).frame
    assert frame.loc[frame["topic"] == "direction", "voters"].tolist() == [("v1", "v2")]


# ---------------------------------------------------------------------- statistics, compared with plain Python


def cosine(first, second):
    dot = sum(1 / (10 + first[item]) / (10 + second[item]) for item in first.keys() & second.keys())
    sizes = [math.sqrt(sum((10 + rank) ** -2 for rank in one.values())) for one in (first, second)]
    return dot / math.prod(sizes)


def random_cosines(first, second, n_common):
    """Return the cosines of all ways to give two lists a number of common items, each with the same probability."""
    first, second = (np.array([1 / (10 + rank) for rank in one.values()]) for one in (first, second))
    first, second = (one / np.sqrt((one**2).sum()) for one in (first, second))
    return np.array(
        [
            sum(first[i] * second[j] for i, j in zip(a, b, strict=True))
            for a in itertools.combinations(range(len(first)), n_common)
            for b in itertools.permutations(range(len(second)), n_common)
        ]
    )


@pytest.mark.parametrize("seed", range(4))
def test_likeness_equals_enumeration_of_all_random_lists(seed):
    lists = example_lists(seed, n_queries=4, n_voters=4, n_items=5)
    lists = lists[(lists["query"] != "q1") | (lists["voter"] != lists["voter"].iloc[0])]
    encoded, held = RankedLists.from_frame(lists), ballots(lists)
    found = likeness(encoded)
    voters = encoded.voters.tolist()
    for a, b in itertools.combinations(range(len(voters)), 2):
        both = [query for query in held if voters[a] in held[query] and voters[b] in held[query]]
        pairs = [(held[query][voters[a]], held[query][voters[b]]) for query in both]
        common = [len(first.keys() & second.keys()) for first, second in pairs]
        random = [random_cosines(*pair, n) for pair, n in zip(pairs, common, strict=True)]
        expected = {
            "cosine": np.mean([cosine(*pair) for pair in pairs]),
            "n_queries": len(both),
            "expected": np.mean([one.mean() for one in random]),
            "sd": np.sqrt(sum(one.var() for one in random)) / len(both),
            "overlap": np.mean([n / min(map(len, pair)) for n, pair in zip(common, pairs, strict=True)]),
        }
        for name, value in expected.items():
            matrix = getattr(found, name)
            assert matrix[a, b] == pytest.approx(value, abs=1e-12), name
            assert matrix[b, a] == matrix[a, b]


def test_random_limit_is_the_99_percent_point_of_random_lists():
    rng = np.random.default_rng(0)
    rank = rng.permuted(np.tile(np.arange(1, 31), (10, 50, 1)), axis=2)
    query, voter, item = np.indices(rank.shape)
    frame = {"query": query.ravel(), "voter": voter.ravel(), "item": item.ravel(), "rank": rank.ravel()}
    like = likeness(RankedLists.from_frame(pd.DataFrame(frame)))
    a, b = np.triu_indices(50, k=1)
    # The level is for all pairs together; here it is 1 % for each, so 12 of 1225 are expected above the limit.
    assert 4 <= (like.cosine > random_limit(like, 0.01 * len(a)))[a, b].sum() <= 26
    assert not (like.cosine > random_limit(like, 0.01))[a, b].any()
    np.testing.assert_allclose(random_limit(like, 0.5 * len(a))[a, b], like.expected[a, b])


def test_expected_distance_is_exact_for_independent_errors():
    error = np.array([0.1, 0.2, 0.3, 0.2, 0.2])
    distance = error[:, None] + error
    np.fill_diagonal(distance, 0.0)
    expected = expected_distance(distance)
    off = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(expected[off], distance[off], atol=1e-12)


def test_near_copies_in_full_lists_must_be_closer_than_good_voters():
    def matrix(cosine):
        ones = np.ones((len(cosine), len(cosine)))
        return Likeness(np.array(cosine), 9 * ones, 0.64 * ones, 0.01 * ones, ones)

    def pairs(cosine, **changes):
        like = matrix(cosine)
        like = like._replace(**{name: np.full(like.cosine.shape, one) for name, one in changes.items()})
        return [pair for pair in itertools.combinations(range(len(cosine)), 2) if near_copies(like, len(cosine))[pair]]

    good = [[1, 0.9, 0.9, 0.9], [0.9, 1, 0.9, 0.9], [0.9, 0.9, 1, 0.9], [0.9, 0.9, 0.9, 1]]
    assert pairs(good) == []
    assert pairs(good, expected=0.3) == list(itertools.combinations(range(4), 2))
    assert pairs(good, expected=0.3, sd=0.2) == []
    copied = np.array(good)
    copied[0, 1] = copied[1, 0] = 0.98
    assert pairs(copied.tolist()) == [(0, 1)]
    assert pairs([[1, 0.95, 0.8], [0.95, 1, 0.8], [0.8, 0.8, 1]]) == []
    assert pairs([[1, 0.96, 0.8], [0.96, 1, 0.8], [0.8, 0.8, 1]]) == [(0, 1)]


def fusion_of_others(lists, voter):
    score = {}
    for other, ranks in lists.items():
        for item, rank in ranks.items():
            # In multiples of 2 ** -30, as in the module, so that equal sums are equal.
            score[item] = score.get(item, 0) + (round(2**30 / (60 + rank)) if other != voter else 0)
    return score


@pytest.mark.parametrize(("seed", "n_items"), [(0, 9), (1, 40), (2, 40), (3, 25)])
def test_agreement_with_others_equals_a_plain_restatement(seed, n_items):
    lists = example_lists(seed, n_queries=5, n_voters=4, n_items=n_items)
    encoded, held = RankedLists.from_frame(lists), ballots(lists)
    found = agreement_with_others(encoded)
    queries, voters = encoded.queries.tolist(), encoded.voters.tolist()
    for k, (q, v) in enumerate(zip(encoded.list_query, encoded.list_voter, strict=True)):
        own = held[queries[q]][voters[v]]
        score = fusion_of_others(held[queries[q]], voters[v])
        head = [item for item in sorted(score, key=lambda item: (-score[item], item)) if score[item]][:10]
        places = sorted(own[item] for item in head if item in own)
        precision = sum(min(n / place, 1) for n, place in enumerate(places, 1)) / len(head) if head else math.nan
        assert found.precision[k] == pytest.approx(precision, abs=1e-12, nan_ok=True)
        shared = sum(score[item] > 0 for item in own)
        values = list(own.values()), [-score[item] for item in own]
        if shared < 5 or any(len(set(value)) == 1 for value in values):
            assert np.isnan(found.correlation[k])
        else:
            assert found.correlation[k] == pytest.approx(spearmanr(*values).statistic, abs=1e-12)
            assert found.spread[k] == pytest.approx((len(own) - 1) ** -0.5)


def test_agreement_with_others_is_independent_of_block_size(monkeypatch):
    lists = RankedLists.from_frame(example_lists(0, n_queries=12, n_voters=5, n_items=30))
    expected = agreement_with_others(lists)
    monkeypatch.setattr("skrankagg.inspection._list_statistics._CELLS", 50)
    np.testing.assert_array_equal(agreement_with_others(lists).precision, expected.precision)


def test_diagnose_names_voters_significantly_below_a_fifth_of_the_median(script):
    lists = script.unrelated(script.sound("cut", 0), np.random.default_rng(0))
    encoded = RankedLists.from_frame(lists)
    precision = agreement_with_others(encoded).precision.reshape(encoded.n_queries, -1)
    mean = precision.mean(axis=0)
    above = precision - np.median(precision, axis=1, keepdims=True) / 5
    pvalue = ttest_1samp(above, 0, alternative="less").pvalue
    expected = (mean < np.median(mean) / 5) & (pvalue < 0.001 / encoded.n_voters)
    frame = diagnose(lists).frame
    named = frame.loc[frame["topic"] == "agreement", "voters"].tolist()
    assert [(voter,) for voter in encoded.voters[expected]] == named == [("v2",)]
    assert f"{mean[1]:.3f}. For the median voter it is {np.median(mean):.3f}." in frame["seen"][0]


def test_score_statistics_equal_numpy_for_scores_of_any_size():
    lists = RankedLists.from_frame(example_lists(0, n_queries=3).drop(columns="rank"))
    for factor in (1.0, -1e200, 1e300):
        scaled = lists.with_score(lists.score * factor)
        found = score_statistics(scaled)
        for k, (start, stop) in enumerate(itertools.pairwise(lists.row_ptr)):
            own = lists.score[start:stop]
            expected = [(own * factor).max(), np.abs(own).mean() * abs(factor), own.std() * abs(factor)]
            np.testing.assert_allclose([one[k] for one in found], expected, rtol=1e-12, atol=1e-12 * abs(factor))


def test_by_voter_leaves_missing_values_out():
    lists = RankedLists.from_frame(example_lists(0, n_queries=3, n_voters=2))
    value = np.arange(lists.n_lists, dtype=float)
    value[0] = np.nan
    mean, n = by_voter(lists, value)
    frame = pd.DataFrame({"voter": lists.list_voter, "value": value}).groupby("voter")["value"]
    assert mean.tolist() == frame.mean().tolist() and n.tolist() == frame.count().tolist()


# ---------------------------------------------------------------------- invariances


def findings(lists):
    frame = diagnose(lists).frame
    return frame.drop(columns="seen"), [sorted(row) for row in zip(frame["topic"], frame["seen"], strict=True)]


@pytest.fixture(scope="module")
def defective(script):
    """Return lists with several defects."""
    rng = np.random.default_rng(0)
    lists = script.unrelated(script.scaled(script.sound("cut", 3, n_queries=30), rng), rng)
    return pd.concat([lists, lists[lists["voter"] == "v5"].assign(voter="copy")])


def test_diagnose_is_independent_of_row_order(defective):
    expected = diagnose(defective)
    found = diagnose(defective.sample(frac=1, random_state=0))
    pd.testing.assert_frame_equal(found.frame, expected.frame)
    assert found.text == expected.text


def test_diagnose_is_independent_of_the_names_of_voters_queries_and_items(defective):
    names = {"v1": "m", "v2": "z", "v3": "b", "v4": "y", "v5": "a", "v6": "k", "copy": "c"}
    renamed = defective.assign(
        voter=defective["voter"].map(names),
        query="r" + defective["query"].str[::-1],
        item=defective["item"].str[::-1],
    )
    before, after = diagnose(defective).frame, diagnose(renamed).frame
    expected = {(row.level, row.topic, frozenset(names[v] for v in row.voters)) for row in before.itertuples()}
    assert expected == {(row.level, row.topic, frozenset(row.voters)) for row in after.itertuples()}
    assert {"copies", "agreement", "scores"} <= {topic for level, topic, _ in expected if level == "warning"}


def test_diagnose_ignores_lists_of_weight_0(defective):
    silent = defective.assign(weight=np.where(defective["voter"] == "copy", 0.0, 1.0))
    expected = diagnose(defective[defective["voter"] != "copy"])
    assert diagnose(silent).text == expected.text
    with pytest.raises(InputError, match="all lists have weight 0"):
        diagnose(defective.assign(weight=0.0))


def test_diagnose_accepts_dicts_lists_and_encoded_lists(defective):
    assert diagnose(RankedLists.from_frame(defective)).text == diagnose(defective).text
    runs = {"u": {"q": ["a", "b", "c"]}, "v": {"q": ["b", "a", "c"]}}
    assert repr(diagnose(runs)) == "Diagnosis(2 facts, no warnings)"
    assert repr(diagnose([["a", "b"]])) == "Diagnosis(1 fact, no warnings)"


# ---------------------------------------------------------------------- facts and texts


def test_diagnose_returns_a_frame_and_a_text(defective):
    found = diagnose(defective)
    frame, text = found
    assert isinstance(found, Diagnosis) and tuple(frame.columns) == COLUMNS
    assert str(found) == text
    levels = frame["level"].tolist()
    assert levels == sorted(levels, reverse=True) and set(levels) == {"fact", "warning"}
    assert max(map(len, text.splitlines())) <= 100
    words = " ".join(text.split())
    for row in frame.itertuples():
        assert row.seen in words and row.harms in words and row.advice in words
        if row.level == "warning":
            assert row.harms and row.advice
            assert all(repr(voter) in row.seen for voter in row.voters)


def test_diagnose_describes_depth_and_overlap():
    lists = {"u": ["a", "b", "c", "d", "e", "f"], "v": ["a", "b", "x"], "w": ["f", "a", "y"]}
    frame = diagnose(lists).frame
    assert frame["topic"].tolist() == ["depth", "depth", "overlap"]
    assert frame["seen"][0] == ("Lists are cut: they contain 3 to 6 (median 3) of the 8 items of their query.")
    assert frame["voters"].tolist() == [(), ("u",), ()]
    assert frame["seen"][2].endswith("from 33% (voters 'v' and 'w') to 67% (voters 'u' and 'v').")
    full = diagnose([["a", "b", "c"], ["c", "a", "b"]]).frame
    assert full["seen"][0] == "All lists are full: each contains all items of its query (3 items)."
    assert full["seen"][1] == "On average, two lists of a query share 100% of the items of the shorter list."


def test_diagnose_reports_partial_and_deep_lists(script):
    frame = diagnose(script.sound("cut", 0)).frame
    assert "MarkovChain() lost 4.4 points of nDCG@10" in frame["harms"][0]
    items = [f"i{k:03d}" for k in range(600)]
    deep = diagnose([items, items[::-1], items[300:] + items[:300]]).frame
    assert any("Lists are deep: the median list has 600 items" in seen for seen in deep["seen"])


def test_diagnose_reports_missing_lists(script):
    lists = script.sound("cut", 0)
    lists = lists[(lists["voter"] != "v2") | (lists["query"] > "q05")]
    frame = diagnose(lists).frame
    (row,) = frame[frame["topic"] == "queries"].itertuples()
    assert row.level == "fact" and row.voters == ("v2",) and "15 of 20 queries" in row.seen


def test_diagnose_names_at_most_five_voters():
    voters = [f"v{k}" for k in range(1, 9)]
    lists = {voter: {"p": list("abc")} for voter in voters}
    lists["v8"]["q"] = list("abc")
    (row,) = (one for one in diagnose(lists).frame.itertuples() if one.topic == "queries")
    assert row.voters == tuple(voters[:7])
    assert "voters 'v1', 'v2', 'v3', 'v4', 'v5' and 2 more ranked items for only 1 of 2 queries" in row.seen


@pytest.mark.parametrize("lists", [{"u": {"p": list("abc")}, "v": {"q": list("bca")}}, {"u": list("abc")}])
def test_diagnose_reports_no_overlap_if_no_query_has_two_lists(lists):
    assert not {"overlap", "copies", "agreement"} & {*diagnose(lists).frame["topic"]}


def test_diagnose_compares_scales_only_of_scores_that_vary():
    lists = pd.DataFrame({"query": "q", "voter": list("uuuvvv"), "item": list("abcabc")})
    constant = lists.assign(score=[0.3, 0.2, 0.1, 5e6, 5e6, 5e6])
    frame = diagnose(constant).frame
    assert frame.loc[frame["topic"] == "scores", ["level", "voters"]].to_numpy().tolist() == [["warning", ("v",)]]
    varying = diagnose(constant.assign(score=[0.3, 0.2, 0.1, 5e6, 4e6, 3e6])).frame
    assert "on different scales" in varying.loc[varying["topic"] == "scores", "seen"].item()


def test_diagnose_reports_scores_without_a_common_scale_as_a_fact(script):
    lists = script.sound("cut", 0)
    factor = lists["voter"].map({f"v{k}": 10.0**k for k in range(1, 7)})
    lists = lists.assign(score=lists["score"] * factor)
    assert topics(lists) == [] and "scores" in topics(lists, "fact")


def test_diagnose_warns_of_components_in_more_than_half_of_the_queries():
    joined = pd.DataFrame({"query": "q1", "voter": list("uuvv"), "item": list("abab"), "rank": [1, 2, 1, 2]})
    apart = pd.DataFrame({"query": "q2", "voter": list("uuuvvv"), "item": list("abcdef"), "rank": [1, 2, 3] * 2})
    third = joined.assign(query="q3", item=list("xyxy"))
    half = pd.concat([joined.assign(item=list("abab")), apart])
    for lists, level in ((apart, "warning"), (pd.concat([half, third]), "fact")):
        frame = diagnose(lists).frame
        assert frame.loc[frame["topic"] == "components", "level"].tolist() == [level]


def test_diagnose_of_duels_has_no_findings_on_copies_agreement_and_direction():
    duels = pd.DataFrame({"winner": list("abcdefgh"), "loser": list("bcdefgha")})
    frame = diagnose(RankedLists.from_comparisons(duels)).frame
    assert frame["topic"].tolist() == ["duels"]


# ---------------------------------------------------------------------- Comparator, and real data


def test_comparator_prints_the_warnings_about_the_lists(defective, capsys):
    qrels = defective[["query", "item"]].drop_duplicates().assign(relevance=lambda rows: rows.index % 2)
    lines = []
    methods = [("borda", BordaCount()), ("rrf", ReciprocalRankFusion())]
    comparator = Comparator(methods, qrels=Qrels.from_frame(qrels), verbose=lines.append).fit(defective)
    expected = diagnose(defective).frame
    expected = expected[expected["level"] == "warning"]
    assert len(lines) == len(expected) + 2
    for line, seen in zip(lines, expected["seen"], strict=False):
        assert line.startswith("[Comparator] lists: warning (") and seen in line
    comparator.set_params(verbose=False).fit(defective)
    assert capsys.readouterr().out == ""
    comparator.set_params(verbose=True).fit(defective)
    assert capsys.readouterr().out.count("[Comparator] lists: warning (") == len(expected)
    assert comparator.set_params(aggregators=[("copeland", Copeland())]).fit(defective).best_name_ == "copeland"


def test_diagnose_names_copies_and_odd_voters_of_real_collections(shared_data):
    folder = shared_data / "collections"
    if not folder.is_dir():
        pytest.skip("the collections are not here")
    expected = {
        "dl19-6": {("BM25", "BM25_RM3"), ("D_BERT_KD_TASB", "SPLADE_P_P_ENSEMBLE_DISTIL")},
        "cov1-12": {("SFDC-23April-run2",), ("lda400s2000",)},
        "dl19-hyb": set(),
    }
    for name, voters in expected.items():
        lists = read_lists(sorted((folder / name / "runs").glob("*")), voter="file")
        frame = diagnose(lists).frame
        assert set(frame.loc[frame["level"] == "warning", "voters"]) == voters
