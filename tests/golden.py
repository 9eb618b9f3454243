# ruff: noqa: F403, F405
"""The frame of the docstrings, and the golden results of every method on it, one line for each variant.

Every common check runs on these estimators.
"""

from math import log, log10

import pandas as pd
from sklearn.linear_model import LinearRegression, Ridge

from skrankagg import *  # so that a method needs its line alone


def one_of_each(estimators):
    """Split estimators into the first one of each class, and the others.

    fit, transform, frames, pickles and errors depend on the class, so the first estimators cover them. The others
    differ in their formula and tags only.
    """
    first = {type(one): one for one in reversed(estimators)}.values()
    return [one for one in estimators if one in first], [one for one in estimators if one not in first]


def lists():
    """Return three lists of four items: c and d are absent from some list, a and d tie in one."""
    return pd.DataFrame(
        {
            "query": "q",
            "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
            "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
            "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
        }
    )


#: What DIBRA's weights 6.056..., 19.836... and 3.134... of u, v and w make of u when v has 1 and w 0.
S = (6.056332128285967 - 3.1348626768432593) / (19.836387251497346 - 3.1348626768432593)

# By hand: ranks are a 1, b 2, c 3 | b 1, a and d 2.5 | b 1, c 2; n = 4 items, lists of 3, 3 and 2.
GOLDEN = [
    (CombSUM(norm="borda"), "b a c d", [2.75, 2.0, 1.5, 1.25]),
    (CombSUM(norm="simple-borda"), "b a c d", [2.75, 1.625, 1.25, 0.625]),
    (CombSUM(norm="rank"), "b a c d", [8 / 3, 1.5, 5 / 6, 0.5]),
    (CombSUM(norm="min-max"), "b a c d", [2.5, 1.0, 0.0, 0.0]),
    (
        CombSUM(norm="z-score"),
        "b a d c",
        [1 + 2**0.5, 1.5**0.5 - 0.5**0.5, -(0.5**0.5), -1 - 1.5**0.5],
    ),
    (CombSUM(norm=None), "b c a d", [7.9, 5.0, 3.6, 0.6]),
    (CombSUM(norm="max"), "b a c d", [8 / 3, 5 / 3, 17 / 15, 2 / 3]),
    (CombSUM(norm="sum"), "b a c d", [7 / 3, 2 / 3, 0.0, 0.0]),
    # The lists are 3, 2, 1 over the root of 14 | 3, 2, 2 over that of 17 | 5, 4 over that of 41.
    (
        CombSUM(norm="l2"),
        "b a c d",
        [2 / 14**0.5 + 3 / 17**0.5 + 5 / 41**0.5, 3 / 14**0.5 + 2 / 17**0.5, 14**-0.5 + 4 / 41**0.5, 2 / 17**0.5],
    ),
    (
        CombSUM(norm="dbsf"),
        "b a c d",
        [1.5 + (1 + 2**0.5) / 6, 1 + (1.5**0.5 - 0.5**0.5) / 6, 1 - (1 + 1.5**0.5) / 6, 0.5 - 0.5**0.5 / 6],
    ),
    (CombSUM(norm="reciprocal"), "b a c d", [61 / 62 + 2, 1 + 61 / 62.5, 61 / 63 + 61 / 62, 61 / 62.5]),
    (
        CombSUM(norm="z-score", absent_score="min"),
        "b a c d",
        [1 + 2**0.5, 1.5**0.5 - 0.5**0.5 - 1, *[-1 - 0.5**0.5 - 1.5**0.5] * 2],
    ),
    (CombMNZ(norm="borda"), "b a c d", [8.25, 4.0, 3.0, 1.25]),
    (CombMNZ(norm="simple-borda"), "b a c d", [8.25, 3.25, 2.5, 0.625]),
    (CombMNZ(norm="rank"), "b a c d", [8.0, 3.0, 5 / 3, 0.5]),
    (CombMNZ(norm="min-max"), "b a c d", [7.5, 2.0, 0.0, 0.0]),
    (
        CombMNZ(norm="z-score"),
        "b a d c",
        [3 + 3 * 2**0.5, 2 * (1.5**0.5 - 0.5**0.5), -(0.5**0.5), -2 - 2 * 1.5**0.5],
    ),
    (CombMNZ(norm=None), "b c a d", [23.7, 10.0, 7.2, 0.6]),
    (CombMNZ(gamma=0.5), "b a c d", [2.5 * 3**0.5, 2**0.5, 0.0, 0.0]),
    (CombANZ(norm="min-max"), "b a c d", [2.5 / 3, 0.5, 0.0, 0.0]),
    (CombANZ(norm=None), "b c a d", [7.9 / 3, 2.5, 1.8, 0.6]),
    (CombMAX(norm="min-max"), "b a c d", [1.0, 1.0, 0.0, 0.0]),
    (CombMAX(norm=None), "b c a d", [5.0, 4.0, 3.0, 0.6]),
    # The lowest values of the lists are -1.22 | -0.71 | -1.
    (CombMAX(norm="z-score", absent_score="min"), "b a c d", [2**0.5, 1.5**0.5, -(0.5**0.5), -(0.5**0.5)]),
    (CombMIN(norm="min-max"), "b a c d", [0.5, 0.0, 0.0, 0.0]),
    (CombMIN(norm=None), "c b a d", [1.0, 0.9, 0.6, 0.6]),
    (CombMIN(norm="z-score", absent_score="min"), "b a c d", [0.0, -1.0, -(1.5**0.5), -(1.5**0.5)]),
    (CombMED(norm="min-max"), "b a c d", [1.0, 0.5, 0.0, 0.0]),
    (CombMED(norm=None), "c b a d", [2.5, 2.0, 1.8, 0.6]),
    (CombMED(norm="z-score", absent_score="min"), "b a c d", [1.0, -(0.5**0.5), -1.0, -1.0]),
    (BordaCount(), "b a c d", [11.0, 8.0, 6.0, 5.0]),
    # Points 3, 2, 1 for a, b, c by u; 3, 1.5, 1.5 for b, a, d by v; 2, 1 for b, c by w.
    (BordaCount(absent="ignore"), "b a d c", [7 / 3, 9 / 4, 3 / 2, 1.0]),
    (SimpleBorda(), "b a c d", [11.0, 6.5, 5.0, 2.5]),
    # Of four places d takes the last of u, c that of v, and a and d share the last two of w.
    (PositionalScoring(), "b a c d", [2.0, 1.0, 0.0, 0.0]),
    (PositionalScoring(points="veto"), "b a c d", [3.0, 2.5, 2.0, 1.5]),
    (PositionalScoring(points="dowdall"), "b a c d", [5 / 2, 41 / 24, 13 / 12, 23 / 24]),
    (PositionalScoring(points=[5, 3, 1]), "b a c d", [13.0, 7.5, 4.0, 2.5]),
    # Means over two, three, two lists and one.
    (PositionalScoring(absent="ignore"), "b a c d", [2 / 3, 1 / 2, 0.0, 0.0]),
    (PositionalScoring(points="veto", absent="ignore"), "b a d c", [1.0, 3 / 4, 1 / 2, 0.0]),
    (PositionalScoring(points="dowdall", absent="ignore"), "b a c d", [5 / 6, 17 / 24, 5 / 12, 5 / 12]),
    # First places a 1, b 2; then a has one of three.
    (SequentialElimination(), "b a c d", [2.0, 1.0, 0.0, 0.0]),
    # Last places: d that of u, c of v, a and d halves of w; then c has two of three; then a two.
    (SequentialElimination(rule="veto"), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    # Wins less defeats, over all pairs: a 1, b 7, c -3, d -5; a 0, b 4, c -4; a -1, b 1.
    (SequentialElimination(rule="borda"), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    (SequentialElimination(rule="borda-mean"), "b a c d", [2.0, 1.0, 0.0, 0.0]),
    # Less the mean of each list: a 1/3, b 5/6, c -5/6, d -1/3; a 1/6, b 1/6, d -1/3; a and b draw.
    (SequentialElimination(absent="ignore"), "b a d c", [2.0, 2.0, 1.0, 0.0]),
    # a 1/6, b 7/6, c -7/6, d -1/6; a 1/3, b and d -1/6.
    (SequentialElimination(rule="veto", absent="ignore"), "a b d c", [2.0, 1.0, 1.0, 0.0]),
    # a 1, b 3, c -3, d -1; a 0, b 1, d -1; a and b draw.
    (SequentialElimination(rule="borda", absent="ignore"), "b a d c", [2.0, 2.0, 1.0, 0.0]),
    (SequentialElimination(rule="borda-mean", absent="ignore"), "b a c d", [1.0, 1.0, 0.0, 0.0]),
    # Ranks a 1, 2.5, 3.5; b 2, 1, 1; c 3, 4, 2; d 4, 2.5, 3.5: two of three lists are a majority.
    (Bucklin(), "b a c d", [-7 / 6, -8 / 3, -19 / 6, -11 / 3]),
    # a 1, 2.5; b 2, 1, 1; c 3, 2; d 2.5.
    (Bucklin(absent="ignore"), "b a d c", [-7 / 6, -5 / 2, -5 / 2, -3.0]),
    (Condorcet(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    # In the lists that hold both, b and a draw 1:1, a and d tie, and no list holds c and d.
    (Condorcet(absent="ignore"), "b a c d", [2.0, 1.0, 0.0, 0.0]),
    (Copeland(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    (Copeland(absent="ignore"), "b a d c", [2.5, 2.0, 1.0, 0.5]),
    (ReciprocalRankFusion(), "b a c d", [1 / 62 + 2 / 61, 1 / 61 + 1 / 62.5, 1 / 63 + 1 / 62, 1 / 62.5]),
    (ReciprocalRankFusion(k=0), "b a c d", [2.5, 1.4, 1 / 3 + 0.5, 0.4]),
    (ReciprocalRankFusion(k=0, normalize=True), "b a c d", [2.5 / 3, 1.4 / 3, (1 / 3 + 0.5) / 3, 0.4 / 3]),
    (
        RankBiasedCentroid(),
        "b a c d",
        [0.05 * 2.95, 0.05 * (1 + 0.95**1.5), 0.05 * (0.95**2 + 0.95), 0.05 * 0.95**1.5],
    ),
    (InverseSquareRank(), "b a c d", [6.75, 2.32, 13 / 18, 0.16]),
    (
        InverseSquareRank(support="log"),
        "b a c d",
        [2.25 * log(3.01), 1.16 * log(2.01), 13 / 36 * log(2.01), 0.16 * log(1.01)],
    ),
    # No majority is contradicted, so all weights are 1; then u, v and w each lose half of one decided pair.
    (PreferenceRelations(), "b a c d", [8.0, 4.0, 3.0, 1.0]),
    (PreferenceRelations(alpha=0.5, absent_edges=False), "b a c d", [10 / 3, 5 / 3, 0.0, 0.0]),
    # Weights 5, 4, 4; in exact fractions.
    (Agglomerative(), "b a c d", [34 / 9, 22 / 9, -2.0, -38 / 9]),
    (Agglomerative(weight_update="similarity"), "a b c d", [14 / 3, 8 / 3, -2.0, -16 / 3]),
    # Scaled weights s = 0.174922..., 1 and 0 (by plain loops): b has 0.75 s + 1, a s + 0.625, d s/4 + 0.625, c s/2 +
    # 0.25.
    (DIBRA(), "b a d c", [1 + 0.75 * S, 0.625 + S, 0.625 + S / 4, 0.25 + S / 2]),
    # Cut to a, b and b: b has 1 + s/2, a s + 1/2; d and c follow a at the largest score, b's 1 + 0.75 s, and what they
    # lay behind b before.
    (DIBRA(prune="low"), "b a d c", [1 + S / 2, 0.5 + S, S / 4 - 0.5 - (0.375 + S / 2), S / 4 - 0.5 - (0.75 + S / 4)]),
    # All three lists are cut to b, which is as far above 0 as the others begin below it.
    (DIBRA(prune="wire"), "b a d c", [3.0, S / 4 - 0.375, -0.375 - S / 2, -0.75 - S / 4]),
    # From d the walk moves to a and b; from c to a and b; d and c are never compared. By rows a, b, c, d:
    # mc1 1/2 1/4 0 1/4 | 1/4 3/4 0 0 | 1/5 2/5 2/5 0 | 1/3 1/3 0 1/3
    (MarkovChain(chain="mc1"), "b a d c", [54041 / 116017, 76071 / 232034, 138789 / 928136, 5 / 88]),
    # mc2 2/3 1/6 0 1/6 | 1/6 5/6 0 0 | 1/6 5/12 5/12 0 | 1/3 1/3 0 1/3
    (MarkovChain(chain="mc2"), "b a d c", [33675 / 69998, 3851 / 11290, 676 / 5645, 9 / 155]),
    # mc3 5/6 1/6 0 0 | 1/9 8/9 0 0 | 1/6 5/12 5/12 0 | 0 1/3 0 2/3
    (MarkovChain(chain="mc3"), "b a d c", [1182489 / 2240680, 367091 / 1120340, 9 / 104, 9 / 155]),
    # mc4 1 0 0 0 | 0 1 0 0 | 1/4 1/4 1/2 0 | 0 1/4 0 3/4: a and b draw, a and d tie in the one list that holds both
    (MarkovChain(chain="mc4"), "b a d c", [2609 / 5336, 63 / 184, 3 / 29, 3 / 46]),
    # mct 3/4 1/8 0 1/8 | 1/8 7/8 0 0 | 1/4 1/4 3/8 1/8 | 1/8 1/4 1/8 1/2
    (MarkovChain(chain="mct"), "b a d c", [333647 / 725512, 235115 / 725512, 101053 / 725512, 55697 / 725512]),
    # rank-centrality 2/3 1/6 0 1/6 | 1/6 5/6 0 0 | 1/3 1/3 1/3 0 | 1/6 1/3 0 1/2: a and b have three opponents
    (
        MarkovChain(chain="rank-centrality"),
        "b a d c",
        [391451 / 818892, 3851 / 11868, 118873 / 818892, 9 / 172],
    ),
    # The lists completed by d 4 | c 4 | a and d 3.5:
    # mc1 3/8 1/4 1/8 1/4 | 1/4 3/4 0 0 | 2/9 1/3 1/3 1/9 | 3/11 3/11 2/11 3/11
    (
        MarkovChain(chain="mc1", absent="last"),
        "b a d c",
        [2758283 / 6064287, 89207 / 319173, 6860359 / 48514296, 2009403 / 16171432],
    ),
    # mc2 19/36 7/36 1/12 7/36 | 1/6 5/6 0 0 | 7/36 13/36 13/36 1/12 | 5/18 5/18 1/6 5/18
    (
        MarkovChain(chain="mc2", absent="last"),
        "b a d c",
        [1068898 / 2157613, 600701 / 2157613, 257284 / 2157613, 230730 / 2157613],
    ),
    # mc3 3/4 1/6 1/12 0 | 1/12 11/12 0 0 | 1/6 1/4 1/2 1/12 | 1/12 1/4 1/6 1/2
    (
        MarkovChain(chain="mc3", absent="last"),
        "b a c d",
        [1002169 / 1880582, 253216 / 940291, 110994 / 940291, 149993 / 1880582],
    ),
    # mc4 3/4 1/4 0 0 | 0 1 0 0 | 1/4 1/4 1/2 0 | 1/4 1/4 1/4 1/4
    (MarkovChain(absent="last"), "b a c d", [20 / 29, 120 / 667, 40 / 483, 1 / 21]),
    # mct 2/3 1/6 1/12 1/12 | 1/12 11/12 0 0 | 1/6 1/4 1/2 1/12 | 1/6 1/4 1/6 5/12
    (
        MarkovChain(chain="mct", absent="last"),
        "b a c d",
        [7549 / 14063, 3452 / 14063, 41337 / 345548, 237305 / 2418836],
    ),
    # rank-centrality 5/9 2/9 1/9 1/9 | 1/9 8/9 0 0 | 2/9 1/3 1/3 1/9 | 2/9 1/3 2/9 2/9
    (
        MarkovChain(chain="rank-centrality", absent="last"),
        "b a c d",
        [6757 / 11966, 5779 / 23932, 208755 / 1950458, 338647 / 3900916],
    ),
    # Roots of the derivatives of the likelihood, written out in 30 digits, with half a comparison won and lost.
    (
        PlackettLuce(),
        "b a c d",
        [1.3497099207600272, 0.14826352059818018, -0.46436922165357264, -0.9297776155178431],
    ),
    (
        PlackettLuce(ties="efron"),
        "b a c d",
        [1.345835573265128, 0.1009836703746068, -0.4469889803283158, -0.8893176899515469],
    ),
    (
        PlackettLuce(absent="ignore"),
        "b a d c",
        [0.8258401661286198, 0.48965908142801445, -0.13093204930148397, -1.2821434871711572],
    ),
    # Margins a-b -1 of 3, a-c 1 of 3, a-d 1 of 2 (w holds neither), b-c 3 of 3, b-d 3 of 3, c-d 1 of 3: 12 b = 7,
    # 12 c = -3, 11 a + d = 1, a + 11 d = -5.
    (HodgeRank(), "b a c d", [7 / 12, 2 / 15, -1 / 4, -7 / 15]),
    # a-b 0 of 2, a-c 1 of 1, a-d 0 of 1, b-c 2 of 2, b-d 1 of 1: 5 a - b = 1, 2 d = a + b - 1, 3 c = a + 2 b - 3.
    (HodgeRank(absent="ignore"), "b a d c", [17 / 38, 11 / 38, -5 / 38, -23 / 38]),
    # a-b -log 5/3, a-c and c-d log 5/3, a-d log 2, b-c and b-d log 7, with the weights above.
    (
        HodgeRank(flow="logit"),
        "b a c d",
        [
            (log(5 / 3) + 2 * log(7)) / 4,
            (8 * log(2) + log(5 / 3) + log(7)) / 40,
            -log(7) / 4,
            -(8 * log(2) + 11 * log(5 / 3) + 11 * log(7)) / 40,
        ],
    ),
    # a-b and a-d 0, a-c and b-d log 3, b-c log 5.
    (
        HodgeRank(flow="logit", absent="ignore"),
        "b a d c",
        [
            (7 * log(3) + 10 * log(5)) / 38,
            (9 * log(3) + 2 * log(5)) / 38,
            (6 * log(5) - 11 * log(3)) / 38,
            -(5 * log(3) + 18 * log(5)) / 38,
        ],
    ),
    # Counts of lists are 2 3 2 1, their running means a b c 2 5/2 7/3 | b 3, a and d through the end 2 | b c 3 5/2. No
    # list's weight, a root of the last of these, is 1 from where it began.
    (MAIC(tol=1.0), "b c a d", [2.5**0.5 + 12**0.5, (7 / 3) ** 0.5 + 2.5**0.5, 8**0.5, 2**0.5]),
    # Eight such turns, by plain loops.
    (MAIC(), "b c a d", [8.216669637556922, 4.971164797640333, 4.272668338802552, 2.2094185433473648]),
    # b is true. Of 50 bins u has a 13, b 25, c 38 and d 50, v b 13, a and d 32 and c 50, w b 13, c 25 and the others
    # 44. But for odds of 1/19 and smoothed, u has 1 and from 38 on 2/3, v 2 and from 32 on 2/3, w 2, from 25 on 1 and
    # from 44 on 1/2. Lowered to the second largest, v has 1 for 25 to 31, and w 2/3 for 38 to 43.
    (BIRRA(), "b c a d", [log(19**3 * x) for x in (4, 4 / 9, 1 / 3, 2 / 9)]),
    # a and b are true. Smoothed, u has 3 and from 38 on 3/2, v 2 and from 32 on 3/2, w 2 and from 25 on 1. Lowered, u
    # has 2 and from 32 on 3/2.
    (BIRRA(prior=0.5), "b a c d", [log(x) for x in (8, 3, 9 / 4, 9 / 4)]),
    # Agree, of 3: b-a 2, a-b 1, a-c 2, c-a 1, a-d 3, d-a 2, b-c 3, b-d 3, c-d 2, d-c 1; at least 1.5 are needed. Only
    # absence objects, there being 3 places of difference to reach: a-b, a-c, c-a, c-b, c-d, d-a 1, d-b, d-c 2; at most
    # 0.75 may. So b outranks all, and a outranks d.
    (Outranking(), "b a c d", [2.0, 1.0, 0.0, 0.0]),
    (Outranking(both_absent="ignore"), "b a c d", [2.0, 1.0, 0.0, 0.0]),
    # Ranks over 4, ascending: a 1/4 5/8 1, b 1/4 1/4 1/2, c 1/2 3/4 1, d 5/8 1 1.
    (RankStatistic(), "b a c d", [1.0, -0.75, -1.5, -2.25]),
    (RankStatistic(statistic="geometric-mean"), "b a c d", [-log10(x) / 3 for x in (1 / 32, 5 / 32, 3 / 8, 5 / 8)]),
    (RankStatistic(statistic="median"), "b a c d", [-log10(x) for x in (1 / 4, 5 / 8, 3 / 4)] + [0.0]),
    (RankStatistic(statistic="min"), "b a c d", [-log10(x) for x in (1 / 4, 1 / 4, 1 / 2, 5 / 8)]),
    # The same scores, with p-values of their own.
    (RankStatistic(exact=False), "b a c d", [1.0, -0.75, -1.5, -2.25]),
    (RankStatistic(exact=True), "b a c d", [1.0, -0.75, -1.5, -2.25]),
    (
        RankStatistic(statistic="geometric-mean", exact=True),
        "b a c d",
        [-log10(x) / 3 for x in (1 / 32, 5 / 32, 3 / 8, 5 / 8)],
    ),
    (RankStatistic(statistic="stuart"), "b a c d", [-log10(q) for q in (1 / 16, 121 / 256, 25 / 32, 485 / 512)]),
    # Over the lists' lengths: a 1/3 5/6, b 1/3 1/2 2/3, c 1 1, d 5/6.
    (RankStatistic(absent="ignore"), "b a d c", [0.0, -(24**0.5) / 12, -(12**0.5) / 3, -(24**0.5) / 2]),
    # rho is 1/8 for b (k = 3), 37/64 for a (k = 1), 27/32 for c (k = 2), 485/512 for d (k = 1).
    (RobustRankAggregation(), "b a c d", [log10(8 / 3), 0.0, 0.0, 0.0]),
    # P(U_(k) <= b_k for some k), b the three quantiles at rho: in fractions, the quantiles by bisection.
    (
        RobustRankAggregation(exact=True),
        "b a c d",
        [0.5728646369112225, 0.08507654886434995, 0.012972224249470544, 0.0018323417551223707],
    ),
    (RobustRankAggregation(absent="ignore"), "d b a c", [log10(6 / 5), log10(9 / 8), 0.0, 0.0]),
    # No majority cycle; against b a c d are one list on a-b, a-c and c-d each, and two ties on a-d count a half: 4.
    (Kemeny(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    (Kemeny(consensus_ties="weak"), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    # Majorities b-a 2:1, a-c 2:1, a-d 1:0, b-c 3:0, b-d 3:0, c-d 2:1.
    (Schulze(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    (RankedPairs(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    # Worst defeats: b -1, a 1, c 3 and then 1, d 3, 1, 1.
    (Minimax(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    (Minimax(strength="votes"), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    (KwikSort(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    # v and w cost 4.5 each, u 5; of the two, v has a higher.
    (PickAPerm(), "b a d c", [3.0, 1.0, 1.0, 0.0]),
    # Distances b 1 from place 1, a 3 from 2, c 2 from 3, d 2 from 4.
    (FootruleOptimal(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    (LocalKemenization(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    # b a d c before the repair.
    (LocalKemenization(CombSUM(norm="z-score")), "b a c d", [3.0, 2.0, 1.0, 0.0]),
]

#: Judgements of the frame: b is very relevant, c is relevant, d is not, a is not judged.
JUDGED = Qrels.from_dict({"q": {"b": 2, "c": 1, "d": 0}})

# Supervised methods, fitted on the frame and these judgements.
LEARNT = [
    # The support 2 3 2 1 of a b c d is 0 1 0 -1 when centred; with the gains 0 3 1 0 the weight is 3 / (2 + 1).
    (StackedFusion(Ridge(fit_intercept=False), ["support"], qrels=JUDGED), "b a c d", [1.0, 0.0, 0.0, -1.0]),
    # Presence alone tells c, b and {a, d} apart, so that the grades 0 2 1 0 are fitted, less their mean.
    (
        StackedFusion(LinearRegression(fit_intercept=False), ["present"], gain="linear", qrels=JUDGED),
        "b c a d",
        [1.25, 0.25, -0.75, -0.75],
    ),
    # One query, whose loss has its minimum at 0.173..., 0.054... and 0.391... (by Newton's method in long doubles).
    (
        LearnedWeights(ReciprocalRankFusion(), shrinkage=0, qrels=JUDGED),
        "b c a d",
        [0.048958569300701735, 0.043939914323871655, 0.017947635351366932, 0.004198604126021906],
    ),
    # With k = 20 the weights have the proportions 0.788..., 0.312... and 1.897...; two items are relevant, so they are
    # (2 w + 10) / 12.
    (
        LearnedWeights(qrels=JUDGED),
        "b c a d",
        [0.14076876943186986, 0.09420659075488924, 0.08530003478702004, 0.03935581943101434],
    ),
    # Relevant at each position: 0 1 1 | 1 0 0 | 1 1; over three positions 1/2 2/3 1 | 1/2 1/3 0 | 1 1.
    (SlideFuse(window=0, qrels=JUDGED), "b c a d", [3.0, 2.0, 0.0, 0.0]),
    (SlideFuse(window=1, qrels=JUDGED), "b c a d", [13 / 6, 2.0, 2 / 3, 1 / 6]),
    (SlideFuse(qrels=JUDGED), "b c a d", [2.0, 5 / 3, 1.0, 1 / 3]),
    (ProbFuse(qrels=JUDGED), "b c a d", [2.5, 5 / 6, 0.0, 0.0]),
    # Segments of two items and one, and of one: 1/2 1 | 1/2 0 | 1 1. One half of a and one of d is in the first of v.
    (ProbFuse(n_segments=2, qrels=JUDGED), "b c a d", [2.0, 1.0, 3 / 4, 1 / 4]),
    # Of those judged 1 1 | 2/3 0 | 1 1.
    (ProbFuse(n_segments=2, unjudged="skip", qrels=JUDGED), "b a c d", [8 / 3, 4 / 3, 1.0, 1 / 3]),
    # All in the first segment: 2/3 | 1/3 | 1, times 2, 1.5, 1 | 2, 1, 1 | 2, 1.
    (SegFuse(qrels=JUDGED), "b a c d", [11 / 3, 5 / 3, 5 / 3, 1 / 3]),
    # Relevant and others: in the lists 2, 1 | 1, 2 | 2, 0, absent 0, 1 | 1, 0 | 0, 2; odds 5/3 | 3/5 | 5 and, absent,
    # 1/3 | 3 | 1/5. As many are relevant as are not, so that the totals cancel.
    (BayesFuse(qrels=JUDGED), "c b a d", [log(25), log(5), -log(5), -log(25)]),
    # Odds of the first position, the others and absence: 1/3 5 1/3 | 3 1/5 3 | 3 3 1/5.
    (BayesFuse(cutoffs=(1,), qrels=JUDGED), "b c a d", [log(45), log(45), -log(75), -log(75)]),
]
