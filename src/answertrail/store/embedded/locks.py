"""File locks between processes that vanish with their holder, however it dies."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from answertrail.errors import ServiceError

_POLL_S = 0.01


class FileLock:
    """An advisory `flock` on one file, shared or exclusive.

    Every instance opens the file anew, so two instances exclude each other inside one process
    as well. The kernel drops the lock when the process ends, also by `kill -9`.
    """

    def __init__(self, path: Path) -> None:
        """Open (or make) the lock file; ServiceError when that is not allowed."""
        self.path = path
        try:
            self._fd: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ServiceError(
                f"cannot open the lock file: {error.strerror}",
                where=str(path),
                hint="the folder must be writable by the user who runs answertrail",
            ) from None

    def acquire(self, *, shared: bool = False, timeout_s: float = 0.0) -> bool:
        """Take the lock, waiting at most `timeout_s` seconds; return whether it was gained."""
        if self._fd is None:
            raise ValueError("the lock is closed")
        wanted = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                fcntl.flock(self._fd, wanted)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    return False
                time.sleep(_POLL_S)
            else:
                return True

    def close(self) -> None:
        """Drop the lock; closing twice is harmless."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
