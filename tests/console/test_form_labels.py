"""The errors of forms name a field as its label does."""

import re
from html import unescape

import pytest

from dryline.blueprints.console.base import field_label
from dryline.tests.console.test_pages import ADDRESSES, SUBPAGES
from dryline.tests.console.visitor import Visitor

# Labels that say what is done with a name, and when a campaign begins, which no choice of the list can get wrong.
OTHER = {"Save a snapshot", "Start"}
_FORM = re.compile(r'<form[^>]*method="post".*?</form>', re.DOTALL)
_FIELD = re.compile(r"<(?:input|select|textarea)\b[^>]*>", re.DOTALL)


def attribute(tag, name):
    match = re.search(rf'\b{name}="([^"]*)"', tag)
    return match and match[1]


def label_of(form, tag):
    """Return the text of the label of a field: one that names its id, or the one around it."""
    if match := re.search(rf'<label for="{attribute(tag, "id")}">(.*?)</label>', form, re.DOTALL):
        text = match[1]
    else:
        text = form[: form.index(tag)].rpartition("<label")[2].partition(">")[2]
    return " ".join(unescape(re.sub(r'<span class="note">.*?</span>|<[^>]*>', " ", text)).split())


def labels(html):
    """Yield the name and the label of each visible field of the forms of a page."""
    for form in _FORM.findall(html):
        for tag in _FIELD.findall(form):
            is_field = attribute(tag, "type") not in ("hidden", "radio", "checkbox", "file") and " hidden" not in tag
            if is_field and attribute(tag, "name"):
                yield attribute(tag, "name"), label_of(form, tag)


@pytest.fixture(scope="module")
def forms(demo):
    """Return the labels of all forms, by the names of their fields."""
    client, forms = Visitor(demo.app.test_client()), {}
    for address in ADDRESSES + SUBPAGES:
        for name, text in labels(client.go(address).answer.text):
            forms.setdefault(name, {}).setdefault(text, address)
    return forms


def test_an_error_names_a_field_as_its_label_does(forms):
    assert len(forms) > 20
    others = [
        (name, text, address)
        for name, texts in forms.items()
        for text, address in texts.items()
        if not text.startswith(field_label(name)) and text not in OTHER
    ]
    assert others == []


def test_an_error_of_a_rule_names_the_label_too(visitor):
    visitor.go("")
    assert "To a time: The clock goes from" in visitor.send("/world/clock", now="0001-01-01T00:00:00Z").text
