"""The records and the contract's schemas say the same, both ways."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from answertrail.errors import InputError
from answertrail.records.jsonl import RECORDS, dumps, parse_line, read, write
from tests.records.contract import EXAMPLES, FOLDER, INVALID, SCHEMAS, VALIDATORS, needs_contract, schema_accepts

pytestmark = needs_contract


def kind_of(name: str):
    return RECORDS[f"{name}/1"]


def reader_accepts(name: str, line: str) -> bool:
    try:
        parse_line(kind_of(name), line, where="t:1")
    except InputError:
        return False
    return True


def test_the_records_directory_knows_the_eight_schemas_and_no_others():
    assert {f"{name}/1" for name in SCHEMAS} == set(RECORDS)
    assert len(RECORDS) == 8
    for name, schema in SCHEMAS.items():
        assert schema["properties"]["schema"]["const"] == f"{name}/1"


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_record_has_exactly_the_fields_of_its_schema(name):
    ours = {field.alias or key for key, field in kind_of(name).model_fields.items()}
    assert ours == set(SCHEMAS[name]["properties"])


@pytest.mark.parametrize(("name", "line"), EXAMPLES, ids=[f"{n}-{i}" for i, (n, _) in enumerate(EXAMPLES)])
def test_an_example_is_read_and_written_as_the_same_json_with_schema_first(name, line):
    written = dumps(parse_line(kind_of(name), line, where="t:1"))
    assert json.loads(written) == json.loads(line)
    assert next(iter(json.loads(written))) == "schema"


NAMED = {
    "both text and segments": "segments",
    "date without a real form": "published_at: ",
    "unknown tier": "tier: ",
    "unknown field": "gold: unknown field",
    "id missing": "ranked.0.id: required field is missing",
    "UNSCORED without a reason": "needs a reason",
    "resolved to nothing": "needs a node",
}


@pytest.mark.parametrize("case", INVALID, ids=[case["why"] for case in INVALID])
def test_an_invalid_example_is_refused_and_the_field_is_named(case):
    with pytest.raises(InputError) as caught:
        parse_line(kind_of(case["format"]), json.dumps(case["record"]), where="bad.jsonl:3")
    assert NAMED[case["why"]] in caught.value.message
    assert caught.value.where == "bad.jsonl:3"


# --- differential: each example, each place in it, each way to spoil it -----------------------

RAW = {  # what json.dumps would not write
    "NaN": "NaN", "-Infinity": "-Infinity", "1e999": "1e999", "3.0": "3.0", "-0.0": "-0.0",
    "half a surrogate pair": '"\\ud83d"', "the other half": '"x\\uDE00"',
}  # fmt: skip
VALUES: dict[str, Any] = {
    "null": None, "true": True, "false": False, "zero": 0, "one": 1, "minus one": -1, "a half": 0.5, "10**15": 10**15,
    "empty text": "", "a word": "word", "digits": "3", "empty list": [], "empty object": {}, "list of null": [None],
    "list of words": ["a", "b"], "list of objects": [{"x": 1}],
    "date": "2025-01-31", "instant": "2025-01-31T23:45:00.25+09:00", "no zone": "2025-01-31T10:00:00",
    "week date": "2025-W05-1", "basic date": "20250131", "date and newline": "2025-01-31\n",
    "30 February": "2025-02-30", "month 13": "2025-13-01", "year 0": "0000-01-01", "hour 25": "2025-01-01T25:00Z",
    "leap second": "2025-06-30T23:59:60Z", "zone of a day": "2025-01-01T00:00+24:00", "wide digits": "２０２５-01-31",
    "id and space": "word ", "space and id": " word", "space inside": "two words", "id and newline": "word\n",
    "newline inside": "two\nwords", "return inside": "two\rwords", "unit separator": "\x1fword",
    "next line": "word\x85", "byte-order mark": "\ufeffword", "no-break space": "\xa0word",
    "300 signs": "é" * 300, "301 signs": "é" * 301, "only a space": " ",
}  # fmt: skip
# The schema's patterns cannot say which days exist. `$` in Python's `re`, which jsonschema uses,
# lets one newline pass at the end; JSON Schema's own (ECMA 262) does not, and neither do we.
STRICTER_BY_INTENTION = {
    "30 February", "month 13", "year 0", "hour 25", "leap second", "zone of a day", "wide digits",
    "date and newline", "id and newline",
}  # fmt: skip
# JSON has these, but what is read could not be written or hashed again.
NEVER_READ = {"1e999", "half a surrogate pair", "the other half"}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def spoiled(record: Any) -> Iterator[tuple[str, str]]:
    """Yield (what was done, the line)."""
    for path in places(record):
        if isinstance(_at(record, path), dict):
            changed = copy.deepcopy(record)
            _at(changed, path)["surplus"] = 1
            yield f"added at {path}", json.dumps(changed)
        if not path:
            continue
        changed = copy.deepcopy(record)
        del _at(changed, path[:-1])[path[-1]]
        yield f"dropped at {path}", json.dumps(changed)
        for what, value in VALUES.items():
            changed = copy.deepcopy(record)
            _at(changed, path[:-1])[path[-1]] = value
            yield f"{what} at {path}", json.dumps(changed)
        for what, token in RAW.items():
            changed = copy.deepcopy(record)
            _at(changed, path[:-1])[path[-1]] = "@RAW@"
            yield f"{what} at {path}", json.dumps(changed).replace('"@RAW@"', token)


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def full(name: str) -> dict[str, Any]:
    """A record of each kind with every optional field, so that each is spoiled once."""
    more: dict[str, dict[str, Any]] = {
        "document": {"published_at_source": "info", "url": None, "description": "d", "tags": ["t"], "kind": "note",
                     "type": "x", "aliases": ["a"], "links": ["l"], "meta": {"deep": {"x": [1, None]}},
                     "segments": [{"start_s": 0, "end_s": 1.5, "text": "a", "speaker": "b"}]},
        "question": {"language": "en", "group": "g", "node_type": "n", "important": True, "note": "n", "meta": {},
                     "evidence": [{"document_id": "d", "start_s": 0, "end_s": 3, "quote": "q"}],
                     "relevant": [{"id": "x", "grade": 0.5}], "unanswerable_kind": "near_miss",
                     "nuggets": [{"nugget_id": "n", "text": "t", "kind": "shift", "evidence": [0],
                                  "window": {"from": "2025-01-01", "to": "2025-02-01"}, "written_by": "model"}]},
        "retrieval_run": {"repeat": 1, "meta": {"a": 1}},
        "run": {"tier": "factual", "error": None, "meta": {"a": [1]},
                "searches": [{"search_id": "s", "turn": 1, "mode": "m", "query": "q", "from": "2025-01-01",
                              "to": "2025-02-01", "returned": ["c"], "new": ["c"], "held_back": 0, "elapsed_ms": 1.5}],
                "chunks": [{"id": "c", "document_id": "d", "title": "t", "published_at": None, "start_s": 0,
                            "end_s": 30, "url": None, "text": "x", "text_hash": "sha256:0"}],
                "answer": {"outcome": "partly_answered", "text": "t", "not_found": ["n"],
                           "statements": [{"text": "t", "kind": "framing", "citations": ["c"], "support": "UNSCORED"}],
                           "coverage": [{"from": "2025-01-01", "to": "2025-02-01", "searched": True,
                                         "evidence": ["c"]}]}},
        "verdict": {"text_ref": {"x": 1}, "cost_usd": None, "created_at": "2025-01-01", "meta": {}},
        "pair": {"meta": {"x": None}},
        "label": {"note": "n", "meta": {}},
        "resolution": {"question_id": "q", "status": "resolved", "node": "n", "pool": ["p"], "answer": None,
                       "rule": {"name": "r", "version": "1"}, "elapsed_ms": 2, "meta": {},
                       "candidates": [{"id": "n", "rank": 1, "title": "t", "found_by": ["title"], "h": 0, "t": 1.5,
                                       "distance": 0, "score": -1}]},
    }  # fmt: skip
    first = next(json.loads(line) for kind, line in EXAMPLES if kind == name)
    return {**first, **more[name]}


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_the_full_record_is_valid_and_holds_every_field(name):
    line = json.dumps(full(name))
    assert schema_accepts(name, line)
    record = parse_line(kind_of(name), line, where="t:1")
    assert json.loads(dumps(record)) == json.loads(line)
    body = {"segments", "text"} if name == "document" else set()
    assert set(full(name)) | body == set(SCHEMAS[name]["properties"])


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_reader_and_schema_agree_on_every_spoiled_example(name):
    records = [full(name), *(json.loads(line) for kind, line in EXAMPLES if kind == name)]
    disagreements, refused = [], 0
    for record in records:
        for what, line in spoiled(record):
            kind = what.split(" at (")[0]
            theirs, ours = schema_accepts(name, line), reader_accepts(name, line)
            refused += not ours
            if kind in NEVER_READ:
                agree = not ours
            elif kind in STRICTER_BY_INTENTION:
                agree = theirs or not ours
            else:
                agree = theirs == ours
            if not agree:
                disagreements.append(f"{what}: schema {theirs}, reader {ours}")
    assert disagreements == []
    assert refused > 50


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_an_accepted_change_survives_being_written_and_read_again(name):
    for _, line in spoiled(full(name)):
        if reader_accepts(name, line):
            written = dumps(parse_line(kind_of(name), line, where="t:1"))
            assert json.loads(written) == json.loads(line)
            assert schema_accepts(name, written)


@pytest.mark.parametrize("day", ["2025-02-30", "2025-13-01", "2024-02-30T00:00:00Z"])
def test_a_day_that_does_not_exist_is_refused_although_the_schema_cannot_tell(day):
    line = json.dumps({"schema": "document/1", "id": "d", "title": "t", "text": "x", "published_at": day})
    assert schema_accepts("document", line)
    with pytest.raises(InputError, match="published_at"):
        parse_line(kind_of("document"), line, where="t:1")


def test_an_id_with_a_newline_at_its_end_is_refused_although_python_dollar_lets_it_pass():
    line = json.dumps({"schema": "pair/1", "pair_id": "p1\n", "claim": "c", "text": "t"})
    assert schema_accepts("pair", line)
    with pytest.raises(InputError, match="pair_id"):
        parse_line(kind_of("pair"), line, where="t:1")


def test_a_key_given_twice_is_refused_although_the_schema_never_sees_it():
    line = '{"schema": "pair/1", "pair_id": "p1", "claim": "c", "text": "one", "text": "two"}'
    assert schema_accepts("pair", line)
    with pytest.raises(InputError, match="'text' is given twice"):
        parse_line(kind_of("pair"), line, where="t:1")


def test_the_python_name_of_a_field_is_no_second_name_for_it_in_json():
    for window in (
        {"from_": "2025-01-01", "to": "2025-02-01"},
        {"from": "2025-01-01", "from_": "x", "to": "2025-02-01"},
    ):
        record = {"schema": "question/1", "question_id": "q", "question": "?", "tier": "lookup",
                  "nuggets": [{"nugget_id": "n", "text": "t", "kind": "fact", "window": window}]}  # fmt: skip
        with pytest.raises(InputError, match="from_: unknown field"):
            parse_line(kind_of("question"), json.dumps(record), where="t:1")
    with pytest.raises(InputError, match="schema: required field is missing"):
        parse_line(
            kind_of("label"), '{"schema_": "label/1", "pair_id": "p", "rater": "r", "label": "HIT"}', where="t:1"
        )


# --- generated records: whatever the schema allows is read, and what we write passes `check` ---

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
FREE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
DAYS = st.dates().map(lambda day: day.isoformat())
INSTANTS = st.datetimes().map(lambda t: t.replace(microsecond=0).isoformat()).flatmap(
    lambda t: st.sampled_from([f"{t}Z", f"{t}.5Z", f"{t}-03:30", f"{t[:16]}+09:00"])
)  # fmt: skip


def from_schema(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([from_schema(one) for one in schema["anyOf"]])
    match schema["type"]:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "string" if "pattern" in schema:
            if schema["pattern"].startswith("^\\d"):
                return DAYS | INSTANTS
            # `check` reads a file by splitlines, JSON by newlines: no line end of either kind in ids
            return st.from_regex(schema["pattern"], fullmatch=True).filter(
                lambda t: len(t) <= 300 and t == t.strip() and not any(0xD800 <= ord(c) < 0xE000 for c in t)
            )
        case "string":
            return TEXT.filter(lambda t: len(t) >= schema.get("minLength", 0))
        case "integer":
            return st.integers(schema.get("minimum"))
        case "number":
            return st.floats(schema.get("minimum"), 1e300, allow_nan=False, allow_infinity=False) | st.integers(
                schema.get("minimum"), 10**9
            )
        case "array":
            return st.lists(from_schema(schema["items"]), max_size=3)
    if "properties" not in schema:
        return st.dictionaries(TEXT, FREE, max_size=3)
    required = set(schema.get("required", ()))
    for rule in schema.get("allOf", ()):
        required |= set(rule["then"]["required"])
    fields = {key: from_schema(value) for key, value in schema["properties"].items()}
    if "oneOf" not in schema:
        return _object(fields, required)
    bodies = [one["required"][0] for one in schema["oneOf"]]
    return st.one_of(
        [
            _object({k: v for k, v in fields.items() if k not in bodies or k == body}, required | {body})
            for body in bodies
        ]
    )


def _object(fields: dict[str, Any], required: set[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {key: value for key, value in fields.items() if key in required},
        optional={key: value for key, value in fields.items() if key not in required},
    )


def generated(name: str) -> list[Any]:
    """Read and write generated records of one kind; return them."""
    records = []

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(from_schema(SCHEMAS[name]))
    def generate(value):
        assume(VALIDATORS[name].is_valid(value))
        record = parse_line(kind_of(name), json.dumps(value), where="t:1")
        assert json.loads(dumps(record)) == value
        assert parse_line(kind_of(name), dumps(record), where="t:2") == record
        records.append(record)

    generate()
    return records


def test_check_accepts_every_file_we_write_from_any_record_the_schema_allows(tmp_path):
    records = [record for name in sorted(SCHEMAS) for record in generated(name)]
    assert {type(record) for record in records} == set(RECORDS.values())
    path = tmp_path / "all.jsonl"
    assert write(path, records) == len(records)
    for kind in RECORDS.values():
        mine = [record for record in records if type(record) is kind]
        write(tmp_path / "one.jsonl", mine)
        assert list(read(tmp_path / "one.jsonl", kind)) == mine
    done = subprocess.run([sys.executable, FOLDER / "check", path], capture_output=True, text=True, timeout=120)
    assert (done.stdout.strip(), done.returncode) == ("ok", 0), done.stdout + done.stderr


def test_check_still_finds_faults_so_the_test_above_can_fail(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"schema": "pair/1", "pair_id": "p", "claim": "", "text": "t"}\n', encoding="utf-8")
    done = subprocess.run([sys.executable, FOLDER / "check", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
