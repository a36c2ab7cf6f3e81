"""Python code before a translated flow in the sandbox: the parts of Based that have to be Python objects there.

Each flow gets only the pieces that it needs, because each costs time at the start of a run and space in every dump.
Functions take `*args`, and the host reports missing arguments, because only it knows the line. Names that begin with
`_based_` are reserved: a flow that has one is refused. A flow can rebind names of Python, so the pieces bind those that
they need. Functions that are not defined here are host functions (host_functions.py).
"""

RESERVED = "_based_"

_TALK = """
_based_note = None
_based_takes = {}
class _based_Talk:
    def __init__(self, text): self.text = text
    def __str__(self): return self.text
    def __repr__(self): return self.text
    def __getitem__(self, key): raise KeyError(key)
    def __contains__(self, key): return key in self.text
    def get(self, key, default=None): return default
    def ask(self, *args, **named): return _based_ask(self, *args, **named)
    def summarize(self, *args, **named): return _based_summarize(self, *args, **named)
def _based_talk(loop, conditions, *args, **named):
    global _based_note
    note, _based_note = _based_note, None
    took = _based_converse(loop, conditions, note, state, *args, **named)
    _based_takes[loop] = took
    return _based_Talk(took[2])
def _based_took(loop):
    return _based_takes.pop(loop, (None, None, ""))[:2]
def _based_condition(loop, condition, is_a=isinstance, kinds=(str, dict), kind=type):
    if not is_a(condition, kinds):
        raise TypeError(f"A condition is a text or a tool, not {kind(condition).__name__}.")
    return condition
"""

_RESULT = """
class _based_Result:
    def __init__(self, members):
        self.success = members["success"]
        self.status = members["status"]
        self.message_sid = members["message_sid"]
        self.error = members["error"]
        self.data = members["data"]
    def get(self, key, default=None): return getattr(self, key, default)
    def __getitem__(self, key): return getattr(self, key)
"""

# The sandbox has neither custom exceptions nor inheritance. So the exceptions of `requests` are their base classes in
# Python, and those that are never raised here are an OSError that nothing raises. HTTPError is an exception that
# nothing else raises, so that catching it does not catch a failed connection; errors.py reports it by its own name.
_EXCEPTIONS = {
    "OSError": "RequestException ConnectionError InvalidURL InvalidSchema MissingSchema",
    "NotADirectoryError": "HTTPError",
    "TimeoutError": "Timeout ConnectTimeout ReadTimeout",
    "ValueError": "JSONDecodeError",
    "FileNotFoundError": "SSLError ProxyError TooManyRedirects ChunkedEncodingError ContentDecodingError InvalidHeader "
    "InvalidJSONError RetryError",
}
_REQUESTS = """
import json as _based_json
class _based_Response:
    def __init__(self, answer):
        self.status_code, self.text = answer["status"], answer["text"]
        self.url, self.headers = answer["url"], answer["headers"]
        self.ok, self.reason, self.encoding = answer["status"] < 400, answer["reason"], "utf-8"
        self.content = answer["text"].encode()
    def json(self): return _based_json.loads(self.text)
    def raise_for_status(self):
        if not self.ok:
            kind = "Client" if self.status_code < 500 else "Server"
            raise NotADirectoryError(f"{self.status_code} {kind} Error: {self.reason} for url: {self.url}")
    def __repr__(self): return f"<Response [{self.status_code}]>"
class _based_Requests:
    line = None
    def at(self, line):
        self.line = line
        return self
    def request(self, method=None, url=None, **named):
        line, self.line = self.line, None
        return _based_Response(_based_http(line, method, url, **named))
    def get(self, url=None, params=None, **named): return self.request("GET", url, params=params, **named)
    def post(self, url=None, data=None, json=None, **named):
        return self.request("POST", url, data=data, json=json, **named)
    def put(self, url=None, data=None, **named): return self.request("PUT", url, data=data, **named)
    def patch(self, url=None, data=None, **named): return self.request("PATCH", url, data=data, **named)
    def delete(self, url=None, **named): return self.request("DELETE", url, **named)
    def head(self, url=None, **named): return self.request("HEAD", url, **named)
_based_requests = _based_Requests()
_based_requests.exceptions = _based_requests
""" + "".join(f"_based_requests.{name} = {python}\n" for python, names in _EXCEPTIONS.items() for name in names.split())

_RANDOM = """
import random as _based_random
class RANDOM:
    def __init__(self, digits=6): self.digits = digits
    def generate(self): return "".join(str(_based_random.randint(0, 9)) for _ in range(self.digits))
"""

# The sandbox makes a list of a generator expression.
_NEXT = """
def next(values, *default, _based_next=next, _based_iter=iter): return _based_next(_based_iter(values), *default)
"""

# The message of an exception, as Python makes it of the arguments.
_MESSAGE = """
def _based_message(*args, is_a=isinstance, text=str, count=len):
    return args[0] if count(args) == 1 and is_a(args[0], text) else text(args[0] if count(args) == 1 else args)
"""

_GLOBAL_STATE = """
def _based_global_state(): return state
"""

_PIECES = {  # a piece, and the names that need it
    _TALK: {"talk", "loop"},
    _RESULT: {"send_sms", "integrations"},
    _REQUESTS: {"requests"},
    _RANDOM: {"RANDOM"},
    _MESSAGE: {"_based_message"},
    _NEXT: {"next"},
    _GLOBAL_STATE: {"_based_global_state"},
    "import time\n": {"time"},
    "ConnectionError = FileNotFoundError\n": {"ConnectionError"},
    "true, false, null = True, False, None\n": {"true", "false", "null"},
}


def prelude(names: set[str]) -> str:
    """Return the pieces that code with these names needs."""
    return "".join(piece for piece, users in _PIECES.items() if users & names)
