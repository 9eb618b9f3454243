"""Markov chains: a walker moves from item to better item, and the consensus is where it spends its time."""

# tools/regenerate.py writes what follows.
from ._markov_chain import MarkovChain, stationary_distribution

__all__ = ["MarkovChain", "stationary_distribution"]
