"""Languages on the command line: `ingest --asked-in`, warnings of `search`, `search --translate`, `ask`."""

from __future__ import annotations

import json

import pytest

QUESTION = "窑搬到哪里去了？"


@pytest.fixture
def talks(cli, kiln, monkeypatch):
    monkeypatch.delenv("ANSWERTRAIL_AUTHOR_MODEL", raising=False)
    assert cli("ingest", kiln, "--corpus", "kiln", "--embedder", "fast").code == 0


@pytest.fixture
def author(tmp_path):
    path = tmp_path / "author.jsonl"
    path.write_text(json.dumps({"text": json.dumps({"translation": "where was the kiln moved"})}) + "\n")
    return f"scripted:{path}"


def test_the_languages_of_the_questions_are_kept_and_shown(cli, kiln):
    assert cli("ingest", kiln, "--corpus", "both", "--asked-in", "zh,en").code == 0
    status = cli("status", "--corpus", "both", "--json").json
    assert status["asked_in"] == ["en", "zh"]
    assert status["embedder"].startswith("usem3@")
    assert "asked in en, zh" in cli("status", "--corpus", "both").out
    refused = cli("ingest", kiln, "--corpus", "other", "--asked-in", "Chinese!")
    assert (refused.code, "is no language" in refused.err) == (2, True)


def test_a_question_the_embedder_does_not_read_is_warned_of(cli, talks):
    shown = cli("search", QUESTION, "--corpus", "kiln")
    assert shown.code == 0
    assert "in Chinese, which the embedder wordllama does not read" in shown.err
    assert "in Chinese" in cli("search", QUESTION, "--corpus", "kiln", "--json").json["warnings"][0]
    assert "warnings" not in cli("search", "the kiln", "--corpus", "kiln", "--json").json


def test_a_translation_is_searched_shown_and_kept(cli, talks, author, monkeypatch):
    words = ("search", QUESTION, "--corpus", "kiln", "--mode", "lexical", "--translate")
    found = cli(*words, "--author", author, "--json").json
    assert [t["text"] for t in found["translations"]] == ["where was the kiln moved"]
    assert {hit["document_id"] for hit in found["hits"]}
    assert "kiln" in found["hits"][0]["text"]
    # The script has one reply: the second search takes it from the disk.
    monkeypatch.setenv("ANSWERTRAIL_AUTHOR_MODEL", author)
    assert "also as where was the kiln moved" in cli(*words).out


def test_a_model_that_fails_costs_the_translation_and_not_the_search(cli, talks, tmp_path):
    (tmp_path / "down.jsonl").write_text('{"error": "rate limited"}\n')
    found = cli("search", QUESTION, "--corpus", "kiln", "--translate", "--author", f"scripted:{tmp_path}/down.jsonl")
    assert found.code == 0
    assert "not translated into English, so searched as it is: rate limited" in found.err


@pytest.mark.parametrize(
    ("words", "why"),
    [(["--translate"], "no author model is set"), (["--translate", "--author", "reader"], "only quotes"),
     (["--author", "openai:x"], "belongs to --translate")],
)  # fmt: skip
def test_translating_without_a_model_is_a_clear_error(cli, talks, words, why):
    refused = cli("search", QUESTION, "--corpus", "kiln", *words)
    assert (refused.code, why in refused.err) == (2, True)


def test_a_recipe_translates_and_its_run_says_by_whom(cli, talks, author, tmp_path):
    from importlib import resources

    text = (resources.files("answertrail.recipes") / "default.toml").read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(text.replace("[search]\n", "[search]\ntranslate = true\n"))
    words = ("ask", QUESTION, "--corpus", "kiln", "--recipe", tmp_path / "mine.toml")
    refused = cli(*words)
    assert (refused.code, "no author model is set" in refused.err) == (2, True)
    run = cli(*words, "--author", author, "--json").json
    assert run["models"]["author"] == author
    assert run["meta"]["translations"]["s1"] == [
        {"language": "en", "text": "where was the kiln moved", "model": author}
    ]  # fmt: skip
    assert [entry["phase"] for entry in run["usage"]].count("translate") >= 1
    idle = cli("ask", QUESTION, "--corpus", "kiln", "--author", author)
    assert (idle.code, "does not have queries translated" in idle.err) == (2, True)


def test_a_registered_recipe_that_translates_names_its_author_as_its_runs_do(cli, talks, author, tmp_path, monkeypatch):
    from importlib import resources

    text = (resources.files("answertrail.recipes") / "default.toml").read_text(encoding="utf-8")
    recipe = tmp_path / "mine.toml"
    recipe.write_text(text.replace("[search]\n", "[search]\ntranslate = true\n"))
    question = {
        "schema": "question/1", "question_id": "q", "question": QUESTION, "tier": "factual", "language": "zh",
        "relevant": [{"id": "ep1:00030"}],
    }  # fmt: skip
    (tmp_path / "q.jsonl").write_text(json.dumps(question) + "\n")
    words = ("--questions", tmp_path / "q.jsonl", "--corpus", "kiln", "--recipe", recipe, "--repeats", "1")
    out = ("--measure", "citation_exists", "--out", tmp_path / "r.json")
    refused = cli("eval", "register", *words, *out)
    assert (refused.code, "no author model is set" in refused.err) == (2, True)
    monkeypatch.setenv("ANSWERTRAIL_AUTHOR_MODEL", author)
    done = cli("eval", "register", *words, *out)
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "r.json").read_text())["systems"][0]["model"] == f"reader; author: {author}"
    ran = cli("eval", "run", *words, "--registration", tmp_path / "r.json", "--out", tmp_path / "runs.jsonl", "--json")
    assert ran.json["deviations"] == []
    run = json.loads((tmp_path / "runs.jsonl").read_text())
    assert run["models"]["author"] == author
