"""Custom voices of the team."""


def add(api, id="21m00Tcm4TlvDq8ikWAM"):
    return api.post("/team/customVoices", {"elevenlabsVoiceId": id})


def test_an_added_voice_has_a_name_and_an_owner(api):
    answer = add(api)
    assert answer.status_code == 201
    voice = answer.json
    assert voice["elevenlabsVoiceId"] == "21m00Tcm4TlvDq8ikWAM"
    assert voice["teamId"] == api.get("/team").json["id"]
    assert voice["name"]
    assert voice["ownerId"]
    assert api.get("/team/customVoices").json == [voice]


def test_name_and_owner_follow_from_the_providers_id(api, other_api):
    ours, theirs, another = add(api).json, add(other_api).json, add(api, "AZnzlk1XvdvUeBnXmlld").json
    assert (ours["name"], ours["ownerId"]) == (theirs["name"], theirs["ownerId"])
    assert ours["ownerId"] != another["ownerId"]
