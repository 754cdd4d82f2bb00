"""Reading and writing JSON Lines: every fault names file, line and field; a write is whole or absent."""

from __future__ import annotations

import json
import os
import stat

import pytest

from answertrail.errors import InputError
from answertrail.records import Document, Label, Pair
from answertrail.records.jsonl import dumps, loads, numbered_lines, parse, parse_line, read, write


def pair(n: int = 1, **more) -> str:
    return json.dumps({"schema": "pair/1", "pair_id": f"p{n}", "claim": "c", "text": "t", **more}, ensure_ascii=False)


def test_a_fault_names_the_file_the_line_and_the_field(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join([pair(1), "", pair(2), pair(3, gold=1, claim="")]), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read(path, Pair))
    assert caught.value.where == f"{path}:4"
    assert "gold: unknown field" in caught.value.message
    assert "claim: " in caught.value.message
    assert caught.value.exit_code == 2


def test_records_before_the_faulty_line_are_delivered(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text(pair(1) + "\n{broken\n", encoding="utf-8")
    lines = read(path, Pair)
    assert next(lines).pair_id == "p1"
    with pytest.raises(InputError, match="not valid JSON") as caught:
        next(lines)
    assert caught.value.where == f"{path}:2"


def test_a_record_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text(pair(1) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="schema: ") as caught:
        list(read(path, Label))
    assert "label/1" in caught.value.message


@pytest.mark.parametrize("value", ["[]", "3", "null", '"pair/1"'])
def test_a_line_that_is_no_object_is_refused(value):
    with pytest.raises(InputError):
        parse_line(Pair, value, where="f:1")


def test_a_byte_order_mark_is_dropped_and_crlf_is_a_line_end(tmp_path):
    path = tmp_path / "windows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + (pair(1) + "\r\n\r\n" + pair(2) + "\r\n").encode())
    assert [record.pair_id for record in read(path, Pair)] == ["p1", "p2"]


def test_a_byte_order_mark_further_down_is_a_fault_of_that_line(tmp_path):
    path = tmp_path / "joined.jsonl"
    path.write_bytes(pair(1).encode() + b"\n\xef\xbb\xbf" + pair(2).encode())
    with pytest.raises(InputError) as caught:
        list(read(path, Pair))
    assert caught.value.where == f"{path}:2"


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c"])
def test_what_other_programs_take_for_a_line_end_is_none_inside_a_text(tmp_path, sign):
    path = tmp_path / "signs.jsonl"
    record = Pair(pair_id="p1", claim=f"a{sign}b", text="t")
    raw = json.dumps(record.as_json(), ensure_ascii=False)
    path.write_text(raw + "\n", encoding="utf-8", newline="\n")
    assert list(read(path, Pair)) == [record]
    assert len(dumps(record).splitlines()) == 1
    assert parse_line(Pair, dumps(record), where="f:1") == record


def test_written_text_stays_readable():
    assert "유약 é 🏺" in dumps(Pair(pair_id="p1", claim="유약 é 🏺", text="t"))


def test_bytes_that_are_not_utf8_name_their_line(tmp_path):
    path = tmp_path / "latin1.jsonl"
    path.write_bytes(pair(1).encode() + b"\n" + pair(2, text="caf\xe9").encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8") as caught:
        list(read(path, Pair))
    assert caught.value.where == f"{path}:2"


def test_a_file_that_is_missing_or_a_folder_is_an_input_error(tmp_path):
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(InputError) as caught:
            list(read(path, Pair))
        assert caught.value.where == str(path)


def test_an_empty_file_and_blank_lines_hold_no_records(tmp_path):
    path = tmp_path / "empty.jsonl"
    path.write_bytes(b"")
    assert list(read(path, Pair)) == []
    path.write_bytes(b"\n  \n\t\r\n")
    assert list(numbered_lines(path)) == []


@pytest.mark.parametrize("depth", [5_000, 200_000])
def test_nesting_too_deep_to_read_is_an_input_error(tmp_path, depth):
    path = tmp_path / "deep.jsonl"
    path.write_text(pair(1)[:-1] + ', "meta": {"a": ' + "[" * depth + "]" * depth + "}}", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read(path, Pair))
    assert caught.value.where == f"{path}:1"


def test_nesting_that_can_be_read_can_be_written(tmp_path):
    line = pair(1)[:-1] + ', "meta": ' + '{"a": ' * 190 + "1" + "}" * 190 + "}"
    record = parse_line(Pair, line, where="f:1")
    assert write(tmp_path / "deep.jsonl", [record]) == 1
    assert list(read(tmp_path / "deep.jsonl", Pair)) == [record]


@pytest.mark.parametrize(
    "text",
    ["NaN", "[Infinity]", '{"a": -Infinity}', "1e999", "-1e999", '{"a": {"b": 1, "b": 2}}', '"\\ud800"', '["\\uDC00x"]',
     '{"\\udfff": 1}', "9" * 5000, ""],
)  # fmt: skip
def test_json_that_could_not_be_written_again_is_refused(text):
    with pytest.raises(ValueError):
        loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [('"\\ud83c\\udffa"', "🏺"), ('"\\\\ud800"', "\\ud800"), ("1e308", 1e308), ("2e-400", 0.0), ("3.0", 3.0)],
)
def test_a_whole_surrogate_pair_an_escaped_backslash_and_large_numbers_are_read(text, value):
    assert loads(text) == value


def test_null_is_refused_where_it_says_nothing_and_named():
    with pytest.raises(InputError, match="end_s may not be null"):
        parse(
            Document,
            {"schema": "document/1", "id": "d", "title": "t", "segments": [{"start_s": 0, "end_s": None, "text": "x"}]},
            where="f:1",
        )


def test_null_that_says_unknown_is_kept_and_an_absent_field_stays_absent():
    said = parse_line(
        Document, '{"schema": "document/1", "id": "d", "title": "t", "url": null, "text": ""}', where="f:1"
    )
    assert said.as_json() == {"schema": "document/1", "id": "d", "title": "t", "url": None, "text": ""}


def test_a_written_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "pairs.jsonl"
    first = Pair(pair_id="old", claim="c", text="t")
    write(path, [first])

    def breaks():
        yield Pair(pair_id="new", claim="c", text="t")
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        write(path, breaks())
    assert list(read(path, Pair)) == [first]
    assert list(tmp_path.iterdir()) == [path]  # no draft is left behind

    with pytest.raises(KeyboardInterrupt):
        write(path, (_stop() for _ in range(1)))
    assert list(read(path, Pair)) == [first]
    assert list(tmp_path.iterdir()) == [path]


def _stop():
    raise KeyboardInterrupt


def test_a_file_can_be_rewritten_from_its_own_records(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text(pair(1) + "\n" + pair(2) + "\n", encoding="utf-8")
    assert write(path, (r for r in read(path, Pair) if r.pair_id == "p2")) == 1
    assert [r.pair_id for r in read(path, Pair)] == ["p2"]


def test_a_written_file_makes_its_folder_and_may_be_read_by_whom_the_umask_says(tmp_path):
    before = os.umask(0o022)
    try:
        path = tmp_path / "new" / "folder" / "pairs.jsonl"
        write(path, [Pair(pair_id="p", claim="c", text="t")])
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    target = tmp_path / "real.jsonl"
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    write(link, [Pair(pair_id="p", claim="c", text="t")])
    assert link.is_symlink()
    assert [r.pair_id for r in read(target, Pair)] == ["p"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert write(pipe, [Pair(pair_id="p", claim="c", text="t")]) == 1
        assert json.loads(os.read(reader, 4096))["pair_id"] == "p"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_whole_fault_is_one_line_with_where_and_what_to_do():
    with pytest.raises(InputError) as caught:
        parse_line(Pair, "{}", where="f.jsonl:9")
    assert str(caught.value).startswith("f.jsonl:9: ")
    assert "docs/formats.md" in str(caught.value)
    assert set(caught.value.as_dict()) == {"kind", "message", "where", "hint"}
