"""Accounts at telephony providers."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.integrations import Integration
from dryline.schemas.integrations import IntegrationBody, IntegrationSchema, TwilioIntegrationBody
from dryline.schemas.teams import SubaccountCredentialsSchema

blp = Area("Integrations", "/api/team", description="The team's accounts at telephony providers.")


@blp.route("/integrations")
class Integrations(MethodView):
    @blp.response(200, IntegrationSchema(many=True))
    def get(self):
        """List the team's integrations, newest first."""
        return Integration.listing(g.team)


@blp.route("/integrations/twilio/create")
class TwilioIntegrationCreate(MethodView):
    @blp.arguments(TwilioIntegrationBody)
    @blp.response(201, IntegrationSchema)
    def post(self, body):
        """Connect a Twilio account."""
        return Integration.connect_twilio(g.team, **body)


@blp.route("/integrations/<integration_id>")
class IntegrationById(MethodView):
    @blp.response(200, IntegrationSchema)
    def get(self, integration_id):
        """Retrieve an integration."""
        return Integration.fetch(g.team, integration_id)

    @blp.arguments(IntegrationBody(partial=True))
    @blp.response(200, IntegrationSchema)
    def patch(self, body, integration_id):
        """Change an integration's name or description."""
        return Integration.fetch(g.team, integration_id).change(**body)


@blp.route("/integrations/twilio/<integration_id>/delete")
class TwilioIntegrationDelete(MethodView):
    @blp.response(204)
    def delete(self, integration_id):
        """Delete a Twilio integration. Its numbers stay, without an integration."""
        Integration.fetch(g.team, integration_id, app_type="twilio").remove()


@blp.route("/subaccount-credentials")
class SubaccountCredentials(MethodView):
    @blp.response(200, SubaccountCredentialsSchema)
    def get(self):
        """Retrieve the credentials of the team's telephony subaccount."""
        return g.team
