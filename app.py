"""The application: its areas, background work and requests, wired on one page."""

from functools import cached_property, partial
from typing import Any

from flask import Flask, request

from dryline.blueprints import (
    assets,
    business_hours,
    campaigns,
    chat_completions,
    chat_deployments,
    chat_logs,
    custom_voices,
    custom_webhooks,
    default_checks,
    deployment_history,
    deployment_parameters,
    deployments_lookup,
    downloads,
    echo,
    exports,
    flow_versions,
    flows,
    flows_lookup,
    folders,
    integrations,
    llm_logs,
    logs_lookup,
    message_logs,
    resources,
    runtime_errors,
    sessions,
    tags,
    team_phone_hours,
    teams,
    tests,
    uploads,
    voice_analysis,
    voice_deployments,
    voice_logs,
    voicev1_campaigns,
    voicev1_deployments,
    workers,
)
from dryline.blueprints.control import clock, faults, health, lookups, requests, simulate, talk
from dryline.blueprints.control import exports as control_exports
from dryline.blueprints.control import settings as control_settings
from dryline.blueprints.control import snapshots as control_snapshots
from dryline.blueprints.control import state as control_state
from dryline.blueprints.control import teams as control_teams
from dryline.blueprints.control import webhooks as control_webhooks
from dryline.jobs import campaigns as campaign_jobs
from dryline.jobs import exports as export_jobs
from dryline.jobs import live as live_jobs
from dryline.jobs import transitions
from dryline.jobs import webhooks as webhook_jobs
from dryline.jobs.runner import Jobs
from dryline.jobs.transitions import proceed_with
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.campaigns import OutboundCampaign
from dryline.models.echo_runs import EchoRun
from dryline.models.resources import Resource
from dryline.models.tests import TestRun
from dryline.models.voicev1_campaigns import Voicev1Campaign
from dryline.models.whatsapp_senders import WhatsappSender
from dryline.settings import Settings
from dryline.state import scenarios, snapshots
from dryline.storage.current_world import running_task
from dryline.web import cors, docs, errors, hosts, openapi
from dryline.web.base import Area, OrjsonProvider, admit
from dryline.web.links import is_from_console
from dryline.web.operations import find_view
from dryline.web.origins import require_origin
from dryline.web.paths import CONSOLE, PLANE, READS, SIGNED_FILES, is_below, is_unrecorded
from dryline.web.plane import answer_and_report
from dryline.web.recorded_requests import answer_and_record
from dryline.web.routing import SENT_PATH, RoutedFlask
from dryline.world.epochs import EpochEnded
from dryline.world.faults import ConnectionCut
from dryline.world.path_patterns import normal_path
from dryline.world.world import World, as_bad_setting

# The areas of the API, in the order of the OpenAPI document.
AREAS: tuple[Area, ...] = (
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
    deployment_history.blp,
    deployment_parameters.blp,
    deployments_lookup.blp,
    default_checks.blp,
    custom_webhooks.blp,
    tests.blp,
    custom_voices.blp,
    business_hours.blp,
    team_phone_hours.blp,
    exports.blp,
    downloads.exports,
    downloads.calls,
    voice_logs.blp,
    chat_logs.blp,
    message_logs.sms,
    message_logs.whatsapp,
    logs_lookup.blp,
    sessions.blp,
    llm_logs.blp,
    runtime_errors.blp,
    voice_analysis.blp,
    campaigns.blp,
    voicev1_campaigns.blp,
)
# The areas of the control plane.
CONTROL: tuple[Area, ...] = (
    health.blp,
    faults.blp,
    requests.blp,
    clock.blp,
    control_state.blp,
    control_snapshots.blp,
    control_settings.blp,
    control_teams.blp,
    lookups.blp,
    simulate.blp,
    talk.blp,
    control_exports.blp,
    control_webhooks.blp,
)

# The steps of background work that are quick, in the order in which they run.
STEPS = (
    proceed_with(Resource),
    transitions.sweep_uploads,
    transitions.sweep_recordings,
    proceed_with(EchoRun),
    proceed_with(TestRun),
    proceed_with(WhatsappSender),
    export_jobs.expire,
    live_jobs.place_calls,
    campaign_jobs.place_queued_calls,
    proceed_with(CallInProgress),
    proceed_with(OutboundCampaign),
    campaign_jobs.finish_voicev1_calls,
    proceed_with(Voicev1Campaign),
)
# Steps that may take long. Each kind has a thread.
SLOW_STEPS = {
    "exports": (export_jobs.write_next,),
    "tests": (transitions.finish_next_test_run,),
    "webhooks": (webhook_jobs.deliver,),
}


class Dryline(RoutedFlask):
    """The WSGI application of one world. Each request runs in one transaction."""

    json_provider_class = OrjsonProvider
    world: World
    jobs: Jobs
    openapi: openapi.Api

    def wsgi_app(self, environ: Any, start_response: Any) -> Any:
        """Answer one request in this application's world.

        Raises ConnectionCut, at which the server closes the connection, if the epoch of the request ends.
        """
        with self.world.active():
            try:
                if is_below(CONSOLE, environ["PATH_INFO"]):
                    return self._show_page(environ, start_response)
                environ[SENT_PATH] = environ["PATH_INFO"]
                environ["PATH_INFO"] = normal_path(environ["PATH_INFO"])
                return super().wsgi_app(environ, start_response)
            except EpochEnded:
                raise ConnectionCut from None

    def _show_page(self, environ: Any, start_response: Any) -> Any:
        """Answer one request for a page. A page that was asked for before a reset shows the world after it."""
        try:
            return self.console(environ, start_response)
        except EpochEnded:
            if environ["REQUEST_METHOD"] not in READS:
                raise
            with running_task(self.world.new_task()):
                return self.console(environ, start_response)

    @cached_property
    def console(self) -> Flask:
        """The console's application."""
        from dryline.blueprints.console.app import Console  # noqa: PLC0415  # the console's first page

        return Console(self)

    def full_dispatch_request(self) -> Any:
        """Answer one request, with faults and the request log around it, unless its path is unrecorded."""
        current_request = request._get_current_object()  # type: ignore[attr-defined]  # faster than the proxy
        path = current_request.environ["PATH_INFO"]
        if is_below(PLANE, path):
            return answer_and_report(self.world, current_request, super().full_dispatch_request)
        if is_unrecorded(path) or (path.startswith(SIGNED_FILES) and is_from_console()):
            return super().full_dispatch_request()
        return answer_and_record(self.world, current_request, super().full_dispatch_request)

    def dispatch_request(self) -> Any:
        """Check the key and run the view in one transaction, which is committed before the answer is sent.

        The views of a blueprint with `own_transactions` open them themselves. A POST of a class with `only_reads` takes
        no write lock, as a GET takes none.
        """
        hosts.require_known_host(self.world.settings, request.environ)
        require_origin(request)
        area = self.blueprints.get(request.blueprint or "")
        if getattr(area, "own_transactions", False):
            self.world.db.require_file()
            return super().dispatch_request()
        is_read = request.method in READS or getattr(find_view(request.endpoint), "only_reads", False)
        with self.world.reading() if is_read else self.world.transaction():
            if getattr(area, "key_required", False):
                admit(request)  # here, so that key, team and rows are read at the same moment
            return super().dispatch_request()

    def close(self) -> None:
        """Stop the jobs and close the world."""
        self.jobs.stop()
        self.world.close()


def create_app(settings: Settings | None = None, *, open_existing: bool = False) -> Dryline:
    """Return an application with its world. `app.jobs.start()` starts background work; `close` ends everything.

    With `open_existing` there must be a world already, and nothing in it is repaired or added. Raises BadSetting.
    """
    app = Dryline("dryline", static_folder=None)
    app.config.update(openapi.CONFIG)
    app.url_map.strict_slashes = app.url_map.merge_slashes = False
    app.world = World(settings or Settings(), must_exist=open_existing)
    try:
        app.config["MAX_CONTENT_LENGTH"] = app.world.settings.max_body_mb * 1_000_000
        _register(app)
        app.jobs = Jobs(app.world, STEPS, SLOW_STEPS)
        app.world.run_due, app.world.wake = app.jobs.run_due, app.jobs.wake
        app.world.repair_files = partial(export_jobs.repair_files, app.world)
        with app.world.active(), as_bad_setting(app.world.settings):
            if open_existing:
                scenarios.require_filled(app.world)
            else:
                snapshots.recover(app.world)
                scenarios.fill_or_reopen(app.world)
                export_jobs.recover(app.world)
    except BaseException:
        app.world.abandon()
        raise
    return app


def _register(app: Dryline) -> None:
    """Register the areas, the control plane, the other routes and the error handlers."""
    app.openapi = openapi.Api(app)
    app.after_request(hosts.add_browser_headers)
    errors.register(app)  # after flask-smorest's own handler, which it replaces
    app.register_blueprint(docs.blp)
    app.register_blueprint(custom_webhooks.inbox)
    app.register_blueprint(chat_completions.blp)
    if app.world.settings.cors_origins:
        cors.register(app, app.world.settings.cors_origins)
    for area in (*AREAS, *CONTROL):
        app.openapi.register_blueprint(area)


if __name__ == "__main__":  # python app.py
    import runpy

    runpy.run_module("dryline", run_name="__main__")
