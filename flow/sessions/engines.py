"""The engine of a running world."""

from urllib.parse import urlsplit

import orjson

from dryline.data import demo_services
from dryline.flow.engine import Engine
from dryline.flow.language.errors import CodeRefused
from dryline.flow.language.web import Fetch, fetcher
from dryline.flow.model.remote_model import RemoteModel
from dryline.storage.current_world import WorldLocal
from dryline.storage.errors import Invalid
from dryline.world.exchange import HttpResponse
from dryline.world.world import World


def engine_of(world: World) -> Engine:
    """Return the world's engine, which is created at the first call and closed with the world."""
    return ENGINE.of(world)


def _create_engine(world: World) -> Engine:
    """Create an engine with the world's clock, its outgoing HTTP client and the language model of the settings."""
    settings = world.settings
    model = None
    if settings.model_url and settings.model:
        model = RemoteModel(settings.model_url, settings.model, settings.model_key)
    fetch = with_demo_services(fetcher(world.outgoing))
    engine = Engine(model=model, fetch=fetch, now=world.now)
    return world.exit_stack.enter_context(engine)


ENGINE = WorldLocal(_create_engine)


def with_demo_services(fetch: Fetch) -> Fetch:
    """Return a Fetch that answers for the hosts of the shipped scenarios, and sends other requests with `fetch`."""

    def fetch_or_answer(
        method: str, url: str, headers: dict[str, str], body: bytes | None, timeout_s: float
    ) -> HttpResponse:
        is_example = (urlsplit(url).hostname or "").endswith(".example")
        answer = demo_services.answer(method, url, body) if is_example else None
        if answer is None:
            return fetch(method, url, headers, body, timeout_s)
        status, document = answer
        return HttpResponse(status, {"Content-Type": "application/json"}, orjson.dumps(document))

    return fetch_or_answer


def invalid_code_error(refused: CodeRefused, field: str) -> Invalid:
    """Return the error for code that cannot run; `field` is the member that holds or names the code."""
    fault = refused.findings[0]
    return Invalid(f"Line {fault.line}, column {fault.column}: {fault.sentence}", field)
