"""The team's telephone numbers and WhatsApp senders."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.assets import PhoneNumber
from dryline.models.available_numbers import available_numbers
from dryline.models.whatsapp_senders import WhatsappSender
from dryline.schemas.assets import (
    AvailableNumberSchema,
    AvailableNumbersQuery,
    PhoneNumberPurchaseBody,
    PhoneNumberQuery,
    PhoneNumberRegistrationBody,
    PhoneNumberSchema,
)
from dryline.schemas.whatsapp_senders import WhatsappSenderBody, WhatsappSenderSchema

blp = Area("Assets", "/api/team/assets", description="Telephone numbers and WhatsApp senders.")


@blp.route("/phone_numbers", get="listPhoneNumbers")
class PhoneNumbers(MethodView):
    @blp.arguments(PhoneNumberQuery, location="query")
    @blp.response(200, PhoneNumberSchema(many=True))
    def get(self, query):
        """List the team's numbers, newest first.

        `integrationId` narrows it to the numbers of one integration; an unknown one gives an empty list.
        """
        return PhoneNumber.listing(g.team, **query)


@blp.route("/register_phone_number", post="registerPhoneNumber")
class PhoneNumberRegistration(MethodView):
    @blp.arguments(PhoneNumberRegistrationBody)
    @blp.response(201, PhoneNumberSchema)
    @blp.errors(404, 409)
    def post(self, body):
        """Register a number of one of the team's integrations.

        Any notation is taken and kept as E.164; ten digits without a country are North American. 404 for an
        integration that the team does not have, 409 for a number that it has already.
        """
        return PhoneNumber.register(g.team, **body)


@blp.route("/purchase_phone_numbers", post="purchasePhoneNumbers")
class PhoneNumberPurchase(MethodView):
    @blp.arguments(PhoneNumberPurchaseBody)
    @blp.response(201, PhoneNumberSchema(many=True))
    @blp.errors(404, 409)
    def post(self, body):
        """Buy numbers, all or none.

        Every number can be bought. The first purchase without an integration opens the team's subaccount. 409 where
        one of the numbers is the team's already: none is bought then.
        """
        return PhoneNumber.purchase(g.team, **body)


@blp.route("/phone_numbers/<phone_number_id>/delete", delete="deletePhoneNumber")
class PhoneNumberDelete(MethodView):
    @blp.response(204)
    def delete(self, phone_number_id):
        """Delete a number.

        Calls and deployments that name it stay as they are.
        """
        PhoneNumber.fetch(g.team, phone_number_id).remove()


@blp.route("/available_phone_numbers", get="listAvailablePhoneNumbers")
class AvailablePhoneNumbers(MethodView):
    @blp.arguments(AvailableNumbersQuery, location="query")
    @blp.response(200, AvailableNumberSchema(many=True))
    def get(self, query):
        """List numbers that could be bought.

        They are made up: at most 20, and the same ones for the same query. `contains` takes `*` for any digit.
        """
        return available_numbers(g.team, **query)


@blp.route("/purchase_whatsapp_sender", post="purchaseWhatsappSender")
class WhatsappSenderPurchase(MethodView):
    @blp.arguments(WhatsappSenderBody)
    @blp.response(201, WhatsappSenderSchema)
    def post(self, body):
        """Buy a WhatsApp sender.

        It is PENDING, and ONLINE after a review of 60 s of API time; FAILED for `+15005550001` and for text that is
        no number.
        """
        return WhatsappSender.purchase(g.team, **body)


@blp.route("/whatsapp_sender_status/<sender_sid>", get="getWhatsappSenderStatus")
class WhatsappSenderStatus(MethodView):
    @blp.response(200, WhatsappSenderSchema)
    def get(self, sender_sid):
        """Retrieve a WhatsApp sender.

        Poll it until it is no longer PENDING.
        """
        return WhatsappSender.fetch(g.team, sender_sid)
