"""Command `skrankagg audit`, which checks whether paired comparisons are a sound basis for a leaderboard."""

from ..inspection import audit as audit_board
from ._input import find_sources, load_lists
from ._report import check_outputs, write_results


def audit(args, progress):
    check_outputs(args.out)
    lists = load_lists(find_sources(args.lists), args, progress, args.groups, position=True)
    progress.say(f"auditing {lists.list_weight.sum():,.0f} duels")
    frame = audit_board(lists, unit=args.unit, n_resamples=args.draws, random_state=args.random_state or 0)
    write_results(frame.set_index("check"), args.out)
    print(frame)
