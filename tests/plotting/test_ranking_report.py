"""ranking_report: all numbers are shown, omissions are explained, and ids are escaped."""

import importlib.util
import re
import sys
import warnings
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from skrankagg import Agglomerative, BordaCount, CombSUM, Copeland, MarkovChain, PlackettLuce, RankedLists
from skrankagg.base import BaseAggregator
from skrankagg.datasets import make_comparisons, make_ranked_lists
from skrankagg.exceptions import ExposureWarning, FewListsWarning, InputError, InputTypeError, MissingLibraryError
from skrankagg.inspection import audit, rank_confidence, rank_stability, voter_contributions, voter_influence
from skrankagg.plotting import RankingReport, _report_numbers, ranking_report
from skrankagg.plotting._report_sections import sections_of

FEW = {"n_resamples": 50}


def make(n_queries=1, n_voters=20, n_items=8, **kwargs):
    given = {"list_length": None, "quality": 0.8, "random_state": 0, **kwargs}
    return make_ranked_lists(n_queries=n_queries, n_voters=n_voters, n_items=n_items, **given)[0]


@pytest.fixture(scope="module")
def lists():
    return make()


@pytest.fixture(scope="module")
def report(lists):
    return ranking_report(BordaCount(), lists, **FEW)


class Reader(HTMLParser):
    """Collects the tags and the text of a page, and checks that tags close in order."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.text = [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_ranking_report_frames_equal_the_results_of_the_functions(report, lists):
    pd.testing.assert_frame_equal(
        report.frames["stability"], rank_stability(BordaCount(), lists, places=[1, 3], n_resamples=50)
    )
    pd.testing.assert_frame_equal(report.frames["confidence"], rank_confidence(BordaCount(), lists, n_resamples=50))
    pd.testing.assert_frame_equal(report.frames["contributions"], voter_contributions(BordaCount(), lists))
    pd.testing.assert_frame_equal(report.frames["influence"], voter_influence(BordaCount(), lists))
    pd.testing.assert_frame_equal(report.frames["consensus"], BordaCount().fit_transform(lists))
    assert repr(report) == "RankingReport(query='q1', 8 items, 20 lists)"


@pytest.mark.exhaustive
def test_ranking_report_html_has_every_section_and_is_self_contained(plt, report):
    open_before = plt.get_fignums()
    html = report.to_html()
    page = Reader(html)
    headings = re.findall(r'<h2 class="part">(.*?)</h2>', html)
    assert headings == [
        "The consensus",
        "Items that the draws do not separate",
        "Confidence sets of the true ranks",
        "Two items at a time",
        "Origin of the consensus: shares of the score",
        "Origin of the consensus: influence of the lists",
        "What to keep in mind",
        "How it was computed",
    ]
    pictures = [attrs for tag, attrs in page.tags if tag == "img"]
    assert len(pictures) in (4, 5)
    assert all(one["src"].startswith("data:image/svg+xml;base64,") and one["alt"] for one in pictures)
    assert not any(tag in ("script", "link") for tag, _ in page.tags)
    assert not [attrs for _, attrs in page.tags if "http" in str(attrs.get("href", ""))]
    text = " ".join(page.text)
    assert "BordaCount()" in text and "50, of 20 lists" in text and "seed" in text
    assert report.to_html() == html
    assert plt.get_fignums() == open_before
    assert "<img" not in report.to_html(pictures=False)
    shown = report._repr_html_()
    assert "<html" not in shown and shown.count("<img") == len(pictures)
    # A notebook has a title of its own.
    assert html.count("<h1") == 1 and "<h1" not in shown and "<h2" not in shown and shown.count("<h3") == 1


def test_ranking_report_markdown_has_the_same_tables(report):
    text = report.to_markdown()
    rows = [line for line in text.splitlines() if re.match(r"\| \d+ \| i\d", line)]
    assert len(rows) == 8
    first = report.frames["stability"].iloc[0]
    assert f"| {first['item']} |" in rows[0] and f"{first['rank_low']}" in rows[0]
    assert "50, of 20 lists" in text and "<" not in re.sub(r"\\<", "", text)


@pytest.mark.exhaustive
def test_ranking_report_escapes_ids(plt):
    evil = {"i1": "<script>alert(1)</script>", "i2": "a|b *c* [d](e) {0} {name}", "i3": "two\nlines", "i4": "$x_1$"}
    frame = make().replace({"item": evil, "voter": {"v01": "<img src=x>"}, "query": {"q1": "<b>q</b> {1}"}})
    weights = {one: 1.0 + (one == "<img src=x>") for one in frame["voter"].unique()}
    report = ranking_report(BordaCount(voter_weights=weights), frame, **FEW)
    page = Reader(report.to_html())
    assert not any(tag in ("script", "b") or attrs.get("src") == "x" for tag, attrs in page.tags)
    text = " ".join(page.text)
    assert all(" ".join(one.split()) in text for one in evil.values()) and "query <b>q</b> {1}" in text
    markdown = report.to_markdown()
    assert r"\<script\>alert(1)\</script\>" in markdown and r"a\|b \*c\* \[d\](e) \{0\} \{name\}" in markdown
    tables = [line for line in markdown.splitlines() if line.startswith("| ")]
    columns = {len(re.findall(r"(?<!\\)\|", line)) for line in tables if "script" in line}
    assert columns and "two lines" in markdown


def test_ranking_report_save_chooses_the_format_by_suffix(report, lists, tmp_path, monkeypatch):
    monkeypatch.setattr(RankingReport, "to_html", lambda self: "<p>page</p>")  # pages take long because of pictures
    report.save(tmp_path / "a.html")
    report.save(str(tmp_path / "b.md"))
    report.save(tmp_path / "c.txt", "markdown")
    assert (tmp_path / "a.html").read_text("utf-8") == "<p>page</p>"
    assert (tmp_path / "b.md").read_text("utf-8") == report.to_markdown() == (tmp_path / "c.txt").read_text("utf-8")
    again = ranking_report(BordaCount(), lists, path=tmp_path / "d.md", title="Our $ <b>", **FEW)
    assert isinstance(again, RankingReport)
    assert (tmp_path / "d.md").read_text("utf-8").startswith("# Our \\$ \\<b\\>\n")
    with pytest.raises(InputError, match=r"`path` must end in \.html or \.md; got '.*e\.pdf'"):
        ranking_report(BordaCount(), lists, path=tmp_path / "e.pdf")
    with pytest.raises(InputError, match="`format` must be one of 'html', 'markdown'; got 'pdf'"):
        ranking_report(BordaCount(), lists, format="pdf")


def test_ranking_report_omits_unsupported_sections_with_a_reason(plt, lists):
    copeland = ranking_report(Copeland(), lists, **FEW)
    assert sorted(copeland.frames) == ["consensus", "influence", "preferences", "stability"]
    text = copeland.to_markdown()
    assert "There are no confidence sets for Copeland" in text
    assert "The scores of Copeland are not sums over the lists, so the report contains no shares" in text
    agglomerative = ranking_report(Agglomerative(), lists)
    assert sorted(agglomerative.frames) == ["consensus", "influence"]
    text = agglomerative.to_markdown()
    assert "Agglomerative does not accept weights of lists, so lists cannot be drawn at random." in text
    assert "seed" not in text
    assert "Places over draws" not in text
    Reader(agglomerative.to_html())


@pytest.mark.parametrize("n_voters", [1, 3])
def test_ranking_report_reports_few_lists_in_the_text_and_by_one_warning(n_voters):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = ranking_report(BordaCount(), make(n_voters=n_voters), **FEW)
    assert [one.category for one in caught] == [FewListsWarning]
    assert caught[0].filename == __file__
    assert ("There is 1 list" if n_voters == 1 else "There are 3 lists") in report.to_markdown()
    Reader(report.to_html(pictures=False))
    assert ("influence" in report.frames) == (n_voters > 1)


def test_ranking_report_by_query_pools_the_lists_into_one_board():
    frame = make(n_queries=6, n_voters=4)
    weights = {"v1": 3.0, "v2": 0.5, "v3": 1.0, "v4": 0.0}
    report = ranking_report(CombSUM(voter_weights=weights), frame, unit="query", **FEW)
    text = report.to_markdown()
    assert text.startswith("# Consensus of 24 lists of 6 queries") and "50, of 6 queries" in text
    stability = report.frames["stability"]
    pd.testing.assert_frame_equal(report.frames["consensus"][["item", "rank"]], stability[["item", "rank"]])
    np.testing.assert_allclose(report.frames["consensus"]["score"], stability["score"])
    scores = report.frames["contributions"].groupby("item", sort=False)["contribution"].sum()
    np.testing.assert_allclose(scores, stability["score"])
    assert "q1 / v1" in set(report.frames["influence"]["voter"])
    single = frame[frame["voter"] == "v1"]
    tasks = ranking_report(BordaCount(), single, unit="query", **FEW)
    assert set(tasks.frames["influence"]["voter"]) == {f"q{k}" for k in range(1, 7)}
    Reader(report.to_html(pictures=False))


class Plain(BaseAggregator):
    """Borda points without parameters, so without weights of voters."""

    def _aggregate(self, lists):
        return BordaCount()._aggregate(lists)


def test_ranking_report_by_query_accepts_methods_without_voter_weights():
    frame = make(n_queries=6, n_voters=2)
    found, expected = (ranking_report(method, frame, unit="query", **FEW) for method in (Plain(), BordaCount()))
    pd.testing.assert_frame_equal(found.frames["consensus"], expected.frames["consensus"])


class Fragile(BaseAggregator):
    """Borda points that fail if the first list is not drawn."""

    def _aggregate(self, lists):
        if lists.list_weight[0] == 0:
            raise InputError("the first list is missing")
        return BordaCount()._aggregate(lists)


@pytest.mark.filterwarnings("ignore:Fragile:UserWarning")
def test_ranking_report_counts_draws_in_which_the_method_failed(lists):
    report = ranking_report(Fragile(), lists, **FEW)
    (n_valid,) = report.frames["stability"]["n_resamples"].unique()
    assert 0 < n_valid < 50
    assert f"The method failed in {50 - n_valid} draws. These draws are left out." in report.to_markdown()


def test_ranking_report_leaves_out_what_would_take_long(lists, monkeypatch):
    monkeypatch.setattr(_report_numbers, "_CONFIDENCE_CELLS", 50 * 20 * 8**2 - 1)
    monkeypatch.setattr(_report_numbers, "_MOST_PAIRED", 7)
    report = ranking_report(BordaCount(), lists, n_places=1, **FEW)
    assert not {"confidence", "preferences"} & {*report.frames}
    text = report.to_markdown()
    assert "Confidence sets were left out, because they take long for so many items and lists." in text
    assert "first, %" in text and "first 1, %" not in text
    monkeypatch.setattr(_report_numbers, "_CONFIDENCE_CELLS", 50 * 20 * 8**2)
    monkeypatch.setattr(_report_numbers, "_MOST_PAIRED", 8)
    assert {"confidence", "preferences"} <= {*ranking_report(BordaCount(), lists, **FEW).frames}


def test_ranking_report_names_the_lists_that_lower_a_score_most():
    report = ranking_report(CombSUM(norm="z-score"), make(quality=0.2), **FEW)
    text = report.to_markdown()
    shares = report.frames["contributions"]
    own = shares[shares["item"] == report.frames["consensus"]["item"].iloc[0]]
    lowest = own.loc[own["contribution"].idxmin()]
    assert lowest["contribution"] < 0
    (line,) = [line for line in text.splitlines() if f"{lowest['voter']} {lowest['contribution']:.3g}" in line][:1]
    assert "against it most" in text and line.split("|")[-2].strip().startswith(f"{lowest['voter']} ")


def test_ranking_report_is_shown_in_a_notebook(report, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)  # without matplotlib, there are no pictures
    page = report._repr_html_()
    Reader(page)
    assert "<img" not in page and "<h1" not in page and "<h2" not in page
    title = report.to_markdown().splitlines()[0].removeprefix("# ")
    assert re.search(rf"<h3[^>]*>{title}</h3>", page)
    assert page.count("<table>") == report.to_html(pictures=False).count("<table>") > 0


def test_ranking_report_needs_one_of_several_queries(plt):
    frame = make(n_queries=3)
    report = ranking_report(BordaCount(), frame, "q2", **FEW)
    assert report.to_markdown().startswith("# Consensus of 20 lists: query q2\n")
    pd.testing.assert_frame_equal(
        report.frames["stability"],
        rank_stability(BordaCount(), frame[frame["query"] == "q2"], places=[1, 3], n_resamples=50),
    )
    with pytest.raises(InputError, match="ranking_report shows one query"):
        ranking_report(BordaCount(), frame)
    with pytest.raises(InputTypeError, match="`aggregator` must be an aggregator"):
        ranking_report("Borda", frame, "q2")


def test_ranking_report_names_a_drawn_seed_that_reproduces_it(lists):
    drawn = ranking_report(BordaCount(), lists, random_state=None, **FEW)
    seed = drawn.facts["random_state"]
    assert f"| seed | {seed} |" in drawn.to_markdown()
    again = ranking_report(BordaCount(), lists, random_state=seed, **FEW)
    assert again.to_markdown() == drawn.to_markdown()


@pytest.mark.exhaustive
def test_ranking_report_shows_only_the_first_items_of_long_boards(plt):
    report = ranking_report(BordaCount(), make(n_items=30, n_voters=40), top=5, n_places=1, **FEW)
    text = report.to_markdown()
    assert "25 items below these are not shown." in text
    assert report.frames["preferences"].shape == (5, 5) and len(report.frames["stability"]) == 30
    assert "The 30 lists that agree least are shown." in text and "first, %" in text and "first 1," not in text
    Reader(report.to_html())


@pytest.mark.parametrize(("n_voters", "sets"), [(49, True), (50, False)])
def test_ranking_report_shows_confidence_sets_below_fifty_lists(plt, n_voters, sets):
    report = ranking_report(BordaCount(), make(n_voters=n_voters), **FEW)
    text = report.to_markdown()
    section = text.partition("## The consensus")[2].partition("##")[0]
    assert "confidence set" in section and ("95 % of draws" in section) != sets
    assert ("With fewer than 50 lists" in section) == sets
    told = "in about 81 % of cases with 10 lists, in 90 % with 20 and in 95 % with 50"
    assert (told in text) == sets and ("Confidence sets are therefore shown" in text) == sets
    _, _, sections = sections_of(report)
    display = sections[0].draw()
    shown = report.frames["confidence" if sets else "stability"]
    np.testing.assert_array_equal(display.table["rank_low"].astype(int), shown["rank_low"].astype(int))
    np.testing.assert_array_equal(display.table["rank_high"].astype(int), shown["rank_high"].astype(int))
    assert ("confidence set" in display.ax_.get_xlabel()) == sets


def test_ranking_report_keeps_intervals_for_methods_without_confidence_sets(plt):
    text = ranking_report(Copeland(), make(n_voters=12), **FEW).to_markdown()
    assert "95 % of draws" in text and "So confidence sets" not in text
    assert "in about 81 % of cases with 10 lists" in text


def test_ranking_report_states_the_expected_outliers_among_good_lists(plt):
    frame = make(n_voters=30, n_items=12, adversarial_share=0.1)
    report = ranking_report(BordaCount(), frame, **FEW)
    text = report.to_markdown()
    n = int(report.frames["influence"]["outlier"].sum())
    assert 3 <= n <= 5  # three are reversed
    assert (
        f"Of 30 lists tested, {n} are marked as outliers. If all lists were good, up to 1.5 of these lists would"
        in text
    )
    assert "of 100 good lists, up to 5 are marked" in text and "tested at the level of 5 %, each" not in text


def test_ranking_report_omits_unknown_agreement_from_the_lowest_voters():
    frame = make(n_voters=6)
    single = pd.DataFrame({"query": "q1", "voter": [f"one {k:02d}" for k in range(40)], "item": "i1", "rank": 1})
    report = ranking_report(BordaCount(), pd.concat([frame, single.assign(score=1.0)]), **FEW)
    text = report.to_markdown()
    section = text.partition("influence of the lists")[2].partition("##")[0]
    assert "one 0" not in section and section.count("| v") == 6 + 1
    assert "The agreement of 40 lists is unknown" in section and "The 6 lists of known agreement are shown." in section
    assert "agree least" not in section
    assert (
        "Of 6 lists tested, none are marked as outliers. If all lists were good, up to 0.3 of these lists would"
        in section
    )
    Reader(report.to_html(pictures=False))


def test_ranking_report_shows_tables_without_matplotlib(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert "<table>" in report.to_html(pictures=False) and report.to_markdown()
    with pytest.raises(MissingLibraryError, match="Plots need matplotlib"):
        report.to_html()


# ---------------------------------------------------------------------- the audit of paired comparisons


@pytest.fixture(scope="module")
def duels():
    made = make_comparisons(6, 600, tie_probability=0.1, n_voters=20, random_state=0).comparisons
    flipped = np.arange(len(made)) % 2 == 0
    frame = pd.DataFrame(
        {
            "model_a": made["winner"].where(flipped, made["loser"]),
            "model_b": made["loser"].where(flipped, made["winner"]),
            "winner": np.where(made["tie"], "tie", np.where(flipped, "model_a", "model_b")),
            "judge": made["judge"],
        }
    )
    return RankedLists.from_comparisons(frame, voter="judge", position=True)


def test_the_audit_is_a_section_with_all_its_sentences(duels):
    report = ranking_report(PlackettLuce(prior=0.2), duels, audit=True, unit="judge", **FEW)
    expected = audit(duels, PlackettLuce(prior=0.2), unit="judge", **FEW)
    pd.testing.assert_frame_equal(report.frames["audit"], expected)
    text = Reader(report.to_html()).text
    page = " ".join(text)
    assert "Is the board sound?" in page
    assert all(sentence in page for sentence in [*expected["seen"], *filter(None, expected["advice"])])
    warned = ", ".join(expected.loc[expected["verdict"] == "warning", "check"])
    assert (f"has warnings: {warned}." if warned else "has no warnings.") in page
    assert "## Is the board sound?" in report.to_markdown()
    for verdicts, words in ((["ok"], "has no warnings."), (["ok", "warning"], "has warnings: votes.")):
        checks = expected.iloc[[0, 3]].assign(check=["connectivity", "votes"], verdict=[verdicts[0], verdicts[-1]])
        changed = RankingReport({**report.frames, "audit": checks}, report.facts, report.caveats)
        assert f"The audit of the paired comparisons {words}" in changed.to_markdown()


def test_a_page_of_comparisons_has_no_caveat_about_absent_items(duels):
    assert "treatment of absent items" not in ranking_report(PlackettLuce(), duels, **FEW).to_markdown()
    with pytest.warns(ExposureWarning):
        page = ranking_report(PlackettLuce(absent="last"), duels, **FEW).to_markdown()
    assert "treatment of absent items" in page


def test_a_page_with_a_grouping_as_unit_shows_the_influence_of_its_groups(duels):
    report = ranking_report(PlackettLuce(), duels, unit="judge", **FEW)
    expected = voter_influence(PlackettLuce(), duels, unit="judge")
    pd.testing.assert_frame_equal(report.frames["influence"], expected)
    page = report.to_markdown()
    assert "influence of the groups" in page and "A group contains all lists of one judge." in page
    assert "of the other lists" not in page and "Each list is tested" not in page


def test_the_audit_is_added_on_request_only(duels, report):
    assert "audit" not in report.frames and "Is the board sound?" not in report.to_html()
    found = ranking_report(MarkovChain(chain="mct"), duels, audit=True, **FEW).frames["audit"]
    pd.testing.assert_frame_equal(found, audit(duels, **FEW))
    with pytest.raises(InputError, match="`lists` must be paired comparisons"):
        ranking_report(BordaCount(), make(), audit=True, **FEW)
    with pytest.raises(InputError, match="`audit` must be False if unit='query'"):
        ranking_report(PlackettLuce(), duels, audit=True, unit="query", **FEW)
    with pytest.raises(InputTypeError, match="`audit` must be"):
        ranking_report(PlackettLuce(), duels, audit="yes", **FEW)
