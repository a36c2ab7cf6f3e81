"""`dryline drift`."""

from __future__ import annotations

import sys

import click

from dryline.commands.pull import Refused, service
from dryline.settings import DEFAULT_API_KEY, Settings


@click.command()
@service("--against", "DRYLINE_DRIFT_API_KEY")
def drift(url: str, api_key: str, rate: float) -> None:
    """Compare another service's answers with the contract, by safe reads.

    The same reads go to a dryline with the demo world, so that a fault of the comparison itself would show. Exit code
    0: no answer left the contract. 1: some did. 2: nothing could be compared.
    """
    from dryline.remote.drift import Drift
    from dryline.remote.reader import Reader, ReadError
    from dryline.serving.server import in_thread

    deviating = 0
    with in_thread(Settings(ephemeral=True, port=0)) as own:
        document = own.app.openapi.document()
        for name, reader in (
            ("dryline", Reader(own.url, DEFAULT_API_KEY, rate=0)),
            (url, Reader(url, api_key, rate=rate, tries=3)),
        ):
            job = Drift(document, reader)
            try:
                findings = list(job.run())
            except ReadError as error:
                raise Refused(f"{error}.") from None
            for finding in findings:
                click.echo(f"{name}  {finding.operation}  {finding.path}  {finding.what}")
            deviating += sum(not finding.harmless for finding in findings)
            if name == url:
                for operation, reason in job.skipped.items():
                    click.echo(f"{name}  {operation}  not compared: {reason}")
            asked = len(job.checked) + len(job.skipped)
            click.echo(
                f"{name}: {len(job.checked)} of {asked} operations compared, {len(job.empty)} of them by empty lists,"
                f" {len(findings)} deviations"
            )
    sys.exit(1 if deviating else 0)
