"""Markov chains: a walker moves from item to item, mostly to better items; the score is the time on an item."""

# tools/regenerate.py writes what follows.
from ._markov_chain import MarkovChain, stationary_distribution

__all__ = ["MarkovChain", "stationary_distribution"]
