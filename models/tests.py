"""Tests of a worker's flow and their runs. simulator/checkpoints.py holds the conversations of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from peewee import IntegerField, TextField

from dryline.models.collection import FLOW, WORKER, StateCollection
from dryline.models.flows import Flow
from dryline.models.runs import Run
from dryline.models.workers import Worker
from dryline.storage.record import JsonField, Record

MOST_RUNS = 1_000_000  # of one checkpoint, however many it asks for
_MAX_RECORDS = 20  # conversations in a checkpoint's result
MOST_ATTEMPTS = 3  # how often the conversations of a run are begun, if the server ends within them
_GIVEN_UP = (
    f"The conversations were begun {MOST_ATTEMPTS} times, and each time the server ended within them. "
    "Start the test again to try once more."
)


class Test(Record):
    """A test of a worker. It is deleted with the worker and outlives its flow."""

    id_prefix = "test"

    updated_at = TextField()
    worker_id = TextField()
    flow_id = TextField()
    name = TextField()
    description = TextField(null=True)
    test_mode = TextField(default="")
    system_prompt = TextField(default="")
    checkpoints = JsonField(default=list)
    websocket_url = TextField(null=True)

    @classmethod
    def define(cls, worker: Worker, *, flow_id: str, **values: Any) -> Self:
        """Create a test of one of the worker's flows. Raises NotFound for another flow. Contract: createTest."""
        worker.child(Flow, flow_id, field="flow_id")
        return cls.add(worker, worker_id=worker.id, flow_id=flow_id, **values)

    def revise(self, **values: Any) -> Self:
        """Change the values. Raises NotFound for a flow that the worker does not have. Contract: updateTest."""
        if "flow_id" in values:
            Flow.fetch(self, values["flow_id"], field="flow_id", worker_id=self.worker_id)
        return self.change(**values)

    def run(self) -> TestRun:
        """Create a pending run. Contract: runTest."""
        return TestRun.begin(self, test_id=self.id)


class TestConversation(NamedTuple):
    """One conversation with the flow: whether it came to what the caller wanted, why, and what happened in it."""

    passed: bool
    explanation: str
    record: dict[str, Any]


@dataclass(slots=True)
class CheckpointRun:
    """A checkpoint with its conversations. `notes` are sentences that its result says beside them."""

    checkpoint: dict[str, Any]
    conversations: list[TestConversation] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def runs(self) -> int:
        """The number of conversations that it asks for."""
        return _requested_runs(self.checkpoint)

    def result(self) -> dict[str, Any]:
        """Return the checkpoint's result, which passes if at most `tolerance` conversations fail.

        The failures of the conversations that were run are scaled to the number that the checkpoint asks for. If none
        was run, all have failed.
        """
        if self.runs and not self.conversations:
            return self.failed_result(" ".join(["No conversation was run.", *self.notes]))

        explanations = [each.explanation for each in self.conversations if not each.passed]
        failed = len(explanations) * self.runs // max(len(self.conversations), 1)
        tolerance = _positive_number(self.checkpoint, "tolerance")
        records = [
            {**each.record, "passed": each.passed, "explanation": each.explanation}
            for each in self.conversations[:_MAX_RECORDS]
        ]
        return {
            "name": self.checkpoint.get("name"),
            "runs": self.runs,
            "passed": self.runs - failed,
            "failed": failed,
            "tolerance": tolerance,
            "status": "PASSED" if failed <= tolerance else "FAILED",
            "explanation": " ".join([*(explanations[:1] or ["No conversation failed."]), *self.notes]),
            "conversations": records,
        }

    def failed_result(self, explanation: str) -> dict[str, Any]:
        """Return the result of a checkpoint of which every conversation counts as failed."""
        return {
            "name": self.checkpoint.get("name"),
            "runs": self.runs,
            "passed": 0,
            "failed": self.runs,
            "tolerance": _positive_number(self.checkpoint, "tolerance"),
            "status": "FAILED",
            "explanation": explanation,
            "conversations": [],
        }


class TestRun(Run):
    """One run of a test, with the checkpoints that the test has when the run ends.

    `attempts` is how often its conversations were begun by a server that did not come to their end.
    """

    id_prefix = "testrun"
    waiting = "PENDING"

    test_id = TextField()
    attempts = IntegerField(default=0)

    @classmethod
    def last_of_each_test(cls, worker: Worker) -> dict[str, Self]:
        """Return the newest run of each of the worker's tests, by the id of the test."""
        run = cls.alias()
        newest = run.created_at.desc(), run.id.desc()
        newest_id = run.select(run.id).where(run.test_id == Test.id).order_by(*newest).limit(1)
        ids = Test.select(newest_id).where(Test.worker_id == worker.id)
        return {run.test_id: run for run in cls.select().where(cls.id.in_(ids))}

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        return cls.due_with_status(moment, limit, "PENDING")

    @classmethod
    def due_to_finish(cls, moment: str, limit: int) -> list[Self]:
        return cls.due_with_status(moment, limit, "RUNNING")

    def proceed(self, moment: str) -> None:
        """Start the run, which takes as long as the conversations that the checkpoints ask for."""
        test = Test.find(id=self.test_id)
        self.start_running(moment, sum(map(_requested_runs, test.checkpoints)) if test else 0)

    def begin_conversations(self, moment: str) -> bool:
        """Count an attempt. Return whether the conversations may begin; after MOST_ATTEMPTS the run has failed.

        A flow that stops the whole server would otherwise stop it again after each start.
        """
        run = self._still_running()
        if run is None:
            return False
        if run.attempts < MOST_ATTEMPTS:
            run.change(attempts=run.attempts + 1, updated_at=run.updated_at)
            return True
        test = Test.find(id=run.test_id)
        results = [CheckpointRun(each).failed_result(_GIVEN_UP) for each in (test.checkpoints if test else [])]
        run.end(moment, results, False)
        return False

    def forget_attempt(self) -> None:
        """Take the last attempt back: the server has noticed itself that the conversations came to no end."""
        run = self._still_running()
        if run is not None:
            run.change(attempts=max(run.attempts - 1, 0), updated_at=run.updated_at)

    def _still_running(self) -> TestRun | None:
        """Return the run as it is stored now, unless it has ended or was deleted meanwhile."""
        run = TestRun.find(id=self.id)
        return run if run is not None and run.status == "RUNNING" else None

    def finish(self, moment: str, checkpoints: list[CheckpointRun]) -> None:
        """End the run with the results of its checkpoints. Does nothing if the run has ended meanwhile."""
        now = self._still_running()
        if now is not None:
            results = [each.result() for each in checkpoints]
            now.end(moment, results, all(result["status"] == "PASSED" for result in results))


def _requested_runs(checkpoint: dict[str, Any]) -> int:
    return int(min(_positive_number(checkpoint, "runs"), MOST_RUNS))


def _positive_number(checkpoint: dict[str, Any], name: str) -> float:
    """Return the member's value, or 0 if an imported checkpoint has something else than a positive number."""
    value = checkpoint.get(name)
    return value if isinstance(value, int | float) and value > 0 else 0


STATE = {
    "tests": StateCollection(Test, required_links=WORKER, optional_links=FLOW),
    "testRuns": StateCollection(
        TestRun, required_links={"test_id": ("tests",)}, complete=TestRun.complete, changes_at=TestRun.import_changes_at
    ),
}
