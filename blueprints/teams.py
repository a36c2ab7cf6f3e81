"""The team of the key."""

from flask import g
from flask.views import MethodView

from dryline.models.integrations import team_with_integrations
from dryline.schemas.teams import TeamOptionsQuery, TeamSchema
from dryline.web.base import Area

blp = Area("Team", "/api/team", description="The team that the key belongs to.")


@blp.route("", get="getTeam")
class TeamView(MethodView):
    quick = True

    @blp.arguments(TeamOptionsQuery, location="query")
    @blp.response(200, TeamSchema)
    def get(self, query):
        """Retrieve the team of the key.

        `includeIntegrations` adds the team's accounts at telephony providers.
        """
        return team_with_integrations(g.team) if query["include_integrations"] else g.team
