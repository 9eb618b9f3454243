"""Parser of the command line, with the help texts and examples."""

import argparse
import os
import re
import shlex

from .. import __version__
from ._file_formats import READ, READ_HELP, RUNS, TABLES, WRITTEN

DEFAULT_METRICS = ["map", "p@10", "ndcg@10"]

#: Values of --format for elections and for paired comparisons; `read_lists` does not have these formats.
ELECTIONS = ("preflib", "ballots", "ranks", "scores")
DUELS = "duels"

_OTHER_FORMATS = """\
  preflib   an election of PrefLib: .soc, .soi, .toc or .toi
  ballots   A > B = C in each line, with 12: before it for twelve equal ballots, or a table with the
            columns ballot and count, or choice1, choice2 and so on
  ranks     a table with a row for each item and a column of ranks for each voter
  scores    the same with scores; higher scores are better
  duels     a table with the columns winner and loser, or model_a, model_b and winner
"""

_FILES = """\
files, recognised by their beginning, plain or .gz:
  lists, a CSV or TSV with a header (rank or score is enough; a column 'weight' contains
  weights of lists), or a Parquet file with such columns:
      query,voter,item,rank,score
      q1,bm25,d007,1,12.5
  lists, FLAGR's CSV without a header (query, voter, item, score, source):
      1,V-0,Q1-E35,1.00000,testdata
  lists, TREC runs, one for each voter (query Q0 item rank score tag):
      q1 Q0 d007 1 12.5 bm25
  comparisons, a CSV, TSV or Parquet file with columns winner,loser, or model_a,model_b,winner:
      gpt,llama,model_a
  elections: a PrefLib file, ballots such as A > B = C, or a table of the ranks of each voter:
      candidate,Ann,Ben
      Oak,1,2
  qrels, a CSV, TSV or Parquet file with columns query,item,relevance, or a file of FLAGR or TREC:
      1,0,Q1-E35,1
      q1 0 d007 2
  lists and qrels, JSON: {"q1": {"d007": 12.5}} as written by ranx,
  {"bm25": {"q1": {...}}} for several voters, or an array of records
  lists and qrels, JSON Lines, one object a line: {"query": "q1", "item": "d007", "score": 12.5},
  {"query": "q1", "hits": ["d007", "d003"]} or {"query": "q1", "lists": {"bm25": {...}, ...}}
a file is a path, NAME=PATH (which names the voter or the run), a quoted pattern 'runs/*.gz',
a folder, or - for standard input. Each file is read only once, so <(zcat bm25.gz) also works.
"""

_NAMES = """\
names:
  a method is a class, with parameters in brackets: CombSUM, 'CombSUM[norm=rank]',
  'ReciprocalRankFusion[k=10]'; 'skrankagg methods' lists them. A parameter may be a method:
  'LearnedWeights[aggregator=CombSUM[norm=rank]]'.
  values for voters are written voter_weights=bm25:.3,dense:.7.
  a measure is a name, with @ and a cutoff, and with conventions in brackets: map, p@10,
  'ndcg@10[gain=linear]'; 'skrankagg measures' lists them.
"""

_EXAMPLES = {
    "skrankagg": """\
examples:
  skrankagg compare                                  an example on generated data
  skrankagg compare lists.csv qrels.csv
  skrankagg judge bm25.run dense.run -o todo.csv       then judge the items in todo.csv
  skrankagg tune bm25.run dense.run todo.csv           learn voter weights from them
  skrankagg aggregate lists.csv --method CombSUM -o consensus.run
  skrankagg explain lists.csv --method CombSUM --query q1
  skrankagg evaluate consensus.run bm25.run qrels.txt --baseline bm25.run
  skrankagg audit battles.csv --groups judge         is this leaderboard sound?
  skrankagg compare --help                           file formats, more examples
""",
    "compare": """\
examples:
  skrankagg compare lists.csv qrels.csv --out results.csv --plot map.png
  skrankagg compare bm25.run dense.run qrels.txt --metrics ndcg@10 recall@100
  skrankagg compare lists.csv qrels.csv --methods CombSUM 'CombSUM[norm=rank]' Copeland
  skrankagg compare lists.csv qrels.csv --methods all --quiet
  skrankagg compare runs/ qrels.txt --voters --baseline bm25 --voter file
  skrankagg compare lists.csv qrels.csv --methods CombSUM LearnedWeights --cv 5
  skrankagg compare bm25.run dense.run qrels.txt --voters --baseline 'best voter' --latex > table.tex
""",
    "judge": """\
examples:
  skrankagg judge bm25.run dense.run -o todo.csv
  skrankagg judge bm25.run dense.run -o todo.csv --texts corpus.jsonl --queries 10 --top 10
then fill in the column relevance (0 = not relevant, 1, 2 ...), and run:
  skrankagg tune bm25.run dense.run todo.csv
""",
    "aggregate": """\
examples:
  skrankagg aggregate bm25.run dense.run -o fused.run
  skrankagg aggregate bm25.run dense.run --qrels todo.csv -o fused.run
  skrankagg aggregate lists.csv --method Copeland | head
  skrankagg aggregate bm25.run dense.run --method ReciprocalRankFusion --param k=10 -o fused.run
  skrankagg aggregate rows.csv --columns query,voter,item,rank --method Copeland -o consensus.csv
  skrankagg aggregate sparse=bm25.run dense=<(zcat dense.gz) --method CombSUM --to json > fused.json
  skrankagg aggregate bm25.run dense.run --method CombSUM --param voter_weights=bm25:.3,dense:.7
  skrankagg aggregate lists.csv --method SlideFuse --qrels train.txt
  skrankagg aggregate lists.csv --method BordaCount --intervals
  skrankagg aggregate battles.csv --covariates words=words_a:words_b,position
  skrankagg aggregate big.parquet --method CombSUM --chunk-queries 10000 --job sums -o consensus.parquet
""",
    "explain": """\
examples:
  skrankagg explain bm25.run dense.run --method ReciprocalRankFusion --query q1
  skrankagg explain bm25.run dense.run --method ReciprocalRankFusion --query q1 --item d007
""",
    "audit": """\
examples:
  skrankagg audit battles.csv
  skrankagg audit battles.csv --groups judge,prompt --unit judge -o audit.csv
  skrankagg audit battles.csv --query-column category
""",
    "tune": """\
examples:
  skrankagg tune bm25.run dense.run todo.csv
  skrankagg tune bm25.run dense.run qrels.txt --method ReciprocalRankFusion --param k=10,30,60,100
  skrankagg tune bm25.run dense.run qrels.txt --method CombSUM --param norm=min-max,z-score --weights
""",
    "evaluate": """\
examples:
  skrankagg evaluate consensus.csv qrels.csv
  skrankagg evaluate bm25.run dense.run.gz qrels.txt --metrics map ndcg@10 --gain linear
  skrankagg evaluate a.run b.run c.run qrels.txt --metrics map ndcg@10 p@10 --baseline best --latex
  zcat bm25.gz | skrankagg evaluate bm25=- dense.run qrels.txt --baseline bm25
""",
}


def make_parser():
    layout = {
        "formatter_class": lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=100)
    }
    parser = argparse.ArgumentParser(
        prog="skrankagg",
        usage="skrankagg [-h] [--version] COMMAND ...",
        description="Merge the ranked lists of many voters into one list, and find out which method merges best.",
        epilog=_EXAMPLES["skrankagg"],
        **layout,
    )
    parser.add_argument("--version", action="version", version=f"skrankagg {__version__}")
    subparsers = parser.add_subparsers(
        title="commands",
        metavar="COMMAND    ",  # as wide as the names
        dest="command",
        prog="skrankagg",  # otherwise, the usage of a command begins with the usage of the program
    )

    def add_command(name, help, description, **options):
        epilog = f"{_FILES}\n{READ_HELP}{_OTHER_FORMATS}\n{_NAMES}\n{_EXAMPLES[name]}" if name in _EXAMPLES else None
        command = subparsers.add_parser(name, help=help, description=description, epilog=epilog, **options, **layout)
        flags = {}
        command.set_defaults(parser=command, flags=flags)

        def add(*names, **facts):
            option = command.add_argument(*names, **facts)
            if option.option_strings:
                flags[option.dest] = option.option_strings[-1], option.metavar

        return add

    add = add_command(
        "compare",
        "run methods side by side and measure them",
        "Aggregate the same lists by several methods and measure each consensus against the same judgements.\n"
        "The method with the best value of the first measure is on top. Without files, generated data are used.",
        usage="skrankagg compare [LISTS [LISTS ...] QRELS | --demo {truth,rasdagen}] [options]",
    )
    add("files", nargs="*", metavar="FILE", help="one or more files of lists, then the qrels")
    demos = "generated data: truth (the default) has a known truth, rasdagen is FLAGR's data with random labels"
    add("--demo", choices=("truth", "rasdagen"), help=demos)
    methods = "methods to compare, or all (default: some fast methods that differ from each other)"
    add("--methods", nargs="+", metavar="NAME", help=methods)
    _add_metrics(add)
    add("--voters", action="store_true", help="add rows for the voters themselves")
    baseline = "print differences from this row, from the best row or, with --voters, from the 'best voter'"
    add("--baseline", metavar="NAME", help=baseline)
    rows = "with --baseline: rows to compare with it, all (default) or only the methods, without the voters"
    add("--rows", choices=("all", "methods"), help=rows)
    add("--cv", type=_folds, metavar="N", help="cross-validate methods that learn, in N folds of queries")
    _add_conventions(add)
    add("--out", metavar="FILE", help=f"write the results as {TABLES}")
    add("--per-query", metavar="FILE", help=f"write the results of each query as {TABLES}")
    add("--plot", metavar="FILE", help="draw the first measure as .png, .pdf or .svg")
    add("--latex", action="store_true", help="print the table in LaTeX, for booktabs; --baseline adds marks of tests")
    add("--times", action="store_true", help="with --latex: add the column of times")
    jobs = "number of threads, -1 for all (default: 1, so that times can be compared)"
    add("--n-jobs", type=int, metavar="N", help=jobs)
    skip = "skip methods that are expected to take more than N seconds"
    add("--skip-slower-than", type=_seconds, metavar="N", help=skip)
    add("--random-state", type=_seed, metavar="N", help="seed of generated data and of randomised methods")
    _add_reading(add)
    _add_voter(add)

    add = add_command(
        "tune",
        "search for the parameters and the weights of a method",
        "Without --method, learn voter weights for reciprocal rank fusion, and estimate their gain on new queries.\n"
        "With --method, search over the parameters of this method, and over weights of the voters, and measure the\n"
        "result of the search on held-out queries. The first measure selects the best.",
        usage="skrankagg tune LISTS [LISTS ...] QRELS [--method NAME [--param NAME=VALUES ...] [--weights [STEP]]]",
    )
    add("files", nargs="*", metavar="FILE", help="one or more files of lists, then the qrels")
    add("--method", metavar="NAME", help="such as CombSUM or 'CombSUM[norm=rank]' (default: LearnedWeights)")
    add("--param", nargs="+", action="extend", metavar="NAME=VALUES", help="values to try, such as k=10,30,60")
    weights = "try voter weights that are multiples of STEP (default .1), or random weights if there are too many"
    add("--weights", nargs="?", type=_step, const=0.1, metavar="STEP", help=weights)
    _add_metrics(add)
    add("--cv", type=_folds, metavar="N", help="number of inner folds and of outer folds (default: 5)")
    _add_conventions(add)
    add("--out", metavar="FILE", help=f"write the results as {TABLES}")
    add("--random-state", type=_seed, metavar="N", help="seed of the folds and of the random weights")
    _add_reading(add)
    _add_voter(add)

    add = add_command(
        "judge",
        "choose items to judge by hand",
        "Draw queries, and choose the items to judge for learning voter weights: the first items of every list.\n"
        "Write a table with an empty column for the judgements.",
    )
    add("lists", nargs="+", metavar="LISTS", help="one or more files of lists")
    add("-o", "--out", required=True, metavar="FILE", help="table to fill in, a CSV file")
    texts = "texts of the items, to be shown beside them: a CSV or TSV of item and text, or JSON lines"
    add("--texts", metavar="FILE", help=texts)
    add("--n-queries", type=_count, default=5, metavar="N", help="number of queries to draw (default: 5)")
    add("--top", type=_count, default=20, metavar="N", help="items for each query (default: 20)")
    add("--queries", nargs="+", metavar="ID", help="queries to judge, instead of random ones")
    add("--random-state", type=_seed, metavar="N", help="seed of the queries (default: drawn, and printed)")
    _add_reading(add)
    _add_voter(add)

    add = add_command(
        "aggregate",
        "merge lists into one consensus for each query",
        "Aggregate lists by one method into a consensus with columns query, item, score (higher is better), rank.",
    )
    _add_one_method(add)
    formats = f"{RUNS}{TABLES} (default: CSV on stdout)"
    add("-o", "--out", metavar="FILE", help=formats)
    to = (
        "format, regardless of the file name; text writes a line such as A > B = C for each query, and with "
        "--intervals a table to read"
    )
    add("--to", choices=WRITTEN, help=to)
    intervals = (
        "add the interval of each place over random draws of the lists, the chance of being first, and tests of gaps "
        "(sums, models)"
    )
    add("--intervals", action="store_true", help=intervals)
    add("--draws", type=_count, default=1000, metavar="N", help="number of draws (default: 1000)")
    unit = "unit that --intervals draws: list (default), voter, query, or one of the names in --groups"
    add("--unit", metavar="NAME", default="list", help=unit)
    add("--random-state", type=_seed, metavar="N", help="seed of the draws and of randomised methods")
    chunks = "read Parquet files N queries at a time; see also --job and -o"
    add("--chunk-queries", type=_count, metavar="N", help=chunks)
    job = "with --chunk-queries: resume where an interrupted run of this name stopped (default: start again)"
    add("--job", metavar="NAME", help=job)
    add("--no-resume", action="store_true", help="with --chunk-queries: remove the parts of an interrupted run")
    _add_reading(add)
    _add_voter(add)

    add = add_command(
        "explain",
        "show how each list contributes to a consensus",
        "Print the amount that each list adds to the scores of a query. If the method's scores are not\n"
        "sums, print how the consensus changes without each list. With --item, print the places of one item.",
    )
    _add_one_method(add)
    add("--query", metavar="ID", help="the query (needed if there are several)")
    add("--item", metavar="ID", help="an item of the query")
    add("--top", type=_count, default=10, metavar="N", help="items to show (default: 10)")
    add("--random-state", type=_seed, metavar="N", help="seed of randomised methods")
    _add_reading(add)
    _add_voter(add)

    add = add_command(
        "audit",
        "check whether a board of paired comparisons is sound",
        "Check the duels behind a leaderboard: connected and even coverage, position, cycles, judges, ties and more.\n"
        "Print a row for each check, and what to do about each warning.",
    )
    add("lists", nargs="+", metavar="FILE", help="one or more files of comparisons")
    _add_comparisons(add)
    unit = "the independent units: one of the names in --groups (default: the first one), or list for single duels"
    add("--unit", metavar="NAME", help=unit)
    add("--draws", type=_count, default=1000, metavar="N", help="number of random draws (default: 1000)")
    add("--random-state", type=_seed, metavar="N", help="seed of the draws")
    add("-o", "--out", metavar="FILE", help=f"write the table as {TABLES}")
    _add_reading(add)

    add = add_command(
        "evaluate",
        "measure existing runs",
        "Measure runs against judgements, on the judged queries. A run contains one list for each query.\n"
        "Runs are read in the same way as lists; a consensus has no column 'voter'.",
        usage="skrankagg evaluate RUN [RUN ...] QRELS [options]",
    )
    add("files", nargs="*", metavar="FILE", help="one or more runs, then the qrels")
    _add_metrics(add)
    add("--baseline", metavar="NAME", help="print differences from this run, or from the best run, with p-values")
    add("--latex", action="store_true", help="print the table in LaTeX, for booktabs; --baseline adds marks of tests")
    _add_conventions(add)
    missing = "judged queries without results: scored as 0 (default; warns if most have none), or skipped"
    add("--missing-queries", choices=("zero", "skip"), help=missing)
    add("--per-query", action="store_true", help="print a row for each query instead of the mean")
    add("--out", metavar="FILE", help=f"write the table as {TABLES}")
    _add_reading(add)

    add_command(
        "methods",
        "list all methods",
        "All methods, with their parameters and defaults. Methods of other packages follow.",
    )
    conventions = "Conventions go in brackets: 'ndcg@10[gain=linear]'."
    add_command("measures", "list all measures", f"All measures; k stands for a cutoff. {conventions}")
    return parser


def recognise_files(args):
    """Move files from the values of --metrics or --methods to the argument `files`."""
    for option in ("metrics", "methods"):
        names = getattr(args, option, None)
        if not names or not hasattr(args, "files") or names is DEFAULT_METRICS:
            continue
        moved = [name for name in names if _is_file(name)]
        if moved:
            setattr(args, option, [name for name in names if name not in moved])
            args.files = [*args.files, *moved]
            if not getattr(args, option):
                args.parser.error(f"--{option} must have names; got only files")


def files_of(args):
    """Return the files of lists and the options for reading them, as text for a suggested command."""
    files = args.files[:-1] if hasattr(args, "files") else args.lists
    words = list(files) or ["LISTS"]
    for name in ("format", "decimal", "columns", "voter", "query_column"):
        value = getattr(args, name, None)
        if value not in (None, "auto", "."):
            words += [args.flags[name][0], value]
    return " ".join(map(shlex.quote, words))


def _is_file(name):
    """Return True if a name is an existing file or looks like a file name; a missing file causes an error later."""
    path = name.partition("=")[2] if "[" not in name and "=" in name else name
    return path == "-" or os.path.exists(path) or re.fullmatch(r"[^@\[\]]+\.[A-Za-z]{2,8}", path) is not None


def _add_one_method(add):
    add("lists", nargs="+", metavar="LISTS", help="one or more files of lists")
    method = (
        "such as CombSUM (default: ReciprocalRankFusion[k=30], LearnedWeights with --qrels, PlackettLuce for duels)"
    )
    add("--method", metavar="NAME", help=method)
    add("--param", nargs="+", action="extend", metavar="NAME=VALUE", help="parameters of the method, such as norm=rank")
    add("--qrels", metavar="FILE", help="judgements, for a method that learns from them")
    _add_comparisons(add)


def _add_comparisons(add):
    add("--groups", metavar="NAMES", help="columns of comparisons that name groups, such as judge,prompt")
    add("--query-column", metavar="NAME", help="column with the query of each comparison, to rank queries separately")
    covariates = (
        "covariates, whose effects are removed from scores: position, a column of differences, or NAME=FIRST:SECOND"
    )
    add("--covariates", metavar="NAMES", help=covariates)
    reconcile = "count verdicts of both orders as one comparison, and as a tie if they differ; needs --groups"
    add("--reconcile", action="store_true", help=reconcile)


def _add_conventions(add):
    gains = "gains of DCG: 2^grade - 1 (default), or linear: the grade itself, as in trec_eval"
    add("--gain", choices=("exponential", "linear"), help=gains)
    ties = "order of items of equal score: as ranked (default), as in trec_eval, mean over all orders, best or worst"
    add("--ties", choices=("order", "trec_eval", "expected", "optimistic", "pessimistic"), help=ties)
    lowest = "lowest grade of a relevant item (default: all grades above 0 are relevant)"
    add("--relevance-threshold", type=float, metavar="T", help=lowest)


def _add_metrics(add):
    default = " ".join(DEFAULT_METRICS)
    add(
        "--metrics",
        nargs="+",
        default=DEFAULT_METRICS,
        metavar="NAME",
        help=f"measures, also separated by commas (default: {default})",
    )


def _add_reading(add):
    add(
        "--format",
        choices=(*READ, *ELECTIONS, DUELS),
        default="auto",
        help="format of lists (default: recognised by the first lines)",
    )
    add("--decimal", choices=(".", ","), default=".", help="decimal sign in lists (default: the point)")
    add("-q", "--quiet", action="store_true", help="no progress on stderr")
    names = "names of the columns, in order, for lists without a header, such as query,voter,item,rank"
    add("--columns", metavar="NAMES", help=names)


def _add_voter(add):
    who = "voters: as in the file (default), or one voter for each file, with the name of the file"
    add("--voter", choices=("auto", "file"), default="auto", help=who)


def _seed(text):
    if not text.isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 2^32 - 1; got {text!r}")
    return int(text)


def _count(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1; got {text!r}")
    return int(text)


def _seconds(text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of seconds above 0; got {text!r}")
    return seconds


def _folds(text):
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 2; got {text!r}")
    return int(text)


def _step(text):
    try:
        step = float(text)
    except ValueError:
        step = 0.0
    if not 0 < step <= 1 or abs(1 / step - round(1 / step)) > 1e-9:
        raise argparse.ArgumentTypeError(f"must be 1/N for a whole number N, such as .1 or .05; got {text!r}")
    return step
