"""Sphinx extension: extra words of pages, which the search finds although the pages do not contain them.

`search_words.toml` lists the words of each page. The build adds them to Sphinx's own index, so the search also works on
pages that are opened as files. Each entry becomes an entry of the index, and its words count like words of the page's
title. The pages do not show these words, and neither does the list of index entries.
"""

import tomllib
from pathlib import Path

from sphinx.errors import ExtensionError

FILE = Path(__file__).resolve().with_suffix(".toml")


def read_words(path=FILE):
    """Return a dict from the name of each page to its entries."""
    return tomllib.loads(path.read_text(encoding="utf-8"))["pages"]


def add_words(indexer, pages):
    """Add the entries of each page to the index of the search."""
    unknown = sorted(set(pages) - set(indexer._titles))
    if unknown:
        raise ExtensionError(f"{FILE.name} must name pages of the documentation; got {', '.join(unknown)}.")
    for page, entries in pages.items():
        known = indexer._index_entries.setdefault(page, [])
        for entry in entries:
            if (entry, "", "main") not in known:
                known.append((entry, "", "main"))
            for word in indexer.lang.split(entry):
                stem = indexer.lang.stem(word.lower())
                if indexer.lang.word_filter(stem):
                    indexer._title_mapping.setdefault(stem, set()).add(page)


def add_to_builder(app):
    """Add the words after all pages are read, before the index is written; yield no further page."""
    if app.builder.format == "html" and getattr(app.builder, "indexer", None) is not None:
        add_words(app.builder.indexer, read_words())
    return []


def setup(app):
    """Register the extension with Sphinx."""
    app.connect("html-collect-pages", add_to_builder)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
