"""Command `skrankagg audit`, which checks whether paired comparisons are a sound basis for a leaderboard."""

import pandas as pd

from .. import PlackettLuce
from ..inspection import audit as audit_board
from ..inspection._audit import text_of
from ._input import covariates_of, find_sources, load_lists
from ._python_words import in_flags
from ._report import check_outputs, write_results
from ._usage import files_of


def audit(args, progress):
    check_outputs(args.out)
    lists = load_lists(find_sources(args.lists), args, progress, position=True)
    method = PlackettLuce(covariates=list(covariates_of(args.covariates)) or None)
    options = {"unit": args.unit, "n_resamples": args.draws, "random_state": args.random_state or 0}
    if args.query_column is None:
        frame = _audit(lists, method, options, args, progress)
        write_results(frame.set_index("check"), args.out)
        print(text_of(frame))
        return
    queries = lists.queries.tolist()
    frames = [_audit(lists.take([k]), method, options, args, progress) for k in range(len(queries))]
    whole = pd.concat([frame.assign(query=query) for query, frame in zip(queries, frames, strict=True)])
    write_results(whole.set_index(["query", "check"]), args.out)
    pages = [f"{args.query_column} {query}\n{text_of(frame)}" for query, frame in zip(queries, frames, strict=True)]
    print(*pages, sep="\n\n")


def _audit(lists, method, options, args, progress):
    """Audit the comparisons of one query; the texts of the result contain flags instead of Python arguments."""
    progress.say(f"auditing {lists.list_weight.sum():,.0f} duels")
    frame = audit_board(lists, method, **options)
    for column in ("seen", "advice"):
        frame[column] = [in_flags(text, args.flags, files=files_of(args)) for text in frame[column]]
    return frame
