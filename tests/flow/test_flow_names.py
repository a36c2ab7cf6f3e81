"""The names that a flow uses as contract/based.md describes them.

Each case is a flow, the user's turns behind `<<<` and the texts of the flow's say()s behind `>>>`. The turn `/a` takes
the condition "a". Every session is stored and loaded before each turn.
"""

from __future__ import annotations

import pytest

from dryline.tests.flow.conftest import flow_cases

CASES = r'''
=== say() returns its text
x = say("hi", True, "gpt-4o")
say(x + "!", exact=False)
>>> hi | hi!

=== say() prints values as Python does, and a set always in the same order
import datetime as d
say(d.datetime(2026, 1, 2, 9, 30))
say(d.timedelta(minutes=90))
say(2 ** 70)
say((1, "a"))
say({"b", "a", "c"})
>>> 2026-01-02 09:30:00 | 1:30:00 | 1180591620717411303424 | (1, 'a') | {'a', 'b', 'c'}

=== The results of asks, talks and zones live through the turns
from zoneinfo import ZoneInfo
from datetime import datetime
zone = ZoneInfo("Europe/Zurich")
answer = "My name is Ada Byron".ask("?", {"name": ""})
loop:
    state["text"] = talk("p", False)
until "the kettle boils":
    say(answer["name"] + str(datetime.now(zone).tzinfo is not None))
loop:
    talk("p", False)
until "b":
    say(state["text"].ask("?", {"name": ""})["name"])
<<< I am Bob Hill; /the kettle boils; I am Ann Lee; /b
>>> Ada ByronTrue | Bob Hill

=== A talk's result is true, is its transcript and has no keys
loop:
    r = talk("p", False)
until "a":
    say("yes" if r and "hello" in f"{r}" else "no")
    try:
        r["name"]
    except KeyError:
        say("KeyError")
<<< hello; /a
>>> yes | KeyError

=== A summary is a text
loop:
    r = talk("p", False)
until "a":
    say(r.summarize())
    say("a text".summarize(prompt="Shorter.", model="gpt-4o"))
<<< I lost my key; /a
>>> I lost my key | a text

=== An answer is a dict
p = "x".ask("q", {"a": "b", "c": 1})
d = dict(p)
d.update(p)
extract("p", p)
say(type(p.to_json()).__name__ + str(p.get("zz")) + str(len(list(p.items()))))
>>> dictNone2

=== ask() takes its arguments by place and by name, and a schema goes before an example
a = "I am Ada Byron, it is blue"
say(a.ask("Who?", {"x": 1}, {"type": "object", "properties": {"name": {"type": "string"}}})["name"])
say(a.ask("which?", example={"x": 1}, schema={"properties": {"kind": {"enum": ["red", "blue"]}}})["kind"])
say("I am Ada Byron".ask(question="Who?"))
>>> Ada Byron | blue | Ada Byron

=== ask() works in an f-string, also as older Pythons write it
x = 'My name is Ada Byron'
say(f"It is {x.ask("who?", {"name": ""})["name"]!s:>12}.")
say(f'{x.ask("?", {"name": ""})["name"]} {{x}}')
>>> It is    Ada Byron. | Ada Byron {x}

=== await can stand at the top level and before values that are there at once
async def name_of(text):
    return await text.ask("What is the name?", {"name": "Jo"})
answer = await name_of("My name is Ada Byron")
await say(answer["name"])
>>> Ada Byron

=== Methods of a class keep their names
class Helper:
    def talk(self): return "mine"
    def say(self): return "mine"
    def ask(self, q): return "own " + q
say(Helper().talk())
say(Helper().ask("x"))
loop:
    talk("p", False)
until "a":
    say("A")
<<< /a
>>> mine | own x | A

=== Long texts and continued lines in an until keep their text
loop:
    r = talk("p",  # the prompt )
        False  # waits
    )
until "a":
    x = """one
  two
"""
    y = [1,
2,
  3]
    say(x + str(y) + \
"!")
<<< /a
>>> one\n  two\n[1, 2, 3]!

=== time.sleep needs no import and takes no time
time.sleep(3600)
say("a")
>>> a

=== del takes a member out of a dict or a list
d = {"a": {"b": 1}, (1, 2): 3}
x = [1, 2]
del d["a"]["b"]; del d[1, 2]
del x[-1]
say(f"{d} {x}")
>>> {'a': {}} [1]

=== The time is that of a zone
from datetime import datetime
from zoneinfo import ZoneInfo
now = datetime.now(ZoneInfo("America/New_York"))
say(now.strftime("%z") in ("-0400", "-0500"))
>>> True

=== Messages and integrations succeed, and RANDOM draws a text
sent = await send_sms("+1", "+2", "hello")
say(f"{sent.success} {sent.status}")
done_it = await integrations.slack.send_message(channel="#a", text="hi")
say(done_it.success)
say(len(RANDOM(4).generate()))
>>> True sent | True | 4
'''


@pytest.mark.parametrize(("code", "turns", "said"), flow_cases(CASES))
def test_names(talk, take, code, turns, said):
    talked = talk(code, *(take(turn[1:]) if turn.startswith("/") else turn for turn in turns))
    assert talked.said == said
    assert talked.session.ended == "end of the flow"
