"""Record the winners of 1000 random elections that two voting packages compute, for comparison in the tests.

`python tools/elections_peer.py` writes the winners to tests/elections_golden.json.gz. It needs the packages pref_voting
1.18.2 and pyrankvote 2.0.6, but not this project. The ballots are strict and full. Elections in which candidates tie
for elimination are left out, because each package breaks such ties differently.
"""

import contextlib
import gzip
import json
import random
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "elections_golden.json.gz"
_N_ELECTIONS = 1000


def draw(rng):
    """Draw ballots of 4 to 6 candidates as text, best first, and the number of voters of each ballot."""
    names = "abcdef"[: rng.randint(4, 6)]
    ballots = {"".join(rng.sample(names, len(names))) for _ in range(rng.randint(5, 12))}
    return {ballot: rng.randint(1, 99) for ballot in sorted(ballots)}


def leaves_without_ties(votes, rule):
    """Return True if no round has a tie: it eliminates one candidate, or no score equals the mean ("borda-mean")."""
    left = sorted(next(iter(votes)))
    while len(left) > 1:
        total = dict.fromkeys(left, 0)
        for ballot, count in votes.items():
            order = [name for name in ballot if name in left]
            if rule == "plurality":
                total[order[0]] += count
            elif rule == "veto":
                total[order[-1]] -= count
            else:
                for place, name in enumerate(order):
                    total[name] += count * (len(order) - 1 - 2 * place)
        if rule == "borda-mean":
            if 0 in total.values():
                return False
            left = [name for name in left if total[name] > 0]
        else:
            ordered = sorted(left, key=total.get)
            if total[ordered[0]] == total[ordered[1]]:
                return False
            left = ordered[1:]
    return True


def winners(votes):
    """Compute the winner by each rule, named as in the packages; return None if the election is not comparable."""
    from pref_voting.c1_methods import condorcet, smith_set
    from pref_voting.iterative_methods import baldwin, coombs_with_explanation, instant_runoff, strict_nanson
    from pref_voting.other_methods import bucklin
    from pref_voting.profiles import Profile
    from pyrankvote import Ballot, Candidate, instant_runoff_voting

    names = sorted(next(iter(votes)))
    orders = [[names.index(name) for name in ballot] for ballot in votes]
    profile = Profile(orders, list(votes.values()))
    by_coombs, eliminated = coombs_with_explanation(profile)
    if sum(map(len, eliminated)) < len(names) - 2:
        return None  # pref_voting stopped at a majority of first places, which is another rule
    candidates = {name: Candidate(name) for name in names}
    ballots = [
        Ballot(ranked_candidates=[candidates[name] for name in ballot])
        for ballot, count in votes.items()
        for _ in range(count)
    ]
    [elected] = instant_runoff_voting(list(candidates.values()), ballots).get_winners()
    found = {
        "plurality": instant_runoff(profile),
        "veto": by_coombs,
        "borda": baldwin(profile),
        "borda-mean": strict_nanson(profile),
        "bucklin": bucklin(profile),
        "condorcet": condorcet(profile) if profile.condorcet_winner() is not None else [],
        "smith": smith_set(profile),
    }
    found = {rule: "".join(names[k] for k in sorted(which)) for rule, which in found.items()}
    return found | {"plurality of pyrankvote": elected.name}


def record():
    """Draw elections until there are enough, and write the elections and their winners."""
    rng, elections = random.Random(0), []
    while len(elections) < _N_ELECTIONS:
        votes = draw(rng)
        if all(leaves_without_ties(votes, rule) for rule in ("plurality", "veto", "borda", "borda-mean")):
            found = winners(votes)
            if found is not None:
                elections.append({"votes": votes, "winners": found})
    with contextlib.closing(gzip.GzipFile(GOLDEN, "wb", mtime=0)) as file:
        file.write(json.dumps(elections).encode("ascii"))


if __name__ == "__main__":
    record()
