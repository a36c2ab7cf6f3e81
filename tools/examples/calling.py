"""Calls that a deployment built: campaigns and batches."""

from __future__ import annotations

from dryline.tools.examples.building import BuiltIds
from dryline.tools.examples.walk import Walk

ROWS = [
    {"id": "row-1", "phoneNumber": "+14155550111", "name": "Ada Lovelace", "city": "Oakland"},
    {"id": "row-2", "phoneNumber": "+14155550112", "name": "Grace Hopper", "city": "Alameda"},
]


def show(walk: Walk, built: BuiltIds) -> None:
    """Call rows, in every way there is."""
    deployment = (built.worker, built.voice)
    new = {"name": "Reminders", "data": ROWS, "batch_size": 1, "batch_interval_minutes": 10, "status": "RUNNING"}
    campaign = walk("createOutboundCampaign", *deployment, body=new)["id"]
    walk("getOutboundCampaign", *deployment, campaign)
    walk("listOutboundCampaigns", *deployment)
    walk("updateOutboundCampaign", *deployment, campaign, body={"batch_interval_minutes": 5})
    walk("stopCampaign", *deployment, body={"campaign_id": campaign})
    walk("deleteOutboundCampaign", *deployment, campaign)
    batch = {"data": ROWS, "batch_size": 1, "condition": '{{city}} == "Oakland" or {{city}} == "Alameda"'}
    walk("makeVoiceBatchCalls", *deployment, body=batch)
    walk("stopVoiceBatchCalls", *deployment)
    deployment = (built.worker, built.voicev1)
    walk("makeVoiceV1BatchCalls", *deployment, body={"data": ROWS, "additional_data": {"clinic": "Oak Clinic"}})
    campaign = walk("createVoiceV1Campaign", *deployment, body={"steps": [{"type": "call"}]})["id"]
    walk("runVoiceV1Campaign", *deployment, campaign, body={"data": ROWS})
    walk.wait(600)
    walk("getVoiceV1Campaign", *deployment, campaign)
    walk("getVoiceV1CampaignData", *deployment, campaign, "row-1")
    walk("updateVoiceV1CampaignData", *deployment, campaign, "row-1", body={"status": "PENDING"})
