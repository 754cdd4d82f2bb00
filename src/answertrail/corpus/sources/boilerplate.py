"""Leave out what speech recognition writes into silence: thanks and credits that nobody said.

Recognisers trained on subtitles fill pauses with the phrases subtitles end with. A cue goes only
when it is such a phrase and nothing else, never in captions made by a person.
"""

from __future__ import annotations

import re
from dataclasses import replace

from answertrail.corpus.sources.timed import Timed

_PHRASES = (
    # In the order of languages; each is reported for recordings in which it was not said.
    r"thank(?:s| you)(?: (?:so|very) much)? for (?:watching|viewing)(?: (?:this|the|my) video)?",
    r"please (?:like and )?subscribe to (?:my|our|the) channel",
    r"(?:subtitles|captions|transcription)(?: provided)? by (?:the amara org community|castingwords)",
    r"vielen dank fürs zuschauen|untertitel(?:ung)? der amara org community",
    r"untertitel(?:ung)? (?:im auftrag )?des zdf(?: für funk)?(?: 20\d\d)?",
    r"merci d avoir regardé(?: cette vidéo)?|sous titres réalisés (?:par|para) la communauté d amara org",
    r"gracias por ver(?: el video)?|subtítulos (?:realizados )?por la comunidad de amara org",
    r"legendas pela comunidade (?:de )?amara org|sottotitoli creati dalla comunità amara org",
    r"ondertiteld door de amara org gemeenschap|ondertitels ingediend door de amara org gemeenschap",
    r"спасибо за просмотр|субтитры (?:сделал|создавал|подогнал|делал) dimatorzok",
    r"редактор субтитров .{0,40}корректор .{0,20}",
    r"izlediğiniz için teşekkür(?:ler| ederim)",
    r"시청해 ?주셔서 감사합니다|mbc 뉴스 \S{1,10}입니다",
    r"ご視聴(?:いただき)?ありがとうございま(?:した|す)",
    r"(?:谢谢|感谢|謝謝|感謝)(?:大家)?(?:的)?(?:观看|收看|觀看)",
    r"请不吝点赞 ?订阅 ?转发 ?打赏支持明镜与点点栏目|字幕由 ?amara ?org ?社[区群]提供",
)
_PHRASE = re.compile(rf"(?:{'|'.join(_PHRASES)})", re.IGNORECASE)
_MARKS = re.compile(r"[\W_]+")
_SHORTEST, _LONGEST = 4, 160


def is_boilerplate(text: str) -> bool:
    """True when the whole text is a phrase known from silence, once or again and again."""
    if not _SHORTEST <= len(text) <= _LONGEST:
        return False
    sentences = [words for part in re.split(r"[.!?。！？]+(?=\s|$)", text) if (words := _MARKS.sub(" ", part).strip())]
    if sentences and all(_PHRASE.fullmatch(words) for words in sentences):
        return True
    return _PHRASE.fullmatch(_MARKS.sub(" ", text).strip()) is not None


def without_boilerplate(timed: Timed, *, by_a_person: bool) -> tuple[Timed, list[str]]:
    """Leave cues of boilerplate out and note it; captions by a person stay as they are.

    Rolling and word-timed captions stay too: there a cue is a row of running speech, cut anywhere.
    A source of nothing else stays, so that it is not lost for a list of phrases.
    """
    if by_a_person or timed.named or timed.by_word:
        return timed, []
    left = [cue for cue in timed.cues if is_boilerplate(cue.text)]
    if not left or len(left) == len(timed.cues):
        return timed, []
    shown = ", ".join(f"line {cue.line}: {cue.text[:40]}" for cue in left[:3]) + (", ..." if len(left) > 3 else "")
    kept = tuple(cue for cue in timed.cues if not is_boilerplate(cue.text))
    return replace(timed, cues=kept), [f"{len(left)} x what recognition writes into silence, left out ({shown})"]
