"""Which caption track is taken."""

from __future__ import annotations

import pytest

from answertrail.corpus.origins.youtube.tracks import Track, choose, closeness, described, language_tag


def human(language: str, **more: object) -> Track:
    return Track(f".{language}", language, False, **more)


def auto(language: str, **more: object) -> Track:
    return Track(f"a.{language}", language, True, **more)


def chosen(tracks: list[Track], **options: object) -> str | None:
    choice = choose(tracks, **options)
    return None if choice is None else choice.track.id


@pytest.mark.parametrize(
    ("wanted", "offered", "near"),
    [
        ("en", "en", 0),
        ("EN", "en", 0),
        ("en_US", "en-US", 0),
        ("en-orig", "en", 0),
        ("en", "en-US", 1),
        ("en-US", "en", 1),
        ("en-US", "en-GB", 2),
        ("iw", "he", 0),
        ("zh-TW", "zh-Hant", 1),
        ("zh", "zh-Hans", 1),
        ("zh-Hans", "zh-Hant", None),
        ("zh-CN", "zh-TW", None),
        ("sr-Latn", "sr-Cyrl", None),
        ("pt-BR", "pt-PT", 2),
        ("en", "de", None),
        ("e", "en", None),
    ],
)
def test_how_near_two_languages_are(wanted, offered, near):
    assert closeness(wanted, offered) == near


def test_human_captions_go_before_automatic_ones_of_the_same_language():
    assert chosen([auto("en"), human("en")], wanted=["en"]) == ".en"
    assert chosen([auto("en"), human("en-GB")], wanted=["en"]) == ".en-GB"


def test_the_first_wanted_language_goes_before_human_captions_of_the_second():
    assert chosen([human("de"), auto("ko")], wanted=["ko", "de"]) == "a.ko"


def test_the_nearest_variant_is_taken():
    tracks = [human("en-GB"), human("en-US"), human("en")]
    assert [chosen(tracks, wanted=[w]) for w in ("en-US", "en", "en-AU")] == [".en-US", ".en", ".en"]


def test_without_a_wish_it_is_the_spoken_language():
    tracks = [human("en"), human("ko"), auto("ko")]
    assert chosen(tracks, spoken="ko-KR") == ".ko"
    assert chosen(tracks) == ".ko"  # the automatic track was made from the sound
    assert chosen([human("en"), auto("ko")]) == "a.ko"
    assert chosen([human("en")], spoken="ko") is None


def test_what_the_uploader_says_is_overruled_only_by_the_sound():
    assert chosen([human("fr"), auto("en")], spoken="ko") == "a.en"


def test_where_the_spoken_language_is_not_known_the_players_own_is_taken_and_it_is_said():
    tracks = [human("en"), human("ko")]
    assert chosen(tracks, default=1) == ".ko"
    assert "not known" in choose(tracks, default=1).note
    assert chosen(tracks, default=9) == ".en"
    assert choose([human("en"), human("en-GB")]).note is None


def test_a_translation_is_made_of_the_spoken_track_and_only_when_allowed():
    tracks = [human("fr", translatable=True), auto("en", translatable=True)]
    asked = {"wanted": ["ko", "de"], "translations": ["de", "ko"]}
    assert choose(tracks, **asked) is None
    choice = choose(tracks, translate=True, **asked)
    assert (choice.track.id, choice.translated_to, choice.captions) == ("a.en", "ko", "translated")
    assert choose([human("fr")], translate=True, **asked) is None
    assert choose(tracks, translate=True, wanted=["xx"], translations=["de"]) is None
    assert chosen([*tracks, auto("de")], translate=True, **asked) == "a.de"


def test_no_tracks_no_choice():
    assert choose([], wanted=["en"]) is None


def test_languages_are_named_with_what_made_them():
    assert described([human("en"), auto("en"), human("en")]) == "en, en (automatic)"


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("en", "en"),
        ("en-orig", "en"),
        ("zh_Hant", "zh-Hant"),
        ("fil", "fil"),
        ("zxx", None),
        ("", None),
        (None, None),
        ("english!", None),
        (" ko ", "ko"),
    ],
)
def test_what_is_a_language_code(text, tag):
    assert language_tag(text) == tag
