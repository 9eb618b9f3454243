"""The paper: form of the Journal of Open Source Software, references, and numbers that equal those of the pages."""

import re
import shutil
import subprocess
import tomllib

import pytest

from public_api import DOCS

ROOT = DOCS.parent
PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
FRONT, BODY = re.fullmatch(r"---\n(.*?)\n---\n(.*)", PAPER, re.DOTALL).groups()
ENTRIES = dict(
    re.findall(r"^@\w+\{([\w-]+),\n(.*?)^\}", (ROOT / "paper" / "paper.bib").read_text("utf-8"), re.M | re.S)
)


def flat(text):
    return " ".join(text.split())


def test_paper_has_the_sections_and_the_length_that_the_journal_asks_for():
    sections = re.findall(r"^# (.+)$", BODY, re.MULTILINE)
    required = ["Summary", "Statement of need", "State of the field", "Software design", "Research impact statement"]
    assert sections == [*required, "AI usage disclosure", "Acknowledgements", "References"]
    prose = re.sub(r"^(\||#).*$", "", BODY, flags=re.MULTILINE)
    assert 750 <= len(prose.split()) <= 1750
    fields = re.findall(r"^(\w+):", FRONT, re.MULTILINE)
    assert fields == ["title", "tags", "authors", "affiliations", "date", "bibliography"]


def test_every_citation_is_in_the_bibliography_and_every_entry_is_cited():
    cited = set(re.findall(r"@([\w-]+)", BODY.replace("nDCG@10", "")))
    assert cited == ENTRIES.keys() and len(cited) > 10


@pytest.mark.parametrize("key", ENTRIES)
def test_entries_have_the_identifiers_of_the_reference_pages(key):
    entry = ENTRIES[key]
    known = tomllib.loads((DOCS / "dois.toml").read_text(encoding="utf-8"))
    title = re.sub(r"[{}\\]", "", re.search(r"title = \{(.*)\},$", entry, re.MULTILINE)[1])
    assert re.search(r"year = \{\d{4}\}", entry) and "author = {" in entry
    doi = re.search(r"doi = \{(.*)\}", entry)
    assert doi[1] == known["doi"][title] if doi else title in known["without"]


def test_table_of_collections_equals_the_page_of_evidence():
    evidence = (DOCS / "evidence.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| ([a-z]+\d.*) \|$", BODY, re.MULTILINE)
    assert len(shown) == 9
    for line in shown:
        name, queries, voters, rrf, best, combsum, judged = line.split(" | ")
        pattern = rf"^{name} +{queries} +{voters} +\S+ +{rrf} +{re.escape(best)} +{re.escape(combsum)} +"
        assert re.search(pattern + re.escape(judged), evidence, re.MULTILINE), line
        # Some rows show that the best single run is better; the text counts these rows.
    rows = [line.split(" | ") for line in shown]
    better = sum(float(row[4]) < 0 for row in rows), sum(float(row[6]) > float(row[4]) for row in rows)
    assert better == (6, 8)
    assert "better than the best single run on six of the nine collections, and on eight of them" in flat(BODY)
    gain = sum(float(row[6]) for row in rows) / len(rows)
    assert f"gains {gain:.1f} points of nDCG@10" in flat(BODY)


def test_numbers_in_the_text_equal_those_of_the_readme():
    readme, paper = flat((ROOT / "README.md").read_text(encoding="utf-8")), flat(BODY)
    ours, flagr, ranx = re.search(r"\| merging methods \(1\) \| (\d+) \| (\d+) \| (\d+) \|", readme).groups()
    assert f"It contains {ours} methods" in paper
    assert f"offers {flagr} methods in C++" in paper and f"fuses runs with {ranx} methods" in paper
    proven, elections = re.search(r"proves the optimum for (\d+) of (\d+) real elections", readme).groups()
    assert f"On {elections} elections" in paper and f"the order of {proven} elections is proven" in paper


def test_statement_on_generative_ai_equals_that_of_contributing():
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Generative AI\n")[1].split("\n## ")[0]
    assert f"# AI usage disclosure {flat(section)}" in flat(BODY)


@pytest.mark.skipif(not (shutil.which("pandoc") and shutil.which("pdflatex")), reason="needs pandoc and pdflatex")
def test_paper_builds_to_pdf(tmp_path):
    for path in (ROOT / "paper").iterdir():
        shutil.copy(path, tmp_path)
    done = subprocess.run(
        ["pandoc", "--defaults", "draft.yaml", "--fail-if-warnings"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")
