"""Ranked lists and judgements: checking, encoding and conversion of the data that users pass."""
