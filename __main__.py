"""`python -m dryline`: the command line."""

from dryline.command_line import cli

if __name__ == "__main__":
    cli()
