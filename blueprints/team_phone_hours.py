"""Which business hours hold for which number."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.business_hours import TeamPhoneHours, with_relations
from dryline.schemas.business_hours import TeamPhoneHoursListQuery, TeamPhoneHoursQuery, TeamPhoneHoursSchema

blp = Area("Team Phone Hours", "/api/workers/team-phone-hours", description="Which hours hold for which number.")


@blp.route("", get="listTeamPhoneHours", post="createTeamPhoneHours")
class TeamPhoneHoursList(MethodView):
    @blp.arguments(TeamPhoneHoursListQuery, location="query")
    @blp.response(200, TeamPhoneHoursSchema(many=True))
    def get(self, query):
        """List what ties numbers to hours, newest first.

        `includeRelations` adds the hours and the team of each.
        """
        related = query.pop("include_relations")
        ties = TeamPhoneHours.search(g.team, **query)
        return with_relations(g.team, ties) if related else ties

    @blp.arguments(TeamPhoneHoursSchema)
    @blp.response(201, TeamPhoneHoursSchema)
    @blp.errors(404)
    def post(self, body):
        """Tie a number to hours.

        A number may be tied to several tables. 404 for hours that the team does not have, and for a `teamId` that
        is not the key's.
        """
        return TeamPhoneHours.define(g.team, **body)


@blp.route("/<id>", get="getTeamPhoneHours", put="updateTeamPhoneHours", delete="deleteTeamPhoneHours")
class TeamPhoneHoursById(MethodView):
    @blp.arguments(TeamPhoneHoursQuery, location="query")
    @blp.response(200, TeamPhoneHoursSchema)
    def get(self, query, id):
        """Retrieve what ties a number to hours.

        `includeRelations` adds the hours and the team.
        """
        tie = TeamPhoneHours.fetch(g.team, id)
        return with_relations(g.team, [tie])[0] if query["include_relations"] else tie

    @blp.arguments(TeamPhoneHoursSchema(partial=True))
    @blp.response(200, TeamPhoneHoursSchema)
    def put(self, body, id):
        """Change what ties a number to hours.

        Members that are left out keep their value; null clears one that may be null. 404 for hours that the team
        does not have.
        """
        return TeamPhoneHours.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Untie a number from its hours.

        The number and the hours stay.
        """
        TeamPhoneHours.fetch(g.team, id).remove()
