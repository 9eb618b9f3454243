"""Transformers that turn ranked lists into other ranked lists, for use before or after an aggregator."""

# tools/regenerate.py writes what follows.
from ._aggregator_union import AggregatorUnion
from ._single_lists import ScoreNormalizer, TopK
from ._voter_selector import VoterSelector
from ._voter_weighter import VoterWeighter

__all__ = ["AggregatorUnion", "ScoreNormalizer", "TopK", "VoterSelector", "VoterWeighter"]
