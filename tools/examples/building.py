"""Calls that build a worker with its flow, deployments, knowledge, hours and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dryline.tools.examples.walk import Walk

CODE = """say("Oak Clinic, good morning.")
loop:
    res = talk("Ask what we can do for them.", True)
until "caller wants to book an appointment":
    who = res.ask("When do they want to come?", {"day": "Monday"})
    extract("booking", who)
    say(f"See you on {who['day']}.")
until "caller wants a human":
    transfer(desk)
"""
EXTRACTIONS = {"appointment_day": {"type": "string", "description": "day that was agreed on", "required": False}}
CRITERIA = [
    {
        "title": "Booking",
        "description": "The purpose of the call",
        "items": [
            {"title": "Day agreed", "description": "A day was agreed on.", "type": "BINARY", "threshold": 1},
        ],
    }
]


@dataclass
class BuiltIds:
    """Ids of what was built."""

    worker: str
    flow: str
    voice: str
    voicev1: str
    chat: str
    widget: str
    agent: str


def show(walk: Walk) -> BuiltIds:
    """Build it."""
    _team(walk)
    worker = walk("createWorker", body={"name": "Front desk", "description": "Books visits", "status": "active"})["id"]
    walk("listWorkers")
    walk("getWorker", worker)
    walk("updateWorker", worker, body={"description": "Books and moves visits"})
    flow = _flow(walk, worker)
    built = _deployments(walk, worker, flow)
    _beside_deployments(walk, built)
    _tags(walk, worker)
    _knowledge(walk, worker)
    _hours(walk)
    _tests(walk, built)
    return built


def _team(walk: Walk) -> None:
    walk("getTeam", includeIntegrations="true")
    account = {"name": "Own numbers", "accountSid": "AC0123456789abcdef0123456789abcdef", "authToken": "a-secret"}
    integration = walk("createTwilioIntegration", body=account)["id"]
    walk("listIntegrations")
    walk("getIntegration", integration)
    walk("updateIntegration", integration, body={"description": "Numbers that we had before"})
    walk("registerPhoneNumber", body={"phoneNumber": "+14155550123", "integrationId": integration})
    walk("listAvailablePhoneNumbers", countryCode="US", numberType="Local", areaCode="415")
    number = walk("purchasePhoneNumbers", body={"phoneNumbers": ["+14155550142"]})[0]["id"]
    walk("listPhoneNumbers")
    walk("deletePhoneNumber", number)
    walk("deleteTwilioIntegration", integration)
    walk("getSubaccountCredentials")
    profile = {"name": "Oak Clinic", "about": "Appointments", "websites": ["https://oak-clinic.example"]}
    sender = walk("purchaseWhatsappSender", body={"phoneNumber": "+14155550177", "profile": profile})["senderSid"]
    walk("getWhatsappSenderStatus", sender)
    walk("createCustomVoice", body={"elevenlabsVoiceId": "EXAVITQu4vr4xnSDxMaL"})
    voice = walk("listCustomVoices")[0]["id"]
    walk("deleteCustomVoice", voice)
    walk("initTeamDefaultChecks")
    walk("initTeamDefaultChecks")
    walk("updateTeamDefaultChecks", body={"latencyThreshold": 1500, "alertEmails": ["ops@oak-clinic.example"]})
    walk("getTeamDefaultChecks")


def _flow(walk: Walk, worker: str) -> str:
    new = {
        "name": "Front desk",
        "label": "front-desk",
        "code": CODE,
        "variables": '{"desk": "+14155550100"}',
        "validate": True,
    }
    flow = walk("createFlow", worker, body=new)["id"]
    walk("listFlows", worker)
    change = {"code": CODE.replace("good morning", "hello"), "commitMessage": "Says hello at any hour"}
    walk("updateFlow", worker, flow, body=change)
    walk("commitFlowVersion", worker, flow, body={"commitMessage": "As it went live"})
    version = walk("listFlowVersions", worker, flow)["data"][0]["id"]
    walk("getFlowVersion", worker, flow, version)
    return flow


def _deployments(walk: Walk, worker: str, flow: str) -> BuiltIds:
    shared = {"flowId": flow, "extractions": EXTRACTIONS, "successCriteria": CRITERIA}
    config = {"language": "en-US", "voiceId": "EXAVITQu4vr4xnSDxMaL", "maxCallDurationMs": 600_000}
    new = {"name": "Main line", "phoneNumber": "+14155550100", "externalConfig": config, **shared}
    voice = walk("createVoiceDeployment", worker, body=new)["id"]
    walk("listVoiceDeployments", worker)
    walk("getVoiceDeployment", worker, voice)
    walk("updateVoiceDeployment", worker, voice, body={"externalConfig": {"voiceSpeed": 1.1}})
    voicev1 = _legacy_deployment(walk, worker, flow)
    new = {"name": "Web chat", "welcomeMessage": "Hello, how can we help?", **shared}
    made = walk("createChatDeployment", worker, body=new)
    chat, agent = made["id"], made["chatAgentId"]
    walk("listChatDeployments", worker)
    walk("getChatDeployment", worker, chat)
    walk("getChatDeploymentByAgent", worker, agent)
    walk("updateChatDeployment", worker, chat, body={"welcomeMessage": "Hello!"})
    new = {
        "name": "Widget",
        "flowId": flow,
        "agentName": "Olive",
        "primaryColor": "#2f6fed",
        "styling": {"radius": "8px"},
    }
    made = walk("createChatEmbedDeployment", worker, body=new)
    walk("listChatEmbedDeployments", worker)
    walk("getChatEmbedDeployment", worker, made["id"])
    walk("getChatEmbedDeploymentByEmbed", made["embedId"])
    walk("updateChatEmbedDeployment", worker, made["id"], body={"agentName": "Oli"})
    return BuiltIds(worker, flow, voice, voicev1, chat, made["id"], agent)


def _legacy_deployment(walk: Walk, worker: str, flow: str) -> str:
    new: dict[str, Any] = {
        "name": "Old line",
        "phoneNumber": "+14155550101",
        "flowId": flow,
        "objective": "Book an appointment",
        "startSentence": "Oak Clinic, good morning.",
        "endSentence": None,
        "voiceId": None,
        "language": "en-US",
        "allowedTransferNumbers": ["+14155550100"],
        "functions": None,
        "model": None,
        "resourceKeys": [],
        "wsBaseUrl": None,
        "config": {},
    }
    voicev1 = walk("createVoiceV1Deployment", worker, body=new)["id"]
    walk("listVoiceV1Deployments", worker)
    walk("getVoiceV1Deployment", worker, voicev1)
    walk("updateVoiceV1Deployment", worker, voicev1, body={"endSentence": "Goodbye."})
    return voicev1


def _beside_deployments(walk: Walk, built: BuiltIds) -> None:
    deployment = (built.worker, built.voice)
    new = {"name": "desk", "value": "+14155550199", "description": "The desk that answers in the afternoon"}
    walk("createDeploymentParameter", *deployment, body=new)
    parameter = walk("listDeploymentParameters", *deployment)[0]["id"]
    walk("updateDeploymentParameter", *deployment, parameter, body={"value": "+14155550198"})
    walk("getFlow", built.worker, built.flow, deploymentId=built.voice)
    walk("lookupFlow", built.flow)
    walk("lookupDeployment", built.voice, include="successCriteria,deploymentParameters")
    walk("deleteDeploymentParameter", *deployment, parameter)
    walk("updateDeploymentDefaultChecks", *deployment, body={"aiEnabled": False})
    walk("getDeploymentDefaultChecks", *deployment)
    walk("deleteDeploymentDefaultChecks", *deployment)
    new = {"url": "http://127.0.0.1:8080/calls", "fields": "summary,transcript,recording_url", "name": "CRM"}
    hook = walk("createCustomWebhook", *deployment, body=new)["id"]
    walk("listCustomWebhooks", *deployment)
    walk("getCustomWebhook", *deployment, hook)
    walk("updateCustomWebhook", *deployment, hook, body={"fields": "summary"})
    walk("listDeploymentHistory", *deployment)


def _tags(walk: Walk, worker: str) -> None:
    tag = walk("createTag", body={"label": "Oak Clinic", "color": "#2f9e44"})["id"]
    walk("assignTag", worker, body={"tagId": tag})
    walk("assignTag", worker, body={"tagId": tag})
    walk("listTags")
    walk("listWorkerTags", worker)
    walk("updateTag", tag, body={"color": "#1971c2"})
    walk("removeTag", worker, tag)
    walk("deleteTag", tag)


def _knowledge(walk: Walk, worker: str) -> None:
    folder = walk("createFolder", worker, body={"name": "Prices", "description": "The prices of visits"})["id"]
    walk("listFolders", worker)
    walk("getFolder", worker, folder)
    walk("updateFolder", worker, folder, body={"name": "Prices 2027"})
    link = {"name": "Price list", "rawLink": "https://oak-clinic.example/prices", "updateFrequency": "daily"}
    walk("createLinkResource", worker, body={**link, "folderId": folder})
    walk("listLinkResources", worker)
    address = walk("getResourceUploadUrl", worker, fileName="prices.txt", contentType="text/plain")["uploadUrl"]
    sent = b"A cleaning costs 90 dollars. A first visit is free."
    assert walk.send("PUT", address, data=sent, content_type="text/plain").status_code == 200
    walk.examples["putUpload"] = {}
    file = {"name": "Prices", "s3FilePath": address.partition("?")[0], "fileName": "prices.txt"}
    file |= {"mimeType": "text/plain", "size": len(sent), "folderId": folder}
    resource = walk("createFileResource", worker, body=file)["id"]
    walk("listFileResources", worker)
    walk("listFolderResources", worker, folder)
    walk.wait(5)
    shown = walk("getResource", worker, resource)
    assert walk.send("GET", shown["signedS3FilePath"]).data == sent
    walk.examples["downloadUpload"] = {}
    walk("queryResources", worker, body={"query": "What does a cleaning cost?", "queryParams": {"topK": 3}})
    walk("moveResource", worker, resource, body={"folderId": None})
    walk("deleteResource", worker, resource)
    walk("deleteFolder", worker, folder)


def _hours(walk: Walk) -> None:
    week = {"monday": "09:00-12:00,13:00-17:00", "friday": "08:00-14:00", "sunday": "closed"}
    new = {"timezone": "America/Los_Angeles", "hours": week, "primaryTag": "Oak Clinic", "secondaryTag": "Desk"}
    hours = walk("createBusinessHours", body=new)["id"]
    team = walk.get("/api/team")["id"]
    tie = walk("createTeamPhoneHours", body={"hoursId": hours, "phoneNumber": "+14155550100", "teamId": team})["id"]
    walk("listBusinessHours", includeTeamPhoneHours="true")
    walk("getBusinessHours", hours)
    walk("listTeamPhoneHours", includeRelations="true")
    walk("getTeamPhoneHours", tie)
    walk("checkCallable", body={"phoneNumber": "+14155550100", "timestamp": 1_795_197_600})
    walk("updateBusinessHours", hours, body={"hours": {**week, "saturday": "09:00-12:00"}})
    walk("updateTeamPhoneHours", tie, body={"phoneNumber": "+14155550101"})
    walk("deleteTeamPhoneHours", tie)
    walk("deleteBusinessHours", hours)


def _tests(walk: Walk, built: BuiltIds) -> None:
    checkpoints = [{"name": "Books", "description": "caller wants to book an appointment", "runs": 2, "tolerance": 1}]
    new = {"name": "Booking", "description": "Books a visit", "checkpoints": checkpoints, "testMode": "voice"}
    new |= {"systemPrompt": "You want to come on Tuesday.", "flowId": built.flow}
    test = walk("createTest", built.worker, body=new)["id"]
    walk("runTest", built.worker, test)
    walk.wait(10)
    walk("listTestRuns", built.worker, test)
    walk("updateTest", built.worker, test, body={"name": "Booking a visit"})
    walk("deleteTest", built.worker, test)
    items = [{"title": "Polite", "description": "The agent is polite.", "type": "BINARY", "threshold": 1}]
    card = walk("createEchoScorecard", body={"name": "Manners", "items": items})["id"]
    suite = walk("createEchoSuite", body={"name": "Every night", "echoScorecardIds": [card]})["id"]
    agent = {"name": "In a hurry", "type": "voice", "purpose": "Book a visit", "goals": ["A day is agreed on"]}
    agent_id = walk("createEchoAgent", body={**agent, "suiteId": suite, "deploymentId": built.voice})["id"]
    walk("listEchoScorecards")
    walk("listEchoSuites")
    walk("listEchoAgents")
    walk("getEchoScorecard", card)
    walk("updateEchoScorecard", card, body={"description": "How the agent speaks"})
    walk("updateEchoSuite", suite, body={"description": "Runs at two in the morning"})
    walk("updateEchoAgent", agent_id, body={"purpose": "Book a visit within a minute"})
    walk("runEcho", body={"type": "test_suite", "agent_data": {"suiteId": suite}})
    walk.wait(10)
    walk("deleteEchoAgent", agent_id)
    walk("deleteEchoSuite", suite)
    walk("deleteEchoScorecard", card)


def take_away(walk: Walk, built: BuiltIds) -> None:
    """Delete what was built, the parts first."""
    hook = walk.get(f"/api/workers/{built.worker}/deployments/{built.voice}/voice/customWebhooks")[0]["id"]
    walk("deleteCustomWebhook", built.worker, built.voice, hook)
    walk("deleteVoiceDeployment", built.worker, built.voice)
    walk("deleteVoiceV1Deployment", built.worker, built.voicev1)
    walk("deleteChatDeployment", built.worker, built.chat)
    walk("deleteChatEmbedDeployment", built.worker, built.widget)
    walk("deleteFlow", built.worker, built.flow)
    walk("deleteWorker", built.worker)
