"""The package declares the libraries that it imports, and the documentation gives the reason for each of them."""

import ast
import re
import sys
import tomllib

from public_api import DOCS

ROOT = DOCS.parent

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = {re.match(r"[\w-]+", line)[0] for line in PROJECT["dependencies"]}
#: Names of distributions that differ from the names of their modules.
MODULE_OF = {"scikit-learn": "sklearn"}
#: Libraries that a user installs for one function or class; without them, everything else works.
OPTIONAL = {"dask", "matplotlib", "polars", "pyarrow", "pyspark", "pyterrier", "pytest", "skops"}


def libraries(tree):
    """Return the libraries that a module imports as a whole, or in any of its functions."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.partition(".")[0])
    return found - {"skrankagg"} - sys.stdlib_module_names


def test_package_imports_every_dependency_and_declares_all_that_it_imports():
    modules = (ROOT / "skrankagg").rglob("*.py")
    imported = set().union(*(libraries(ast.parse(path.read_text(encoding="utf-8"))) for path in modules))
    assert imported - OPTIONAL == {MODULE_OF.get(name, name) for name in DECLARED}


SECTION = (DOCS / "releasing.md").read_text(encoding="utf-8").split("\n## Dependencies\n")[1].split("\n## ")[0]


def test_documentation_gives_a_reason_for_each_dependency():
    reasons = dict(re.findall(r"^\| `([\w-]+)` \| (.+) \|$", SECTION, re.MULTILINE))
    assert reasons.keys() == DECLARED
    assert f"imports {len(DECLARED)} libraries" in SECTION


def test_readme_states_the_size_that_the_table_sums_up():
    table = re.search(r"```console\n(.*?)```", SECTION, re.DOTALL)[1]
    rows = re.findall(r"^([a-z][\w-]+) +(?:[\d.]+ +)?(\d+\.\d)", table, re.MULTILINE)
    sizes = {name: float(size) for name, size in rows}
    total = sizes.pop("sum")
    assert sizes.keys() >= {name.replace("_", "-") for name in DECLARED} | {"skrankagg"}
    assert abs(sum(sizes.values()) - total) < 0.05 * len(sizes)
    assert f"An installation takes {total:.0f} MB, including {sizes['skrankagg']:.0f} MB for skrankagg" in SECTION
    for page in (ROOT / "README.md", DOCS / "getting_started.md"):
        assert f"An installation takes {total:.0f} MB" in page.read_text(encoding="utf-8"), page
