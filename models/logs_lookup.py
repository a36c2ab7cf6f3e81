"""Look up logs of any channel."""

from dryline.models.logs import Log, model_of
from dryline.storage.errors import NotFound
from dryline.storage.record import Record
from dryline.world.channels import CHANNELS

LOGS: tuple[type[Log], ...] = tuple(map(model_of, CHANNELS))


def find_log(team: Record, id: str) -> Log:
    """Return the team's log with this id. Raises NotFound. Contract: lookupLog."""
    for model in LOGS:
        log = model.find(id=id, team_id=team.team_id)
        if log is not None:
            return log
    raise NotFound(f"Log {id} not found.")
