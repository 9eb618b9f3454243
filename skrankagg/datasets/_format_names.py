"""The types of `format`. tools/regenerate.py writes this file."""

from typing import Literal, TypeAlias

#: What lists are read from.
ListsFormat: TypeAlias = Literal["auto", "flagr", "csv", "tsv", "trec", "parquet", "json"]

#: What judgements are read from.
QrelsFormat: TypeAlias = Literal["auto", "flagr", "csv", "tsv", "trec", "parquet", "json"]

#: What a run is written in.
RunFormat: TypeAlias = Literal["auto", "csv", "tsv", "trec", "parquet", "json", "text"]
