"""Randomly damaged files of every format, and an oracle: a reader returns all rows or raises a one-sentence error.

A file is determined by its seed and number. The oracle counts its rows independently of the package: by a splitter of
fields, by the leaves of JSON, or by the footer of a Parquet file.
"""

import gzip
import io
import json
import random
import re
import warnings
import zlib
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from skrankagg.datasets import read_lists, read_qrels
from skrankagg.exceptions import InputError, MissingLibraryError

try:
    import pyarrow.parquet as parquet
except ImportError:
    parquet = None

WORDS = ["a", "b", "d007", "NA", "1e5", "say", "é日", "x y", "0"]
BAD_VALUES = [
    *("", " ", "nan", "inf", "-inf", "null", "1e999", "1,5", "1.5", "1;2", "1\t2", "1_0", "0x1", "x", "-0", "\u0663"),
    *("9" * 25, "9" * 400, "18446744073709551616", "9007199254740993", '"', '""', '"x', "a\0", "\ufeff", "Q0"),
]
PIECES = [
    *(b"\0", b"\r", b"\n", b"\r\n", b"\n\n", b'"', b'""', b",", b";", b"\t", b" ", b"{", b"}", b"[", b"]", b":"),
    *(
        b"-",
        b".",
        b"\xff",
        b"\xe9",
        b"\xef\xbb\xbf",
        "\x85\u2028\x1c".encode(),
        b"\x0b",
        b"\x0c",
        b"nan",
        b"NaN",
        b"true",
    ),
    *(b"9" * 5000, b"x" * 140_000, b"PAR1", b"\x1f\x8b", b"query,item,score\n", b"[" * 3000, b'{"a":' * 3000),
    *(b"nan", b"NaN", b"true", b"\\ud800", b"\\u0000"),
]
BAD_JSON = [
    *(None, True, "1", "", [], {}, [1], {"a": 1}, float("nan"), float("inf")),
    *(10**400, 2**64, 2**53 + 1, -0.0, 1.5),
]

# Clauses that name the line, and the field where there is one.
IN_A_LINE = [
    r"expected \d+ fields \(.*\) on line \d+, got \d+",
    r"expected text on line \d+, got a NUL character in field \d+",
    r"expected an id as \w+ on line \d+, got an empty field",
    r"expected a finite number as \w+ on line \d+, got .*",
    r"expected a judgement that fits into a 64-bit integer on line \d+, got .*",
    r"expected 0 in the second field of judgements \(a file of lists has the voter there\), got .* on line \d+",
    r"line \d+ has a damaged quoted field \(.*\)",
    r"line \d+ contains only a quoted field without text",
    r"expected UTF-8 text, got the byte 0x[0-9a-f]{2} on line \d+",
    r"expected \d+ fields as in the header .*, got \d+ in the first row, on line \d+",
]
# Clauses that are about the file, or show the line that they are about.
OF_A_FILE = [
    r"expected at least one row, got (none|an empty file)",
    r"expected rows after the header .*, got none",
    r"expected one column for the \w+, got .* and .*",
    r"expected a (FLAGR CSV|voter in the second field).*, got .*'.*",
    r'expected a (FLAGR CSV|voter in the second field).*, got .*".*',
    r"expected (a CSV whose|a TSV whose|a TREC|TREC|a FLAGR) .*, got the first line .*",
    r"expected the fields query, voter, item, score and source, got the line .*, whose last two fields are numbers",
    r"expected a first line that fits only one format, got .*, which fits .*",
    r"expected the \d+ fields that columns= names, got \d+ in the first line",
    r"expected a first line that only one separator splits into .*",
    r"expected fields separated by tabs or semicolons, as decimal=',' requires, got .*",
    r"expected a whole gzip file, got a damaged one \(.*\)",
]
OF_PARQUET = [
    r"expected a Parquet file that pyarrow can read, got a damaged one \(.*\)",
    r"expected \d+ rows, the number in the footer of the Parquet file, got \d+",
    r"expected columns for .*, got .*",
    r"expected a value as \w+ in every row, got none in row \d+",
    r"expected numbers as \w+, got .*",
    r"expected a finite number as \w+ in row \d+, got .*",
    r"expected a judgement that fits into a 64-bit integer in row \d+, got .*",
    r"expected format=.*, got a Parquet file",
]
OF_JSON = [
    r"expected valid JSON, got an error on line \d+, column \d+ \(.*\)",
    r"expected JSON of at most three levels, got JSON that is nested too deeply to be read",
    r"expected a finite number as \w+ (for|in) .*(query|record) .*, item .*, got .*",
    r"expected an object of .* (for|in) (voter|query|record) .*, got .*",
    r"expected an id as \w+( (for|in) (voter|query|record) .*)?, got empty text",
    r"expected text as \w+( (for|in) (voter|query|record) .*)?, got .*",
    r"expected each (voter|query|item|field) once.*, got .* twice",
    r"expected fields for .* in record \d+.*, got .*",
    r"expected a judgement that fits into a 64-bit integer for query .*, item .*, got .*",
]
OF_JSON_LINES = [
    r"expected a JSON object on line \d+, got .*",
    r"expected an object of .* on line \d+.*, got .*",
    r"expected an array or object of items on line \d+.*, got .*",
    r"expected (one item|a list, such as .*,) on line \d+, as on line \d+, got .*",
    r"expected each list on one line; query .* is on line \d+ and on line \d+",
    r"expected each (voter|item|field) once on line \d+.*, got .* twice",
    r"expected (an id|text) as \w+ on line \d+.*, got .*",
    r"expected a finite number as \w+ on line \d+, (voter .*, )?(for query .*, )?item .*, got .*",
    r"expected (fields|a field) for .* on line \d+.*, got .*",
    r"expected one field for the \w+ on line \d+.*, got .*",
    r"expected (items of one kind|pairs of item and score|each item with its relevance) on line \d+.*, got .*",
]
CLAUSES = re.compile("|".join(f"(?:{one})" for one in (*IN_A_LINE, *OF_A_FILE, *OF_PARQUET, *OF_JSON, *OF_JSON_LINES)))


@dataclass
class File:
    """A file, its reader and the reader's options."""

    kind: str
    reader: object
    data: bytes
    separator: str | None = None  # None for TREC's white space, "" for what is not a table
    options: dict = field(default_factory=dict)


# ---------------------------------------------------------------------- valid files


def _number(rng):
    return rng.choice([rng.randint(-9, 99), round(rng.uniform(-5, 5), 3), 1e-20, 2**53 + 1, 0.1 + 0.2])


def _rows(rng, qrels):
    """Draw rows of text: query, voter, item, rank, score, or query, item, relevance."""
    rows = []
    for k in range(rng.randint(1, 9)):
        item = rng.choice(WORDS) + str(k)
        if qrels:
            rows.append([f"q{k // 4}", item, str(rng.choice([0, 1, 2, -1, 0.5]))])
        else:
            rows.append([f"q{k // 4}", f"v{k // 2 % 2}", item, str(k % 2 + 1), str(_number(rng))])
    return rows


def _table(rows, separator, rng):
    """Format rows as lines of fields, some of them quoted."""

    def shown(text):
        if separator in text or text.startswith('"') or rng.random() < 0.05:
            return '"' + text.replace('"', '""') + '"'
        return text

    return "".join(separator.join(map(shown, row)) + "\n" for row in rows)


def _json(rows, shape, rng):
    qrels = len(rows[0]) == 3
    number = "relevance" if qrels else "score"
    if shape == "records":
        names = ["query", "item", number] if qrels else ["query", "voter", "item", "rank", number]
        data = [dict(zip(names, [*row[:-1], json.loads(row[-1])], strict=True)) for row in rows]
        for record in data:
            if "rank" in record:
                record["rank"] = int(record["rank"])
        return data
    data = {}
    for row in rows:
        place = data.setdefault(row[1], {}) if shape == "voters" else data
        place.setdefault(row[0], {})[row[1 if qrels else 2]] = json.loads(row[-1])
    return data


def _json_lines(rows, shape, rng):
    """Return the objects of the lines of a JSON Lines file."""
    qrels = len(rows[0]) == 3
    if shape == "records":
        return _json(rows, shape, rng)
    if qrels:
        return [{"query": query, "items": items} for query, items in _json(rows, "run", rng).items()]
    found = {}
    for query, voter, item, _, score in rows:
        found.setdefault(query, {}).setdefault(voter, []).append((item, json.loads(score)))
    forms = {
        "ids": lambda hits: [item for item, _ in hits],
        "pairs": lambda hits: [list(hit) for hit in hits],
        "dict": dict,
        "objects": lambda hits: [{"id": item, "score": score, "text": "x"} for item, score in hits],
    }
    form = forms[rng.choice(list(forms))]
    if shape == "voters":
        return [
            {"qid": query, "lists": {voter: form(hits) for voter, hits in of.items()}} for query, of in found.items()
        ]
    return [
        {"query": query, "voter": voter, rng.choice(["items", "hits"]): form(hits)}
        for query, of in found.items()
        for voter, hits in of.items()
    ]


def _count_in_line(record):
    """Return the number of items in the object of a line."""
    if "lists" in record:
        return sum(map(len, record["lists"].values()))
    return next((len(record[key]) for key in ("items", "hits", "results") if key in record), 1)


def _parquet(rows, rng):
    names = ["query", "item", "relevance"] if len(rows[0]) == 3 else ["query", "voter", "item", "rank", "score"]
    frame = pd.DataFrame(rows, columns=names)
    for name in names:
        if name in {"rank", "score", "relevance"}:
            frame[name] = frame[name].astype("float64" if name != "rank" else "int64")
    damage = rng.randrange(12)
    name = rng.choice(names)
    if damage == 0:
        frame = frame.drop(columns=name)
    elif damage == 1:
        frame[name] = frame[name].astype(object).where(frame.index != 0)
    elif damage == 2:
        frame[name] = frame[name].astype(str)
    elif damage == 3:
        title = rng.choice(["docno", "qid", "sim", "x"])  # a column qid beside a column query causes a warning
        frame = frame.rename(columns={name: "x" if title == "qid" and name != "query" else title})
    elif damage == 4:
        frame[names[-1]] = rng.choice([np.nan, np.inf, 2.0**53 + 2, 1e300])
    elif damage == 5:
        frame = frame.iloc[:0]
    elif damage == 6:
        frame[name] = ""
    stream = io.BytesIO()
    frame.to_parquet(stream, index=False, compression=rng.choice(["snappy", None]))
    return stream.getvalue()


SEPARATORS = {"csv": ",", "semicolon": ";", "comma": ";", "tsv": "\t"}
KINDS = [
    f"{what}-{kind}"
    for what in ("lists", "qrels")
    for kind in (*SEPARATORS, "flagr", "trec", "columns", "json", "jsonl")
]
KINDS += ["lists-parquet", "qrels-parquet"] if parquet else []


def make_file(rng, kind):
    """Return a valid file of a kind."""
    what, _, form = kind.partition("-")
    qrels = what == "qrels"
    reader = read_qrels if qrels else read_lists
    rows = _rows(rng, qrels)
    names = ["query", "item", "relevance"] if qrels else ["query", "voter", "item", "rank", "score"]
    if form == "parquet":
        return File(kind, reader, _parquet(rows, rng), "")
    if form == "json":
        shape = rng.choice(["run", "records"] if qrels else ["run", "voters", "records"])
        data = _json(rows, shape, rng)
        if rng.random() < 0.4:
            damage_json(rng, data)
        text = json.dumps(data, indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5)
        return File(kind, reader, text.encode(errors="surrogatepass"), "")
    if form == "jsonl":
        data = _json_lines(rows, rng.choice(["records", "lists"] if qrels else ["records", "lists", "voters"]), rng)
        if rng.random() < 0.4:
            damage_json(rng, data)
        lines = [json.dumps(one, ensure_ascii=rng.random() < 0.5) + rng.choice(["\n", "\r\n"]) for one in data]
        return File(kind, reader, "".join(lines).encode(errors="surrogatepass"), "")
    if form == "trec":
        blank = rng.choice([" ", "\t", "  "])
        rows = [[one.replace(" ", "_") for one in row] for row in rows]
        fields = [[row[0], "0", *row[1:]] if qrels else [row[0], "Q0", *row[2:], "run"] for row in rows]
        return File(kind, reader, "".join(blank.join(one) + "\n" for one in fields).encode())
    if form == "flagr":
        rows = [[row[0], "0", *row[1:]] if qrels else [*row, "s"] for row in rows]
        return File(kind, reader, _table(rows, ",", rng).encode(), ",")
    if form == "columns":
        separator = rng.choice(",;\t")
        return File(kind, reader, _table(rows, separator, rng).encode(), separator, {"columns": names})
    separator = SEPARATORS[form]
    options = {}
    if form == "comma":
        options = {"decimal": ","}
        rows = [[*row[:-1], row[-1].replace(".", ",")] for row in rows]
    elif rng.random() < 0.3:
        options = {"format": "tsv" if form == "tsv" else "csv"}
    if rng.random() < 0.3:
        names, rows = [*names, "note"], [[*row, ""] for row in rows]
    return File(kind, reader, _table([names, *rows], separator, rng).encode(), separator, options)


# ---------------------------------------------------------------------- damage


def damage_json(rng, data):
    """Damage one place of an object or array."""
    keys = list(data) if isinstance(data, dict) else list(range(len(data)))
    if not keys:
        return
    key = rng.choice(keys)
    if isinstance(data[key], (dict, list)) and data[key] and rng.random() < 0.8:
        damage_json(rng, data[key])
    elif rng.random() < 0.2:
        del data[key]
    elif isinstance(data, dict) and rng.random() < 0.3:
        data[rng.choice(["", "\0", "\ud800", "x", "docno"])] = data.pop(key)
    else:
        data[key] = rng.choice(BAD_JSON)


def _damage_bytes(rng, data, separator):
    at, to = sorted(rng.randint(0, len(data)) for _ in range(2))
    kind = rng.randrange(8)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + data[min(to, at + rng.choice([1, 2, 20, 10**6])) :]
    if kind == 2:
        return data[:to] + data[at:]
    if kind == 3:
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    if kind == 4:
        return data[:at] + bytes([rng.randrange(256)]) + data[at:]
    if kind == 5:
        return data[:at] + rng.choice(PIECES) + data[at:]
    if kind == 6:
        return data[:at] + rng.choice(PIECES) + data[at + rng.randint(1, 3) :]
    bits = bytearray(data)
    if bits:
        bits[rng.randrange(len(bits))] ^= 1 << rng.randrange(8)
    return bytes(bits)


def _damage_lines(rng, data, separator):
    lines = data.splitlines(keepends=True)
    if not lines:
        return data
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(7)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[at])
    elif kind == 2:
        lines[at] = rng.choice([b"\n", b"  \n", b"\t\n", b'""\n', b",,,,\n", b"\r\n"])
    elif kind == 3:
        lines[at] = lines[at][: rng.randint(0, len(lines[at]))] + rng.choice([b"\n", b""])
    elif kind == 4:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 5:
        lines[at] = lines[at].rstrip(b"\r\n")
    else:
        lines.insert(at, rng.choice([b"\n", b" \n", b"\n\n\n"]))
    return b"".join(lines)


def _damage_fields(rng, data, separator):
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    mark = (separator or (" " if b" " in lines[at] else "\t")).encode()
    fields = lines[at].split(mark)
    k, other = rng.randrange(len(fields)), rng.randrange(len(fields))
    kind = rng.randrange(6)
    if kind == 0:
        del fields[k]
    elif kind == 1:
        fields.insert(k, fields[k])
    elif kind == 2:
        fields[k], fields[other] = fields[other], fields[k]
    elif kind == 3:
        fields[k] = b""
    elif kind == 4:
        fields[k] = rng.choice(BAD_VALUES).encode()
    else:
        fields[k] = rng.choice([b'"%s"', b'"%s', b'%s"', b'"%s"x', b'"%s\n"', b' "%s"']) % fields[k]
    lines[at] = mark.join(fields)
    return b"\n".join(lines)


def _recode(rng, data, separator):
    kind = rng.randrange(8)
    if kind < 4:
        text = data.decode("utf-8", "replace")
        return text.encode(["latin-1", "utf-16", "utf-16-le", "cp1252"][kind], "replace")
    if kind == 4:
        return b"\xef\xbb\xbf" + data
    return data.replace(b"\n", [b"\r\n", b"\r", b"\n\n"][kind - 5])


def damage(rng, file):
    """Damage a file in up to three places, and sometimes compress it before or after."""
    data = file.data
    binary = file.kind.endswith("parquet")
    packs = not binary and rng.random() < 0.15
    if packs and rng.random() < 0.3:
        data, binary, packs = gzip.compress(data, mtime=0), True, False
    ways = [_damage_bytes]
    if not binary:
        ways += [_damage_lines, _recode]
    if not binary and file.separator != "":
        ways += [_damage_fields] * 3
    for _ in range(rng.choice([0, 0, 0, 1] if binary else [0, 1, 1, 1, 1, 2, 3])):
        data = rng.choice(ways)(rng, data, file.separator)
    return gzip.compress(data, mtime=0) if packs else data


def damaged_file(seed, number):
    """Return a damaged file; the kinds alternate."""
    rng = random.Random(f"{seed}-{number}")
    file = make_file(rng, KINDS[number % len(KINDS)])
    file.data = damage(rng, file)
    return file


# ---------------------------------------------------------------------- the oracle


def _split(text, separator):
    """Split a table with valid quotes into records of fields."""
    records, fields, k = [], [], 0
    while k <= len(text):
        if text.startswith('"', k):
            end = k + 1
            while not (text[end] == '"' and text[end + 1 : end + 2] != '"'):
                end += 2 if text[end] == '"' else 1
            fields.append((text[k + 1 : end].replace('""', '"'), True))
            k = end + 1
        else:
            end = re.compile(f"[{separator}\r\n]|$(?![\r\n])").search(text, k).start()
            fields.append((text[k:end], False))
            k = end
        if not text.startswith(separator, k):
            records.append(fields)
            fields = []
            k += text.startswith("\r\n", k)
        k += 1
    return records


def _is_number(text):
    shape = r"[ \t]*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?[ \t]*"
    return re.fullmatch(shape, text, re.ASCII) is not None and np.isfinite(float(text.replace(",", ".")))


def _unpacked(data):
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def _leaves(value):
    if isinstance(value, list):  # an object
        return sum(_leaves(member) for _, member in value)
    return 1


def columns_of(file, data):
    """Return the columns of text of a file, or its number of rows."""
    if data[:4] == b"PAR1" and "columns" not in file.options:
        return parquet.read_metadata(io.BytesIO(data)).num_rows
    text = _unpacked(data).decode("utf-8-sig")
    if file.kind.endswith("jsonl"):
        records = [json.loads(line) for line in text.split("\n") if line.strip(" \t\r")]
        if len(records) == 1 and all(isinstance(value, dict) for value in records[0].values()):
            return _leaves(json.loads(text, object_pairs_hook=list))  # damage has made a JSON file of the line
        return sum(map(_count_in_line, records))
    if text.lstrip(" \t\r\n")[:1] in ("{", "[") and not ({"format", "columns"} & set(file.options)):
        if text.lstrip(" \t\r\n").startswith("["):
            return len(json.loads(text))
        return _leaves(json.loads(text, object_pairs_hook=list))
    if file.separator is None:
        records = [re.split(r"[ \t]+", one.strip(" \t")) for one in re.split(r"\r\n|\r|\n", text) if one.strip(" \t")]
    else:
        records = _split(text, file.separator)
        records = [one for one in records if len(one) > 1 or one[0][1] or one[0][0].strip(" \t")]
        records = [[text for text, _ in one] for one in records]
        if "columns" not in file.options and not any(map(_is_number, records[0])):
            del records[0]
    return list(map(list, zip(*records, strict=False)))


def _is_a_column(found, columns, decimal):
    """Return whether a column equals one of the file's columns exactly or as nearest doubles."""
    if found.dtype.kind not in "iuf":
        return found.tolist() in columns
    mark = "," if decimal == "," else "."
    for column in columns:
        if all(map(_is_number, column)):
            values = [one.replace(mark, ".") for one in column]
            if "," not in "".join(values) and [float(one) for one in values] == [float(one) for one in found.tolist()]:
                return True
    return False


def fault(file, path):
    """Return a description of a reader's mistake, or None, and whether it read the damaged file."""
    path.write_bytes(file.data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            frame = file.reader(path, **file.options)
    except MissingLibraryError:
        return None, False
    except InputError as error:
        return _fault_of_message(file, path, str(error)), False
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:500], False
    try:
        columns = columns_of(file, file.data)
    except (ValueError, IndexError, EOFError, zlib.error) as error:
        return f"{len(frame)} rows were read of what the oracle cannot read ({type(error).__name__}: {error})", True
    count = columns if isinstance(columns, int) else len(columns[0])
    if len(frame) != count:
        return f"{len(frame)} rows were read of {count}", True
    if not isinstance(columns, int):
        for name in frame:
            known = name != "voter" or set(frame[name]) != {"consensus"}
            if known and not _is_a_column(frame[name], columns, file.options.get("decimal")):
                return f"the {name} is not a column of the file", True
    return None, True


def _fault_of_message(file, path, message):
    start = f"{file.reader.__name__} cannot read {str(path)!r}: "
    if len(message.splitlines()) != 1 or not message.endswith(".") or len(message) > 1000 + len(start):
        return f"the message is not one sentence: {message[:1500]!r}"
    clause, _, remedy = message.removeprefix(start).rpartition("; ")
    if not message.startswith(start) or not remedy or not CLAUSES.fullmatch(clause):
        return f"the message does not say enough: {message!r}"
    return None
