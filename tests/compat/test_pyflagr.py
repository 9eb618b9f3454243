"""Parts of the PyFLAGR compatibility module, and input that crashes FLAGR."""

import itertools
import shutil
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagr_peer import golden_answers, run_ours
from skrankagg import aggregators, evaluate
from skrankagg.aggregators import kemeny_order
from skrankagg.compat.pyflagr import (
    QUIRKS,
    RRA,
    Comparator,
    Kemeny,
    Linear,
    Majoritarian,
    MarkovChains,
    Weighted,
    flagr_table,
)
from skrankagg.compat.pyflagr._input_check import encode_profile
from skrankagg.compat.pyflagr._quirks import quirks_of
from skrankagg.compat.pyflagr._ranking import add_up
from skrankagg.compat.pyflagr.Kemeny import best_order
from skrankagg.datasets import make_rasdagen


@pytest.fixture(scope="module")
def small():
    return make_rasdagen(n_queries=3, n_voters=9, list_length=6, n_items=12)


# ---------------------------------------------------------------------- the parts


def methods(convention="flagr"):
    """Return each method once, and DIBRA in all its variants."""
    chains = [getattr(MarkovChains, name) for name in ("MC1", "MC2", "MC3", "MC4", "MCT")]
    found = [
        *(Linear.CombSUM(norm, convention=convention) for norm in ("borda", "rank", "score", "z-score")),
        *(Linear.CombMNZ(norm, convention=convention) for norm in ("borda", "rank", "score", "simple-borda")),
        Majoritarian.CondorcetWinners(convention=convention),
        Majoritarian.CopelandWinners(convention=convention),
        Majoritarian.OutrankingApproach(concordance=0.5, convention=convention),
        *(chain(convention=convention) for chain in chains),
        RRA.RRA(convention=convention),
        RRA.RRA(exact=True, convention=convention),
        Weighted.PreferenceRelationsGraph(convention=convention),
        Weighted.Agglomerative(convention=convention),
        Kemeny.KemenyOptimal(convention=convention),
    ]
    for prune in (None, "low", "wire"):
        found += [Weighted.DIBRA(prune=prune, d1=0.6, d2=0.4, convention=convention)]
    for dist in ("footrule", "rho", "tau"):
        found += [Weighted.DIBRA(dist=dist, convention=convention)]
    return found


def test_pyflagr_methods_without_quirks_equal_the_main_estimators(small):
    lists, qrels = small
    bases = [Weighted.DIBRA(aggregator=base, convention="papers") for base in ("condorcet", "copeland", "outrank")]
    for method in [*methods("papers"), *bases]:
        out, measures = method.aggregate(input_df=lists, rels_df=qrels)
        main = method._paper().fit_transform(lists)
        expected = main["pvalue"] if "pvalue" in main else main["score"]
        assert out["ItemID"].tolist() == main["item"].tolist(), method
        np.testing.assert_allclose(out["Score"], expected, rtol=1e-12, err_msg=str(method))
        assert measures["num_rel_ret"].iloc[-1] == qrels["relevance"].sum()
    expected = evaluate(main, qrels, ["ndcg@10", "p@10"])  # the last method's
    np.testing.assert_allclose(measures[["ndcg_cut_10", "P_10"]].iloc[-1], expected.iloc[0], rtol=1e-12)


def test_pyflagr_scores_without_file_order_equal_the_main_estimators(small):
    quirks = {"eval.positive_only", "outrank.truncate", "agg.start_1"}  # those that matter here to no such method
    for compat, main in (
        (Linear.CombSUM("borda", convention=quirks), aggregators.CombSUM(norm="borda")),
        (Linear.CombMNZ("rank", convention=quirks), aggregators.CombMNZ(norm="rank")),
        (Linear.CombSUM("z-score", convention=quirks), aggregators.CombSUM(norm="z-score")),
        (Majoritarian.CopelandWinners(convention=quirks), aggregators.Copeland()),
        (MarkovChains.MC1(convention=quirks), aggregators.MarkovChain(chain="mc1")),
        (MarkovChains.MC2(convention=quirks), aggregators.MarkovChain(chain="mc2")),
        (MarkovChains.MC3(convention=quirks), aggregators.MarkovChain(chain="mc3")),
        (MarkovChains.MCT(convention=quirks), aggregators.MarkovChain(chain="mct")),
        (RRA.RRA(convention=quirks), aggregators.RobustRankAggregation()),
        (Weighted.PreferenceRelationsGraph(convention=quirks), aggregators.PreferenceRelations()),
        (Weighted.Agglomerative(convention={"mc3.direction"}), aggregators.Agglomerative()),
        (Weighted.DIBRA(convention=quirks), aggregators.DIBRA()),
        (Weighted.DIBRA(dist="rho", convention=quirks), aggregators.DIBRA(distance="rho")),
        (
            Majoritarian.OutrankingApproach(concordance=0.5, convention={"agg.start_1"}),
            aggregators.Outranking(both_absent="ignore"),
        ),
    ):
        out, expected = compat.aggregate(input_df=small[0])[0], main.fit_transform(small[0])
        assert out["ItemID"].tolist() == expected["item"].tolist(), compat
        score = expected["pvalue"] if "pvalue" in expected else expected["score"]
        np.testing.assert_allclose(out["Score"], score, rtol=1e-9, atol=1e-12, err_msg=str(compat))


def test_kemeny_without_its_quirk_minimises_the_disagreements(small):
    lists = small[0]
    out, _ = Kemeny.KemenyOptimal(convention={"agg.start_1"}).aggregate(input_df=lists)
    main = aggregators.Kemeny().fit_transform(lists)

    def disagreements(query, order):
        total = 0
        for _, one in lists[lists["query"] == str(query)].groupby("voter"):
            place = dict(zip(one["item"], one["rank"], strict=True))
            total += sum(place.get(i, 99) > place.get(j, 99) for i, j in itertools.combinations(order, 2))
        return total

    for query, order in out.groupby("Query")["ItemID"]:
        best = main.loc[main["query"] == str(query), "item"].tolist()
        assert sorted(order) == sorted(best) and disagreements(query, order.tolist()) == disagreements(query, best)


def test_the_quirk_of_mc3_turns_the_direction():
    lists, _ = make_rasdagen(n_queries=2, n_voters=5, list_length=7, n_items=7)
    turned = lists.assign(rank=8 - lists["rank"], score=-lists["score"])
    out, _ = MarkovChains.MC3(convention={"mc3.direction"}).aggregate(input_df=lists)
    expected = aggregators.MarkovChain(chain="mc3").fit_transform(turned)
    assert out["ItemID"].tolist() == expected["item"].tolist()
    np.testing.assert_allclose(out["Score"], expected["score"], rtol=1e-9)


def test_dibra_keeps_the_items_that_the_main_estimator_keeps():
    lists, _ = make_rasdagen(n_queries=3, n_voters=9, list_length=12, n_items=12)
    params = {"prune": "wire", "d1": 0.6, "d2": 0.4}
    out, _ = Weighted.DIBRA(**params, convention={"agg.start_1"}).aggregate(input_df=lists)
    main = aggregators.DIBRA(**params).fit_transform(lists)
    assert out["ItemID"].tolist() == main["item"].tolist()
    dropped, _ = Weighted.DIBRA(**params, convention={"prune.drops"}).aggregate(input_df=lists)
    assert 0 < len(dropped) < len(out) == 36
    for query, kept in dropped.groupby("Query"):
        both = out[out["Query"] == query].iloc[: len(kept)]
        assert both["ItemID"].tolist() == kept["ItemID"].tolist()
        assert both["Score"].tolist() == kept["Score"].tolist()


def test_dibra_cuts_lists_of_ranks_like_lists_of_scores(small):
    method = Weighted.DIBRA(prune="wire", d1=0.6, d2=0.4)
    with_scores, _ = method.aggregate(input_df=small[0])
    assert method.aggregate(input_df=small[0].drop(columns="score"))[0].equals(with_scores)


def test_dibra_puts_voters_of_equal_weight_into_the_last_bucket():
    # The bucket has the confidence 0.4 + 0.6 exp(-2 * 3 / 3) = 0.48, so a list keeps int(0.5 * int(4.8)) + 1 items.
    frame = by_voter({"u": list("abcdefghij"), "v": list("abcdefghij"), "w": list("abcdefghij")})
    method = Weighted.DIBRA(prune="wire", d1=0.4, d2=0.5, num_buckets=3)
    assert method.aggregate(input_df=frame)[0]["ItemID"].tolist() == ["a", "b", "c"]


def test_flagr_table_keeps_the_names_of_other_measures():
    index = pd.MultiIndex.from_product([["a"], ["q1", "q2"]], names=["method", "query"])
    per_query = pd.DataFrame({"mrr": [0.5, 0.25], "ndcg@3": [1.0, 0.5], "ndcg": [0.75, 0.25]}, index=index)
    table = flagr_table(per_query.groupby("method").mean(), per_query)
    assert table.columns.tolist() == ["q", "ndcg", "ndcg_cut_3", "mrr", "Method"]
    assert table["mrr"].tolist() == [0.5, 0.25, 0.375]


# Quirks with this prefix affect the methods with this prefix.
CONCERNED = {
    "outrank": "Outranking",
    "mc": "MC",
    "kemeny": "Kemeny",
    "prefrel": "Preference",
    "agg": "Agglomerative",
    "dibra": "DIBRA",
    "prune": "DIBRA",
    "wire": "DIBRA",
}


@pytest.fixture(scope="module")
def jobs():
    """Return small jobs, each with our answer under all quirks."""
    return [(job, run_ours(job)) for job in [*extra_jobs(), *golden_answers()]]


def untimed(frame):
    return frame.drop(columns="time", errors="ignore")


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(QUIRKS))
def test_every_quirk_has_an_effect(name, jobs):
    concerned = CONCERNED.get(name.partition(".")[0].rstrip("1234"), "")
    for job, with_all in jobs:
        if job["name"].startswith(concerned):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # ranks and scores contradict each other on purpose
                without = run_ours({**job, "params": {**job["params"], "convention": set(QUIRKS) - {name}}})
            if any(
                not one.equals(other) for one, other in zip(map(untimed, with_all), map(untimed, without), strict=True)
            ):
                return
    pytest.fail(f"{name} changes nothing")


def extra_jobs():
    """Yield jobs for quirks that need special data."""
    items = {"u": "abcdefg", "v": "bcadgfe", "w": "hbacd", "x": "cb", "y": "dhgab"}
    lists = [f"q,{v},{i},{r},{9 - r},s\n" for v, ranked in items.items() for r, i in enumerate(ranked, 1)]
    data = {"lists": "".join(lists), "qrels": "q,0,a,2\nq,0,b,1\nq,0,z,1\nq,0,c,0\n"}
    for module, name, params in (
        ("Majoritarian", "OutrankingApproach", {}),
        ("Weighted", "DIBRA", {"max_iter": 1, "tol": 1e-9}),
        ("Weighted", "DIBRA", {"prune": "wire", "d1": 0.7, "d2": 0.5, "num_buckets": 4, "max_iter": 1}),
        ("Weighted", "DIBRA", {"prune": "low", "d1": 0.4, "d2": 0.3}),
        ("Weighted", "PreferenceRelationsGraph", {"alpha": 0.4, "beta": 0.9}),
    ):
        yield {"module": module, "name": name, "params": params, **data}


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_add_up_sums_from_left_to_right(n_terms, n_sums, seed):
    terms = np.random.default_rng(seed).normal(size=(n_terms, n_sums)) * 10.0 ** np.arange(n_sums)
    expected = []
    for column in terms.T.tolist():
        total = 0.0
        for term in column:
            total += term
        expected.append(total)
    assert add_up(terms).tolist() == expected
    assert add_up(np.asfortranarray(terms)).tolist() == expected


def test_profile_tables_order_items_by_hash_slot():
    # Slots by hand: the last 10 bits of 5381 * 33 + the byte, so that 'b' follows 'a'; a newcomer of a slot comes
    # first.
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": ["c", "é", "a", "b"], "rank": range(1, 5), "score": 0.0})
    profile = encode_profile("", frame, quirks_of("flagr"))
    (table,) = profile.tables()
    names = profile.lists.items[table.items]
    slots = dict(zip(profile.lists.items, profile.item_slots, strict=True))
    assert slots["b"] - slots["a"] == 1
    assert slots["a"] == (5381 * 33 + 97) % 1024
    assert slots["é"] == ((5381 * 33 + 0xC3 - 256) * 33 + 0xA9 - 256) % 1024
    assert names[table.hash_order].tolist() == sorted(names, key=slots.get)


def test_kemeny_order_equals_a_search_over_all_orders():
    rng = np.random.default_rng(3)
    for n in (1, 2, 5):
        gains = rng.integers(0, 2, (4, n, n)) * 0.25
        total = gains.sum(axis=0)

        def value(order, total=total):
            return sum(total[i, j] for i, j in itertools.combinations(order, 2))

        best = max(value(order) for order in itertools.permutations(range(n)))
        assert value(best_order(gains)) == best
        assert value(kemeny_order(total)) == best


def test_kemeny_handles_more_items_than_are_permuted():
    rng = np.random.default_rng(0)
    true = rng.permutation(11)
    rows = [("q", f"v{v}", f"i{item:02d}", rank, 20.0 - rank) for v in range(3) for rank, item in enumerate(true, 1)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "score"])
    for convention in ("flagr", "papers"):
        out, _ = Kemeny.KemenyOptimal(convention=convention).aggregate(input_df=frame)
        assert out["ItemID"].tolist() == [f"i{item:02d}" for item in true]
        assert out["Score"].tolist() == [float({"flagr": 12, "papers": 10}[convention] - k) for k in range(11)]


# ---------------------------------------------------------------------- input that crashes FLAGR


def by_voter(lists, query="q"):
    rows = [(query, v, i, r, 100.0 - r) for v, items in lists.items() for r, i in enumerate(items, 1)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "score"])


def test_pyflagr_methods_keep_unusual_names():
    names = ["a,b", 'say "x"', "NA", "null", "007", "7", "x" * 200, "é"]
    frame = by_voter({"v": names, "w,w": names[::-1], "NA": names})
    qrels = pd.DataFrame({"query": "q", "item": names, "relevance": 1})
    for method in methods():
        out, measures = method.aggregate(input_df=frame, rels_df=qrels)
        assert sorted(out["ItemID"]) == sorted(names) or method.prune is not None
        assert measures["num_rel"].iloc[-1] == 8


def test_pyflagr_methods_return_integer_names_as_integers(tmp_path):
    frame = by_voter({"v": [3, 1], "w": [1, 2]}, query=5)
    out, _ = Linear.CombSUM().aggregate(input_df=frame)
    assert out["Query"].tolist() == [5] * 3
    assert out["ItemID"].dtype == np.int64
    out, _ = Linear.CombSUM().aggregate(input_df=frame.astype({"item": str}).replace({"item": {"3": "03"}}))
    assert sorted(out["ItemID"]) == ["03", "1", "2"]


def test_pyflagr_methods_handle_degenerate_lists():
    one = by_voter({"v": ["a"]})
    flat = by_voter({"v": ["a", "b"], "w": ["b", "a"]}).assign(score=1.0)
    for frame in (one, by_voter({"v": ["a", "b", "c"]}), by_voter({"v": ["a"], "w": ["b"]}), flat):
        for method in methods():
            if getattr(method, "prune", None) is None:
                out, _ = method.aggregate(input_df=frame)
                assert len(out) == frame["item"].nunique()
                assert np.isfinite(out["Score"]).all(), method


def test_pyflagr_methods_handle_many_voters_and_long_lists():
    rng = np.random.default_rng(0)
    names = [f"i{k:04d}" for k in range(1500)]
    out, _ = Linear.CombSUM("rank").aggregate(input_df=by_voter({"v": names, "w": names}))
    assert out["ItemID"].tolist() == names  # FLAGR cuts after 1001
    lists = {f"v{k}": list(rng.permutation(["a", "b", "c"])) for k in range(300)}
    out, _ = RRA.RRA(exact=True).aggregate(input_df=by_voter(lists))
    assert out["Score"].between(0, 1).all()


def test_pyflagr_methods_accept_ranks_starting_at_0():
    frame = by_voter({"v": ["a", "b", "c"], "w": ["a", "c", "b"]})
    out, _ = RRA.RRA().aggregate(input_df=frame.assign(rank=frame["rank"] - 1))
    assert out["ItemID"].iloc[0] == "a"


def test_aggregate_accepts_files_with_a_header_and_without_a_last_line_end(tmp_path):
    lists, qrels = tmp_path / "lists.csv", tmp_path / "qrels.csv"
    lists.write_text("query,voter,item,rank,score\nq,v,a,1,2\nq,v,b,2,1", encoding="utf-8")
    qrels.write_text("q,0,a,1\nr,0,b,1\nq,0,b,-1\nq,0,c,1", encoding="utf-8")
    out, measures = Linear.BordaCount().aggregate(input_file=lists, rels_file=str(qrels))
    assert out["ItemID"].tolist() == ["a", "b"]
    assert measures["q"].tolist() == ["Topic q", "all"]
    assert measures["num_rel"].tolist() == [2, 2]  # neither the negative one nor that of another query
    assert measures["num_rel_ret"].tolist() == [1, 1]


def test_aggregate_accepts_frames_by_position_and_by_name():
    frame = by_voter({"v": ["a", "b"], "w": ["b", "c"]})
    by_name = Linear.CombSUM().aggregate(input_df=frame)[0]
    placed = frame.assign(source="x").set_axis(range(6), axis=1)
    assert Linear.CombSUM().aggregate(input_df=placed)[0].equals(by_name)
    assert Linear.CombSUM().aggregate(input_df=placed.drop(columns=3))[0].equals(by_name)
    qrels = pd.DataFrame({0: ["q"], 1: [0], 2: ["a"], 3: [1]})
    assert len(Linear.CombSUM().aggregate(input_df=placed, rels_df=qrels)[1]) == 2


def test_aggregate_writes_results_to_out_dir(tmp_path):
    frame = by_voter({"v": ["a", "b"]})
    qrels = pd.DataFrame({"query": ["q"], "item": ["a"], "relevance": [1]})
    Linear.CombSUM().aggregate(input_df=frame, rels_df=qrels, out_dir=tmp_path)
    (out,), (measures,) = list(tmp_path.glob("out_*.csv")), list(tmp_path.glob("eval_*.csv"))
    assert out.read_text(encoding="utf-8").splitlines()[0] == "q,PyFLAGR,a,1,1.0,100"
    header = measures.read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("q,num_ret,num_rel,num_rel_ret,map,P_1,") and header.endswith(",ndcg_cut_10")
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    Linear.CombSUM().aggregate(input_df=frame, out_dir=tmp_path)
    (only,) = tmp_path.iterdir()  # without judgements there are no measures
    assert only.name.startswith("out_")
    shutil.rmtree(tmp_path)
    with pytest.raises(NotADirectoryError, match="`out_dir` must be an existing folder"):
        Linear.CombSUM().aggregate(input_df=frame, out_dir=tmp_path)


FRAME = by_voter({"v": ["a", "b"]})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Linear.CombSUM("bord"), ValueError, "`norm` must be one of 'borda', .*; got 'bord'"),
        (lambda: Linear.CombSUM(eval_pts=0), ValueError, "`eval_pts` must be a whole number of at least 1"),
        (
            lambda: Weighted.DIBRA(prune="high"),
            ValueError,
            "`prune` must be one of None, False, True, 'low', 'wire'; got 'high'",
        ),
        (lambda: Weighted.DIBRA(dist="euclid"), ValueError, "`dist` must be one of 'cosine'"),
        (lambda: Weighted.DIBRA(aggregator="borda"), ValueError, "`aggregator` must be one of 'combsum:borda'"),
        (
            lambda: Weighted.Agglomerative(c1=0, c2=0),
            ValueError,
            "`c1` and `c2` must be at least 0, and one of them above 0",
        ),
        (lambda: MarkovChains.MC(chain=1), ValueError, "`chain` must be one of 801"),
        (lambda: Linear.CombSUM(convention="flag"), ValueError, "`convention` must be 'flagr'"),
        (lambda: Linear.CombSUM(convention={"x"}), ValueError, "`convention` must contain names in QUIRKS, .* got x"),
        (lambda: Linear.CombSUM().aggregate(), ValueError, "The lists must be passed"),
        (lambda: Linear.CombSUM().aggregate("no/such/file.csv"), FileNotFoundError, "no/such/file"),
        (lambda: Linear.CombSUM().aggregate(input_df=[1]), TypeError, "must be a pandas DataFrame; got list"),
        (lambda: Linear.CombSUM().aggregate(input_df=FRAME.iloc[:0]), ValueError, "at least one row"),
        (lambda: Linear.CombSUM().aggregate(input_df=FRAME[["query", "item"]]), ValueError, "must have columns named"),
        (lambda: Linear.CombSUM().aggregate(input_df=FRAME.assign(item=None)), ValueError, "2 are missing"),
        (
            lambda: Linear.CombSUM().aggregate(input_df=FRAME.assign(item="a")),
            ValueError,
            "of voter 'v' for query 'q' has 'a' twice",
        ),
        (lambda: Linear.CombSUM().aggregate(input_df=FRAME.assign(score=np.nan)), ValueError, "finite numbers"),
        (lambda: Linear.CombSUM().aggregate(input_df=FRAME.assign(rank=-1)), ValueError, "'rank' must have finite"),
        (
            lambda: Linear.CombSUM("score").aggregate(input_df=FRAME.drop(columns="score")),
            ValueError,
            "needs scores, but the lists have only ranks",
        ),
        (
            lambda: Linear.CombSUM().aggregate(input_df=FRAME[["query", "voter", "item"]]),
            ValueError,
            "'rank' or 'score'",
        ),
        (
            lambda: Linear.CombSUM().aggregate(
                input_df=FRAME, rels_df=pd.DataFrame({"query": ["x"], "item": ["a"], "relevance": [1]})
            ),
            ValueError,
            "must contain a query of the lists",
        ),
        (
            lambda: Weighted.DIBRA(prune="low", d1=0, d2=0).aggregate(input_df=FRAME),
            ValueError,
            "at least one item",
        ),
        (lambda: Comparator.Comparator(5).aggregate(input_df=FRAME), ValueError, "has no methods"),
        (lambda: one_method().aggregate(input_df=FRAME), ValueError, "needs judgements"),
        (lambda: one_method().get_results(3), ValueError, "no results yet"),
    ],
)
def test_pyflagr_methods_reject_invalid_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


def one_method():
    comparator = Comparator.Comparator(5)
    comparator.add_aggregator("sum", Linear.CombSUM(eval_pts=5))
    return comparator


class Foreign:
    """A foreign method, with PyFLAGR's aggregate."""

    def aggregate(self, input_file, input_df, rels_file, rels_df):
        return Linear.CombSUM(eval_pts=5).aggregate(input_file, input_df, rels_file, rels_df)


def test_comparator_get_results_selects_rows_and_columns(small, capsys):
    comparator = one_method()
    comparator.add_aggregator("foreign", Foreign())
    comparator.aggregate(input_df=small[0], rels_df=small[1])
    assert capsys.readouterr().out == "Running sum ...\nRunning foreign ...\n"
    table = comparator.get_results(2, ["map", "recall", "dcg"], query="Topic 2")
    assert table.columns.tolist() == ["Mean Average Precision (MAP)", "recall_1", "recall_2", "dcg_cut_1", "dcg_cut_2"]
    assert table.index.tolist() == ["sum", "foreign"]
    assert table.loc["sum"].equals(table.loc["foreign"].rename("sum"))
    assert comparator.get_results(5).shape == (2, 27)
    assert comparator.get_results(3, "precision").columns.tolist() == ["P_1", "P_2", "P_3"]
    assert comparator.convert_to_latex(2).count("&") == 3 * 25
    with pytest.raises(ValueError, match="`query` must be one of Topic 1, "):
        comparator.get_results(3, query="Topic 9")
    with pytest.raises(ValueError, match="`cutoff` must be from 1 to 5"):
        comparator.get_results(6, "ndcg")
    with pytest.raises(ValueError, match="`metric` must be one of 'map'"):
        comparator.get_results(2, "f1")


def test_time_is_a_separate_column_of_the_measures(small):
    """As in PyFLAGR 1.0.21: the last measure, and one column at any cutoff, as `map` is."""
    lists, qrels = small
    _, measures = Linear.CombSUM(eval_pts=5).aggregate(input_df=lists, rels_df=qrels)
    assert measures.columns[-1] == "time" and measures["time"].nunique() == 1 and 0 < measures["time"].iloc[0] < 60
    _, measures = Linear.CombSUM().aggregate(input_df=lists)
    assert measures.columns.tolist() == ["time"] and measures.empty
    comparator = one_method()
    comparator.add_aggregator("foreign", Old())
    comparator.aggregate(input_df=lists, rels_df=qrels)
    assert comparator.results.columns[-2:].tolist() == ["time", "Method"]
    assert (comparator.results.groupby("Method")["time"].nunique() == 1).all() and (
        comparator.results["time"] > 0
    ).all()
    times = comparator.get_results(3, metric="time")
    assert times.columns.tolist() == ["time"] and times.index.tolist() == ["sum", "foreign"]
    both = comparator.get_results(cutoff=3, metric=["map", "time"], query="Topic 1")
    assert both.columns.tolist() == ["Mean Average Precision (MAP)", "time"]
    assert comparator.convert_to_latex(3, metric=["map", "precision", "time"], dec_pts=4).count("&") == 3 * 5
    assert "time" in comparator.convert_to_latex(3, metric="time")


class Old:
    """A foreign method of PyFLAGR 1.0.18, without the time."""

    def aggregate(self, input_file, input_df, rels_file, rels_df):
        out, measures = Linear.CombSUM(eval_pts=5).aggregate(input_file, input_df, rels_file, rels_df)
        return out, measures.drop(columns="time")


@pytest.mark.parametrize("prune", [True, False, 0, None])
def test_dibra_ignores_prune_values_that_are_not_names(small, prune):
    expected = Weighted.DIBRA().aggregate(input_df=small[0])[0]
    method = Weighted.DIBRA(prune=prune)
    assert method.prune is None
    assert method.aggregate(input_df=small[0])[0].equals(expected)


def test_comparator_plots_measures(small):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    comparator = one_method()
    comparator.aggregate(input_df=small[0], rels_df=small[1])
    display = comparator.plot_average_precision((6, 2), True)
    assert display.figure_.get_size_inches().tolist() == [6, 2]
    display = comparator.plot_metric(3, "ndcg", plot_type="line", query="Topic 1")
    (line,) = display.ax_.lines
    assert line.get_ydata().tolist() == comparator.get_results(3, "ndcg", query="Topic 1").iloc[0].tolist()
    display = comparator.plot_metric(3, "recall")
    expected = comparator.get_results(3, "recall").iloc[0].tolist()
    assert [bar.get_width() for bar in display.ax_.patches] == pytest.approx(expected)
    assert display.ax_.get_xlabel().startswith("Recall at k")
    with pytest.raises(ValueError, match="`kind` must be one of 'line', 'bar'"):
        comparator.plot_metric(3, "recall", plot_type="pie")
    pyplot.close("all")
