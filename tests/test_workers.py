"""Workers."""


def test_the_list_and_the_record_agree_on_any_content(api, control, make_worker):
    odd = 'say "hé" \\ \0\x1f\x7f\u2028\n</script> 🦎'
    worker = make_worker(name=odd, description="", status=None)
    document = control.get("/state").json
    document["workers"][0]["visualizations"] = {odd: [1.5, 1e300, 2**60, None, True, {}]}
    document["workers"][0]["icon"] = odd
    assert control.put("/state", document).status_code == 204
    record = api.get(f"/workers/{worker['id']}").json
    assert record["name"] == record["icon"] == odd
    assert api.get("/workers").json == [record | {"tags": []}]


def test_the_list_shows_each_workers_tags(api, make_worker):
    plain, tagged = make_worker(), make_worker()
    tag = api.post("/team/tags", {"label": "VIP", "color": "#ff0000"}).json
    api.post(f"/workers/{tagged['id']}/tags", {"tagId": tag["id"]})
    tags = {worker["id"]: worker["tags"] for worker in api.get("/workers").json}
    assert tags == {plain["id"]: [], tagged["id"]: [tag]}


def test_an_update_moves_updated_at_and_not_created_at(api, make_worker, advance):
    worker = make_worker()
    advance(60)
    changed = api.patch(f"/workers/{worker['id']}", {"name": "Back office"}).json
    assert changed["createdAt"] == worker["createdAt"] < changed["updatedAt"]
