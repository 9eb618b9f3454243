"""Orders of a language model that ranks passages: shuffles of one prompt, and overlapping windows of a long list.

Run it from anywhere as `python benchmarks/rerankers.py [--draws 20]`; it takes about half a minute.

The model ranks the passages of a prompt by their quality, with random errors, and favours the passages at the beginning
of the prompt. The tables contain Kendall's tau with the true order, as a mean over draws.

- shuffles: 20 passages fit into one prompt. The model sees them in several random orders.
- windows along one order: 100 passages, sorted by a first search engine, in windows of 20 that begin at every tenth
  place. All other passages are missing from a window.
- windows of shuffles: the same windows along four random orders.

Windows compare only their own passages. The methods with `absent="last"` rank the passages outside of a window below
the passages in the window.
"""

import argparse
import warnings

import numpy as np
from _measure import table
from scipy.stats import kendalltau

from skrankagg import BordaCount, HodgeRank, Kemeny, PlackettLuce, RankedLists, ReciprocalRankFusion

N_SHORT, N_LONG, WINDOW, STEP = 20, 100, 20, 10
NOISE, BIAS = 0.3, 0.6

SHUFFLES = {
    "Kemeny()": Kemeny(),
    "BordaCount()": BordaCount(),
    "ReciprocalRankFusion()": ReciprocalRankFusion(),
    "the first shuffle alone": None,
}
WINDOWS = {
    'PlackettLuce(absent="ignore", prior=0.01)': PlackettLuce(absent="ignore", prior=0.01),
    'PlackettLuce(absent="ignore")': PlackettLuce(absent="ignore"),
    'HodgeRank(absent="ignore")': HodgeRank(absent="ignore"),
    'BordaCount(absent="ignore")': BordaCount(absent="ignore"),
    "BordaCount()": BordaCount(),
    "PlackettLuce()": PlackettLuce(),
    "ReciprocalRankFusion()": ReciprocalRankFusion(),
}


def qualities(n):
    """Return the true qualities, from best to worst."""
    return np.linspace(3, -3, n)


def answer(prompt, quality, rng):
    """Return the order in which the model ranks the passages of a prompt."""
    place = np.linspace(BIAS / 2, -BIAS / 2, len(prompt))
    return prompt[np.argsort(-(quality[prompt] + place + NOISE * rng.gumbel(size=len(prompt))))]


def windows(order):
    """Return the windows of an order, each as an array of passages."""
    return [order[start : start + WINDOW] for start in range(0, len(order) - WINDOW + 1, STEP)]


def tau(method, answers, quality):
    """Return Kendall's tau of the consensus of some answers with the true order."""
    names = np.array([f"p{k:03d}" for k in range(len(quality))])
    lists = RankedLists.from_lists([names[one].tolist() for one in answers])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some methods are the wrong choice for windows
        board = method.fit_transform(lists)
    return kendalltau(-board["rank"], quality[[int(name[1:]) for name in board["item"]]])[0]


def main():
    """Read the arguments and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=20)
    n_draws = parser.parse_args().draws
    quality, numbers, rows = qualities(N_SHORT), (3, 5, 10), {name: [] for name in SHUFFLES}
    for n in numbers:
        found = {name: [] for name in SHUFFLES}
        for seed in range(n_draws):
            rng = np.random.default_rng([seed, n])
            answers = [answer(rng.permutation(N_SHORT), quality, rng) for _ in range(n)]
            for name, method in SHUFFLES.items():
                found[name].append(
                    tau(BordaCount(), answers[:1], quality) if method is None else tau(method, answers, quality)
                )
        for name, one in found.items():
            rows[name].append(f"{np.mean(one):.3f}")
    table([[name, *row] for name, row in rows.items()], ["shuffles of one prompt", *map(str, numbers)])
    print()
    quality, rows = qualities(N_LONG), {name: [] for name in WINDOWS}
    for shuffled in (False, True):
        found = {name: [] for name in WINDOWS}
        for seed in range(n_draws):
            rng = np.random.default_rng([seed, shuffled])
            first = np.argsort(-(quality + 1.5 * rng.normal(size=N_LONG)))
            orders = [rng.permutation(N_LONG) for _ in range(4)] if shuffled else [first]
            answers = [answer(window, quality, rng) for order in orders for window in windows(order)]
            for name, method in WINDOWS.items():
                found[name].append(tau(method, answers, quality))
        for name, one in found.items():
            rows[name].append(f"{np.mean(one):.3f}")
    table([[name, *row] for name, row in rows.items()], ["windows", "along one order", "of four shuffles"])


if __name__ == "__main__":
    main()
