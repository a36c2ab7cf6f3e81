"""The file of `--ready-file`, which exists while the server answers."""

import logging
import os
import threading
from pathlib import Path
from stat import S_ISFIFO
from tempfile import TemporaryFile

import orjson

from dryline.settings import BadSetting
from dryline.storage.output_files import find_regular, write_output


class ReadyFile:
    """The path of `--ready-file`. A device, a pipe or a mount point is written to, and never removed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._before: os.stat_result | None = None  # status of the file of an earlier server

    def prepare(self) -> None:
        """Remove the file of an earlier server, and check that its folder can be written to. Raises BadSetting."""
        try:
            if target := find_regular(self.path):
                if target.exists():
                    self._before = target.stat()
                    self.remove()
                if not target.exists():
                    with TemporaryFile(dir=target.parent):
                        pass
        except OSError as error:
            raise self._refusal(error) from None

    def write(self, url: str, api_key: str) -> None:
        """Write address and key. Raises BadSetting."""
        content = orjson.dumps({"url": url, "apiKey": api_key})
        try:
            if self.path.exists() and S_ISFIFO(self.path.stat().st_mode):  # opening it waits for a reader
                threading.Thread(target=self._write_to_pipe, args=[content], name="ready file", daemon=True).start()
            else:
                write_output(self.path, content, before=self._before)
        except OSError as error:
            raise self._refusal(error) from error

    def remove(self) -> None:
        """Remove the file. A mount point is emptied. Raises OSError."""
        if target := find_regular(self.path):
            try:
                target.unlink(missing_ok=True)
            except OSError:
                write_output(self.path, b"")

    def _write_to_pipe(self, content: bytes) -> None:
        try:
            write_output(self.path, content)
        except OSError as error:
            logging.getLogger("dryline").warning("Cannot write %s: %s.", self.path, error.strerror)

    def _refusal(self, error: OSError) -> BadSetting:
        return BadSetting(f"Cannot write --ready-file {self.path}: {error.strerror}.")
