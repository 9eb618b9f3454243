"""Markov chains: a walker moves from item to better item, and the consensus is where it spends its time."""

from ._markov_chain import *
