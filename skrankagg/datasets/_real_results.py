"""Loaders of real rankings that the package includes: two seasons of races, and lists of genes from five studies."""

from importlib.resources import files
from typing import Literal

import pandas as pd

from .._support._checks import check_choice

__all__ = ["load_formula1", "load_nascar", "load_prostate_genes"]


def _lines(name):
    """Return the lines of a data file of the package, without the comment lines, which describe the source."""
    text = files("skrankagg.datasets").joinpath("data", name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def _frame(query, rows):
    """Build the lists of one query from rows of voter, item and rank."""
    voter, item, rank = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            "query": pd.Series([query] * len(rank), dtype=str),
            "voter": pd.Series(voter, dtype=str),
            "item": pd.Series(item, dtype=str),
            "rank": pd.Series(rank, dtype="int64"),
        }
    )


def load_nascar() -> pd.DataFrame:
    """Load the races of the NASCAR season of 2002.

    The season is the standard example of lists that rank different subsets of the items. There were 36 races and 87
    drivers, and 43 drivers took part in each race. Each race is treated as a voter.

    Returns
    -------
    DataFrame of shape (1548, 4)
        Columns query ("2002"), voter ("1" to "36", the race), item ("1" to "87", the driver) and rank (int64, 1 to 43,
        without ties). All ids are str. Rows are ordered by race and rank.

    See Also
    --------
    load_formula1 : Loads a season with fewer drivers, most of whom take part in each race.
    skrankagg.aggregators.PlackettLuce : Fits the model whose standard example is this season.

    Notes
    -----
    A driver who is absent from a list did not take part. Absence is therefore not a sign of low quality. Choose
    ``absent="ignore"`` if a method has this parameter.

    Drivers are numbered as in Hunter's file [1]_, which contains 83 drivers. Four other drivers came last in each of
    their races, so their maximum likelihood estimates are not finite. Hunter left these drivers out. The source [2]_
    uses a prior and numbers these drivers 84 (Andy Hillenburg), 85 (Gary Bradberry), 86 (Jason Hedlesky) and 87 (Randy
    Renfrow). Drivers 58 (P. J. Jones) and 68 (Scott Pruett) took part in only one race each, and were fourth and sixth.

    Results of races are facts and therefore free for any use.

    References
    ----------
    .. [1] D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", The Annals of Statistics, 2004.
    .. [2] H. L. Turner, J. van Etten, D. Firth and I. Kosmidis, "Modelling rankings in R: the PlackettLuce package",
       Computational Statistics, 2020.

    Examples
    --------
    >>> from skrankagg.datasets import load_nascar
    >>> lists = load_nascar()
    >>> lists.head(3)
      query voter item  rank
    0  2002     1   83     1
    1  2002     1   18     2
    2  2002     1   20     3
    >>> lists["voter"].nunique(), lists["item"].nunique()
    (36, 87)
    """
    races = [line.split() for line in _lines("nascar_2002.txt")]
    return _frame(
        "2002",
        [(str(race), driver, place) for race, row in enumerate(races, 1) for place, driver in enumerate(row, 1)],
    )


def load_formula1(*, retired: Literal["last", "absent"] = "last") -> pd.DataFrame:
    """Load the races of the Formula One season of 2012.

    There were 20 races and 25 drivers. Each race had 22 to 24 starters. The first seven races had seven different
    winners. Each race is treated as a voter.

    Parameters
    ----------
    retired : {"last", "absent"}, default="last"
        How to treat starters who are not classified; most of them retired. With ``"last"``, these starters are tied at
        the place after the last classified driver. With ``"absent"``, they are not in the list.

    Returns
    -------
    DataFrame of shape (n_rows, 4)
        Columns query ("2012"), voter (the race, named after the country or region, "Australia" to "Brazil"), item (the
        driver's last name) and rank (int64, from 1). All ids are str. There are 476 rows, or 401 rows with
        ``retired="absent"``. Rows are in the order of the race calendar. Within a race, they are ordered by rank, then
        by the driver's place in the championship.

    Raises
    ------
    ValueError
        If `retired` is neither "last" nor "absent".

    See Also
    --------
    load_nascar : Loads a season in which all starters have a place and about half of the drivers start in each race.

    Notes
    -----
    Drivers who did not start, did not qualify or were not entered are not in the list of the race.

    The places are from the official classification. If the first ten places get 25, 18, 15, 12, 10, 8, 6, 4, 2 and 1
    points, the sums equal the final standings of the championship. The data are from the tables of [1]_. Three races
    were compared with the database F1DB. Results of races are facts and therefore free for any use.

    References
    ----------
    .. [1] R. K. S. Hankin, "Partial rank data with the hyper2 package: likelihood functions for generalized
       Bradley-Terry models", The R Journal, 2017.

    Examples
    --------
    >>> from skrankagg.datasets import load_formula1
    >>> lists = load_formula1()
    >>> lists.head(3)
      query      voter      item  rank
    0  2012  Australia    Button     1
    1  2012  Australia    Vettel     2
    2  2012  Australia  Hamilton     3
    >>> lists.loc[lists["rank"] == 1, "item"].head(7).tolist()
    ['Button', 'Alonso', 'Rosberg', 'Vettel', 'Maldonado', 'Webber', 'Hamilton']
    """
    check_choice("retired", retired, ("last", "absent"))
    (_, *races, _), *drivers = (line.split(",") for line in _lines("formula1_2012.csv"))
    rows = []
    for column, race in enumerate(races, 1):
        places = {driver[0]: driver[column] for driver in drivers}
        found = {name: int(place) for name, place in places.items() if place.isdigit()}
        if retired == "last":
            after = len(found) + 1
            found |= {name: after for name, place in places.items() if place == "Ret"}
        rows += [(race, name, place) for name, place in sorted(found.items(), key=lambda one: one[1])]
    return _frame("2012", rows)


def load_prostate_genes() -> pd.DataFrame:
    """Load the genes whose expression differed most in five studies of prostate cancer.

    These data are the standard example of truncated gene lists. There are five microarray studies, and each list
    contains the first 25 genes of a study. The lists contain 89 different genes. Each study is treated as a voter.

    Returns
    -------
    DataFrame of shape (125, 4)
        Columns query ("prostate cancer"), voter ("study1" to "study5"), item (symbol of the gene) and rank (int64, 1 to
        25, without ties). All ids are str. Rows are ordered by study and rank.

    See Also
    --------
    skrankagg.aggregators.RobustRankAggregation : Computes p-values for genes, given the number of measured genes.

    Notes
    -----
    If a gene is absent from a list, it either has a rank worse than 25 or was not measured in that study. The table
    does not distinguish the two cases. The studies measured thousands of genes. If a method has the parameter
    ``n_items``, pass the number of measured genes.

    The lists are Table 4 of [1]_, in the order of [2]_. The text was read from the package of [2]_. That package writes
    a zero as the first character of OACT2 and as the last character of FMO5. Symbols are from 2006; for example, OACT2
    is now called MBOAT2. Lists of genes in a paper are facts and therefore free for any use.

    References
    ----------
    .. [1] R. P. DeConde, S. Hawley, S. Falcon, N. Clegg, B. Knudsen and R. Etzioni, "Combining results of microarray
       experiments: a rank aggregation approach", Statistical Applications in Genetics and Molecular Biology, 2006.
    .. [2] V. Pihur, S. Datta and S. Datta, "RankAggreg, an R package for weighted rank aggregation", BMC
       Bioinformatics, 2009.

    Examples
    --------
    >>> from skrankagg.datasets import load_prostate_genes
    >>> lists = load_prostate_genes()
    >>> lists.head(2)
                 query   voter   item  rank
    0  prostate cancer  study1    HPN     1
    1  prostate cancer  study1  AMACR     2
    >>> in_lists = lists["item"].value_counts()
    >>> sorted(in_lists.index[in_lists >= 4])
    ['AMACR', 'GDF15', 'HPN', 'NME1']
    """
    studies = [line.split(",") for line in _lines("prostate_genes.csv")]
    return _frame(
        "prostate cancer",
        [(f"study{study}", gene, place) for study, row in enumerate(studies, 1) for place, gene in enumerate(row, 1)],
    )
