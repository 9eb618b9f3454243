"""The README and the home page show the plots and the numbers that docs/overview_plot.py computes."""

import re

import numpy as np
import pytest

from public_api import DOCS
from skrankagg.datasets import load_formula1, load_prostate_genes

PAGES = {"README.md": DOCS.parent / "README.md", "index.md": DOCS / "index.md"}


@pytest.fixture(scope="module")
def overview():
    """Import the script that draws the plots."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        import overview_plot

        yield overview_plot


@pytest.fixture(scope="module")
def evidence():
    return (DOCS / "evidence.md").read_text(encoding="utf-8")


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("page", PAGES)
def test_pages_state_the_captions_of_the_plots(overview, page):
    text = flat(PAGES[page].read_text(encoding="utf-8"))
    words = overview.words()
    assert list(words) == list(overview.PLOTS) == list(overview.headlines())
    for name, (alternative, caption) in words.items():
        assert alternative in text and caption in text, name
        assert page == "README.md" or overview.headlines()[name] in text, name
    # The first picture shows judged collections.
    assert re.search(r"overview_\w+\.svg", text)[0] == "overview_search.svg"


def test_pictures_contain_the_description_of_the_present_numbers(overview):
    for name, (alternative, _) in overview.words().items():
        for theme in (overview.LIGHT, overview.DARK):
            text = (DOCS / "_static" / f"overview_{name}{theme.suffix}.svg").read_text(encoding="utf-8")
            assert f"<desc>{alternative}</desc>" in text, "run python docs/overview_plot.py"
            assert f"<title>{overview.PLOTS[name][0]}</title>" in text and 'role="img"' in text
            assert "<text " in text  # and not paths


def test_gain_of_five_judged_queries_equals_the_table_of_all_methods(overview, evidence):
    row = re.search(r"^LearnedWeights\(ReciprocalRankFusion\(k=20\)\), 5 queries x 20 items .*", evidence, re.MULTILINE)
    gain = float(re.search(r"\+(\d\.\d\d) ±", row[0])[1])
    rows = overview.judged_collections()
    assert np.mean([one["judged"] for one in rows]) == pytest.approx(gain, abs=0.011)
    # The same collections, with the same numbers of queries and voters.
    listed = re.findall(r"^([\w-]+) +(\d+) +(\d+) +\d+ +[\d.]+ +[\d.]+$", evidence, re.MULTILINE)
    assert [(one["collection"], str(int(one["queries"])), str(int(one["voters"]))) for one in rows] == listed


def test_elections_equal_the_summary_of_their_table(overview, evidence):
    proven, n, median = re.search(r"^proven (\d+) of (\d+)\b.* median ([\d.]+) s", evidence, re.MULTILINE).groups()
    rows = overview.elections()
    assert (len(rows), sum(yes for _, _, yes in rows)) == (int(n), int(proven))
    assert round(float(np.median([seconds for _, seconds, _ in rows])), 2) == float(median)
    assert max(candidates for candidates, _, yes in rows if yes) == 349
    # The page of Kemeny promises milliseconds for most data of up to a hundred items.
    small = [(seconds, yes) for candidates, seconds, yes in rows if candidates <= 103]
    assert len(small) > 15 and all(yes and seconds < 0.1 for seconds, yes in small)


def test_chance_of_the_champion_equals_a_plain_bootstrap(overview):
    races = load_formula1()
    races["points"] = races["rank"].map(overview.POINTS).fillna(0)
    points = races.pivot(index="voter", columns="item", values="points").fillna(0)
    assert len(points) == 20 and points.sum().nlargest(2).tolist() == [281, 278]
    rng = np.random.default_rng(1)
    drawn = np.array([points.to_numpy()[rng.integers(0, 20, 20)].sum(axis=0) for _ in range(4000)])
    # Tied first drivers share the first place in the library; count them as half.
    best = drawn == drawn.max(axis=1, keepdims=True)
    share = (best / best.sum(axis=1, keepdims=True))[:, points.columns.get_loc("Vettel")].mean()
    assert overview.drivers().set_index("item").loc["Vettel", "top_1"] == pytest.approx(share, abs=0.04)


def test_genes_equal_a_plain_correction(overview):
    lists = load_prostate_genes()
    assert lists["voter"].nunique() == 5 and (lists.groupby("voter").size() == 25).all()
    table = overview.genes()
    assert len(table) == lists["item"].nunique() == 89
    n = overview.MEASURED_GENES
    p = table["pvalue"].sort_values().to_numpy()
    # Benjamini and Hochberg: the largest k with p(k) <= level k / n.
    found = np.flatnonzero(p <= overview.LEVEL * np.arange(1, len(p) + 1) / n).max() + 1
    assert (table["adjusted"] < overview.LEVEL).sum() == found


def test_home_page_shows_the_example_of_the_readme():
    blocks = [re.search(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)[1] for path in PAGES.values()]
    assert blocks[0] == blocks[1] and "films" in blocks[0]


def test_home_page_has_a_title_a_description_and_the_three_audiences():
    text = PAGES["index.md"].read_text(encoding="utf-8")
    assert re.search(r"^# skrankagg: \w+", text, re.MULTILINE) and "pip install" in text
    assert 60 < len(re.search(r"description: (.*)", text)[1]) <= 160
    for word in ("Search", "Leaderboards", "Elections", "Genes"):
        assert re.search(rf"grid-item-card\}} {word}", text), word


def test_first_level_has_the_pages_that_visitors_look_for():
    text = PAGES["index.md"].read_text(encoding="utf-8")
    found = re.findall(r"^.* <([\w/]+)>$", text, re.MULTILINE)
    coming = ["coming_from_pyflagr", "coming_from_ranx", "coming_from_robustrankaggreg"]
    assert {"performance", "evidence", "pitfalls", "plots", "recipes", "scikit_learn", *coming} <= set(found)
    # The header shows eight of them; the rest is in its menu.
    assert {"performance", "evidence", "pitfalls", "api/index"} <= set(found[:8])
    assert not [name for name in found if name != "api/index" and not (DOCS / f"{name}.md").exists()]


def test_guide_has_four_groups_with_every_page():
    text = (DOCS / "user_guide" / "index.md").read_text(encoding="utf-8")
    groups = re.findall(r":caption: (.*)\n", text)
    listed = re.findall(r" <(\w+)>$", text, re.MULTILINE)
    assert len(groups) == 4 and len(listed) == len(set(listed))
    assert set(listed) == {path.stem for path in (DOCS / "user_guide").glob("*.md")} - {"index"}
