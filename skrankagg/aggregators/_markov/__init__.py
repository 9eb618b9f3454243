"""Markov chains: a walker keeps moving to better items; the score of an item is the share of time spent there."""

# tools/regenerate.py writes what follows.
from ._markov_chain import MarkovChain, stationary_distribution

__all__ = ["MarkovChain", "stationary_distribution"]
