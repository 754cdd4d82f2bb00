"""The commands of README and docs are what they say: every `sh` block is run, in order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def commands(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [line for block in BLOCK.findall(text) for line in block.splitlines() if line and not line.startswith("#")]


@pytest.fixture(scope="module")
def environment(tmp_path_factory, store_server):
    """An empty home; the embedded server is shared by all commands of the module."""
    name = f"docs_{os.getpid()}"
    import psycopg

    with psycopg.connect(store_server.conninfo("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    bin_folder = Path(sys.executable).parent
    return {
        **{k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")},
        "ANSWERTRAIL_HOME": str(tmp_path_factory.mktemp("home")),
        "ANSWERTRAIL_DATABASE_URL": store_server.conninfo(name),
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "120",
    }


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A folder that looks like the checkout, in which pages may write `results/` without meeting older ones."""
    folder = tmp_path_factory.mktemp("checkout")
    for entry in ROOT.iterdir():
        if entry.name != "results":
            (folder / entry.name).symlink_to(entry)
    return folder


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_every_command_of_the_page_runs(page, environment, checkout):
    for command in commands(page):
        if command == "make test":
            continue  # It is what runs this test.
        if command.startswith(".venv/bin/") and not (ROOT / ".venv/bin").exists():
            command = command.removeprefix(".venv/bin/")  # Tests may run from another environment.
        done = subprocess.run(
            ["bash", "-c", command], cwd=checkout, env=environment, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, f"{page}: {command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


@pytest.mark.parametrize("page", [page for page in PAGES if "```python" in (ROOT / page).read_text(encoding="utf-8")])
def test_every_python_block_of_the_page_runs(page, environment, checkout):
    for block in PYTHON.findall((ROOT / page).read_text(encoding="utf-8")):
        command = [sys.executable, "-c", block]
        done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{page}\n{block}\n{done.stderr[-2000:]}"


def test_the_readme_names_the_main_job_and_the_tests_in_one_line_each():
    assert commands("README.md")[0] == "make demo"
    assert commands("README.md")[-1] == "make test"


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in LINK.findall(text):
        assert (ROOT / page).parent.joinpath(target).exists(), f"{page} links to {target}"
