"""The retrievers on the page about services, with LangChain and LlamaIndex where they are installed."""

import asyncio
import re

import numpy as np
import pytest

from public_api import DOCS
from skrankagg import ReciprocalRankFusion, fuse

BLOCKS = re.findall(
    r"```python\n(.*?)```", (DOCS / "user_guide" / "services.md").read_text(encoding="utf-8"), re.DOTALL
)
WEIGHTS = {"keyword": 0.3, "vector": 0.71, "late": 5.0}


def run_block(word):
    """Run the only block of the page that contains a word; return what it defines."""
    (block,) = (one for one in BLOCKS if word in one and ">>>" not in one)
    names = {"__name__": "page_of_services"}
    exec(compile(block, "services.md", "exec"), names)
    return names


def requests(n):
    """Generate pairs of lists of items without ties in their weighted sums of reciprocal ranks."""
    rng = np.random.default_rng(1)
    while n:
        lists = {name: rng.permutation(20)[: rng.integers(3, 12)].tolist() for name in ("keyword", "vector")}
        found = fuse(lists, "rrf", weights=WEIGHTS)
        if len({round(score, 12) for _, score in found}) == len(found):
            n -= 1
            yield lists


def test_retriever_of_langchain_on_the_page_orders_like_ensemble_retriever_and_keeps_its_time():
    pytest.importorskip("langchain_core", reason="runs the page's retriever of LangChain")
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Fixed(BaseRetriever):
        documents: list
        delay: float = 0.0

        def _get_relevant_documents(self, query, *, run_manager):
            return self.documents

        async def _aget_relevant_documents(self, query, *, run_manager):
            await asyncio.sleep(self.delay)
            return self.documents

    fused_retriever = run_block("langchain_core")["FusedRetriever"]
    for lists in requests(3):
        retrievers = {
            name: Fixed(documents=[Document(f"text {k}", metadata={"list": name}) for k in items])
            for name, items in lists.items()
        }
        expected = [f"text {k}" for k, _ in fuse(lists, "rrf", weights=WEIGHTS, top=10)]
        ours = fused_retriever(retrievers=retrievers, weights=WEIGHTS, timeout=30)
        late = Fixed(documents=[Document("text 99")] * 5, delay=60)
        assert [one.page_content for one in ours.invoke("words")] == expected
        assert [one.page_content for one in asyncio.run(ours.ainvoke("words"))] == expected
        timed = fused_retriever(retrievers=retrievers | {"late": late}, weights=WEIGHTS, timeout=0.3)
        assert [one.page_content for one in asyncio.run(timed.ainvoke("words"))] == expected
        try:
            from langchain_classic.retrievers import EnsembleRetriever
        except ImportError:
            continue
        peer = EnsembleRetriever(retrievers=list(retrievers.values()), weights=[0.3, 0.71], c=60)
        assert [one.page_content for one in peer.invoke("words")][:10] == expected


def test_retriever_of_llama_index_on_the_page_merges_nodes_and_keeps_its_time():
    pytest.importorskip("llama_index.core", reason="runs the page's retriever of LlamaIndex")
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, TextNode

    class Fixed(BaseRetriever):
        def __init__(self, items, delay=0.0):
            super().__init__()
            self.nodes = [
                NodeWithScore(node=TextNode(text="t", id_=f"n{k}"), score=1 / place) for place, k in enumerate(items, 1)
            ]
            self.delay = delay

        def _retrieve(self, query_bundle):
            return self.nodes

        async def _aretrieve(self, query_bundle):
            await asyncio.sleep(self.delay)
            return self.nodes

    fused_nodes = run_block("llama_index")["FusedNodes"]
    for lists in requests(3):
        retrievers = {name: Fixed(items) for name, items in lists.items()}
        expected = [(f"n{k}", score) for k, score in fuse(lists, ReciprocalRankFusion(), weights=WEIGHTS, top=10)]
        ours = fused_nodes(retrievers, weights=WEIGHTS, timeout=30)
        timed = fused_nodes(retrievers | {"late": Fixed([99], delay=60)}, weights=WEIGHTS, timeout=0.3)
        for found in (
            ours.retrieve("words"),
            asyncio.run(ours.aretrieve("words")),
            asyncio.run(timed.aretrieve("words")),
        ):
            assert [(one.node.node_id, one.score) for one in found] == expected
