"""skrankagg judge, tune and aggregate without a method: from lists to judged items to weights."""

import json
import re

import pandas as pd
import pytest

from skrankagg import LearnedWeights, Qrels, RankedLists, ReciprocalRankFusion
from skrankagg.__main__ import main
from skrankagg.datasets import make_ranked_lists
from skrankagg.inspection import expected_gain, items_to_judge


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, qrels, _ = make_ranked_lists(n_queries=12, n_voters=3, quality=0.4, quality_spread=1.0, random_state=1)
    lists = RankedLists.from_frame(frame)
    lists.to_frame().drop(columns="rank").to_csv("lists.csv", index=False)
    return lists, Qrels.from_frame(qrels)


def judged(frame, qrels):
    """Fill in the grades of a table of items; items without a judgement get 0."""
    grades = qrels.to_frame().set_index(["query", "item"])["relevance"]
    pairs = pd.MultiIndex.from_frame(frame[["query", "item"]])
    return frame.assign(relevance=grades.reindex(pairs).fillna(0).to_numpy())


def test_judge_writes_the_items_and_the_seed(data, capsys):
    assert main(["judge", "lists.csv", "-o", "todo.csv", "--n-queries", "4", "--top", "6"]) == 0
    seed = int(re.search(r"drawn by --random-state (\d+)", capsys.readouterr().err)[1])
    written = pd.read_csv("todo.csv")
    expected = items_to_judge(data[0], n_queries=4, top=6, random_state=seed)
    pd.testing.assert_frame_equal(written, expected)
    assert (
        main(["judge", "lists.csv", "-o", "again.csv", "--random-state", str(seed), "--top", "6", "--n-queries", "4"])
        == 0
    )
    pd.testing.assert_frame_equal(pd.read_csv("again.csv"), written)
    assert main(["judge", "lists.csv", "-o", "own.csv", "--queries", "q03", "q01"]) == 0
    assert pd.read_csv("own.csv")["query"].unique().tolist() == ["q01", "q03"]
    assert "--random-state" not in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("kind", ["csv", "tsv", "no header", "json"])
def test_judge_adds_texts(data, capsys, kind):
    items = [*data[0].items][:-1]
    texts = {item: f'the "text", of {item}' for item in items}
    if kind == "json":
        lines = [json.dumps({"_id": item, "title": "T", "text": text}) for item, text in texts.items()]
        lines.insert(1, "")  # empty lines are skipped
    elif kind == "csv":
        lines = ["docid,text", *(f'{item},"{text.replace(chr(34), chr(34) * 2)}"' for item, text in texts.items())]
    else:
        lines = (["item\ttext"] if kind == "tsv" else []) + [f"{item}\t{text}" for item, text in texts.items()]
    with open("texts", "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    assert main(["judge", "lists.csv", "-o", "todo.csv", "--texts", "texts", "--n-queries", "12", "--top", "1000"]) == 0
    written = pd.read_csv("todo.csv", keep_default_na=False).set_index("item")["text"]
    prefix = "T. " if kind == "json" else ""
    assert all(text == (f"{prefix}{texts[item]}" if item in texts else "") for item, text in written.items())
    missing = (written == "").sum()
    assert missing and f"{missing} of {len(written)} items have no text in texts" in capsys.readouterr().err


def test_judge_counts_no_items_without_text_if_all_have_one(data, capsys):
    with open("texts", "w", encoding="utf-8") as file:
        file.write("".join(f"{item}\tabout {item}\n" for item in data[0].items))
    assert main(["judge", "lists.csv", "-o", "todo.csv", "--texts", "texts", "--n-queries", "2"]) == 0
    written = pd.read_csv("todo.csv")
    assert (written["text"] == "about " + written["item"]).all()
    assert "have no text" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c\n", "texts: expected JSON lines, or a table with the columns 'item' and 'text'"),
        ('{"_id": "a"}\n', "texts: line 1 must have a field for the id"),
        ('{"_id": "a", "text": "x"}\n{"_id\n', "texts: line 2 must be a JSON object"),
        ("item\ttext\na\n", "texts: line 2 must have as many fields as the first line; got 1"),
    ],
)
def test_judge_rejects_other_texts(data, capsys, text, message):
    with open("texts", "w", encoding="utf-8") as file:
        file.write(text)
    assert main(["judge", "lists.csv", "-o", "todo.csv", "--texts", "texts"]) == 1
    assert message in capsys.readouterr().err


def test_tune_without_a_method_learns_weights_from_judged_items(data, capsys):
    lists, qrels = data
    main(["judge", "lists.csv", "-o", "todo.csv", "--random-state", "3"])
    frame = judged(items_to_judge(lists, random_state=3), qrels)
    frame.loc[[1, 5], "relevance"] = None
    frame.to_csv("todo.csv", index=False)
    capsys.readouterr()
    assert main(["tune", "lists.csv", "todo.csv", "--out", "weights.csv"]) == 0
    out, err = capsys.readouterr()
    filled = Qrels.from_frame(frame.dropna())
    method = LearnedWeights().fit(lists, filled)
    assert "skipped 2 rows without a judgement." in err
    assert " ".join(expected_gain(LearnedWeights(), lists, filled).text.split()) in " ".join(out.split())
    for row in method.voter_weights_.itertuples():
        assert re.search(rf"^{row.voter} +{row.weight:.3f}$", out, re.MULTILINE)
    pd.testing.assert_frame_equal(pd.read_csv("weights.csv"), method.voter_weights_, check_dtype=False)

    command = re.search(r"skrankagg (aggregate lists.csv .*)", out)[1].split()
    assert main([*command, "-o", "merged.csv"]) == 0
    merged = pd.read_csv("merged.csv")
    assert merged["item"].tolist() == method.transform(lists)["item"].tolist()


@pytest.mark.parametrize(
    "option", ["--cv 3", "--metrics map", "--param k=3", "--weights", "--random-state 1", "--ties order"]
)
def test_tune_without_a_method_rejects_options_of_a_search(data, capsys, option):
    with pytest.raises(SystemExit) as stopped:
        main(["tune", "lists.csv", "qrels.txt", *option.split()])
    assert stopped.value.code == 2 and f"{option.split()[0]} needs --method" in capsys.readouterr().err


def test_aggregate_without_a_method_uses_reciprocal_rank_fusion_with_k_30(data, capsys):
    lists, qrels = data
    assert main(["aggregate", "lists.csv", "-o", "merged.csv"]) == 0
    assert "merging by ReciprocalRankFusion[k=30]; choose another with --method." in capsys.readouterr().err
    expected = ReciprocalRankFusion(k=30).transform(lists)
    assert pd.read_csv("merged.csv")["item"].tolist() == expected["item"].tolist()
    assert main(["explain", "lists.csv", "--query", "q01", "--top", "1"]) == 0
    out, err = capsys.readouterr()
    assert "ReciprocalRankFusion[k=30], query q01" in out and "choose another with --method" in err
    judged(items_to_judge(lists, random_state=0), qrels).to_csv("todo.csv", index=False)
    assert main(["aggregate", "lists.csv", "--qrels", "todo.csv", "-o", "merged.csv"]) == 0
    assert "merging by LearnedWeights" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["aggregate", "lists.csv", "--param", "k=3"])
    assert "--param needs --method" in capsys.readouterr().err
