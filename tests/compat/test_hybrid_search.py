"""Fusions of search engines and RAG frameworks, and the line of docs/user_guide/hybrid_search.md that orders alike.

Each fusion is restated in plain Python from its formula; the line of this library is read from the page's table.
"""

import math
import re
import statistics
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import skrankagg
from public_api import DOCS
from skrankagg import CombSUM, RankedLists, ReciprocalRankFusion, fuse
from skrankagg.preprocessing import ScoreNormalizer, TopK

PAGE = DOCS / "user_guide" / "hybrid_search.md"
WEIGHTS = {"bm25": 0.5, "title": 0.2, "dense": 0.9}
#: Lists to which the page applies a conversion, by kind of score.
KINDS = {"": ("bm25", "title", "dense"), "BM25": ("bm25", "title"), "cosine": ("dense",)}


def make_query(seed, full=False):
    """Return lists of pairs, best first: unequal lengths, common items, no ties, cosines at most 1."""
    rng = np.random.default_rng(seed)
    lists = {}
    for name, highest in (("bm25", 30.0), ("title", 12.0), ("dense", 1.0)):
        length = 25 if full else rng.integers(3, 20)
        scores = np.sort(rng.uniform(0.01, highest, length))[::-1]
        lists[name] = list(zip((f"d{k:02}" for k in rng.permutation(25)[:length]), scores.tolist(), strict=True))
    return lists


# Formulas of the engines in their own terms: `i` counts from 0 and weights are placed as in their code.


def add_up(lists, value, weights):
    """Sum w * value over the lists that contain an item; `value` maps a list of pairs to values."""
    total = {}
    for name, hits in lists.items():
        for (item, _), x in zip(hits, value(hits), strict=True):
            total[item] = total.get(item, 0.0) + weights[name] * x
    return total


def ones(lists):
    return dict.fromkeys(lists, 1.0)


def shares(weights):
    return {name: weight / sum(weights.values()) for name, weight in weights.items()}


def from_one(k):
    return lambda hits: [1 / (k + rank) for rank in range(1, len(hits) + 1)]


def from_zero(k):
    return lambda hits: [1 / (k + i) for i in range(len(hits))]


def scores_of(hits):
    return [score for _, score in hits]


def min_max(hits):
    low, high = min(scores_of(hits)), max(scores_of(hits))
    return [(s - low) / (high - low) for s in scores_of(hits)]


def lifted_min_max(hits):
    """Scale by min-max as OpenSearch does: 0 becomes .001."""
    return [x if x else 0.001 for x in min_max(hits)]


def l2(hits):
    norm = math.hypot(*scores_of(hits))
    return [s / norm for s in scores_of(hits)]


def three_deviations(deviation):
    """Map the mean -3 to +3 standard deviations to 0 to 1."""

    def value(hits):
        middle, sd = statistics.fmean(scores_of(hits)), deviation(scores_of(hits))
        return [(s - (middle - 3 * sd)) / (6 * sd) for s in scores_of(hits)]

    return value


def largest(lists, value):
    """Return the largest value of each item over its lists."""
    best = {}
    for hits in lists.values():
        for (item, _), x in zip(hits, value(hits), strict=True):
            best[item] = max(x, best.get(item, -math.inf))
    return best


def elastic_rrf(lists, w):
    return add_up(lists, from_one(60), w)


def zero_based_rrf(lists, w):
    return add_up(lists, from_zero(60), w)


def weighted_min_max(lists, w):
    return add_up(lists, min_max, w)


def weighted_sum(lists, w):
    return add_up(lists, scores_of, w)


def weighted_l2(lists, w):
    return add_up(lists, l2, w)


def opensearch_mean(value):
    """Return a mean in which absent items are 0 and count in the divisor."""
    return lambda lists, w: {item: x / sum(w.values()) for item, x in add_up(lists, value, w).items()}


def opensearch_geometric(lists, w):
    """Compute a geometric mean in which absent items do not count."""
    logs = add_up(lists, lambda hits: [math.log(x) for x in lifted_min_max(hits)], w)
    weight = add_up(lists, lambda hits: [1.0] * len(hits), w)
    return {item: math.exp(x / weight[item]) for item, x in logs.items()}


def opensearch_harmonic(lists, w):
    inverse = add_up(lists, lambda hits: [1 / x for x in lifted_min_max(hits)], w)
    weight = add_up(lists, lambda hits: [1.0] * len(hits), w)
    return {item: weight[item] / x for item, x in inverse.items()}


def opensearch_z_score(hits):
    """Compute z-scores: values up to 0 become .001; a score at the mean becomes the greatest score."""
    scores = scores_of(hits)
    middle = statistics.fmean(scores)
    found = []
    for s in scores:
        if s == middle:
            found.append(max(scores))
        else:
            found.append(max((s - middle) / statistics.stdev(scores), 0.001))
    return found


def qdrant_rrf(lists, w):
    return add_up(lists, from_zero(2), ones(lists))


def qdrant_weighted_rrf(lists, w, k=2):
    """Fuse ranks divided by weights instead of weighting the terms."""
    total = {}
    for name, hits in lists.items():
        for i, (item, _) in enumerate(hits):
            total[item] = total.get(item, 0.0) + 1 / ((i + 1) / w[name] + k - 1)
    return total


def qdrant_dbsf(lists, w):
    return add_up(lists, three_deviations(statistics.stdev), ones(lists))


def milvus_atan(lists, w):
    total = {}
    for name, hits in lists.items():
        for item, s in hits:
            x = (1 + s) * 0.5 if name == "dense" else 2 * math.atan(s) / math.pi
            total[item] = total.get(item, 0.0) + w[name] * x
    return total


def vespa_rrf(lists, w):
    return add_up(lists, lambda hits: [1 / (60 + 1.0 + i) for i in range(len(hits))], ones(lists))


def vespa_linear(lists, w):
    """Scale scores around the middle between minimum and maximum."""

    def value(hits):
        low, high = min(scores_of(hits)), max(scores_of(hits))
        return [0.5 + (s - (low + high) / 2) / (high - low) for s in scores_of(hits)]

    return add_up(lists, value, ones(lists))


def mongo_average(value):
    """Return the mean over all pipelines, with absent items 0, without dividing by the weights."""
    return lambda lists, w: {item: x / len(lists) for item, x in add_up(lists, value, w).items()}


def mongo_min_max(lists, w):
    """Weight scores before scaling them."""
    weighted = {name: [(item, w[name] * s) for item, s in hits] for name, hits in lists.items()}
    return {item: x / len(lists) for item, x in add_up(weighted, min_max, ones(lists)).items()}


def sigmoid(hits):
    return [1 / (1 + math.exp(-s)) for s in scores_of(hits)]


def llama_index(value):
    return lambda lists, w: add_up(lists, value, shares(w))


def haystack_rrf(lists, w):
    """Sum 1 / (61 + i), divided by the sum of a document that is first everywhere."""
    share, n = shares(w), len(lists)
    total = add_up(lists, from_zero(61), {name: share[name] * n for name in lists})
    return {item: x / (n / 61) for item, x in total.items()}


def chroma(lists, w):
    """Return negative scores, because lower is better in Chroma."""
    return {item: -x for item, x in add_up(lists, from_zero(60), w).items()}


class Fusion(NamedTuple):
    """A fusion: its formula in plain Python, and the conversion from our scores to its scores."""

    theirs: Any
    from_ours: Any = None
    sign: int = 1
    full: bool = False
    atol: float = 1e-12


def mean(ours, w):
    return ours / sum(w.values())


def mean_of_lists(ours, w):
    return ours / len(w)


FUSIONS = {
    ("Elasticsearch", "rrf retriever"): Fusion(elastic_rrf),
    ("Elasticsearch", "linear retriever, minmax"): Fusion(weighted_min_max),
    ("Elasticsearch", "linear retriever, l2_norm"): Fusion(weighted_l2),
    ("Elasticsearch", "linear retriever, none"): Fusion(weighted_sum),
    ("OpenSearch", "score-ranker-processor, rrf"): Fusion(elastic_rrf),
    ("OpenSearch", "normalization-processor, min_max, arithmetic_mean"): Fusion(
        opensearch_mean(lifted_min_max), mean, atol=0.001
    ),
    ("OpenSearch", "l2, arithmetic_mean"): Fusion(opensearch_mean(l2), mean),
    ("OpenSearch", "min_max, geometric_mean"): Fusion(opensearch_geometric, lambda ours, w: math.exp(ours)),
    ("OpenSearch", "min_max, harmonic_mean"): Fusion(opensearch_harmonic, lambda ours, w: -1 / ours),
    ("Azure AI Search", "hybrid query, RRF"): Fusion(zero_based_rrf),
    ("Qdrant", "rrf"): Fusion(qdrant_rrf),
    ("Qdrant", "rrf with weights"): Fusion(qdrant_weighted_rrf),
    ("Weaviate", "rankedFusion"): Fusion(zero_based_rrf),
    ("Weaviate", "relativeScoreFusion"): Fusion(weighted_min_max),
    ("Milvus", "RRFRanker"): Fusion(lambda lists, w: elastic_rrf(lists, ones(lists))),
    ("Milvus", "WeightedRanker"): Fusion(weighted_sum),
    ("Milvus", "WeightedRanker, norm_score=True"): Fusion(milvus_atan),
    ("Vespa", "reciprocal_rank_fusion"): Fusion(vespa_rrf, full=True),
    ("Vespa", "sum of normalize_linear"): Fusion(vespa_linear, full=True),
    ("MongoDB", "$rankFusion"): Fusion(elastic_rrf),
    ("MongoDB", "$scoreFusion, none"): Fusion(mongo_average(scores_of), mean_of_lists),
    ("MongoDB", "$scoreFusion, sigmoid"): Fusion(mongo_average(sigmoid), mean_of_lists),
    ("MongoDB", "$scoreFusion, minMaxScaler"): Fusion(mongo_min_max, mean_of_lists),
    ("Chroma", "Rrf"): Fusion(chroma, lambda ours, w: -ours, sign=-1),
    ("LangChain", "EnsembleRetriever"): Fusion(elastic_rrf),
    ("LlamaIndex", "QueryFusionRetriever, reciprocal_rerank"): Fusion(
        lambda lists, w: zero_based_rrf(lists, ones(lists))
    ),
    ("LlamaIndex", "relative_score"): Fusion(llama_index(min_max), mean),
    ("LlamaIndex", "dist_based_score"): Fusion(llama_index(three_deviations(statistics.pstdev)), mean),
    ("LlamaIndex", "simple"): Fusion(lambda lists, w: largest(lists, scores_of)),
    ("Haystack", "DocumentJoiner, reciprocal_rank_fusion"): Fusion(haystack_rrf),
    ("Haystack", "merge"): Fusion(lambda lists, w: weighted_sum(lists, shares(w)), mean),
    ("Haystack", "distribution_based_rank_fusion"): Fusion(
        lambda lists, w: largest(lists, three_deviations(statistics.pstdev))
    ),
    ("Haystack", "concatenate"): Fusion(lambda lists, w: largest(lists, scores_of)),
}
#: Fusions without an equivalent here; each has a test below that shows the difference.
OTHERS = {
    ("OpenSearch", "z_score, arithmetic_mean"): "test_z_score_of_opensearch_differs_from_combsum",
    ("Qdrant", "dbsf"): "test_dbsf_of_qdrant_uses_the_sample_deviation",
}


def read_table():
    """Read the page's table: a dict of (engine, fusion) to the cell "the same here"."""
    text = PAGE.read_text(encoding="utf-8")
    block = re.search("<!-- fusions -->\n(.*?)<!-- end of fusions -->", text, flags=re.DOTALL)[1]
    heading, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines())
    assert heading == ["engine", "fusion", "an item scores", "the same here", "differs"]
    assert all(len(row) == len(heading) for row in rows)
    table = {(engine, fusion.replace("`", "")): cell for engine, fusion, _, cell, _ in rows}
    assert len(table) == len(rows)
    return table


TABLE = read_table()


def line_of(cell):
    """Parse a cell into the aggregator and the conversions of the lists' scores before it."""
    names = {name: getattr(skrankagg, name) for name in ("CombANZ", "CombMAX", "CombSUM", "ReciprocalRankFusion")}
    line, *_ = re.findall("`([^`]+)`", cell)
    aggregator = eval(line, {**names, "w": WEIGHTS})
    found = re.findall(r"`s = ([^`]+)`(?: \((\w+)\))?", cell)
    return aggregator, {name: code for code, kind in found for name in KINDS[kind]}


def convert(hits, code):
    scores = eval(code, {"np": np, "s": np.array(scores_of(hits))})
    return list(zip([item for item, _ in hits], scores.tolist(), strict=True))


def test_fusions_include_every_row_of_the_page():
    assert {*TABLE} == {*FUSIONS, *OTHERS}
    for key, cell in TABLE.items():
        assert (cell == "none") == (key in OTHERS), key
    assert all(callable(globals()[name]) for name in OTHERS.values())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("key", FUSIONS, ids=" ".join)
def test_line_of_the_page_orders_like_the_engine(key):
    fusion = FUSIONS[key]
    aggregator, conversions = line_of(TABLE[key])
    for seed in range(30):
        lists = make_query(seed, fusion.full)
        theirs = fusion.theirs(lists, WEIGHTS)
        converted = {name: convert(hits, conversions[name]) if conversions else hits for name, hits in lists.items()}
        ours = dict(fuse(converted, aggregator))
        if fusion.from_ours is not None:
            ours = {item: fusion.from_ours(x, WEIGHTS) for item, x in ours.items()}
        assert {*ours} == {*theirs}
        expected = np.array([theirs[item] for item in ours])  # in our order, so it never rises
        np.testing.assert_allclose([*ours.values()], expected, rtol=1e-9, atol=fusion.atol)
        assert (np.diff(fusion.sign * expected) <= fusion.atol + 1e-12).all()
        assert len({*expected.round(9)}) > len(expected) / 2  # an order of ties would prove nothing


def test_combsum_keeps_0_where_opensearch_uses_a_thousandth():
    hits = [("a", 5.0), ("b", 3.0), ("c", 1.0)]
    assert lifted_min_max(hits) == [1.0, 0.5, 0.001]
    assert dict(fuse([hits], CombSUM()))["c"] == 0.0


def test_z_score_of_opensearch_differs_from_combsum():
    hits = [("a", 3.0), ("b", 2.0), ("c", 1.0)]
    assert opensearch_z_score(hits) == [1.0, 3.0, 0.001]  # b, at the mean, comes first
    ours = fuse([hits], CombSUM(norm="z-score"))
    assert [item for item, _ in ours] == ["a", "b", "c"]
    assert [round(score, 4) for _, score in ours] == [1.2247, 0.0, -1.2247]
    assert opensearch_z_score([("a", 17.5)]) == [17.5]  # one hit: its raw score
    assert fuse([[("a", 17.5)]], CombSUM(norm="z-score")) == [("a", 0.0)]


def test_dbsf_of_qdrant_uses_the_sample_deviation():
    lists = {"bm25": [("a", 6.0), ("e", 4.0)], "dense": [("d", 7.0), ("c", 5.0), ("e", 3.0)]}
    theirs = qdrant_dbsf(lists, ones(lists))
    assert {item: round(x, 3) for item, x in theirs.items()} == {"a": 0.618, "e": 0.715, "d": 0.667, "c": 0.5}
    ours = fuse(lists, CombSUM(norm="dbsf"))
    assert [(item, round(x, 3)) for item, x in ours] == [("d", 0.704), ("a", 0.667), ("e", 0.629), ("c", 0.5)]
    # The distance from 1/2 is less there by the square root of (L - 1) / L.
    for length in (2, 10, 100):
        hits = [(f"d{k}", float(k**2)) for k in range(length)]
        sample = np.array(three_deviations(statistics.stdev)(hits)) - 0.5
        population = np.array([dict(fuse([hits], CombSUM(norm="dbsf")))[item] for item, _ in hits]) - 0.5
        np.testing.assert_allclose(sample, population * math.sqrt((length - 1) / length), rtol=1e-9)


def test_weights_of_qdrant_divide_ranks():
    w = {"bm25": 3.0, "dense": 1.0}
    lists = {"bm25": [("c", 3.0), ("a", 2.0), ("b", 1.0)], "dense": [("d", 3.0), ("b", 2.0), ("a", 1.0)]}
    theirs = qdrant_weighted_rrf(lists, w)
    assert sorted(theirs, key=theirs.get, reverse=True) == ["a", "b", "c", "d"]
    outside = fuse(lists, ReciprocalRankFusion(k=1, voter_weights=w))
    assert [item for item, _ in outside] == ["c", "a", "b", "d"]
    for k in (2, 61):
        ours = dict(fuse(lists, ReciprocalRankFusion(k={name: w[name] * (k - 1) for name in w}, voter_weights=w)))
        assert ours == pytest.approx(qdrant_weighted_rrf(lists, w, k))


def test_combsum_gives_1_or_half_to_lists_of_equal_scores():
    """The page's column "differs": what the engines give one hit, or hits of equal scores."""
    for scores in ([7.0], [7.0, 7.0]):
        hits = [(f"d{k}", score) for k, score in enumerate(scores)]
        assert {x for _, x in fuse([hits], CombSUM())} == {1.0}
        assert {x for _, x in fuse([hits], CombSUM(norm="dbsf"))} == {0.5}


def test_vespa_ranks_unmatched_items_too():
    """Vespa ranks every hit by every input; a hit without a match scores 0 and comes last."""
    matched = {"bm25": {"a": 3.0, "b": 2.0}, "dense": {"c": 0.9, "a": 0.8}}
    filled = {name: {item: one.get(item, 0.0) for item in "abc"} for name, one in matched.items()}
    ranked = {name: sorted(one.items(), key=lambda hit: -hit[1]) for name, one in filled.items()}
    theirs = vespa_rrf(ranked, ones(ranked))
    assert theirs["b"] == pytest.approx(1 / 62 + 1 / 63)
    assert dict(fuse(matched, ReciprocalRankFusion()))["b"] == pytest.approx(1 / 62)
    assert dict(fuse(ranked, ReciprocalRankFusion()))["b"] == pytest.approx(theirs["b"])


def test_topk_reproduces_the_window_of_elasticsearch():
    for seed in range(10):
        lists = make_query(seed)
        window = elastic_rrf({name: hits[:5] for name, hits in lists.items()}, WEIGHTS)
        method = ReciprocalRankFusion(voter_weights=WEIGHTS)
        cut = dict(fuse(lists, make_pipeline(TopK(5), method)))
        deep = dict(fuse(lists, method.set_params(depth=5)))
        assert cut == pytest.approx(window)
        # Items beyond the depth keep score 0.
        assert {*deep} == {item for hits in lists.values() for item, _ in hits}
        assert {item: x for item, x in deep.items() if x} == pytest.approx(window)


def test_rrf_of_two_lists_up_to_k_plus_1_deep_ranks_common_items_first():
    """The trap of k: 2 / (k + L) is above 1 / (k + 1) exactly where L is below k + 2."""
    for k, length in ((60, 61), (60, 62), (10, 11), (10, 12)):
        one = ["first", *(f"a{i}" for i in range(length - 2)), "both"]
        other = ["second", *(f"b{i}" for i in range(length - 2)), "both"]
        found = dict(fuse([one, other], ReciprocalRankFusion(k=k)))
        assert (found["both"] > found["first"] + 1e-12) == (length <= k + 1)


def test_score_normalizer_with_bounds_equals_tm2c2():
    """The least scores possible are the bounds, whatever the least score of the list is."""
    lists = make_query(1)
    del lists["title"]
    alpha = {"bm25": 0.3, "dense": 0.7}
    method = make_pipeline(
        ScoreNormalizer("min-max", lower={"bm25": 0, "dense": -1}), CombSUM(norm=None, voter_weights=alpha)
    )
    lower = {"bm25": 0.0, "dense": -1.0}
    theirs = {}
    for name, hits in lists.items():
        for item, s in hits:
            top = hits[0][1]
            theirs[item] = theirs.get(item, 0.0) + alpha[name] * (s - lower[name]) / (top - lower[name])
    assert dict(fuse(lists, method)) == pytest.approx(theirs)


def test_lower_is_better_reverses_distances():
    rows = [("q", "bm25", "a", 9.0), ("q", "bm25", "b", 4.0), ("q", "l2", "b", 0.1), ("q", "l2", "c", 0.7)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "score"])
    lists = RankedLists.from_frame(frame, lower_is_better=["l2"])
    turned = frame.assign(score=frame["score"].where(frame["voter"] != "l2", -frame["score"]))
    pd.testing.assert_frame_equal(CombSUM().fit_transform(lists), CombSUM().fit_transform(turned))


NAMES = """
RRF retriever, linear retriever, rank_constant, rank_window_size, score-ranker-processor, normalization-processor,
DBSF, prefetch, rankedFusion, relativeScoreFusion, alpha, RRFRanker, WeightedRanker, rank-profile, global-phase,
reciprocal_rank_fusion, normalize_linear, $rankFusion, $scoreFusion, EnsembleRetriever, QueryFusionRetriever,
DocumentJoiner, TM2C2
"""


@pytest.mark.parametrize("name", [name.strip() for name in NAMES.split(",")])
def test_hybrid_search_page_contains_the_names_of_the_engines(name):
    text = " ".join(PAGE.read_text(encoding="utf-8").replace("`", "").split())
    assert name.lower() in text.lower()


class Document:
    """A document with the attributes of LangChain's Document."""

    def __init__(self, page_content, metadata):
        self.page_content, self.metadata, self.id = page_content, metadata, None


def requests_of_documents(n, make=Document):
    """Generate requests: lists of Documents whose weighted sums of reciprocal ranks differ, and the weights."""
    rng = np.random.default_rng(0)
    while n:
        names = ["bm25", "title", "dense", "recent"][: rng.integers(2, 5)]
        weights = {name: int(rng.integers(1, 1000)) for name in names}
        lists = {name: rng.permutation(40)[: rng.integers(1, 25)].tolist() for name in names}
        sums = {}
        for name, items in lists.items():
            for rank, item in enumerate(items, 1):
                sums[item] = sums.get(item, 0) + Fraction(weights[name], 60 + rank)
        if len(set(sums.values())) < len(sums):
            continue
        n -= 1
        documents = {
            name: [make(page_content=f"text {item}", metadata={"list": name, "id": f"d{item}"}) for item in items]
            for name, items in lists.items()
        }
        yield documents, {name: weight / 1000 for name, weight in weights.items()}, sorted(sums, key=lambda i: -sums[i])


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")  # lists of two hits
def test_documents_have_the_order_of_exact_reciprocal_ranks_in_1000_requests():
    for documents, weights, order in requests_of_documents(1000):
        found = fuse(documents, ReciprocalRankFusion(k=60), weights=weights, return_items=True)
        assert [hit.metadata["id"] for hit, _ in found] == [f"d{item}" for item in order]


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")  # lists of two hits
def test_documents_have_the_order_of_langchain_in_1000_requests():
    ensemble = pytest.importorskip("langchain_classic.retrievers.ensemble", reason="compares with EnsembleRetriever")
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Fixed(BaseRetriever):
        documents: list

        def _get_relevant_documents(self, query, *, run_manager):
            return self.documents

    for documents, weights, _ in requests_of_documents(1000, make=Document):
        retrievers = [Fixed(documents=found) for found in documents.values()]
        peer = ensemble.EnsembleRetriever(retrievers=retrievers, weights=list(weights.values()), c=60)
        expected = [one.page_content for one in peer.invoke("words")]
        lists = {name: one.invoke("words") for name, one in zip(documents, retrievers, strict=True)}
        for key in (None, "page_content"):
            found = fuse(lists, ReciprocalRankFusion(k=60), weights=weights, key=key, return_items=True)
            assert [hit.page_content for hit, _ in found] == expected


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")  # lists of two hits
def test_documents_from_langchain_come_from_the_list_that_ranks_them_best():
    for documents, weights, _ in requests_of_documents(50):
        place = {name: [hit.metadata["id"] for hit in found] for name, found in documents.items()}
        for hit, _ in fuse(documents, weights=weights, return_items=True):
            item = hit.metadata["id"]
            best = min((ids.index(item), list(place).index(name)) for name, ids in place.items() if item in ids)
            assert hit is documents[list(place)[best[1]]][best[0]]
