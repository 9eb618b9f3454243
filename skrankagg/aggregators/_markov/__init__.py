"""Markov chains: a walker moves from item to better item, and time spent on an item is its score."""

from ._markov_chain import *
