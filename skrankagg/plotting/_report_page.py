"""Layout of a report as one page, in HTML with embedded pictures or in Markdown."""

import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from io import BytesIO

import pandas as pd

from .._support._text_tables import markdown_rows
from ._display import import_pyplot
from ._layout import one_line

_STYLE = """
.skrankagg-report { background: #fff; color: #1a1a1a; font: 15px/1.5 system-ui, sans-serif; max-width: 62rem;
  margin: 0 auto; padding: 1rem; box-sizing: border-box; text-align: left; }
.skrankagg-report .title { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
.skrankagg-report .part { font-size: 1.15rem; margin: 2rem 0 .3rem; }
.skrankagg-report p, .skrankagg-report li { max-width: 46rem; margin: .3rem 0; overflow-wrap: anywhere; }
.skrankagg-report ul { padding-left: 1.2rem; }
.skrankagg-report .scroll { overflow-x: auto; margin: .6rem 0; }
.skrankagg-report table { border-collapse: collapse; font-size: .88rem; background: #fff; color: inherit; margin: 0; }
.skrankagg-report th, .skrankagg-report td { padding: .22rem .6rem; text-align: left !important; vertical-align: top;
  border: 0; border-bottom: 1px solid #e5e5e5; background: #fff; max-width: 24rem; overflow-wrap: break-word; }
.skrankagg-report thead th { border-bottom: 1px solid #8c8c8c; overflow-wrap: normal; vertical-align: bottom; }
.skrankagg-report table .number { text-align: right !important; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.skrankagg-report .opening { font-size: 1.05rem; }
.skrankagg-report img { display: block; max-width: 100%; height: auto; }
@media (max-width: 40rem) { .skrankagg-report { padding: .7rem; }
  .skrankagg-report img { max-width: none; } }
"""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$])")


@dataclass(frozen=True)
class Text:
    """Sentence `words` with placeholders ``{}`` for the values in `data`.

    When the sentence is written to a page, special characters of the values are escaped.
    """

    words: str
    data: tuple = ()


@dataclass(frozen=True)
class Section:
    """Section of the page, with a heading, explanations, a table and a picture.

    `numbers` contains the columns of `table` that are right-aligned. `draw` creates a Display for the picture, and
    `alt` is the alternative text of the picture. If `bullets` is true, the explanations are a bulleted list.
    """

    title: str
    texts: tuple
    table: pd.DataFrame | None = None
    numbers: tuple = ()
    draw: Callable | None = None
    alt: str = ""
    bullets: bool = False


def _fill(text, quote):
    return text.words.format(*(quote(one_line(one)) for one in text.data))


def _markdown(value):
    return _SPECIAL.sub(r"\\\1", value)


def picture_of(draw):
    """Return an SVG picture of a Display, and the picture's width in inches; equal displays have equal pictures."""
    plt = import_pyplot()
    file = BytesIO()
    # Without these settings, the ids of SVG elements and the date would be different in each call.
    with plt.rc_context({"svg.hashsalt": "skrankagg", "svg.fonttype": "path"}):
        figure = draw().figure_
        figure.savefig(file, format="svg", metadata={"Date": None})
        plt.close(figure)
    return file.getvalue(), figure.get_size_inches()[0]


def html_of(title, lead, sections, pictures, level=1):
    """Write the report as a part of an HTML page, including the styles; `level` is the heading level of the title."""
    parts = [f"<style>{_STYLE}</style>", f'<h{level} class="title">{_fill(title, escape)}</h{level}>']
    parts += [f'<p class="opening">{_fill(text, escape)}</p>' for text in lead]
    for section in sections:
        parts.append(f'<h{level + 1} class="part">{section.title}</h{level + 1}>')
        if section.bullets:
            parts.append("<ul>" + "".join(f"<li>{_fill(text, escape)}</li>" for text in section.texts) + "</ul>")
        else:
            parts += [f"<p>{_fill(text, escape)}</p>" for text in section.texts]
        if section.draw is not None and pictures:
            svg, inches = picture_of(section.draw)
            source = f"data:image/svg+xml;base64,{b64encode(svg).decode()}"
            image = f'<img alt="{escape(section.alt)}" width="{inches * 88:.0f}" src="{source}">'
            parts.append(f'<div class="scroll">{image}</div>')
        if section.table is not None:
            parts.append(_html_table(section))
    body = "\n".join(parts)
    return f'<div class="skrankagg-report">{body}</div>'


def _html_table(section):
    kinds = ['class="number"' if name in section.numbers else "" for name in section.table]

    def cells(tag, values):
        made = (
            f"<{tag} {kind}".rstrip() + f">{escape(str(one))}</{tag}>" for one, kind in zip(values, kinds, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    head = "" if all(name == "" for name in section.table) else f"<thead>{cells('th', section.table)}</thead>"
    rows = "\n".join(cells("td", row) for row in section.table.itertuples(index=False, name=None))
    return f'<div class="scroll"><table>{head}<tbody>\n{rows}\n</tbody></table></div>'


def html_page(title, body):
    """Turn the HTML of a report into a complete page."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_fill(title, escape)}</title></head>\n"
        f'<body style="margin: 0; background: #fff">\n{body}\n</body></html>\n'
    )


def markdown_of(title, lead, sections):
    """Write the report in Markdown, without pictures."""
    lines = [f"# {_fill(title, _markdown)}", ""]
    for text in lead:
        lines += [_fill(text, _markdown), ""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        if section.bullets:
            lines += [*(f"- {_fill(text, _markdown)}" for text in section.texts), ""]
        else:
            for text in section.texts:
                lines += [_fill(text, _markdown), ""]
        if section.table is not None:
            rows = [section.table, *section.table.itertuples(index=False, name=None)]
            cells = [[_markdown(one_line(one)) for one in row] for row in rows]
            left = [k for k, name in enumerate(section.table) if name not in section.numbers]
            lines += [markdown_rows(cells, left), ""]
    return "\n".join(lines)
