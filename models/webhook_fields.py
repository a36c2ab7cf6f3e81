"""The names in the `fields` of a webhook that have a value in some message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dryline.models.flows import Flow
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid

if TYPE_CHECKING:
    from dryline.models.voice_deployments import VoiceDeployment

# The members of a message that are no columns of the log. `webhook_payloads.webhook_payload` adds their values.
DERIVED = (
    *("webhook_id", "log_id", "start_timestamp", "end_timestamp", "duration_ms"),
    *("transcript", "sentiment", "summary"),
)
NAMES = (*DERIVED, *VoiceLog._meta.sorted_field_names)


def names_of(fields: str) -> Iterator[str]:
    """Yield the names in the text of a webhook's `fields`."""
    for name in fields.split(","):
        if name := name.strip():
            yield name


def unknown_names(names: Iterable[str], deployment: VoiceDeployment) -> list[str]:
    """Return the names without a value: neither members of a call's log nor extractions of the deployment or its flow.

    A flow can extract under any name, so each text in quotes in its code counts.
    """
    unknown = [name for name in names if name not in NAMES and name not in (deployment.extractions or ())]
    if not unknown:
        return []
    flow = Flow.find(id=deployment.flow_id)
    code = flow.code if flow else ""
    return [name for name in unknown if f'"{name}"' not in code and f"'{name}'" not in code]


def require_known_names(fields: str, deployment: VoiceDeployment) -> None:
    """Raise Invalid for a name without a value, if the server is strict."""
    if not current().runtime_settings.strict:
        return
    for name in unknown_names(names_of(fields), deployment):
        from difflib import get_close_matches  # imported here because only a misspelt name needs it

        near = get_close_matches(name, [*NAMES, *(deployment.extractions or ())], n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise Invalid(f"{name} is no member of a call's log and no extraction{hint}", "fields")
