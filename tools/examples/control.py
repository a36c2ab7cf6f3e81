"""The control plane: what tests and demos do with the stand-in."""

from __future__ import annotations

from dryline.state.undo import undoable
from dryline.tools.examples.building import CODE, BuiltIds
from dryline.tools.examples.walk import NOW, Walk


def show(walk: Walk, built: BuiltIds) -> None:
    """Steer the world."""
    walk("getHealth")
    walk("listWorkersOfAllTeams")
    _simulation(walk, built)
    _webhooks(walk, built)
    _exports(walk)
    _faults(walk)
    _requests(walk)
    walk("getSettings")
    walk("updateSettings", body={"exportMode": "auto", "callsPerMinute": 0})
    walk("listEchoRuns")
    walk("getClock")
    walk("setClock", body={"now": "2026-11-20T18:00:00Z", "frozen": True})
    walk("advanceClock", body={"seconds": 86_400})
    _teams(walk)
    _state(walk)
    walk("resetClock")
    walk("setClock", body={"now": NOW, "frozen": True})


def _simulation(walk: Walk, built: BuiltIds) -> None:
    voice = {"workerId": built.worker, "deploymentId": built.voice, "count": 3, "seed": 7}
    walk("simulateCalls", body={**voice, "outcome": "completed"})
    walk("simulateChats", body={**voice, "deploymentId": built.chat})
    talk = walk("startTalk", body={"code": CODE, "variables": {"desk": "+14155550100"}})["id"]
    walk("continueTalk", talk, body={"say": "I would like to book an appointment for Tuesday"})
    walk("getTalk", talk)
    walk("deleteTalk", talk)


def _webhooks(walk: Walk, built: BuiltIds) -> None:
    log = walk.newest("voiceLogs", deploymentId=built.voice)["id"]
    sent = walk("fireWebhookEvent", body={"logId": log, "event": "call_ended"})[0]["id"]
    walk("listWebhookDeliveries", status="PENDING")
    criteria = {"event": "call_ended", "logId": log, "times": {"min": 1}}
    walk("verifyWebhooks", body={**criteria, "status": "all"})
    walk("verifyWebhooks", body={**criteria, "event": "call_started"}, expect=409)
    walk("waitForWebhooks", body={"event": "call_ended", "logId": log, "status": "all"})
    walk("waitForWebhooks", body={"event": "call_started", "logId": log, "timeoutMs": 1}, expect=409)
    walk("redeliverWebhook", sent)
    walk("clearWebhookDeliveries")


def _exports(walk: Walk) -> None:
    walk.send("PUT", "/_dryline/settings", json={"exportMode": "manual"})
    ask = {"format": "CSV", "startDate": "2026-11-13T00:00:00Z", "endDate": NOW}
    export = walk.send("POST", "/api/team/exports", json=ask).json["id"]
    move = {"status": "FAILED", "errorMessage": "The disk of the exporter is full."}
    walk.send("POST", f"/_dryline/exports/{export}/transition", json={"status": "PROCESSING"})
    walk("transitionExport", export, body=move)


def _faults(walk: Walk) -> None:
    rule = {"method": "POST", "path": "/api/workers", "status": 429, "headers": {"Retry-After": "1"}, "times": 2}
    fault = walk("addFault", body=rule)["id"]
    walk("listFaults")
    walk("removeFault", fault)
    walk("clearFaults")


def _requests(walk: Walk) -> None:
    walk("clearRequests")
    new = {"name": "Night desk", "description": None, "status": None}
    walk.send("POST", "/api/workers", json=new)
    walk("listRequests", method="POST", path="/api/workers*")
    walk("countRequests", method="POST")
    criteria = {"method": "POST", "path": "/api/workers", "bodyContains": "Night desk", "times": {"min": 1, "max": 1}}
    walk("verifyRequests", body=criteria)
    walk("verifyRequests", body={**criteria, "bodyContains": "Day desk"}, expect=409)
    awaited = {"method": "POST", "path": "/api/workers", "count": 1, "timeoutMs": 1_000}
    walk("waitForRequests", body=awaited)
    walk("waitForRequests", body={**awaited, "count": 2, "timeoutMs": 1}, expect=409)


def _teams(walk: Walk) -> None:
    team = walk("createTeam", body={"name": "One test's team"})["id"]
    key = walk("createApiKey", team, body={"name": "second key"})["id"]
    walk("listTeams")
    walk("revokeApiKey", team, key)
    walk("deleteTeam", team)


def _state(walk: Walk) -> None:
    walk("getState")
    walk("saveSnapshot", body={"name": "before-the-test"})
    walk("listSnapshots")
    with walk.app.world.active(), undoable(walk.app.world, "reset"):  # as of a server that is not temporary
        pass
    walk("listUndoSnapshots")
    walk("undoLastChange")
    document = {"version": 1, "teams": [{"id": "team_1", "name": "Harbour", "apiKeys": ["my-key"]}]}
    document |= {"workers": [{"id": "worker_1", "name": "Front desk"}]}
    walk("replaceState", body=document)
    walk("extendState", body={"version": 1, "workers": [{"id": "worker_2", "name": "Night desk"}]})
    walk("resetState", body={"scenario": "empty"})
    walk("restoreSnapshot", "before-the-test")
    walk("deleteSnapshot", "before-the-test")
