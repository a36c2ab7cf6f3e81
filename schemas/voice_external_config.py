"""The engine's settings of a voice deployment."""

from __future__ import annotations

from marshmallow import INCLUDE, fields

from dryline.schemas.base import Boolean, Number, OneOf, PartSchema
from dryline.schemas.json_text import AsSent

VOICE_MODELS = (
    "eleven_turbo_v2",
    "eleven_flash_v2",
    "eleven_turbo_v2_5",
    "eleven_flash_v2_5",
    "eleven_multilingual_v2",
    "Play3.0-mini",
    "PlayDialog",
)


class PiiConfigSchema(PartSchema):
    """Masking of personal data."""

    mode = fields.String(
        required=True, validate=OneOf("off", "streaming", "post_call"), metadata={"description": "when masking happens"}
    )
    categories = fields.List(fields.String(), metadata={"description": "kinds of data to mask"})


class PronunciationSchema(PartSchema):
    """How to say one word."""

    word = fields.String(required=True, metadata={"description": "the word"})
    alphabet = fields.String(
        required=True,
        validate=OneOf("ipa", "cmu"),
        metadata={"description": "alphabet that the pronunciation is written in"},
    )
    phoneme = fields.String(required=True, metadata={"description": "its pronunciation"})


class VoiceExternalConfigSchema(PartSchema):
    """How the agent speaks and listens. Members unknown here are kept too. Contract: records.voice_external_config."""

    class Meta(PartSchema.Meta):
        unknown = INCLUDE

    engine_version = fields.String(
        allow_none=True, metadata={"description": "engine to route to; left out at creation: the worker's"}
    )
    language = fields.String(allow_none=True, metadata={"description": "spoken language code"})
    voice_id = fields.String(allow_none=True, metadata={"description": "voice to speak with"})
    voice_model = fields.String(
        allow_none=True, validate=OneOf(*VOICE_MODELS), metadata={"description": "speech model"}
    )
    fallback_voice_ids = fields.List(
        fields.String(), allow_none=True, metadata={"description": "voices tried when the first one fails"}
    )
    voice_temperature = Number(allow_none=True, metadata={"description": "voice variability"})
    voice_speed = Number(allow_none=True, metadata={"description": "speaking rate"})
    volume = Number(allow_none=True, metadata={"description": "loudness"})
    responsiveness = Number(allow_none=True, metadata={"description": "how fast the agent answers"})
    interruptibility = Number(allow_none=True, metadata={"description": "how easily the caller can cut in"})
    enable_responsive_reactions = Boolean(allow_none=True, metadata={"description": "short reactions on"})
    responsive_reactions_frequency = Number(allow_none=True, metadata={"description": "how often short reactions come"})
    responsive_reactions_words = fields.List(
        fields.String(), allow_none=True, metadata={"description": "words used for them"}
    )
    enable_backchannel = Boolean(allow_none=True, metadata={"description": "listening sounds on"})
    backchannel_frequency = Number(allow_none=True, metadata={"description": "how often listening sounds come"})
    backchannel_words = fields.List(fields.String(), allow_none=True, metadata={"description": "words used for them"})
    reminder_trigger_ms = Number(allow_none=True, metadata={"description": "silence in ms before a reminder"})
    reminder_max_count = Number(allow_none=True, metadata={"description": "most reminders per call"})
    ambient_sound = fields.String(allow_none=True, metadata={"description": "background sound"})
    ambient_sound_volume = Number(allow_none=True, metadata={"description": "its loudness"})
    boosted_keywords = fields.List(
        fields.String(), allow_none=True, metadata={"description": "words the recogniser should favour"}
    )
    enable_transcription_formatting = Boolean(allow_none=True, metadata={"description": "tidy the transcript"})
    opt_out_sensitive_data_storage = Boolean(allow_none=True, metadata={"description": "keep no sensitive data"})
    pii_config = AsSent(PiiConfigSchema, allow_none=True, metadata={"description": "personal-data masking"})
    pronunciation_dictionary = fields.List(
        AsSent(PronunciationSchema), allow_none=True, metadata={"description": "how to say single words"}
    )
    normalize_for_speech = Boolean(allow_none=True, metadata={"description": "spell out numbers and the like"})
    end_call_after_silence_ms = Number(allow_none=True, metadata={"description": "silence in ms that ends the call"})
    max_call_duration_ms = Number(allow_none=True, metadata={"description": "longest call in ms"})
    enable_voicemail_detection = Boolean(allow_none=True, metadata={"description": "detect voicemail"})
    voicemail_message = fields.String(allow_none=True, metadata={"description": "message left on voicemail"})
    voicemail_detection_timeout_ms = Number(allow_none=True, metadata={"description": "ms to wait for that detection"})
    voice_emotion_enabled = Boolean(allow_none=True, metadata={"description": "emotion in the voice"})
    begin_message_delay_ms = Number(allow_none=True, metadata={"description": "ms before the first sentence"})
    ring_duration_ms = Number(allow_none=True, metadata={"description": "ms to let it ring"})
    audio_encoding = fields.String(allow_none=True, metadata={"description": "audio encoding"})
    sample_rate = Number(allow_none=True, metadata={"description": "audio sample rate"})
    reduce_silence = Boolean(allow_none=True, metadata={"description": "shorten pauses"})
    filler_audio_enabled = Boolean(allow_none=True, metadata={"description": "filler audio while thinking"})
    include_reason = Boolean(allow_none=True, metadata={"description": "record the reason of a taken branch"})
