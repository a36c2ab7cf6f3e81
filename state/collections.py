"""The collections of the state document, in its order: parents before their children. Contract: state.md.

Each area declares its links below its record (`STATE` in models/) and the form of its rows below its schema (`ROWS` in
schemas/). A new area is one name in `MODULES`.
"""

from collections.abc import Mapping
from importlib import import_module

from dryline.models.collection import StateCollection

MODULES = (
    "teams",
    "integrations",
    "assets",
    "whatsapp_senders",
    "custom_voices",
    "workers",
    "tags",
    "flows",
    "flow_versions",
    "voice_deployments",
    "voicev1_deployments",
    "chat_deployments",
    "chat_embed_deployments",
    "deployment_parameters",
    "deployment_history",
    "custom_webhooks",
    "campaigns",
    "voicev1_campaigns",
    "queued_calls",
    "default_checks",
    "voice_logs",
    "calls_in_progress",
    "chat_logs",
    "message_logs",
    "sessions",
    "llm_logs",
    "runtime_errors",
    "folders",
    "resources",
    "tests",
    "business_hours",
    "echo",
    "echo_runs",
    "exports",
    "webhook_deliveries",
)

COLLECTIONS: Mapping[str, StateCollection] = {
    name: collection for area in MODULES for name, collection in import_module(f"dryline.models.{area}").STATE.items()
}
