"""Custom voices of the team."""

from flask import g
from flask.views import MethodView

from dryline.models.custom_voices import CustomVoice
from dryline.schemas.custom_voices import CustomVoiceSchema
from dryline.web.base import Area

blp = Area("Custom Voices", "/api/team/customVoices", description="The team's custom voices at the speech provider.")


@blp.route("", get="listCustomVoices", post="createCustomVoice")
class CustomVoices(MethodView):
    @blp.response(200, CustomVoiceSchema(many=True))
    def get(self):
        """List the team's custom voices, newest first."""
        return CustomVoice.listing(g.team)

    @blp.arguments(CustomVoiceSchema)
    @blp.response(201, CustomVoiceSchema)
    def post(self, body):
        """Add a custom voice by its id at the speech provider.

        The provider is not contacted. Name and owner are derived from the id, so the same id gives the same voice.
        """
        return CustomVoice.adopt(g.team, **body)


@blp.route("/<id>", delete="deleteCustomVoice")
class CustomVoiceById(MethodView):
    @blp.response(204)
    def delete(self, id):
        """Delete a custom voice."""
        CustomVoice.fetch(g.team, id).remove()
