"""Layouts of text tables, which the parsers of this package share."""

from collections import namedtuple

#: Styles of tables, and the separators of their fields.
SEPARATORS = {"csv": ",", "semicolon": ";", "tsv": "\t"}

#: Fields that must not be empty.
IDS = {"query", "voter", "item"}

# Layout of a file. `style` is a key of SEPARATORS, "trec", "parquet", "json" or "jsonl". `names` contains the name of
# each field's content, or None for a skipped field. `n_skip` is the number of records before the first row. `trailing`
# is True if more fields may follow the last named field. `decimal` is the decimal mark. `coded` is True if columns of
# text may be read as categories, which a caller encodes faster than text.
Layout = namedtuple("Layout", "style names n_skip trailing decimal coded", defaults=[0, False, ".", False])
