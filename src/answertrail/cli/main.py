"""`answertrail`: the group of commands. Commands are imported when called, so help is fast."""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Mapping
from typing import Any

import click

from answertrail import __version__

COMMANDS: Mapping[str, str] = {
    "demo": "Ingest the sample channel and answer three questions.",
    "ingest": "Read files or folders into a corpus.",
    "worker": "Take ingests from the queue, beside others.",
    "status": "Show what a corpus holds and what failed.",
    "search": "Search a corpus.",
    "ask": "Ask a corpus and get an answer with checked citations.",
    "runs": "List, show, export and verify stored runs.",
    "corpus": "Show, list and delete corpora and what they hold.",
    "eval": "Score, compare and report: retrieval, answers, agents.",
    "doctor": "Check the installation and say what to do.",
}


class LazyGroup(click.Group):
    """A group whose commands live in `answertrail.cli.NAME`, attribute `command`."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names in the order a new user needs them."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"answertrail.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; Ctrl-C while it is imported ends like any other, without click's empty line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="answertrail")
def cli() -> None:
    """Ask a bounded corpus; get an answer whose every citation was checked.

    Start with `answertrail demo`. Then `answertrail ingest FOLDER` and `answertrail ask "..."`.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with the contract's code: 0, 1, 2 or 3."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    sys.exit(run(words))


def run(words: list[str]) -> int:
    """Run the command line and return its exit code; never a traceback for an expected failure."""
    from answertrail.cli.common import report
    from answertrail.errors import AnswerTrailError

    as_json = "--json" in words
    try:
        _refuse_undecodable(words)
        outcome: Any = cli.main(words, prog_name="answertrail", standalone_mode=False)
    except click.Abort as stop:
        return report_stop(stop, as_json=as_json)
    except click.ClickException as error:
        return report_usage(error, as_json=as_json)
    except AnswerTrailError as error:
        report(error, as_json=as_json)
        return error.exit_code
    except OSError as error:
        return report_system(error, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - whatever happens, --json gives one document
        return report_bug(error, as_json=as_json)
    return outcome if isinstance(outcome, int) else 0


def _refuse_undecodable(words: list[str]) -> None:
    """A word that is not UTF-8 could be neither searched for nor stored."""
    from answertrail.errors import InputError

    for place, word in enumerate(words, 1):
        try:
            word.encode("utf-8")
        except UnicodeEncodeError:
            raise InputError("not valid UTF-8", where=f"argument {place}") from None


def report_system(error: OSError, *, as_json: bool) -> int:
    """Say what the system refused: 2 where another name or folder helps, 1 otherwise (a full disk)."""
    import contextlib

    from answertrail.cli.common import report
    from answertrail.errors import AnswerTrailError, InputError

    wrong = (PermissionError, FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError)
    usage = isinstance(error, wrong)
    kind = InputError if usage else AnswerTrailError
    where = str(error.filename) if error.filename else None
    with contextlib.suppress(OSError):  # It may be stdout itself that cannot be written.
        report(kind(error.strerror or str(error), where=where), as_json=as_json)
    return 2 if usage else 1


def report_bug(error: Exception, *, as_json: bool) -> int:
    """Say that the program is wrong, with the traceback on stderr for whoever mends it."""
    import traceback

    from answertrail.cli.common import err, print_json
    from answertrail.cli.plain import plain

    message = f"{type(error).__name__}: {error}"
    if as_json:
        hint = "this is a fault of the program; report it with what stderr says"
        print_json({"error": {"kind": "bug", "message": message, "hint": hint}})
    err().print(plain("".join(traceback.format_exception(error))), end="", soft_wrap=True)
    err().print("this is a fault of the program; please report it with the lines above", soft_wrap=True)
    return 1


def report_stop(stop: click.Abort, *, as_json: bool) -> int:
    """Say in one line that Ctrl-C ended the command."""
    from answertrail.cli.common import StoppedError, err, print_json

    message = f"stopped; {stop.detail}" if isinstance(stop, StoppedError) else "stopped"
    if as_json:
        print_json({"error": {"kind": "stopped", "message": message}})
    err().print(message, soft_wrap=True)
    return 130


def report_usage(error: click.ClickException, *, as_json: bool) -> int:
    """Print a usage error: click's words, and with `--json` the contract's error object too."""
    from answertrail.cli.common import err, print_json
    from answertrail.cli.plain import plain

    if as_json:
        message = error.format_message() or "no command given"
        print_json({"error": {"kind": "usage", "message": message}})
    # Click writes to a stream by itself; what it says may quote a word with escapes in it.
    said = io.StringIO()
    error.show(said)
    err().print(plain(said.getvalue()), end="", soft_wrap=True)
    return 2 if error.exit_code else 0
