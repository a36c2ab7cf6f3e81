"""Loops and conditions of flows as contract/based.md describes them.

Each case is a flow, the user's turns behind `<<<` and the texts of the flow's say()s behind `>>>`. The turn `/a` takes
the condition "a". Every session is stored and loaded before each turn.
"""

from __future__ import annotations

import pytest

from dryline.tests.flow.conftest import flow_cases

CASES = r'''
=== The flow goes on behind a loop when one of its untils ends
loop:
    talk("Host a quiz.", False)
until "player wants a question":
    loop:
        talk("Ask question one.", True)
    until "answer is yes":
        say("Right.")
    until "player needs time":
        return "player has 10 more seconds"
say("after")
<<< /player wants a question; /player needs time; /answer is yes
>>> Right. | after

=== The transcript goes on when a return leads back to the loop
loop:
    r = talk("p", False)
until "again":
    return
until "stop":
    say("User: hello you" in str(r))
<<< /again; hello you; /stop
>>> True

=== Untils indented as the loop's body belong to it
loop:
    talk("p", False)
    until "a":
        say("A")
    until "b":
        say("B")
say("end")
<<< /b
>>> B | end

=== A source that is indented as a whole runs
    say("hi")
    loop:
        talk("p", False)
    until "a":
        say("""x
  y""")
<<< /a
>>> hi | x\n  y

=== Other statements in a loop run on each pass
n = 0
loop:
    n += 1
    talk("p", False)
    n += 10
until "again":
    return
until "stop":
    say(n)
<<< /again; /stop
>>> 22

=== The last of several talks has the conditions
loop:
    talk("Ask for the name.", True)
    talk("second", False)
until "a":
    say("A")
<<< /a
>>> A

=== A break in an until leaves the loop
loop:
    talk("p", False)
until "a":
    break
say("end")
<<< /a
>>> end

=== A break and a continue in a Python loop are its own
loop:
    talk("p", False)
until "a":
    for n in [1, 2, 3]:
        if n == 1:
            continue
        if n == 3:
            break
        say(n)
    say("on")
<<< /a
>>> 2 | on

=== A return at the top level ends the run
say("a")
if True:
    return
say("b")
>>> a

=== A return in a loop's body begins its next pass
n = 0
loop:
    n += 1
    if n == 1:
        return
    talk("p", False)
until "a":
    say(n)
<<< /a
>>> 2

=== A return in a function is the function's
def double(n):
    return n * 2
loop:
    talk("p", False)
until "a":
    def add(n):
        for m in [1]:
            return n + m
    say(add(double(4)))
<<< /a
>>> 9

=== done() ends the turn, and the next message goes on in the loop
loop:
    talk("p", False)
until "a":
    talk("Greet.")
    say("wait")
    done()
    say("not this")
until "user says banana":
    say("B")
<<< /a; I say banana
>>> wait | B

=== After done() outside of loops the next message goes on behind it
talk("Greet.")
done()
say("b")
<<< hello
>>> b

=== A tool is a condition, and `as` binds its arguments
tool = {"name": "book", "description": "caller books as well as pays", "parameters":
    {"type": "object", "properties": {"email": {"type": "string"}}}}
loop:
    talk("p", False)
until tool as args:
    say(args["email"])
until {"type": "function", "function": {"name": "leave", "description": "caller leaves"}} as other:
    say("other")
<<< I book and I pay: ada@example.org
>>> ada@example.org

=== A condition can hold the word `as`
loop:
    talk("p", False)
until "as soon as possible":
    say("A")
<<< /as soon as possible
>>> A
'''


@pytest.mark.parametrize(("code", "turns", "said"), flow_cases(CASES))
def test_loops_and_conditions(talk, take, code, turns, said):
    talked = talk(code, *(take(turn[1:]) if turn.startswith("/") else turn for turn in turns))
    assert talked.said == said
    assert talked.session.ended == "end of the flow"
