"""Calls that read: logs of the demo world, the records behind them, and exports."""

from __future__ import annotations

from dryline.tools.examples.building import BuiltIds
from dryline.tools.examples.walk import NOW, Walk

WINDOW = {"startDate": "2026-11-13T00:00:00Z", "endDate": NOW}


def show(walk: Walk, built: BuiltIds) -> None:
    """Read what conversations left behind."""
    call = walk.newest("voiceLogs", status="transferred")
    worker, log = call["workerId"], call["id"]
    walk("listVoiceLogs", worker, limit=1, startTimeAfter="2026-11-13T00:00:00Z")
    shown = walk("getVoiceLog", worker, log)
    walk("lookupLog", log)
    walk("getSession", worker, shown["bbEngineSessionId"])
    assert walk.send("GET", shown["recordingUrl"]).status_code == 200
    walk.examples["getRecording"] = {}
    chat, visit, sms, whatsapp = (walk.newest(f"{kind}Logs") for kind in ("chat", "chatEmbed", "sms", "whatsapp"))
    walk("listChatLogs", chat["workerId"])
    walk("getChatLog", chat["workerId"], chat["id"])
    walk("listChatEmbedLogs", visit["workerId"])
    walk("getChatEmbedLog", visit["workerId"], visit["id"])
    walk("listSMSLogs", sms["workerId"], limit=1)
    walk("getSMSLog", sms["workerId"], sms["id"])
    walk("listWhatsAppLogs", whatsapp["workerId"], limit=1)
    walk("getWhatsAppLog", whatsapp["workerId"], whatsapp["id"])
    _behind(walk, built)
    walk("analyzeVoice", body={**WINDOW, "granularity": "weekly", "timezone": "America/Los_Angeles"})
    _exports(walk)


def _behind(walk: Walk, built: BuiltIds) -> None:
    worker = built.worker
    hook = {
        "callId": "call-1",
        "sessionId": "session-1",
        "eventType": "afterRequestHook",
        "request": {"json": {"messages": [{"role": "user", "content": "I would like to come on Tuesday."}]}},
        "response": {"json": {"choices": [{"message": {"role": "assistant", "content": "Tuesday at nine?"}}]}},
    }
    walk("receivePortkeyLogs", body=hook)
    log = walk("listLlmLogs", worker, limit=1)["logs"][0]["id"]
    walk("getLlmLog", worker, log)
    walk("listLlmLogsByCall", worker, "call-1")
    walk("listLlmLogsBySession", worker, "session-1")
    walk("deleteLlmLog", worker, log)
    walk("deleteLlmLogsByCall", worker, "call-1")
    new = {"error": "desk is not set", "service": "based_engine", "type": "NameError", "deploymentId": built.voice}
    error = walk("recordRuntimeError", worker, body={**new, "functionName": "transfer", "lineNumber": 9})["id"]
    walk("listRuntimeErrors", worker)
    walk("getRuntimeError", worker, error)


def _exports(walk: Walk) -> None:
    fields = ["startTime", "status", "duration", "fromNumber"]
    ask = {"format": "CSV", "logType": "voice", "fields": fields, "filtersJson": {"direction": "inbound"}}
    export = walk("createExport", body={**WINDOW, **ask})["id"]
    walk.wait(10)
    walk("listExports")
    link = walk("getExport", export)["downloadUrl"]
    signature = link.partition("signature=")[2]
    walk("downloadExport", export, signature=signature)
    walk.refused("RangeNotSatisfiable", "GET", link, headers={"Range": "bytes=9999999-"})
    walk.refused("Forbidden", "GET", link[:-1])
    for file in walk.app.world.directory.glob(f"exports/{export}*"):
        file.unlink()
    walk.refused("ServiceUnavailable", "GET", link)
    export = walk.send("POST", "/api/team/exports", json={**WINDOW, **ask, "format": "JSON"}).json["id"]
    walk.wait(10)
    link = walk.get(f"/api/team/exports/{export}")["downloadUrl"]
    walk("downloadExport", export, signature=link.partition("signature=")[2])
