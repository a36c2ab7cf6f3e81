"""Custom voices of the team."""


def add(api, id="21m00Tcm4TlvDq8ikWAM"):
    return api.post("/team/customVoices", {"elevenlabsVoiceId": id})


def test_name_and_owner_follow_from_the_providers_id(api, other_api):
    ours, theirs, another = add(api).json, add(other_api).json, add(api, "AZnzlk1XvdvUeBnXmlld").json
    assert api.get("/team/customVoices").json == [another, ours]
    assert ours["name"] and ours["ownerId"]
    assert (ours["name"], ours["ownerId"]) == (theirs["name"], theirs["ownerId"])
    assert ours["ownerId"] != another["ownerId"]
