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
    "change changed shift shifted evolve evolved develop developed grow grew progress progressed move_on "
    "move_from go_between went_between differ_over alter altered vary varied revise revised reconsider "
    "reconsidered rose_and_fell"
)
_TELL = _any("trace describe summari[sz]e recount outline explain lay_out sketch")
_COURSE = _any("shift shifts changing changed changes course evolution different_(?:positions|views|opinions|stages)")
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
            rf"\b{_TELL}\b.*\b{_COURSE}\b",
            r"\bchanged? (?:his|her|its|their|your|our) minds?\b",
            r"\b(?:come|came) to (?:think|see|believe|regard|feel|view)\b",
            r"\b(?:through|across) the (?:years|months|seasons|decades?)\b",
            r"\bas time (?:went|goes) (?:by|on)\b",
            r"\bfrom (?:year to year|month to month|the (?:first|start|beginning).* on)\b",
            r"\b(?:at|in) each (?:point|phase|stage)\b",
            rf"\b{_TELL}\b.*\b(?:rose and fell|onwards?)\b",
            r"\bin what ways\b.*\bchanged?\b",
            r"\bhow (?:has|have|had)\b.*\b(?:moved|been (?:changing|altered|revised))\b",
            r"\bhow\b.*\bmoved? from (?:its|his|her|their) (?:start|beginning)\b",
            r"\b(?:rose and fell|reconsidered|onwards?\?)",
            rf"\b(?:always|ever)\b.*\bhow\b.*\b{_CHANGED}\b",
            rf"\bsince {_YEAR}\b",
        )
    ),
    re.IGNORECASE,
)
"""How something changed: answered period by period."""

CHANGE_WORDS = _listed(
    "account again alter altered always become becomes becoming been began came change changed changing come course",
    "describe develop developed development differ different differently each early end ended evolve evolved evolution",
    "explain far fall fell first former go grew grow growth has history late lay later latest last mid moment month",
    "move moved moving onward onwards originally out outline phase phases please point points position positions",
    "progress progressed really recount reconsider reconsidered revise revised rose season shift shifted shifts since",
    "spring stage stages start started status summarise summarize summer autumn winter time timeline trace trajectory",
    "vary varied various way ways went year",
    # of a view, its holder and the telling of it
    "assessment attitude attitudes belief beliefs believe believed conclusion conclusions convinced expectation",
    "expectations feel feeling feelings idea ideas judgement judgment mind opinion opinions picture regard said say",
    "see stance stances stand stood think thinking thinks thought thoughts trust verdict view views",
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
