"""Voice analysis."""

from flask import g
from flask.views import MethodView

from dryline.models.voice_analysis import analyze
from dryline.schemas.voice_analysis import VoiceAnalysisBody, VoiceAnalysisSchema
from dryline.web.base import Area

blp = Area("Voice Analysis", "/api/voice-analysis", description="Calls, minutes and transfers by period.")


@blp.route("", post="analyzeVoice")
class VoiceAnalysis(MethodView):
    only_reads = True

    @blp.arguments(VoiceAnalysisBody, required=False)
    @blp.response(200, VoiceAnalysisSchema)
    def post(self, body):
        """Summarize the team's calls.

        The answer has calls, minutes and transfers in total and for each period of `granularity`. A call counts for the
        period in which it starts. Both dates are inclusive; without dates all calls count. Unknown workers or
        deployments give zeros.
        """
        return analyze(g.team, **body)
