"""Does a question ask how something changed over time? A plain rule over its words.

It decides only what is asked of the model beside the answer, never what is true. It knows the
turns of phrase of ten languages; a model may say better by `over_time` of `mark_ready`.
"""

from __future__ import annotations

import re
import unicodedata

_YEAR = r"(?<!\d)(?:19|20)\d\d(?!\d)"
_PHRASES = (
    # English
    r"\bover (?:the )?(?:time|years|months|past|course)\b|\bthrough(?:out)? the (?:years|months)\b|\bover the last\b",
    r"\bat (?:different|various|several) (?:times|moments|points|stages)\b|\b(?:each|every) (?:phase|stage)\b",
    r"\b(?:year|month|season|episode) (?:to|by|after) (?:year|month|season|episode)\b|\blooking back\b|\bcourse of\b",
    r"\bevol(?:v|ution)|\bshift(?:ed|s|ing)? (?:in|from|over)\b|\breconsider|\bchanging (?:view|opinion|mind|position)",
    r"\bc[ao]me to (?:think|see|believe|regard|doubt|accept|like|trust|want)\b",
    r"\bhow\b(?! (?:many|much|long|often|far|old|big)\b).{0,120}"
    r"\b(?:chang|shift|develop|progress|grow|grew|drift|alter|var(?:y|ie)|reconsider)",
    r"\bhow\b(?! (?:many|much)\b).{0,120}"
    r"\b(?:moved? (?:from|away|on)|go(?:ne)? from|went from|turn(?:ed)? (?:from|into))\b",
    r"\b(?:view|opinion|position|stance|stand|attitude|mind|thinking|trust|verdict|judge?ment|plan|tone)s?\b.{0,120}"
    r"\b(?:mov(?:e|ed|ing)|alter|chang|var(?:y|ied|ies)|shift|differ(?:ed)? from|develop|gr[eo]w)",
    r"\bchanged? (?:his|her|its|their|my|our) (?:mind|view|position|stance|opinion|tune)",
    r"\bearlier\b.{0,60}\b(?:present|now|later)\b",
    r"\b(?:timeline|trajectory|chronolog|history of)|\bat first\b.{0,60}\blater\b|\bstill\b.{0,60}\bas before\b",
    r"\bdifferent (?:positions|views|opinions|stages|phases)\b|\balways\b.{0,60}\bif not\b",
    r"\bfrom (?:the )?(?:early|start|beginning)\b.{0,60}\b(?:late|latest|end|now|today)\b|\bbefore and after\b",
    rf"\b(?:from|between)\b.{{0,40}}{_YEAR}.{{0,20}}\b(?:to|and|until|till)\b.{{0,40}}{_YEAR}",
    # German, Dutch
    r"\bim lauf(?:e)?\b|\büber die (?:zeit|jahre|monate)\b|\bentwickel|\bgewandelt|\bverändert|\bgeändert",
    r"\bin de loop\b|\bontwikkel|\bveranderd",
    # French, Spanish, Portuguese, Italian
    r"\bau fil\b|\bévolu|\bchangé\b|\ba-t-il changé|\ba lo largo\b|\bcon el (?:paso del )?tiempo\b|\bha(?:n)? cambiado",
    r"\bao longo\b|\bmudou\b|\bmudaram\b|\bcambi(?:ó|aron)\b|\bnel (?:corso del )?tempo\b|\bè cambiat|\bsi è evolut",
    # Russian
    r"\bсо временем\b|\bс течением времени\b|\bизмени(?:л|в)|\bменял",
    # Chinese, Japanese, Korean, Arabic: no spaces or endings to lean on
    r"随着?时间|隨著?時間|演变|演變|变化|變化|改变了|改變了|時間とともに|どう変わ|変化|変遷|推移|移り変わ",
    r"시간이 지나|변화|변했|바뀌|바뀐|달라졌|흐름에 따라",
    r"مع مرور|بمرور الوقت|تغي[ّ]?ر|تطو[ّ]?ر",
    # Any language: a stretch between two years.
    rf"{_YEAR}\s*(?:-|–|—|to|until|till|and|bis|und|à|et|a|y|e|до|〜|~|至|到|から|부터)\s*{_YEAR}",
)
_OVER_TIME = re.compile("|".join(_PHRASES))
_SEVERAL = 3
"""So many years named make a question about several times."""


def asks_over_time(question: str) -> bool:
    """Whether the words ask for a development, or name a stretch of years or three years."""
    text = " ".join(unicodedata.normalize("NFKC", question).casefold().split())
    return bool(_OVER_TIME.search(text)) or len(set(re.findall(_YEAR, text))) >= _SEVERAL
