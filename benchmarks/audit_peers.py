"""Verdicts of `audit` and of arenakit 0.1.1 on the nine boards of `arenakit.demo`.

Run it from anywhere as `python benchmarks/audit_peers.py`, after `pip install arenakit`; it takes about a minute of one
core. Each board has one planted defect, except the first one. The table contains the checks that warn.
"""

import numpy as np
import pandas as pd
from _measure import table

from skrankagg import RankedLists
from skrankagg.inspection import audit

N_RESAMPLES = 300


def read(arena):
    """Read the battles of an arena of arenakit as ranked lists."""
    models = np.array(arena.models)
    frame = pd.DataFrame(
        {
            "model_a": models[arena.a],
            "model_b": models[arena.b],
            "winner": np.array(["model_a", "model_b", "tie"])[arena.y],
            "judge": arena.voter,
        }
    )
    return RankedLists.from_comparisons(frame, voter="judge", position=True)


def main():
    """Audit the boards and print the table."""
    from arenakit.demo import DEMOS
    from arenakit.probes import run_audit

    rows = []
    for demo in DEMOS:
        arena = demo.build()
        ours = audit(read(arena)).set_index("check")
        theirs = sorted(run_audit(arena, n_resamples=N_RESAMPLES).flags)
        warned = ours.index[ours["verdict"] == "warning"]
        stopped = " (others skipped)" if (ours["verdict"] == "skipped").sum() == 10 else ""
        rows.append([demo.key, ", ".join(theirs) or "-", (", ".join(warned) or "-") + stopped])
    table(rows, ["board", "arenakit", "audit"])


if __name__ == "__main__":
    main()
