"""VoterSelector with the ids of the voters to keep."""

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from skrankagg import CombSUM, RankedLists
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.metrics import make_ranking_scorer
from skrankagg.preprocessing import VoterSelector

FRAME, QRELS, _ = make_ranked_lists(n_queries=6, n_voters=4, random_state=0)
FRAME = FRAME.assign(voter=FRAME["voter"].map({"v1": "bm25", "v2": "dense", "v3": "splade", "v4": "title"}))
NUMBERED = FRAME.assign(voter=FRAME["voter"].astype("category").cat.codes.astype(int) + 7)


@pytest.mark.parametrize("encode", [lambda frame: frame, RankedLists.from_frame], ids=["frame", "RankedLists"])
@pytest.mark.parametrize("by", [["splade", "bm25"], ("bm25", "splade"), ["bm25", "splade", "bm25"]])
def test_voter_selector_keeps_named_voters(by, encode):
    selector = VoterSelector(by)
    found = selector.fit_transform(encode(FRAME))
    found = found if encode(FRAME) is FRAME else found.to_frame()
    kept = FRAME[FRAME["voter"].isin(["bm25", "splade"])]
    assert set(found["voter"]) == {"bm25", "splade"} and len(found) == len(kept)
    table = selector.voter_scores_
    assert table.columns.tolist() == ["voter", "score", "selected"]
    assert table["voter"].tolist() == ["bm25", "splade", "dense", "title"]
    assert table["score"].tolist() == [1.0, 1.0, 0.0, 0.0] and table["selected"].tolist() == [True, True, False, False]


def test_voter_selector_accepts_integer_ids():
    selector = VoterSelector([9, 7]).fit(NUMBERED)
    assert set(selector.transform(NUMBERED)["voter"]) == {7, 9}
    with pytest.raises(InputError, match=r"got '9' \(did you mean 9\?\)\. The voters are 7, 8, \.\.\."):
        VoterSelector(["9"]).fit(NUMBERED)


@pytest.mark.parametrize(
    ("by", "options", "words"),
    [
        (["bm25", "dens"], {}, r"must name voters that have lists; got 'dens' \(did you mean 'dense'\?\)\."),
        (["xyz"], {}, r"got 'xyz'. The voters are 'bm25', 'dense', \.\.\."),
        ([], {}, "`by` must name at least one voter"),
        (["bm25"], {"n_voters": 1}, "must be None if `by` names the voters"),
        (["bm25"], {"threshold": "mean"}, "must be None if `by` names the voters"),
        ("bm25", {}, r"must be a measure; got 'bm25', which is a voter. To keep this voter, write by=\['bm25'\]"),
        ("bm26", {}, "'bm26' is not a measure"),
    ],
)
def test_voter_selector_rejects_unknown_names(by, options, words):
    with pytest.raises(InputError, match=words):
        VoterSelector(by, **options).fit(FRAME)


def test_voter_selector_rejects_values_that_are_not_ids():
    with pytest.raises(InputTypeError, match="`by` must contain ids of voters"):
        VoterSelector([["bm25"]]).fit(FRAME)


@pytest.mark.parametrize("unknown_voter", ["keep", "ignore", "error"])
def test_voter_selector_with_names_drops_unknown_voters(unknown_voter):
    seen = FRAME[FRAME["voter"] != "title"]
    selector = VoterSelector(["bm25"], unknown_voter=unknown_voter).fit(seen)
    assert set(selector.transform(FRAME)["voter"]) == {"bm25"}
    with pytest.raises(InputError, match=r"All lists would be removed.* Call fit with lists of these voters\.$"):
        selector.transform(FRAME[FRAME["voter"] == "title"])
    with pytest.raises(InputError, match="All lists would be removed: their voters were not selected in fit"):
        selector.transform(FRAME[FRAME["voter"] == "dense"])


def test_grid_search_selects_named_voters():
    steps = Pipeline([("select", VoterSelector(["bm25"])), ("sum", CombSUM())])
    assert clone(steps).get_params()["select__by"] == ["bm25"]
    grid = {"select__by": [["bm25"], ["bm25", "dense"], ("bm25", "dense", "splade", "title")]}
    search = GridSearchCV(steps, grid, scoring=make_ranking_scorer("ndcg@10", qrels=QRELS), cv=2)
    scores = search.fit(RankedLists.from_frame(FRAME)).cv_results_["mean_test_score"]
    assert len(set(scores)) == 3 and scores[2] == max(scores)
