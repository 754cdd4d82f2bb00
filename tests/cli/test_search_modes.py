"""`search` with periods, diversity, reranking and exclusion; `corpus around`; `ingest --context`."""

from __future__ import annotations

import pytest

from tests.cli.conftest import EPISODE_1


def search(cli, *words):
    result = cli("search", "the kiln", "--corpus", "kiln", "--json", *words)
    assert result.code == 0, result.err
    return result.json


def ids(found):
    return [hit["chunk_id"] for hit in found["hits"]]


def test_a_timeline_is_in_date_order_and_accounts_for_every_period(cli, ingested, kiln):
    (kiln / "undated.srt").write_text("1\n00:00:02,000 --> 00:00:08,000\nThe kiln is loud.\n")
    cli("ingest", kiln, "--corpus", "kiln")
    found = search(cli, "--mode", "timeline", "--by", "quarter", "--floor", "-9", "--k", "3")
    assert [hit["published_at"] and hit["published_at"][:10] for hit in found["hits"]] == [
        "2025-01-10", "2025-06-20", None,
    ]  # fmt: skip
    assert sorted(hit["rank"] for hit in found["hits"]) == [1, 2, 3]
    assert [(p["period"], p["state"], p["hits"], p["chunks"]) for p in found["coverage"]["periods"]] == [
        ("2025-Q1", "found", 1, 3), ("2025-Q2", "found", 1, 2), ("undated", "found", 1, 1),
    ]  # fmt: skip
    within = search(cli, "--mode", "timeline", "--by", "month", "--from", "2025-01-01", "--to", "2025-04-01")
    assert [(p["period"], p["state"]) for p in within["coverage"]["periods"]] == [
        ("2025-01", "found"), ("2025-02..2025-03", "no documents"), ("undated", "not searched"),
    ]  # fmt: skip
    assert within["undated_left_out"] == 1
    assert search(cli, "--mode", "fused", "--from", "2025-01-01")["undated_left_out"] == 1
    shown = cli("search", "the kiln", "--corpus", "kiln", "--mode", "timeline", "--to", "2025-04-01")
    assert "1 undated documents took no part" in shown.out
    assert "nothing above the floor" in shown.out or "found" in shown.out


def test_per_period_caps_and_exclude_pages_on(cli, ingested):
    one = search(cli, "--mode", "timeline", "--by", "year", "--floor", "-9", "--per-period", "1")
    assert (len(one["hits"]), one["matching"]) == (1, 1)
    everything = search(cli, "--k", "9")
    first = search(cli, "--k", "2")
    rest = search(cli, "--k", "9", *(word for chunk in ids(first) for word in ("--exclude", chunk)))
    assert ids(first) + ids(rest) == ids(everything)
    assert rest["held_back"] == 2


@pytest.mark.parametrize("mode", ["near", "diverse", "fused+terms", "dense+terms"])
def test_other_modes_return_the_same_passages_in_their_own_order(cli, ingested, mode):
    found = search(cli, "--mode", mode, "--k", "9")
    assert sorted(ids(found)) == sorted(ids(search(cli, "--mode", "fused", "--k", "9")))
    assert found["resolved_mode"] == mode
    assert all("relevance" in hit for hit in found["hits"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--mode", "fused", "--by", "month"], "--by belongs to --mode timeline"),
        (["--floor", "1"], "--floor belongs to --mode timeline"),
        (["--mode", "timeline", "--by", "week"], "month, quarter, year"),
        (["--mode", "timeline", "--per-period", "0"], "at least 1"),
        (["--mode", "timeline", "--floor", "nan"], "a number"),
        (["--mode", "timeline+terms"], "cannot be reranked"),
        (["--mode", "fused+magic"], "known: terms"),
        (["--exclude", "nowhere:00000"], "nowhere:00000"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_would(cli, ingested, words, told):
    result = cli("search", "the kiln", "--corpus", "kiln", *words)
    assert (result.code, result.out) == (2, "")
    assert told in result.err


def test_nothing_found_says_what_to_try(cli, ingested):
    result = cli("search", "the kiln", "--corpus", "kiln", "--mode", "timeline", "--floor", "99")
    assert "nothing stands out in any period" in result.out
    assert "lower --floor" in result.out
    excluded = [word for chunk in ids(search(cli, "--k", "9")) for word in ("--exclude", chunk)]
    result = cli("search", "the kiln", "--corpus", "kiln", *excluded)
    assert "everything that matches was excluded" in result.out


def test_around_shows_the_neighbours_and_what_is_beyond_them(cli, ingested):
    found = cli("corpus", "around", "20250110_ep1:00030", "--corpus", "kiln", "--json").json
    assert [chunk["id"] for chunk in found["chunks"]] == [f"20250110_ep1:{s:05}" for s in (0, 30, 60)]
    assert (found["id"], found["earlier"], found["later"], found["gaps"]) == ("20250110_ep1:00030", 0, 0, [])
    found = cli("corpus", "around", "20250110_ep1:00060", "--before", "1", "--after", "0", "--corpus", "kiln", "--json")
    assert [chunk["id"] for chunk in found.json["chunks"]] == ["20250110_ep1:00030", "20250110_ep1:00060"]
    assert found.json["earlier"] == 1
    shown = cli("corpus", "around", "20250110_ep1:00030", "--corpus", "kiln")
    assert "we moved the kiln to the barn" in shown.out
    assert "0 passages before, 0 after" in shown.out
    for words in (["nowhere"], ["20250110_ep1:00030", "--before", "-1"]):
        assert cli("corpus", "around", *words, "--corpus", "kiln").code == 2


def test_a_gap_in_the_speech_is_told(cli, tmp_path):
    folder = tmp_path / "gappy"
    folder.mkdir()
    (folder / "a.vtt").write_text(EPISODE_1.replace("01:02", "05:02").replace("01:09", "05:09"))
    cli("ingest", folder, "--corpus", "gappy", "--embedder", "fast")
    found = cli("corpus", "around", "a:00030", "--corpus", "gappy", "--json").json
    assert found["gaps"] == [["a:00030", "a:00300"]]
    assert "(nothing said)" in cli("corpus", "around", "a:00030", "--corpus", "gappy").out


def test_context_is_named_with_the_embedder_and_fixed(cli, kiln):
    made = cli("ingest", kiln, "--corpus", "kiln", "--embedder", "fast", "--context", "previous,title", "--json")
    assert made.code == 0
    assert cli("status", "--corpus", "kiln", "--json").json["embedder"].endswith("/256+title,previous")
    assert cli("corpus", "list", "--json").json["corpora"][0]["embedder"].endswith("+title,previous")
    shown = cli("corpus", "show", "20250110_ep1:00060", "--corpus", "kiln", "--json").json
    assert shown["text"] == "The glaze kept crawling until we fired at 1240 degrees."
    again = cli("ingest", kiln, "--corpus", "kiln", "--context", "none")
    assert again.code == 2
    assert "made with the context title,previous" in again.err
    wrong = cli("ingest", kiln, "--corpus", "other", "--embedder", "fast", "--context", "topic")
    assert (wrong.code, "known: none, or some of title" in wrong.err) == (2, True)


def test_the_new_modes_are_scored_like_the_others(cli, ingested, tmp_path):
    questions = tmp_path / "q.jsonl"
    questions.write_text(
        '{"schema": "question/1", "question_id": "q1", "question": "Where did the kiln go?", "tier": "longitudinal",'
        ' "relevant": [{"id": "20250110_ep1:00030"}, {"id": "20250620_ep2:00000"}]}\n'
    )
    modes = ["timeline", "diverse", "fused+terms"]
    result = cli(
        "eval", "retrieval", "--questions", questions, "--corpus", "kiln", "--modes", ",".join(modes), "--json"
    )
    assert result.code == 0, result.err
    assert sorted(result.json["modes"]) == sorted(modes)
    assert all(found["mean_recall@10"]["value"] == 1.0 for found in result.json["modes"].values())
