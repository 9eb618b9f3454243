"""Type hints for the parameter `format`, with the names of formats; tools/regenerate.py writes it."""

from typing import Literal, TypeAlias

#: Formats from which lists can be read.
ListsFormat: TypeAlias = Literal["auto", "flagr", "csv", "tsv", "trec", "parquet", "json", "jsonl"]

#: Formats from which judgements can be read.
QrelsFormat: TypeAlias = Literal["auto", "flagr", "csv", "tsv", "trec", "parquet", "json", "jsonl"]

#: Formats in which runs can be written.
RunFormat: TypeAlias = Literal["auto", "csv", "tsv", "trec", "parquet", "json", "text"]
