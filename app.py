"""The whole wiring on one page: settings, world, areas, jobs; and the command line."""

from __future__ import annotations

from typing import Any

from flask import Flask, request

from dryline.blueprints import (
    assets,
    batch_calls,
    business_hours,
    campaigns,
    chat_deployments,
    chat_embed_deployments,
    chat_logs,
    cors,
    custom_voices,
    custom_webhooks,
    default_checks,
    deployment_history,
    deployment_parameters,
    deployments_lookup,
    docs,
    downloads,
    echo,
    errors,
    exports,
    flow_versions,
    flows,
    flows_lookup,
    folders,
    integrations,
    interception,
    llm_logs,
    logs_lookup,
    openapi,
    resources,
    runtime_errors,
    sessions,
    sms_logs,
    tags,
    teams,
    tests,
    uploads,
    voice_analysis,
    voice_deployments,
    voice_logs,
    voicev1_campaigns,
    voicev1_deployments,
    whatsapp_logs,
    workers,
)
from dryline.blueprints.base import OrjsonProvider
from dryline.blueprints.control import clock as control_clock
from dryline.blueprints.control import echo_runs as control_echo_runs
from dryline.blueprints.control import exports as control_exports
from dryline.blueprints.control import faults as control_faults
from dryline.blueprints.control import health
from dryline.blueprints.control import metrics as control_metrics
from dryline.blueprints.control import requests as control_requests
from dryline.blueprints.control import reset as control_reset
from dryline.blueprints.control import settings as control_settings
from dryline.blueprints.control import simulate as control_simulate
from dryline.blueprints.control import snapshots as control_snapshots
from dryline.blueprints.control import state as control_state
from dryline.blueprints.control import teams as control_teams
from dryline.blueprints.control import webhooks as control_webhooks
from dryline.blueprints.routing import LateRule
from dryline.jobs import Jobs
from dryline.jobs import campaigns as campaign_jobs
from dryline.jobs import exports as export_jobs
from dryline.jobs import live as live_jobs
from dryline.jobs import resources as resource_jobs
from dryline.jobs import runs as run_jobs
from dryline.jobs import webhooks as webhook_jobs
from dryline.settings import Settings
from dryline.state import scenarios
from dryline.world.world import World, enter, leave

AREAS = (
    teams.blp,
    integrations.blp,
    assets.blp,
    workers.blp,
    tags.blp,
    folders.blp,
    resources.blp,
    uploads.blp,
    flows.blp,
    flow_versions.blp,
    flows_lookup.blp,
    voice_deployments.blp,
    echo.blp,
    voicev1_deployments.blp,
    chat_deployments.blp,
    chat_embed_deployments.blp,
    deployment_history.blp,
    deployment_parameters.blp,
    deployments_lookup.blp,
    default_checks.blp,
    custom_webhooks.blp,
    tests.blp,
    custom_voices.blp,
    business_hours.blp,
    business_hours.phone_hours,
    exports.blp,
    downloads.blp,
    voice_logs.blp,
    chat_logs.blp,
    sms_logs.blp,
    whatsapp_logs.blp,
    logs_lookup.blp,
    sessions.blp,
    llm_logs.blp,
    runtime_errors.blp,
    voice_analysis.blp,
    campaigns.blp,
    batch_calls.blp,
    voicev1_campaigns.blp,
)
CONTROL = (
    health.blp,
    control_faults.blp,
    control_requests.blp,
    control_metrics.blp,
    control_clock.blp,
    control_state.blp,
    control_reset.blp,
    control_snapshots.blp,
    control_settings.blp,
    control_teams.blp,
    control_simulate.blp,
    control_echo_runs.blp,
    control_exports.blp,
    control_webhooks.blp,
)


# What moves by itself, in this order.
STEPS = (
    resource_jobs.process,
    resource_jobs.sweep_uploads,
    run_jobs.move_echo_run,
    run_jobs.move_test_run,
    export_jobs.expire,
    export_jobs.write_next,
    run_jobs.settle_whatsapp_sender,
    live_jobs.place_calls,
    campaign_jobs.place_queued_calls,
    campaign_jobs.settle_campaigns,
    campaign_jobs.place_voicev1_calls,
    campaign_jobs.settle_voicev1_campaigns,
    webhook_jobs.deliver,
)


READS = {"GET", "HEAD", "OPTIONS"}


class Dryline(Flask):
    """The WSGI application. Each request runs in its world and in one transaction."""

    json_provider_class = OrjsonProvider
    url_rule_class = LateRule
    world: World
    jobs: Jobs
    openapi: openapi.Api

    def wsgi_app(self, environ: Any, start_response: Any) -> Any:
        """Answer one request in this application's world."""
        token = enter(self.world)
        try:
            return super().wsgi_app(environ, start_response)
        finally:
            leave(token)

    def ensure_sync(self, func: Any) -> Any:
        """No view is async, so none needs a look at its kind on every call."""
        return func

    def full_dispatch_request(self) -> Any:
        """Answer one request, between faults and the request record; the control plane's own are left alone."""
        if request.environ["PATH_INFO"].startswith("/_dryline"):
            return super().full_dispatch_request()
        return interception.around(self.world, super().full_dispatch_request)

    def dispatch_request(self) -> Any:
        """Run the view in a transaction: committed before the answer is sent, undone by any error."""
        asked = request._get_current_object()  # type: ignore[attr-defined]  # looked up once, not at each use
        if asked.routing_exception is not None:
            self.raise_routing_exception(asked)
        if asked.path.startswith("/_dryline"):  # the control plane opens its own: its jobs run outside of one
            return super().dispatch_request()
        with self.world.reading() if asked.method in READS else self.world.transaction():
            return super().dispatch_request()


def create_app(settings: Settings | None = None) -> Dryline:
    """An application with a world of its own. `app.jobs.start()` starts what moves by itself; `close_app` ends it.

    Raises BadSetting when the settings cannot work.
    """
    app = Dryline("dryline", static_folder=None)
    app.config.update(openapi.CONFIG)
    app.url_map.strict_slashes = False
    app.world = World(settings or Settings())
    app.config["MAX_CONTENT_LENGTH"] = app.world.settings.max_body_mb * 1_000_000
    errors.register(app)
    app.openapi = openapi.Api(app)
    app.register_blueprint(docs.blp)
    if app.world.settings.cors_origins:
        cors.register(app, app.world.settings.cors_origins)
    for blp in (*AREAS, *CONTROL):
        app.openapi.register_blueprint(blp)
    app.jobs = Jobs(app.world, STEPS)
    app.world.run_due, app.world.wake = app.jobs.run_due, app.jobs.wake
    try:
        with app.world.active():
            scenarios.begin(app.world)
            export_jobs.recover(app.world)
    except BaseException:
        app.world.close()
        raise
    return app


def close_app(app: Dryline) -> None:
    """End the jobs, then give the data directory free."""
    app.jobs.stop()
    app.world.close()


def main() -> None:
    """The command line."""
    from dryline.command_line import cli

    cli()


if __name__ == "__main__":
    main()
