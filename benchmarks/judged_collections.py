"""Every method on judged collections: nDCG@10 and MAP as differences to reciprocal rank fusion, with time and memory.

`python benchmarks/judged_collections.py FOLDER...` prints a table. A folder has one of two layouts. The first is
`runs/*`, with a TREC run for each voter, and `*qrels*` with the judgements. The second is the pair `rank_agg.csv[.gz]`
and `rel_agg.csv[.gz]` of MQ2008-agg, as in metasearch.py. `FOLDER:RUN,RUN` selects some of the runs. Lists are cut at
--depth. Only queries with a relevant item are used.

Methods are the library's default methods, more variants, all methods that learn from judgements, and the methods of
ranx and PyFLAGR if --python has them. nDCG@10 has linear gains. All values are in percent.

Protocol: a method that learns is fitted on 3, 5 or 10 queries and measured on all other queries. The training queries
are drawn with a seed, 20 times, and the draws are the same for all methods. "all others" divides the queries into ten
random parts and merges each part with a fit on the other nine parts, so that every query is measured once. Other
methods merge all queries at once, without judgements. A collection's difference is the mean over draws and queries. The
error of this difference is the standard error over the queries of a draw, averaged over the draws. A win or a loss is a
difference of more than two of these errors. The table has the mean of the differences, plus or minus its standard error
over collections, the worst collection, and wins : losses.

`s` is CPU seconds of one fit and one consensus of all measured queries, added up over collections. `MiB` is the largest
memory that a fit and a consensus add. Every method runs in its own process, which may use --limit CPU seconds for all
draws and measurements of a collection. The methods of ranx share a process, because ranx compiles its functions.
Results are kept in --results, one line of JSON each. A later call computes only missing results, such as those of a new
collection, method or version. Linux only.
"""

import argparse
import contextlib
import gc
import glob
import hashlib
import io
import json
import math
import multiprocessing
import os
import re
import resource
import signal
import sys
import time
import warnings
from collections import Counter
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sklearn
from _measure import cpu_with_processes, extra_memory, table
from _other_libraries import Peer, TooSlow, merge_by, peers_of
from metasearch import letor_data
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
from pictures import describe_svg

import skrankagg as sk
from skrankagg.base import SupervisedAggregator
from skrankagg.datasets import load_trec
from skrankagg.exceptions import InputError, MissingLibraryError
from skrankagg.inspection import items_to_judge
from skrankagg.preprocessing import TopK, VoterWeighter
from skrankagg.utils.discovery import all_aggregators, default_methods

BASELINE = sk.ReciprocalRankFusion(k=60)
MEASURES = ("ndcg@10[gain=linear]", "map")
NAMES = ("nDCG@10", "MAP")
SEED, DRAWS, FOLDS = 0, 20, 10
SIZES = (3, 5, 10, "all")
#: Shallow judgements: this many queries, and of each the first items of all voters.
SHALLOW_QUERIES, SHALLOW_ITEMS = 5, 20

# Variants that the default methods do not include.
VARIANTS = [
    *(sk.ReciprocalRankFusion(k=k) for k in (10, 20, 30, 60, 100)),
    *(sk.RankBiasedCentroid(persistence=persistence) for persistence in (0.8, 0.98)),
    *(sk.CombMNZ(norm=norm) for norm in ("dbsf", "sum")),
    sk.CombMNZ(norm="z-score", absent_score="min"),
    sk.Kemeny(method="exact"),
    *(sk.DIBRA(aggregator) for aggregator in (sk.ReciprocalRankFusion(), sk.CombSUM())),
    *(sk.DIBRA(aggregator, weighting="global") for aggregator in (None, sk.ReciprocalRankFusion())),
]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "evidence.md"
PLOT = PAGE.parent / "_static" / "judged_collections.svg"
BLOCK = re.compile(r"(?<=<!-- judged collections -->\n).*?(?=<!-- end of judged collections -->)", re.DOTALL)
ALT = "Difference in nDCG@10 and MAP to reciprocal rank fusion, a line for each method"
#: Width of the plot in inches: 400 pixels, which a phone shows with little loss.
WIDTH = 4.17
#: A line of the printed table: the name, and value, difference, worst difference and wins of both measures.
PRINTED = re.compile(r"(?P<name>\S.*?) {2,}" + r"\S+ +(\S+)(?: ± (\S+))? +\S+ +\d+:\d+ +" * 2 + r"\S+ +\d+ +(?P<n>\d+)")
ROBUST = "$SKRANKAGG_DATA/robust03"
COMMAND = (
    f"benchmarks/judged_collections.py $SKRANKAGG_DATA/collections/* {ROBUST}:pircRBa1,uwmtCR0,UIUC03Rd1,THUIRr0301,"
    f"SABIR03BASE,aplrob03a {ROBUST} $SKRANKAGG_DATA/mq2008agg --limit 20"
)


# ---------------------------------------------------------------------- collections


class Collection(NamedTuple):
    """Judged queries: a name, cut lists, judgements, a digest of both, and the baseline's values by query."""

    name: str
    lists: sk.RankedLists
    qrels: sk.Qrels
    digest: str
    baseline: np.ndarray


def load_collection(folder, runs=None):
    """Read the lists and the judgements of a folder as frames.

    Parameters
    ----------
    folder : str or path-like
        Contains `runs/*` and `*qrels*`, or `rank_agg.csv[.gz]` and `rel_agg.csv[.gz]`.
    runs : list of str, default=None
        Names of voters to keep; None keeps all.

    Returns
    -------
    lists, qrels : DataFrame
        In the form that :func:`skrankagg.datasets.load_trec` returns.
    """
    folder = Path(folder)
    if any(folder.glob("rank_agg.csv*")):
        lists, qrels = (part.to_frame() for part in letor_data(folder))
    else:
        judged = [path for path in sorted(folder.glob("*qrels*")) if path.is_file()]
        if len(judged) != 1 or not (folder / "runs").is_dir():
            raise InputError(f"{str(folder)!r} must contain runs and one file *qrels*; got {len(judged)} such files.")
        lists, qrels = load_trec(folder / "runs", judged[0])
    if runs is not None:
        missing = sorted(set(runs) - set(lists["voter"]))
        if missing:
            raise InputError(f"{str(folder)!r} must contain the runs {', '.join(missing)}; got none of these names.")
        lists = lists[lists["voter"].isin(runs)]
    return lists, qrels


def prepare(name, lists, qrels, depth):
    """Cut lists, keep the queries with a relevant item, and measure the baseline."""
    relevant = qrels.loc[qrels["relevance"] > 0, "query"].unique()
    lists = lists[lists["query"].isin(relevant)]
    if lists.empty:
        raise InputError(f"{name} must contain a query with a list and a relevant item; got none. Check its ids.")
    cut = TopK(depth).fit_transform(sk.RankedLists.from_frame(lists)).to_frame()
    lists = sk.RankedLists.from_frame(cut.drop(columns="rank") if "score" in cut else cut)
    frame = qrels[qrels["query"].isin(lists.queries)]
    hashed = [pd.util.hash_pandas_object(part, index=False).to_numpy() for part in (cut, frame)]
    digest = hashlib.sha256(b"".join(np.sort(part).tobytes() for part in hashed)).hexdigest()[:12]
    qrels = sk.Qrels.from_frame(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the baseline's own row has its warnings
        baseline = values_of(BASELINE.fit_transform(lists), qrels, lists.queries)
    return Collection(name, lists, qrels, digest, baseline)


def named_folders(arguments):
    """Expand patterns, and return the name, the folder and the runs of each collection."""
    found = {}
    for argument in arguments:
        pattern, colon, runs = argument.partition(":") if not Path(argument).is_dir() else (argument, "", "")
        chosen = runs.split(",") if colon else None
        for folder in sorted(glob.glob(pattern)) or [pattern]:
            name = Path(folder).resolve().name + (f"-{len(chosen)}" if chosen else "")
            if not Path(folder).is_dir():
                raise InputError(f"FOLDER must be a folder, or FOLDER:RUN,RUN; got {argument!r}.")
            if name in found:
                raise InputError(f"Collections must have different names; got {name!r} twice. Rename a folder.")
            found[name] = folder, chosen
    return found


# ---------------------------------------------------------------------- methods


class Entry(NamedTuple):
    """A row of the table: a method, its number of training queries, and the number of judged items of each query."""

    method: Any
    n_train: int | str | None = None
    n_items: int | None = None

    @property
    def name(self):
        """Return the row's name."""
        steps = [step for _, step in self.method.steps] if isinstance(self.method, Pipeline) else [self.method]
        text = " + ".join(" ".join(repr(step).split()).replace("aggregator=", "") for step in steps)
        if self.n_train is None:
            return text
        queries = "all other queries" if self.n_train == "all" else f"{self.n_train} queries"
        return f"{text}, {queries}" + (f" x {self.n_items} items" if self.n_items else "")

    def version(self, depth):
        """Return the version of the library, and a digest of all parameters of method and protocol."""
        if isinstance(self.method, Peer):
            release, text = self.method.version, repr(self.method)
        else:
            release, text = sk.__version__, full_repr(self.method)
        protocol = (self.n_train, self.n_items, depth, SEED, DRAWS, FOLDS, MEASURES)
        return f"{release} {hashlib.sha256(repr((text, protocol)).encode()).hexdigest()[:12]}"


def full_repr(method):
    """Return the repr of an estimator with all parameters, including parameters at their defaults."""
    with sklearn.config_context(print_changed_only=False):
        return " ".join(method.__repr__(N_CHAR_MAX=10**6).split())  # repr() elides long texts


def learned(aggregator):
    """Return LearnedWeights of a method, with fixed values for the settings that affect the results."""
    settings = {"alpha": 1.0, "unjudged": "nonrelevant", "shrinkage": 10.0}
    known = sk.LearnedWeights().get_params()
    return sk.LearnedWeights(aggregator, **{key: value for key, value in settings.items() if key in known})


def entries(python=None):
    """List the rows: methods without judgements, methods that learn, and methods of other libraries."""
    # A variant may equal a default method, and two reprs may differ only in a default that one of them writes out.
    plain = {full_repr(one): one for one in (*(method for _, method in default_methods()), *VARIANTS)}
    learners = [
        *(learned(one) for one in (sk.ReciprocalRankFusion(k=20), sk.ReciprocalRankFusion(k=60))),
        *(learned(one) for one in (sk.CombSUM(), sk.BordaCount())),
        make_pipeline(VoterWeighter("map"), sk.CombSUM()),
        make_pipeline(VoterWeighter("map"), sk.ReciprocalRankFusion()),
        sk.SlideFuse(window=0),
        *(
            one()
            for one in all_aggregators().values()
            if issubclass(one, SupervisedAggregator) and one is not sk.LearnedWeights
        ),
    ]
    return [
        *(Entry(method) for method in plain.values()),
        *(Entry(method, size) for method in learners for size in SIZES),
        Entry(learners[0], SHALLOW_QUERIES, SHALLOW_ITEMS),
        *(Entry(peer) for peer in (peers_of(python) if python else [])),
    ]


# ---------------------------------------------------------------------- protocol


def draws(n_queries, n_train, n_draws=DRAWS):
    """Draw training queries; return for each draw a list with one pair (training queries, measured queries)."""
    orders = [np.random.default_rng([SEED, draw]).permutation(n_queries) for draw in range(n_draws)]
    return [[(np.sort(order[:n_train]), np.sort(order[n_train:]))] for order in orders]


def folds(n_queries):
    """Divide the queries into random parts; return one draw with a pair (all other queries, part) for each part."""
    parts = np.array_split(np.random.default_rng([SEED, 0]).permutation(n_queries), min(FOLDS, n_queries))
    return [[(np.sort(np.concatenate([*parts[:k], *parts[k + 1 :]])), np.sort(parts[k])) for k in range(len(parts))]]


def difference(values, baseline):
    """Compute the mean difference and its error; both arguments contain an array for each draw."""
    gains = [one - other for one, other in zip(values, baseline, strict=True)]
    means = [gain.mean(axis=0) for gain in gains]
    errors = [gain.std(axis=0, ddof=1) / math.sqrt(len(gain)) for gain in gains]
    return np.mean(means, axis=0), np.mean(errors, axis=0)


def values_of(run, qrels, queries):
    """Return the measures of a consensus in percent, as an array of shape (n_queries, n_measures)."""
    found = sk.evaluate(run, qrels, list(MEASURES), per_query=True, missing_queries="zero")
    return 100 * found.loc[queries].to_numpy()


def shallow(lists, qrels, n_items):
    """Keep only the judgements of the `n_items` items of each query that items_to_judge chooses."""
    chosen = items_to_judge(lists, queries=lists.queries.tolist(), top=n_items)[["query", "item"]]
    return sk.Qrels.from_frame(chosen.merge(qrels.to_frame(), on=["query", "item"]))


# ---------------------------------------------------------------------- one method on one collection


def measure(entry, collection, result=None):
    """Run a method on a collection; return its values, differences, errors, CPU seconds and bytes of memory.

    `result` is the consensus of another library, with seconds and bytes, or an exception.
    """
    lists, qrels = collection.lists, collection.qrels
    if entry.n_train is None:
        if isinstance(result, Exception):
            raise result
        run, seconds, memory = merge(entry.method, lists) if result is None else result
        values, baseline = [values_of(run, qrels, lists.queries)], [collection.baseline]
    else:
        values, baseline, seconds, memory = learn(entry, collection)
    mean, error = difference(values, baseline)
    return {
        "n_queries": lists.n_queries,
        "n_voters": lists.n_voters,
        "n_draws": len(values),
        "values": np.mean([one.mean(axis=0) for one in values], axis=0).tolist(),
        "differences": mean.tolist(),
        "errors": error.tolist(),
        "seconds": seconds,
        "memory": memory,
    }


def merge(method, lists):
    """Merge all queries without judgements; return the consensus, CPU seconds and bytes of memory."""
    memory, (run, seconds) = extra_memory(partial(timed, partial(method.fit_transform, lists)))
    return run, seconds, memory


def timed(function):
    """Call a function; return its result and its CPU seconds, including all processes that it started."""
    start = cpu_with_processes()
    result = function()
    return result, cpu_with_processes() - start


def learn(entry, collection):
    """Fit a method on the training queries of each draw, and measure it on the other queries.

    Return the values of the method and of the baseline by draw, the CPU seconds and the bytes of memory.
    """
    lists, qrels = collection.lists, collection.qrels
    needed = 3 if entry.n_train == "all" else entry.n_train + 2
    if lists.n_queries < needed:
        raise InputError(f"{entry.name} needs {needed} queries with a relevant item; got {lists.n_queries}.")
    plan = folds(lists.n_queries) if entry.n_train == "all" else draws(lists.n_queries, entry.n_train)
    values, baseline, fitting, merging, memory = [], [], [], [], 0
    for draw in plan:
        found, spent = np.empty_like(collection.baseline), 0.0
        for train, test in draw:
            known = shallow(lists[train], qrels, entry.n_items) if entry.n_items else qrels
            fit = partial(clone(entry.method).fit, lists[train], known.align(lists[train]))
            more, (fitted, seconds) = extra_memory(partial(timed, fit))
            fitting.append(seconds)
            memory = max(memory, more)
            more, (run, seconds) = extra_memory(partial(timed, partial(fitted.transform, lists[test])))
            spent += seconds
            memory = max(memory, more)
            found[test] = values_of(run, qrels, lists.queries[test])
        measured = np.sort(np.concatenate([test for _, test in draw]))
        values.append(found[measured])
        baseline.append(collection.baseline[measured])
        merging.append(spent)
    return values, baseline, float(np.mean(fitting) + np.mean(merging)), memory


def outcome_of(entry, collection, result=None):
    """Measure a method; return a record of the values, or of the reason for a failure, and of the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with threadpool_limits(1):
                found = {"outcome": "measured", **measure(entry, collection, result)}
        except TooSlow:
            found = {"outcome": "limit"}
        except (InputError, MissingLibraryError) as error:
            found = {"outcome": "refused", "reason": str(error)}
        except Exception as error:
            found = {"outcome": "failed", "reason": f"{type(error).__name__}: {error}"}
    counts = Counter(f"{one.category.__name__}: {one.message}" for one in caught)
    return found | {"warnings": dict(counts.most_common(5)), "n_warnings": len(caught)}


def _work(sender, group, collection, limit):
    """Measure a group of entries in a separate process with limited CPU time; send a record for each entry."""
    os.setpgrp()
    gc.freeze()  # the garbage collector then ignores the objects of the parent process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = max(math.ceil(limit * len(group)), 1)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    peers = isinstance(group[0].method, Peer)
    results = merge_by([entry.method for entry in group], collection.lists) if peers else [None]
    records = []
    for entry, result in zip(group, results, strict=True):
        record = outcome_of(entry, collection, result)
        total = cpu_with_processes() / len(group)
        if total > limit or record.get("seconds", 0) > limit:  # with the processes that a method started
            record = {"outcome": "limit"}
        records.append({**record, "total_seconds": total})
    sender.send(records)
    sender.close()


class Task:
    """A running process that measures one method, or all methods of ranx, on a collection."""

    def __init__(self, group, collection, limit):
        context = multiprocessing.get_context("fork")
        self.group = group
        self.receiver, sender = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(sender, group, collection, limit))
        self.process.start()
        sender.close()
        # A process that waits or swaps uses no CPU time.
        self.deadline = time.monotonic() + 20 * limit * len(group) + 60

    def results(self):
        """Return the entries and their records; the process must have ended or exceeded its time limit."""
        records = None
        if self.receiver.poll():
            with contextlib.suppress(EOFError):  # the process has ended without a record
                records = self.receiver.recv()
        late = records is None and time.monotonic() >= self.deadline
        if late:
            self.kill()
        self.process.join()
        self.kill()  # processes that the method has started
        code = self.process.exitcode
        if late or code == -signal.SIGXCPU:
            records = [{"outcome": "limit"}] * len(self.group)
        elif records is None:
            reason = f"the process ended with code {code}"
            records = [{"outcome": "failed", "reason": reason}] * len(self.group)
        return zip(self.group, records, strict=True)

    def kill(self):
        """End the process, and the processes that it has started."""
        self.process.kill()
        with contextlib.suppress(ProcessLookupError, PermissionError):  # all have ended
            os.killpg(self.process.pid, signal.SIGKILL)


def run_all(todo, collection, limit, workers):
    """Run entries on a collection in up to `workers` processes; yield each entry with its record when it ends."""
    shared = [entry for entry in todo if isinstance(entry.method, Peer) and entry.method.library == "ranx"]
    waiting = [[entry] for entry in todo if all(entry is not one for one in shared)] + ([shared] if shared else [])
    waiting.reverse()
    running = []
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                running.append(Task(waiting.pop(), collection, limit))
            ready = wait([task.receiver for task in running], timeout=1.0)
            for task in list(running):
                if task.receiver in ready or time.monotonic() >= task.deadline:
                    running.remove(task)
                    yield from task.results()
    finally:  # an interrupted call leaves no process behind
        for task in running:
            task.kill()


# ---------------------------------------------------------------------- results


def key_of(collection, entry, depth):
    """Return the key of a result, which consists of the collection, its data, the method and the version."""
    return {
        "collection": collection.name,
        "data": collection.digest,
        "method": entry.name,
        "version": entry.version(depth),
    }


def read_results(path):
    """Read earlier results by their key; later lines replace earlier lines, and an incomplete last line is ignored."""
    found = {}
    path = Path(path)
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []:
        if line.endswith("\n"):
            record = json.loads(line)
            found[tuple(record[part] for part in ("collection", "data", "method", "version"))] = record
    return found


def is_done(record, limit):
    """Return True if a result need not be computed again; a method that was too slow runs again with a larger limit."""
    return record is not None and (record["outcome"] != "limit" or record["limit"] >= limit)


def append(path, record):
    """Append a result to the file, and repair a line that an interrupted call has left without an end."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    broken = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    if broken:
        text = path.read_bytes()
        path.write_bytes(text[: text.rfind(b"\n") + 1])
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def gather(collections, chosen, options):
    """Compute the missing results; return the records as dicts by collection and by name of the row."""
    known, found = read_results(options.results), {}
    for name, (folder, runs) in collections.items():
        collection = prepare(name, *load_collection(folder, runs), options.depth)
        keys = {entry.name: key_of(collection, entry, options.depth) for entry in chosen}
        records = {row: known.get(tuple(key.values())) for row, key in keys.items()}
        todo = [entry for entry in chosen if not is_done(records[entry.name], options.limit)]
        for count, (entry, record) in enumerate(run_all(todo, collection, options.limit, options.workers), 1):
            record = keys[entry.name] | {"limit": options.limit} | record
            append(options.results, record)
            records[entry.name] = record
            seconds = f"{record['total_seconds']:.1f} s" if "total_seconds" in record else ""
            print(name, f"{count}/{len(todo)}", entry.name, record["outcome"], seconds, file=sys.stderr, flush=True)
        found[name] = records
        sizes = collection.lists.n_queries, collection.lists.n_voters, collection.lists.n_candidates
        found[name][None] = {"sizes": sizes, "baseline": collection.baseline.mean(axis=0).tolist()}
    return found


# ---------------------------------------------------------------------- table and plot


def summarise(records):
    """Summarise a row's records over collections: mean difference, its error, worst difference, wins and losses."""
    measured = [record for record in records if record["outcome"] == "measured"]
    counts = Counter(record["outcome"] for record in records if record["outcome"] != "measured")
    row = {"n": len(measured), "of": len(records), "others": dict(sorted(counts.items()))}
    if not measured:
        return row
    gains, errors = (np.array([record[field] for record in measured]) for field in ("differences", "errors"))
    row["values"] = np.mean([record["values"] for record in measured], axis=0)
    row["mean"], row["worst"] = gains.mean(axis=0), gains.min(axis=0)
    if len(measured) > 1:
        row["error"] = gains.std(axis=0, ddof=1) / math.sqrt(len(measured))
    # Rounding makes differences of equal orders that are not exactly 0.
    row["wins"] = (gains > 2 * errors + 1e-9).sum(axis=0)
    row["losses"] = (gains < -2 * errors - 1e-9).sum(axis=0)
    row["seconds"] = sum(record["seconds"] for record in measured)
    row["memory"] = max(record["memory"] for record in measured)
    return row


def summaries(found, names):
    """Return the summaries of all rows, sorted by mean nDCG@10; rows that lack collections come last."""
    rows = {name: summarise([records[name] for records in found.values()]) for name in names}
    return dict(sorted(rows.items(), key=lambda item: (item[1]["n"] < item[1]["of"], -item[1].get("mean", [-1e9])[0])))


def print_tables(found, rows):
    """Print the collections, and then a line for each row."""
    lines = []
    for name, records in found.items():
        about = records[None]
        lines.append([name, *about["sizes"], *(f"{value:.2f}" for value in about["baseline"])])
    table(lines, ["collection", "queries", "voters", "candidates", *(f"{name}, RRF" for name in NAMES)])
    print()
    lines = []
    for name, row in rows.items():
        line = [name]
        for k in range(len(NAMES)):
            if row["n"] == 0:
                line += ["-"] * 4
                continue
            error = f" ± {row['error'][k]:.2f}" if "error" in row else ""
            gain = f"{row['mean'][k]:+.2f}{error}"
            wins = f"{row['wins'][k]}:{row['losses'][k]}"
            line += [f"{row['values'][k]:.2f}", gain, f"{row['worst'][k]:+.1f}", wins]
        line += [f"{row['seconds']:.1f}", f"{row['memory'] / 2**20:.0f}"] if row["n"] else ["-", "-"]
        others = "".join(f", {count} {outcome}" for outcome, count in row["others"].items())
        lines.append([*line, f"{row['n']}{others}"])
    head = [column for name in NAMES for column in (name, "to RRF", "worst", "w:l")]
    table(lines, ["", *head, "s", "MiB", "measured"])


def printed_rows(text):
    """Read what the plot needs from the table on the page: a dict from the name of each row to its summary."""
    rows = {}
    for line in BLOCK.search(text)[0].splitlines():
        if match := PRINTED.match(line):
            name, first, error, second, other, n = match.groups()
            rows[name] = {"n": int(n), "mean": [float(first), float(second)]}
            if error is not None:
                rows[name]["error"] = [float(error), float(other)]
    most = max(row["n"] for row in rows.values())
    return {name: row | {"of": most} for name, row in rows.items()}


def plot_rows(rows):
    """Choose the rows of the plot.

    The rows are methods with default parameters, the main variants of reciprocal rank fusion, and methods that learn
    from all other queries. LearnedWeights with its own default is drawn for every number of queries.
    """
    chosen = {Entry(one()).name for one in all_aggregators().values()}
    chosen |= {Entry(sk.ReciprocalRankFusion(k=k)).name for k in (20, 30, 60)}
    first = Entry(learned(sk.ReciprocalRankFusion(k=20))).name
    return [
        name
        for name, row in rows.items()
        if row["n"] == row["of"]
        and (name in chosen or name.endswith("all other queries") or name.startswith(f"{first}, "))
    ]


def plot(rows, path, least=-6.0):
    """Draw the differences of some rows with their errors; a triangle at the edge marks a value beyond the edge."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    names = plot_rows(rows)
    with mpl.rc_context({"font.size": 8, "svg.hashsalt": "skrankagg", "svg.fonttype": "none"}):
        figure, ax = plt.subplots(figsize=(WIDTH, 1 + 0.3 * len(names)), layout="constrained")
        for k, (label, colour, shift) in enumerate(zip(NAMES, ("C0", "C1"), (0.1, 0.3), strict=True)):
            mean = np.array([rows[name]["mean"][k] for name in names])
            error = np.array([rows[name].get("error", np.zeros(2))[k] for name in names])
            place, inside = np.arange(len(names)) + shift, mean >= least
            ax.errorbar(mean[inside], place[inside], xerr=error[inside], fmt="o", ms=3, color=colour, label=label)
            ax.plot(np.full((~inside).sum(), least), place[~inside], "<", ms=4, color=colour)
        ax.axvline(0, color="0.5", lw=0.8)
        # The names stand above their rows: beside them, they would take half of the width.
        for row, name in enumerate(names):
            ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
            text = ax.text(0.01, row - 0.22, name, transform=ax.get_yaxis_transform(), va="center", bbox=ground)
            text.set_in_layout(False)
        ax.set_yticks([])
        ax.set_ylim(len(names) - 0.4, -0.6)
        ax.set_xlabel("points above reciprocal rank fusion, k = 60")
        ax.grid(axis="x", color="0.9")
        ax.set_axisbelow(True)
        figure.legend(loc="outside upper center", ncols=2, frameon=False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
    describe_svg(path, "Judged collections", ALT)


def write_page(printed):
    """Write the printed table between the markers of the page."""
    block = f"![{ALT}](_static/{PLOT.name})\n\n```console\n$ python {COMMAND}\n{printed}\n```\n"
    text = PAGE.read_text(encoding="utf-8")
    if len(BLOCK.findall(text)) != 1:
        raise RuntimeError(f"{PAGE.name} must contain the markers of the table once. Add them.")
    PAGE.write_text(BLOCK.sub(lambda _: block, text), encoding="utf-8")


def main():
    """Compute the missing results, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="FOLDER, FOLDER:RUN,RUN or a pattern")
    parser.add_argument("--depth", type=int, default=100, help="number of items of each list")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds of a method for a collection")
    parser.add_argument("--workers", type=int, default=2, help="number of processes at a time")
    parser.add_argument("--methods", nargs="*", default=[], help="parts of names; default: all")
    parser.add_argument("--python", default=sys.executable, help="a Python with ranx, PyFLAGR or both")
    parser.add_argument("--results", default="judged_collections.jsonl", help="file that keeps the results")
    parser.add_argument("--write", action="store_true", help=f"also write table and plot of docs/{PAGE.name}")
    parser.add_argument("--plot", action="store_true", help="only draw the plot, from the table on the page")
    options = parser.parse_args()
    if options.plot:
        plot(printed_rows(PAGE.read_text(encoding="utf-8")), PLOT)
        return
    if not options.folders:
        parser.error("FOLDER is missing. Name the folders of the collections.")
    try:
        collections = named_folders(options.folders)
        chosen = entries(options.python)
        if options.methods:
            chosen = [entry for entry in chosen if any(part in entry.name for part in options.methods)]
        found = gather(collections, chosen, options)
    except (InputError, FileNotFoundError) as error:
        raise SystemExit(str(error)) from error
    rows = summaries(found, [entry.name for entry in chosen])
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        print_tables(found, rows)
    printed = "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
    print(printed)
    if options.write:
        write_page(printed)
        plot(rows, PLOT)


if __name__ == "__main__":
    main()
