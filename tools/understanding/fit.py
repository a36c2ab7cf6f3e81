"""Fitting of the weights of a decision to dialogues, by maximum likelihood, and cross-validation by menu."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from scipy.optimize import minimize

from dryline.flow.model.understanding import OF_CONDITION, OF_NONE, Context, features_of

FOLDER = Path(__file__).parent
PENALTY = 0.5  # on the squares of the weights
WRONG = 0.045  # the share of decisions that may take a wrong condition
FOLDS = 10
WIDTH = len(OF_CONDITION) + len(OF_NONE)


@dataclass(frozen=True, slots=True)
class Example:
    """An utterance: the features of each condition and, last, of none; `expected` is the row that is right."""

    menu: int
    features: np.ndarray
    expected: int

    @property
    def is_none(self) -> bool:
        return self.expected == len(self.features) - 1


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
            *conditions, none = features_of(menu["conditions"], said, context)
            features = np.zeros((len(conditions) + 1, WIDTH))
            features[:-1, : len(OF_CONDITION)] = conditions
            features[-1, len(OF_CONDITION) :] = none
            examples.append(Example(number, features, len(conditions) if expected == "none" else expected))
    return examples


def fit(examples: Sequence[Example]) -> np.ndarray:
    """Return the weights under which the right decisions are likeliest."""
    table = np.zeros((len(examples), max(len(each.features) for each in examples), WIDTH))
    is_row = np.zeros(table.shape[:2], bool)
    for at, each in enumerate(examples):
        table[at, : len(each.features)], is_row[at, : len(each.features)] = each.features, True
    right = np.arange(len(examples)), np.array([each.expected for each in examples])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.where(is_row, table @ weights, -np.inf)
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        value = PENALTY * weights @ weights - np.log(shares[right]).sum()
        shares[right] -= 1
        return value, np.einsum("er,erf->f", shares, table) + 2 * PENALTY * weights

    weights: np.ndarray = minimize(loss, np.zeros(WIDTH), jac=True).x
    return weights


def decide(weights: np.ndarray, examples: Sequence[Example]) -> list[Outcome]:
    """Return the best condition for each utterance."""
    outcomes = []
    for each in examples:
        scores = each.features @ weights
        shares = np.exp(scores - scores.max())
        best = int(scores[:-1].argmax())
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
