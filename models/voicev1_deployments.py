"""Voice V1 deployments: the legacy form of a flow on the phone."""

import orjson
from peewee import TextField

from dryline.models.deployments import Deployment, DeploymentProfile, collection_of
from dryline.storage.record import JsonField


class VoiceV1Deployment(Deployment):
    """A legacy deployment on a phone number. Two arrays are kept as the JSON text that the API answers."""

    channel = "VoiceV1"
    name_in_messages = "Voice V1 deployment"

    phone_number = TextField()
    objective = TextField()
    allowed_transfer_numbers = TextField(default="[]")
    resource_keys = TextField(default="[]")
    start_sentence = TextField(null=True)
    end_sentence = TextField(null=True)
    voice_id = TextField(null=True)
    language = TextField(null=True)
    functions = JsonField(null=True)
    model = TextField(null=True)
    ws_base_url = TextField(null=True)
    config = JsonField(null=True)
    extractions = JsonField(null=True)

    class Meta:
        table_name = "deployment"

    def profile(self) -> DeploymentProfile:
        transfer_numbers = orjson.loads(self.allowed_transfer_numbers)
        return DeploymentProfile(
            phone_number=self.phone_number,
            transfer_number=transfer_numbers[0] if transfer_numbers else None,
            opening=self.start_sentence or None,
            closing=self.end_sentence,
            voice_id=self.voice_id,
            extractions=self.extractions,
        )


STATE = {"voicev1Deployments": collection_of(VoiceV1Deployment)}
