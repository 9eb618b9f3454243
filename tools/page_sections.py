"""The sections of a page in Markdown, with their examples: a reader copies one section, so each must run alone."""

import doctest
import re

#: A heading of the second level, and the first or the last line of a block of code.
_HEADING = re.compile(r"## +(?P<title>.*?)\s*$")
_FENCE = re.compile(r" *(?:```|~~~)")


def sections(text):
    r"""Split a page at its headings of the second level.

    Parameters
    ----------
    text : str
        The page.

    Returns
    -------
    list of (str, int, str)
        Title, number of the first line from 1, and text of each section. The text before the first heading has the
        title "".

    Examples
    --------
    >>> from page_sections import sections
    >>> sections("# Page\nBegin.\n## One\nText.")
    [('', 1, '# Page\nBegin.'), ('One', 3, '## One\nText.')]
    """
    parts, in_code = [("", 1, [])], False
    for number, line in enumerate(text.split("\n"), 1):
        in_code ^= bool(_FENCE.match(line))
        heading = None if in_code else _HEADING.match(line)
        if heading:
            parts.append((heading["title"], number, []))
        parts[-1][2].append(line)
    return [(title, first, "\n".join(lines)) for title, first, lines in parts]


def slug(title):
    """Return the anchor of a title, as in the address of the section: "How sure?" becomes "how-sure"."""
    return re.sub(r"[^\w]+", "-", title.lower()).strip("-") or "top"


def examples(text):
    """Return the doctest examples of a page or a section; the fences of code end an example as a blank line does."""
    return doctest.DocTestParser().get_examples(re.sub(r"^ *```.*$", "", text, flags=re.MULTILINE))
