"""The tools the model is offered, and the strict reading of what it sends."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from answertrail.agent.arguments import (
    AroundArguments,
    BadCallError,
    ReadyArguments,
    SearchArguments,
    SubmitArguments,
    TimelineArguments,
    TimelineSearchArguments,
    error_result,
    parse_arguments,
)
from answertrail.agent.recipe import built_in, load
from answertrail.agent.tools import (
    AROUND,
    READY,
    SEARCH,
    SUBMIT,
    SUBMIT_TOOL,
    TABLE,
    TABLE_TOOL,
    TIMELINE,
    exploration_tools,
)
from answertrail.models.chat.base import ToolCall
from tests.agent import seasons


def sent(kind, arguments):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return parse_arguments(kind, ToolCall("c1", SEARCH, text))


def refusal(kind, arguments) -> str:
    with pytest.raises(BadCallError) as caught:
        sent(kind, arguments)
    return str(caught.value)


def offered(name="default"):
    return {tool.name: tool for tool in (*exploration_tools(load(name)), TABLE_TOOL, SUBMIT_TOOL)}


# --- what is offered --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", built_in())
def test_every_schema_is_valid_and_closed(name):
    for tool in offered(name).values():
        Draft202012Validator.check_schema(tool.parameters)
        assert tool.parameters["type"] == "object"
        assert tool.parameters["additionalProperties"] is False
        assert tool.description
        assert json.loads(json.dumps(tool.parameters)) == tool.parameters


def test_exploring_offers_search_and_ready_and_never_a_closing_tool():
    assert [tool.name for tool in exploration_tools(load("answertrail-2026"))] == [SEARCH, READY]
    assert [tool.name for tool in exploration_tools(load("default"))] == [SEARCH, TIMELINE, AROUND, READY]
    assert SUBMIT_TOOL.name == SUBMIT == "submit_answer"
    assert TABLE_TOOL.name == TABLE == "submit_timeline"


@pytest.mark.parametrize(
    ("recipe", "tools"),
    [(seasons.TIMELINE, [SEARCH, TIMELINE, READY]), (seasons.AROUND, [SEARCH, AROUND, READY]),
     (seasons.READY, [SEARCH, TIMELINE, READY]), (seasons.TWO_STEP, [SEARCH, TIMELINE, AROUND, READY])],
)  # fmt: skip
def test_each_tool_is_offered_by_its_own_switch(recipe, tools):
    assert [tool.name for tool in exploration_tools(recipe)] == tools


def test_over_time_is_asked_only_where_it_changes_something():
    assert "over_time" in offered("default")[READY].parameters["properties"]
    assert offered("answertrail-2026")[READY].parameters["properties"] == {}


@pytest.mark.parametrize(("name", "dates"), [("default", True), ("answertrail-2026", False), ("hybrid", False)])
def test_dates_are_offered_only_where_the_recipe_says_so(name, dates):
    assert ({"from", "to"} <= set(offered(name)[SEARCH].parameters["properties"])) == dates


def test_paging_is_promised_only_where_seen_passages_are_held_back():
    assert "already shown are left out" in offered("default")[SEARCH].description
    assert "already shown" not in offered("answertrail-2026")[SEARCH].description


def test_the_default_number_of_passages_is_told():
    assert "default 10" in offered()[SEARCH].parameters["properties"]["k"]["description"]


SOUND = {
    SEARCH: [
        {"query": "kiln"}, {"query": "kiln", "k": 1}, {"query": "kiln", "k": 20},
        {"query": "kiln", "from": "2025-01-01", "to": "2025-02-01"},
    ],
    TIMELINE: [{"query": "kiln"}, {"query": "kiln", "by": "quarter", "k": 3, "from": "2025-01-01"}],
    AROUND: [{"id": "a:00000"}, {"id": "a:00000", "before": 0, "after": 5}],
    READY: [{}, {"over_time": True}],
    TABLE: [
        {"rows": [{"when": "2025", "stance": "It moved.", "citations": ["a:00000"]}]},
        {"rows": [{"when": "2025-Q1", "nothing_found": True}, {"when": "undated", "stance": "x", "citations": []}]},
    ],
    SUBMIT: [
        {"outcome": "cannot_answer", "statements": [], "not_found": ["x"]},
        {"outcome": "answered", "not_found": [],
         "statements": [{"text": "The kiln moved.", "kind": "claim", "citations": ["a:00000"]}]},
    ],
}  # fmt: skip
UNSOUND = {
    SEARCH: [{}, {"query": 3}, {"query": "kiln", "k": 0}, {"query": "kiln", "k": 21}, {"query": "kiln", "k": "5"},
             {"query": "kiln", "top": 3}, {"query": ["kiln"]}, {"query": "k", "k": True}],
    TIMELINE: [{}, {"query": "kiln", "by": "week"}, {"query": "kiln", "by": 3}, {"query": "kiln", "mode": "dense"}],
    AROUND: [{}, {"id": 3}, {"id": "a", "before": -1}, {"id": "a", "after": 6}, {"id": "a", "before": "1"},
             {"id": "a", "before": True}, {"id": "a", "k": 3}, {"id": "x" * 301}],
    READY: [{"sure": True}, {"over_time": "yes"}, {"over_time": 1}],
    TABLE: [{}, {"rows": []}, {"rows": "none"}, {"rows": [{"stance": "x", "citations": ["a"]}]},
            {"rows": [{"when": 2025, "nothing_found": True}]}, {"rows": [{"when": "2025", "nothing_found": "yes"}]},
            {"rows": [{"when": "2025", "stance": "x", "citations": "a"}]}, {"rows": [{"when": "2025", "note": "x"}]},
            {"rows": [{"when": "2025", "nothing_found": True}] * 61}],
    SUBMIT: [{"outcome": "maybe", "statements": [], "not_found": []},
             {"outcome": "answered", "not_found": [], "statements": [{"text": "x", "kind": "fact", "citations": []}]},
             {"outcome": "answered", "not_found": [], "statements": [{"text": "x", "kind": "claim", "citations": [1]}]},
             {"outcome": "answered", "not_found": [], "statements": [{"kind": "claim", "citations": []}]},
             {"outcome": "answered", "not_found": [], "statements": "none"}],
}  # fmt: skip
KINDS = {
    SEARCH: SearchArguments, TIMELINE: TimelineSearchArguments, AROUND: AroundArguments, READY: ReadyArguments,
    TABLE: TimelineArguments, SUBMIT: SubmitArguments,
}  # fmt: skip


@pytest.mark.parametrize("tool", KINDS)
def test_the_schema_that_is_offered_and_the_reader_agree(tool):
    schema = Draft202012Validator(offered()[tool].parameters)
    for arguments in SOUND[tool]:
        assert schema.is_valid(arguments)
        sent(KINDS[tool], arguments)
    for arguments in UNSOUND[tool]:
        assert not schema.is_valid(arguments), arguments
        refusal(KINDS[tool], arguments)


# --- reading --------------------------------------------------------------------------------------------


def test_a_search_is_read_with_its_half_open_window():
    found = sent(
        SearchArguments, {"query": "  kiln  ", "k": 3, "from": "2025-01-01", "to": "2025-02-01T00:00:00+09:00"}
    )
    assert (found.query, found.k) == ("kiln", 3)
    assert found.bounds() == (datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 1, 31, 15, tzinfo=UTC))
    assert sent(SearchArguments, {"query": "kiln"}).bounds() == (None, None)


def test_null_for_an_optional_argument_means_that_it_was_not_given():
    found = sent(SearchArguments, '{"query": "kiln", "k": null, "from": null, "to": null}')
    assert (found.k, found.from_, found.to) == (None, None, None)
    assert sent(SubmitArguments, '{"outcome": "cannot_answer", "statements": null, "not_found": null}').statements == []


def test_null_for_a_required_argument_is_a_missing_argument():
    assert "query: " in refusal(SearchArguments, '{"query": null}')


def test_unicode_escapes_and_raw_signs_are_the_same_text():
    # original_implementation.md 17: escapes reached the reader undecoded
    escaped = sent(SearchArguments, '{"query": "\\uc720\\uc57d caf\\u00e9 \\ud83c\\udffa \\"x\\""}')
    assert escaped.query == '유약 café 🏺 "x"'
    assert escaped == sent(SearchArguments, '{"query": "유약 café 🏺 \\"x\\""}')


def test_half_of_a_surrogate_pair_goes_back_to_the_model():
    assert "surrogate" in refusal(SearchArguments, '{"query": "kiln \\ud83c"}')


@pytest.mark.parametrize("arguments", ["", "  ", "{}"])
def test_nothing_at_all_is_an_empty_object(arguments):
    sent(ReadyArguments, arguments)
    assert "query: " in refusal(SearchArguments, arguments)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("not json", "not valid JSON"),
        ('{"query": "kiln"', "not valid JSON"),
        ('{"query": "kiln"} {"query": "barn"}', "not valid JSON"),
        ('{"query": "kiln", "query": "barn"}', "given twice"),
        ('{"query": "kiln", "k": NaN}', "not valid JSON"),
        ("[]", "must be one JSON object"),
        ('"kiln"', "must be one JSON object"),
        ("null", "must be one JSON object"),
        ("[" * 100_000, "not valid JSON"),
        ('{"query": "   "}', "the query is empty"),
        ('{"query": ""}', "query: "),
        ('{"query": "kiln", "from": "last year"}', "from: expected an ISO 8601 date"),
        ('{"query": "kiln", "to": "2025-02-30"}', "to: "),
        ('{"query": "kiln", "from": ""}', "from: "),
        ('{"query": "kiln", "colour": "red"}', "colour: "),
    ],
)
def test_whatever_is_wrong_becomes_a_sentence_that_names_tool_and_argument(arguments, told):
    text = refusal(SearchArguments, arguments)
    assert told in text
    assert SEARCH in text


def test_huge_arguments_are_refused_in_a_short_sentence():
    huge = "x" * 3_000_000
    for arguments in (
        {"query": huge},
        {"query": "kiln", huge: 1},
        json.dumps({"query": huge})[:-1],
        f'{{"{huge}": 1, "{huge}": 2}}',
        {"query": "kiln", **{f"{huge[:1000]}{n}": 1 for n in range(500)}},
    ):
        assert len(refusal(SearchArguments, arguments)) < 1000


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"statements": [{"text": "x" * 4001, "citations": []}]}, "statements.0.text"),
        ({"statements": [{"text": "  ", "citations": []}]}, "the text is empty"),
        ({"statements": [{"text": "x", "citations": ["a:00000"] * 51}]}, "statements.0.citations"),
        ({"statements": [{"text": "x", "citations": []}] * 61}, "statements"),
        ({"not_found": [""]}, "not_found.0"),
        ({"not_found": ["x" * 1001]}, "not_found.0"),
        ({"outcome": None}, "outcome"),
        ({"statements": [{"text": "x", "citations": ["a"], "support": "HIT"}]}, "statements.0.support"),
    ],
)
def test_an_answer_beyond_its_bounds_is_refused_and_the_place_named(change, told):
    assert told in refusal(SubmitArguments, {"outcome": "answered", "statements": [], "not_found": [], **change})


def test_a_statement_is_a_claim_unless_it_says_otherwise():
    found = sent(
        SubmitArguments, {"outcome": "answered", "statements": [{"text": " The kiln moved. ", "citations": ["a"]}]}
    )
    assert (found.statements[0].kind, found.statements[0].text) == ("claim", "The kiln moved.")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"when": "2025"}, "rows.0: give a stance with its citations, or nothing_found: true"),
        ({"when": "2025", "nothing_found": True, "stance": "x"}, "nothing_found goes without stance"),
        ({"when": "2025", "nothing_found": True, "citations": ["a"]}, "nothing_found goes without stance"),
        ({"when": "last spring", "nothing_found": True}, "'last spring' is no time; write YYYY-MM-DD"),
        ({"when": "2025-13", "nothing_found": True}, "not in the calendar"),
        ({"when": "2025..2024", "nothing_found": True}, "runs backwards"),
        ({"when": "2025", "stance": "  ", "citations": ["a"]}, "rows.0: give a stance with its citations"),
        ({"when": "2025", "stance": "\x00", "citations": ["a"]}, "the text is empty"),
        ({"when": "2025", "stance": "x" * 1001, "citations": ["a"]}, "rows.0.stance"),
        ({"when": "2025", "stance": "x", "citations": ["a"] * 51}, "rows.0.citations"),
    ],
)
def test_a_row_that_is_none_is_refused_and_the_place_named(row, told):
    assert told in refusal(TimelineArguments, {"rows": [row]})


def test_null_in_a_row_means_that_it_was_not_given():
    found = sent(TimelineArguments, '{"rows": [{"when": " 2025 ", "nothing_found": true, "stance": null}]}')
    assert (found.rows[0].when, found.rows[0].stance) == ("2025", None)


def test_an_error_is_one_json_object_for_the_model():
    assert json.loads(error_result('no "such" 유약')) == {"error": 'no "such" 유약'}


def reads_or_refuses(arguments):
    for kind in KINDS.values():
        with contextlib.suppress(BadCallError):
            assert isinstance(sent(kind, arguments), kind)


@given(st.text(max_size=80))
def test_any_text_at_all_is_read_or_refused_and_never_raises_anything_else(text):
    reads_or_refuses(text)


KEYS = st.sampled_from(
    ["query", "k", "from", "to", "by", "id", "before", "outcome", "statements", "not_found", "text", "citations",
     "rows", "when", "stance", "nothing_found"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=8,
)


@given(JSON)
def test_any_json_at_all_is_read_or_refused(value):
    reads_or_refuses(value)
