"""Aggregators of other packages, which are registered by entry points of the group skrankagg.aggregators."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from processes import environment

from skrankagg import BordaCount, CombSUM, LocalKemenization, fuse
from skrankagg._command_line import main
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.utils.discovery import all_aggregators
from skrankagg.utils.estimator_checks import check_aggregator

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "own_aggregator.md").read_text(encoding="utf-8")
SECTION = PAGE.split("## Publish it in a package of its own\n")[1]
# The two files of the page's template: the project file and the module.
PROJECT = tomllib.loads(re.search(r"```toml\n(.*?)```", SECTION, re.DOTALL)[1])
MODULE = re.search(r"```python\n(.*?)```", SECTION, re.DOTALL)[1]
LISTS = [["a", "b", "c"], ["b", "a", "d"], ["b", "d"]]


class Folder:
    """A folder of installed packages, each a module and the metadata that an installer writes."""

    def __init__(self, path):
        self.path, self.modules = path, []

    def install(self, module, code, entry_points, version="1.0"):
        self.modules.append(module)
        (self.path / f"{module}.py").write_text(code, encoding="utf-8")
        info = self.path / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}\n")
        lines = [f"{name} = {value}\n" for name, value in entry_points.items()]
        (info / "entry_points.txt").write_text("[skrankagg.aggregators]\n" + "".join(lines), encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    folder = Folder(tmp_path)
    yield folder
    for module in folder.modules:
        sys.modules.pop(module, None)


@pytest.fixture
def template(folder):
    """Install the template of the documentation, and return its entry points."""
    entry_points = PROJECT["project"]["entry-points"]["skrankagg.aggregators"]
    folder.install("my_ranks", MODULE, entry_points, PROJECT["project"]["version"])
    return entry_points


@pytest.fixture
def files(tmp_path, monkeypatch):
    lists, qrels, _ = make_ranked_lists(n_queries=4, list_length=5, random_state=0)
    monkeypatch.chdir(tmp_path)
    lists.to_csv("lists.csv", index=False)
    qrels.to_csv("qrels.csv", index=False)


def own_and(*names):
    return sorted([*all_aggregators(), *names])


# ---------------------------------------------------------------------- a package that works


def test_template_registers_a_class_that_passes_the_checks(template):
    assert PROJECT["project"]["name"] == "my-ranks" and list(template) == ["RootRank"]
    assert "RootRank" not in all_aggregators() and "RootRank" not in all_aggregators(external=False)
    classes = all_aggregators(external=True)
    assert list(classes) == own_and("RootRank")
    check_aggregator(classes["RootRank"](offset=2.0))
    # 1 / sqrt(rank + offset), by hand
    assert dict(fuse(LISTS, classes["RootRank"](offset=0)))["b"] == pytest.approx(2 + 1 / 2**0.5)


def test_all_aggregators_are_the_own_ones_without_other_packages():
    assert all_aggregators(external=True) == all_aggregators()


def test_all_aggregators_requires_a_flag():
    with pytest.raises(InputTypeError, match="`external` must be True or False; got 'yes'"):
        all_aggregators(external="yes")


def test_fuse_accepts_the_name_of_an_external_method(template):
    RootRank = all_aggregators(external=True)["RootRank"]
    assert fuse(LISTS, "RootRank") == fuse(LISTS, RootRank())
    assert fuse(LISTS, "root-rank[offset=10]") == fuse(LISTS, RootRank(offset=10)) != fuse(LISTS, RootRank())
    nested = fuse(LISTS, "LocalKemenization[aggregator=RootRank[offset=3]]")
    assert nested == fuse(LISTS, LocalKemenization(RootRank(offset=3)))


def test_unknown_names_suggest_external_methods(template):
    with pytest.raises(InputError, match=r"'RotRank' is not a method \(did you mean 'RootRank'\?\); choose from"):
        fuse(LISTS, "RotRank")


def test_methods_command_lists_external_methods_last(template, capsys):
    assert main(["methods"]) == 0
    out = capsys.readouterr().out
    own, external = out.split("\nMethods of other packages:\n\n")
    assert own == (ROOT / "skrankagg" / "_command_line" / "methods.txt").read_text(encoding="utf-8")
    name, summary, *parameters = re.split(r"\s{2,}|\n", external.strip())
    assert (name, summary, parameters) == ("RootRank", "Rank items by the sum of 1 / sqrt(rank).", ["offset=1.0"])


def test_commands_accept_names_of_external_methods(template, files, capsys):
    assert main(["aggregate", "lists.csv", "--method", "RootRank[offset=2]"]) == 0
    printed = pd.read_csv(pd.io.common.StringIO(capsys.readouterr().out))
    expected = all_aggregators(external=True)["RootRank"](offset=2).fit_transform(pd.read_csv("lists.csv"))
    assert printed["item"].tolist() == expected["item"].tolist()
    assert main(["compare", "lists.csv", "qrels.csv", "--methods", "CombSUM", "rootrank", "--metrics", "map"]) == 0
    assert {"CombSUM", "RootRank"} <= set(capsys.readouterr().out.split())
    command = ["tune", "lists.csv", "qrels.csv", "--method", "LocalKemenization", "--param"]
    assert main([*command, "aggregator=RootRank[offset=1],RootRank[offset=9]", "--quiet", "--cv", "2"]) == 0
    assert re.search(r"--param '?aggregator=RootRank\[offset=9\]|aggregator=RootRank\b", capsys.readouterr().out)


def test_names_of_this_package_load_no_entry_points(template):
    code = """
import importlib.metadata, sys
def refuse(**group):
    raise RuntimeError("entry points were read")
entry_points, importlib.metadata.entry_points = importlib.metadata.entry_points, refuse
from skrankagg import fuse
lists = [["a", "b", "c"], ["b", "a", "d"]]
fuse(lists), fuse(lists, "rrf"), fuse(lists, "BordaCount")
assert "sklearn" not in sys.modules or not {compiled}
fuse(lists, "LocalKemenization[aggregator=BordaCount]")
from skrankagg.utils.discovery import all_aggregators
assert "CombSUM" in all_aggregators() and "my_ranks" not in sys.modules
try:
    fuse(lists, "RootRank")
except RuntimeError as error:
    print(error)
"""
    from skrankagg import _kernels

    path = {**environment(), "PYTHONPATH": str(Path(sys.path[0]))}
    command = [sys.executable, "-W", "error", "-c", code.replace("{compiled}", str(_kernels.COMPILED))]
    done = subprocess.run(command, env=path, check=True, capture_output=True, text=True)
    assert done.stdout == "entry points were read\n"


def test_only_the_named_external_method_is_loaded(folder, template):
    folder.install("broken_ranks", "raise ValueError('no licence')", {"Broken": "broken_ranks:Broken"})
    assert fuse(LISTS, "RootRank[offset=5]")  # no warning of the broken package
    assert "broken_ranks" not in sys.modules


# ---------------------------------------------------------------------- packages that fail

CLASS = "from skrankagg.base import BaseAggregator\nclass {}(BaseAggregator):\n"
WORKING = (
    CLASS.format("Mine") + "    def _aggregate(self, lists):\n        return -lists.candidate_item.astype(float)\n"
)


@pytest.mark.parametrize(
    ("name", "value", "code", "reason"),
    [
        ("Mine", "bad_ranks:Mine", "import no_such_module", "raises ModuleNotFoundError: No module named"),
        ("Mine", "bad_ranks:Mine", "raise ValueError('no licence.\\nBuy one')", r"raises ValueError: no licence\. Upd"),
        ("Mine", "bad_ranks:Mine", "raise ValueError", r"bad_ranks:Mine raises ValueError\. Update"),
        ("Mine", "bad_ranks:Mine", "raise SystemExit(3)", "raises SystemExit: 3"),
        ("Mine", "bad_ranks:Mine", "class", "raises SyntaxError: invalid syntax"),
        ("Mine", "bad_ranks:Other", WORKING, "raises AttributeError: module 'bad_ranks' has no attribute 'Other'"),
        ("Mine", "no_ranks:Mine", WORKING, "raises ModuleNotFoundError: No module named 'no_ranks'"),
        ("Mine", "bad_ranks", WORKING, "is not a subclass of skrankagg.base.BaseAggregator"),
        ("Mine", "bad_ranks:Mine", "Mine = 3", "is not a subclass of skrankagg.base.BaseAggregator"),
        ("Mine", "bad_ranks:Mine", "class Mine: pass", "is not a subclass of skrankagg.base.BaseAggregator"),
        ("Other", "bad_ranks:Mine", WORKING, "the class has another name, Mine"),
        (
            "Mine",
            "bad_ranks:Mine",
            CLASS.format("Mine") + "    def __init__(self, k):\n        self.k = k\n",
            r"Mine\(\) raises TypeError: .* missing 1 required positional argument: 'k'",
        ),
        ("CombSUM", "bad_ranks:Mine", WORKING, "its name is already the name of the method CombSUM"),
        ("comb_sum", "bad_ranks:Mine", WORKING, "its name is already the name of the method CombSUM"),
        ("RRF", "bad_ranks:Mine", WORKING, "its name is already the name of the method ReciprocalRankFusion"),
    ],
)
def test_failing_package_is_named_in_a_warning_and_breaks_nothing(folder, template, capsys, name, value, code, reason):
    folder.install("bad_ranks", code, {name: value}, version="2.5")
    warning = f"The method '{name}' of the package bad_ranks 2.5 is left out: .*{reason}"
    with pytest.warns(UserWarning, match=warning) as caught:
        assert list(all_aggregators(external=True)) == own_and("RootRank")
    assert len(caught) == 1 and caught[0].filename == __file__
    assert str(caught[0].message).endswith(". Update or uninstall the package.")
    assert fuse(LISTS, "RootRank") and fuse(LISTS, "CombSUM[norm=borda]") == fuse(LISTS, CombSUM(norm="borda"))
    assert main(["methods"]) == 0
    printed = capsys.readouterr()
    assert re.search(f"^skrankagg: warning: {warning}", printed.err) and len(printed.err.splitlines()) == 1
    assert "RootRank" in printed.out and "BordaCount" in printed.out


def test_second_package_of_the_same_name_is_left_out(folder, template):
    folder.install("your_ranks", WORKING.replace("Mine", "RootRank"), {"RootRank": "your_ranks:RootRank"})
    with pytest.warns(UserWarning, match=r"'RootRank' of the package your_ranks 1\.0 is left out: its name is already"):
        assert all_aggregators(external=True)["RootRank"].__module__ == "my_ranks"
    with pytest.warns(UserWarning, match=r"your_ranks 1\.0 is left out"):
        fuse(LISTS, "RootRank[offset=4]")


def test_named_method_that_fails_is_an_unknown_method_with_a_warning(folder, files, capsys):
    folder.install("bad_ranks", "raise ValueError('no licence')", {"Mine": "bad_ranks:Mine"})
    with (
        pytest.warns(UserWarning, match="ValueError: no licence"),
        pytest.raises(InputError, match="'Mine' is not a method"),
    ):
        fuse(LISTS, "Mine")
    assert main(["aggregate", "lists.csv", "--method", "Mine"]) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert "warning: The method 'Mine' of the package bad_ranks 1.0 is left out" in first
    assert "error: 'Mine' is not a method" in second
    assert main(["aggregate", "lists.csv", "--method", "BordaCount"]) == 0
    printed = capsys.readouterr()
    assert not printed.err
    expected = BordaCount().fit_transform(pd.read_csv("lists.csv"))
    assert pd.read_csv(pd.io.common.StringIO(printed.out))["item"].tolist() == expected["item"].tolist()
