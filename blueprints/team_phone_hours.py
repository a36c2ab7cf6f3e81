"""Which business hours hold for which number."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.business_hours import TeamPhoneHours, with_relations
from dryline.schemas.business_hours import TeamPhoneHoursListQuery, TeamPhoneHoursQuery, TeamPhoneHoursSchema

blp = Area("Team Phone Hours", "/api/workers/team-phone-hours", description="Which hours hold for which number.")


@blp.route("")
class TeamPhoneHoursList(MethodView):
    @blp.arguments(TeamPhoneHoursListQuery, location="query")
    @blp.response(200, TeamPhoneHoursSchema(many=True))
    def get(self, query):
        """List what ties numbers to hours, newest first."""
        related = query.pop("include_relations")
        ties = TeamPhoneHours.search(g.team, **query)
        return with_relations(g.team, ties) if related else ties

    @blp.arguments(TeamPhoneHoursSchema)
    @blp.response(201, TeamPhoneHoursSchema)
    @blp.errors(404)
    def post(self, body):
        """Tie a number to hours."""
        return TeamPhoneHours.define(g.team, **body)


@blp.route("/<id>")
class TeamPhoneHoursById(MethodView):
    @blp.arguments(TeamPhoneHoursQuery, location="query")
    @blp.response(200, TeamPhoneHoursSchema)
    def get(self, query, id):
        """Retrieve what ties a number to hours."""
        tie = TeamPhoneHours.fetch(g.team, id)
        return with_relations(g.team, [tie])[0] if query["include_relations"] else tie

    @blp.arguments(TeamPhoneHoursSchema(partial=True))
    @blp.response(200, TeamPhoneHoursSchema)
    def put(self, body, id):
        """Change the members that are sent."""
        return TeamPhoneHours.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Untie a number from its hours."""
        TeamPhoneHours.fetch(g.team, id).remove()
