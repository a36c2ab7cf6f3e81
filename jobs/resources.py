"""Resources are processed over API time, and bytes that no row names are removed."""

from __future__ import annotations

from dryline.jobs import only_if
from dryline.models import resources, uploads
from dryline.world.world import World


@only_if("SELECT 1 FROM resource WHERE status IN ('STARTED', 'PROCESSING') LIMIT 1")
def process(world: World) -> bool:
    """Move on the resources whose time has come."""
    with world.transaction():
        return resources.process_due()


def sweep_uploads(world: World) -> bool:
    """Remove the bytes whose rows are gone."""
    return uploads.sweep()
