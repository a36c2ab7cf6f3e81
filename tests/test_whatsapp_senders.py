"""WhatsApp senders: bought, reviewed, online or refused."""

import pytest

from dryline.tests.conftest import created

PROFILE = {"name": "Harbour", "about": "Tables", "emails": ["a@example.com"], "logoUrl": "https://example.com/l.png"}


@pytest.fixture
def buy(api, control):
    control.put("/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})

    def buy(number="+14155550100", profile=PROFILE):
        return created(api.post("/team/assets/purchase_whatsapp_sender", {"phoneNumber": number, "profile": profile}))

    return buy


def status(api, sender):
    return api.get(f"/team/assets/whatsapp_sender_status/{sender['senderSid']}").json


def test_a_sender_is_pending_until_its_review_is_over(api, advance, buy):
    sender = buy()
    assert sender == {
        **{"senderSid": sender["senderSid"], "phoneNumber": "+14155550100", "status": "PENDING", "profile": PROFILE},
        **{"createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-01T00:00:00.000Z"},
    }
    assert (sender["senderSid"][:2], len(sender["senderSid"])) == ("XE", 34)
    advance(59.999)
    assert status(api, sender) == sender
    advance(1)
    assert status(api, sender) == sender | {"status": "ONLINE", "updatedAt": "2026-01-01T00:01:00.000Z"}


@pytest.mark.parametrize("number", ["+15005550001", "front desk"])
def test_a_number_that_cannot_send_fails_its_review(api, advance, buy, number):
    sender = buy(number)
    advance(60)
    assert status(api, sender)["status"] == "FAILED"
