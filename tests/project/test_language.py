"""Docstrings, messages and pages have short sentences that name their subject; the check itself works."""

import json
import tomllib
from fnmatch import fnmatch

import pytest

import check_language

#: Files without a finding. Add each file that becomes clean, until all are here.
CLEAN = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/*.md",
    "notebooks/*.ipynb",
    "skrankagg/*.py",
    "tools/*.py",
    "benchmarks/*.py",
    "docs/*.py",
    "tests/*.py",
)


def test_language_exceptions_have_a_reason():
    entries = tomllib.loads(check_language.EXCEPTIONS.read_text(encoding="utf-8"))["exception"]
    assert all(set(entry) == {"text", "reason"} and entry["text"] and entry["reason"] for entry in entries)


@pytest.mark.exhaustive
def test_clean_files_stay_clean_and_every_exception_is_needed():
    found, unused = check_language.check()
    broken = [finding for finding in found if any(fnmatch(finding.path, pattern) for pattern in CLEAN)]
    assert not broken, "\n" + "\n".join(map(str, broken))
    assert not unused


def test_every_pattern_of_clean_files_matches_a_file():
    names = [path.relative_to(check_language.ROOT).as_posix() for path in check_language.files()]
    assert [pattern for pattern in CLEAN if not any(fnmatch(name, pattern) for name in names)] == []


def test_files_lists_sources_of_every_kind_but_no_generated_files():
    names = [path.relative_to(check_language.ROOT).as_posix() for path in check_language.files()]
    assert {
        "README.md",
        "docs/conf.py",
        "docs/index.md",
        "notebooks/01_quick_start.ipynb",
        "skrankagg/__init__.py",
        "tests/conftest.py",
        "tools/check_language.py",
    } <= set(names)
    assert not [name for name in names if name.startswith(("docs/api/", "docs/_build/", "docs/notebooks/"))]


def words(number):
    return " ".join(["word"] * number) + "."


def markdown(text):
    return [(line, problem) for line, problem, _ in check_language.check_markdown(text)]


def python(text, name="skrankagg/_a.py"):
    return [(line, problem) for line, problem, _ in check_language.check_python(text, name)]


@pytest.mark.parametrize("expression", check_language.EXPRESSIONS)
def test_check_language_finds_forbidden_expressions(expression):
    assert markdown(f"A\nb {expression} c.") == [(2, f'"{expression}"')]
    assert markdown(f"# {expression.title()} c") == [(1, f'"{expression}"')]
    assert python(f'"""Do a.\n\nThe b {expression} c.\n"""') == [(3, f'"{expression}"')]
    assert markdown(f"Not of{expression} or {expression}s, nor `{expression}`.") == []


def test_check_language_accepts_plain_uses_of_an_expression():
    assert markdown("There are no lists. They are no longer sorted. They are no worse.") == []


@pytest.mark.parametrize("first", check_language.HEADLESS)
def test_check_language_finds_forbidden_first_words_of_docstrings(first):
    assert python(f'def f():\n    """{first} a b is."""') == [(2, "first word")]
    assert python(f'class A:\n    """\n    {first} a b is.\n    """') == [(2, "first word")]
    assert python(f'def f():\n    """Find a.\n\n    {first} a b is.\n    """') == []
    assert python(f'def f():\n    """{first}ever."""') == []


def test_check_language_finds_sentences_above_30_words():
    assert markdown(words(30)) == []
    assert markdown(f"Short. {words(31)}") == [(1, "31 words")]
    assert markdown(f"Short.\n\nA\n{words(30)}") == [(3, "31 words")]
    assert python(f'"""Do.\n\n{words(31)}\n"""') == [(3, "31 words")]


@pytest.mark.parametrize("end", [". ", "? ", "! ", '." ', ".) ", ".** "])
def test_check_language_finds_the_end_of_a_sentence(end):
    half = " ".join(["word"] * 16)
    assert markdown(half + end + half) == []


@pytest.mark.parametrize("text", ["e.g. ", "i.e. ", "vs. ", "et al. ", "J. ", "... and ", "3.5 ", "; ", ": "])
def test_check_language_ignores_points_inside_a_sentence(text):
    half = " ".join(["word"] * 15)
    assert len(markdown(f"{half} {text} {half} {half}")) == 1


@pytest.mark.parametrize(
    "text",
    ["`f(a, b, c)`", "``f(a, ` b)``", "$a + b = c$", "[a b c d](page.md#e)", "![a b c](d.svg)", "[`a b` c](d.md)"],
)
def test_check_language_counts_code_math_and_links_as_one_word(text):
    assert markdown(" ".join([text] * 30) + ".") == []
    assert len(markdown(" ".join([text] * 31) + ".")) == 1


def test_check_language_reads_the_words_of_links_and_pictures():
    assert markdown("A [list of which b](c.md).") == [(1, '"of which"')]
    assert markdown("A [list](those/of%20which.md) or [c](of which).") == []
    assert markdown(f"![{words(31)}](c.svg)") == [(1, "31 words")]


def test_check_language_reads_items_headings_and_cells():
    text = " ".join(["word"] * 20)
    assert markdown(f"- {text}\n- {text}\n  {text}\n\n1. {text}\n2. {text}") == [(2, "40 words")]
    assert markdown(f"# {text}\n{text}\n\n## {text}\n\n{text}") == []
    assert markdown(f"| {text} | {text} |\n|---|:--:|\n| {text} | a \\| {text} {text} |") == [(3, "41 words")]


def test_check_language_skips_bibliography_entries():
    authors = " ".join(["A. Name,"] * 20)
    assert markdown(f'- {authors} "A title of a paper", A Journal 12, 1998: words.') == []
    assert len(markdown(f"- {authors} without a title, 1998.")) == 1
    assert len(markdown(f'- Words: {authors} "a quotation", 1998.')) == 1


def test_check_language_skips_code_and_formulas_in_markdown():
    bad = f"{words(31)} of which"
    fenced = f"```python\n{bad}\n```\n\n```\n{bad}\n```\n\n```{{eval-rst}}\n{bad}\n\n{bad}\n```\n"
    assert markdown(f"---\na: {bad}\n---\n{fenced}\n<!-- {bad}\n{bad} -->\n\n    {bad}\n\n$$\n{bad}\n$$\n") == []
    assert markdown(f"- a\n\n      {bad}\n\n  b\n") == []
    assert markdown(f":::{{grid-item-card}} {words(3)}\n:link: {bad}\n{words(31)}\n:::") == [(3, "31 words")]
    assert markdown(f":::{{note}} {words(31)}\n:::") == [(1, "31 words")]


def test_check_language_reads_a_glossary_as_prose():
    assert markdown(f"```{{glossary}}\nterm\n    {words(30)}\n\nother\n    {words(31)}\n```\n\n{words(31)}\n") == [
        (6, "31 words"),
        (9, "31 words"),
    ]


NUMPYDOC = '''
def f(a):
    """Do.

    {prose}

    .. math::

        {bad}

    With code::

        {bad}

    - {half}
    - {half}
      and

      so.

    ======  ======
    {half}  {half}
    ======  ======
    {half}  {half}
    ======  ======

    Parameters
    ----------
    a : {bad}
        {prose}

    Returns
    -------
    {bad}
        {prose}

    See Also
    --------
    a, b, c : {prose}
    d : {half}
        and more.

    References
    ----------
    .. [1] {bad}

    Examples
    --------
    {prose}

    >>> {bad}
    {bad}

    {prose}
    """
'''


def test_check_language_reads_the_parts_of_numpydoc():
    half, bad = " ".join(["word"] * 20), f"{words(31)} of which"
    assert python(NUMPYDOC.format(prose=words(30), half=half, bad=bad)) == []
    text = NUMPYDOC.format(prose="PROSE", half=half, bad=bad)
    lines = [number for number, line in enumerate(text.split("\n"), 1) if "PROSE" in line]
    found = python(text.replace("PROSE", words(31)))
    assert found == [(line, "31 words") for line in lines] and len(lines) == 6


def test_check_language_reads_comments_behind_commands_as_sentences():
    lines = "\n".join(f"python a.py {name}   # {words(20)}" for name in "abc")
    assert python(f'"""Do.\n\n{lines}\n"""') == []


@pytest.mark.parametrize(
    "code",
    [
        'raise InputError("TEXT")',
        'raise errors.InputError("TEXT", parameter="a")',
        'error = ValueError("TEXT")',
        'warnings.warn("TEXT", UserWarning, stacklevel=2)',
        'warn_user("TEXT", UserWarning)',
        'raise TypeError(f"TEXT" "")',
        'raise TypeError("" + f"TEXT" + name)',
        'raise TypeError("TEXT" % name)',
        'raise TypeError("TEXT" if a else "b")',
        'raise TypeError("b" if a else f"{a} TEXT")',
    ],
)
def test_check_language_reads_messages_of_errors_and_warnings(code):
    def problems(text, name="skrankagg/_a.py"):
        return [problem for _, problem in python(f"def f(a):\n    {code.replace('TEXT', text)}", name)]

    assert problems("a of which b") == ['"of which"']
    assert problems(words(31)) in (["31 words"], ["32 words"])
    assert problems(words(29)) == []
    assert problems("a of which b", "tools/a.py") == []


def test_check_language_counts_a_value_in_a_message_as_one_word():
    text = " ".join(["{', '.join(map(str, a))}"] * 30)
    assert python(f'raise A(f"{text}")\nraise AError(f"{text}.")') == []
    assert python(f'raise AError(f"{text} {{a}}.")') == [(1, "31 words")]


def test_check_language_reads_markdown_cells_of_notebooks():
    cells = [
        {"cell_type": "code", "source": ["a = 'b of which c'\n", "a"]},
        {"cell_type": "code", "metadata": {"mystnb": {"image": {"alt": "Bars of which two."}}}, "source": ["a"]},
        {"cell_type": "markdown", "source": ["# A\n", "\n", "The b of which c.\n", words(31)]},
    ]
    text = json.dumps({"cells": cells}, indent=1)
    lines = text.split("\n")
    found = [(lines[line - 1].strip(), problem) for line, problem, _ in check_language.check_notebook(text)]
    assert found == [
        ('"alt": "Bars of which two."', '"of which"'),
        ('"The b of which c.\\n",', '"of which"'),
        (f'"{words(31)}"', "31 words"),
    ]


def test_check_language_omits_exceptions_and_reports_unused_ones(tmp_path, monkeypatch, capsys):
    page, exceptions = tmp_path / "page.md", tmp_path / "exceptions.toml"
    page.write_text("The first of which b.\n\nThe second of which b.", encoding="utf-8")
    monkeypatch.setattr(check_language, "EXCEPTIONS", exceptions)

    exceptions.write_text("exception = []", encoding="utf-8")
    assert check_language.main([page]) == 1
    out = capsys.readouterr().out
    assert out == (
        f'{page.as_posix()}:1: "of which": The first of which b.\n'
        f'{page.as_posix()}:3: "of which": The second of which b.\n2 findings\n'
    )

    entry = '[[exception]]\ntext = "{}"\nreason = "A test."\n'
    exceptions.write_text("".join(map(entry.format, ("The first", "The second", "third"))), encoding="utf-8")
    assert check_language.main([page]) == 0
    assert check_language.check([page]) == ([], ["third"])
