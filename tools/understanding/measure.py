"""Figures of how well the built-in model decides."""

from pathlib import Path
from typing import Any

from dryline.flow.model import encoder
from dryline.tools.understanding import fit


def report(kept_apart: bool, cases: Path | None) -> dict[str, Any]:
    """Print the figures, and return the weights and the least share of a decision.

    Those of dialogues are cross-validated: each menu is decided by weights that were fitted to others.
    """
    others = fit.examples_of(fit.menus_of_others(kept_apart=False))
    dialogues = fit.examples_of(fit.read_menus(), first=1 + max(each.menu for each in others))
    outcomes = fit.cross_validate([*others, *dialogues])
    least = fit.least_share_of(outcomes)
    of_others = [each for each in outcomes if each.example.menu < dialogues[0].menu]
    of_dialogues = [each for each in outcomes if each.example.menu >= dialogues[0].menu]
    print(f"menus of other authors, cross-validated: {fit.figures(of_others, least)}")
    print(f"dialogues, cross-validated: {fit.figures(of_dialogues, least)}")
    print("of {} decisions at 0.9 or more {:.1f} % are right, cross-validated".format(*fit.calibration(outcomes)))
    weights = fit.fit([*others, *dialogues])
    if kept_apart:
        examples = fit.examples_of(fit.menus_of_others(kept_apart=True))
        print(f"menus of other authors, kept apart: {fit.figures(fit.decide(weights, examples), least)}")
    if cases:
        print(f"{cases.name}: {fit.figures(fit.decide(weights, fit.examples_of(_cases(cases))), least)}")
    for name, weight in weights.items():
        print(f"  {name:30}{weight:6.2f}")
    print(f"least share {least:.3f}, intents {len(encoder.load().intents)}")
    return {"weights": weights, "least share": least}


def _cases(path: Path) -> list[dict[str, Any]]:
    """Return the menus of a file in YAML: `menus` with `opening`, `prompt`, `until`, `say` (kind, expected, text)."""
    import yaml

    menus = yaml.safe_load(path.read_text(encoding="utf-8"))["menus"]
    return [
        {
            "agent": menu["opening"],
            "prompt": menu["prompt"],
            "conditions": menu["until"],
            "says": [(expected, said) for _, expected, said in menu["say"]],
        }
        for menu in menus
    ]
