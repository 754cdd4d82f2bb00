"""Each oddity of caption files, with the exact words and times expected."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from answertrail.corpus.sources.captions import read_captions
from answertrail.corpus.sources.outcome import SourceFault
from tests.corpus.conftest import Files, Folder

Make = Callable[[Files], Folder]
Words = list[tuple[float, float | None, str]]


def cues(text: str, suffix: str = ".vtt") -> Words:
    return [(c.start, c.end, c.text) for c in read_captions(text, suffix=suffix).cues]


def notes(text: str, suffix: str = ".vtt") -> str:
    return " | ".join(read_captions(text, suffix=suffix).notes)


def vtt(*lines: str) -> str:
    return "WEBVTT\n\n00:01.000 --> 00:02.000\n" + "\n".join(lines) + "\n"


def clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def test_hours_no_hours_and_unpadded_times() -> None:
    text = (
        "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\na\n\n00:03.5 --> 0:4.25\nb\n\n"
        "1:00:00.001 --> 1:00:01.000 align:start position:0%\nc\n"
    )
    assert cues(text) == [(1.0, 2.5, "a"), (3.5, 4.25, "b"), (3600.001, 3601.0, "c")]


def test_comma_decimals_and_colon_milliseconds() -> None:
    text = "1\n00:00:01,250 --> 00:00:02:750\na\n"
    assert cues(text, ".srt") == [(1.25, 2.75, "a")]


def test_header_notes_styles_and_regions_are_no_speech() -> None:
    text = (
        "WEBVTT - A title\nKind: captions\nLanguage: en-US\n\n"
        "STYLE\n::cue {\n  color: red;\n\n}\n\n"
        "REGION\nid:fred\n\n"
        "NOTE an arrow in a note\n00:00:09.000 --> 00:00:10.000\nnot said\n\n"
        "intro\n00:00:01.000 --> 00:00:02.000\nsaid\n\n"
        "NOTE\nmore that was not said\n\n"
        "00:00:03.000 --> 00:00:04.000\nsaid too\n"
    )
    assert cues(text) == [(1.0, 2.0, "said"), (3.0, 4.0, "said too")]
    assert read_captions(text, suffix=".vtt").language == "en-US"


def test_a_header_without_an_empty_line_after_it() -> None:
    assert cues("WEBVTT\n00:01.000 --> 00:02.000\na\n") == [(1.0, 2.0, "a")]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("if x < 3 and y > 4 then stop", "if x < 3 and y > 4 then stop"),
        ("loss < 0.1 or acc > 0.9", "loss < 0.1 or acc > 0.9"),
        ("a vector<int> and <T> and <div>", "a vector<int> and <T> and <div>"),
        ("<b and c> stays", "<b and c> stays"),
        ("<c.yellow>bold</c> <i>move</i>", "bold move"),
        ("<00:00:01.500><c> one</c><00:00:01.700><c> two</c>", "one two"),
        ('<font color="#ff0000" size=9>red</font>', "red"),
        (r"{\an8}top", "top"),
        ("<lang en>hi</lang> <ruby>k<rt>a</rt></ruby>", "hi ka"),
        ("R&amp;D &lt;i&gt; &#169; &#xA9; &quot;q&quot;", 'R&D <i> © © "q"'),
        ("&amp;lt; once", "&lt; once"),
        ("AT&T and fish&chips &unknown; &lt", "AT&T and fish&chips &unknown; &lt"),
        ("[Music] ♪ la ♪", "[Music] ♪ la ♪"),
        ("a --> b means implies", "a --> b means implies"),
    ],
)
def test_markup_goes_and_speech_stays(raw: str, said: str) -> None:
    assert [text for *_, text in cues(vtt(raw))] == [said]


def test_voices_name_speakers_and_split_a_cue() -> None:
    found = read_captions(vtt("<v.loud Ann Lee>Hello there", "<v Bob>Hi &amp; bye"), suffix=".vtt").cues
    assert [(c.speaker, c.text) for c in found] == [("Ann Lee", "Hello there"), ("Bob", "Hi & bye")]


def test_missing_indexes_ids_and_empty_lines_between_cues() -> None:
    text = (
        "00:00:01,000 --> 00:00:02,000\na\n"
        "2\n00:00:03,000 --> 00:00:04,000\nb 2\n42\n"
        "3\n00:00:05,000 --> 00:00:06,000\nc\n"
    )
    assert cues(text, ".srt") == [(1.0, 2.0, "a"), (3.0, 4.0, "b 2 42"), (5.0, 6.0, "c")]


def test_an_empty_line_inside_a_cue_keeps_its_words() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\na\n\nb\n\n2\n00:00:03,000 --> 00:00:04,000\nc\n"
    assert cues(text, ".srt") == [(1.0, 2.0, "a b"), (3.0, 4.0, "c")]
    assert "line 5" in notes(text, ".srt")


def test_unreadable_times_keep_the_words_with_the_cue_above() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:9x,000 --> 00:00:04,000\nb\n"
    assert cues(text, ".srt") == [(1.0, 2.0, "a b")]
    assert "times that cannot be read" in notes(text, ".srt")
    assert "line 6" in notes(text, ".srt")


def test_an_unreadable_or_early_end_is_unknown() -> None:
    text = "WEBVTT\n\n00:05.000 --> xx\na\n\n00:06.000 --> 00:05.000\nb\n\n00:07.000 --> 00:07.000\nc\n"
    assert cues(text) == [(5.0, None, "a"), (6.0, None, "b"), (7.0, None, "c")]
    assert "2 x cue ends" in notes(text)


def test_out_of_order_cues_are_sorted_stably_and_said() -> None:
    text = "WEBVTT\n\n" + "".join(
        f"00:{s:02d}.000 --> 00:{s + 1:02d}.000\n{w}\n\n" for s, w in [(1, "a"), (9, "d"), (5, "b"), (5, "c")]
    )
    assert [w for *_, w in cues(text)] == ["a", "b", "c", "d"]
    assert "sorted" in notes(text)


def test_two_recordings_in_one_file_fail_with_the_line() -> None:
    one = "".join(f"00:{m:02d}:00,000 --> 00:{m:02d}:58,000\nword {m}\n\n" for m in range(10))
    with pytest.raises(SourceFault, match="start again") as caught:
        read_captions(one + one, suffix=".srt")
    assert caught.value.line == 31


def test_overlapping_cues_stay() -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:09.000\na\n\n00:02.000 --> 00:03.000\nb\n"
    assert cues(text) == [(1.0, 9.0, "a"), (2.0, 3.0, "b")]
    assert notes(text) == ""


def test_all_cues_at_zero_fail() -> None:
    text = "WEBVTT\n\n" + "00:00.000 --> 00:01.000\na\n\n" * 5
    with pytest.raises(SourceFault, match="all 5 segments start at 00:00"):
        read_captions(text, suffix=".vtt")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("WEBVTT\n", "no captions"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\n\n", "no captions"),
        ("<html><body>Not found</body></html>", "a web page"),
        ("1\n", "no cue with a time"),
        ("0:zz --> 1\na\n" * 5, "no cue with a time"),
        ("1\n00:00:99,000 --> 00:01:00,000\na\n", "times cannot be read"),
    ],
)
def test_no_captions_is_a_fault_that_says_so(text: str, reason: str) -> None:
    with pytest.raises(SourceFault, match=reason):
        read_captions(text, suffix=".vtt" if text.startswith("WEBVTT") else ".srt")


def test_more_lines_than_any_captions_have_are_refused() -> None:
    with pytest.raises(SourceFault, match="more than 5,000,000 lines"):
        read_captions(vtt("a") + "\n" * 5_000_001, suffix=".vtt")


def test_sbv() -> None:
    text = "0:00:00.378,0:00:11.378\none\ntwo[br]three\n\n0:00:11.378,0:00:12.305\nfour\n"
    assert cues(text, ".sbv") == [(0.378, 11.378, "one two three"), (11.378, 12.305, "four")]


def test_a_byte_order_mark_in_the_middle_is_dropped() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\na\n\n\ufeff2\n00:00:03,000 --> 00:00:04,000\nb\n"
    assert cues(text, ".srt") == [(1.0, 2.0, "a"), (3.0, 4.0, "b")]


@pytest.mark.parametrize(
    ("rows", "turns"),
    [
        ([">> Hello.", "there"], [(None, "Hello. there")]),
        ([">> ANN LEE: Hello.", ">> No."], [("ANN LEE", "Hello."), (None, "No.")]),
        ([">>> Good evening."], [(None, "Good evening.")]),
        ([">> Listen: this is speech."], [(None, "Listen: this is speech.")]),
        ([">> 김철수: 안녕하세요"], [(None, "김철수: 안녕하세요")]),
        (["- Yes.", "- No."], [(None, "Yes."), (None, "No.")]),
        (["-Yes.", "–No."], [(None, "Yes."), (None, "No.")]),
        (["- No.", "- No."], [(None, "No."), (None, "No.")]),
        (["so it goes", "- or does it"], [(None, "so it goes - or does it")]),
        (["from 3", "- 5 degrees", "- 7 at night"], [(None, "from 3 - 5 degrees - 7 at night")]),
        (["x >> 3 shifts"], [(None, "x >> 3 shifts")]),
        (["&gt;&gt; Hello."], [(None, "Hello.")]),
        (["<v Ann>Hello", "- there"], [("Ann", "Hello - there")]),
    ],
)
def test_marks_of_who_speaks_are_no_words(rows: list[str], turns: list[tuple[str | None, str]]) -> None:
    found = read_captions(vtt(*rows), suffix=".vtt").cues
    assert [(c.speaker, c.text) for c in found] == turns


def test_direction_marks_and_spaces_of_no_width_around_words_are_left_out() -> None:
    text = vtt("\u200fשלום\u200f, \u202bעולם\u202c", "&rlm;كيف&lrm; \u200b حالك", "می\u200cخواهم")
    assert [words for *_, words in cues(text)] == ["שלום\u200f, עולם كيف حالك می\u200cخواهم"]


def test_a_cue_with_many_turns_is_not_taken_for_times_that_stand_still() -> None:
    found = read_captions(vtt(*[f"- word {n}" for n in "abcdefghij"]), suffix=".vtt")
    assert len(found.cues) == 10


def test_times_that_mostly_stand_still_fail() -> None:
    text = "WEBVTT\n\n" + "".join(f"00:{max(0, s):02d}.000 --> 00:59.000\nw{s}\n\n" for s in range(-8, 4))
    with pytest.raises(SourceFault, match="9 of 12 segments start at 00:00"):
        read_captions(text, suffix=".vtt")


@pytest.mark.parametrize(
    "page",
    [
        "<!DOCTYPE html>\n<html><title>YouTube</title>00:01.000 --> 00:02.000\nx</html>",
        "\n  <html lang=en>",
        '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">',
        "<!-- saved --><head>",
    ],
)
@pytest.mark.parametrize("suffix", [".vtt", ".srt", ".json3"])
def test_a_web_page_is_no_caption_file(page: str, suffix: str) -> None:
    with pytest.raises(SourceFault, match="a web page"):
        read_captions(page, suffix=suffix)


@pytest.mark.parametrize(
    ("encoding", "line"),
    [
        ("cp1252", "C'est déjà l'été à la façade, où là-bas on parle français"),
        ("cp1252", "Schöne Grüße, wir können über Größe und Maße reden"),
        ("cp1252", "Não há informação, então a questão é só a solução"),
        ("cp1252", "Vi kører på vejen, så må vi gøre det rigtigt, også på øen"),
        ("cp1250", "Dzień dobry, dziś będziemy mówić o wyszukiwarkach, że są świetne"),
        ("cp1250", "Jó napot, ma a keresőkről fogunk beszélni, őszintén szólva fűt"),
        ("cp1254", "bugün hava çok güzel değil mi şimdi ışık öğretmen için"),
        ("cp1257", "Labas rytas, šiandien kalbėsime apie paieškos sistemas, žmonės"),
        ("cp1251", "Всем привет сегодня мы поговорим о поисковых системах"),
        ("koi8-r", "Всем привет сегодня мы поговорим о поисковых системах"),
        ("cp1253", "Καλημέρα σε όλους σήμερα θα μιλήσουμε για τις μηχανές αναζήτησης"),
        ("cp1255", "שלום לכולם היום נדבר על מנועי חיפוש ועל העתיד"),
        ("cp1256", "مرحبا بالجميع اليوم سنتحدث عن محركات البحث والمستقبل"),
        ("euc_kr", "안녕하세요 여러분 오늘은 검색 엔진에 대해 이야기하겠습니다"),
        ("shift_jis", "皆さんこんにちは、今日は検索エンジンについてお話しします"),
        ("gb18030", "大家好，今天我们来谈谈搜索引擎的历史和未来"),
        ("big5", "大家好今天我們來談談搜尋引擎的歷史"),
    ],
)
def test_legacy_encodings(make: Make, encoding: str, line: str) -> None:
    text = "".join(f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{line}\n\n" for n in range(1, 9))
    result = make({"a.srt": text.encode(encoding)}).one()
    assert result.document.words() == " ".join([line] * 8)
    assert "guess" in result.notes[0]


HOUR = 3600


@pytest.mark.parametrize(
    ("words", "seconds", "note"),
    [
        (10, HOUR, "10 words in 60 minutes"),
        (8 * 60, HOUR, "480 words in 60 minutes"),
        (50 * 60, HOUR, None),  # a slow meeting
        (10, 60, None),
    ],
)
def test_few_words_for_the_length_are_noted(make: Make, words: int, seconds: int, note: str | None) -> None:
    step = (seconds - 10) / words
    text = "WEBVTT\n\n" + "".join(f"{clock(i * step)}.000 --> {clock(i * step)}.900\nw{i}\n\n" for i in range(words))
    found = make({"a.vtt": text, "a.info.json": json.dumps({"duration": seconds})}).one().notes
    assert [n.split(":")[0] for n in found] == ([] if note is None else [note])


def test_sound_marks_are_no_words_of_an_hour(make: Make) -> None:
    text = "WEBVTT\n\n" + "".join(
        f"{clock(9 * i)}.000 --> {clock(9 * i + 8)}.000\n[upbeat music] ♪\n\n" for i in range(390)
    )
    assert make({"a.vtt": text}).one().notes == (
        "0 words in 58 minutes: few for speech; is this the whole transcript?",
    )


def test_untimed_text_of_almost_no_words_for_an_hour_is_refused(make: Make) -> None:
    info = json.dumps({"duration": HOUR, "title": "A talk"})
    failure = make({"a.txt": "YouTube\nHome\nSign in\n", "a.info.json": info}).failure()
    assert failure.reason == "4 words in 60 minutes: not the words of this recording"


def test_a_short_note_on_a_long_recording_is_only_noted(make: Make) -> None:
    info = json.dumps({"duration": HOUR, "title": "A talk"})
    found = make({"a.md": "# A talk\n\nTo be seen again.\n", "a.info.json": info}).one()
    assert found.notes[0].startswith("7 words in 60 minutes")


def test_a_web_page_saved_as_text_is_refused(make: Make) -> None:
    failure = make({"a.txt": "<!doctype html><html><body>Before you continue to YouTube</body></html>"}).failure()
    assert failure.reason.startswith("a web page, not a transcript")


SAID = "WEBVTT\n\n00:01.000 --> 00:03.000\n{}\n\n00:10.000 --> 00:12.000\n{}\n"


@pytest.mark.parametrize(
    "phrase",
    [
        "Thank you for watching.",
        "Thanks for watching!",
        "thank you so much for watching. Thank you for watching!",
        "Subtitles by the Amara.org community",
        "Untertitel im Auftrag des ZDF für funk, 2017",
        "Sous-titres réalisés para la communauté d'Amara.org",
        "시청해주셔서 감사합니다.",
        "MBC 뉴스 김철수입니다.",
        "ご視聴ありがとうございました",
        "请不吝点赞 订阅 转发 打赏支持明镜与点点栏目",
        "Субтитры сделал DimaTorzok",
    ],
)
def test_phrases_of_silence_are_left_out_and_said(make: Make, phrase: str) -> None:
    found = make({"a.vtt": SAID.format("hello there", phrase)}).one()
    assert found.document.words() == "hello there"
    assert "1 x what recognition writes into silence" in found.notes[0]
    assert "line 6" in found.notes[0]


@pytest.mark.parametrize(
    "speech",
    [
        "Thank you for watching my dog.",
        "I said thank you for watching the demo",
        "Thank you.",
        "Subtitles by hand take hours.",
        "Thanks for listening.",
    ],
)
def test_speech_that_holds_such_a_phrase_stays(make: Make, speech: str) -> None:
    assert make({"a.vtt": SAID.format("hello there", speech)}).one().document.words() == f"hello there {speech}"


def test_captions_by_a_person_and_files_of_nothing_else_keep_the_phrase(make: Make) -> None:
    thanks = "Thank you for watching."
    by_hand: dict[str, dict[str, list[str]]] = {"subtitles": {"en": []}}
    folder = make({"a.en.vtt": SAID.format("hello", thanks), "a.info.json": json.dumps(by_hand)})
    assert folder.one().document.words() == f"hello {thanks}"
    folder.write({"a.en.vtt": SAID.format(thanks, thanks), "a.info.json": "{}"})
    assert folder.one().document.words() == f"{thanks} {thanks}"
