"""Business hours, the numbers tied to them, and whether a number can be called."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.business_hours import BusinessHours, TeamPhoneHours, with_phone_hours, with_relations
from dryline.schemas.business_hours import (
    BusinessHoursBody,
    BusinessHoursQuery,
    BusinessHoursSchema,
    TeamPhoneHoursListQuery,
    TeamPhoneHoursQuery,
    TeamPhoneHoursSchema,
)

blp = Area("Business Hours", "/api/workers/business-hours", description="Weekly opening hours of the team.")
phone_hours = Area(
    "Team Phone Hours", "/api/workers/team-phone-hours", description="Which hours hold for which number."
)


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


@phone_hours.route("")
class TeamPhoneHoursList(MethodView):
    @phone_hours.arguments(TeamPhoneHoursListQuery, location="query")
    @phone_hours.response(200, TeamPhoneHoursSchema(many=True))
    def get(self, query):
        """List what ties numbers to hours, newest first."""
        related = query.pop("include_relations")
        ties = TeamPhoneHours.search(g.team, **query)
        return with_relations(g.team, ties) if related else ties

    @phone_hours.arguments(TeamPhoneHoursSchema)
    @phone_hours.response(201, TeamPhoneHoursSchema)
    @phone_hours.errors(404)
    def post(self, body):
        """Tie a number to hours."""
        return TeamPhoneHours.define(g.team, **body)


@phone_hours.route("/<id>")
class TeamPhoneHoursById(MethodView):
    @phone_hours.arguments(TeamPhoneHoursQuery, location="query")
    @phone_hours.response(200, TeamPhoneHoursSchema)
    def get(self, query, id):
        """Retrieve what ties a number to hours."""
        tie = TeamPhoneHours.fetch(g.team, id)
        return with_relations(g.team, [tie])[0] if query["include_relations"] else tie

    @phone_hours.arguments(TeamPhoneHoursSchema(partial=True))
    @phone_hours.response(200, TeamPhoneHoursSchema)
    def put(self, body, id):
        """Change the members that are sent."""
        return TeamPhoneHours.fetch(g.team, id).revise(**body)

    @phone_hours.response(204)
    def delete(self, id):
        """Untie a number from its hours."""
        TeamPhoneHours.fetch(g.team, id).remove()
