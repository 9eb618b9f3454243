"""What comes in: files, generated data, names of methods."""

import ast
import os
import re

from .. import Qrels, RankedLists
from .._data._conflicts import describe_conflict
from .._support._suggestions import did_you_mean, find_same
from ..datasets import make_ranked_lists, make_rasdagen, read_lists, read_qrels
from ..utils.discovery import all_aggregators, default_methods
from ._messages import UserError, naming

__all__ = ["fitting_methods", "load_data", "load_lists", "load_qrels", "make_methods"]


def load_data(args):
    if args.files:
        *paths, qrels_path = args.files
        return load_lists(paths, args, voter=args.voter), load_qrels(qrels_path), []
    if args.demo == "rasdagen":
        lists, qrels = make_rasdagen(**({} if args.random_state is None else {"seed": args.random_state}))
        note = (
            "The generated data of FLAGR's documents (make_rasdagen). Its labels are noise, independent of the "
            "lists: differences between methods mean nothing."
        )
    else:
        seed = args.random_state or 0
        lists, qrels = make_ranked_lists(random_state=seed)
        note = (
            f"Generated data, make_ranked_lists(random_state={seed}), with a truth behind it: voters see the same "
            "items, each through noise of their own. For your own data: skrankagg compare LISTS QRELS."
        )
    return RankedLists.from_frame(lists), Qrels.from_frame(qrels), [note]


def load_lists(paths, args, voter="auto"):
    columns = None if args.columns is None else [name.strip() or None for name in args.columns.split(",")]
    with naming(paths[0], "read"):
        frame = read_lists(paths, voter=voter, format=args.format, columns=columns)
    with naming(", ".join(paths), "read"):
        return RankedLists.from_frame(frame)


def load_qrels(path):
    with naming(path, "read"):
        return Qrels.from_frame(read_qrels(path))


def make_methods(texts):
    methods = {}
    for text in texts:
        name, method = _make_method(text)
        if name in methods:
            raise UserError(f"the method {name} is given twice.")
        methods[name] = method
    return list(methods.items())


def _make_method(text):
    """Read a method such as ``CombSUM[norm=rank]``; returns its name and the estimator."""
    aggregators = all_aggregators()
    match = re.fullmatch(r"\s*(\w+)\s*(?:\[(.*)\])?\s*", text, re.DOTALL)
    name = find_same(match[1], aggregators) if match else None
    if name is None:
        hint = " Files come before --methods." if os.path.exists(text) else ""
        meant = did_you_mean(match[1], aggregators) if match else ""
        raise UserError(f"{text!r} is not a method{meant}; choose from {', '.join(aggregators)}.{hint}")
    available = list(aggregators[name]().get_params(deep=False))
    params = {}
    # A comma inside brackets, as of a dict, separates nothing.
    for part in filter(None, map(str.strip, re.split(r",(?![^{(\[]*[})\]])", match[2] or ""))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key not in available:
            raise UserError(
                f"{name} has no parameter {part!r}{did_you_mean(key, available)}; it has "
                f"{', '.join(available) or 'none'}, written "
                f"{name}[parameter=value]."
            )
        try:
            params[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            params[key] = value
    method = aggregators[name](**params)
    method._validate_params()
    return name + (f"[{','.join(f'{key}={value}' for key, value in params.items())}]" if params else ""), method


def fitting_methods(lists):
    """Divide the default methods into those that can take the lists, and by reason the names of those that cannot."""
    methods, left_out = [], {}
    for name, method in default_methods():
        reason = _reason_against(method.__sklearn_tags__().aggregator_tags, lists)
        if reason is None:
            methods.append((name, method))
        else:
            left_out.setdefault(reason, []).append(name)
    return methods, left_out


def _reason_against(tags, lists):
    if tags.needs_scores and not lists.has_scores:
        return "they need scores and the lists have ranks only"
    conflict = describe_conflict(lists, lists.list_weight > 0)
    if tags.needs_scores and conflict is not None:
        return f"they need scores that order a list as its ranks do, and {conflict[0]}"
    if lists.is_weighted and not tags.voter_weights:
        return "they cannot weigh lists"
    if tags.integer_weights and (lists.list_weight % 1 != 0).any():
        return "they weigh lists by whole numbers only"
    return None
