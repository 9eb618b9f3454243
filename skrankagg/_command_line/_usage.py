"""Usage: the parser, and the help that teaches."""

import argparse

from .. import __version__

__all__ = ["make_parser"]

DEFAULT_METRICS = ["map", "p@10", "ndcg@10"]

_TABLES = "as .csv, .tsv (both also .gz) or .parquet"

_FILES = """\
files, recognised by how they begin, plain or .gz:
  lists, a CSV or TSV with a header (rank or score is enough; a column 'weight' weighs lists),
  or a Parquet file with such columns:
      query,voter,item,rank,score
      q1,bm25,d007,1,12.5
  lists, FLAGR's CSV without a header (query, voter, item, score, source):
      1,V-0,Q1-E35,1.00000,testdata
  lists, TREC runs, one for each voter (query Q0 item rank score tag):
      q1 Q0 d007 1 12.5 bm25
  qrels, a CSV, TSV or Parquet file of query,item,relevance, or FLAGR's or TREC's:
      1,0,Q1-E35,1
      q1 0 d007 2
"""

_NAMES = """\
names:
  a method is a class, its parameters in brackets: CombSUM, 'CombSUM[norm=rank]',
  'ReciprocalRankFusion[k=10]'; 'skrankagg methods' lists them.
  a measure is a name, @ and a cutoff, its conventions in brackets: map, p@10,
  'ndcg@10[gain=linear]'; 'skrankagg measures' lists them.
"""

_EXAMPLES = {
    "skrankagg": """\
examples:
  skrankagg compare                                  what it looks like, on generated data
  skrankagg compare lists.csv qrels.csv
  skrankagg aggregate lists.csv --method CombSUM -o consensus.run
  skrankagg evaluate consensus.run bm25.run qrels.txt
  skrankagg compare --help                           file formats, more examples
""",
    "compare": """\
examples:
  skrankagg compare lists.csv qrels.csv --out results.csv --plot map.png
  skrankagg compare bm25.run dense.run qrels.txt --metrics ndcg@10 recall@100
  skrankagg compare lists.csv qrels.csv --methods CombSUM 'CombSUM[norm=rank]' Copeland
  skrankagg compare --demo rasdagen --latex > table.tex
""",
    "aggregate": """\
examples:
  skrankagg aggregate lists.csv --method Copeland | head
  skrankagg aggregate bm25.run dense.run --method ReciprocalRankFusion --param k=10 -o fused.run
  skrankagg aggregate rows.csv --columns query,voter,item,rank --method Copeland -o consensus.csv
""",
    "evaluate": """\
examples:
  skrankagg evaluate consensus.csv qrels.csv
  skrankagg evaluate bm25.run dense.run.gz qrels.txt --metrics map ndcg@10 --gain linear
""",
}


def make_parser():
    layout = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(
        prog="skrankagg",
        description="Merge the ranked lists of many voters into one, and find out which method does it best.",
        epilog=_EXAMPLES["skrankagg"],
        **layout,
    )
    parser.add_argument("--version", action="version", version=f"skrankagg {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")

    def add_command(name, help, description, **options):
        epilog = f"{_FILES}\n{_NAMES}\n{_EXAMPLES[name]}" if name in _EXAMPLES else None
        command = subparsers.add_parser(name, help=help, description=description, epilog=epilog, **options, **layout)
        command.set_defaults(parser=command)
        return command.add_argument

    add = add_command(
        "compare",
        "run methods side by side and measure them",
        "Aggregate the same lists by several methods and measure each consensus against the same judgements.\n"
        "The best by the first measure is on top. Without files it shows generated data.",
        usage="skrankagg compare [LISTS [LISTS ...] QRELS | --demo {truth,rasdagen}] [options]",
    )
    add("files", nargs="*", metavar="FILE", help="lists, one file or more, and the qrels last")
    demos = "generated data: with a known truth (the default), or FLAGR's, whose labels are noise"
    add("--demo", choices=("truth", "rasdagen"), help=demos)
    add("--methods", nargs="+", metavar="NAME", help="methods to compare (default: all); files come before")
    _add_metrics(add)
    add("--out", metavar="FILE", help=f"write the results {_TABLES}")
    add("--per-query", metavar="FILE", help=f"write the results of each query {_TABLES}")
    add("--plot", metavar="FILE", help="draw the first measure as .png, .pdf or .svg")
    add("--latex", action="store_true", help="print the table in LaTeX, for booktabs")
    add("--n-jobs", type=int, metavar="N", help="threads, -1 for all (default: 1, which keeps times fair)")
    add("--random-state", type=_seed, metavar="N", help="seed of generated data and of methods that draw lots")
    _add_reading(add)
    _add_voter(add)

    add = add_command(
        "aggregate",
        "merge lists into one consensus for each query",
        "Aggregate lists by one method into a consensus: query, item, score (higher is better), rank.",
    )
    add("lists", nargs="+", metavar="LISTS", help="lists, one file or more")
    add("--method", required=True, metavar="NAME", help="such as CombSUM or 'CombSUM[norm=rank]'")
    add("--param", nargs="+", action="extend", metavar="NAME=VALUE", help="its parameters, such as norm=rank")
    formats = f"a TREC run if it ends in .run, .trec or .txt, else {_TABLES} (default: CSV on stdout)"
    add("-o", "--out", metavar="FILE", help=formats)
    _add_reading(add)
    _add_voter(add)

    add = add_command(
        "evaluate",
        "measure runs that exist already",
        "Measure runs, one list for each query, against judgements. The judgements state the queries.\n"
        "A run is read as lists are; a consensus has no column 'voter'.",
        usage="skrankagg evaluate RUN [RUN ...] QRELS [options]",
    )
    add("files", nargs="+", metavar="FILE", help="runs, and the qrels last")
    _add_metrics(add)
    _add_reading(add)
    add("--per-query", action="store_true", help="a row for each query instead of their mean")
    add("--out", metavar="FILE", help=f"write the table {_TABLES}")
    gains = "of DCG: 2^grade - 1 (default), or the grade itself as in trec_eval"
    add("--gain", choices=("exponential", "linear"), help=gains)
    add("--relevance-threshold", type=float, metavar="T", help="lowest relevant grade (default: all above 0)")
    missing = "what a judged query without results counts: 0 (default, with a warning if most have none), or nothing"
    add("--missing", choices=("zero", "skip"), help=missing)

    add_command("methods", "list all methods", "All methods, with their parameters and defaults.")
    conventions = "Conventions go in brackets: 'ndcg@10[gain=linear]'."
    add_command("measures", "list all measures", f"All measures; k stands for a cutoff. {conventions}")
    return parser


def _add_metrics(add):
    default = " ".join(DEFAULT_METRICS)
    add(
        "--metrics",
        nargs="+",
        default=DEFAULT_METRICS,
        metavar="NAME",
        help=f"measures (default: {default}); files come before",
    )


def _add_reading(add):
    add(
        "--format",
        choices=("auto", "flagr", "csv", "tsv", "trec", "parquet"),
        default="auto",
        help="of lists (default: by the first line)",
    )
    names = "columns of lists without a header, in their order, such as query,voter,item,rank"
    add("--columns", metavar="NAMES", help=names)


def _add_voter(add):
    who = "who votes: as the file says (default), or each file is one voter, under its name"
    add("--voter", choices=("auto", "file"), default="auto", help=who)


def _seed(text):
    if not text.isdecimal() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to 2^32 - 1, got {text!r}")
    return int(text)
