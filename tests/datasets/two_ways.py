"""Random tables, regular or with one irregular line, that are read in blocks and by a single pass of pandas' C parser.

Both ways must return equal frames, or raise equal errors. A table is determined by its seed and number. Tables have a
style, a line end and ids that a reader could mistake for numbers.
"""

import gzip
import random
import warnings

import numpy as np

from skrankagg.datasets import _blocks, read_lists, read_qrels
from skrankagg.exceptions import InputError

IDS = [
    "007",
    "7",
    "7.0",
    "1",
    "1.0",
    "01",
    "NA",
    "null",
    "nan",
    "True",
    "-0",
    "0",
    "é",
    "日本",
    "#1",
    "a,b",
    "a;b",
    "q'x",
]
NUMBERS = [
    "1",
    "2.5",
    "-0.0",
    "1e5",
    "0.1",
    "30.0004",
    "9007199254740993",
    "1e-320",
    "+3",
    "007",
    ".5",
    "5.",
    "17976931e301",
]
BAD = ["", "nan", "inf", "1e999", "x", "1_0", "0x1", "1,5", "1 ", " 1", "\t1", "1d5", "infinity", "\u0663"]
ODD = ["", " ", "\t", "# note", "x", "\x0b", "\x0c", "\0", '"', '""', "\ufeff", "\r", "\x85", "\u2028", "\udcff"]


def make_table(seed, number):
    """Return the bytes of a table, the reader, and the reader's options."""
    rng = random.Random(f"{seed}-{number}")
    style = rng.choice(["trec", "trec", "csv", "tsv", "semicolon", "flagr", "qrels"])
    mark = {"trec": rng.choice([" ", " ", "\t", "  "]), "qrels": " ", "tsv": "\t", "semicolon": ";"}.get(style, ",")
    pool = [one for one in IDS if mark.strip(" ") == "" or mark not in one]
    pool += [f"d{k}" for k in range(4)] + (["x y"] if style not in {"trec", "qrels"} else [])
    numbers = [rng.choice(NUMBERS)] if rng.random() < 0.3 else NUMBERS[: rng.randint(1, len(NUMBERS))]
    n_rows = rng.randint(1, 40)
    rows = []
    for k in range(n_rows):
        query, voter, item = (rng.choice(pool[: rng.randint(1, len(pool))]) for _ in range(3))
        score = rng.choice(numbers)
        rows.append(
            {
                "trec": [query, "Q0", item, str(k + 1), score, voter],
                "qrels": [query, "0", item, str(k % 3)],
                "flagr": [query, voter, item, score, "s"],
            }.get(style, [query, voter, item, str(k + 1), score, rng.choice(["", "note"])])
        )
    if style in {"csv", "tsv", "semicolon"}:
        rows.insert(0, ["query", "voter", "item", "rank", "score", "note"])
    lines = [mark.join(row) for row in rows]
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        _damage(rng, lines, rows, mark)
    end = rng.choice(["\n", "\n", "\n", "\r\n", "\r"])
    text = end.join(lines) + rng.choice([end, end, "", end * 3])
    data = rng.choice([b"", b"", b"", b"\xef\xbb\xbf"]) + text.encode(errors="surrogateescape")
    options = {} if style == "qrels" else {"trailing": rng.choice(["error", "error", "ignore"])}
    return gzip.compress(data, mtime=0) if rng.random() < 0.1 else data, style, options


def _damage(rng, lines, rows, mark):
    """Make one line irregular, by its blanks, its fields or the number of its fields."""
    k = rng.randrange(len(lines))
    fields = lines[k].split(mark)
    at = rng.randrange(len(fields))
    kind = rng.randrange(10)
    if kind == 0:
        fields.insert(at, rng.choice(ODD))
    elif kind == 1:
        del fields[at]
    elif kind == 2:
        fields[at] = rng.choice(BAD)
    elif kind == 3:
        fields[at] += rng.choice(ODD)
    elif kind == 4:
        fields[at] = rng.choice(ODD) + fields[at]
    elif kind == 5:
        fields[at] = f'"{fields[at]}"'
    elif kind == 6:
        fields[at] = ""
        fields.append("x")
    lines[k] = mark.join(fields)
    if kind == 7:
        lines.insert(k, rng.choice(["", " ", "\t", "# note", mark * 5]))
    elif kind == 8:
        lines[k] += rng.choice([" ", "\t", mark, "  "])
    elif kind == 9:
        lines[k] += f"{mark}x"
        lines.insert(k, rng.choice(["", " ", "\t"]))


def outcome(path, style, options):
    """Return the frame that a reader returns, or its message."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return (read_qrels if style == "qrels" else read_lists)(path, **options)
        except InputError as error:
            return str(error)
        except Warning as warning:
            return repr(warning)


def are_equal(one, other):
    """Return True if two outcomes have the same text, dtypes and bits."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    if list(one.columns) != list(other.columns) or not one.index.equals(other.index):
        return False
    if list(one.dtypes) != list(other.dtypes):
        return False
    return all(
        one[name].tolist() == other[name].tolist()
        if one[name].dtype.kind not in "iuf"
        else np.array_equal(one[name].to_numpy().view(np.int64), other[name].to_numpy().view(np.int64))
        for name in one
    )


def difference(seed, number, path, monkeypatch):
    """Return a description of a table that the two ways read differently, or None, and whether it was read in blocks.

    `monkeypatch` sets the size of the blocks, so that even small tables have several blocks.
    """
    data, style, options = make_table(seed, number)
    path.write_bytes(data)
    in_blocks = []
    usual = _blocks._Table.usual_block

    def counted(table, guard, block):
        part = usual(table, guard, block)
        in_blocks.append(part is not None)
        return part

    with monkeypatch.context() as patch:
        patch.setattr(_blocks, "_BLOCK", random.Random(number).choice([1, 60, 200, 2**20]))
        patch.setattr(_blocks._Table, "usual_block", counted)
        fast = outcome(path, style, options)
        patch.setattr(_blocks._Table, "usual_block", lambda table, guard, block: None)
        general = outcome(path, style, options)
    if are_equal(fast, general):
        return None, any(in_blocks)
    shown = [one if isinstance(one, str) else one.to_dict("list") for one in (fast, general)]
    return f"seed {seed}, number {number}, {style} {options} {data[:300]!r}: {shown[0]} instead of {shown[1]}", True
