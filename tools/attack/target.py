"""The server under attack: a process with a data directory of its own, which can be killed and started again."""

from __future__ import annotations

import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from dryline.storage.directory import database_in
from dryline.tools.attack.findings import Findings

PROGRAM = Path(sys.executable).with_name("dryline")
DISK_MB = 600  # of the temporary file system
START_S, STOP_S = 60, 15
MEMORY_MB = 160
IDLE_CPU = 0.1  # of a core
_RECORD = re.compile(r"^(?=\d\d:\d\d:\d\d )", re.MULTILINE)
# A full disk is made on purpose, and its errors are no findings.
_FULL_DISK = re.compile(r"No space left|disk is full|disk I/O error|database or disk")


class Target:
    """The server. Its directory is a small file system of its own where mounting is allowed (`has_own_disk`)."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.folder = Path(tempfile.mkdtemp(prefix="dryline-attack-"))
        self.has_own_disk = self._mount()
        self.world = self.folder / "world"
        self.log_file = Path(tempfile.mkstemp(prefix="dryline-attack-", suffix=".log")[1])
        self.url = ""
        self.process: subprocess.Popen[bytes]
        self.is_up = threading.Event()  # clear while it is killed and started again
        self.starts = 0
        self.epochs = 0  # requests that begin an epoch, and that were sent so far
        self.unanswered_epochs = 0  # those of them that have no answer yet

    def _mount(self) -> bool:
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(self.folder)]
        try:
            return subprocess.run(command, capture_output=True).returncode == 0
        except OSError:
            return False

    def start(self) -> None:
        """Start the server on its directory, and wait until it answers."""
        ready = self.log_file.with_suffix(f".{self.starts}.json")
        port = self.url.rpartition(":")[2] or "0"
        self.starts += 1
        began = time.monotonic()
        flags = ["--port", port, "--data-dir", str(self.world), "--scenario", "empty", "--ready-file", str(ready)]
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen([str(PROGRAM), "serve", *flags, "--quiet"], stdout=log, stderr=log)
        while not ready.exists():
            if self.process.poll() is not None or time.monotonic() - began > START_S:
                raise SystemExit(f"The server did not start. Its log is {self.log_file}.")
            time.sleep(0.01)
        self.url = json.loads(ready.read_text())["url"]
        ready.unlink()
        self.is_up.set()

    def kill_and_start(self) -> None:
        """Kill the server where it stands, and start it again on the same port."""
        self.is_up.clear()
        self.process.kill()
        self.process.wait()
        self.start()

    def fill_disk(self, seconds: float) -> None:
        """Fill the disk up to some kilobytes, for a while."""
        ballast = self.folder / "ballast"
        try:
            with ballast.open("wb") as file:
                while True:
                    file.write(bytes(4096))
                    file.flush()
        except OSError:
            time.sleep(seconds)
        finally:
            ballast.unlink(missing_ok=True)

    def check_rest(self) -> None:
        """Report memory and processor time of a server that has nothing to do."""
        began, spent = time.monotonic(), self._processor_s()
        time.sleep(5)
        share = (self._processor_s() - spent) / (time.monotonic() - began)
        if share > IDLE_CPU:
            self.findings.add("busy at rest", f"more than {IDLE_CPU:.0%} of a core", f"{share:.0%}")
        now, most = self._memory_mb("VmRSS"), self._memory_mb("VmHWM")
        print(f"At rest: {share:.1%} of a core, {now:.0f} MB; at most {most:.0f} MB.")
        if most > MEMORY_MB:
            self.findings.add("memory", f"more than {MEMORY_MB} MB", f"{most:.0f} MB, and {now:.0f} MB at rest")

    def stop(self) -> None:
        """Stop the server, look at its database and its log, and remove its directory."""
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_S)
            if code != 0:
                self.findings.add("stop", "exit status", code)
        except subprocess.TimeoutExpired:
            self.findings.add("stop", f"no end within {STOP_S} s of SIGTERM")
            self.process.kill()
            self.process.wait()
        self._check_database()
        self._check_log()
        if self.has_own_disk:
            subprocess.run(["umount", str(self.folder)], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _check_database(self) -> None:
        database = sqlite3.connect(database_in(self.world))
        result = database.execute("PRAGMA integrity_check").fetchone()[0]
        if result != "ok":
            self.findings.add("database", "integrity_check", result)
        for table, _, parent, number in database.execute("PRAGMA foreign_key_check").fetchall():
            keys = {key[0]: key for key in database.execute(f'PRAGMA foreign_key_list("{table}")')}
            column, action = keys[number][3], keys[number][6]
            if action != "SET NULL":  # a document may bring links to rows that are gone where a row needs none
                self.findings.add("database", f"foreign_key_check: {table}.{column}", f"no such {parent}")
        database.close()

    def _check_log(self) -> None:
        for record in _RECORD.split(self.log_file.read_text(errors="replace")):
            lines = record.strip().splitlines()
            if lines and " ERROR " in lines[0] and not _FULL_DISK.search(record):
                where = lines[0][9:]
                for line in lines:  # the last line of dryline's code in the traceback
                    if line.startswith("  File") and "site-packages" not in line:
                        where = line.strip().partition("documents/")[2] or line.strip()
                self.findings.add("error in the log", where, f"{lines[0]} … {lines[-1]}")

    def memory_text(self) -> str:
        """Return how much memory the server has, and had at most since its last start."""
        return f"{self._memory_mb('VmRSS'):.0f} MB, at most {self._memory_mb('VmHWM'):.0f} MB"

    def _memory_mb(self, which: str) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{which}:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]

    def _processor_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100
