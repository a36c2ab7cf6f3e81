"""Accounts at telephony providers."""

from flask import g
from flask.views import MethodView

from dryline.models.integrations import Integration
from dryline.schemas.integrations import IntegrationSchema, TwilioIntegrationBody
from dryline.schemas.teams import SubaccountCredentialsSchema
from dryline.web.base import Area

blp = Area("Integrations", "/api/team", description="The team's accounts at telephony providers.")


@blp.route("/integrations", get="listIntegrations")
class Integrations(MethodView):
    @blp.response(200, IntegrationSchema(many=True))
    def get(self):
        """List the team's integrations, newest first."""
        return Integration.listing(g.team)


@blp.route("/integrations/twilio/create", post="createTwilioIntegration")
class TwilioIntegrationCreate(MethodView):
    @blp.arguments(TwilioIntegrationBody)
    @blp.response(201, IntegrationSchema)
    def post(self, body):
        """Connect a Twilio account.

        Twilio is not contacted, so any sid and token are accepted. Use `registerPhoneNumber` to add the account's
        numbers.
        """
        return Integration.connect_twilio(g.team, **body)


@blp.route("/integrations/<integration_id>", get="getIntegration", patch="updateIntegration")
class IntegrationById(MethodView):
    quick = True

    @blp.response(200, IntegrationSchema)
    def get(self, integration_id):
        """Retrieve an integration."""
        return Integration.fetch(g.team, integration_id)

    @blp.arguments(IntegrationSchema(partial=True))
    @blp.response(200, IntegrationSchema)
    def patch(self, body, integration_id):
        """Update an integration's name or description.

        The other fields cannot change.
        """
        return Integration.fetch(g.team, integration_id).change(**body)


@blp.route("/integrations/twilio/<integration_id>/delete", delete="deleteTwilioIntegration")
class TwilioIntegrationDelete(MethodView):
    @blp.response(204)
    def delete(self, integration_id):
        """Delete a Twilio integration.

        Its phone numbers remain, without an integration.
        """
        Integration.fetch(g.team, integration_id, app_type="twilio").remove()


@blp.route("/subaccount-credentials", get="getSubaccountCredentials")
class SubaccountCredentials(MethodView):
    @blp.response(200, SubaccountCredentialsSchema)
    def get(self):
        """Retrieve the credentials of the team's telephony subaccount.

        Both are null until the team buys a phone number without an integration, which opens the subaccount.
        """
        return g.team
