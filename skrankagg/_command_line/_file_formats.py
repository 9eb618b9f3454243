"""Names of file formats for the help texts of the command line, in a module that imports nothing.

tools/regenerate.py writes this file.
"""

READ = ("auto", "flagr", "csv", "tsv", "trec", "parquet", "json", "jsonl")
WRITTEN = ("csv", "tsv", "trec", "parquet", "json", "text")

TABLES = ".csv, .tsv (also .gz) or .parquet"
RUNS = "as .run, .trec, .txt, .json, "

READ_HELP = """\
formats of lists, as --format names them:
  flagr     query, voter, item, score, source, or query, voter, item, rank, score, source, without a
            header
  csv       with a header, separated by commas or semicolons
  tsv       the same with tabs
  trec      query, Q0, item, rank, score, tag, separated by blanks or tabs
  parquet   columns named as in a header; pyarrow must be installed
  json      {query: {item: score}}, {voter: {query: {item: score}}}, or an array of records
            {"query": ..., "item": ..., "score": ...}
  jsonl     JSON Lines, one object a line: an item {"query": ..., "voter": ..., "item": ...,
            "score": ...}, a list {"query": ..., "voter": ..., "items": [...]}, or a query {"query":
            ..., "hits": [...]} or {"query": ..., "lists": {voter: [...]}}
"""
