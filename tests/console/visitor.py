"""A person without script: follows links, fills in forms, and reads."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from urllib.request import urlopen

_SNIPPET = re.compile(r'>([^<>]+)</(?:summary|h2)>\s*<div class="snippet"><pre[^>]*><code>(.*?)</code>', re.DOTALL)


def snippets(server, address):
    """What a server's page gives to copy, each by the first word of its heading, and the page itself."""
    with urlopen(f"{server.url}/console{address}") as answer:
        html = answer.read().decode()
    return {re.match(r"\w+", title)[0]: unescape(text) for title, text in _SNIPPET.findall(html)}, html


class Page(HTMLParser):
    """An answer's HTML: its links, its forms with their fields, and its text."""

    def __init__(self, answer):
        super().__init__()
        self.answer, self.status = answer, answer.status_code
        self.links, self.forms, self.fetched, self.ids = [], [], [], []
        self.text, self._within = "", []
        self._select, self._options, self._area = None, [], None
        self.feed(answer.get_data(as_text=True))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a":
            self.links.append(given.get("href"))
        if tag in ("script", "img", "audio", "source", "link", "iframe"):
            self.fetched.append(given.get("src") or given.get("href"))
        if tag == "form":
            self.forms.append({"action": given.get("action", ""), "method": given.get("method", "get"), "fields": {}})
        if tag in ("input", "select", "textarea") and given.get("name") and self.forms:
            self._select = given["name"] if tag == "select" else None
            if given.get("type") not in ("radio", "checkbox") or "checked" in given:
                self.forms[-1]["fields"].setdefault(given["name"], given.get("value", ""))
        self._area = given.get("name") if tag == "textarea" else None
        if tag == "option" and self._select and self.forms:
            self._options.append(given)
        self._within.append(tag)

    def handle_endtag(self, tag):
        if tag == "select" and self._select and self._options:
            chosen = next((each for each in self._options if "selected" in each), self._options[0])
            self.forms[-1]["fields"][self._select] = chosen.get("value", "")
        if tag == "select":
            self._select, self._options = None, []
        self._area = None

    def handle_data(self, data):
        if self._area and self.forms:  # as a browser has it: without the line's end behind the tag
            self.forms[-1]["fields"][self._area] = data.removeprefix("\n")
        if not self._within or self._within[-1] not in ("script", "style"):
            self.text += data

    def form(self, action, last=False):
        """The first form, or the last, that goes to an address that ends like this."""
        found = [form for form in self.forms if form["action"].partition("?")[0].endswith(action)]
        return found[-1 if last else 0]


class Visitor:
    """A person without script: follows links, sends the forms of the page last seen."""

    def __init__(self, client):
        self.client, self.page = client, None

    def go(self, address, **headers):
        """Open a page below /console."""
        self.page = Page(self.client.get(f"/console{address}", headers=headers, follow_redirects=True))
        return self.page

    def send(self, action, **fields):
        """Send the form of this page that goes to `action`, with these fields filled in, and follow where it leads."""
        form = self.page.form(action)
        answer = self.client.post(form["action"], data={**form["fields"], **fields}, follow_redirects=True)
        self.page = Page(answer)
        return self.page
