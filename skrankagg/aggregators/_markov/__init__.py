"""Markov chains: a walker moves from item to better item, and the score of an item is the time spent on it."""

# tools/regenerate.py writes what follows.
from ._markov_chain import MarkovChain, stationary_distribution

__all__ = ["MarkovChain", "stationary_distribution"]
