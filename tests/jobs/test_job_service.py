"""A service: answers of a keyword index, a vector index and a click log; one of them may not arrive."""

import asyncio
import uuid
from dataclasses import dataclass, field

import numpy as np
import pytest

from skrankagg import ReciprocalRankFusion, fuse

WEIGHTS = {"keyword": 0.5, "vector": 0.3, "clicks": 0.2}


@dataclass
class ScoredPoint:
    """A point with the fields of Qdrant's client."""

    id: str
    version: int
    score: float
    payload: dict = field(default_factory=dict)
    vector: object = None
    shard_key: object = None
    order_value: object = None


@dataclass
class QueryResponse:
    """The answer of Qdrant's client."""

    points: list


def body(found, timed_out=False):
    """Return the body of an answer of Elasticsearch; after a time-out it has no hits."""
    hits = [
        {"_index": "handbook", "_id": one, "_score": round(8 + 4 * value, 4), "_source": {"title": one[-4:]}}
        for one, value in found
    ]
    return {
        "took": 500 if timed_out else 9,
        "timed_out": timed_out,
        "_shards": {"total": 1, "successful": int(not timed_out), "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": len(hits), "relation": "eq"},
            "max_score": hits[0]["_score"] if hits else None,
            "hits": hits,
        },
    }


@pytest.fixture
def answers():
    rng = np.random.default_rng(7)
    ids = [str(uuid.UUID(int=int(one))) for one in rng.integers(1 << 60, size=40)]
    relevance = rng.gamma(1.0, size=40)

    def top(noise, n):
        value = relevance + noise * rng.normal(size=40)
        return [(ids[k], float(value[k])) for k in np.argsort(-value)[:n]]

    points = [ScoredPoint(one, 3, round(0.5 + value / 20, 6), {"text": one[-4:]}) for one, value in top(0.6, 15)]
    clicks = {one: round(max(value, 0.0) + 0.01 * k, 3) for k, (one, value) in enumerate(reversed(top(1.2, 12)))}
    return {"keyword": body(top(0.8, 20)), "vector": QueryResponse(points), "clicks": clicks}


def by_hand(answers, k=30):
    """Return the top ten by weighted reciprocal rank fusion of the lists that are not None."""
    read = {
        "keyword": lambda one: [hit["_id"] for hit in one["hits"]["hits"]],
        "vector": lambda one: [point.id for point in getattr(one, "points", one)],
        "clicks": lambda one: sorted(one, key=lambda name: -one[name]),
    }
    score = {}
    for name, one in answers.items():
        for rank, item in enumerate(read[name](one) if one is not None else [], 1):
            score[item] = score.get(item, 0) + WEIGHTS[name] / (k + rank)
    return sorted(score.items(), key=lambda pair: -pair[1])[:10]


def check(found, expected):
    assert [item for item, _ in found] == [item for item, _ in expected] and len(found) == 10
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], rel=1e-12)


def test_raw_answers_of_three_clients_are_merged_in_one_call(answers):
    check(fuse(answers, weights=WEIGHTS, top=10), by_hand(answers))
    points = answers | {"vector": answers["vector"].points}
    check(fuse(points, weights=WEIGHTS, top=10), by_hand(points))


def test_an_answer_that_did_not_arrive_is_none(answers):
    late = answers | {"clicks": None}
    check(fuse(late, weights=WEIGHTS, top=10), by_hand(late))
    del late["clicks"]
    check(fuse(late, weights=WEIGHTS, top=10), by_hand(late))
    empty = answers | {"keyword": body([], timed_out=True)}
    check(fuse(empty, weights=WEIGHTS, top=10), by_hand(empty))


def test_the_result_of_gather_is_merged(answers):
    async def ask(name):
        if name == "clicks":
            raise TimeoutError
        return answers[name]

    async def search():
        found = await asyncio.gather(*map(ask, answers), return_exceptions=True)
        return fuse(dict(zip(answers, found, strict=True)), weights=WEIGHTS, top=10)

    check(asyncio.run(search()), by_hand(answers | {"clicks": None}))


def test_a_method_reads_the_same_answers(answers):
    found = ReciprocalRankFusion(k=60, voter_weights=WEIGHTS).fit_transform(answers).head(10)
    check(list(zip(found["item"], found["score"], strict=True)), by_hand(answers, k=60))
