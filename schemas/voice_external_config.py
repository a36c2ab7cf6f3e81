"""Schemas of a voice deployment's settings at the engine."""

from marshmallow import INCLUDE, fields

from dryline.schemas.base import Boolean, Number, OneOf, PartSchema
from dryline.schemas.json_text import StoredAsSent

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
        required=True, validate=OneOf("off", "streaming", "post_call"), metadata={"description": "time of the masking"}
    )
    categories = fields.List(fields.String(), metadata={"description": "kinds of data to mask"})


class PronunciationSchema(PartSchema):
    """The pronunciation of a word."""

    word = fields.String(required=True, metadata={"description": "word"})
    alphabet = fields.String(required=True, validate=OneOf("ipa", "cmu"), metadata={"description": "alphabet"})
    phoneme = fields.String(required=True, metadata={"description": "pronunciation of the word"})


class VoiceExternalConfigSchema(PartSchema):  # Contract: records.voice_external_config
    """Settings of the agent's voice and hearing. Other fields are stored."""

    class Meta(PartSchema.Meta):
        unknown = INCLUDE

    engine_version = fields.String(allow_none=True, metadata={"description": "default at creation: the worker's"})
    language = fields.String(allow_none=True)
    voice_id = fields.String(allow_none=True, metadata={"description": "id of the voice"})
    voice_model = fields.String(
        allow_none=True, validate=OneOf(*VOICE_MODELS), metadata={"description": "speech model"}
    )
    fallback_voice_ids = fields.List(
        fields.String(), allow_none=True, metadata={"description": "voices to use if the first one fails"}
    )
    voice_temperature = Number(allow_none=True, metadata={"description": "voice variability"})
    voice_speed = Number(allow_none=True, metadata={"description": "speaking rate"})
    volume = Number(allow_none=True, metadata={"description": "volume of the voice"})
    responsiveness = Number(allow_none=True, metadata={"description": "responsiveness of the agent"})
    interruptibility = Number(allow_none=True, metadata={"description": "sensitivity to interruptions by the caller"})
    enable_responsive_reactions = Boolean(
        allow_none=True, metadata={"description": "whether the agent gives short reactions"}
    )
    responsive_reactions_frequency = Number(allow_none=True, metadata={"description": "frequency of short reactions"})
    responsive_reactions_words = fields.List(
        fields.String(), allow_none=True, metadata={"description": "words of the short reactions"}
    )
    enable_backchannel = Boolean(allow_none=True, metadata={"description": "whether the agent makes listening sounds"})
    backchannel_frequency = Number(allow_none=True, metadata={"description": "frequency of listening sounds"})
    backchannel_words = fields.List(fields.String(), allow_none=True, metadata={"description": "listening sounds"})
    reminder_trigger_ms = Number(allow_none=True, metadata={"description": "silence in milliseconds before a reminder"})
    reminder_max_count = Number(allow_none=True, metadata={"description": "greatest number of reminders per call"})
    ambient_sound = fields.String(allow_none=True, metadata={"description": "background sound"})
    ambient_sound_volume = Number(allow_none=True, metadata={"description": "volume of the background sound"})
    boosted_keywords = fields.List(fields.String(), allow_none=True, metadata={"description": "words to recognize"})
    enable_transcription_formatting = Boolean(
        allow_none=True, metadata={"description": "whether the transcript is edited for readability"}
    )
    opt_out_sensitive_data_storage = Boolean(allow_none=True, metadata={"description": "whether it is not stored"})
    pii_config = StoredAsSent(PiiConfigSchema, allow_none=True, metadata={"description": "masking of personal data"})
    pronunciation_dictionary = fields.List(
        StoredAsSent(PronunciationSchema), allow_none=True, metadata={"description": "pronunciation of single words"}
    )
    normalize_for_speech = Boolean(allow_none=True, metadata={"description": "whether numbers are spelled out"})
    end_call_after_silence_ms = Number(allow_none=True, metadata={"description": "silence (ms) that ends the call"})
    max_call_duration_ms = Number(allow_none=True, metadata={"description": "longest call in milliseconds"})
    enable_voicemail_detection = Boolean(allow_none=True, metadata={"description": "whether voicemail is detected"})
    voicemail_message = fields.String(allow_none=True, metadata={"description": "message left on voicemail"})
    voicemail_detection_timeout_ms = Number(allow_none=True, metadata={"description": "milliseconds to wait for it"})
    voice_emotion_enabled = Boolean(allow_none=True, metadata={"description": "emotion of the voice"})
    begin_message_delay_ms = Number(allow_none=True, metadata={"description": "milliseconds before the first sentence"})
    ring_duration_ms = Number(allow_none=True, metadata={"description": "time in milliseconds to let the phone ring"})
    audio_encoding = fields.String(allow_none=True, metadata={"description": "audio encoding"})
    sample_rate = Number(allow_none=True, metadata={"description": "audio sample rate"})
    reduce_silence = Boolean(allow_none=True, metadata={"description": "whether pauses are shortened"})
    filler_audio_enabled = Boolean(
        allow_none=True, metadata={"description": "whether filler audio is played while the agent thinks"}
    )
    include_reason = Boolean(allow_none=True, metadata={"description": "whether reasons of branches are recorded"})
