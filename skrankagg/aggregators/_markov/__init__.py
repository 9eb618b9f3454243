"""Markov chains: a walker keeps moving to better items; an item's score is its share of the walker's time."""

# tools/regenerate.py writes what follows.
from ._markov_chain import MarkovChain, stationary_distribution

__all__ = ["MarkovChain", "stationary_distribution"]
