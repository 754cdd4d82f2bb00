"""Vaults of notes: ids, aliases, links, types and tags; what Obsidian and Logseq keep to themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answertrail.corpus.discovery import discover
from answertrail.corpus.sources import Read, frontmatter, read, wikilinks
from answertrail.corpus.sources.facts import from_info
from answertrail.corpus.sources.names import from_name, video_id
from answertrail.corpus.sources.note_facts import from_front_matter
from answertrail.records import Document
from tests.corpus.conftest import Files, Folder
from tests.soak import rounds

Make = Callable[[Files], Folder]
ABSENT = {"net-wireless-troubleshooting-hardware-info": {"net-wireless-troubleshooting-hardware-check"}}
VTT = "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nhello there\n"


def note(make: Make, text: str, name: str = "a.md") -> Document:
    return make({name: text}).one().document


@pytest.fixture(scope="module")
def vault() -> Path:
    root = Path(__file__).resolve().parents[3] / "shared" / "data" / "e_vault" / "gnome_help_en_ko"
    if not root.is_dir():
        pytest.skip(f"no shared data at {root}")
    return root


def test_every_note_of_a_real_vault_keeps_what_its_index_says(vault: Path) -> None:
    found = discover([vault / "en", vault / "ko"])
    documents = {}
    for group in found.groups:
        (result,) = read(group)
        assert isinstance(result, Read), result
        documents[result.document.id] = result.document
    rows = [json.loads(line) for line in (vault / "nodes.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len(documents) == 354
    assert found.failed == ()
    assert found.skipped == ()
    for row in rows:
        document = documents[f"{row['lang']}/{row['id']}"]
        assert (document.title, document.language, document.type) == (row["title"], row["lang"], row["type"])
        assert document.published_at == row["revised"]
        assert document.meta is not None
        assert document.meta["front_matter_id"] == row["id"]
        # This link of the index stands neither in the text nor in the front matter of its page.
        written = set(row["links_out"]) - ABSENT.get(row["id"], set())
        assert set(document.links or []) == written, row["file"]


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[[glaze log]] and [[glaze log|again]]", ["glaze log"]),
        ("[[clay#wet]] [[clay#^b1]] [[kiln^b2|it]]", ["clay", "kiln"]),
        ("[[#here]] [[]] [[ ]]", None),
        ("| [[note\\|shown]] | x |", ["note"]),
        ("![[other note]] ![[photo.png]] ![[talk.mp3|200]] [[v1.2 plan]]", ["other note", "v1.2 plan"]),
        ("[[folder/deep/note.md]]", ["folder/deep/note"]),
        ("[shown](other%20note.md#part) [x](./b.md) [y](https://e.example/c.md) ![z](d.md)", ["other note", "b"]),
        ("`[[code]]` and ``[[c`ode]]`` and [[real]]", ["real"]),
        ("```\n[[fenced]]\n```\n[[real]]", ["real"]),
        ("~~~md\n```\n[[fenced]]\n~~~\n[[real]]", ["real"]),
        ("````\n```\n[[fenced]]\n```\n````\n[[real]]", ["real"]),
        ("> ```\n> [[fenced]]\n> ```\n> [[real]]", ["real"]),
        ("%%[[hidden]]%% <!-- [[hidden]] --> [[real]]", ["real"]),
        ("[[가마 일지|일지]]", ["가마 일지"]),
        ("a ` b [[real]]", ["real"]),
        ("Press `Super``Tab` for [[real]], or `Shift``Tab`.", ["real"]),
        ("```\n[[never closed]]", None),
    ],
)
def test_links(make: Make, text: str, links: list[str] | None) -> None:
    assert note(make, text + "\n\nWords.").links == links


def test_links_of_front_matter(make: Make) -> None:
    head = (
        '---\nup: "[[index]]"\nrelated: [[clay]]\nseealso: [glaze, "[[kiln|the kiln]]"]\nauthor: Ann\n'
        'project:\n  - "[[firing#plan]]"\n---\n'
    )
    document = note(make, head + "See [[body]].")
    assert document.links == ["body", "index", "clay", "glaze", "kiln", "firing"]
    assert document.meta == {
        "front_matter": {
            "author": "Ann",
            "project": ["[[firing#plan]]"],
            "related": [["clay"]],
            "seealso": ["glaze", "[[kiln|the kiln]]"],
            "up": "[[index]]",
        }
    }


def test_tags_aliases_and_types_in_the_shapes_people_write(make: Make) -> None:
    document = note(
        make,
        "---\ntags: clay, kiln\ntag: fire\naliases: oven, 가마\nalias: [furnace]\ntype: [guide]\n---\n"
        "# Heading\n\nInline #glaze/green, (#wood) but not #12, a#b, `#code` or https://x.example/#part.\n",
    )
    assert document.tags == ["clay", "kiln", "fire", "glaze/green", "wood"]
    assert document.aliases == ["oven", "가마", "furnace"]
    assert document.type == "guide"


@pytest.mark.parametrize(
    ("head", "fields"),
    [
        ("title: Kilns: a guide\ntags: [a]", {"title": "Kilns: a guide", "tags": ["a"]}),
        ("title: [unclosed\ndate: 2024-05-06", {"title": "[unclosed"}),
        ("up: [[A]], [[B]]\ntype: guide", {"up": "[[A]], [[B]]", "type": "guide"}),
        ("title: x\ndate: 2024-99-99", {"title": "x", "date": "2024-99-99"}),
        ("title: {{title}}\ntype: t", {"title": "{{title}}", "type": "t"}),
        ("Title: x\nTAGS:\n- a\n- b", {"title": "x", "tags": ["a", "b"]}),
        ("date created: 2024-05-06\ntitle: @x", {"title": "@x"}),
    ],
)
def test_front_matter_with_a_mistake_keeps_its_other_fields(head: str, fields: dict[str, object]) -> None:
    found, body, above, _ = frontmatter.split(f"---\n{head}\n---\nWords.")
    assert {key: found.get(key) for key in fields} == fields
    assert body == "Words."
    assert above == head.count("\n") + 3


@pytest.mark.parametrize("value", ["[" * 1000, "{a: " * 1000, "- " * 1000 + "x"])
def test_deep_front_matter_is_not_followed_to_its_end(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def counting(method: Any) -> Any:
        return lambda self, *given: opened.append(1) or method(self, *given)

    for name in ("fetch_flow_collection_start", "fetch_block_entry"):
        monkeypatch.setattr(frontmatter._Loader, name, counting(getattr(frontmatter._Loader, name)))
    lead = "\n" if value.startswith("- ") else " "
    found, body, _, note = frontmatter.split(f"---\ntitle: T\na:{lead}{value}\n---\nWords.")
    assert (found["title"], body) == ("T", "Words.")
    assert note is not None
    assert "nested more than" in note
    assert 0 < len(opened) < 200


@pytest.mark.parametrize("value", ["!!bool x", "!!int ''", "!!float ''", "!!timestamp x", "!!binary é", "&a [*a]"])
def test_a_tag_that_its_value_cannot_have_is_a_mistake(value: str) -> None:
    found, body, _, note = frontmatter.split(f"---\ntitle: T\na: {value}\n---\nWords.")
    assert (found, body) == ({"title": "T", "a": value}, "Words.")
    assert note is not None


def test_the_mistake_is_noted(make: Make) -> None:
    result = make({"a.md": "---\ntitle: Kilns: a guide\ntype: guide\n---\nWords."}).one()
    assert result.document.title == "Kilns: a guide"
    assert result.notes[0].startswith("front matter is not valid YAML, read field by field: title")


def test_of_a_list_without_its_end_nothing_is_taken(make: Make) -> None:
    result = make(
        {"a.md": "---\ntags: [a, b\nspeakers: [Ann, Bo\nup: [x\ntitle: [Draft] Kilns\n---\nWords #here."}
    ).one()
    assert result.document.title == "[Draft] Kilns"
    assert (result.document.tags, result.document.links, result.document.meta) == (["here"], None, None)
    assert "read field by field: tags, speakers, up, title" in result.notes[0]
    alone = make({"a.md": "---\ntags: [a, b\n---\nWords."}).one()
    assert (alone.document.text, alone.document.tags) == ("Words.", None)


def test_a_line_between_two_rules_is_no_front_matter(make: Make) -> None:
    assert note(make, "---\nJust a sentence here.\n---\n\nMore.").text == "---\nJust a sentence here.\n---\n\nMore."


def test_an_obsidian_vault_without_its_settings_templates_and_drawings(make: Make) -> None:
    folder = make(
        {
            ".obsidian/templates.json": json.dumps({"folder": "Meta/Templates/"}),
            ".obsidian/app.json": "{}",
            ".obsidian/snippets/a.md": "x",
            ".trash/gone.md": "Gone.",
            "Meta/Templates/daily.md": "{{date}}",
            "Meta/kept.md": "Kept.",
            "Templates/own.md": "Not the folder of templates here.",
            "map.excalidraw.md": "---\nexcalidraw-plugin: parsed\n---\nxyz",
            "board.canvas": "{}",
            "note.md": "A note.",
        }
    )
    found = folder.discover()
    assert sorted(group.id or "" for group in found.groups) == ["kept", "note", "own"]
    assert found.ignored == 2  # the drawing and the canvas
    # A folder given by name is read all the same.
    assert [group.id for group in discover([folder.root / "Meta" / "Templates"]).groups] == ["daily"]


@pytest.mark.parametrize("settings_file", ["{", "[]", '{"folder": 3}', '{"folder": "../.."}', '{"folder": ""}'])
def test_odd_vault_settings_leave_nothing_out(make: Make, settings_file: str) -> None:
    found = make({".obsidian/templates.json": settings_file, "note.md": "A note.", "T/x.md": "X."}).discover()
    assert sorted(group.id or "" for group in found.groups) == ["note", "x"]


def test_a_logseq_graph_with_properties_and_journals(make: Make) -> None:
    folder = make(
        {
            "logseq/config.edn": "{}",
            "logseq/bak/pages/kiln/1.md": "Old.",
            "pages/kiln.md": "title:: The kiln\nalias:: oven, 가마\ntags:: [[clay]], fire\n"
            "type:: guide\n\n- See [[glaze]].\n",
            "journals/2024_05_06.md": "- Fired #kiln today.\n",
        }
    )
    documents = {r.document.id: r.document for r in folder.results() if isinstance(r, Read)}
    assert sorted(documents) == ["2024_05_06", "kiln"]
    kiln, day = documents["kiln"], documents["2024_05_06"]
    assert (kiln.title, kiln.aliases, kiln.type) == ("The kiln", ["oven", "가마"], "guide")
    assert kiln.text == "- See [[glaze]]."
    assert kiln.links == ["glaze", "clay"]
    assert (day.published_at, day.published_at_source, day.tags) == ("2024-05-06", "file name", ["kiln"])


@given(st.text(alphabet="[]|#^`~%!<->\\ \nab.md()", max_size=80))
@settings(max_examples=rounds(ci=200, soak=20_000), deadline=None)
def test_any_text_gives_targets_that_can_be_stored(text: str) -> None:
    for target in wikilinks.targets(text, {"up": text}):
        assert target.strip() == target != ""
        assert "\n" not in target
    wikilinks.tags(text)


@pytest.mark.parametrize("text", ["[[" * 100_000, "```\n" * 50_001, "<!--" * 50_000, "`a" * 100_000, "%%" * 50_001,
                                  "[a](" * 50_000, "#a" * 100_000, "``a" * 50_000, "up:: " * 50_000])  # fmt: skip
def test_hostile_repetition_ends(make: Make, text: str) -> None:
    assert make({"a.md": "Words. " + text}).one().document.text


def test_front_matter_of_any_shape_is_storable() -> None:
    odd = {"a": {"b": 1}, "c": float("inf"), "d": [[["x"]], None, True], "e": 10**30, "title": ["t"], "tags": {"x": 1}}
    facts = from_front_matter(odd)
    assert facts.title is None
    assert facts.meta == {"front_matter": {"d": [[["x"]], True]}}
    assert json.dumps(facts.meta)


@pytest.mark.parametrize(
    ("stem", "video"),
    [
        ("Firing a kiln [jiJEy4M-O7g]", "jiJEy4M-O7g"),
        ("[jiJEy4M-O7g]", "jiJEy4M-O7g"),
        ("jiJEy4MbO7g", "jiJEy4MbO7g"),
        ("Learn [programming]", None),
        ("Talk [Full_Course] x", None),
        ("INTRODUCING", None),
        ("programming", None),
        ("20240614_jiJEy4M-O7g", None),
        ("Part [2] jiJEy4M-O7g", None),
        ("practical-ai", None),
    ],
)
def test_a_file_named_after_a_video(stem: str, video: str | None) -> None:
    assert video_id(stem) == video
    facts = from_name(stem)
    assert facts.url == (f"https://www.youtube.com/watch?v={video}" if video else None)


def test_captions_named_after_a_video_with_and_without_a_sidecar(make: Make) -> None:
    info = {"id": "jiJEy4M-O7g", "title": "Firing", "upload_date": "20240614", "release_timestamp": 1718409600}
    folder = make(
        {
            "Firing a kiln [jiJEy4M-O7g].en.vtt": VTT,
            "Glaze [aaaaaaaaa-1].en.vtt": VTT,
            "bcD3fghijkl.vtt": VTT,
            "jiJEy4M-O7g.info.json": json.dumps(info),
        }
    )
    documents = {r.document.id: r.document for r in folder.results() if isinstance(r, Read)}
    firing = documents["Firing a kiln [jiJEy4M-O7g].en"]
    assert (firing.title, firing.url) == ("Firing", "https://www.youtube.com/watch?v=jiJEy4M-O7g")
    assert (firing.published_at, firing.published_at_source) == ("2024-06-15T00:00:00Z", "release_timestamp")
    glaze = documents["Glaze [aaaaaaaaa-1].en"]
    assert (glaze.title, glaze.url) == ("Glaze", "https://www.youtube.com/watch?v=aaaaaaaaa-1")
    assert documents["bcD3fghijkl"].url == "https://www.youtube.com/watch?v=bcD3fghijkl"


@pytest.mark.parametrize(
    ("data", "date", "source"),
    [
        ({"timestamp": 1718408700, "upload_date": "20240613"}, "2024-06-14T23:45:00Z", "timestamp"),
        ({"timestamp": 1718410500, "upload_date": "20240614"}, "2024-06-15T00:15:00Z", "timestamp"),
        ({"timestamp": None, "release_timestamp": 1718410500, "upload_date": "20240614"},
         "2024-06-15T00:15:00Z", "release_timestamp"),
        ({"upload_date": "20240614", "epoch": 1800000000}, "2024-06-14", "upload_date"),
        ({"timestamp": "soon", "upload_date": "20241399"}, None, None),
    ],
)  # fmt: skip
def test_the_instant_of_a_video_goes_before_its_day(data: dict[str, object], date: str, source: str) -> None:
    facts = from_info(data, None)
    assert (facts.published_at, facts.published_at_source) == (date, source)


def test_another_site_makes_no_youtube_address() -> None:
    assert from_info({"id": "jiJEy4M-O7g", "extractor_key": "Vimeo"}, None).url is None
