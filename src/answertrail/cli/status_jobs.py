"""What `answertrail status` says of the work queue: the jobs of a corpus, also before a worker has made it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from answertrail.cli.plain import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from answertrail.store.connection import Database

_NO_DOCUMENTS = {"embedded": 0, "chunked": 0, "failed": 0, "skipped": 0}


async def job_facts(db: Database, name: str) -> dict[str, Any]:
    """Return `{"jobs": {"waiting", "running", "failed"}}` of a corpus; {} where there never was a queue."""
    from answertrail.store import jobs

    found = await jobs.of_corpus(db, name)
    return {} if found is None else {"jobs": found.as_json()}


async def queued_facts(db: Database, name: str) -> dict[str, Any] | None:
    """Return what `status` says of a corpus that is in the queue and nowhere else; None when it is not there either.

    It has the contract's keys with nothing in them, the snapshot of an empty corpus, and no embedder.
    """
    from answertrail.store.snapshot_hash import snapshot_of

    of_queue = await job_facts(db, name)
    if not any(of_queue.get("jobs", {}).values()):
        return None
    nothing = {"documents": _NO_DOCUMENTS, "chunks": 0, "failures": [], "snapshot": snapshot_of(())}
    return {**nothing, "corpus": name, "embedder": None, **of_queue}


def print_queued(console: Console, facts: dict[str, Any]) -> None:
    """Print `queued_facts`."""
    name = (f"corpus {one_line(facts['corpus'])}", "bold")
    console.print(Text.assemble(name, "   not made yet"), soft_wrap=True)
    print_jobs(console, facts)


def print_jobs(console: Console, facts: dict[str, Any]) -> None:
    """Print how many jobs are in each state; nothing where there is none."""
    counts = {state: count for state, count in facts.get("jobs", {}).items() if count}
    if not counts:
        return
    line = ", ".join(f"{count} {state}" for state, count in counts.items())
    if set(counts) == {"waiting"}:
        line += "; `answertrail worker` takes them"
    if "failed" in counts:
        line += "; the output of the worker says why"
    style = "yellow" if "failed" in counts else "cyan"
    console.print(Text.assemble(("  jobs in the queue ", style), line), soft_wrap=True)
