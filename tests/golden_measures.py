"""Golden results of every measure, one line for each: name and cutoff, ranking, grades of the judged items, value."""

from math import log2

__all__ = ["MEASURES"]

# Item x is not judged, m is not returned.
GRADES = {"a": 2, "y": 0, "c": 1, "m": 1}

MEASURES = [
    ("p@2", "a x y c", GRADES, 1 / 2),
    ("recall@2", "a x y c", GRADES, 1 / 3),
    ("f1@2", "a x y c", GRADES, 2 / 5),
    ("set_f", "a x y c", GRADES, 4 / 7),
    ("success@3", "x y c a", GRADES, 1.0),
    ("judged@2", "a x y c", GRADES, 1 / 2),
    ("rprec", "a x y c", GRADES, 1 / 3),
    ("marp@1,2", "a x y c", GRADES, (1 + 1 / 2) / 2),
    ("map", "a x y c", GRADES, (1 + 2 / 4) / 3),
    ("gmap", "a x y c", GRADES, (1 + 2 / 4) / 3),
    ("mrr", "x y c a", GRADES, 1 / 3),
    ("bpref", "a x y c", GRADES, 1 / 3),
    ("infap", "a x y c", GRADES, (1 + 1 / 4 + 2 / 4 * 1 / 2) / 3),
    ("iprec@0.5", "a x y c", GRADES, 2 / 4),
    ("11pt", "a x y c", GRADES, (5 * 1 + 4 * 2 / 4) / 11),
    ("dcg", "a x y c", GRADES, 3 + 1 / log2(5)),
    ("ndcg", "a x y c", GRADES, (3 + 1 / log2(5)) / (3 + 1 / log2(3) + 1 / 2)),
    ("rbp", "a x y c", GRADES, 0.2 * (1 + 0.8**3)),
    ("rbp_resid", "a x y c", GRADES, 0.8**4 + 0.2 * 0.8),
    ("err", "a x y c", GRADES, 3 / 16 + 13 / 16 * 1 / 16 / 4),
    ("num_ret", "a x y c", GRADES, 4),
    ("num_rel", "a x y c", GRADES, 3),
    ("num_rel_ret", "a x y c", GRADES, 2),
]
