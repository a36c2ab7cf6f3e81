"""Telephone numbers and WhatsApp senders of the team."""

from flask import g
from flask.views import MethodView

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
from dryline.schemas.whatsapp_senders import WhatsappSenderSchema
from dryline.web.base import Area

blp = Area("Assets", "/api/team/assets", description="Telephone numbers and WhatsApp senders.")


@blp.route("/phone_numbers", get="listPhoneNumbers")
class PhoneNumbers(MethodView):
    @blp.arguments(PhoneNumberQuery, location="query")
    @blp.response(200, PhoneNumberSchema(many=True))
    def get(self, query):
        """List the team's phone numbers, newest first."""
        return PhoneNumber.listing(g.team, **query)


@blp.route("/register_phone_number", post="registerPhoneNumber")
class PhoneNumberRegistration(MethodView):
    @blp.arguments(PhoneNumberRegistrationBody)
    @blp.response(201, PhoneNumberSchema)
    @blp.errors(404, 409)
    def post(self, body):
        """Register a phone number of an integration.

        The number may be written in any notation and is stored in E.164. A number without a country code is read
        as North American. 404 if the team has no such integration, 409 if the team already has the number.
        """
        return PhoneNumber.register(g.team, **body)


@blp.route("/purchase_phone_numbers", post="purchasePhoneNumbers")
class PhoneNumberPurchase(MethodView):
    @blp.arguments(PhoneNumberPurchaseBody)
    @blp.response(201, PhoneNumberSchema(many=True))
    @blp.errors(404, 409)
    def post(self, body):
        """Buy phone numbers.

        Either all of them are bought or none. Every number is for sale. The first purchase without an integration opens
        a telephony subaccount for the team. 409 if the team already has one of the numbers.
        """
        return PhoneNumber.purchase(g.team, **body)


@blp.route("/phone_numbers/<phone_number_id>/delete", delete="deletePhoneNumber")
class PhoneNumberDelete(MethodView):
    @blp.response(204)
    def delete(self, phone_number_id):
        """Delete a phone number."""
        PhoneNumber.fetch(g.team, phone_number_id).remove()


@blp.route("/available_phone_numbers", get="listAvailablePhoneNumbers")
class AvailablePhoneNumbers(MethodView):
    @blp.arguments(AvailableNumbersQuery, location="query")
    @blp.response(200, AvailableNumberSchema(many=True))
    def get(self, query):
        """List phone numbers that are for sale.

        The numbers are generated: at most 20, and the same ones for the same query. In `contains`, `*` stands for any
        digit.
        """
        return available_numbers(g.team, **query)


@blp.route("/purchase_whatsapp_sender", post="purchaseWhatsappSender")
class WhatsappSenderPurchase(MethodView):
    @blp.arguments(WhatsappSenderSchema)
    @blp.response(201, WhatsappSenderSchema)
    def post(self, body):
        """Buy a WhatsApp sender.

        The sender is PENDING while it is reviewed, for 60 seconds of API time, and then ONLINE. The review FAILS for
        `+15005550001` and for text that is not a phone number.
        """
        return WhatsappSender.purchase(g.team, **body)


@blp.route("/whatsapp_sender_status/<sender_sid>", get="getWhatsappSenderStatus")
class WhatsappSenderStatus(MethodView):
    @blp.response(200, WhatsappSenderSchema)
    def get(self, sender_sid):
        """Retrieve a WhatsApp sender.

        Poll this operation until `status` is no longer PENDING.
        """
        return WhatsappSender.fetch(g.team, sender_sid)
