"""Custom voices of the team."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.custom_voices import CustomVoice
from dryline.schemas.custom_voices import CustomVoiceSchema

blp = Area("Custom Voices", "/api/team/customVoices", description="The team's voices at the speech provider.")


@blp.route("", get="listCustomVoices", post="createCustomVoice")
class CustomVoices(MethodView):
    @blp.response(200, CustomVoiceSchema(many=True))
    def get(self):
        """List the team's voices, newest first.

        All of them, without pages.
        """
        return CustomVoice.listing(g.team)

    @blp.arguments(CustomVoiceSchema)
    @blp.response(201, CustomVoiceSchema)
    def post(self, body):
        """Add a voice by its id at the provider.

        The provider is not asked: name and owner are made up from the id, the same ones for the same id.
        """
        return CustomVoice.adopt(g.team, **body)


@blp.route("/<id>", delete="deleteCustomVoice")
class CustomVoiceById(MethodView):
    @blp.response(204)
    def delete(self, id):
        """Delete a voice.

        Deployments that name it keep doing so.
        """
        CustomVoice.fetch(g.team, id).remove()
