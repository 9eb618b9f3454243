"""An arena: a CSV file of model_a, model_b, winner; a board with intervals."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from skrankagg import PlackettLuce, RankedLists
from skrankagg.datasets import read_comparisons
from skrankagg.inspection import rank_stability

MODELS = ["claude-3", "command-r", "gemini-pro", "gpt-4o", "llama-3-70b", "mistral-large", "qwen2-72b", "vicuna-13b"]
STRENGTH = np.array([1.1, 0.2, 0.7, 1.2, 0.6, 0.4, 0.5, -1.0])


@pytest.fixture(scope="module")
def battles(tmp_path_factory):
    """Write a file of 2,000 battles; return its path and its rows."""
    rng = np.random.default_rng(5)
    first = rng.integers(8, size=2000)
    second = (first + rng.integers(1, 8, size=2000)) % 8
    drawn = rng.random(2000)
    won = rng.random(2000) < 1 / (1 + np.exp(STRENGTH[second] - STRENGTH[first]))
    names = np.array(MODELS)
    frame = pd.DataFrame(
        {
            "model_a": names[first],
            "model_b": names[second],
            "winner": np.select([drawn < 0.15, drawn < 0.22, won], ["tie", "tie (bothbad)", "model_a"], "model_b"),
        }
    )
    path = tmp_path_factory.mktemp("arena") / "battles.csv"
    frame.to_csv(path, index=False)
    return path, frame


def ratings_by_hand(frame):
    """Return the Elo ratings of the model of Bradley and Terry, by a search of its own, with draws as half wins.

    The default prior of `PlackettLuce` adds .5 wins and .5 losses against an item of mean strength.
    """
    code = {name: k for k, name in enumerate(MODELS)}
    a, b = frame["model_a"].map(code).to_numpy(), frame["model_b"].map(code).to_numpy()
    share = frame["winner"].map({"model_a": 1.0, "model_b": 0.0}).fillna(0.5).to_numpy()

    def loss(log_worth):
        difference = log_worth[a] - log_worth[b]
        battles = share * np.log1p(np.exp(-difference)) + (1 - share) * np.log1p(np.exp(difference))
        prior = 0.5 * (np.log1p(np.exp(-log_worth)) + np.log1p(np.exp(log_worth)))
        return battles.sum() + prior.sum()

    found = minimize(loss, np.zeros(8), method="BFGS", options={"gtol": 1e-6}).x
    return pd.Series(400 / np.log(10) * (found - found.mean()) + 1000, MODELS)


def test_a_file_of_battles_becomes_a_board_with_intervals(battles):
    path, frame = battles
    duels = RankedLists.from_comparisons(read_comparisons(path))
    board = rank_stability(PlackettLuce(scale="elo"), duels, n_resamples=100)
    board = board.set_index("item")
    expected = ratings_by_hand(frame)
    # The prior moves the ratings by far less than a point of Elo.
    np.testing.assert_allclose(board["score"], expected[board.index], atol=1.0)
    assert board.index.tolist() == expected.sort_values(ascending=False).index.tolist()
    assert board["rank"].tolist() == list(range(1, 9)) and board.index[-1] == "vicuna-13b"
    assert (board["rank_low"] <= board["rank"]).all() and (board["rank"] <= board["rank_high"]).all()
    truth = pd.Series(400 / np.log(10) * (STRENGTH - STRENGTH.mean()) + 1000, MODELS)
    assert np.corrcoef(board["score"], truth[board.index])[0, 1] > 0.98


def test_standard_errors_of_the_ratings_match_the_information_matrix(battles):
    path, frame = battles
    found = PlackettLuce(scale="elo", std_errors="model").fit_transform(
        RankedLists.from_comparisons(read_comparisons(path))
    )
    found = found.set_index("item").loc[MODELS]
    # The inverse of the information about all ratings, under the constraint that their sum is constant.
    worth = np.log(10) / 400 * (found["score"].to_numpy() - 1000)
    information = np.zeros((8, 8))
    code = {name: k for k, name in enumerate(MODELS)}
    for a, b in zip(frame["model_a"].map(code), frame["model_b"].map(code), strict=True):
        p = 1 / (1 + np.exp(worth[b] - worth[a]))
        information[[a, b], [a, b]] += p * (1 - p)
        information[[a, b], [b, a]] -= p * (1 - p)
    errors = 400 / np.log(10) * np.sqrt(np.diag(np.linalg.pinv(information)))
    np.testing.assert_allclose(found["std_error"], errors, rtol=0.02)  # the prior adds a little information
