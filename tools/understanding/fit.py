"""Fitting of the weights of a decision to dialogues, by maximum likelihood, and cross-validation by menu."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from scipy.optimize import minimize

from dryline.flow.model.understanding import Context, features_of

FOLDER = Path(__file__).parent
PENALTY = 0.5  # on the squares of the weights
WRONG = 0.045  # the share of decisions that may take a wrong condition
FOLDS = 10


@dataclass(frozen=True, slots=True)
class Example:
    """An utterance: the features of each condition and, last, of none, by name; `expected` is the row that is right."""

    menu: int
    rows: list[dict[str, float]]
    expected: int

    @property
    def is_none(self) -> bool:
        return self.expected == len(self.rows) - 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """The condition with the largest share for an utterance, and that share."""

    example: Example
    best: int
    share: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Percentages: decisions that are right, that take a wrong condition, and utterances of none that take none."""

    count: int
    right: float
    wrong: float
    left_alone: float

    def __str__(self) -> str:
        shares = f"{self.right:.1f} % right, {self.wrong:.1f} % wrong ones taken"
        return f"{shares}, of none {self.left_alone:.0f} % left alone ({self.count})"


def read_menus(path: Path = FOLDER / "dialogues.json") -> list[dict[str, Any]]:
    """Return the menus of a file, each with the utterances and the conditions that they meet."""
    menus: list[dict[str, Any]] = orjson.loads(path.read_bytes())
    return menus


def menus_of_others(*, kept_apart: bool) -> list[dict[str, Any]]:
    """Return half of the menus whose authors did not know the phrases: that for fitting, or that kept apart."""
    return read_menus(FOLDER / "menus_of_others.json")[1 if kept_apart else 0 :: 2]


def examples_of(menus: Sequence[dict[str, Any]], first: int = 0) -> list[Example]:
    """Return the utterances of menus, which are numbered from `first`."""
    examples = []
    for number, menu in enumerate(menus, first):
        context = Context(menu["agent"], menu["prompt"], menu.get("earlier", ""))
        for expected, said in menu["says"]:
            rows = features_of(menu["conditions"], said, context)
            examples.append(Example(number, rows, len(rows) - 1 if expected == "none" else expected))
    return examples


def fit(examples: Sequence[Example]) -> dict[str, float]:
    """Return the weights of the features under which the right decisions are likeliest."""
    names = list(dict.fromkeys(name for each in examples for row in each.rows for name in row))
    table = np.zeros((len(examples), max(len(each.rows) for each in examples), len(names)))
    is_row = np.zeros(table.shape[:2], bool)
    for row_number, each in enumerate(examples):
        is_row[row_number, : len(each.rows)] = True
        table[row_number, : len(each.rows)] = [[row.get(name, 0.0) for name in names] for row in each.rows]
    right = np.arange(len(examples)), np.array([each.expected for each in examples])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.where(is_row, table @ weights, -np.inf)
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        value = PENALTY * weights @ weights - np.log(shares[right]).sum()
        shares[right] -= 1
        return value, np.einsum("er,erf->f", shares, table) + 2 * PENALTY * weights

    return dict(zip(names, minimize(loss, np.zeros(len(names)), jac=True).x.tolist(), strict=True))


def decide(weights: dict[str, float], examples: Sequence[Example]) -> list[Outcome]:
    """Return the best condition for each utterance."""
    outcomes = []
    for each in examples:
        scores = np.array([sum(value * weights[name] for name, value in row.items()) for row in each.rows])
        shares = np.exp(scores - scores.max())
        best = int(np.argmax(scores[:-1]))
        outcomes.append(Outcome(each, best, float(shares[best] / shares.sum())))
    return outcomes


def cross_validate(examples: Sequence[Example]) -> list[Outcome]:
    """Return the best condition for each utterance, by weights that were fitted to other menus."""
    outcomes: list[Outcome] = []
    for fold in range(FOLDS):
        weights = fit([each for each in examples if each.menu % FOLDS != fold])
        outcomes += decide(weights, [each for each in examples if each.menu % FOLDS == fold])
    return outcomes


def figures(outcomes: Sequence[Outcome], least_share: float) -> Figures:
    """Return how good decisions are if a condition is taken from `least_share` on."""
    taken = np.array([each.share >= least_share for each in outcomes])
    is_none = np.array([each.example.is_none for each in outcomes])
    is_best = np.array([each.best == each.example.expected for each in outcomes])
    right, wrong = np.where(taken, is_best, is_none), taken & ~is_best
    left_alone = 100 * float(np.mean(~taken[is_none])) if is_none.any() else 100.0
    return Figures(len(outcomes), 100 * float(right.mean()), 100 * float(wrong.mean()), left_alone)


def least_share_of(outcomes: Sequence[Outcome]) -> float:
    """Return the smallest share from which on few enough decisions take a wrong condition."""
    least, allowed = 1.0, WRONG * len(outcomes)
    for each in sorted(outcomes, key=lambda outcome: -outcome.share):
        allowed -= each.best != each.example.expected
        if allowed < 0:
            break
        least = each.share
    return least


def calibration(outcomes: Sequence[Outcome], least: float = 0.9) -> tuple[int, float]:
    """Return how many decisions are at least so sure, and the percentage of them that are right."""
    sure = [each.best == each.example.expected for each in outcomes if each.share >= least]
    return len(sure), 100 * float(np.mean(sure))
