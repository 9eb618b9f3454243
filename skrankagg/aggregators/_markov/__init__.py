"""Markov chains: a walker moves from item to better item."""

from ._markov_chain import *
