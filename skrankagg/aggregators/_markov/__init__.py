"""Markov chains: a walker moves from item to better item, and time spent on an item is its score."""

# tools/regenerate.py writes what follows.
from ._markov_chain import MarkovChain, stationary_distribution

__all__ = ["MarkovChain", "stationary_distribution"]
