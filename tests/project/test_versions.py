"""The oldest supported versions are those on which the suite runs."""

import re
import tomllib
from pathlib import Path

import skrankagg

ROOT = Path(__file__).resolve().parents[2]


def test_the_oldest_versions_are_those_of_the_project_file():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["arrow"], *extras["plot"], *extras["test"]]
    promised = dict(re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", line).groups() for line in needed if ">=" in line)
    lines = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    tried = dict(line.removesuffix(".*").split("==") for line in lines if line and not line.startswith("#"))
    tried.pop("pyparsing")  # matplotlib's own
    assert tried == promised


def test_the_version_to_cite_is_the_version():
    assert f"version: {skrankagg.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
