"""A person without script: follows links, fills in forms, and reads."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from urllib.request import urlopen

_SNIPPET = re.compile(r'>([^<>]+)</(?:summary|h2)>\s*<div class="snippet">\s*<pre[^>]*><code>(.*?)</code>', re.DOTALL)


def snippets(server, address):
    """Return a page's snippets by the first word of their headings, and the page."""
    with urlopen(f"{server.url}/console{address}") as answer:
        html = answer.read().decode()
    return {re.match(r"\w+", title)[0]: unescape(text) for title, text in _SNIPPET.findall(html)}, html


def words(page):
    """Return the text of a page without its header, with one space between words."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.answer.text.partition("<main")[2])).split())


def kind_of(address):
    """Return the path of an address without ids."""
    return re.sub(r"/\w+_[\w-]{20,}|/\d+", "/ID", re.split(r"[?#]", address)[0])


def one_of_each_kind(client):
    """Return the address of one page of each kind, found by following links."""
    kinds, waiting = {}, ["/console"]
    while waiting:
        address = waiting.pop()
        if kind_of(address) not in kinds:
            kinds[kind_of(address)] = address
            html = client.get(address, follow_redirects=True).get_data(as_text=True)
            waiting += [link for link in re.findall(r'href="(/console[^"?#]*)', html) if "/static/" not in link]
    return list(kinds.values())


class Page(HTMLParser):
    """The HTML of an answer: its links, its forms with their fields, and its text."""

    def __init__(self, answer):
        super().__init__()
        self.answer, self.status = answer, answer.status_code
        self.links, self.forms, self.fetched, self.ids = [], [], [], []
        self.text, self._tags = "", []
        self._select, self._options, self._textarea = None, [], None
        self.feed(answer.get_data(as_text=True))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "a":
            self.links.append(attrs.get("href"))
        if tag in ("script", "img", "audio", "source", "link", "iframe"):
            self.fetched.append(attrs.get("src") or attrs.get("href"))
        if tag == "form":
            self.forms.append({"action": attrs.get("action", ""), "method": attrs.get("method", "get"), "fields": {}})
        if tag in ("input", "select", "textarea") and attrs.get("name") and self.forms:
            self._select = attrs["name"] if tag == "select" else None
            if attrs.get("type") not in ("radio", "checkbox") or "checked" in attrs:
                self.forms[-1]["fields"].setdefault(attrs["name"], attrs.get("value", ""))
        self._textarea = attrs.get("name") if tag == "textarea" else None
        if tag == "option" and self._select and self.forms:
            self._options.append(attrs)
        self._tags.append(tag)

    def handle_endtag(self, tag):
        if tag == "select" and self._select and self._options:
            chosen = next((option for option in self._options if "selected" in option), self._options[0])
            self.forms[-1]["fields"][self._select] = chosen.get("value", "")
        if tag == "select":
            self._select, self._options = None, []
        self._textarea = None

    def handle_data(self, data):
        if self._textarea and self.forms:  # browsers ignore a newline after the tag
            self.forms[-1]["fields"][self._textarea] = data.removeprefix("\n")
        if not self._tags or self._tags[-1] not in ("script", "style"):
            self.text += data

    @property
    def html(self):
        """The HTML without the line breaks at the edges of its texts."""
        return re.sub(r"\s+", " ", re.sub(r"(?<=>)\s*\n\s*|\s*\n\s*(?=<)", "", self.answer.text))

    def form(self, action, last=False):
        """Return the first form, or the last, whose address ends like this."""
        forms = [form for form in self.forms if form["action"].partition("?")[0].endswith(action)]
        return forms[-1 if last else 0]


class Visitor:
    """A client that remembers the page it saw last and sends the forms on it."""

    def __init__(self, client):
        self.client, self.page = client, None

    def go(self, address, **headers):
        """Open a page below /console."""
        self.page = Page(self.client.get(f"/console{address}", headers=headers, follow_redirects=True))
        return self.page

    def send(self, action, last=False, **fields):
        """Send the form whose address ends with `action`, with these fields filled in."""
        form = self.page.form(action, last)
        self.page = Page(self.client.post(form["action"], data={**form["fields"], **fields}, follow_redirects=True))
        return self.page
