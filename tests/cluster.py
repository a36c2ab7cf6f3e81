"""Two nodes, each a process, behind nginx with the configuration in deploy/."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
from brainbase_labs import BrainbaseLabs

from dryline.tests.conftest import NEW_WORKER

ROOT = Path(__file__).parent.parent
NODES = ("dryline-0", "dryline-1")
TOKEN = {"x-dryline-token": "t"}
http = httpx.Client()  # directly to a node; shared, because making one takes longer than most requests
START_S = 60  # a loaded machine may need that long to start three servers


class Node:
    """A server in its own process. It can be killed and started again at the same address."""

    def __init__(self, folder, name):
        self.folder, self.name, self.port, self.url = folder, name, 0, ""

    def start(self):
        flags = {
            "--node": self.name,
            "--port": self.port,
            "--public-url": f"http://proxy.test/{self.name}",
            "--data-dir": self.folder / self.name,
            "--scenario": "empty",
            "--admin-token": "t",
        }
        command = [sys.executable, "-m", "dryline", "serve", *(str(word) for pair in flags.items() for word in pair)]
        with (self.folder / f"{self.name}.log").open("a") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=self.folder)
        return self

    def wait(self):
        # The first line says that it answers. There is none if the process has ended.
        line = self.process.stdout.readline()
        assert f"node {self.name}, answers on" in line, line
        self.url = line.split()[-1]
        self.port = int(self.url.rpartition(":")[2])
        return self

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def ask(self, method, path, **kwargs):
        return http.request(method, self.url + path, headers=TOKEN, timeout=START_S, **kwargs)


class Cluster:
    """The nodes and the proxy. The proxy listens on a Unix socket, so that no port has to be free."""

    def __init__(self, folder):
        self.folder = folder
        self.nodes = {name: Node(folder, name) for name in NODES}
        self.socket = folder / "proxy.sock"

    def __enter__(self):
        for node in self.nodes.values():
            node.start()
        for node in self.nodes.values():
            node.wait()
        self.client = httpx.Client(transport=httpx.HTTPTransport(uds=str(self.socket)), base_url="http://proxy.test")
        self.proxy = subprocess.Popen(["nginx", "-p", self.folder, "-c", self.configure()], stderr=subprocess.PIPE)
        # nginx ends at once if its configuration is wrong; otherwise it creates its socket.
        while not self.socket.exists():
            assert self.proxy.poll() is None, self.proxy.stderr.read().decode()
        return self

    def __exit__(self, *exc):
        self.client.close()
        http.close()
        for process in (self.proxy, *(node.process for node in self.nodes.values())):
            process.terminate()
        for process in (self.proxy, *(node.process for node in self.nodes.values())):
            process.wait()
            for pipe in filter(None, (process.stdout, process.stderr)):
                pipe.close()

    def configure(self):
        """Write deploy/nginx.conf with this machine's addresses and folders; return the main file."""
        text = (ROOT / "deploy" / "nginx.conf").read_text().replace("listen 8080;", f"listen unix:{self.socket};")
        for node in self.nodes.values():
            text = text.replace(f"{node.name}:4010", node.url.removeprefix("http://"))
        (self.folder / "dryline.conf").write_text(text)
        temporary = "".join(
            f"{kind}_temp_path {self.folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        main = self.folder / "nginx.conf"
        main.write_text(
            f"daemon off; worker_processes 1; pid {self.folder}/nginx.pid; error_log stderr;"
            f"{'user root;' if os.geteuid() == 0 else ''} events {{}}"
            f"http {{ access_log off; {temporary} include {self.folder}/dryline.conf; }}"
        )
        return main

    def team(self, node):
        """Create a team on a node; its requests go through the proxy."""
        return Team(self, self.nodes[node].ask("POST", "/_dryline/teams", json={"name": f"Of {node}"}).json())


class Team:
    """A team and its requests through the proxy."""

    def __init__(self, cluster, row):
        self.cluster, self.id, self.key = cluster, row["id"], row["apiKey"]

    def ask(self, method, path, **kwargs):
        return self.cluster.client.request(method, path, headers={"x-api-key": self.key}, timeout=START_S, **kwargs)

    def hire(self, name):
        return self.ask("POST", "/api/workers", json=NEW_WORKER | {"name": name})

    def names(self):
        return {worker["name"] for worker in self.ask("GET", "/api/workers").json()}

    def vendors_client(self):
        return BrainbaseLabs(base_url="http://proxy.test", api_key=self.key, http_client=self.cluster.client)
