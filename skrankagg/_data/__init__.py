"""Ranked lists and judgements: checked at the border, encoded once, never changed."""
