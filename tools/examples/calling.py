"""Calls that a deployment places: campaigns and batches."""

from __future__ import annotations

from dryline.tools.examples.building import Places
from dryline.tools.examples.walk import Walk

ROWS = [
    {"id": "row-1", "phoneNumber": "+14155550111", "name": "Ada Lovelace", "city": "Oakland"},
    {"id": "row-2", "phoneNumber": "+14155550112", "name": "Grace Hopper", "city": "Alameda"},
]


def show(walk: Walk, places: Places) -> None:
    """Call rows, in every way there is."""
    at = (places.worker, places.voice)
    new = {"name": "Reminders", "data": ROWS, "batch_size": 1, "batch_interval_minutes": 10, "status": "RUNNING"}
    campaign = walk("createOutboundCampaign", *at, body=new)["id"]
    walk("getOutboundCampaign", *at, campaign)
    walk("listOutboundCampaigns", *at)
    walk("updateOutboundCampaign", *at, campaign, body={"batch_interval_minutes": 5})
    walk("stopCampaign", *at, body={"campaign_id": campaign})
    walk("deleteOutboundCampaign", *at, campaign)
    batch = {"data": ROWS, "batch_size": 1, "condition": '{{city}} == "Oakland" or {{city}} == "Alameda"'}
    walk("makeVoiceBatchCalls", *at, body=batch)
    walk("stopVoiceBatchCalls", *at)
    at = (places.worker, places.voicev1)
    walk("makeVoiceV1BatchCalls", *at, body={"data": ROWS, "additional_data": {"clinic": "Oak Clinic"}})
    campaign = walk("createVoiceV1Campaign", *at, body={"steps": [{"type": "call"}]})["id"]
    walk("runVoiceV1Campaign", *at, campaign, body={"data": ROWS})
    walk.wait(600)
    walk("getVoiceV1Campaign", *at, campaign)
    walk("getVoiceV1CampaignData", *at, campaign, "row-1")
    walk("updateVoiceV1CampaignData", *at, campaign, "row-1", body={"status": "PENDING"})
