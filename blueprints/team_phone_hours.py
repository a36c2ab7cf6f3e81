"""Assignments of business hours to phone numbers."""

from flask import g
from flask.views import MethodView

from dryline.models.business_hours import TeamPhoneHours, with_relations
from dryline.schemas.business_hours import TeamPhoneHoursListQuery, TeamPhoneHoursQuery, TeamPhoneHoursSchema
from dryline.web.base import Area

blp = Area(
    "Team Phone Hours", "/api/workers/team-phone-hours", description="Assignments of business hours to phone numbers."
)


@blp.route("", get="listTeamPhoneHours", post="createTeamPhoneHours")
class TeamPhoneHoursList(MethodView):
    @blp.arguments(TeamPhoneHoursListQuery, location="query")
    @blp.response(200, TeamPhoneHoursSchema(many=True))
    def get(self, query):
        """List the assignments of business hours to phone numbers, newest first."""
        related = query.pop("include_relations")
        ties = TeamPhoneHours.search(g.team, **query)
        return with_relations(g.team, ties) if related else ties

    @blp.arguments(TeamPhoneHoursSchema)
    @blp.response(201, TeamPhoneHoursSchema)
    @blp.errors(404)
    def post(self, body):
        """Assign business hours to a phone number.

        A phone number may have several business hours. 404 if the team has no such business hours, or if `teamId` is
        not the key's team.
        """
        return TeamPhoneHours.define(g.team, **body)


@blp.route("/<id>", get="getTeamPhoneHours", put="updateTeamPhoneHours", delete="deleteTeamPhoneHours")
class TeamPhoneHoursById(MethodView):
    @blp.arguments(TeamPhoneHoursQuery, location="query")
    @blp.response(200, TeamPhoneHoursSchema)
    def get(self, query, id):
        """Retrieve an assignment of business hours."""
        tie = TeamPhoneHours.fetch(g.team, id)
        return with_relations(g.team, [tie])[0] if query["include_relations"] else tie

    @blp.arguments(TeamPhoneHoursSchema(partial=True))
    @blp.response(200, TeamPhoneHoursSchema)
    def put(self, body, id):
        """Update an assignment of business hours."""
        return TeamPhoneHours.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete an assignment of business hours."""
        TeamPhoneHours.fetch(g.team, id).remove()
