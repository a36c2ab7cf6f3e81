"""The engine of a running server: when it comes to be, and which model it asks."""

import pytest
from click.testing import CliRunner

from dryline.commands import cli
from dryline.flow_sessions.engines import engine_of
from dryline.settings import BadSetting, Settings
from dryline.storage.errors import Busy
from dryline.testing import DrylineInProcess
from dryline.tests.engine.test_engine_model import Model

CODE = 'loop:\n    talk("Help.", False)\nuntil "caller wants tea":\n    say("Tea it is.")\n'
CHOICE = '{"index": 0, "why": "They are thirsty.", "sure": 0.9}'


@pytest.fixture
def model():
    model = Model()
    yield model
    model.server.shutdown()
    model.server.server_close()


def test_the_model_that_the_settings_name_judges(model):
    model.answers = [CHOICE]
    with DrylineInProcess(model_url=model.url, model="small", model_key="secret") as dryline:
        talk = dryline.talk(code=CODE)
        assert talk.say("I am parched") == ["Tea it is."]
    assert (talk.of("taken")[0]["why"], talk.of("taken")[0]["by"]) == ("They are thirsty.", "small")
    assert (model.asked[0]["model"], model.asked[0]["key"]) == ("small", "Bearer secret")


def test_the_model_that_the_command_names_judges(model, tmp_path):
    model.answers = [CHOICE]
    file = tmp_path / "tea.based"
    file.write_text(CODE)
    command = ["talk", str(file), "--model-url", model.url, "--model", "small"]
    shown = CliRunner().invoke(cli, command, input="I am parched\n").output
    assert "# line 3, 90% sure: They are thirsty." in shown


def test_without_a_model_the_built_in_judge_does(model):
    with DrylineInProcess() as dryline:
        talk = dryline.talk(code=CODE, say="I want tea")
    assert talk.of("taken")[0]["by"] == "built-in"
    assert model.asked == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model_url": "localhost:11434", "model": "small"}, "must start with http"),
        ({"model_url": "http://127.0.0.1:11434/v1"}, "needs --model"),
        ({"model": "small"}, "need --model-url"),
        ({"model_key": "secret"}, "need --model-url"),
    ],
)
def test_a_model_that_is_named_by_halves_stops_the_start(settings, message):
    with pytest.raises(BadSetting, match=message):
        Settings(**settings)


def test_a_model_key_is_shown_nowhere():
    with DrylineInProcess(model_url="http://127.0.0.1:9/v1", model="small", model_key="hidden-key") as dryline:
        assert "hidden-key" not in str(dryline.plane("GET", "/settings")) + str(dryline.state())


def test_a_flow_without_a_free_process_is_a_503(app, control, monkeypatch):
    control.post("/talk", {"code": CODE})

    def busy(*_, **__):
        raise Busy("No worker was free to run the flow.")

    monkeypatch.setattr(engine_of(app.world), "open", busy)
    assert control.post("/talk", {"code": CODE}).status_code == 503
