"""The engine of a running server, and the language model that it uses."""

import pytest
from click.testing import CliRunner

from dryline.commands import cli
from dryline.settings import BadSetting, Settings
from dryline.testing import DrylineInProcess
from dryline.tests.flow.test_engine_model import ModelServer

CODE = 'loop:\n    talk("Help.", False)\nuntil "caller wants tea":\n    say("Tea it is.")\n'


@pytest.fixture
def model(http_server):
    model = ModelServer(http_server)
    model.answers = ['{"index": 0, "why": "They are thirsty.", "sure": 0.9}']
    return model


def test_the_model_of_the_settings_decides_and_its_key_is_shown_nowhere(model):
    with DrylineInProcess(model_url=model.url, model="small", model_key="hidden-key") as dryline:
        talk = dryline.talk(code=CODE)
        assert talk.say("I am parched") == ["Tea it is."]
        assert "hidden-key" not in str(dryline.plane("GET", "/settings")) + str(dryline.state())
    assert (talk.of("taken")[0]["why"], talk.of("taken")[0]["by"]) == ("They are thirsty.", "small")
    assert (model.requests[0]["model"], model.requests[0]["key"]) == ("small", "Bearer hidden-key")


def test_the_model_of_the_command_decides(model, tmp_path):
    file = tmp_path / "tea.based"
    file.write_text(CODE)
    command = ["talk", str(file), "--model-url", model.url, "--model", "small"]
    output = CliRunner().invoke(cli, command, input="I am parched\n").output
    assert "# line 3, 90% sure: They are thirsty." in output


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model_url": "localhost:11434", "model": "small"}, "must start with http"),
        ({"model_url": "http://127.0.0.1:11434/v1"}, "needs --model"),
        ({"model": "small"}, "need --model-url"),
    ],
)
def test_an_incomplete_model_stops_the_start(settings, message):
    with pytest.raises(BadSetting, match=message):
        Settings(**settings)
