"""A state document of two teams, each with one row in every collection, and which id each path parameter wants.

A team's ids, and a word in each of its rows, begin with its name: what shows it in another team's answer is a leak.
"""

from __future__ import annotations

import re
from typing import Any

NORTH, SOUTH = TEAMS = ("north", "south")
KEYS = {team: f"{team}-key" for team in TEAMS}
# Both teams keep the same number, so that a lookup by number has to tell them apart.
NUMBER = "+14155550100"
WHEN = "2026-03-02T10:00:00.000Z"
LATER = "9000-01-01T00:00:00.000Z"

# The collection whose row a path's parameter names, by the path up to it; "." names a member other than the id.
PLACES = {
    "/api/team/integrations/{}": "integrations",
    "/api/team/integrations/twilio/{}": "integrations",
    "/api/team/assets/phone_numbers/{}": "phoneNumbers",
    "/api/team/assets/whatsapp_sender_status/{}": "whatsappSenders",
    "/api/team/customVoices/{}": "customVoices",
    "/api/team/tags/{}": "tags",
    "/api/team/exports/{}": "exports",
    "/api/echo/agents/{}": "echoAgents",
    "/api/echo/suites/{}": "echoSuites",
    "/api/echo/scorecards/{}": "echoScorecards",
    "/api/logs/{}": "voiceLogs",
    "/api/flows/{}": "flows",
    "/api/deployments/{}": "voiceDeployments",
    "/api/upload/{}": "workers",
    "/api/workers/business-hours/{}": "businessHours",
    "/api/workers/team-phone-hours/{}": "teamPhoneHours",
    "/api/workers/deployments/chat-embed/by-embed/{}": "embed",
    "/api/workers/{}": "workers",
    "/api/workers/{}/tags/{}": "tags",
    "/api/workers/{}/flows/{}": "flows",
    "/api/workers/{}/flows/{}/versions/{}": "flowVersions",
    "/api/workers/{}/deployments/{}": "voiceDeployments",
    "/api/workers/{}/deployments/{}/params/{}": "deploymentParameters",
    "/api/workers/{}/deployments/{}/voice/customWebhooks/{}": "customWebhooks",
    "/api/workers/{}/deployments/voice/{}": "voiceDeployments",
    "/api/workers/{}/deployments/voice/{}/outbound-campaigns/{}": "outboundCampaigns",
    "/api/workers/{}/deployments/voicev1/{}": "voicev1Deployments",
    "/api/workers/{}/deployments/voicev1/{}/campaigns/{}": "voicev1Campaigns",
    "/api/workers/{}/deployments/voicev1/{}/campaigns/{}/data/{}": "voicev1CampaignData",
    "/api/workers/{}/deployments/chat/{}": "chatDeployments",
    "/api/workers/{}/deployments/chat/agent/{}": "chatagent",
    "/api/workers/{}/deployments/chat-embed/{}": "chatEmbedDeployments",
    "/api/workers/{}/deploymentLogs/voice/{}": "voiceLogs",
    "/api/workers/{}/deploymentLogs/chat/{}": "chatLogs",
    "/api/workers/{}/deploymentLogs/chat-embed/{}": "chatEmbedLogs",
    "/api/workers/{}/deploymentLogs/sms/{}": "smsLogs",
    "/api/workers/{}/deploymentLogs/whatsapp/{}": "whatsappLogs",
    "/api/workers/{}/folders/{}": "folders",
    "/api/workers/{}/resources/{}": "resources",
    "/api/workers/{}/tests/{}": "tests",
    "/api/workers/{}/sessions/{}": "sessions",
    "/api/workers/{}/runtime-errors/{}": "runtimeErrors",
    "/api/workers/{}/llm-logs/{}": "llmLogs",
    "/api/workers/{}/llm-logs/by-call/{}": "call",
    "/api/workers/{}/llm-logs/by-session/{}": "sessions",
}

# The collection that a body member or query parameter refers to.
REFERENCES = {
    "workerId": "workers",
    "flowId": "flows",
    "flow_id": "flows",
    "versionId": "flowVersions",
    "flowVersionId": "flowVersions",
    "deploymentId": "voiceDeployments",
    "deploymentIds": "voiceDeployments",
    "integrationId": "integrations",
    "tagId": "tags",
    "folderId": "folders",
    "folderName": "folders",
    "resources": "resources",
    "hoursId": "businessHours",
    "teamId": "teams",
    "team_id": "teams",
    "suiteId": "echoSuites",
    "agentId": "echoAgents",
    "scorecardIds": "echoScorecards",
    "echoScorecardIds": "echoScorecards",
    "campaign_id": "outboundCampaigns",
    "sessionId": "sessions",
    "callId": "call",
}


def id_of(team: str, collection: str) -> str:
    return f"{team}-{collection}"


def path_ids(path: str, team: str) -> list[str]:
    """Return a team's values for the parameters of a path."""
    places = [re.sub(r"{\w+}", "{}", path[: match.end()]) for match in re.finditer(r"{\w+}", path)]
    return [id_of(team, PLACES[place]) for place in places]


def document() -> dict[str, Any]:
    """Both teams."""
    collections: dict[str, Any] = {"version": 1}
    for team in TEAMS:
        for name, row in rows(team).items():
            collections.setdefault(name, []).append(row)
    return collections


def rows(team: str) -> dict[str, dict[str, Any]]:
    def ref(collection: str) -> str:
        return id_of(team, collection)

    name = f"{team} name"
    worker, flow, voice = ref("workers"), ref("flows"), ref("voiceDeployments")
    channel = {"workerId": worker, "flowId": flow, "name": name}
    log = {"workerId": worker, "flowId": flow, "startTime": WHEN, "endTime": WHEN}
    result: dict[str, dict[str, Any]] = {
        "teams": {"name": name, "apiKeys": [KEYS[team]]},
        "integrations": {"appType": "twilio", "config": {"accountSid": name}, "name": name},
        "phoneNumbers": {"phoneNumber": NUMBER, "integrationId": ref("integrations"), "callerName": name},
        "whatsappSenders": {"senderSid": ref("whatsappSenders"), "phoneNumber": NUMBER, "profile": {"name": name}},
        "customVoices": {"elevenlabsVoiceId": name, "name": name},
        "workers": {"name": name},
        "tags": {"label": "VIP", "color": name},
        "workerTags": {"workerId": worker, "tagId": ref("tags")},
        "flows": {"workerId": worker, "name": name, "code": name},
        "flowVersions": {"flowId": flow, "versionNumber": 1, "code": name},
        "voiceDeployments": {**channel, "phoneNumber": NUMBER},
        "voicev1Deployments": {**channel, "phoneNumber": NUMBER, "objective": name},
        "chatDeployments": {**channel, "chatAgentId": ref("chatagent")},
        "chatEmbedDeployments": {**channel, "embedId": ref("embed")},
        "deploymentParameters": {"deploymentId": voice, "name": "city", "value": name},
        "deploymentHistory": {"deploymentId": voice, "changeType": "CONFIG", "changes": {"name": {"to": name}}},
        "customWebhooks": {"deploymentId": voice, "url": f"http://127.0.0.1:9/{team}", "fields": "summary"},
        "outboundCampaigns": {"deploymentId": voice, "data": [{"id": name}], "name": name},
        "queuedCalls": {"deploymentId": voice, "row": {"id": name, "phoneNumber": NUMBER}},
        "voicev1Campaigns": {"deploymentId": ref("voicev1Deployments"), "steps": [{"name": name}]},
        "voicev1CampaignData": {"campaignId": ref("voicev1Campaigns"), "rowData": {"name": name}},
        "teamDefaultChecks": {"alertEmails": [f"{team}@example.com"]},
        "deploymentDefaultChecks": {"deploymentId": voice, "alertEmails": [f"{team}@example.com"]},
        "voiceLogs": {**log, "deploymentId": voice, "transcription": name, "direction": "inbound"},
        "callsInProgress": {"deploymentId": voice, "call": _call(team)},
        "chatLogs": {**log, "deploymentId": ref("chatDeployments"), "userName": name},
        "chatEmbedLogs": {**log, "deploymentId": ref("chatEmbedDeployments"), "sessionId": ref("sessions")},
        "apiLogs": {**log, "deploymentId": None, "responseContent": name},
        "smsLogs": {**log, "deploymentId": voice, "transcription": name},
        "whatsappLogs": {**log, "deploymentId": voice, "transcription": name},
        "sessions": {"worker_id": worker, "flow_id": flow},
        "llmLogs": {
            "eventType": "afterRequestHook",
            "workerId": worker,
            "callId": ref("call"),
            "sessionId": ref("sessions"),
            "data": {"name": name},
        },
        "runtimeErrors": {"workerId": worker, "deploymentId": voice, "error": name, "service": "sms", "type": "E"},
        "folders": {"workerId": worker, "name": name},
        "resources": {"workerId": worker, "name": name, "ragType": "WEBPAGE", "folderId": ref("folders")},
        "tests": {"workerId": worker, "flowId": flow, "name": name},
        "testRuns": {"testId": ref("tests"), "status": "PASSED"},
        "businessHours": {"hours": {"monday": "09:00-17:00"}, "primaryTag": name},
        "teamPhoneHours": {"hoursId": ref("businessHours"), "phoneNumber": NUMBER},
        "echoSuites": {"name": name, "echoScorecardIds": [ref("echoScorecards")]},
        "echoScorecards": {"name": name},
        "echoAgents": {"name": name, "type": "caller", "purpose": name, "goals": [name]},
        "echoRuns": {"type": "agent", "agentData": {"name": name}, "status": "PASSED"},
        "exports": {"format": "JSON", "status": "FAILED", "logType": "voice", "errorMessage": name},
        "webhookDeliveries": {
            "deploymentId": voice,
            "webhookId": ref("customWebhooks"),
            "logId": ref("voiceLogs"),
            "event": "call_ended",
            "url": f"http://127.0.0.1:9/{team}",
            "body": {"summary": name},
            "status": "DELIVERED",
        },
    }
    for collection, row in result.items():
        if collection not in ("whatsappSenders", "workerTags", "deploymentDefaultChecks"):
            row["id"] = id_of(team, collection)
        if collection in OF_A_TEAM:
            row["teamId"] = id_of(team, "teams")
    return result


def _call(team: str) -> dict[str, Any]:
    """Return the log and session of a call that has not begun."""
    place = {"team_id": id_of(team, "teams"), "worker_id": id_of(team, "workers"), "created_at": LATER}
    log = {"id": id_of(team, "callsInProgress"), "deployment_id": id_of(team, "voiceDeployments"), **place}
    log |= {"updated_at": LATER, "start_time": LATER, "end_time": LATER, "type": "VoiceDeploymentLog"}
    session = {"id": id_of(team, "laterSession"), **place}
    return {"log": log, "session": session, "llm_logs": [], "runtime_errors": []}


OF_A_TEAM = {
    "integrations",
    "phoneNumbers",
    "whatsappSenders",
    "customVoices",
    "workers",
    "tags",
    "teamDefaultChecks",
    "llmLogs",
    "businessHours",
    "teamPhoneHours",
    "echoSuites",
    "echoScorecards",
    "echoAgents",
    "echoRuns",
    "exports",
    "webhookDeliveries",
}
