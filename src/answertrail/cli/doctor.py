"""`answertrail doctor`: is everything here that is needed, and what to do where it is not."""

from __future__ import annotations

import platform
import sys
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from answertrail.cli.common import json_option, out, print_json, run_async
from answertrail.cli.plain import one_line

if TYPE_CHECKING:
    from answertrail.settings import Settings

_MODEL_HELP = (
    "Also check this chat model. An OpenAI-compatible endpoint is asked two or three short questions to find out "
    "how it calls tools; of any other model nothing is asked."
)
_MARKS = {True: ("ok  ", "green"), False: ("BAD ", "bold red"), None: ("–   ", "dim")}


@click.command("doctor")
@click.option("--model", metavar="SPEC", help=_MODEL_HELP)
@json_option
def command(model: str | None, as_json: bool) -> int:
    """Check the installation: Python, store, embedders, keys, and a chat model if one is named."""
    checks = run_async(_checks(model))
    if as_json:
        print_json({"checks": checks})
    else:
        for check in checks:
            mark, style = _MARKS[check["ok"]]
            name, detail = one_line(check["name"]), one_line(check["detail"])
            out().print(Text.assemble((mark, style), (f"{name:<22} ", "bold"), detail), soft_wrap=True)
            if check.get("hint") and check["ok"] is not True:
                out().print(Text(f"     → {one_line(check['hint'])}", style="yellow"), soft_wrap=True)
    return 3 if any(check["ok"] is False for check in checks) else 0


async def _checks(model: str | None) -> list[dict[str, Any]]:
    from answertrail import __version__
    from answertrail.settings import Settings
    from answertrail.store.doctor import check_store

    found: list[dict[str, Any]] = [
        _check("answertrail", True, __version__),
        _check("python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.platform()}"),
    ]
    found += [
        _check(check.name, check.ok, check.detail, check.hint)
        for check in await check_store(Settings.from_environment())
    ]
    found += await _indexes(Settings.from_environment())
    found += _embedders()
    found += _keys()
    if model:
        found.append(await _model(model))
    return found


def _check(name: str, ok: bool | None, detail: str, hint: str | None = None) -> dict[str, Any]:
    check: dict[str, Any] = {"name": name, "ok": ok, "detail": detail}
    return check | {"hint": hint} if hint else check


async def _indexes(settings: Settings) -> list[dict[str, Any]]:
    """Say of each corpus that is not searched exactly whether its index is of what it holds now."""
    from answertrail.cli.corpus_index import index_facts
    from answertrail.errors import AnswerTrailError
    from answertrail.store import corpora, search_indexes
    from answertrail.store.connection import connect

    checks = []
    try:
        async with connect(settings) as db:
            for corpus in await corpora.list_all(db):
                engine = await search_indexes.engine_of(db, corpus)
                if engine == "exact":
                    continue
                facts = {fact["engine"]: fact for fact in await index_facts(db, corpus)}
                reason = facts[engine]["stale"] if engine in facts else "it is gone"
                detail = f"{engine}, {facts[engine]['vectors']} vectors" if engine in facts else engine
                hint = f"`answertrail corpus index {corpus.name} --engine {engine}` makes a new one"
                detail += f"; {reason}, so it is searched exactly" if reason else ""
                checks.append(_check(f"index of {corpus.name}", reason is None, detail, hint if reason else None))
    except AnswerTrailError:
        return []  # The checks of the store have said why.
    return checks


def _embedders() -> list[dict[str, Any]]:
    """One installed embedder is enough; the others are offered."""
    from answertrail.models.embedding.load import describe

    known = describe()
    some = any(embedder.installed for embedder in known)
    return [
        _check(
            f"embedder {embedder.name}",
            True if embedder.installed else (None if some else False),
            f"{embedder.alias or 'no alias'}, {embedder.languages}, {embedder.dims} dimensions, about "
            f"{embedder.texts_per_second} texts/s, {embedder.licence}"
            + ("" if embedder.installed else "; not installed"),
            None if embedder.installed else embedder.install,
        )
        for embedder in known
    ]


def _keys() -> list[dict[str, Any]]:
    import os

    names = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANSWERTRAIL_CHAT_BASE_URL", "ANSWERTRAIL_EMBED_BASE_URL")
    return [
        _check(name, True, "set") if os.environ.get(name) else _check(name, None, "not set (optional)")
        for name in names
    ]


async def _model(spec: str) -> dict[str, Any]:
    """Ask an endpoint how it calls tools; a hosted provider only has to be loadable."""
    from answertrail.errors import AnswerTrailError
    from answertrail.models.chat.endpoint import CompatibleEndpoint
    from answertrail.models.chat.load import load_chat_model

    if spec == "reader":
        return _check("model reader", True, "built in, free, offline")
    try:
        model = load_chat_model(spec)
        if not isinstance(model, CompatibleEndpoint):
            price = "price known" if model.price_known else "price not known"
            return _check(f"model {spec}", True, f"native tools, {price}; nothing was sent")
        result = await model.protocol()
    except AnswerTrailError as error:
        return _check(f"model {spec}", False, str(error), error.hint)
    return _check(f"model {spec}", True, f"protocol {result.protocol}: {result.detail}")
