"""Complaints about captions and their times elsewhere, each as what happens here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answertrail.corpus.discovery import discover
from answertrail.corpus.source_chunks import chunks_of
from answertrail.corpus.sources import Failure, Read, read
from answertrail.errors import InputError
from tests.corpus.test_json3 import automatic
from tests.corpus.test_sources_rolling import rolling

ROWS = [["so", "today", "we"], ["look", "at", "search"], ["no"], ["no"], ["no", "no"], ["that", "is", "all"]]


def results(folder: Path, **files: str | bytes) -> list[Read | Failure]:
    """What a folder with these files gives; `_` in a name stands for a point."""
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = discover([folder])
    return [*found.failed, *(result for group in found.groups for result in read(group))]


def words(result: Read | Failure) -> list[str]:
    assert isinstance(result, Read), result
    return [word for chunk in chunks_of(result.document) for word in chunk.text.split()]


def reason(result: Read | Failure) -> str:
    assert isinstance(result, Failure), result
    return result.reason


def srt(*cues: tuple[str, str, str]) -> str:
    return "\n".join(f"{n}\n{a} --> {b}\n{text}\n" for n, (a, b, text) in enumerate(cues, 1))


def test_complaint_01_rolling_captions_are_said_once(tmp_path: Path) -> None:
    """yt-dlp: automatic captions repeat each line two or three times. The json3 track has every word once."""
    (vtt,) = results(tmp_path, a_vtt=rolling(ROWS, tagged=True))
    (tmp_path / "a.vtt").unlink()
    (json3,) = results(tmp_path, b_json3=automatic(ROWS))
    (tmp_path / "b.json3").unlink()
    (converted,) = results(tmp_path, c_srt=rolling(ROWS, tagged=False).replace(".", ",").split("\n\n", 1)[1])
    assert words(vtt) == words(json3) == words(converted) == [word for row in ROWS for word in row]


def test_complaint_02_a_finishing_cue_of_10_ms_adds_nothing(tmp_path: Path) -> None:
    """monorepo: a cue by words, one of 10 ms, then the row again on top of the next."""
    text = (
        "WEBVTT\n\n00:00.000 --> 00:01.990\n \nhello<00:00.500><c> there</c>\n\n"
        "00:01.990 --> 00:02.000\nhello there\n \n\n"
        "00:02.000 --> 00:04.000\nhello there\nhow<00:03.000><c> are</c><00:03.500><c> you</c>\n"
    )
    (found,) = results(tmp_path, a_vtt=text)
    assert words(found) == ["hello", "there", "how", "are", "you"]
    assert isinstance(found, Read)
    assert [segment.start_s for segment in found.document.segments or ()] == [0.0, 2.0]


def test_complaint_03_any_webvtt_is_read_and_no_start_is_below_zero(tmp_path: Path) -> None:
    """yt-fts: only lines with `align:start position:0%`, one text line each, and 3 s taken off every start."""
    text = "WEBVTT\n\n00:00.500 --> 00:02.000 line:90%\nfirst row\nsecond row\n\n-00:01.000 --> 00:03.000\nearly\n"
    (found,) = results(tmp_path, a_vtt=text)
    assert isinstance(found, Read)
    assert [(s.start_s, s.text) for s in found.document.segments or ()] == [
        (0.0, "early"),
        (0.5, "first row second row"),
    ]


def test_complaint_04_a_live_chat_is_no_captions(tmp_path: Path) -> None:
    """yt-dlp: `ID.live_chat.json` picked up as subtitles."""
    chat = '{"replayChatItemAction": {"actions": []}}\n'
    (tmp_path / "id.live_chat.json").write_text(chat)
    (tmp_path / "id.live_chat.jsonl").write_text(chat)
    with pytest.raises(InputError, match="nothing to read"):
        discover([tmp_path])
    (renamed,) = results(tmp_path, id_json3=chat)
    assert reason(renamed) == "a live chat, not captions"


def test_complaint_10_speech_about_code_keeps_its_signs(tmp_path: Path) -> None:
    """youtube-transcript-api: `if x < 3 and y > 4 then stop` became `if x  4 then stop`."""
    said = ["if x < 3 and y > 4 then stop", "loss < 0.1 or acc > 0.9", "a vector<int> &amp;lt; b", "x &lt;i&gt; y"]
    (found,) = results(
        tmp_path, a_vtt="WEBVTT\n\n" + "".join(f"00:0{n}.000 --> 00:09.000\n{t}\n\n" for n, t in enumerate(said))
    )
    assert " ".join(words(found)) == f"{said[0]} {said[1]} a vector<int> &lt; b x <i> y"


@pytest.mark.parametrize("text", ["YouTube", "Home\nShorts\nSubscriptions\nSign in"])
def test_complaint_20_page_chrome_is_no_transcript(tmp_path: Path, text: str) -> None:
    """open-webui: the word "YouTube" was indexed instead of the transcript, and answered from."""
    (chrome,) = results(tmp_path, a_txt=text, a_info_json=json.dumps({"title": "A talk", "duration": 3600}))
    assert "not the words of this recording" in reason(chrome)


def test_complaint_20_a_page_saved_as_captions_is_refused_and_few_words_are_noted(tmp_path: Path) -> None:
    page, thin = results(
        tmp_path,
        page_vtt="<!DOCTYPE html><html><head><title>YouTube</title></head></html>",
        thin_vtt="WEBVTT\n\n00:01.000 --> 00:02.000\nYouTube\n\n59:00.000 --> 59:01.000\nSign in\n",
    )
    assert "a web page" in reason(page)
    assert isinstance(thin, Read)
    assert thin.notes == ("3 words in 59 minutes: few for speech; is this the whole transcript?",)


def test_complaint_22_what_breaks_strict_readers_is_read(tmp_path: Path) -> None:
    """webvtt-py, pycaption, ttconv: byte-order marks, arrows in notes, numeric entities, and more in one file."""
    text = (
        "\ufeffWEBVTT\r\n\r\nNOTE a --> b\r\n\r\nSTYLE\r\n::cue(v > i) { color: red }\r\n\r\n"
        "00:01,000 --> 00:05.000\r\n&#169; and &copy;\r\n\r\n00:02.000 --> 00:03.000\r\nover\r\n\r\n"
        "00:06.000 --> 00:06.000\r\nWEBVTT is a format\r\n"
    )
    (found,) = results(tmp_path, a_vtt=text)
    assert " ".join(words(found)) == "© and © over WEBVTT is a format"


def test_complaint_22_webvtt_somewhere_in_a_text_is_no_caption_file(tmp_path: Path) -> None:
    (prose,) = results(tmp_path, a_txt="About WEBVTT\n\nIt has --> between its times.\n")
    assert isinstance(prose, Read)
    assert prose.document.segments is None


def test_complaint_23_no_start_lies_past_the_end(tmp_path: Path) -> None:
    """Lamb: a link to `t=270s` in a video of 201 s. At answer time `in_bounds` checks again (tests/agent)."""
    info = json.dumps({"duration": 201})
    late = srt(("00:00:01,000", "00:00:02,000", "a"), ("00:04:30,000", "00:04:31,000", "b"))
    (found,) = results(tmp_path, a_srt=late, a_info_json=info)
    assert reason(found) == "starts at 04:30, after the end of the recording (03:21)"
    (found,) = results(tmp_path, a_srt=srt(("00:03:20,000", "00:05:00,000", "b")), a_info_json=info)
    assert isinstance(found, Read)
    (chunk,) = chunks_of(found.document)
    assert chunk.start_s is not None
    assert chunk.end_s is not None
    assert found.document.duration_s is not None
    assert 0 <= chunk.start_s < chunk.end_s <= found.document.duration_s


@pytest.mark.parametrize("moving", [0, 3])
def test_complaint_24_starts_that_do_not_rise_fail(tmp_path: Path, moving: int) -> None:
    """dark-factory-experiment: all 240 chunks began at 0.0, so every link went to 0:00."""
    cues = [("00:00:00,000", "00:00:05,000", f"w{n}") for n in range(240 - moving)]
    cues += [(f"00:00:0{n},000", "00:00:09,000", f"v{n}") for n in range(1, moving + 1)]
    (found,) = results(tmp_path, a_srt=srt(*cues))
    assert "segments start at 00:00: the times are not usable" in reason(found)


def test_complaint_26_thanks_that_silence_wrote_are_left_out(tmp_path: Path) -> None:
    """mulmoclaude: recognition writes "thank you for watching" into silence; said in a sentence, it stays."""
    text = srt(
        ("00:00:01,000", "00:00:05,000", "I said thank you for watching the demo"),
        ("00:01:00,000", "00:01:30,000", "Thank you for watching."),
        ("00:01:30,000", "00:01:40,000", "Back to the topic"),
    )
    (found,) = results(tmp_path, a_srt=text)
    assert " ".join(words(found)) == "I said thank you for watching the demo Back to the topic"
    assert isinstance(found, Read)
    assert "left out (line 6: Thank you for watching.)" in found.notes[0]
