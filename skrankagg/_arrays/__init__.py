"""Pure functions on arrays: ragged groups, pairwise preferences, distances and normalisations of lists."""

#: Share of the largest value, or of the total weight, up to which a difference may be rounding and is ignored.
TOLERANCE = 1e-12
