"""A small file of each format that lists are read from, and the frame that it gives: one line for each."""

import io

import pandas as pd

__all__ = ["FILES", "RUN", "frame_of"]


def frame_of(**columns):
    """Return a frame of lists whose ids are text."""
    return pd.DataFrame(columns).astype(dict.fromkeys({"query", "voter", "item"} & set(columns), str))


def _parquet():
    pyarrow = __import__("pytest").importorskip("pyarrow", reason="Parquet needs pyarrow")
    from pyarrow import parquet

    stream = io.BytesIO()
    parquet.write_table(pyarrow.table({"Query": ["1", "1"], "docid": ["b", "a"], "Rank": [1, 2]}), stream)
    return stream.getvalue()


#: Name of the format; the file, or what makes it; the frame.
FILES = [
    (
        "flagr",
        b"1,u,b,0.5,data\n1,u,a,0.25,data\n1,v,a,7,data\n",
        frame_of(query=["1"] * 3, voter=["u", "u", "v"], item=["b", "a", "a"], score=[0.5, 0.25, 7.0]),
    ),
    (
        "csv",
        b"qid,docid,sim,weight,more\n1,007,1.5,2,x\n1,NA,-1,2,y\n",
        frame_of(query=["1"] * 2, voter=["consensus"] * 2, item=["007", "NA"], score=[1.5, -1.0], weight=[2.0, 2.0]),
    ),
    (
        "tsv",
        b"voter\tquery\titem\trank\nu\tq 1\tb\t1\nu\tq 1\ta\t2\n",
        frame_of(query=["q 1"] * 2, voter=["u"] * 2, item=["b", "a"], rank=[1, 2]),
    ),
    (
        "trec",
        b"1 Q0 b 1 2.5 bm25\n1 Q0 a 2 1.5 bm25\n",
        frame_of(query=["1"] * 2, voter=["bm25"] * 2, item=["b", "a"], rank=[1, 2], score=[2.5, 1.5]),
    ),
    (
        "parquet",
        _parquet,
        frame_of(query=["1"] * 2, voter=["consensus"] * 2, item=["b", "a"], rank=[1, 2]),
    ),
    (
        "json",
        b'{"u": {"1": {"b": 2, "a": 0.5}}, "v": {"1": {"a": 3}}}',
        frame_of(query=["1"] * 3, voter=["u", "u", "v"], item=["b", "a", "a"], score=[2.0, 0.5, 3.0]),
    ),
    (
        "jsonl",
        b'{"query": "1", "lists": {"u": [["b", 2], ["a", 0.5]]}}\n{"query": 2, "lists": {"v": {"a": 3}}}\n',
        frame_of(query=["1", "1", "2"], voter=["u", "u", "v"], item=["b", "a", "a"], score=[2.0, 0.5, 3.0]),
    ),
]

#: A run that each format must give back that is both written and read, but for ranks where it has none.
RUN = frame_of(query=["1", "1", "2"], item=["b", "a", "b"], score=[0.1, -2.0, 3.5], rank=[1, 2, 1])
