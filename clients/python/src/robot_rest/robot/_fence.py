"""The number that a stop raises: what was sent before it has a lower one and is refused."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Optional, Union

#: Largest number accepted from others, so that a stop can always use a higher one.
MAX_FENCE = 2**53 - 2**32
#: How many numbers are reserved in the file at once.
BLOCK = 1_000_000


class Fence:
    """Never decreases, not even when the program restarts: it begins with the time in ms, which is above any number an
    earlier run can have reached. Where the clock may start in the past, `file` keeps the number as well: what is in it
    was written before any number below it was used."""

    def __init__(self, file: Union[str, Path, None] = None) -> None:
        self._file = Path(file) if file is not None else None
        self.number = int(time.time() * 1000)
        self.problem: Optional[str] = None
        self._reserved = self.number if self._file else MAX_FENCE * 2
        if self._file is not None and self._file.exists():
            self.number = max(self.number, int(self._file.read_text("ascii")))
        self.raise_to(self.number)
        if self.problem:
            raise OSError(self.problem)

    def raise_to(self, number: int) -> None:
        """Raises the number, unless it is higher already. Where the file cannot be written, `problem` says so: then
        nothing may move."""
        self.number = max(self.number, number)
        if self.number < self._reserved or self._file is None:
            return
        try:
            self._write(self._file, self.number + BLOCK)
            self._reserved, self.problem = self.number + BLOCK, None
        except OSError as failure:
            self.problem = f"The fence number cannot be kept in {self._file}: {failure.strerror}."

    @staticmethod
    def _write(file: Path, number: int) -> None:
        draft = file.with_name(file.name + ".new")
        with open(draft, "w", encoding="ascii") as stream:
            stream.write(str(number))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, file)
