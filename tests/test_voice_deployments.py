"""Voice deployments."""


def test_a_created_deployment_can_be_read_again(api, make_voice_deployment):
    made = make_voice_deployment()
    path = f"/workers/{made['workerId']}/deployments/voice"
    assert api.get(f"{path}/{made['id']}").json == made
    assert api.get(path).json == [made]
