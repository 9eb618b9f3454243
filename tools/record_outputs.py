"""Record the results of every method, measure, test and inspection, and compare two records bit by bit.

    python tools/record_outputs.py before.pkl          # in the code before a change
    python tools/record_outputs.py after.pkl --against before.pkl

The second command lists each output that differs, with the columns, the number of rows, and the largest difference. It
exits with 1 if an output differs. Data are drawn with fixed seeds, and `--lists` adds files of ranked lists. The key of
an output consists of a class and a position among the golden lines of the class, so it stays the same if a parameter is
renamed.
"""

import argparse
import pickle
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from sklearn.base import clone  # noqa: E402

import skrankagg as ska  # noqa: E402
from golden import GOLDEN, LEARNT  # noqa: E402
from skrankagg import inspection, metrics, stats  # noqa: E402
from skrankagg.datasets import make_comparisons, read_lists  # noqa: E402
from skrankagg.exceptions import InputError, InputTypeError  # noqa: E402
from skrankagg.utils.estimator_checks import example_lists, example_qrels  # noqa: E402

MEASURES = [
    "map",
    "ndcg@10",
    "ndcg",
    "p@5",
    "recall@5",
    "rbp",
    "err@10",
    "mrr",
    "bpref",
    "infap",
    "r-prec",
    "success@3",
]
INSPECTED = ("tied-0", "weighted", "copies", "many-voters")
METHODS_INSPECTED = [ska.BordaCount(), ska.CombSUM(), ska.ReciprocalRankFusion(), ska.Copeland(), ska.PlackettLuce()]


def datasets():
    """Yield the name of each frame of lists, and the frame."""
    for seed in range(4):
        yield f"tied-{seed}", example_lists(seed)
    yield "full", example_lists(4, n_queries=3, n_voters=4, n_items=6, full=True, with_ties=False)
    yield "long", example_lists(5, n_queries=2, n_voters=3, n_items=60)
    frame = example_lists(6)
    yield "weighted", frame.assign(weight=frame["voter"].str[1:].astype(float) % 3 + 0.5)
    yield "copies", frame.assign(weight=frame["voter"].str[1:].astype(float) % 3 + 1.0)
    yield "many-voters", example_lists(7, n_queries=2, n_voters=40, n_items=12)
    duels, *_ = make_comparisons(n_items=6, n_comparisons=60, random_state=0)
    yield "duels", ska.RankedLists.from_comparisons(duels)


def call(function, *arguments, **options):
    """Return the result of a call, or the class of the input error that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments, **options)
        except (InputError, InputTypeError) as error:
            return type(error).__name__
    if isinstance(result, ska.RankedLists):
        result = result.to_frame()
    return result


def methods():
    """Yield a key and an estimator for each golden line."""
    seen = Counter()
    for estimator, *_ in GOLDEN + LEARNT:
        name = type(estimator).__name__
        yield f"{name}-{seen[name]}", estimator
        seen[name] += 1


def record(files):
    """Return all outputs as a dict; a value is a frame, a Series, a number or the name of an error."""
    frames = dict(datasets()) | {Path(name).name: read_lists(name) for name in files}
    found = {}
    for data, frame in frames.items():
        lists = frame if isinstance(frame, ska.RankedLists) else ska.RankedLists.from_frame(frame)
        qrels = example_qrels(lists)
        for key, estimator in methods():
            one = clone(estimator)
            if hasattr(one, "qrels"):
                one.set_params(qrels=qrels)
            found[f"{data} | {key}"] = call(one.fit_transform, lists)
            for attribute in ("query_info_", "query_voter_weights_"):
                if hasattr(one, attribute):
                    found[f"{data} | {key} | {attribute}"] = getattr(one, attribute)
        run = call(ska.BordaCount().fit_transform, lists)
        for measure in MEASURES:
            found[f"{data} | {measure}"] = call(ska.evaluate, run, qrels, [measure], per_query=True)
        found[f"{data} | agreement"] = call(metrics.agreement_matrix, lists)
        for one in METHODS_INSPECTED if data in INSPECTED else []:
            for inspect in (inspection.rank_stability, inspection.rank_confidence):
                found[f"{data} | {inspect.__name__} {type(one).__name__}"] = call(inspect, clone(one), lists)
    rng = np.random.default_rng(0)
    for n in (8, 30):
        values = pd.Series(rng.random(n), [f"q{i}" for i in range(n)])
        found[f"bootstrap_interval {n}"] = call(stats.bootstrap_interval, values)
    return found


def differences(found, expected):
    """Yield a line for each output that differs."""
    for key in sorted(found.keys() ^ expected.keys()):
        yield f"{key}: {'new' if key in found else 'gone'}"
    for key in sorted(found.keys() & expected.keys()):
        line = difference(found[key], expected[key])
        if line:
            yield f"{key}: {line}"


def difference(left, right):
    """Describe the difference of two outputs; return an empty string if the outputs are equal."""
    if pickle.dumps(left) == pickle.dumps(right):
        return ""
    if type(left) is not type(right) or not isinstance(left, pd.DataFrame):
        return "" if repr(left) == repr(right) else f"{right!r:.80} -> {left!r:.80}"
    if len(left) != len(right):
        return f"{len(right)} -> {len(left)} rows"
    parts = []
    for name in dict.fromkeys([*right.columns, *left.columns]):
        if name not in left or name not in right:
            parts.append(f"column {name} {'new' if name in left else 'gone'}")
        elif not left[name].equals(right[name]):
            changed = int((left[name].astype(str) != right[name].astype(str)).sum())
            gap = ""
            if pd.api.types.is_numeric_dtype(left[name]) and pd.api.types.is_numeric_dtype(right[name]):
                gap = f", by up to {(left[name] - right[name]).abs().max():.3g}"
            parts.append(f"column {name}: {changed} of {len(left)}{gap}")
    return "; ".join(parts)


def main():
    """Record the outputs, and compare them with an earlier record if there is one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="the record to write")
    parser.add_argument("--against", help="an earlier record to compare with")
    parser.add_argument("--lists", nargs="*", default=[], help="further files of ranked lists")
    options = parser.parse_args()
    found = record(options.lists)
    Path(options.file).write_bytes(pickle.dumps(found))
    print(f"{len(found)} outputs recorded")
    if options.against:
        lines = list(differences(found, pickle.loads(Path(options.against).read_bytes())))
        print("\n".join(lines) or "no difference")
        sys.exit(bool(lines))


if __name__ == "__main__":
    main()
