"""The interactive documentation: who is given the key with it."""

import pytest

from dryline.settings import Settings

KEY = "dryline-local-key"


def test_the_page_comes_with_the_local_key(app):
    page = app.test_client().get("/docs")
    assert f'data-key="{KEY}"' in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert '<html lang="en"' in page.text and 'name="viewport"' in page.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"X-Dryline-Outgoing": "1"},
    ],
)
def test_whom_the_plane_would_refuse_gets_the_page_without_a_key(app, headers):
    page = app.test_client().get("/docs", headers=headers)
    assert page.status_code == 200 and KEY not in page.text


@pytest.mark.parametrize("beyond", [{"host": "0.0.0.0"}, {"admin_token": "open sesame"}])
def test_a_server_for_others_or_with_a_token_gives_nobody_its_key(beyond):
    from dryline.app import create_app

    app = create_app(Settings(ephemeral=True, scenario="empty", **beyond))
    page = app.test_client().get("/docs")
    app.close()
    assert page.status_code == 200 and KEY not in page.text


def test_a_key_is_text_on_the_page(app):
    object.__setattr__(app.world.settings, "api_keys", ('"><script>x</script>',))
    assert "<script>x" not in app.test_client().get("/docs").text
