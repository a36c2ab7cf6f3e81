"""`python -m dryline`: the command line."""

from dryline.commands import cli

if __name__ == "__main__":
    cli()
