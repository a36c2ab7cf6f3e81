"""Business hours of the team."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.business_hours import BusinessHours, with_phone_hours
from dryline.schemas.business_hours import BusinessHoursBody, BusinessHoursQuery, BusinessHoursSchema

blp = Area("Business Hours", "/api/workers/business-hours", description="Weekly opening hours of the team.")


@blp.route("")
class BusinessHoursList(MethodView):
    @blp.arguments(BusinessHoursQuery, location="query")
    @blp.response(200, BusinessHoursSchema(many=True))
    def get(self, query):
        """List the team's hours, newest first."""
        tables = BusinessHours.listing(g.team)
        return with_phone_hours(g.team, tables) if query["include_team_phone_hours"] else tables

    @blp.arguments(BusinessHoursBody)
    @blp.response(201, BusinessHoursSchema)
    def post(self, body):
        """Create hours."""
        return BusinessHours.define(g.team, **body)


@blp.route("/<id>")
class BusinessHoursById(MethodView):
    @blp.arguments(BusinessHoursQuery, location="query")
    @blp.response(200, BusinessHoursSchema)
    def get(self, query, id):
        """Retrieve hours."""
        table = BusinessHours.fetch(g.team, id)
        return with_phone_hours(g.team, [table])[0] if query["include_team_phone_hours"] else table

    @blp.arguments(BusinessHoursBody(partial=True))
    @blp.response(200, BusinessHoursSchema)
    def put(self, body, id):
        """Change the members that are sent."""
        return BusinessHours.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete hours and what ties numbers to them."""
        BusinessHours.fetch(g.team, id).remove()
