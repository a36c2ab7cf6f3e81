"""Schemas of business hours, their assignment to phone numbers, and the check whether a number can be called."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Boolean, Number, QueryBoolean, QuerySchema, Timestamp
from dryline.schemas.row_schemas import RowSchema
from dryline.schemas.teams import TeamSchema

HOURS = 'a weekday each: "closed", or ranges such as "09:00-12:00,13:00-17:00"; "22:00-02:00" goes over midnight'


class BusinessHoursQuery(QuerySchema):
    """Options for business hours."""

    include_team_phone_hours = QueryBoolean(load_default=False)


class TeamPhoneHoursQuery(QuerySchema):
    """Options for an assignment of business hours."""

    include_relations = QueryBoolean(load_default=False)


class TeamPhoneHoursListQuery(TeamPhoneHoursQuery):
    """Filters of the list of assignments."""

    phone_number = fields.String(metadata={"description": "only this number, in any notation"})
    team_id = fields.String(metadata={"description": "only this team; another team's id gives an empty list"})


class HoursTableSchema(ApiSchema):
    """Business hours without their assignments."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("primary_tag", "secondary_tag")

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    hours = fields.Dict(keys=fields.String(), values=fields.String(), required=True, metadata={"description": HOURS})
    timezone = fields.String(load_default="UTC")
    primary_tag = fields.String()
    secondary_tag = fields.String()


class TeamPhoneHoursSchema(ApiSchema):  # Contract: records.team_phone_hours
    """An assignment of business hours to a phone number."""

    class Meta(ApiSchema.Meta):
        sometimes = ("hours", "team")

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    hours_id = fields.String(required=True)
    phone_number = fields.String(required=True)
    team_id = fields.String(required=True)
    hours = fields.Nested(
        HoursTableSchema, dump_only=True, metadata={"description": "only with `includeRelations=true`"}
    )
    team = fields.Nested(TeamSchema, dump_only=True, metadata={"description": "only with `includeRelations=true`"})


class BusinessHoursSchema(HoursTableSchema):  # Contract: records.business_hours, createBusinessHours
    """Business hours of a week."""

    class Meta(HoursTableSchema.Meta):
        sometimes = ("team_phone_hours",)

    team_phone_hours = fields.List(
        fields.Nested(TeamPhoneHoursSchema),
        dump_only=True,
        metadata={"description": "only with `includeTeamPhoneHours=true`"},
    )


class CallableSchema(ApiSchema):  # Contract: checkCallable
    """A phone number and a time, and whether the number can be called then."""

    phone_number = fields.String(required=True, load_only=True, metadata={"description": "number in any notation"})
    timestamp = Number(required=True, load_only=True, metadata={"description": "Unix time in seconds"})
    callable = Boolean(dump_only=True, metadata={"description": "whether the local time is within that day's hours"})
    reason = fields.String(dump_only=True, metadata={"description": "reason, in a sentence; an addition of dryline"})


ROWS = {
    "businessHours": RowSchema(BusinessHoursSchema, "hours", without="team_phone_hours", team_id=fields.String()),
    "teamPhoneHours": RowSchema(TeamPhoneHoursSchema, "hoursId phoneNumber", without="hours team"),
}
