"""Accounts at telephony providers."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.integrations import Integration
from dryline.schemas.integrations import IntegrationBody, IntegrationSchema, TwilioIntegrationBody
from dryline.schemas.teams import SubaccountCredentialsSchema

blp = Area("Integrations", "/api/team", description="The team's accounts at telephony providers.")


@blp.route("/integrations", get="listIntegrations")
class Integrations(MethodView):
    @blp.response(200, IntegrationSchema(many=True))
    def get(self):
        """List the team's integrations, newest first.

        The secret of an account is kept and never answered.
        """
        return Integration.listing(g.team)


@blp.route("/integrations/twilio/create", post="createTwilioIntegration")
class TwilioIntegrationCreate(MethodView):
    @blp.arguments(TwilioIntegrationBody)
    @blp.response(201, IntegrationSchema)
    def post(self, body):
        """Connect a Twilio account.

        The account is not contacted: any sid and token are taken. Numbers of it are registered by
        `registerPhoneNumber`.
        """
        return Integration.connect_twilio(g.team, **body)


@blp.route("/integrations/<integration_id>", get="getIntegration", patch="updateIntegration")
class IntegrationById(MethodView):
    @blp.response(200, IntegrationSchema)
    def get(self, integration_id):
        """Retrieve an integration.

        404 where the team has none of this id.
        """
        return Integration.fetch(g.team, integration_id)

    @blp.arguments(IntegrationBody(partial=True))
    @blp.response(200, IntegrationSchema)
    def patch(self, body, integration_id):
        """Change an integration's name or description.

        Only these two can change. Members that are left out keep their value; null clears one that may be null.
        """
        return Integration.fetch(g.team, integration_id).change(**body)


@blp.route("/integrations/twilio/<integration_id>/delete", delete="deleteTwilioIntegration")
class TwilioIntegrationDelete(MethodView):
    @blp.response(204)
    def delete(self, integration_id):
        """Delete a Twilio integration.

        Its numbers stay, without an integration.
        """
        Integration.fetch(g.team, integration_id, app_type="twilio").remove()


@blp.route("/subaccount-credentials", get="getSubaccountCredentials")
class SubaccountCredentials(MethodView):
    @blp.response(200, SubaccountCredentialsSchema)
    def get(self):
        """Retrieve the credentials of the team's telephony subaccount.

        Both are null until the team has bought a number without an integration of its own, which opens the
        subaccount.
        """
        return g.team
