"""Prove that an extension needs one file, one golden line and one command: add one of each kind, and break it.

    python tools/prove_extension.py                   # all kinds
    python tools/prove_extension.py method --whole    # one kind, with the whole suite

The script works in a temporary copy of the project. It adds each extension as a contributor would, and a golden line if
the kind has golden lines. Then `tools/regenerate.py` writes the generated files, and draws the picture of a display.
The tests must pass. Then the extension is broken in one way after another, and the tests must fail each time. With
`--whole`, all tests run. Without it, only the tests of the project's pages, of all estimators, and of the extension's
own part run.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Extension:
    """An extension, and how to break it.

    Parameters
    ----------
    edits : tuple of (path, old, new)
        Edits by the contributor. For a new file, `old` is empty. Otherwise, `new` replaces the text `old` of a file.
    golden : tuple of (path, old, new), or None
        The golden line.
    tests : tuple of str
        Arguments of pytest for the tests that concern the extension.
    own : tuple of str
        Arguments of pytest for the extension's golden line and common checks. These run if the extension is broken.
    breaks : dict of str to (path, old, new)
        Edits that break the extension, by a description of the fault.
    pictures : tuple of str
        Displays whose pictures are committed.
    """

    edits: tuple
    golden: tuple | None
    tests: tuple
    own: tuple
    breaks: dict
    pictures: tuple = ()


DISPLAY = '''"""Dots of scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from .._data._types import PlainLists
from ..base import BaseAggregator
from ._display import Display
from ._layout import labels_of, size_of_rows, write_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["DummyDisplay"]


@dataclass(eq=False, repr=False)
class DummyDisplay(Display):
    r"""Scores of the items as dots, best on top.

    Create one with :meth:`from_estimator`.

    Parameters
    ----------
    heights : Series of shape (n_items,)
        Score of each item, indexed by the item.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    dots_ : matplotlib Line2D
        The dots.

    See Also
    --------
    ContributionDisplay : The shares of the lists in the scores.

    Examples
    --------
    >>> from skrankagg import BordaCount
    >>> from skrankagg.plotting import DummyDisplay
    >>> display = DummyDisplay.from_estimator(BordaCount(), [["a", "b"], ["a", "c"]])
    >>> display.heights.index.tolist()
    ['a', 'b', 'c']
    """

    heights: pd.Series

    _alt = "A dot for the score of each of seven documents, in the order of the consensus"

    @classmethod
    def from_estimator(
        cls, aggregator: BaseAggregator, lists: PlainLists, *, ax: Axes | None = None, **dot_kwargs: Any
    ) -> Self:
        """Aggregate the lists, and draw the scores.

        Parameters
        ----------
        aggregator : aggregator
            Any method.
        lists : DataFrame or RankedLists, or dict or list of lists
            Ranked lists.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **dot_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        DummyDisplay
        """
        heights = aggregator.fit_transform(lists).set_index("item")["score"]
        return cls(heights).plot(ax, **dot_kwargs)

    def _reason(self):
        return "" if self.heights.notna().any() else "No item has a score."

    def _draw(self, ax, **dot_kwargs):
        names = labels_of(self.heights.index)
        ax = self._new_axes(ax, *size_of_rows(names, 4.0))
        self.dots_: Line2D = ax.plot(self.heights, range(len(names)), "o", **dot_kwargs)[0]
        write_rows(ax, names)
        ax.set_xlabel("score")

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_estimator(data.BORDA, data.HITS, ax=ax)
'''
DISPLAY_FILE = "skrankagg/plotting/_dummy_dots.py"

METHOD = '''"""Halves to the power of ranks."""

import numpy as np

from ...base import BaseAggregator

__all__ = ["DummyHalving"]


class DummyHalving(BaseAggregator):
    r"""Rank items by the sum of halves to the power of their ranks.

    A first place outweighs all later ones together.

    See Also
    --------
    ReciprocalRankFusion : Falls more slowly.

    Notes
    -----
    With :math:`r_v(i)` the rank of item :math:`i` in list :math:`v` and :math:`w_v` the list's weight,

    .. math:: H(i) = \\sum_{v \\ni i} w_v 2^{-r_v(i)}.

    Tied items share their mean rank; an absent item gets 0. Linear in the number of rows.

    Examples
    --------
    >>> from skrankagg import DummyHalving
    >>> DummyHalving().fit_transform([["a", "b"], ["a", "c"]])["item"].tolist()
    ['a', 'b', 'c']
    """

    _guide = {"absent": "0", "ties": "mean rank", "cost": "$N$"}

    def _aggregate(self, lists):
        gain = lists.list_weight[lists.row_list] * 0.5**lists.rank
        return np.bincount(lists.candidate, weights=gain, minlength=lists.n_candidates)
'''
METHOD_FILE = "skrankagg/aggregators/_scores/_dummy_halving.py"

FORMAT = """
def _sniff_dummy(look):
    return [Layout("dummy", None)] if look.kind is LISTS and look.fields("csv") == ["%dummy"] else []


def _read_dummy(source, layout, kind, named):
    with opened(source) as stream:
        rows = [line.split(":") for line in stream.read().decode().splitlines()[1:]]
    query, item, score = zip(*rows, strict=True)
    ids = {"query": query, "voter": ["dummy"] * len(rows), "item": item}
    return pd.DataFrame({**ids, "score": list(map(float, score))}).astype(dict.fromkeys(ids, str))


def _write_dummy(frame, tag, rank_ties):
    rows = zip(frame["query"], frame["item"], frame["score"].tolist(), strict=True)
    return "\\n".join(["%dummy", *(f"{query}:{item}:{score!r}" for query, item, score in rows), ""]).encode()


DUMMY = Format(
    name="dummy",
    suffixes=(".dummy",),
    holds={"lists": "%dummy, and in each line query:item:score", "run": "the same"},
    expected={"lists": "a dummy"},
    shown="a dummy",
    sniff=_sniff_dummy,
    read=_read_dummy,
    write=_write_dummy,
    needs=frozenset({"score"}),
    has_ranks=False,
)

FORMATS = (FLAGR, CSV, TSV, TREC, PARQUET, JSON, TEXT, DUMMY)
"""
FORMAT_FILE = "skrankagg/datasets/_formats.py"
GOLDEN_FILE = """    (
        "dummy",
        b"%dummy\\n1:b:0.5\\n1:a:0.25\\n",
        frame_of(query=["1"] * 2, voter=["dummy"] * 2, item=["b", "a"], score=[0.5, 0.25]),
    ),
]

#: A run that"""

MEASURE = """

@define(
    "dummy",
    "Mean grade",
    formula=r"$\\frac{1}{k} \\sum_{i \\le k} rel_i$",
    agrees="none",
)
def mean_grade(ranked, k: int):
    \"\"\"Compute the mean grade of the first k places; unjudged items have grade 0.

    See Also
    --------
    precision : Counts each relevant item as 1.

    Examples
    --------
    >>> from skrankagg.metrics import mean_grade
    >>> mean_grade(["a", "b"], {"a": 3, "b": 1}, k=2)
    2.0
    \"\"\"
    return ranked.total(ranked.rate(np.fmax(ranked.grade, 0.0)), k) / k
"""
MEASURE_FILE = "skrankagg/metrics/_relevance/_precision.py"
LAST_MEASURE = "    return ranked.sum_of(*ranked.firsts(relevance_threshold), k)\n"

OPTION_FILE = "skrankagg/_command_line/_aggregate.py"

EXTENSIONS = {
    "display": Extension(
        edits=((DISPLAY_FILE, "", DISPLAY),),
        golden=None,
        tests=("tests/project", "tests/plotting", DISPLAY_FILE),
        own=("tests/plotting/test_common_displays.py", "tests/plotting/test_pages.py", "-k", "DummyDisplay"),
        breaks={
            "an empty figure": (DISPLAY_FILE, 'ax.plot(self.heights, range(len(names)), "o"', "ax.plot([], []"),
            "dots that nobody can see": (DISPLAY_FILE, '"o", **dot_kwargs', '" ", **dot_kwargs'),
            "an axis without a label": (DISPLAY_FILE, 'ax.set_xlabel("score")', 'ax.set_xlabel("")'),
            "a constructor without a display": (
                DISPLAY_FILE,
                "        return cls(heights).plot(ax, **dot_kwargs)",
                "        cls(heights).plot(ax, **dot_kwargs)",
            ),
            "axes that are not used": (DISPLAY_FILE, "cls(heights).plot(ax,", "cls(heights).plot("),
            "a picture that is stale": (DISPLAY_FILE, "size_of_rows(names, 4.0)", "size_of_rows(names, 5.0)"),
            "no description": (DISPLAY_FILE, "    _alt = ", "    _about = "),
            "an empty plot without a reason": (
                DISPLAY_FILE,
                'return "" if self.heights.notna().any() else "No item has a score."',
                'return ""',
            ),
        },
        pictures=("DummyDisplay",),
    ),
    "method": Extension(
        edits=((METHOD_FILE, "", METHOD),),
        golden=(
            "tests/golden.py",
            "\n]\n\n#: Judgements of the frame",
            '\n    (DummyHalving(), "b a c d", [1.25, 0.5 + 0.5**2.5, 0.375, 0.5**2.5]),\n]\n\n'
            "#: Judgements of the frame",
        ),
        tests=("tests/project", "tests/utils", "tests/command_line", "tests/aggregators/test_public_names.py"),
        own=("tests/utils/test_common.py", "-k", "DummyHalving"),
        breaks={
            "a wrong formula": (METHOD_FILE, "0.5**lists.rank", "0.4**lists.rank"),
            "weights that are not read": (METHOD_FILE, "lists.list_weight[lists.row_list] * 0.5", "0.5"),
            "a promise that it does not keep": (
                METHOD_FILE,
                "    _guide",
                '    _tags = {"condorcet_winner": True}\n    _guide',
            ),
        },
    ),
    "measure": Extension(
        edits=(
            (MEASURE_FILE, LAST_MEASURE, LAST_MEASURE + MEASURE),
            (MEASURE_FILE, "__all__ = [\n", '__all__ = [\n    "mean_grade",\n'),
        ),
        golden=(
            "tests/golden_measures.py",
            '    ("num_ret", ',
            '    ("dummy@3", "a x y c", GRADES, 2 / 3),\n    ("num_ret", ',
        ),
        tests=("tests/project", "tests/metrics", "tests/command_line", "tests/data/test_numbers.py"),
        own=("tests/metrics/test_every_measure.py", "-k", "dummy or every_measure or mean_grade"),
        breaks={
            "a wrong gain": (MEASURE_FILE, "np.fmax(ranked.grade, 0.0)", "np.exp2(np.fmax(ranked.grade, 0.0)) - 1"),
            "an expectation that is wrong": (
                MEASURE_FILE,
                "ranked.rate(np.fmax(ranked.grade, 0.0))",
                "np.fmax(ranked.grade, 0.0)",
            ),
            "a docstring that does not describe its parameter": (
                MEASURE_FILE,
                "def mean_grade(ranked, k: int)",
                "def mean_grade(ranked, k: int, *, relevance: float = 0.0)",
            ),
        },
    ),
    "option": Extension(
        edits=(
            (
                "skrankagg/_command_line/_usage.py",
                'help="items to show (default: 10)")\n',
                'help="items to show (default: 10)")\n'
                '    add("--from-rank", type=_count, default=1, metavar="N", help="rank of the first item")\n',
            ),
            (OPTION_FILE, "consensus.head(args.top)", "consensus[args.from_rank - 1 :].head(args.top)"),
        ),
        golden=None,
        tests=("tests/project", "tests/command_line"),
        own=("tests/command_line/test_every_option.py", "-k", "from_rank"),
        breaks={"an option that is not read": (OPTION_FILE, "consensus[args.from_rank - 1 :]", "consensus[0:]")},
    ),
    "format": Extension(
        edits=(
            (FORMAT_FILE, "\nFORMATS = (FLAGR, CSV, TSV, TREC, PARQUET, JSON, TEXT)\n", FORMAT),
            (FORMAT_FILE, "\nfrom ..exceptions import", "\nimport pandas as pd\n\nfrom ..exceptions import"),
            (FORMAT_FILE, "import Fault\n", "import Fault, opened\n"),
        ),
        golden=("tests/golden_files.py", "]\n\n#: A run that", GOLDEN_FILE),
        tests=("tests/project", "tests/datasets", "tests/command_line"),
        own=("tests/datasets/test_formats.py", "-k", "dummy or every_format"),
        breaks={
            "a lost row": (FORMAT_FILE, ".splitlines()[1:]]", ".splitlines()[1:-1]]"),
            "a number that is rounded": (FORMAT_FILE, "{score!r}", "{score:.0f}"),
            "a beginning that it does not know": (FORMAT_FILE, '["%dummy"] else', '["%other"] else'),
        },
    ),
}


def copy_project(folder):
    """Copy all files that git does not ignore, and the compiled kernels; keep the times of the files."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    compiled = [*ROOT.glob("*.so"), *ROOT.glob("skrankagg/_kernels/*.so"), *ROOT.glob("skrankagg/_kernels/*.json")]
    for name in {*listed.stdout.splitlines(), *(path.relative_to(ROOT).as_posix() for path in compiled)}:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def edit(folder, path, old, new):
    """Write a new file, or replace a text that occurs once in a file."""
    path = folder / path
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if bool(old) != bool(text) or (old and text.count(old) != 1):
        raise RuntimeError(f"{path} must contain {old!r} once; got {text.count(old) if old else 'a file'}.")
    path.write_text(text.replace(old, new) if old else new, encoding="utf-8")


def regenerate(folder, pictures=()):
    """Write the files that are generated from the code, and draw pictures of displays."""
    options = ["--pictures", *pictures] if pictures else []
    environment = {**os.environ, "PYTHONPATH": str(folder), "MPLBACKEND": "agg"}
    command = [sys.executable, "tools/regenerate.py", *options]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)


def run_tests(folder, *arguments):
    """Return True if all tests passed, and a list of the failed tests and the last line of pytest."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines()
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return done.returncode == 0, [*failed, lines[-1].strip("= ")]


def prove(kinds, whole, n_jobs):
    """Add the extensions, run the tests, and break each extension; return True if every test run ends as it must."""
    rows = []

    def record(kind, state, wanted, folder, *arguments):
        start = time.monotonic()
        passed, report = run_tests(folder, *arguments)
        rows.append((kind, state, "pass" if wanted else "fail", "pass" if passed else "fail", report[-1]))
        right = passed == wanted
        print(
            f"{kind:8} {state:36} {rows[-1][3]:5} {'' if right else 'WRONG '}{time.monotonic() - start:.0f} s",
            flush=True,
        )
        if not right:
            print("\n".join(report), flush=True)
        return right

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_project(folder)
        for kind in kinds:
            for one in filter(None, (*EXTENSIONS[kind].edits, EXTENSIONS[kind].golden)):
                edit(folder, *one)
        regenerate(folder, [name for kind in kinds for name in EXTENSIONS[kind].pictures])
        tests = [] if whole else sorted({test for kind in kinds for test in EXTENSIONS[kind].tests})
        right = [record(", ".join(kinds), "as it should be", True, folder, "-n", str(n_jobs), *tests)]
        for kind in kinds:
            for what, (path, old, new) in EXTENSIONS[kind].breaks.items():
                edit(folder, path, old, new)
                regenerate(folder)
                right.append(record(kind, what, False, folder, "-x", *EXTENSIONS[kind].own))
                edit(folder, path, new, old)
    print("\n| extension | state | must | does | last line |\n|---|---|---|---|---|")
    print("\n".join(f"| {' | '.join(row)} |" for row in rows))
    return all(right)


def main():
    """Read the arguments and prove the kinds; exit with 1 if any result is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", choices=[[], *EXTENSIONS], help="what to add (default: one of each)")
    parser.add_argument("--whole", action="store_true", help="run the whole suite")
    parser.add_argument("--n-jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    args = parser.parse_args()
    sys.exit(not prove(args.kinds or list(EXTENSIONS), args.whole, args.n_jobs))


if __name__ == "__main__":
    main()
