"""The English turns of phrase that say what a question asks for.

A question in another language simply has none of them: it is then read as a plain "what".
"""

from __future__ import annotations

import re


def _any(options: str) -> str:
    """An alternation of the words of `options`; an underscore stands for a space."""
    return "(?:" + "|".join(options.split()).replace("_", " ") + ")"


def _listed(*lines: str) -> tuple[str, ...]:
    return tuple(word for line in lines for word in line.split())


_WHAT = "(?:what|which)"
_BE = "(?: is| was| are| were)?"
_PRICE = _any(
    "cost price fee pay paid charge raise fund invest spend spent worth salary revenue budget put_in bill grant "
    "donat bounty reward"
)
_SUM = _any("fee price cost sum amount salary budget")
_SIZE = _any("many much often far large big tall heavy")
_TOTAL = _any("total number size count maximum minimum version speed rate")
_AUXILIARY = _any("did was were is will does do has had would should can could")
_NOT_A_NOUN = _any(
    "is are was were do does did has had have can could would will should made makes got the a an happen\\w* kept sets?"
)
_CHANGED = _any(
    "change changed shift shifted evolve evolved develop developed grow grew progress progressed move_on move_from "
    "go_between went_between differ_over"
)
_YEAR = r"(?:19|20)\d\d"

SLOTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (slot, re.compile("|".join(patterns), re.IGNORECASE))
    for slot, patterns in (
        (
            "share",
            (
                rf"\b{_WHAT} (?:\w+ )?(?:percent\w*|share|fraction|proportion)\b",
                r"\bhow (?:large|big) a (?:share|part)\b",
            ),
        ),
        ("duration", (r"\bhow (?:long|fast|quickly|soon|old)\b", r"\bwhat(?: is)? the (?:longest|shortest)\b")),
        (
            "money",
            (
                rf"\bhow much\b(?=.*\b{_PRICE})",
                rf"\b{_WHAT} (?:\w+ ){{0,2}}{_SUM}\b(?! (?:problem|issue|model))",
                r"\bwhat (?:do|does|did|would) .*\b(?:charge|cost)\b",
            ),
        ),
        (
            "count",
            (
                rf"\bhow {_SIZE}\b",
                rf"\bwhat{_BE} the {_TOTAL}\b",
                rf"\b{_WHAT} (?:number|version|size|temperature)\b",
            ),
        ),
        ("when", (rf"\bwhen {_AUXILIARY}\b", rf"\b{_WHAT} (?:year|month|day|date|quarter)\b")),
        ("who", (r"\bwho(?:m|se)?\b",)),
        ("where", (r"\bwhere\b", rf"\bin {_WHAT} (?:city|country|place|town)\b")),
        ("why", (r"\bwhy\b", r"\bwhat (?:was the |is the )?reason\b")),
        ("which", (rf"\b{_WHAT} (?!{_NOT_A_NOUN}\b)[a-z]",)),
        ("how", (r"\bhow\b(?! (?:many|much|long|often|far|fast|large|big|old|soon|quickly))",)),
        ("yes_no", (r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should)\b",)),
    )
)
"""Names of slots (see `question.Slot`) with what in a question asks for each, most telling first."""

CHANGE = re.compile(
    "|".join(
        (
            # "How do I change the background?" asks for a way, not for a history.
            rf"\bhow\b(?! to\b| (?:do|can|could|should|would|might|may|must) (?:i|you|we|one)\b).*\b{_CHANGED}\b",
            r"\bover (?:time|the (?:years|months|course|decades?|life))\b",
            r"\bat different (?:times|moments|points|stages)\b",
            r"\b(?:history|timeline|evolution|trajectory) of\b",
            rf"\bfrom (?:early |mid-?|late |\w+ )?{_YEAR} (?:to|until|through)\b",
            rf"\bbetween\b.*\b{_YEAR} and\b.*\b{_YEAR}\b",
            r"\bhow far along\b",
            r"\bover (?:its|his|her|their) (?:first|last)\b",
            rf"\bsince {_YEAR}\b",
        )
    ),
    re.IGNORECASE,
)
"""How something changed: answered period by period."""

CHANGE_WORDS = _listed(
    "account change changed changing develop developed development differ different early end evolve evolved evolution",
    "far fall first go grew grow growth history last late mid moment month move moved point position progress",
    "progressed shift shifted spring stage start status summer autumn winter time timeline trajectory view went year",
)
"""Words of how-did-it-change questions that speak of the change and its dates, not of what changed."""

CLAUSE = re.compile(
    r"(?:,|;)?\s+(?:and|but)\s+"
    r"(?=(?:which|what|when|where|who|why|how|whether|did|does|do|is|was|were|of what)\b)|[;?]\s+",
    re.IGNORECASE,
)
"""Where one question ends and another begins."""

RELATIVE = re.compile(
    r"(?<=[a-z] )(?:who|whose|whom|when|where|which|that)\b(?= \w+)"
    + "".join(rf"(?<!and {p})" for p in ("who", "when", "where", "which"))
    + "".join(rf"(?<!{p} which)" for p in ("in", "at", "on", "to", "of", "for", "with", "by")),
    re.IGNORECASE,
)
"""A pronoun inside a clause ("somebody who took a loan"), which asks nothing."""

UNIT = re.compile(r"\b[Hh]ow (?:many ((?:[\w'-]+ ?){1,4})|much ([A-Z]{2,6})\b)")
"""The thing counted: what follows "how many", or a ticker after "how much"."""

MEASURED = re.compile(
    rf"\bwhat{_BE} the {_any('total overall average current full exact maximum minimum highest lowest')} (\w+)",
    re.IGNORECASE,
)
"""The quantity asked for: "what is the total supply"."""
