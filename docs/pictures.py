"""Titles and descriptions inside pictures in SVG, for readers who cannot see them."""

import re
from html import escape


def describe_svg(path, title, description):
    """Add a role, a title and a description to a picture that matplotlib has saved."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r" <title>.*?</title>\n", "", text, count=1)  # matplotlib writes a title without a description
    parts = f"<title>{escape(title, quote=False)}</title>\n <desc>{escape(description, quote=False)}</desc>\n "
    text = re.sub(r"<svg ", '<svg role="img" ', text, count=1)
    path.write_text(text.replace(" <metadata>", f" {parts}<metadata>", 1), encoding="utf-8")
