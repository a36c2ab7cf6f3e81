"""The origins of requests: who sends them."""

from typing import Literal, get_args

Origin = Literal["program", "test", "arranged", "console", "inbox"]

# The program that is tested; the test itself, with the client of its helpers; a helper that creates what a test needs;
# a person in the console; whoever posts to the inbox, such as this server's webhooks.
PROGRAM: Origin = "program"
TEST: Origin = "test"
ARRANGED: Origin = "arranged"
CONSOLE: Origin = "console"
INBOX: Origin = "inbox"
ORIGINS: tuple[Origin, ...] = get_args(Origin)

# A search of the request log leaves these out unless it names them, and no fault applies to them.
UNSEARCHED = (ARRANGED, CONSOLE)
# A search names this for requests of every origin.
ALL = "all"

# Key of a request's environ: the origin of a request that this process makes. No client can set it.
ORIGIN_KEY = "dryline.origin"
# Key of the environ of a request that the console makes for a person: the id of the team, in the place of an API key.
TEAM_KEY = "dryline.team"
# Key of the environ of such a request: a function that is called with its entry of the request log.
RECORDED_KEY = "dryline.recorded"
# The header with which a client says that a request is of the test, or arranged. The latter is believed of those who
# may use the control plane.
ORIGIN_HEADER = "X-Dryline-Origin"
