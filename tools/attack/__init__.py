"""An attack on a server of its own, to be run by hand: `python -m dryline.tools.attack --minutes 10 --seed 1`.

It prints what must not be: slow answers, answers of 500, stuck work, rows of an earlier world, a busy or large process
at rest, a damaged database.
"""
