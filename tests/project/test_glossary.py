"""The glossary is sorted, explains each term and links to a page."""

import re

from public_api import DOCS


def test_glossary_terms_are_sorted_and_linked():
    block = re.search(r"```\{glossary\}\n(.*?)```\n", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    entries = [entry.partition("\n") for entry in block.strip().split("\n\n")]
    terms = [term for term, _, _ in entries]
    assert terms == sorted(set(terms), key=str.lower)
    assert all(re.search(r"\]\([\w/.]+\.(md|rst)", explanation) for _, _, explanation in entries)
    words = {"voter", "item", "query", "list", "consensus", "qrels", "run", "norm", "exposure", "held-out", "worth"}
    assert words <= set(terms)
