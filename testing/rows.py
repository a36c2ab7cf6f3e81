"""The rows that the helpers return, in the form of the API."""

from typing import Any, Literal, TypedDict

from dryline.world.origins import Origin


class LoggedRequest(TypedDict):
    """A request of the request log. Members that come with the answer are None while it is in progress."""

    number: int | None
    inProgress: bool
    time: str
    answeredAt: str | None
    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: Any
    ignored: list[str]
    status: int | None
    durationMs: float | None
    faultId: str | None
    teamId: str | None
    origin: Origin
    answerHeaders: dict[str, str]
    answer: Any
    touched: list[str]


class FaultRule(TypedDict):
    """A fault rule, with how often it matched (`matches`) and was applied (`hits`)."""

    id: str
    createdAt: str
    method: str
    path: str
    json: Any
    query: dict[str, Any] | None
    requestHeaders: dict[str, Any] | None
    bodyContains: str | None
    status: int | None
    body: Any
    headers: dict[str, str] | None
    answers: list[dict[str, Any]] | None
    delayMs: int
    delayDistribution: dict[str, Any] | None
    bytesPerSecond: int | None
    rateLimit: dict[str, Any] | None
    drop: bool
    malformed: str | None
    phase: Literal["before", "after"]
    probability: float
    times: int | None
    skip: int
    teamId: str | None
    matches: int
    hits: int


class Delivery(TypedDict):
    """A delivery to a webhook: `request` has method, URL and body, `response` status and body of the last attempt."""

    id: str
    createdAt: str
    webhookId: str | None
    deploymentId: str
    logId: str
    event: Literal["call_started", "call_ended"]
    status: Literal["PENDING", "DELIVERED", "FAILED", "REFUSED"]
    attempts: int
    dueAt: str | None
    deliveredAt: str | None
    request: dict[str, Any]
    unknownFields: list[str]
    response: dict[str, Any] | None
    error: str | None


class RuntimeValues(TypedDict):
    """The settings that can change while a server runs."""

    exportMode: Literal["auto", "manual"]
    exportDelayMs: int
    exportOutcome: Literal["COMPLETED", "FAILED"]
    exportError: str
    strict: bool
    callsPerMinute: float


class ExportRow(TypedDict):
    """An export."""

    id: str
    status: Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "EXPIRED"]
    format: Literal["CSV", "JSON"]
    logType: str | None
    rowCount: int | None
    fileSizeBytes: float | None
    downloadUrl: str | None
    errorMessage: str | None
    createdAt: str
    expiresAt: str | None
