"""Business hours, the numbers that keep them, and the question whether a number may be called."""

import brainbase_labs
import pytest

MONDAY_NOON = 1_767_614_400  # 2026-01-05T12:00:00Z
HOURS = {"monday": "09:00-17:00"}


def test_business_hours_from_creation_to_deletion(client):
    made = client.workers.business_hours.create(
        hours=HOURS, primary_tag="Harbour", secondary_tag="Office", timezone="Europe/Oslo"
    )
    assert (made.hours, made.timezone, made.secondary_tag) == (HOURS, "Europe/Oslo", "Office")
    changed = client.workers.business_hours.update(
        made.id, hours={"sunday": "10:00-12:00"}, primary_tag="Pier", secondary_tag="Bar", timezone="UTC"
    )
    assert (changed.hours, changed.primary_tag, changed.timezone) == ({"sunday": "10:00-12:00"}, "Pier", "UTC")
    assert client.workers.business_hours.retrieve(made.id, include_team_phone_hours=True).id == made.id
    assert [hours.id for hours in client.workers.business_hours.list(include_team_phone_hours=True)] == [made.id]
    client.workers.business_hours.delete(made.id)
    assert client.workers.business_hours.list() == []


def test_a_numbers_hours_decide_whether_it_may_be_called(client, api):
    team = client.team.retrieve().id
    hours = client.workers.business_hours.create(hours=HOURS).id
    closed = client.workers.business_hours.create(hours={"monday": "closed"}).id
    made = client.workers.team_phone_hours.create(hours_id=hours, phone_number="+14155550100", team_id=team)
    assert client.workers.check_callable(phone_number="+1 (415) 555-0100", timestamp=MONDAY_NOON).callable is True

    client.workers.team_phone_hours.update(made.id, hours_id=closed, phone_number="+14155550100", team_id=team)
    assert client.workers.check_callable(phone_number="+14155550100", timestamp=MONDAY_NOON).callable is False

    hours = client.workers.team_phone_hours.retrieve(made.id, include_relations=True)
    assert (hours.hours_id, hours.team_id) == (closed, team)
    listed = client.workers.team_phone_hours.list(include_relations=True, phone_number="+14155550100", team_id=team)
    assert [hours.id for hours in listed] == [made.id]
    assert api.get(f"/workers/business-hours/{closed}?includeTeamPhoneHours=true").json["teamPhoneHours"]

    client.workers.team_phone_hours.delete(made.id)
    with pytest.raises(brainbase_labs.NotFoundError):
        client.workers.check_callable(phone_number="+14155550100", timestamp=MONDAY_NOON)
