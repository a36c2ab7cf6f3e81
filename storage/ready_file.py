"""The file of `--ready-file`, which exists while the server answers."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISFIFO
from tempfile import TemporaryFile

import orjson

from dryline.settings import BadSetting
from dryline.storage.output_files import find_regular, write_output


class ReadyFile:
    """The path of `--ready-file`. A device, a pipe or a mount point is written to, and never removed.

    Its methods raise BadSetting if that fails.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def prepare(self) -> None:
        """Remove the file of an earlier server, and check that its folder can be written to."""
        with self._as_bad_setting():
            target = find_regular(self.path)
            self.remove()
            if target and not target.exists():
                with TemporaryFile(dir=target.parent):
                    pass

    def write(self, url: str, api_key: str) -> None:
        """Write address and key."""
        content = orjson.dumps({"url": url, "apiKey": api_key})
        with self._as_bad_setting():
            if self.path.exists() and S_ISFIFO(self.path.stat().st_mode):  # opening it waits for a reader
                threading.Thread(target=write_output, args=[self.path, content], name="ready file", daemon=True).start()
            else:
                write_output(self.path, content)

    def remove(self) -> None:
        """Remove the file. A mount point is emptied."""
        with self._as_bad_setting():
            if target := find_regular(self.path):
                try:
                    target.unlink(missing_ok=True)
                except OSError:
                    write_output(self.path, b"")

    @contextmanager
    def _as_bad_setting(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BadSetting(f"Cannot write --ready-file {self.path}: {error.strerror}.") from error
