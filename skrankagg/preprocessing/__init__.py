"""Transformers before and after an aggregator, which turn ranked lists into ranked lists."""

# tools/regenerate.py writes what follows.
from ._aggregator_union import AggregatorUnion
from ._single_lists import ScoreNormalizer, TopK
from ._voter_selector import VoterSelector
from ._voter_weighter import VoterWeighter

__all__ = ["AggregatorUnion", "ScoreNormalizer", "TopK", "VoterSelector", "VoterWeighter"]
