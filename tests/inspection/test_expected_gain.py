"""expected_gain: the difference on queries left out by a plain loop, the lines of the forecast, and its texts."""

import numpy as np
import pytest

from skrankagg import BordaCount, CombSUM, LearnedWeights, Qrels, RankedLists, ReciprocalRankFusion
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import expected_gain
from skrankagg.metrics import ndcg


def data(n_queries, seed=0, **options):
    options = {"n_voters": 4, "quality": 0.3, "quality_spread": 1.0, "n_items": 40, "list_length": 15} | options
    lists, qrels, _ = make_ranked_lists(n_queries=n_queries, random_state=seed, **options)
    return RankedLists.from_frame(lists), Qrels.from_frame(qrels)


@pytest.mark.parametrize("base", [None, ReciprocalRankFusion(k=5), BordaCount(), CombSUM()], ids=repr)
def test_expected_gain_left_out_equals_a_loop_over_the_queries(base):
    lists, qrels = data(6)
    method = LearnedWeights(base, alpha=0.5)
    differences = []
    for q in range(6):
        train, test = lists[[other for other in range(6) if other != q]], lists[[q]]
        learned = LearnedWeights(base, alpha=0.5).fit(train, qrels.align(train)).transform(test)
        equal = (ReciprocalRankFusion(k=20) if base is None else base).fit_transform(test)
        own = Qrels.from_frame(qrels.to_frame().query("query == @lists.queries[@q]"))
        differences.append(ndcg(learned, own, k=10, gain="linear") - ndcg(equal, own, k=10, gain="linear"))
    found = expected_gain(method, lists, qrels)
    assert found.left_out == pytest.approx(100 * np.mean(differences), abs=1e-9)
    assert found.n_queries == 6 and str(found) == found.text
    assert np.isnan(found.gain) == (base is not None and not isinstance(base, ReciprocalRankFusion))
    assert not hasattr(method, "voter_weights_")


@pytest.mark.parametrize(
    ("n_queries", "level", "slope", "std"),
    [(5, 1.6, 0.26, 2.2), (9, 1.6, 0.26, 2.2), (10, 1.6, 0.36, 1.7), (20, 2.0, 0.32, 1.9)],
)
def test_expected_gain_is_a_linear_function_of_left_out(n_queries, level, slope, std):
    found = expected_gain(LearnedWeights(), *data(n_queries))
    assert found.gain == pytest.approx(level + slope * found.left_out) and found.std == std
    assert f"{found.left_out:+.1f} points compared with equal weights" in found.text
    assert f"by about {found.gain:+.1f} ± {std} points" in found.text


def test_expected_gain_text_states_how_often_such_weights_gained():
    lists, qrels = data(5)
    clear = expected_gain(LearnedWeights(), lists, qrels)
    assert clear.left_out > 2 and clear.text.endswith("They were better in 19 of 20 cases.")
    # Equal voters have nothing to learn from: the difference is near 0.
    for n_queries, end in (
        (5, "in 3 of 4 cases. Judge five more queries for a better estimate."),
        (10, "in 17 of 20 cases."),
    ):
        found = expected_gain(LearnedWeights(shrinkage=1e9), *data(n_queries))
        assert abs(found.left_out) < 0.01 and found.text.endswith(end)
    assert expected_gain(LearnedWeights(shrinkage=1e9), *data(20)).text.endswith("in 19 of 20 cases.")


def test_expected_gain_ignores_queries_without_a_relevant_item_in_the_lists():
    lists, qrels = data(7)
    expected = expected_gain(LearnedWeights(), lists[:5], qrels)
    frame = qrels.to_frame()
    last = frame["query"].isin(lists.queries[5:])
    frame.loc[last, "relevance"] = 0
    assert expected_gain(LearnedWeights(), lists, Qrels.from_frame(frame)) == expected
    few = expected_gain(LearnedWeights(), lists[:4], qrels)
    assert few.n_queries == 4 and np.isnan([few.left_out, few.gain, few.std]).all()
    assert "These are too few to estimate the gain on new queries; judge 5 or more." in few.text


def test_expected_gain_rejects_other_methods_and_judgements():
    lists, qrels = data(5)
    with pytest.raises(
        InputError, match=r"`aggregator` must be LearnedWeights; got BordaCount\(\). Measure other methods"
    ):
        expected_gain(BordaCount(), lists, qrels)
    with pytest.raises(InputTypeError, match="must be a data frame"):
        expected_gain(LearnedWeights(), lists, [1])
    assert expected_gain(LearnedWeights(), lists.to_frame(), qrels.to_frame()) == expected_gain(
        LearnedWeights(), lists, qrels
    )
    with pytest.raises(InputError, match="share no query id"):
        expected_gain(LearnedWeights(), lists, Qrels.from_dict({"other": ["i1"]}))
