"""The benchmark of the best single run: its values equal a plain restatement, and the page has its table."""

from pathlib import Path

import numpy as np
import pytest

from skrankagg import CombSUM, Qrels, RankedLists, ReciprocalRankFusion, evaluate
from skrankagg.datasets import make_ranked_lists

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    """Import the benchmark."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        import best_runs

        yield best_runs


def test_row_equals_a_plain_restatement(script):
    lists, qrels, _ = make_ranked_lists(
        n_queries=12, n_voters=3, n_items=30, list_length=15, quality_spread=1.0, random_state=0
    )
    collection = script.prepare("small", lists, qrels, 10)
    name, n_queries, n_voters, best, *numbers = script.row(collection)
    cut = collection.lists
    assert (name, n_queries, n_voters) == ("small", 12, 3)

    def values(run):
        found = evaluate(run, Qrels.from_frame(qrels), "ndcg@10[gain=linear]", per_query=True, missing_queries="zero")
        return 100 * found.loc[cut.queries].to_numpy()[:, 0]

    # The measured queries of each draw are all but the first five of a permutation with the seed (0, draw).
    orders = [np.random.default_rng([0, draw]).permutation(12)[5:] for draw in range(20)]
    means = {voter: np.mean([values(cut.select(voters=[voter]))[one].mean() for one in orders]) for voter in cut.voters}
    rrf = np.mean([values(ReciprocalRankFusion(k=60).fit_transform(cut))[one].mean() for one in orders])
    combined = np.mean([values(CombSUM().fit_transform(cut))[one].mean() for one in orders])
    assert best == max(means, key=means.get)
    expected = [rrf, means[best] - rrf, combined - rrf]
    assert [float(text) for text in numbers[:3]] == pytest.approx(expected, abs=0.0051)
    assert isinstance(cut, RankedLists) and all(0 <= float(text) <= 1 for text in numbers[4:])


def test_page_has_the_command_and_the_columns_of_the_script(script):
    text = script.PAGE.read_text(encoding="utf-8")
    (block,) = script.BLOCK.findall(text)
    assert block.startswith(f"```console\n$ python {script.COMMAND}\n{script.HEAD[0]} ")
    heading = block.splitlines()[2].replace("best run", "best_run").replace(" >", "_>").split()
    assert heading == [name.replace(" ", "_") for name in script.HEAD]
