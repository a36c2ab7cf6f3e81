"""A program that webhooks are sent to."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver:
    """A program that webhooks are sent to. `answers` are the statuses it gives, the last one again and again."""

    def __init__(self):
        self.requests, self.answers, self.meanwhile, self.wait = [], [200], lambda: None, threading.Event()
        self.asked = threading.Event()
        self.requests_begun = 0
        self.wait.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                receiver.requests_begun += 1
                receiver.asked.set()
                receiver.wait.wait(30)
                receiver.meanwhile()
                receiver.requests.append((self.command, self.path, dict(self.headers), body))
                self.send_response(receiver.answers.pop(0) if len(receiver.answers) > 1 else receiver.answers[0])
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            do_GET = do_POST = do_PUT = do_PATCH = answer

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = False
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"

    @property
    def bodies(self):
        return [json.loads(body) for _, _, _, body in self.requests]

    def close(self):
        self.wait.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
