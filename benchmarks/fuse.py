"""Time fuse on one query and on a batch of plain lists, and compare it with loops over dicts, frames, rankops and ranx.

Run it from anywhere as `python benchmarks/fuse.py`. `pip install 'skrankagg[bench]'` installs rankops and ranx; their
rows are left out if they are missing. A query is 3 lists of 100 ids from a pool of 250. A batch is 1000 queries of 5
lists of 100 ids. The times are medians of CPU times over rounds, and each round runs all calls. The ratio compares a
call with the loop of the same kind. The runs for ranx are built and compiled beforehand.
"""

import argparse
import importlib
import random
import statistics
import time
from operator import itemgetter

from _measure import table

from skrankagg import BordaCount, CombMNZ, CombSUM, RankedLists, ReciprocalRankFusion, SimpleBorda, fuse


def by_score(scores, ties):
    """Sort items by score; if `ties` is true, sort tied items by id, so that every call has the same result."""
    if ties:
        return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return sorted(scores.items(), key=itemgetter(1), reverse=True)


def loop_rrf(lists, k=60, *, ties=False):
    """Merge lists by reciprocal ranks with a dict and one sort, as most services do."""
    scores = {}
    for ids in lists:
        for rank, item in enumerate(ids, 1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (k + rank)
    return by_score(scores, ties)


def loop_comb(lists, *, ties=False):
    """Merge lists by min-max scores with a dict and one sort."""
    scores = {}
    for one in lists:
        low, high = min(one.values()), max(one.values())
        span = high - low or 1.0
        for item, score in one.items():
            scores[item] = scores.get(item, 0.0) + (score - low) / span
    return by_score(scores, ties)


def make_query(rng, n_lists, length=100, pool=250):
    """Generate lists of ids; also return the lists with scores, as pairs and as dicts."""
    ids = [[f"doc{k:05d}" for k in rng.sample(range(pool), length)] for _ in range(n_lists)]
    dicts = [dict(zip(one, sorted((rng.random() for _ in one), reverse=True), strict=True)) for one in ids]
    return ids, [list(one.items()) for one in dicts], dicts


def cpu_times(calls, rounds, repeat):
    """Return a dict from the name of each call to its median CPU seconds; every round runs all calls."""
    times = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            for _ in range(repeat):
                call()
            times[name].append((time.process_time() - start) / repeat)
    return {name: statistics.median(values) for name, values in times.items()}


def optional(name):
    """Import a library, or return None if the library is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def show(calls, base, rounds, repeat, unit):
    """Print the time of each call, and its ratio to the time of the loop of the same kind."""
    times = cpu_times(calls, rounds, repeat)
    scale = {"us": 1e6, "ms": 1e3}[unit]
    rows = [(name, f"{times[name] * scale:.0f}", f"{times[name] / times[base(name)]:.2f}") for name in calls]
    table(rows, ("call", unit, "to the loop"))


def main(rounds):
    """Print both tables."""
    rng = random.Random(0)
    ids, pairs, dicts = make_query(rng, 3)
    frame = RankedLists.from_lists(dicts).to_frame()
    rankops, ranx = optional("rankops"), optional("ranx")
    scored = {
        str(method): method
        for method in (
            CombSUM(norm="z-score"),
            CombSUM(norm="borda"),
            CombSUM(norm="rank"),
            CombSUM(norm=None),
            CombMNZ(),
            BordaCount(),
            SimpleBorda(),
        )
    }
    calls = {
        "loop over a dict, RRF": lambda: loop_rrf(ids),
        "loop, ties by id, RRF": lambda: loop_rrf(ids, ties=True),
        "fuse, RRF": lambda: fuse(ids),
        "fuse, RRF, top=10": lambda: fuse(ids, top=10),
        "loop over a dict, CombSUM": lambda: loop_comb(dicts),
        "loop, ties by id, CombSUM": lambda: loop_comb(dicts, ties=True),
        "fuse, CombSUM, dicts": lambda: fuse(dicts, CombSUM()),
        "fuse, CombSUM, pairs": lambda: fuse(pairs, CombSUM()),
        **{f"fuse, {name}": lambda method=method: fuse(dicts, method) for name, method in scored.items()},
        "frame in, frame out, RRF": lambda: ReciprocalRankFusion().fit_transform(frame),
    }
    if rankops:
        calls["rankops, RRF"] = lambda: rankops.rrf_multi(pairs)
        calls["rankops, CombSUM"] = lambda: rankops.combsum_multi(pairs)
    if ranx:
        runs = [ranx.Run({"q": one}) for one in dicts]
        calls["ranx, RRF, runs built before"] = lambda: ranx.fuse(runs, norm=None, method="rrf", params={"k": 60})
    rrf, comb = "loop over a dict, RRF", "loop over a dict, CombSUM"
    print("One query: 3 lists of 100 ids")
    show(calls, lambda name: rrf if "RRF" in name else comb, rounds, 50, "us")

    batch = [make_query(rng, 5) for _ in range(1000)]
    plain, with_scores = [one[0] for one in batch], [one[2] for one in batch]
    calls = {
        rrf: lambda: [loop_rrf(one) for one in plain],
        "fuse, RRF": lambda: fuse(plain),
        comb: lambda: [loop_comb(one) for one in with_scores],
        "fuse, CombSUM, dicts": lambda: fuse(with_scores, CombSUM()),
    }
    if rankops:
        as_pairs = [one[1] for one in batch]
        calls["rankops, RRF"] = lambda: [rankops.rrf_multi(one) for one in as_pairs]
    print("\nA batch: 1000 queries of 5 lists of 100 ids")
    show(calls, lambda name: rrf if "RRF" in name else comb, max(rounds // 20, 5), 1, "ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    main(parser.parse_args().rounds)
