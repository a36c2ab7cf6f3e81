"""The team's telephone numbers and WhatsApp senders."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.assets import PhoneNumber
from dryline.models.number_offers import offers
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


@blp.route("/phone_numbers")
class PhoneNumbers(MethodView):
    @blp.arguments(PhoneNumberQuery, location="query")
    @blp.response(200, PhoneNumberSchema(many=True))
    def get(self, query):
        """List the team's numbers, newest first."""
        return PhoneNumber.listing(g.team, **query)


@blp.route("/register_phone_number")
class PhoneNumberRegistration(MethodView):
    @blp.arguments(PhoneNumberRegistrationBody)
    @blp.response(201, PhoneNumberSchema)
    @blp.errors(404, 409)
    def post(self, body):
        """Register a number of one of the team's integrations."""
        return PhoneNumber.register(g.team, **body)


@blp.route("/purchase_phone_numbers")
class PhoneNumberPurchase(MethodView):
    @blp.arguments(PhoneNumberPurchaseBody)
    @blp.response(201, PhoneNumberSchema(many=True))
    @blp.errors(404, 409)
    def post(self, body):
        """Buy numbers, all or none."""
        return PhoneNumber.purchase(g.team, **body)


@blp.route("/phone_numbers/<phone_number_id>/delete")
class PhoneNumberDelete(MethodView):
    @blp.response(204)
    def delete(self, phone_number_id):
        """Delete a number."""
        PhoneNumber.fetch(g.team, phone_number_id).remove()


@blp.route("/available_phone_numbers")
class AvailablePhoneNumbers(MethodView):
    @blp.arguments(AvailableNumbersQuery, location="query")
    @blp.response(200, AvailableNumberSchema(many=True))
    def get(self, query):
        """List numbers that could be bought."""
        return offers(g.team, **query)


@blp.route("/purchase_whatsapp_sender")
class WhatsappSenderPurchase(MethodView):
    @blp.arguments(WhatsappSenderBody)
    @blp.response(201, WhatsappSenderSchema)
    def post(self, body):
        """Buy a WhatsApp sender. It is online after a review of a minute."""
        return WhatsappSender.purchase(g.team, **body)


@blp.route("/whatsapp_sender_status/<sender_sid>")
class WhatsappSenderStatus(MethodView):
    @blp.response(200, WhatsappSenderSchema)
    def get(self, sender_sid):
        """Retrieve a WhatsApp sender."""
        return WhatsappSender.fetch(g.team, sender_sid)
