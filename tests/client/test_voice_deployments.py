"""Voice deployments with their webhooks and checks."""

import brainbase_labs
import pytest

EXTRACTIONS = {"topic": {"type": "string", "description": "topic of the call", "required": True}}
CRITERIA = [
    {
        "title": "Manners",
        "description": "How it was said",
        "items": [{"title": "Greeted", "description": "Said hello", "type": "BINARY", "threshold": 1}],
    }
]
EXTERNAL_CONFIG = {
    "engine_version": "v2",
    "language": "en-US",
    "voice_id": "11labs-Adrian",
    "voice_model": "eleven_flash_v2_5",
    "fallback_voice_ids": ["openai-Alloy"],
    "voice_temperature": 1.2,
    "voice_speed": 1,
    "volume": 0.5,
    "responsiveness": 1,
    "interruptibility": 0.7,
    "enable_responsive_reactions": True,
    "responsive_reactions_frequency": 0.3,
    "responsive_reactions_words": ["yes"],
    "enable_backchannel": False,
    "backchannel_frequency": 0.1,
    "backchannel_words": ["uh-huh"],
    "reminder_trigger_ms": 10_000,
    "reminder_max_count": 2,
    "ambient_sound": "coffee-shop",
    "ambient_sound_volume": 0.2,
    "boosted_keywords": ["dryline"],
    "enable_transcription_formatting": True,
    "opt_out_sensitive_data_storage": False,
    "pii_config": {"mode": "post_call", "categories": ["ssn"]},
    "pronunciation_dictionary": [{"word": "pier", "alphabet": "ipa", "phoneme": "per"}],
    "normalize_for_speech": True,
    "end_call_after_silence_ms": 600_000,
    "max_call_duration_ms": 3_600_000,
    "enable_voicemail_detection": True,
    "voicemail_message": "Please call back.",
    "voicemail_detection_timeout_ms": 30_000,
    "voice_emotion_enabled": True,
    "begin_message_delay_ms": 1000,
    "ring_duration_ms": 30_000,
    "audio_encoding": "pcm",
    "sample_rate": 16_000,
    "reduce_silence": False,
    "filler_audio_enabled": True,
    "include_reason": None,
}


def test_a_deployment_from_creation_to_deletion(client, api, worker, flow):
    voice = f"/workers/{worker}/deployments/voice"
    made = client.workers.deployments.voice.create(
        worker,
        name="Line",
        phone_number="+14155550100",
        flow_id=flow,
        external_config=EXTERNAL_CONFIG,
        enable_voice_sentiment=True,
        engine_model="gpt-4o",
        extractions=EXTRACTIONS,
        success_criteria=CRITERIA,
        backup_phone_number="+14155550101",
        backup_phone_message="One moment.",
    )
    assert client.workers.deployments.voice.retrieve(made.id, worker_id=worker) == made
    assert len(made.external_config) == len(EXTERNAL_CONFIG)
    assert made.external_config["piiConfig"] == EXTERNAL_CONFIG["pii_config"]
    stored = api.get(f"{voice}/{made.id}").json
    assert (stored["extractions"], stored["successCriteria"]) == (EXTRACTIONS, CRITERIA)
    assert (stored["engineModel"], stored["backupPhoneMessage"]) == ("gpt-4o", "One moment.")

    client.workers.deployments.voice.update(
        made.id,
        worker_id=worker,
        name="Second line",
        phone_number="+14155550102",
        flow_id=flow,
        external_config={"voice_speed": 1.5, "pii_config": None},
        enable_voice_sentiment=False,
        engine_model=None,
        extractions={},
        success_criteria=[],
        backup_phone_number="+14155550103",
        backup_phone_message="Hold on.",
        custom_webhooks=[{"url": "http://127.0.0.1:9/hook"}],
    )
    (changed,) = client.workers.deployments.voice.list(worker)
    assert (changed.phone_number, changed.enable_voice_sentiment) == ("+14155550102", False)
    assert (changed.external_config["voiceSpeed"], changed.external_config["piiConfig"]) == (1.5, None)
    assert changed.external_config["voiceId"] == "11labs-Adrian"
    stored = api.get(f"{voice}/{made.id}").json
    assert (stored["name"], stored["engineModel"], stored["successCriteria"]) == ("Second line", None, [])
    assert [hook["url"] for hook in stored["customWebhooks"]] == ["http://127.0.0.1:9/hook"]

    client.workers.deployments.voice.delete(made.id, worker_id=worker)
    with pytest.raises(brainbase_labs.NotFoundError):
        client.workers.deployments.voice.retrieve(made.id, worker_id=worker)


def test_a_webhook_from_creation_to_deletion(client, api, worker, make_voice_deployment, flow):
    line = make_voice_deployment({"id": flow, "workerId": worker})["id"]
    hooks = f"/workers/{worker}/deployments/{line}/voice/customWebhooks"
    client.workers.deployments.voice.custom_webhooks.create(
        line,
        worker_id=worker,
        url="http://127.0.0.1:9/first",
        fields="recording_url,summary",
        method="PUT",
        name="First",
        active=False,
    )
    client.workers.deployments.voice.custom_webhooks.list(line, worker_id=worker)
    (made,) = api.get(hooks).json
    assert (made["method"], made["active"], made["fields"]) == ("PUT", False, "recording_url,summary")

    client.workers.deployments.voice.custom_webhooks.update(
        made["id"],
        worker_id=worker,
        deployment_id=line,
        url="http://127.0.0.1:9/second",
        fields="summary",
        method="PATCH",
        name="Second",
        active=True,
    )
    client.workers.deployments.voice.custom_webhooks.retrieve(made["id"], worker_id=worker, deployment_id=line)
    changed = api.get(f"{hooks}/{made['id']}").json
    assert (changed["url"], changed["method"], changed["active"]) == ("http://127.0.0.1:9/second", "PATCH", True)

    client.workers.deployments.voice.custom_webhooks.delete(made["id"], worker_id=worker, deployment_id=line)
    assert api.get(hooks).json == []


def test_a_deployments_checks_lie_over_the_teams(client, api, worker, make_voice_deployment, flow):
    line = make_voice_deployment({"id": flow, "workerId": worker})["id"]
    checks = f"/workers/{worker}/deployments/{line}/default-checks"
    with pytest.raises(brainbase_labs.NotFoundError):
        client.team.default_checks.retrieve()
    client.team.default_checks.initialize()
    client.team.default_checks.retrieve()
    client.team.default_checks.update(
        latency_enabled=False,
        latency_threshold=1500,
        api_enabled=False,
        api_threshold=2,
        ai_enabled=True,
        ai_threshold=0.9,
        alert_emails=["team@example.com"],
        sample_rate=0.5,
    )
    assert api.get(checks).json["latencyThreshold"] == 1500

    client.workers.deployments.default_checks.update(
        line,
        worker_id=worker,
        enabled=True,
        latency_enabled=True,
        latency_threshold=900,
        api_enabled=True,
        api_threshold=3,
        ai_enabled=False,
        ai_threshold=0.1,
        alert_emails=["line@example.com"],
        sample_rate=1,
    )
    client.workers.deployments.default_checks.retrieve(line, worker_id=worker)
    assert (api.get(checks).json["latencyThreshold"], api.get(checks).json["sampleRate"]) == (900, 1)
    assert api.get("/team/default-checks").json["alertEmails"] == ["team@example.com"]

    client.workers.deployments.default_checks.delete(line, worker_id=worker)
    assert api.get(checks).json["latencyThreshold"] == 1500
