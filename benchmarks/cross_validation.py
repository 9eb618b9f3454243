"""Time a cross-validation of eight settings on 5 million rows, and a single transform and evaluation of each setting.

python benchmarks/cross_validation.py [--queries 1000] [--voters 50] [--length 100] [--frame]

With --frame, a frame of strings is measured too. The frame is encoded again for each setting and fold.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from _measure import best_time, table
from encoding import make_lists
from sklearn.model_selection import cross_val_score

from skrankagg import BordaCount, CombMNZ, CombSUM, Copeland, Qrels, RankedLists, ReciprocalRankFusion, evaluate
from skrankagg.metrics import make_ranking_scorer
from skrankagg.model_selection import QueryKFold

CANDIDATES = [
    CombSUM(norm="rank"),
    CombSUM(norm="borda"),
    CombSUM(norm="min-max"),
    CombMNZ(norm="rank"),
    ReciprocalRankFusion(k=1),
    ReciprocalRankFusion(k=60),
    BordaCount(),
    Copeland(),
]


def main():
    """Print, for each setting, the time of one transform, the time of the cross-validation, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--voters", type=int, default=50)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--frame", action="store_true", help="also on a frame of strings")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    frame = make_lists(arguments.queries, arguments.voters, arguments.length, "str", False, "score")
    lists = RankedLists.from_frame(frame)
    judged = frame[["query", "item"]].drop_duplicates(ignore_index=True)
    grades = np.random.default_rng(0).integers(0, 3, len(judged))
    qrels = Qrels.from_frame(pd.DataFrame({**judged, "relevance": grades}))
    scorer = make_ranking_scorer("ndcg@10", qrels=qrels)
    rows = []
    for method in CANDIDATES:
        # Cold, like the lists of a fold: nothing is derived yet.
        once = best_time(
            lambda m=method: evaluate(m.transform(RankedLists(**lists._fields())), qrels, ["ndcg@10"]),
            arguments.repeat,
        )
        folds = best_time(lambda m=method: cross_val_score(m, lists, scoring=scorer, cv=5), arguments.repeat)
        row = [repr(method), f"{once:.2f}", f"{folds:.2f}", f"{folds / once:.2f}x"]
        if arguments.frame:
            on_frame = best_time(lambda m=method: cross_val_score(m, frame, scoring=scorer, cv=QueryKFold(5)), 1)
            row += [f"{on_frame:.2f}", f"{on_frame / once:.2f}x"]
        rows.append(row)
    names = ["setting", "once s", "5 folds s", "ratio", *(["frame s", "ratio"] if arguments.frame else [])]
    table(rows, names)


if __name__ == "__main__":
    main()
