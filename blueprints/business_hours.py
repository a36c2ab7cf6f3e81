"""Business hours of the team."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.business_hours import BusinessHours, with_phone_hours
from dryline.schemas.business_hours import BusinessHoursBody, BusinessHoursQuery, BusinessHoursSchema

blp = Area("Business Hours", "/api/workers/business-hours", description="Weekly opening hours of the team.")


@blp.route("", get="listBusinessHours", post="createBusinessHours")
class BusinessHoursList(MethodView):
    @blp.arguments(BusinessHoursQuery, location="query")
    @blp.response(200, BusinessHoursSchema(many=True))
    def get(self, query):
        """List the team's hours, newest first.

        `includeTeamPhoneHours` adds the numbers that each is tied to.
        """
        tables = BusinessHours.listing(g.team)
        return with_phone_hours(g.team, tables) if query["include_team_phone_hours"] else tables

    @blp.arguments(BusinessHoursBody)
    @blp.response(201, BusinessHoursSchema)
    def post(self, body):
        """Create hours.

        `hours` has weekdays, each `closed` or ranges such as `09:00-12:00,13:00-17:00`, read on the wall clock of
        `timezone`; a day that is left out is closed. They count for a number once `createTeamPhoneHours` ties it to
        them.
        """
        return BusinessHours.define(g.team, **body)


@blp.route("/<id>", get="getBusinessHours", put="updateBusinessHours", delete="deleteBusinessHours")
class BusinessHoursById(MethodView):
    @blp.arguments(BusinessHoursQuery, location="query")
    @blp.response(200, BusinessHoursSchema)
    def get(self, query, id):
        """Retrieve hours.

        `includeTeamPhoneHours` adds the numbers that are tied to them.
        """
        table = BusinessHours.fetch(g.team, id)
        return with_phone_hours(g.team, [table])[0] if query["include_team_phone_hours"] else table

    @blp.arguments(BusinessHoursBody(partial=True))
    @blp.response(200, BusinessHoursSchema)
    def put(self, body, id):
        """Change hours.

        Members that are left out keep their value; null clears one that may be null. `checkCallable` follows at
        once.
        """
        return BusinessHours.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete hours.

        Numbers tied to them are untied.
        """
        BusinessHours.fetch(g.team, id).remove()
