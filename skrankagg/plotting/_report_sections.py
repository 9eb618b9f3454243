"""Content of a report: title, first sentences and sections."""

from importlib.metadata import version

import numpy as np
import pandas as pd

from ..inspection._agreement import LEVEL
from ..inspection._audit import table_of
from ._contribution_bars import ContributionDisplay
from ._influence_dots import VoterInfluenceDisplay
from ._layout import labels_of
from ._plotted_values import unit_words
from ._preference_map import PreferenceProbabilityDisplay, are_sure
from ._rank_intervals import RankStabilityDisplay, percent
from ._report_numbers import FEW_FOR_INTERVALS, count, has_sets, shows_confidence
from ._report_page import Section, Text

# Largest number of voters in a table, and largest number of items in a sentence.
_MOST_VOTERS, _MOST_NAMED = 30, 12


def sections_of(report):
    """Return the title of a report, a list of the sentences below the title, and a list of the sections."""
    facts, frames, top = report.facts, report.frames, report.facts["top"]
    title = Text("Consensus of {}: query {}", (facts["lists"], facts["query"]))
    if facts["unit"] == "query":
        title = Text("Consensus of {} of {}", (facts["lists"], count(facts["n_units"], "query", "queries")))
    if facts["title"] is not None:
        title = Text("{}", (facts["title"],))
    makers = (_consensus, _audit, _groups, _sets, _pairs, _shares, _influence)
    made = [section for make in makers if (section := make(frames, facts, top)) is not None]
    caveats = Section("What to keep in mind", tuple(report.caveats), bullets=True)
    return title, [*_lead(frames, facts), *_warnings(frames)], [*made, caveats, _how(facts)]


def _lead(frames, facts):
    first = (frames["consensus"]["item"].iloc[0], count(facts["n_items"], "item"))
    if "stability" not in frames or pd.isna(frames["stability"]["rank_low"].iloc[0]):
        return [Text("{} is first of {}.", first)]
    table = frames["stability"]
    words = "{} is first of {}, and in {} % of the draws of {}."
    texts = [Text(words, (*first, percent(table["top_1"].iloc[0]), unit_words(facts["unit"])))]
    n = int((table["tied_group"] == 1).sum())
    if n > 1:
        words = "The draws do not separate the first {}: no two neighbours keep their order in {} of the draws."
        texts.append(Text(words, (count(n, "item"), _share(facts))))
    return texts


def _audit(frames, facts, top):
    if "audit" not in frames:
        return None
    frame = frames["audit"]
    words = (
        "Checks of the paired comparisons. A check warns if the defect is not due to chance, or if it is above a limit."
    )
    shown = table_of(frame)
    shown["found, and what to do"] = [
        " ".join(filter(None, pair)) for pair in zip(frame["seen"], frame["advice"], strict=True)
    ]
    return Section("Is the board sound?", (Text(words),), shown, ("reference", "p"))


def _warnings(frames):
    """Return a list with one sentence about the warnings of the audit; the list is empty if there is no audit."""
    if "audit" not in frames:
        return []
    frame = frames["audit"]
    checks = frame.loc[frame["verdict"] == "warning", "check"].tolist()
    if not checks:
        return [Text("The audit of the paired comparisons has no warnings.")]
    return [Text("The audit of the paired comparisons has warnings: {}.", (", ".join(checks),))]


def _share(facts):
    return f"{100 * facts['confidence']:g} %"


def _intervals(table):
    return [_range(*one) for one in zip(table["rank_low"], table["rank_high"], strict=True)]


def _range(low, high):
    if pd.isna(low):
        return "–"
    return f"{low:g}" if low == high else f"{low:g}–{high:g}"


def _consensus(frames, facts, top):
    share = _share(facts)
    consensus = frames["consensus"].head(top)
    columns = {
        "rank": consensus["rank"],
        "item": consensus["item"],
        "score": [f"{one:.4g}" for one in consensus["score"]],
    }
    texts, draw = [Text("The order of all lists together, best first.")], None
    if "stability" in frames:
        table, k = frames["stability"].head(top), facts["k"]
        shows_sets = shows_confidence(facts, frames)
        if not shows_sets:
            columns[f"{share} of draws"] = _intervals(table)
        columns["mean place"] = [f"{one:.1f}" for one in table["rank_mean"]]
        columns["first, %"] = [percent(one) for one in table["top_1"]]
        if k > 1:
            columns[f"first {k}, %"] = [percent(one) for one in table[f"top_{k}"]]
        columns["group"] = table["tied_group"]
        if has_sets(frames):
            columns["confidence set"] = _intervals(frames["confidence"].head(top))
        if shows_sets:
            words = "With fewer than {} {}, places vary too little over the draws, so the bars show confidence sets."
            texts.append(Text(words, (FEW_FOR_INTERVALS, unit_words(facts["unit"]))))
            words = "The confidence set contains the true rank of the item with a probability of {}."
        else:
            words = "The interval contains the place of the item in {} of the draws."
        words += " The mean place and the chances of the first places are taken over the draws."
        texts.append(Text(words, (share,)))
        drawn = frames["stability"]
        draws = f"{facts['n_resamples']} draws of {unit_words(facts['unit'])}"
        label = f"place: dot, in the consensus; bar, in {share} of {draws}"
        if shows_sets:
            drawn = drawn.assign(**{name: frames["confidence"][name] for name in ("rank_low", "rank_high")})
            label = "place: dot, in the consensus; bar, confidence set"
        draw = lambda: RankStabilityDisplay.from_frame(drawn, top=top, n_places=k, label=label)  # noqa: E731
    names = tuple(name for name in columns if name != "item")
    more = facts["n_items"] - len(consensus)
    if more > 0:
        texts.append(Text("{} below these are not shown.", (count(more, "item"),)))
    return Section(
        "The consensus", tuple(texts), pd.DataFrame(columns), names, draw, "Places of the first items, with intervals"
    )


def _groups(frames, facts, top):
    if "stability" not in frames or frames["stability"]["rank_low"].isna().all():
        return None
    rows = []
    for number, members in frames["stability"].groupby("tied_group", sort=True):
        if members["rank"].iloc[0] > top:
            break
        names = labels_of(members["item"].head(_MOST_NAMED))
        more = len(members) - len(names)
        rows.append(
            {
                "group": number,
                "places": _range(members["rank"].iloc[0], members["rank"].iloc[-1]),
                "items": ", ".join(names) + (f" and {more} more" if more else ""),
            }
        )
    words = (
        "A group ends after an item that is above the next item in at least {} of the draws. In a group, neighbours "
        "swap places more often. The first and the last item of a group may still differ."
    )
    return Section(
        "Items that the draws do not separate",
        (Text(words, (_share(facts),)),),
        pd.DataFrame(rows),
        ("group", "places"),
    )


def _sets(frames, facts, top):
    if not has_sets(frames):
        return None
    table = frames["confidence"]
    words = (
        "In the table above, the set of an item contains the true rank of the item with a probability of {}. This also "
        "holds for equally good items. The sets are therefore wider."
    )
    texts = (Text(words, (_share(facts),)),)
    if ((table["rank_low"] == 1) & (table["rank_high"] == len(table))).all():
        words = "No set excludes a place: there are too few {}, or they differ too much."
        return Section("Confidence sets of the true ranks", (*texts, Text(words, (unit_words(facts["unit"]),))))
    if shows_confidence(facts, frames):
        return Section("Confidence sets of the true ranks", texts)
    label = "place: dot, in the consensus; bar, confidence set"
    return Section(
        "Confidence sets of the true ranks",
        texts,
        draw=lambda: RankStabilityDisplay.from_frame(table, top=top, label=label),
        alt="Confidence sets of the ranks of the first items",
    )


def _pairs(frames, facts, top):
    if "preferences" not in frames or len(frames["preferences"]) < 2 or facts["n_units"] < 2:
        return None
    table = frames["preferences"]
    above = table.to_numpy()[np.triu_indices(len(table), 1)]
    n_sure = int(are_sure(above, facts["confidence"]).sum())
    words = "Of the {} of items shown, {} in the same order in at least {} of the draws. A line surrounds these pairs."
    values = (count(len(above), "pair"), _are(n_sure), _share(facts))
    level = max(facts["confidence"], 0.5 + 1e-9)
    return Section(
        "Two items at a time",
        (Text(words, values),),
        draw=lambda: PreferenceProbabilityDisplay.from_frame(table, top=top, confidence=level),
        alt="Share of the draws in which one item is above another",
    )


def _shares(frames, facts, top):
    if "contributions" not in frames:
        return None
    table = frames["contributions"]
    table = table[table["item"].isin(frames["consensus"]["item"].head(top))]
    rows = []
    for item, own in table.groupby("item", sort=False):
        own = own.sort_values("contribution", ascending=False, kind="stable")
        up, down = own[own["contribution"] > 0].head(4), own[own["contribution"] < 0].tail(3)[::-1]
        rows.append(
            {
                "item": item,
                "score": f"{own['contribution'].sum():.4g}",
                "for it most": _listed(up),
                "against it most": _listed(down),
            }
        )
    shown = pd.DataFrame(rows)
    if (shown["against it most"] == "").all():
        shown = shown.drop(columns="against it most")
    words = "The amount that each list adds to the score of an item; these shares add up to the score."
    return Section(
        "Origin of the consensus: shares of the score",
        (Text(words),),
        shown,
        ("score",),
        lambda: ContributionDisplay.from_frame(frames["contributions"], top=min(top, 10)),
        "Shares of the lists in the scores of the first items",
    )


def _listed(rows):
    names = labels_of(rows["voter"])
    return ", ".join(f"{name} {share:.3g}" for name, share in zip(names, rows["contribution"], strict=True))


def _influence(frames, facts, top):
    if "influence" not in frames:
        return None
    table = frames["influence"].sort_values("agreement", ascending=False, kind="stable", na_position="first")
    n_outliers, n_tested = int(table["outlier"].fillna(False).sum()), int(table["outlier"].notna().sum())
    n_known = int(table["agreement"].notna().sum())
    # Leave out lists of unknown agreement, because the table shows the lists that agree least.
    shown = table if len(table) <= _MOST_VOTERS else table.tail(min(_MOST_VOTERS, n_known) or _MOST_VOTERS)
    columns = {"voter": shown["voter"]}
    if shown["weight"].nunique() > 1:
        columns["weight"] = [f"{one:g}" for one in shown["weight"]]
    columns["agreement"] = [_number(one) for one in shown["agreement"]]
    columns["outlier"] = ["not tested" if pd.isna(one) else "yes" if one else "no" for one in shown["outlier"]]
    columns["swapped without it, %"] = ["–" if pd.isna(one) else f"{100 * one:.1f}" for one in shown["distance"]]
    columns["leave the first 10"] = ["–" if pd.isna(one) else str(one) for one in shown["top_changed"]]
    columns["first item changes"] = ["–" if pd.isna(one) else "yes" if one else "no" for one in shown["leader_changed"]]
    if facts["n_items"] <= 10:
        del columns["leave the first 10"]
    one = "group" if facts["has_groups"] else "list"
    words = (
        "Agreement is Kendall's tau-b of a {0} with the consensus of the other {0}s. An outlier agrees with this "
        "consensus significantly less than similar {0}s do. The other columns show the changes without the {0}."
    )
    texts = [Text(words.format(one))]
    if facts["has_groups"]:
        texts.insert(0, Text("A group contains all lists of one {}.", (facts["unit"],)))
    if n_tested:
        words = (
            "Of {{}} tested, {{}} marked as outliers. If all {0}s were good, up to {{}} of these {0}s would be marked "
            "on average, which is 5 %."
        )
        texts.append(Text(words.format(one), (count(n_tested, one), _are(n_outliers), f"{LEVEL * n_tested:.1f}")))
    if n_tested < len(table):
        words = (
            "{{}} could not be tested for outliers, because lists are too short, or because fewer than 5 {0}s can be "
            "compared."
        )
        texts.append(Text(words.format(one), (count(len(table) - n_tested, one),)))
    if n_known < len(table):
        words = (
            "The agreement of {{}} is unknown, because fewer than two items are shared with other {0}s, or because all "
            "shared items are tied."
        )
        texts.append(Text(words.format(one), (count(len(table) - n_known, one),)))
    if len(shown) < n_known:
        texts.append(Text(f"The {{}} {one}s that agree least are shown.", (len(shown),)))
    elif n_known and len(shown) < len(table):
        texts.append(Text(f"The {{}} {one}s of known agreement are shown.", (len(shown),)))
    numbers = tuple(name for name in columns if name not in ("voter", "outlier", "first item changes"))
    return Section(
        f"Origin of the consensus: influence of the {one}s",
        tuple(texts),
        pd.DataFrame(columns),
        numbers,
        lambda: VoterInfluenceDisplay.from_frame(frames["influence"], n_voters=_MOST_VOTERS),
        f"Agreement of the {one}s with the others, and the changes without them",
    )


def _are(n):
    return "1 is" if n == 1 else f"{n or 'none'} are"


def _number(value):
    return "–" if pd.isna(value) else f"{value:.2f}"


def _how(facts):
    low, middle, high = facts["length"]
    length = f"{low}" if low == high else f"{low} to {high}, median {middle:g}"
    rows = [("method", repr(facts["method"])), ("lists", f"{facts['lists']} of {facts['voters']}, of length {length}")]
    if facts["weight"] != facts["n_lists"]:
        rows.append(("weight of the lists", f"{facts['weight']:g} in all"))
    rows.append(("items", facts["n_items"]))
    if facts["can_weigh"]:
        rows.append(("draws", f"{facts['n_resamples']}, of {facts['n_units']} {unit_words(facts['unit'])}"))
        rows.append(("seed", facts["random_state"]))
    rows.append(("computed by", f"skrankagg {version('skrankagg')}"))
    return Section(
        "How it was computed", (Text("The same call gives the same page."),), pd.DataFrame(rows, columns=["", " "])
    )
