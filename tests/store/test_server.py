"""The embedded server under bad luck: killed, raced, left half-started, in private folders."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from answertrail.errors import ServiceError
from answertrail.settings import Settings
from answertrail.store import connect, doctor, server
from answertrail.store.embedded import binaries, cluster, place
from answertrail.store.embedded.account import Account, can_reach
from answertrail.store.embedded.postmaster import Postmaster

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows uses the package's own management")
as_root = pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root changes user")

_CLIENT = """
import sys, time
from pathlib import Path
from answertrail.settings import Settings
from answertrail.store import server
running = server.attach(Settings(home=Path(sys.argv[1])))
import psycopg
with psycopg.connect(running.conninfo("postgres")) as connection:
    connection.execute("SELECT 1")
print("ready", flush=True)
sys.stdin.read()
running.release()
"""


class Client:
    """Another process that uses the server until told to leave."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CLIENT, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def wait_ready(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def leave(self) -> None:
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def initialised(open_folder: Path) -> Path:
    """A cluster made once; tests copy it, since making one takes about a second."""
    settings = Settings(home=open_folder / "initialised")
    server.attach(settings).release()
    return settings.home


@pytest.fixture
def own(open_folder: Path, initialised: Path, request: pytest.FixtureRequest) -> Iterator[Settings]:
    """Settings with an embedded server of their own, not running."""
    home = open_folder / f"own-{time.monotonic_ns()}"
    subprocess.run(["/bin/cp", "-a", str(initialised), str(home)], check=True)
    settings = Settings(home=home)
    yield settings
    server.destroy(settings)
    shutil.rmtree(home)


def postmaster(settings: Settings) -> Postmaster | None:
    return Postmaster.read((settings.home / "postgres" / "data").resolve())


def usable(settings: Settings) -> None:
    async def query() -> None:
        async with connect(settings) as db, db.transaction() as conn:
            await conn.execute("SELECT 1")

    asyncio.run(query())


def eventually(condition: Callable[[], bool], timeout_s: float = 20) -> None:
    until = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < until, "did not happen in time"
        time.sleep(0.02)


def modes(path: Path) -> dict[Path, int]:
    return {folder: stat.S_IMODE(folder.stat().st_mode) for folder in (path, *path.parents)}


def test_the_last_one_out_stops_it(own: Settings) -> None:
    first, second = server.attach(own), server.attach(own)
    assert first.conninfo() == second.conninfo()
    first.release()
    first.release()
    psycopg.connect(second.conninfo("postgres")).close()
    second.release()
    assert postmaster(own) is None


def test_two_processes_share_it(own: Settings) -> None:
    here = server.attach(own)
    client = Client(own.home)
    client.wait_ready()
    here.release()
    assert postmaster(own) is not None
    client.leave()
    assert postmaster(own) is None


def test_many_processes_at_the_same_instant(own: Settings) -> None:
    clients = [Client(own.home) for _ in range(6)]
    for client in clients:
        client.wait_ready()
    for client in clients:
        client.leave()
    assert postmaster(own) is None


def test_the_first_start_of_all_is_raced(open_folder: Path) -> None:
    settings = Settings(home=open_folder / "raced")
    clients = [Client(settings.home) for _ in range(4)]
    for client in clients:
        client.wait_ready()
    for client in clients:
        client.leave()
    assert [path.name for path in (settings.home / "postgres").glob("data*")] == ["data"]
    server.destroy(settings)


def test_the_starter_is_killed(own: Settings) -> None:
    starter = Client(own.home)
    starter.wait_ready()
    running = postmaster(own)
    starter.kill()
    here = server.attach(own)
    assert postmaster(own) == running
    here.release()
    assert postmaster(own) is None


def test_another_client_is_killed(own: Settings) -> None:
    here = server.attach(own)
    client = Client(own.home)
    client.wait_ready()
    client.kill()
    psycopg.connect(here.conninfo("postgres")).close()
    here.release()
    assert postmaster(own) is None


def test_the_starter_is_killed_while_starting(own: Settings) -> None:
    for delay in (0.15, 0.25, 0.3, 0.35, 0.4):
        starter = Client(own.home)
        time.sleep(delay)
        starter.kill()
        usable(own)


def test_the_first_starter_is_killed_while_making_the_cluster(open_folder: Path) -> None:
    settings = Settings(home=open_folder / "half-made")
    starter = Client(settings.home)
    eventually(lambda: any((settings.home / "postgres").glob("data.new-*/base")))
    starter.kill()
    usable(settings)

    def cleared() -> bool:
        # The killed process's initdb may write on for a moment; every start clears away again.
        server.attach(settings).release()
        return [path.name for path in (settings.home / "postgres").glob("data*")] == ["data"]

    eventually(cleared)
    server.destroy(settings)


def test_the_postmaster_is_killed_between_two_commands(own: Settings) -> None:
    starter = Client(own.home)
    starter.wait_ready()
    running = postmaster(own)
    assert running is not None
    assert running.pid is not None
    os.kill(running.pid, signal.SIGKILL)
    starter.kill()
    usable(own)


def test_the_postmaster_is_killed_under_an_open_database(own: Settings) -> None:
    async def scenario() -> None:
        async with connect(own) as db:
            async with db.transaction() as conn:
                await conn.execute("INSERT INTO texts VALUES ('h', 'kept')")
            running = postmaster(own)
            assert running is not None
            assert running.pid is not None
            os.kill(running.pid, signal.SIGKILL)
            await asyncio.sleep(0.2)
            async with db.transaction() as conn:
                cursor = await conn.execute("SELECT text FROM texts")
                assert await cursor.fetchall() == [("kept",)]

    asyncio.run(scenario())
    assert postmaster(own) is None


def test_a_stale_pid_file_of_a_number_in_use(own: Settings) -> None:
    """After a reboot the number in the file may belong to another process of the same user."""
    where = place.locate(own)
    sleeper = cluster._run(["/bin/sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!"], where.account)
    pid = int(sleeper.stdout)
    try:
        stale = where.data / "postmaster.pid"
        stale.write_text(f"{pid}\n{where.data}\n1\n5432\n{where.data}\n\n 1 1\nready   \n")
        os.chown(stale, where.account.uid, where.account.gid)
        usable(own)
        os.kill(pid, 0)
    finally:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("content", ["", "12", "999999999\n"])
def test_a_cut_off_pid_file(own: Settings, content: str) -> None:
    where = place.locate(own)
    (where.data / "postmaster.pid").write_text(content)
    os.chown(where.data / "postmaster.pid", where.account.uid, where.account.gid)
    (where.data / ".s.PGSQL.5432").write_text("")
    usable(own)


def test_a_server_that_hangs_is_said_so(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    here = server.attach(own)
    running = postmaster(own)
    assert running is not None
    assert running.pid is not None
    os.kill(running.pid, signal.SIGSTOP)
    try:
        monkeypatch.setattr(cluster, "START_TIMEOUT_S", 0.5)
        with pytest.raises(ServiceError, match=f"process {running.pid}") as caught:
            server.attach(own)
        assert caught.value.hint is not None
    finally:
        os.kill(running.pid, signal.SIGCONT)
    here.release()


def test_a_start_that_fails_says_why(own: Settings) -> None:
    where = place.locate(own)
    config = where.data / "postgresql.conf"
    config.write_text(config.read_text() + "\nshared_buffers = 'much'\n")
    with pytest.raises(ServiceError, match="did not start") as caught:
        server.attach(own)
    assert caught.value.exit_code == 3
    assert "server.log" in (caught.value.where or "")


def test_a_cluster_of_another_version_is_refused(own: Settings) -> None:
    version = place.locate(own).data / "PG_VERSION"
    version.write_text("16\n")
    with pytest.raises(ServiceError, match="Postgres 16"):
        server.attach(own)
    version.write_text("18\n")


def test_a_deep_home_gets_a_short_socket_path(open_folder: Path) -> None:
    settings = Settings(home=open_folder / ("deep" * 25) / "with space and 'quote' and $dollar")
    running = server.attach(settings)
    psycopg.connect(running.conninfo("postgres")).close()
    running.release()
    server.destroy(settings)


def test_a_home_that_cannot_be_made(open_folder: Path) -> None:
    (open_folder / "file").write_text("")
    with pytest.raises(ServiceError) as caught:
        server.attach(Settings(home=open_folder / "file" / "home"))
    assert caught.value.exit_code == 3
    assert caught.value.hint is not None


def test_a_read_only_home(open_folder: Path) -> None:
    with pytest.raises(ServiceError) as caught:
        server.attach(Settings(home=Path("/proc/answertrail")))
    assert "ANSWERTRAIL_HOME" in (caught.value.hint or "")


@as_root
def test_a_home_in_a_private_folder_opens_nothing(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private = open_folder / "private"
    private.mkdir(mode=0o700)
    monkeypatch.setattr(place, "SHARED", open_folder / "shared")
    settings = Settings(home=private / "home")
    settings.home.mkdir(mode=0o755)
    package = binaries.packaged()
    before, before_package = modes(settings.home), modes(package / "pginstall18" / "bin")
    usable(settings)
    assert modes(settings.home) == before
    assert modes(package / "pginstall18" / "bin") == before_package
    root = place.peek(settings)
    assert root is not None
    assert root.parent == open_folder / "shared"
    assert stat.S_IMODE((root / "data").stat().st_mode) == 0o700
    assert (root / "data").stat().st_uid != 0

    moved = Settings(home=private / "moved")
    settings.home.rename(moved.home)
    assert place.peek(moved) == root
    server.destroy(moved)
    assert not root.exists()
    assert place.peek(moved) is None


@as_root
def test_programs_in_a_private_folder_are_copied(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private = open_folder / "private-venv"
    private.mkdir(mode=0o700)
    package = binaries.packaged()
    shutil.copytree(package, private / package.name, ignore=shutil.ignore_patterns("pginstall", "include", "*.a"))
    shutil.copytree(package.with_name(f"{package.name}.libs"), private / f"{package.name}.libs")
    monkeypatch.setattr(binaries, "packaged", lambda: private / package.name)
    settings = Settings(home=open_folder / "copied")
    before = modes(private / package.name)
    usable(settings)
    assert modes(private / package.name) == before
    assert [path.name for path in (settings.home / "postgres").glob("programs-*")]
    server.destroy(settings)


@as_root
def test_reach_is_read_from_the_mode_bits(tmp_path: Path, open_folder: Path) -> None:
    nobody = Account(65534, 65534)
    assert can_reach(nobody, open_folder)
    folder = open_folder / "reach"
    folder.mkdir()
    (folder / "file").write_text("")
    (folder / "file").chmod(0o640)
    assert not can_reach(nobody, folder / "file")
    (folder / "file").chmod(0o644)
    assert can_reach(nobody, folder / "file")
    folder.chmod(0o700)
    assert not can_reach(nobody, folder / "file")
    assert not can_reach(nobody, folder / "missing")


@as_root
def test_an_override_that_cannot_be_reached_is_said_so(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private = open_folder / "private-override"
    private.mkdir(mode=0o700)
    monkeypatch.setenv("ANSWERTRAIL_PGDATA", str(private / "pg"))
    with pytest.raises(ServiceError, match="cannot enter"):
        server.attach(Settings(home=open_folder / "whatever"))
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


def test_doctor_before_and_after(own: Settings) -> None:
    found = {check.name: check for check in asyncio.run(doctor.check_store(own))}
    assert all(check.ok for check in found.values()), found
    assert {"home", "disk space", "server programs", "server process", "database", "migrations", "pgvector"} <= set(
        found
    )
    (place.locate(own).data / "postmaster.pid").write_text("999999999\n")
    found = {check.name: check for check in asyncio.run(doctor.check_store(own))}
    assert "stale" in found["server process"].detail
    assert found["database"].ok


def test_doctor_of_a_server_that_is_down(open_folder: Path) -> None:
    settings = Settings(home=open_folder / "none", database_url="postgresql://me:sesame@127.0.0.1:1/db")
    found = {check.name: check for check in asyncio.run(doctor.check_store(settings))}
    assert found["database"].ok is False
    assert found["database"].hint
    assert "sesame" not in found["database"].detail
    assert not settings.home.exists()
