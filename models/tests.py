"""Tests of a worker's flow, and their runs. A run is simulated: no conversation takes place."""

from __future__ import annotations

from random import Random
from typing import Any, Self

from peewee import TextField

from dryline.models.flows import Flow
from dryline.models.runs import Run
from dryline.models.workers import Worker
from dryline.world.collection import FLOW, WORKER, Collection
from dryline.world.record import JsonField, Record

CONVERSATION_PASSES = 0.92  # the share of a checkpoint's conversations that come out well
MOST_RUNS = 1_000_000  # of one checkpoint; what asks for more runs as often as this


class Test(Record):
    """A test of a worker. It goes with the worker and outlives its flow."""

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
        """A new test of one of the worker's flows. Raises NotFound for another flow. Contract: createTest."""
        worker.its(Flow, flow_id, field="flow_id")
        return cls.add(worker, worker_id=worker.id, flow_id=flow_id, **values)

    def revise(self, **values: Any) -> Self:
        """Change the values. Raises NotFound for a flow that the worker does not have. Contract: updateTest."""
        if "flow_id" in values:
            Flow.fetch(self, values["flow_id"], field="flow_id", worker_id=self.worker_id)
        return self.change(**values)

    def run(self) -> TestRun:
        """A new run, waiting. Contract: runTest."""
        return TestRun.begin(self, test_id=self.id)


class TestRun(Run):
    """One run of a test, by the checkpoints that the test has while it runs."""

    id_prefix = "testrun"
    waiting = "PENDING"

    test_id = TextField()

    def conversations(self) -> int:
        """As many as the checkpoints ask for."""
        return sum(_times(checkpoint) for checkpoint in self._checkpoints())

    def judge(self, chance: Random) -> tuple[list[dict[str, Any]], bool]:
        """A result for each checkpoint: it passes when no more conversations fail than its `tolerance` allows."""
        results = []
        for checkpoint in self._checkpoints():
            runs = _times(checkpoint)
            tolerance = _number(checkpoint, "tolerance")
            drawn = min(runs, 1000)  # beyond that, what a thousand gave stands for all
            failed = sum(chance.random() > CONVERSATION_PASSES for _ in range(drawn)) * runs // max(drawn, 1)
            results.append(
                {
                    "name": checkpoint.get("name"),
                    "runs": runs,
                    "passed": runs - failed,
                    "failed": failed,
                    "tolerance": tolerance,
                    "status": "PASSED" if failed <= tolerance else "FAILED",
                }
            )
        return results, all(result["status"] == "PASSED" for result in results)

    def _checkpoints(self) -> list[dict[str, Any]]:
        test = Test.find(id=self.test_id)
        return test.checkpoints if test else []


def _times(checkpoint: dict[str, Any]) -> int:
    return int(min(_number(checkpoint, "runs"), MOST_RUNS))


def _number(checkpoint: dict[str, Any], name: str) -> float:
    """The member's value; 0 for what an imported checkpoint has instead of a number."""
    value = checkpoint.get(name)
    return value if isinstance(value, int | float) and value > 0 else 0


STATE = {
    "tests": Collection(Test, needs=WORKER, may=FLOW),
    "testRuns": Collection(TestRun, needs={"test_id": ("tests",)}, complete=TestRun.complete),
}
