"""Invented names of people."""

from random import Random

FIRST = (
    *("Anna", "Ben", "Carla", "David", "Elena", "Frank", "Grace", "Hugo", "Irene", "Jonas", "Karen", "Liam"),
    "Maria",
)
LAST = (
    *("Berg", "Carter", "Diaz", "Evans", "Fischer", "Garcia", "Hughes", "Ito", "Jensen", "Keller", "Lopez"),
    "Moore",
)


def made_up_name(random: Random) -> str:
    return f"{random.choice(FIRST)} {random.choice(LAST)}"
