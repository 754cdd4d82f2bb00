"""Where a dump is put: what was there, drafts that were left, and what a cutter may do with the words."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answertrail.corpus.dump_format import CHUNKS, DOCUMENTS
from answertrail.corpus.dump_writer import writing
from answertrail.corpus.restore_words import with_words_checked
from answertrail.corpus.source_chunks import chunks_of
from answertrail.errors import InputError
from answertrail.records import Document

WRITE_AND_WAIT = """
import pathlib, sys
from answertrail.corpus.dump_writer import writing
with writing(pathlib.Path(sys.argv[1])) as writer:
    with writer.member("documents.jsonl") as member:
        member.line("half of it")
        print("writing", flush=True)
        sys.stdin.readline()
"""


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def writer_of():
    """Start a process that is in the middle of a dump to a path."""
    started = []

    def start(path):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITE_AND_WAIT, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "writing\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", ["talks.zip", "ß" * 120 + ".zip"])
def test_the_next_dump_removes_the_draft_of_one_that_was_killed_and_no_other(tmp_path, writer_of, name):
    target = tmp_path / name
    (tmp_path / f".{name[:40]}.draft").write_text("somebody's own")
    (tmp_path / f".other.zip.{'a' * 32}.draft").write_text("of another target")
    killed, living = writer_of(target), writer_of(target)
    drafts = {path for path in names_in(tmp_path) if re.fullmatch(r"\..{9,40}\.[0-9a-f]{32}\.draft", path)}
    assert len(drafts) == 3
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    with writing(target):
        pass
    left = names_in(tmp_path)
    assert len(left) == 4  # the new file, the two that are none of its business, the draft of the living
    living.communicate("go on\n")
    assert living.returncode == 0
    assert names_in(tmp_path) == sorted([name, f".{name[:40]}.draft", f".other.zip.{'a' * 32}.draft"])
    with zipfile.ZipFile(target) as archive:
        assert archive.read("documents.jsonl") == b"half of it\n"


def test_what_is_no_dump_is_not_replaced(tmp_path):
    notes = tmp_path / "notes.md"
    notes.write_text("my notes")
    with zipfile.ZipFile(tmp_path / "photos.zip", "w") as archive:
        archive.writestr("a.jpg", b"x")
    os.mkfifo(tmp_path / "pipe")
    before = names_in(tmp_path)
    for name in before:
        with pytest.raises(InputError, match="no dump of a corpus") as caught, writing(tmp_path / name):
            pytest.fail("nothing is read before")
        assert (caught.value.where, "another name" in (caught.value.hint or "")) == (str(tmp_path / name), True)
    assert (notes.read_text(), names_in(tmp_path)) == ("my notes", before)


def test_an_empty_file_is_written_over(tmp_path):
    (tmp_path / "made.zip").touch()
    with writing(tmp_path / "made.zip"):
        pass
    assert zipfile.is_zipfile(tmp_path / "made.zip")


class Members:
    """Stands for an open dump with these documents, and the chunks that this version cuts of them."""

    def __init__(self, *documents):
        self.held = {DOCUMENTS: [document.as_json() for document in documents], CHUNKS: []}
        for document in documents:
            self.held[CHUNKS] += [
                {"chunk_id": chunk.id, "document_id": document.id, "text": chunk.text, "lines": list(chunk.lines)}
                for chunk in chunks_of(document)
            ]

    def where(self, name):
        return name

    def values(self, name):
        return iter([(f"{name}:{number}", value) for number, value in enumerate(self.held[name], 1)])


_TEXTS = st.lists(
    st.sampled_from(
        [
            "Kiln barn.",
            " ",
            "\n\n",
            "a",
            "가마를 옮겼다。",
            "窯を運んだ。",
            "x" * 700,
            "mud, river; ",
            "\u3000",
            "# H\n",
        ]
    ),
    max_size=60,
).map("".join)
_SEGMENTS = st.lists(
    st.builds(
        lambda start, length, text: {"start_s": float(start), "end_s": float(start + length), "text": text},
        st.integers(0, 300),
        st.integers(0, 200),
        _TEXTS,
    ),
    max_size=8,
)


@given(text=_TEXTS, segments=_SEGMENTS, ordered=st.booleans())
def test_what_the_cutter_gives_is_always_accepted(text, segments, ordered):
    if ordered:
        segments = sorted(segments, key=lambda one: one["start_s"])
    timed = Document.model_validate({"id": "a", "title": "A", "segments": segments})
    file = Members(timed, Document(id="b", title="B", text=text))
    assert [row for _, row in with_words_checked(file)] == file.held[CHUNKS]


def test_segments_out_of_order_are_held_against_their_chunks_too():
    segments = [{"start_s": 40.0, "text": "Second words."}, {"start_s": 1.0, "text": "First words."}]
    file = Members(Document.model_validate({"id": "a", "title": "A", "segments": segments}))
    assert len(list(with_words_checked(file))) == 2
    file.held[CHUNKS][0] |= {"text": "Worst words.", "lines": ["Worst words."]}
    with pytest.raises(InputError, match="chunk 'a:00000': its words are not those"):
        list(with_words_checked(file))
