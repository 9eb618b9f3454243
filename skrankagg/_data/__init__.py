"""Ranked lists and judgements, which are checked and encoded when they are created and never change afterwards."""
