"""Pure functions on arrays: ragged groups, pairwise preferences, distances and normalisations of lists."""
