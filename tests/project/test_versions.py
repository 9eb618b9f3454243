"""Versions in the project's files agree, including the oldest supported ones."""

import re
import tomllib
from pathlib import Path

import skrankagg

ROOT = Path(__file__).resolve().parents[2]


def test_oldest_txt_matches_the_project_file():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["arrow"], *extras["plot"], *extras["test"]]
    promised = dict(re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", line).groups() for line in needed if ">=" in line)
    lines = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    tried = dict(line.removesuffix(".*").split("==") for line in lines if line and not line.startswith("#"))
    tried.pop("pyparsing")  # matplotlib's own
    assert tried == promised


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_version_and_date_are_the_same_in_all_files():
    version, date = re.search(r"^## (\d\S+) \((\S+)\)$", read("CHANGELOG.md"), re.MULTILINE).groups()
    assert version == skrankagg.__version__
    assert f"version: {version}\ndate-released: {date}\n" in read("CITATION.cff")
    assert f'version: "{version}"\n' in read("tools/conda/recipe.yaml")


def test_conda_recipe_requires_the_same_versions_as_the_package():
    def names(lines):
        return {re.sub(r"[-_]", "-", re.match(r"[\w-]+", line)[0]): re.search(r"[\d.]+\d", line)[0] for line in lines}

    project = tomllib.loads(read("pyproject.toml"))
    recipe = read("tools/conda/recipe.yaml")
    part = {name: re.search(rf"  {name}:\n((?:    - .*\n)+)", recipe)[1] for name in ("host", "run")}
    listed = {name: re.findall(r"- (\S+ [>=]=[\d.]+)$", lines, re.MULTILINE) for name, lines in part.items()}
    assert names(listed["run"]) == names(line.partition(";")[0] for line in project["project"]["dependencies"])
    assert names(listed["host"]) == names(project["build-system"]["requires"])


def test_citation_and_project_file_have_the_same_addresses():
    addresses = tomllib.loads(read("pyproject.toml"))["project"].get("urls", {})
    cited = re.search(r"^repository-code: (.+)$", read("CITATION.cff"), re.MULTILINE)
    assert (cited[1].strip("\"'") if cited else None) == addresses.get("Source")


def test_citation_and_paper_have_the_authors_of_the_project_file():
    authors = [person["name"] for person in tomllib.loads(read("pyproject.toml"))["project"]["authors"]]
    for file, end in (("CITATION.cff", "\nversion:"), ("paper/paper.md", "\naffiliations:")):
        part = read(file).split("\nauthors:\n")[1].split(end)[0]
        assert re.findall(r'- name: "(.+)"', part) == authors, file
