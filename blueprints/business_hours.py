"""Business hours of the team."""

from flask import g
from flask.views import MethodView

from dryline.models.business_hours import BusinessHours, with_phone_hours
from dryline.schemas.business_hours import BusinessHoursQuery, BusinessHoursSchema
from dryline.web.base import Area

blp = Area("Business Hours", "/api/workers/business-hours", description="Weekly business hours of the team.")


@blp.route("", get="listBusinessHours", post="createBusinessHours")
class BusinessHoursList(MethodView):
    @blp.arguments(BusinessHoursQuery, location="query")
    @blp.response(200, BusinessHoursSchema(many=True))
    def get(self, query):
        """List the team's business hours, newest first."""
        tables = BusinessHours.listing(g.team)
        return with_phone_hours(g.team, tables) if query["include_team_phone_hours"] else tables

    @blp.arguments(BusinessHoursSchema)
    @blp.response(201, BusinessHoursSchema)
    def post(self, body):
        """Create business hours.

        `hours` maps weekdays to `closed` or to ranges such as `09:00-12:00,13:00-17:00`, in local time of `timezone`. A
        missing weekday is closed. Use `createTeamPhoneHours` to assign a phone number to the hours.
        """
        return BusinessHours.define(g.team, **body)


@blp.route("/<id>", get="getBusinessHours", put="updateBusinessHours", delete="deleteBusinessHours")
class BusinessHoursById(MethodView):
    quick = True

    @blp.arguments(BusinessHoursQuery, location="query")
    @blp.response(200, BusinessHoursSchema)
    def get(self, query, id):
        """Retrieve business hours."""
        table = BusinessHours.fetch(g.team, id)
        return with_phone_hours(g.team, [table])[0] if query["include_team_phone_hours"] else table

    @blp.arguments(BusinessHoursSchema(partial=True))
    @blp.response(200, BusinessHoursSchema)
    def put(self, body, id):
        """Update business hours.

        The new hours apply to `checkCallable` at once.
        """
        return BusinessHours.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete business hours."""
        BusinessHours.fetch(g.team, id).remove()
