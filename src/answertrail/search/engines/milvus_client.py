"""The connection to Milvus: settings, the optional package, and its errors as ours."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import logging
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from answertrail.errors import AnswerTrailError, InputError, ServiceError
from answertrail.search.engines.address import Address, read_address
from answertrail.search.engines.base import EngineDownError
from answertrail.search.engines.limits import check_whole
from answertrail.search.engines.server_names import prefix_of

T = TypeVar("T")
URI_VARIABLE = "ANSWERTRAIL_MILVUS_URI"
_SCHEMES = ("http", "https", "tcp")
_DOWN = re.compile(
    r"fail connecting|unavailable|deadline|retry timeout|retry run out|connection refused|closed channel|not healthy",
    re.IGNORECASE,
)
_DENIED = re.compile(r"unauthenticated|auth check|permission deny|permission denied|privilege", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MilvusSettings:
    """Where Milvus is and how it is used.

    `uri` is a server's address or a file ending in `.db`, which needs the package milvus-lite and
    is open to one process at a time. `index` is HNSW, or FLAT for exact search. `ef` candidates
    are kept in a search, more where k needs it; 2,048 take hardly longer than 128, and let all
    pages of the first 1,000 passages be cut off the same list. Times are in seconds: `timeout` bounds a search,
    `patience` a flush or the making of an index.
    """

    uri: str = field(repr=False)
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    database: str = ""
    prefix: str = "answertrail"
    index: str = "HNSW"
    m: int = 16
    ef_construction: int = 200
    ef: int = 2048
    timeout: float = 30.0
    patience: float = 3600.0
    address: Address | None = field(init=False, repr=False)
    """What `uri` says of a server; None for a file."""

    def __post_init__(self) -> None:
        """Raise InputError for what Milvus would not take."""
        # A server's address without its scheme must not pass for the name of a file: it may have a login in it.
        file = self.uri.endswith(".db") and "@" not in self.uri and "://" not in self.uri
        example = "http://HOST:19530, or as a file ending in .db"
        address = None if file else read_address(self.uri, _SCHEMES, where=URI_VARIABLE, example=example)
        object.__setattr__(self, "address", address)
        if self.index not in {"HNSW", "FLAT"}:
            raise InputError(f"no Milvus index {self.index!r} is used here", hint="HNSW, or FLAT for exact search")
        limits: dict[str, tuple[object, int, int]] = {
            "m": (self.m, 2, 2048),
            "ef_construction": (self.ef_construction, 8, 32_768),
            "ef": (self.ef, 1, 32_768),
        }
        check_whole(limits)

    @classmethod
    def from_environment(cls, env: Mapping[str, str] | None = None) -> MilvusSettings:
        """Read `ANSWERTRAIL_MILVUS_URI`, `_USER`, `_PASSWORD`, `_TOKEN`, `_DATABASE` and `_INDEX`.

        Raises ServiceError when the address is not set.
        """
        env = os.environ if env is None else env
        uri = env.get(URI_VARIABLE) or ""
        if not uri:
            raise ServiceError(
                "the address of Milvus is not set",
                where=URI_VARIABLE,
                hint=f"set {URI_VARIABLE} to http://HOST:19530, or to a file ending in .db",
            )
        return cls(
            uri=uri,
            user=env.get("ANSWERTRAIL_MILVUS_USER") or "",
            password=env.get("ANSWERTRAIL_MILVUS_PASSWORD") or "",
            token=env.get("ANSWERTRAIL_MILVUS_TOKEN") or "",
            database=env.get("ANSWERTRAIL_MILVUS_DATABASE") or "",
            prefix=prefix_of(env),
            index=(env.get("ANSWERTRAIL_MILVUS_INDEX") or "HNSW").upper(),
        )

    @classmethod
    def of(cls, values: Mapping[str, Any], env: Mapping[str, str] | None = None) -> MilvusSettings:
        """Take the address from the environment and how to index from what `as_json` gave, or a part of it.

        Raises InputError for an unknown name or a bad value.
        """
        if unknown := sorted(values.keys() - set(_INDEXING) - set(_FACTS)):
            raise InputError(f"milvus has no setting {unknown[0]!r}", hint=f"known: {', '.join(_INDEXING)}")
        return replace(cls.from_environment(env), **{name: values[name] for name in _INDEXING if name in values})

    def as_json(self) -> dict[str, Any]:
        """Return how to index, as plain values."""
        return {name: getattr(self, name) for name in _INDEXING}

    @property
    def is_file(self) -> bool:
        """Whether it is the file-based engine."""
        return self.address is None

    @property
    def shown(self) -> str:
        """The address without what is secret in it."""
        return self.uri if self.address is None else self.address.shown


_INDEXING = ("index", "m", "ef_construction", "ef")
_FACTS = ("server", "bm25", "bm25_parameters", "words_cut")
"""What a record tells beside the settings: nothing to set."""


class Milvus:
    """A client and its manners: every call has a time limit, runs beside the event loop, and fails as ours do."""

    def __init__(self, settings: MilvusSettings) -> None:
        """Connect. Raises ServiceError for a missing package, EngineDownError when nobody answers."""
        self.settings = settings
        self._closed = False
        self.package = _package(settings)
        self._grpc: Any = importlib.import_module("grpc")
        self.client: Any = self._guarded(self._connect)
        version: str = self.call("get_server_version")
        self.version = version
        self.lite = "lite-" in version or version.startswith("milvus_lite")

    def _connect(self) -> Any:
        one = self.settings
        held = one.address.login if one.address else None
        user, password = (one.user, one.password) if one.user or held is None else held
        return self.package.MilvusClient(
            one.shown,
            user=user,
            password=password,
            token=one.token,
            db_name=one.database,
            timeout=one.timeout,
        )

    @property
    def has_bm25(self) -> bool:
        """Whether it makes BM25 of a text: servers from 2.5 on, and the file-based engine."""
        found = re.search(r"(\d+)\.(\d+)", self.version)
        return found is None or (int(found[1]), int(found[2])) >= (2, 5)

    def call(self, name: str, *args: Any, timeout: float | None = None, **kwargs: Any) -> Any:
        """Call a method of the client."""
        limit = timeout or self.settings.timeout
        return self._guarded(lambda: getattr(self.client, name)(*args, timeout=limit, **kwargs))

    async def run(self, work: Callable[[], T]) -> T:
        """Do blocking work in a thread of its own."""
        return await asyncio.to_thread(work)

    def close(self) -> None:
        """Let go of the connection."""
        if not self._closed:
            self._closed = True
            self._guarded(self.client.close)

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except AnswerTrailError:
            raise
        except self.package.exceptions.MilvusException as error:
            raise self._ours(str(error.message)) from None
        except self._grpc.RpcError as error:
            details = getattr(error, "details", lambda: None)()
            raise self._ours(str(details or error)) from None
        except ValueError as error:
            if "closed channel" not in str(error):
                raise
            raise self._ours(str(error)) from None

    def _ours(self, said: str) -> ServiceError:
        # One line, short: a message may repeat an expression of thousands of ids.
        line = " ".join(said.split())
        address = self.settings.address
        held = (address.secret, *(address.login or ())[1:]) if address else ()
        for secret in (self.settings.password, self.settings.token, *held):
            line = line.replace(secret, "***") if secret else line
        line = line if len(line) <= 300 else line[:300] + "..."
        where = self.settings.shown
        if _DENIED.search(line):
            return ServiceError(
                f"Milvus refuses: {line}",
                where=where,
                hint="check ANSWERTRAIL_MILVUS_USER and ANSWERTRAIL_MILVUS_PASSWORD, or ANSWERTRAIL_MILVUS_TOKEN",
            )
        if self.settings.is_file and "local milvus" in line.lower():
            hint = "give a file ending in .db in a folder that exists; one process at a time can have it open"
            return EngineDownError(f"Milvus cannot open the file: {line}", where=where, hint=hint)
        if _DOWN.search(line):
            hint = f"check that Milvus runs there and that {URI_VARIABLE} is right"
            return EngineDownError(f"Milvus does not answer: {line}", where=where, hint=hint)
        return ServiceError(f"Milvus: {line}", where=where)


def _package(settings: MilvusSettings) -> Any:
    needs = {"pymilvus": "milvus", "milvus_lite": "milvus-lite"} if settings.is_file else {"pymilvus": "milvus"}
    for module, extra in needs.items():
        if importlib.util.find_spec(module) is None:
            raise ServiceError(
                f"searching with Milvus needs the package {module.replace('_', '-')}, which is not installed",
                where=settings.shown,
                hint=f'run: pip install "answertrail[{extra}]"',
            )
    package = importlib.import_module("pymilvus")
    # It logs each failed call with a traceback and the whole expression, ids and all; we raise.
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
    return package
