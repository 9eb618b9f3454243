"""Metadata hook of the build: adapt the README for a package index, where relative links are broken.

If ``[project.urls]`` in pyproject.toml contains ``Source``, relative links and pictures become absolute. Otherwise, a
link is replaced by its text, and a picture is left out.
"""

import re
from pathlib import Path

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)]+)\)")


def absolute_links(text, source=None):
    """Make the relative links of Markdown absolute; they lead to HEAD of the repository at the address `source`.

    >>> absolute_links("![a plot](docs/plot.png) and [a page](docs/page.md#part).")
    ' and a page.'
    >>> absolute_links("[a page](docs/page.md#part)", "https://host.example/project")
    '[a page](https://host.example/project/blob/HEAD/docs/page.md#part)'
    """

    def absolute(match):
        picture, words, path = match.groups()
        if source is None:
            return "" if picture else words
        return f"{picture}[{words}]({source.rstrip('/')}/{'raw' if picture else 'blob'}/HEAD/{path})"

    return _LINK.sub(absolute, text)


def get_metadata_hook():
    """Return the hook for hatchling; only builds need the hook."""
    from hatchling.metadata.plugin.interface import MetadataHookInterface

    class ReadmeHook(MetadataHookInterface):
        """Build hook that writes the README of the package's metadata."""

        def update(self, metadata):
            text = Path(self.root, "README.md").read_text(encoding="utf-8")
            text = absolute_links(text, metadata.get("urls", {}).get("Source"))
            metadata["readme"] = {"content-type": "text/markdown", "text": text}

    return ReadmeHook
