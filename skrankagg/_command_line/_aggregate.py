"""Commands `skrankagg aggregate` and `skrankagg explain`, which compute a consensus and explain its scores."""

import math
import shutil
import sys
import tempfile
import textwrap
from pathlib import Path

import pandas as pd

from .._support._suggestions import did_you_mean
from .._support._text_tables import show_pvalue
from ..datasets import write_run
from ..datasets._formats import written
from ..datasets._writers import output_format
from ..exceptions import InputError
from ..inspection import rank_stability, voter_contributions, voter_influence
from ._aggregate_chunks import aggregate_chunks
from ._input import covariates_of, find_sources, has_ballots, has_comparisons, load_judgements, load_lists
from ._messages import UserError, name_file_in_errors, say
from ._method_names import BALLOT_METHOD, COMPARISON_METHOD, DEFAULT_METHOD, make_methods, seed_methods
from ._report import check_outputs, plain_table, show_number

_DRAWN = {"list": "lists", "voter": "voters", "query": "queries"}
_TESTED = (
    "There is a gap to the next item if the adjusted p-value is at most 0.05; items without a gap between them may "
    "still differ."
)
_TABLES = [one.name for one in written() if one.is_table]


def aggregate(args, progress):
    out = None if args.out == "-" else args.out
    if args.chunk_queries is not None:
        check_outputs(run=out)
        return aggregate_chunks(*_method(args), args, progress)
    for given, option in ((args.job is not None, "--job"), (args.no_resume, "--no-resume")):
        if given:
            raise UserError(
                f"{option} only works together with --chunk-queries; add --chunk-queries, or leave out {option}."
            )
    check_outputs(run=None if args.to else out)
    format = args.to or (output_format(out, runs=True) if out is not None else None) or "csv"
    is_page = args.intervals and format == "text" and out is None
    if args.intervals and format not in _TABLES and not is_page:
        raise UserError(f"--intervals adds columns that {format} cannot store; choose {', '.join(_TABLES)}.")
    if format == "parquet" and out is None and sys.stdout.isatty():
        raise UserError("Parquet is not text; name a file with -o, or redirect the output to a file.")
    if args.unit != "list" and not args.intervals:
        raise UserError("--unit only works together with --intervals; add --intervals, or leave out --unit.")
    name, method, lists = _begin(args, progress)
    progress.say(f"merging {lists.n_queries:,} queries by {name}")
    if args.intervals:
        progress.say(f"drawing {args.draws:,} times from the lists of {lists.n_queries:,} queries")
        frame = _with_intervals(method, lists, args)
        if is_page:
            print(*_pages(name, frame, args), sep="\n\n")
            return
    elif args.covariates is None:
        frame = method.transform(lists)
    else:
        frame = method.fit_transform(lists)  # fit sets the coefficients
        if not args.quiet:
            _say_coefficients(method.coefficients_)
    tag = type(method).__name__
    if out is not None:
        with name_file_in_errors(out, "write"):
            write_run(frame, out, format=format, tag=tag)
        return
    # A file is written first, so that standard output gets the same checks and the same text.
    with tempfile.TemporaryDirectory() as folder, name_file_in_errors("standard output", "write"):
        path = Path(folder) / "consensus"
        write_run(frame, path, format=format, tag=tag)
        with path.open("rb") as stream:
            shutil.copyfileobj(stream, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def _say_coefficients(table):
    """Print the estimated effect of each covariate."""
    several = table["query"].nunique() > 1
    for row in table.itertuples():
        where = f" (query {row.query})" if several else ""
        error = f"standard error {show_number(row.std_error, '.3g')}, p {show_pvalue(row.p)}"
        say(f"effect of {row.covariate}{where}: {show_number(row.coefficient, '+.3g')} log-odds, {error}")


def _with_intervals(method, lists, args):
    """Return the consensus, with intervals of the places (from random draws) and tests of the gaps between scores."""
    smooth = method.__sklearn_tags__().aggregator_tags.smooth
    options = {"n_resamples": args.draws, "unit": args.unit, "random_state": args.random_state or 0}
    return rank_stability(method, lists, adjust="max-t" if smooth else None, **options)


def _pages(name, frame, args):
    """Yield the texts that --intervals prints: an explanation, and a table for each query."""
    words = (
        f"{name}: scores with standard errors, 95 % intervals of the places, and shares of first places in "
        f"{args.draws:,} draws of {_DRAWN.get(args.unit, args.unit)}."
    )
    yield textwrap.fill(f"{words} {_TESTED}" if "p_next" in frame else words, 100)
    for query, rows in frame.groupby("query", sort=False):
        title = "" if frame["query"].nunique() == 1 else f"query {query}\n"
        yield title + plain_table(_cells(rows.set_index("item")), "item")


def _cells(rows):
    """Format the cells of a table; scores get enough decimals to show two digits of the smallest standard error."""
    error = rows["score_se"][rows["score_se"] > 0]
    format = ".6g" if error.empty else f".{max(0, 1 - math.floor(math.log10(error.min())))}f"
    ends = zip(rows["rank_low"], rows["rank_high"], strict=True)
    columns = {
        "rank": rows["rank"].astype(str),
        "score": rows["score"].map(lambda value: show_number(value, format)),
        "error": rows["score_se"].map(lambda value: show_number(value, format)),
        "places": ["-" if pd.isna(low) else f"{low}-{high}" for low, high in ends],
        "first": rows["top_1"].map(lambda value: show_number(value, ".2f")),
    }
    if "p_next" in rows:
        columns["p next"] = rows["p_next"].map(lambda value: show_pvalue(value, 3))
        columns["gap"] = ["-" if pd.isna(found) else "yes" if found else "no" for found in rows["separated_next"]]
    return pd.DataFrame(columns, index=rows.index)


def _method(args, unjudged=DEFAULT_METHOD):
    """Return the name and the estimator of the requested method.

    Without --method, the method is LearnedWeights if --qrels is given, and otherwise the method named `unjudged`.
    """
    if args.method is None:
        if args.param:
            args.parser.error("--param needs --method")
        args.method = unjudged if args.qrels is None else "LearnedWeights"
        say(f"merging by {args.method}; choose another with --method.")
    if args.param and "[" in args.method:
        args.parser.error("give parameters in the brackets of --method or by --param, not both")
    [(name, method)] = make_methods([f"{args.method}[{','.join(args.param)}]" if args.param else args.method])
    seed_methods([(name, method)], args.random_state)
    return name, method


def _with_covariates(name, method, args):
    """Return the name of the method, and the method with the covariates of the option --covariates."""
    covariates = list(covariates_of(args.covariates))
    if not covariates:
        return name, method
    params = method.get_params(deep=False)
    if "covariates" not in params:
        raise UserError(
            f"{name} cannot use covariates; choose --method {COMPARISON_METHOD}, or leave out --covariates."
        )
    if params["covariates"] is not None:
        raise UserError("name the covariates by --covariates or by a parameter of the method, not by both.")
    return name, method.set_params(covariates=covariates)


def _usual_method(sources, args):
    """Return the default method for the content of the files."""
    if has_comparisons(sources, args):
        return COMPARISON_METHOD
    return BALLOT_METHOD if has_ballots(sources, args) else DEFAULT_METHOD


def _begin(args, progress):
    """Read the lists, and fit the method if it learns from data; return the method's name, the method and the lists."""
    sources = find_sources(args.lists)
    name, method = _method(args, DEFAULT_METHOD if args.method is not None else _usual_method(sources, args))
    lists = load_lists(sources, args, progress)
    name, method = _with_covariates(name, method, args)
    supervised = method.__sklearn_tags__().aggregator_tags.supervised
    if supervised and args.qrels is None:
        raise UserError(f"{name} learns from judgements; pass them: --qrels FILE.")
    if not supervised and args.qrels is not None:
        raise UserError(f"{name} does not learn from judgements; leave out --qrels.")
    progress.say(f"fitting {name}")
    if supervised:
        qrels = load_judgements(args.qrels, progress)
        progress.say(f"fitting {name}")
        return name, method.fit(lists, qrels.align(lists)), lists
    return name, method.fit(lists) if method.__sklearn_tags__().requires_fit else method, lists


def explain(args, progress):
    name, method, lists = _begin(args, progress)
    queries = lists.queries.tolist()
    if args.query is None and len(queries) > 1:
        raise UserError(
            f"there are {len(queries):,} queries; choose one of them, for example with --query {queries[0]}."
        )
    query = queries[0] if args.query is None else args.query
    if query not in queries:
        raise UserError(f"there is no query {query!r}{did_you_mean(query, queries)}.")
    progress.say(f"explaining {query!r}")
    one = lists.take([queries.index(query)])
    consensus = method.transform(one)
    items = consensus["item"].tolist()
    if args.item is not None and args.item not in items:
        raise UserError(f"query {query!r} has no item {args.item!r}{did_you_mean(args.item, items)}.")
    try:
        shares = voter_contributions(method, one)
    except InputError:
        shares = None  # the scores are not sums
    rows = one.to_frame()
    if args.item is not None:
        _explain_item(args.item, consensus, rows, shares)
    else:
        what = "the place of each item in each list" if shares is None else "the amount each list adds to the score"
        values = rows.rename(columns={"rank": "value"}) if shares is None else shares
        table = values.pivot(index="item", columns="voter", values="value" if shares is None else "contribution")
        top = consensus.head(args.top).set_index("item")
        cells = table.reindex(top.index).map(show_number)
        cells.insert(0, "rank", top["rank"].astype(str))
        cells.insert(1, "score", top["score"].map(show_number))
        print(f"{name}, query {query}: {what}.\n")
        print(plain_table(cells, "item"))
    if shares is None:
        _print_influence(name, method, one)


def _print_influence(name, method, one):
    table = voter_influence(method, one).set_index("voter")
    cells = table[["weight", "agreement", "distance"]].map(show_number)
    cells["top 10 changed"] = table["top_changed"].astype(str)
    cells["leader changed"] = table["leader_changed"].map({True: "yes", False: "no"}).fillna("-")
    print(f"\nThe scores of {name} are not sums over the lists. Changes if one list is left out:\n")
    print(plain_table(cells, "voter"))


def _explain_item(item, consensus, rows, shares):
    """Print the rank and score of an item, and the item's rank, score and contribution in each list."""
    place = consensus.loc[consensus["item"] == item].iloc[0]
    print(f"{item} is {place['rank']} of {len(consensus)}, with the score {show_number(place['score'])}.\n")
    own = rows[rows["item"] == item].set_index("voter")
    cells = pd.DataFrame(index=pd.Index(sorted(rows["voter"].unique()), name="voter"))
    lengths = rows.groupby("voter").size()
    for column in ("rank", "score"):
        if column in own:
            cells[column] = own[column].reindex(cells.index).map(show_number)
    cells["of"] = lengths.reindex(cells.index).astype(str)
    if shares is not None:
        added = shares[shares["item"] == item].set_index("voter")["contribution"]
        cells["adds"] = added.reindex(cells.index).map(show_number)
    print(plain_table(cells, "voter"))
