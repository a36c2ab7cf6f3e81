"""`dryline drift`: options, output and exit codes."""

import sys

import click

from dryline.commands.pull import service_options
from dryline.settings import DEFAULT_API_KEY, BadSetting, Settings


@click.command()
@service_options("--against", "DRYLINE_DRIFT_API_KEY")
def drift(url: str, api_key: str, rate: float) -> None:
    """Compare a service's answers with the contract. It only reads.

    It also compares a dryline with the demo, which shows errors of the comparison itself. Exit codes: 0, no answer
    deviates; 1, some do; 2, nothing could be compared.
    """
    from dryline.commands.remote.drift import Drift
    from dryline.commands.remote.reader import Reader, ReadError
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
                raise BadSetting(f"{error}.") from None
            for finding in findings:
                click.echo(f"{name}  {finding.operation}  {finding.path}  {finding.what}")
            deviating += sum(not finding.harmless for finding in findings)
            if name == url:
                for operation, reason in job.skipped.items():
                    click.echo(f"{name}  {operation}  not compared: {reason}")
            click.echo(
                f"{name}: {len(job.checked)} of {len(job.checked) + len(job.skipped)} operations compared, "
                f"{len(job.empty)} of them by empty lists, "
                f"{len(findings)} {'deviation' if len(findings) == 1 else 'deviations'}"
            )
    sys.exit(1 if deviating else 0)
