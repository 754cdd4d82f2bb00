"""The real transcripts: every file loads or fails as expected, no word is lost, gold is found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from answertrail.corpus.discovery import discover
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, Read, read
from answertrail.records import Document

BROKEN = {
    "webvtt-py/empty.vtt": "the file is empty",
    "webvtt-py/invalid_format.sbv": "no cue with a time was found",
    "webvtt-py/invalid_format1.srt": "no cue with a time was found",
    "webvtt-py/invalid_format3.srt": "no cue with a time was found",
    "webvtt-py/no_captions.vtt": "the file holds no captions",
}


@cache
def loaded(folder: Path) -> tuple[dict[str, Document], list[Failure]]:
    found = discover([folder])
    documents, failures = {}, list(found.failed)
    for group in found.groups:
        for result in read(group):
            if isinstance(result, Read):
                documents[result.document.id] = result.document
            else:
                failures.append(result)
    return documents, failures


def words_of(document: Document) -> int:
    return sum(len(chunk.text.split()) for chunk in chunks_of(document))


@pytest.mark.parametrize(
    ("corpus", "documents"),
    [
        ("ergo_calls", 83),
        ("oxide_and_friends", 110),
        ("practical_ai", 180),
        ("bitcoin_podcasts_dev", 116),
    ],
)
def test_every_file_loads(transcripts: Path, corpus: str, documents: int) -> None:
    found, failures = loaded(transcripts / corpus)
    assert failures == []
    assert len(found) == documents


def test_every_caption_oddity_loads_or_fails_as_expected(transcripts: Path) -> None:
    root = transcripts / "caption_oddities"
    seen = 0
    for path in sorted(root.rglob("*")):
        if path.suffix not in (".vtt", ".srt", ".sbv"):
            continue
        seen += 1
        (group,) = discover([path]).groups
        (result,) = read(group)
        reason = BROKEN.get(path.relative_to(root).as_posix())
        if reason is not None:
            assert isinstance(result, Failure), path
            assert result.reason == reason
            continue
        assert isinstance(result, Read), result
        starts = [s.start_s for s in result.document.segments or ()]
        assert starts == sorted(starts)
        assert words_of(result.document) > 0
        text = " ".join(s.text for s in result.document.segments or ())
        assert not re.search(r"</?[cibuv]>|<\d\d:\d\d|&amp;|-->|\ufeff", text), path
    assert seen == 46


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("webvtt-py/youtube_dl.vtt", "yeah what this will happen is I'm telling"),
        ("webvtt-py/one_caption.srt", "Caption text #1"),
        ("webvtt-py/captions_with_bom.vtt", "Caption text #1 Caption text #2 Caption text #3 Caption text #4"),
        ("srt/gb2312.srt", "宇宙守护神 保护我们远离邪恶 他能徒手抓住子弹 拦住疾速的火车 轻轻一跳就能飞跃高楼"),
        ("webvtt-py/missing_timeframe.srt", " ".join(f"Caption text #{n}" for n in range(1, 6))),
    ],
)  # fmt: skip
def test_exact_words_of_oddities(transcripts: Path, name: str, text: str) -> None:
    (group,) = discover([transcripts / "caption_oddities" / name]).groups
    (result,) = read(group)
    assert isinstance(result, Read)
    assert " ".join(chunk.text for chunk in chunks_of(result.document)) == text


def plain_srt_words(path: Path) -> list[str]:
    """The words of a well-formed SRT, by a way of counting that shares no code with ours."""
    text = path.read_text(encoding="utf-8-sig")
    blocks = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    return [word for block in blocks for word in " ".join(block.split("\n")[2:]).split()]


def test_words_of_real_srt_files(transcripts: Path) -> None:
    paths = sorted((transcripts / "ergo_calls" / "srt").glob("*.srt"))[:8]
    paths += sorted((transcripts / "caption_oddities" / "sy-subtitles").glob("*.srt"))[:6]
    assert len(paths) >= 12
    for path in paths:
        (group,) = discover([path]).groups
        (result,) = read(group)
        assert isinstance(result, Read)
        said = [w for s in result.document.segments or () for w in s.text.split()]
        assert sorted(said) == sorted(plain_srt_words(path)), path
        kept = [w for chunk in chunks_of(result.document) for w in chunk.text.split()]
        assert kept == said


def line_words(path: Path) -> Iterator[str]:
    """The words of a line-stamped transcript, stamps and speakers cut off by plain string work."""
    for line in path.read_text().split("\n"):
        rest = re.sub(r"^\[[\d.]+ --> [\d.]+\]|^(\[[^\]]*\] )?\[[\d:]+\]", "", line)
        yield from re.sub(r"^ \*\*[^*]+\*\*:", "", rest).split()


def test_words_of_real_line_transcripts(transcripts: Path) -> None:
    oxide = sorted((transcripts / "oxide_and_friends" / "episodes").glob("*.txt"))
    ergo = sorted((transcripts / "ergo_calls" / "calls").glob("2024*_transcript.txt"))
    documents = loaded(transcripts / "oxide_and_friends")[0] | loaded(transcripts / "ergo_calls")[0]
    checked = 0
    for path in [*oxide, *ergo]:
        if "gXOWqIvWg5M" in path.name or re.search(r"^\[[\d:]+\] [^*\s]+:", path.read_text(), re.M):
            continue  # other layouts, whose labels this simple count does not know
        document = documents[path.stem.removesuffix("_transcript")]
        kept = [w for chunk in chunks_of(document) for w in chunk.text.split()]
        assert kept == list(line_words(path)), path
        checked += 1
    assert checked > 60


def test_words_of_practical_ai_and_its_marks(transcripts: Path) -> None:
    documents, _ = loaded(transcripts / "practical_ai")
    for number in (1, 2, 3, 50, 100, 161, 200, 299):
        name = f"practical-ai-{number}"
        if name not in documents:
            continue
        text = (transcripts / "practical_ai" / "episodes" / f"{name}.md").read_text()
        text = re.sub(r"(?m)^\*\*Break\s*:?\*\*:?.*$", "", text)
        text = re.sub(r"(?m)^\*\*[^*\n]+:\*\*", "", text)
        text = re.sub(r"\\\[\d[\d:.]*\\\]", " ", text)
        said = re.sub(r"\\([\[\]*_~.!#-])", r"\1", text).split()
        kept = [w for chunk in chunks_of(documents[name]) for w in chunk.text.split()]
        assert kept == said, name


def test_the_one_practical_ai_episode_without_marks_is_untimed(transcripts: Path) -> None:
    documents, _ = loaded(transcripts / "practical_ai")
    assert [i for i, d in documents.items() if d.text is not None] == ["practical-ai-27"]
    assert documents["practical-ai-27"].published_at_source == "date_added"


@pytest.mark.parametrize(
    ("questions", "corpus", "quotes"),
    [
        ("ergo", "ergo_calls", 99),
        ("oxide", "oxide_and_friends", 45),
        ("practical_ai", "practical_ai", 46),
    ],
)
def test_every_gold_quote_lies_in_its_chunks_or_their_neighbours(
    transcripts: Path, questions: str, corpus: str, quotes: int
) -> None:
    documents, _ = loaded(transcripts / corpus)
    gold = transcripts.parent / "g_gold" / f"{questions}_questions.jsonl"
    count = 0
    for line in gold.read_text().splitlines():
        for item in json.loads(line)["evidence"]:
            chunks = chunks_of(documents[item["document_id"]])
            hits = [
                i
                for i, c in enumerate(chunks)
                if c.start_s is not None
                and c.end_s is not None
                and c.start_s < item["end_s"]
                and c.end_s > item["start_s"]
            ]
            near = sorted({j for i in hits for j in (i - 1, i, i + 1) if 0 <= j < len(chunks)})
            assert " ".join(item["quote"].split()) in " ".join(chunks[i].text for i in near), item
            count += 1
    assert count == quotes


def test_transcripts_win_over_raw_captions_in_ergo(transcripts: Path) -> None:
    found = discover([transcripts / "ergo_calls"])
    assert {group.path.parent.name for group in found.groups} == {"calls"}
    assert sum(len(group.fallbacks) for group in found.groups) == 53
    document = loaded(transcripts / "ergo_calls")[0]["20240614_jiJEy4M-O7g"]
    assert document.url == "https://www.youtube.com/watch?v=jiJEy4M-O7g"
    assert document.published_at == "2024-06-14"
    assert document.segments is not None
    assert (document.segments[0].start_s, document.segments[0].speaker) == (17.0, "Armeanio")


def test_the_sample_channel_loads_without_failures() -> None:
    sample = Path(__file__).resolve().parents[2] / "src" / "answertrail" / "sample" / "channel"
    if not (sample / "episodes.jsonl").is_file():
        pytest.skip("the sample channel is not there yet")
    documents, failures = loaded(sample)
    assert failures == []
    assert all(d.published_at and d.url and d.captions for d in documents.values())


HAND_COUNTED = {
    # Rolling WebVTT with word times, a finishing cue and the row carried over.
    "caption_oddities/webvtt-py/youtube_dl.vtt": 8,
    # STYLE blocks, cue ids, classes in tags, an entity.
    "caption_oddities/webvtt-py/styles_colours.vtt": 28,
    # NOTE blocks; two speakers in a cue behind dashes, which are no words.
    "caption_oddities/webvtt-py/comments.vtt": 21,
    "caption_oddities/webvtt-py/sample.sbv": 22,
    "caption_oddities/pysrt/bom-utf-16-le.srt": 111,
    "caption_oddities/sy-subtitles/hindi.hi.srt": 12232,
    "caption_oddities/sy-subtitles/1979-02-25_Puja-In-Pune-Marathi__Mahashivaratri-Puja.uk.srt": 1233,
    # Overlapping cues, whole seconds, two answers of one word in one second.
    "ergo_calls/srt/20250620_-1IRIQWv71Q.srt": 6930,
    "ergo_calls/calls/20240614_jiJEy4M-O7g_transcript.txt": 9276,
    "oxide_and_friends/episodes/2021-05-03_mr-leventhal-come-here-i-want-to-see-you.txt": 6069,
    "oxide_and_friends/episodes/2021-05-24_from-proc-to-proc-macro.txt": 11841,
    "practical_ai/episodes/practical-ai-1.md": 5332,
    "bitcoin_podcasts_dev/bitcoin-explained/bitcoin-core-27-0.md": 6301,
    # Untimed Markdown below front matter.
    "bitcoin_podcasts_dev/lightning-specification/2022-02-14-specification-call.md": 7864,
}
"""Words in a file, counted by the command that docs/captions.md gives for it, its output looked at."""


@pytest.mark.parametrize("name", HAND_COUNTED)
def test_words_in_the_chunks_are_the_words_counted_by_hand(transcripts: Path, name: str) -> None:
    (group,) = discover([transcripts / name]).groups
    (result,) = read(group)
    assert isinstance(result, Read), result
    assert words_of(result.document) == HAND_COUNTED[name]


def test_the_two_dialogues_read_by_eye(transcripts: Path) -> None:
    said = {
        "comments.vtt": "Ta en kopp varmt te. Det är inte varmt. Har en kopp te. Det smakar som te. - Ta en kopp",
        "styles_colours.vtt": "Musique douce --- Some italic and normal coloured text. By the way, 2 < 3 ! --- "
        "-Stéphane ? Où on se gare ? -Euh, là-bas, au chêne.",
    }
    for name, words in said.items():
        (group,) = discover([transcripts / "caption_oddities" / "webvtt-py" / name]).groups
        (result,) = read(group)
        assert isinstance(result, Read)
        assert " ".join(chunk.text for chunk in chunks_of(result.document)) == words


def test_two_words_in_three_minutes_are_noted(transcripts: Path) -> None:
    (group,) = discover([transcripts / "ergo_calls" / "calls" / "20250627_tUsw5NZdwmw_transcript.txt"]).groups
    (result,) = read(group)
    assert isinstance(result, Read)
    assert result.notes == ("2 words in 3 minutes: few for speech; is this the whole transcript?",)


def test_thanks_that_recognition_wrote_into_a_tutorial_are_left_out(transcripts: Path) -> None:
    (group,) = discover([transcripts / "ergo_calls" / "srt" / "20250703_NjzGIOEMyPI.srt"]).groups
    (result,) = read(group)
    assert isinstance(result, Read)
    assert "cross. Always remember" in result.document.words()
    assert "Thank you for watching." in result.notes[0]
