"""Hits of search clients: recognised by their shape, with stand-ins and, where installed, with the clients' classes."""

import json
from types import SimpleNamespace as Object
from uuid import UUID

import numpy as np
import pytest
from malformed import fault_of_message

from skrankagg import CombSUM, Copeland, RankedLists, RankStatistic, ReciprocalRankFusion, fuse
from skrankagg.exceptions import InputError, InputTypeError

RAW = CombSUM(norm=None)  # the score of an item in one list is its score in that list


class AttrList(list):
    """A list with the name of the list type of Elasticsearch's query language."""


class Response:
    """A response that contains a dict, but is not a mapping."""

    def __init__(self, body):
        self.body = body

    def __len__(self):
        return len(self.body)


class Document:
    """A document with the attributes of LangChain's Document."""

    def __init__(self, page_content, metadata=None, id=None):
        self.page_content, self.metadata, self.id = page_content, metadata or {}, id


def elastic(pairs):
    return [{"_index": "docs", "_id": item, "_score": score, "_source": {"n": item}} for item, score in pairs]


def point(item, score):
    return Object(id=item, version=1, score=score, payload={"n": item})


def weaviate(item, **scores):
    none = dict.fromkeys(("distance", "certainty", "score", "rerank_score"))
    return Object(uuid=UUID(int=int(item)), metadata=Object(**none | scores), properties={"n": item}, vector={})


def node(item, score):
    return Object(node=Object(node_id=item, metadata={"n": item}), score=score, node_id=item, metadata={"n": item})


def uuid(k):
    return str(UUID(int=k))


FALLING = [("d1", 3.0), ("d2", 2.0), ("d3", 0.5)]
RISING = [("d1", 0.25), ("d2", 1.0), ("d3", 3.0)]
NEGATED = [(item, -score) for item, score in RISING]
BY_UUID = [(uuid(k), score) for k, (_, score) in enumerate(FALLING, 1)]
FAR_BY_UUID = [(uuid(k), score) for k, (_, score) in enumerate(NEGATED, 1)]
GRAPHQL = [{"n": item, "_additional": {"id": item, "score": str(score)}} for item, score in FALLING]
POINTS = [{"id": item, "version": 1, "score": score, "payload": None} for item, score in FALLING]

FORMS = {
    "Elasticsearch response": ({"took": 3, "hits": {"total": {"value": 3}, "hits": elastic(FALLING)}}, FALLING),
    "Elasticsearch response object": (Response({"took": 3, "hits": {"hits": elastic(FALLING)}}), FALLING),
    "Elasticsearch hits": (elastic(FALLING), FALLING),
    "Elasticsearch hits out of order": (elastic(FALLING[::-1]), FALLING),
    "Elasticsearch query language": (
        Object(hits=AttrList(Object(meta=Object(id=item, score=score)) for item, score in FALLING)),
        FALLING,
    ),
    "Qdrant points": ([point(*one) for one in FALLING], FALLING),
    "Qdrant distances": ([point(*one) for one in RISING], NEGATED),
    "Qdrant response": (Object(points=[point(*one) for one in FALLING]), FALLING),
    "Qdrant JSON of query": ({"result": {"points": POINTS}, "status": "ok", "time": 0.002}, FALLING),
    "Qdrant JSON of search": ({"time": 0.002, "status": "ok", "result": POINTS}, FALLING),
    "Qdrant dump": ({"points": POINTS}, FALLING),
    "Qdrant distances as JSON": ([dict(vars(point(*one))) for one in RISING], NEGATED),
    "Weaviate distances": ([weaviate(k, distance=s) for k, (_, s) in enumerate(RISING, 1)], FAR_BY_UUID),
    "Weaviate distances, scores 0": (
        [weaviate(k, distance=s, score=0.0) for k, (_, s) in enumerate(RISING, 1)],
        FAR_BY_UUID,
    ),
    "Weaviate distances and certainties": (
        [weaviate(k, distance=s, certainty=1 - s / 2) for k, (_, s) in enumerate(RISING, 1)],
        FAR_BY_UUID,
    ),
    "Weaviate scores": ([weaviate(k, score=s) for k, (_, s) in enumerate(FALLING, 1)], BY_UUID),
    "Weaviate certainties": ([weaviate(k, certainty=s) for k, (_, s) in enumerate(FALLING, 1)], BY_UUID),
    "Weaviate reranked": (
        [weaviate(k, score=k / 9, rerank_score=s) for k, (_, s) in enumerate(FALLING, 1)],
        BY_UUID,
    ),
    "Weaviate response": (Object(objects=[weaviate(k, score=s) for k, (_, s) in enumerate(FALLING, 1)]), BY_UUID),
    "Weaviate as JSON": (
        {
            "objects": [
                {"uuid": item, "metadata": {"distance": -score, "score": None}, "properties": {}}
                for item, score in FAR_BY_UUID
            ]
        },
        FAR_BY_UUID,
    ),
    "Weaviate GraphQL": ({"data": {"Get": {"Article": GRAPHQL}}}, FALLING),
    "Weaviate GraphQL hits": (GRAPHQL, FALLING),
    "LangChain similarities": ([(Document("text", id=item), score) for item, score in FALLING], FALLING),
    "LangChain distances": ([(Document("text", id=item), np.float32(score)) for item, score in RISING], NEGATED),
    "LangChain ids in metadata": ([(Document("t", {"doc_id": item}), score) for item, score in FALLING], FALLING),
    "LlamaIndex nodes": ([node(*one) for one in FALLING], FALLING),
    "LlamaIndex nodes out of order": ([node(*one) for one in FALLING[::-1]], FALLING),
    "LlamaIndex as JSON": (
        [{"node": {"id_": item, "text": "t", "metadata": {}}, "score": score} for item, score in FALLING],
        FALLING,
    ),
    "dicts of a service": ([{"id": item, "score": score, "title": "t"} for item, score in FALLING[::-1]], FALLING),
}
UNSCORED = {
    "Elasticsearch, sorted": [{"_id": item, "_score": None, "sort": [1]} for item, _ in FALLING],
    "Qdrant records": [Object(id=item, payload={}) for item, _ in FALLING],
    "Qdrant records as JSON": {"result": {"points": [{"id": item, "payload": {}} for item, _ in FALLING]}},
    "LangChain Documents": [Document("text", id=item) for item, _ in FALLING],
    "LangChain JSON": [{"page_content": "t", "metadata": {"id": item}, "id": None} for item, _ in FALLING],
    "LlamaIndex nodes": [Object(node_id=item, metadata={}) for item, _ in FALLING],
    "LlamaIndex nodes without scores": [node(item, None) for item, _ in FALLING],
}


@pytest.mark.parametrize(("hits", "expected"), FORMS.values(), ids=FORMS)
def test_hits_are_recognised_with_their_ids_scores_and_direction(hits, expected):
    assert fuse([hits], RAW) == fuse({"engine": hits}, RAW) == expected
    assert RankedLists.from_hits({"engine": hits}).to_runs() == {"engine": {"q": dict(expected)}}
    # As one of several lists, of one query and of a batch
    other = [(expected[1][0], 5.0), (expected[0][0], 1.0)]
    plain = fuse([expected, other], CombSUM())
    assert fuse([hits, other], CombSUM()) == fuse({"a": hits, "b": other}, CombSUM()) == plain
    for batch in ([[hits, other]] * 2, [[other, hits]] * 2, [{"a": hits, "b": other}] * 2):
        assert fuse(batch, CombSUM()) == [plain] * 2


@pytest.mark.parametrize("hits", UNSCORED.values(), ids=UNSCORED)
def test_hits_without_scores_are_ranked_by_their_order(hits):
    assert [item for item, _ in fuse([hits])] == ["d1", "d2", "d3"]
    assert RankedLists.from_hits([hits]).to_runs() == {1: {"q": ["d1", "d2", "d3"]}}
    assert fuse([[hits, ["d2"]]] * 2) == [fuse([["d1", "d2", "d3"], ["d2"]])] * 2


def test_real_hits_of_qdrant_are_recognised():
    models = pytest.importorskip("qdrant_client.http.models", reason="compares with the classes of qdrant-client")
    points = [models.ScoredPoint(id=k, version=0, score=1 / k, payload={"n": k}) for k in (1, 2)]
    response = models.QueryResponse(points=points)
    for given in (points, response, response.model_dump(), json.loads(response.model_dump_json())):
        assert fuse([given], RAW) == [(1, 1.0), (2, 0.5)]
    assert fuse([[models.Record(id=k, payload={}) for k in (1, 2)]]) == fuse([[1, 2]])


def test_real_hits_of_weaviate_are_recognised():
    classes = pytest.importorskip(
        "weaviate.collections.classes.internal", reason="compares with the classes of weaviate-client"
    )
    objects = [
        classes.Object(
            uuid=UUID(int=k),
            metadata=classes.MetadataReturn(distance=k / 4),
            properties={},
            references=None,
            vector={},
            collection="C",
        )
        for k in (1, 2)
    ]
    for given in (objects, classes.QueryReturn(objects=objects)):
        assert fuse([given], RAW) == [(uuid(1), -0.25), (uuid(2), -0.5)]


def test_real_documents_of_langchain_are_recognised():
    documents = pytest.importorskip("langchain_core.documents", reason="compares with the classes of langchain-core")
    found = [documents.Document("text", id=item) for item in ("d1", "d2")]
    assert fuse([found]) == fuse([[one.model_dump() for one in found]]) == fuse([["d1", "d2"]])
    assert fuse([list(zip(found, (0.1, 0.4), strict=True))], RAW) == [("d1", -0.1), ("d2", -0.4)]
    assert fuse([found], key="page_content", duplicates="first") == fuse([["text"]])
    [(hit, _), _] = fuse([found], return_items=True)
    assert hit is found[0]


def test_real_nodes_of_llama_index_are_recognised():
    schema = pytest.importorskip("llama_index.core.schema", reason="compares with the classes of llama-index-core")
    nodes = [schema.NodeWithScore(node=schema.TextNode(text="t", id_=item), score=score) for item, score in FALLING]
    for given in (nodes, [one.model_dump() for one in nodes], [json.loads(one.model_dump_json()) for one in nodes]):
        assert fuse([given], RAW) == FALLING
    assert fuse([[one.node for one in nodes]]) == fuse([["d1", "d2", "d3"]])


def test_real_responses_of_elasticsearch_are_recognised():
    transport = pytest.importorskip("elastic_transport", reason="compares with the classes of elasticsearch")
    body = {"took": 1, "hits": {"hits": elastic(FALLING)}}
    assert fuse([transport.ObjectApiResponse(body=body, meta=None)], RAW) == FALLING
    dsl = pytest.importorskip("elasticsearch.dsl", reason="compares with the classes of elasticsearch")
    response = dsl.response.Response(dsl.Search(), body)
    assert fuse([response], RAW) == fuse([list(response)], RAW) == FALLING
    assert fuse([[response, response]] * 2) == [fuse([response, response])] * 2


def test_the_lists_of_one_request_may_come_from_different_clients():
    lists = {
        "bm25": {"took": 3, "hits": {"hits": elastic([("7", 9.0), ("3", 2.0)])}},
        "dense": Object(points=[point("3", 0.9), point("5", 0.1)]),
        "cache": {"5": 0.5, "7": 0.25},
    }
    plain = {"bm25": {"7": 9.0, "3": 2.0}, "dense": {"3": 0.9, "5": 0.1}, "cache": lists["cache"]}
    weights = {"bm25": 1, "dense": 2, "cache": 0.5, "late": 3}
    expected = fuse(plain, CombSUM(), weights={name: weights[name] for name in plain}, top=10)
    assert fuse(lists, CombSUM(), weights=weights, top=10) == expected
    assert RankedLists.from_hits(lists).to_runs() == RankedLists.from_lists(plain).to_runs()


def test_a_key_replaces_the_id_and_keeps_the_score():
    lists = {"bm25": elastic(FALLING), "dense": [point(k, 1 / k) for k in (2, 1)][::-1]}
    keys = {"dense": lambda hit: f"d{hit.id}"}
    expected = fuse({"bm25": dict(FALLING), "dense": {"d1": 1.0, "d2": 0.5}}, RAW)
    assert fuse(lists, RAW, key=keys) == expected
    assert fuse(lists, RAW, key=keys | {"bm25": "_id", "late": "id"}) == expected
    assert fuse([lists] * 2, RAW, key=keys) == [expected] * 2
    assert RankedLists.from_hits(lists, key=keys).to_runs()["dense"] == {"q": {"d1": 1.0, "d2": 0.5}}
    # A field of the metadata
    for hits in (elastic(FALLING), [point(*one) for one in FALLING], [node(*one) for one in FALLING]):
        assert fuse([hits], RAW, key="n") == FALLING
    assert fuse([[(Document("text", {"n": item}), score) for item, score in FALLING]], RAW, key="n") == FALLING
    assert fuse([[weaviate(7, score=0.5)]], RAW, key="n") == [(7, 0.5)]
    # A function that returns pairs decides the scores, too.
    assert fuse([elastic(FALLING)], RAW, key=lambda hit: (hit["_id"], -hit["_score"])) == [
        (item, -score) for item, score in FALLING[::-1]
    ]
    documents = [(Document("text", id=item), score) for item, score in RISING]
    assert fuse([documents], RAW, key=lambda hit: (hit.id, 1.0))[0] == ("d1", 1.0)


def test_strict_refuses_names_that_are_not_lists():
    lists = {"bm25": elastic(FALLING), "dense": elastic(FALLING)}
    with pytest.raises(InputError, match=r"`key` must name only lists .* got 'dens' \(did you mean 'dense'\?\)"):
        fuse(lists, key={"dens": "_id"}, strict=True)
    with pytest.raises(InputError, match=r"`weights` must name .* got 'dens' \(did you mean 'dense'\?\)\. The lists"):
        fuse(lists, weights={"bm25": 1, "dense": 1, "dens": 1}, strict=True)
    with pytest.raises(InputError, match=r"none for list 'dense', but one for 'dens' \(did you mean 'dense'\?\)"):
        fuse(lists, weights={"bm25": 1, "dens": 1}, strict=True)
    assert fuse(lists, weights={"bm25": 1, "dense": 1}, key={"dense": "_id"}, strict=True) == fuse(lists)


def test_declared_directions_of_from_hits_are_not_reversed():
    far = [weaviate(k, distance=k / 4) for k in (1, 2)]
    points = [point("d1", 0.1), point("d2", 0.5)]
    expected = {"q": {uuid(1): -0.25, uuid(2): -0.5}}
    for lower in (False, True, ["w"], np.True_):
        assert RankedLists.from_hits({"w": far}, lower_is_better=lower).to_runs() == {"w": expected}
        found = RankedLists.from_hits({"w": points}, lower_is_better=lower).to_runs()
        assert found == {"w": {"q": {"d1": -0.1, "d2": -0.5}}}
    both = RankedLists.from_hits({"w": far, "p": [("a", 2.0), ("b", 1.0)]}, lower_is_better=["p"])
    assert both.to_runs() == {"w": expected, "p": {"q": {"b": -1.0, "a": -2.0}}}
    both = RankedLists.from_hits({"w": far, "p": [("a", 2.0), ("b", 1.0)]}, lower_is_better=True)
    assert both.to_runs() == {"w": expected, "p": {"q": {"b": -1.0, "a": -2.0}}}
    # The user's declaration also decides what the order does not show.
    shuffled = [points[0], point("d3", 0.05), points[1]]
    found = RankedLists.from_hits({"w": shuffled}, lower_is_better=["w"])
    assert found.to_runs() == {"w": {"q": {"d3": -0.05, "d1": -0.1, "d2": -0.5}}}
    pairs = [(Document("text", id=one.id), one.score) for one in shuffled]
    assert RankedLists.from_hits({"w": pairs}, lower_is_better=["w"]).to_runs() == found.to_runs()


@pytest.mark.parametrize("call", [fuse, RankedLists.from_hits])
@pytest.mark.parametrize(
    ("hits", "words"),
    [
        ([point("a", 0.1), point("b", 0.5), point("c", 0.3)], "must be sorted by score, .* voter 'v' are not sorted"),
        ([(Document("t", id="a"), 0.2), (Document("t", id="b"), 0.4), (Document("t", id="c"), 0.1)], "are not sorted"),
        ([{"_id": "a", "_score": 1.0}, {"_id": "b", "_score": None}], "hit 2 of voter 'v' has none"),
        ([Document("t", id="a"), Document("t")], r"hit 2 of voter 'v' has none.*key='page_content'"),
        ([{"_id": "a", "_score": 1.0}, {"id": "b", "score": 2.0}], "hit 2 of voter 'v' differs from hit 1"),
        ([(Document("t", id="a"), 1.0), Document("t", id="b")], "A list of hits .* entry 2 of list 'v'"),
        ([{"_id": "a", "_score": float("nan")}], "finite"),
        ([point("a", float("inf")), point("b", float("inf")), point("c", 1.0)], "finite"),
        ([{"_id": "a", "_score": 1.0}, {"_id": "a", "_score": 0.5}], "'a'.*duplicates='first'"),
    ],
)
def test_hits_that_cannot_be_read_are_refused_with_a_remedy(call, hits, words):
    with pytest.raises(InputError, match=words):
        call({"v": hits})


def test_from_hits_refuses_lists_of_which_some_lack_scores():
    with pytest.raises(InputError, match=r"the lists of \['w'\] lack scores"):
        RankedLists.from_hits({"v": elastic(FALLING), "w": ["d1"]})
    with pytest.raises(InputError, match=r"list 'w' has none\. Give each list scores"):
        fuse({"v": elastic(FALLING), "w": ["d1"]}, "combsum")
    with pytest.raises(InputTypeError, match=r"Ids for fuse must be hashable"):
        fuse({"v": [{"name": "d1"}], "w": [{"name": "d1"}]})
    with pytest.raises(
        InputTypeError, match=r"hit 1 of voter 'w' has \{'name': 'd1'\}. Name the id of a hit with key="
    ):
        RankedLists.from_hits({"v": ["d1"], "w": [{"name": "d1"}]})
    with pytest.raises(InputTypeError, match=r"list 'w' has 7 of type int .* with key=lambda hit: str\(hit.id\)"):
        fuse({"v": elastic(FALLING), "w": [point(7, 0.5)]})


def test_return_items_returns_the_hit_of_the_list_that_ranks_the_item_best():
    bm25, dense = elastic([("a", 9.0), ("b", 5.0), ("c", 1.0)]), [point("c", 0.9), point("a", 0.9), point("d", 0.1)]
    lists = {"bm25": bm25, "dense": dense}
    expected = {"a": bm25[0], "b": bm25[1], "c": dense[0], "d": dense[2]}
    for method in ("rrf", CombSUM(), "Copeland"):
        plain = fuse(lists, method)
        found = fuse(lists, method, return_items=True)
        assert [score for _, score in found] == [score for _, score in plain]
        assert all(hit is expected[item] for (hit, _), (item, _) in zip(found, plain, strict=True))
        assert fuse([lists] * 2, method, return_items=True) == [found] * 2
        assert fuse(lists, method, return_items=True, top=1) == found[:1]
    explained = fuse(lists, CombSUM(), return_items=True, explain=True)
    assert [(hit, shares) for hit, _, shares in explained] == [
        (expected[item], shares) for item, _, shares in fuse(lists, CombSUM(), explain=True)
    ]
    # If two lists rank an item equally, the hit is from the first of the given lists.
    copies = {"z": [point("a", 1.0)], "b": [point("a", 0.5)]}
    assert fuse(copies, return_items=True)[0][0] is copies["z"][0]
    # Plain ids stand for themselves, and a Document for a pair.
    assert fuse([["a", "b"], ["b"]], return_items=True) == fuse([["a", "b"], ["b"]])
    assert fuse([{"a": 1.0}, [("b", 2.0)]], return_items=True) == fuse([{"a": 1.0}, [("b", 2.0)]])
    document = Document("text", id="a")
    assert fuse([[(document, 0.5)]], return_items=True)[0][0] is document


def test_return_items_orders_the_copies_by_distance_where_lower_is_better():
    near, far = weaviate(1, distance=0.1), weaviate(1, distance=0.1)
    lists = {"x": [weaviate(2, distance=0.05), far], "y": [near, weaviate(3, distance=0.2)]}
    assert fuse(lists, return_items=True)[0][0] is near


@pytest.mark.parametrize("duplicates", ["first", "best", "mean"])
@pytest.mark.parametrize("scored", [False, True])
def test_duplicates_are_merged_as_in_from_lists(duplicates, scored):
    rng = np.random.default_rng(0)
    for _ in range(30):
        lists = [[f"d{k}" for k in rng.integers(0, 6, 8)] for _ in range(3)]
        if scored:
            lists = [[(item, float(rng.integers(0, 9))) for item in one] for one in lists]
        encoded = RankedLists.from_lists(lists, duplicates=duplicates)
        for method in (ReciprocalRankFusion(), RankStatistic(statistic="median")) + ((CombSUM(),) if scored else ()):
            consensus = method.transform(encoded)
            expected = list(zip(consensus["item"], consensus["score"], strict=True))
            assert fuse(lists, method, duplicates=duplicates) == expected
            assert fuse([lists] * 2, method, duplicates=duplicates) == [expected] * 2
        hits = [[{"id": one[0], "score": one[1]} if scored else one for one in of] for of in lists]
        assert fuse(hits, duplicates=duplicates) == fuse(lists, duplicates=duplicates)


def test_duplicates_first_returns_the_first_copy():
    passages = [{"id": "a", "score": 0.5, "n": 1}, {"id": "b", "score": 0.4, "n": 2}, {"id": "a", "score": 0.9, "n": 3}]
    for duplicates, n in (("first", 1), ("best", 3), ("mean", 3)):
        found = fuse([passages], duplicates=duplicates, return_items=True)
        assert [hit["n"] for hit, _ in found] == [n, 2]
    with pytest.raises(InputError, match=r"repeats 'a'.*duplicates='first'"):
        fuse([passages])


def test_integers_of_numpy_and_python_are_one_type():
    ids = [[3, 1, 2], [np.int64(2), np.int32(3)], np.array([3, 9])]
    expected = fuse([[int(one) for one in of] for of in ids])
    for method in (None, "Copeland", "CombSUM[norm=rank]"):
        found = fuse(ids, method)
        assert found == fuse([[int(one) for one in of] for of in ids], method)
        assert {type(item) for item, _ in found} == {int}
    assert fuse([{np.int64(1): 2.0, 2: 1.0}, {1: 2.0, np.int64(2): 1.0}], CombSUM()) == [(1, 2.0), (2, 0.0)]
    assert fuse([ids] * 2) == [expected] * 2
    assert fuse([[np.str_("a"), "b"], ["b", "a"]]) == fuse([["a", "b"], ["b", "a"]])
    with pytest.raises(InputError, match="list 1 repeats 1"):
        fuse([[1, np.int64(1)]])
    with pytest.raises(InputTypeError, match="list 2 has '1' of type str"):
        fuse([[1, np.int64(2)], ["1"]])
    hits = [[point(np.int64(4), 0.5), point(5, 0.25)], [point(5, 1.0)]]
    assert fuse(hits, return_items=True)[0][0] is hits[1][0]


def test_methods_read_raw_responses_and_hits_like_from_hits():
    body = {"took": 3, "timed_out": False, "hits": {"hits": elastic([("d1", 9.5), ("d2", 7.25)])}}
    clicks = {"d2": 3.0, "d3": 1.0}
    points = [Object(id="d3", score=0.75, payload={}), Object(id="d1", score=0.5, payload={})]
    given = {"keyword": body, "vector": points, "clicks": clicks}
    for answer in (points, Object(points=points)):
        found = RAW.fit_transform(given | {"vector": answer})
        assert found.set_index("item")["score"].to_dict() == {"d1": 10.0, "d2": 10.25, "d3": 1.75}
        assert found["item"].tolist() == [item for item, _ in fuse(given | {"vector": answer}, RAW)]
    # A query may have the name of a part of a response.
    runs = {"bm25": {"hits": {"d1": 2.0}, "points": {"d2": 1.0}}, "dense": {"hits": {"d1": 1.0}}}
    assert RAW.fit_transform(runs)["query"].tolist() == ["hits", "points"]
    assert RAW.fit_transform({"bm25": {"hits": [("d1", 2.0)]}})["query"].tolist() == ["hits"]


def random_value(rng, usual, odd):
    """Draw a usual value, or sometimes an odd one."""
    return usual[rng.integers(len(usual))] if rng.random() < 0.9 else odd[rng.integers(len(odd))]


def random_response(rng):
    """Draw a list of hits of one form, sometimes damaged, and sometimes within a response."""

    def item():
        return random_value(rng, list("abcdefgh"), [None, 3, np.int64(3), [1], {"x": 1}, ("a",), float("nan")])

    def score():
        return random_value(rng, [2.0, 1.0, 0.5, 0], [None, "x", float("nan"), np.float32(0.5), True, 10**400])

    makers = [
        lambda: {"_id": item(), "_score": score()},
        lambda: {"id": item(), "score": score()},
        lambda: point(item(), score()),
        lambda: Object(uuid=item(), metadata=Object(distance=score(), score=score()), properties=None),
        lambda: Object(uuid=item(), metadata=None, properties={}),
        lambda: (Document("text", id=item()), score()),
        lambda: Document("text", {"id": item()}),
        lambda: node(item(), score()),
        lambda: {"node": {"id_": item()}, "score": score()},
        lambda: {"_additional": {"id": item(), "score": str(score())}},
        item,
    ]
    make = makers[rng.integers(len(makers))]
    hits = [make() for _ in range(rng.integers(6))]
    if rng.random() < 0.1:
        hits.append(makers[rng.integers(len(makers))]())
    forms = [hits, {"hits": {"hits": hits}}, {"points": hits}, Object(points=hits), {"result": {"points": hits}}]
    return random_value(rng, forms, [{"hits": 3}, {"data": {"Get": {}}}, Response({"hits": None}), None, 3])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.PartialListsWarning")
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning")
def test_damaged_hits_are_read_or_refused_in_one_sentence(seed):
    rng = np.random.default_rng(seed)
    n_read = 0
    for _ in range(300):
        lists = {f"v{k}": random_response(rng) for k in range(rng.integers(1, 4))}
        if rng.random() < 0.3:
            lists = list(lists.values())
        options = {"duplicates": ["error", "first", "best", "mean"][rng.integers(4)]}
        if rng.random() < 0.3:
            options["key"] = ["_id", "id", {"v0": "id"}, lambda hit: hit["_id"]][rng.integers(4)]
        more = {"return_items": bool(rng.random() < 0.5), "aggregator": [None, "Copeland", "CombSUM"][rng.integers(3)]}
        for call, kwargs in ((fuse, options | more), (RankedLists.from_hits, options)):
            try:
                call([lists, lists] if call is fuse and rng.random() < 0.2 else lists, **kwargs)
                n_read += 1
            except (InputError, InputTypeError) as error:
                assert fault_of_message(str(error)) is None
    assert n_read > 100


def test_a_score_that_is_an_array_and_a_key_that_is_a_dict_are_refused():
    hits = [{"_id": "a", "_score": np.array([1.0, 2.0])}, {"_id": "b", "_score": None}]
    for call in (fuse, RankedLists.from_hits):
        with pytest.raises(InputError, match=r"hit 1 of voter 'u' has array\(\[1\., 2\.\]\)\. Convert it with float"):
            call({"u": hits})
    with pytest.raises(InputError, match=r"Every hit passed to fuse must have \{\}"):
        fuse({"u": [{"_id": "a", "_score": 1.0, "_source": {"n": 1}}]}, key={"u": {}})
    with pytest.raises((InputError, InputTypeError)):
        fuse({None: ["a"]}, weights={"u": 1})


def test_from_hits_reads_scores_of_plain_ids_by_a_function():
    found = RankedLists.from_hits({"v": ["d1", "d3", "d2"]}, score=lambda one: int(one[1]))
    assert found.to_runs() == {"v": {"q": {"d3": 3.0, "d2": 2.0, "d1": 1.0}}}


@pytest.mark.parametrize("method", [CombSUM(norm="rank"), Copeland()], ids=repr)
def test_fuse_returns_no_items_for_an_empty_query_of_a_batch(method):
    batch = [{"v": ["a", "b", "a"], "w": ["b"]}, {}, {"v": []}]
    found = fuse(batch, method, duplicates="first", return_items=True)
    assert [[one for one, _ in query] for query in found] == [["b", "a"], [], []]
