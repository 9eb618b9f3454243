"""Ranked lists and judgements: checked on entry, encoded once, never changed."""
