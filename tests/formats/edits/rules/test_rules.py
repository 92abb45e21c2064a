"""Rules of readers find the faults that are made, and nothing in levels of the games."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.edits.rules.rule import PREFIX, READERS, TR1, Harm, Rule, once_if
from io_tomb_raider.formats.edits.rules.rules import RULES, check_readers
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.formats.levels.views.findings import Severity
from tests.games import each_game
from tests.level_rules import CRASHES
from tests.real_levels import each_real_level
from tests.sample_levels import BROKEN_RULES, named_sample

from . import edits_of_models, edits_of_rooms, edits_of_textures  # noqa: F401  # they fill the list
from .edits import EDITS, Break, sample


def broken(level: Level, target: Target = Target.ORIGINAL) -> Counter[str]:
    """Return how often a level breaks rules, by their names."""
    result: Counter[str] = Counter()
    for finding in check_readers(Decoded(level, target)):
        result[finding.check.removeprefix(PREFIX)] += finding.count
    return result


@pytest.mark.parametrize("case", EDITS, ids=str)
def test_a_broken_rule_is_found(case: Break) -> None:
    level = sample(case.game)
    case.keep(level)
    (rule,) = [rule for rule in RULES if rule.name == case.rule]
    target = Target.TRX if rule.only_for_trx else Target.ORIGINAL
    before = broken(level, target)
    assert case.rule not in before
    case.edit(level)
    assert not rule.only_for_trx or case.rule not in broken(level)
    after = broken(level, target)
    assert after.keys() - before.keys() - case.also == {case.rule}
    assert after[case.rule] == case.places


def test_no_rule_is_without_a_test() -> None:
    tested = {case.rule for case in EDITS} | CRASHES.keys()
    assert {rule.name for rule in RULES if rule.find is not None} <= tested


@each_game
def test_samples_break_the_rules_that_are_listed(game: Game) -> None:
    assert broken(sample(game)).keys() <= BROKEN_RULES


def test_rules_have_names_of_their_own_and_known_readers() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names) and set(names) >= BROKEN_RULES
    assert all(set(rule.readers) <= set(READERS) and rule.games for rule in RULES)


@each_real_level
def test_levels_of_the_games_keep_all_rules_but_those_of_single_pixels(level_path: Path) -> None:
    if level_path.name not in ("tr1_cut1.phd", "tr1_demo_level2.phd", "tr2_gold_level1.tr2"):
        pytest.skip("made by other tools")
    assert not [
        each for each in check_readers(Decoded(read_level(level_path))) if each.severity > Severity.INFO
    ]


def test_rules_of_the_original_game_do_not_apply_to_trx() -> None:
    level = sample(Game.TR1)
    level.demo_data = np.full(40000, 255, level.demo_data.dtype)
    found = [
        {each.check for each in check_level(Decoded(level, target))}
        for target in (Target.ORIGINAL, Target.TRX)
    ]
    assert found[0] - found[1] >= {f"{PREFIX}size of demo data"}


def test_samples_of_trx_keep_the_rules_for_trx() -> None:
    of_trx = {rule.name for rule in RULES if rule.only_for_trx}
    assert of_trx.isdisjoint(broken(sample(Game.TR4), Target.TRX))
    early = broken(read_level(named_sample("tr4-early")), Target.TRX)
    assert of_trx & early.keys() == {"form for TRX"}


def test_findings_are_sorted_by_severity() -> None:
    findings = [each for each in check_readers(Decoded(sample(Game.TR4)))]
    severities = [each.severity for each in findings]
    assert severities == sorted(severities, reverse=True) and Severity.ERROR in severities
    rule = Rule("test", Harm.COSMETIC, TR1, ("TRX",), "text", lambda _: once_if(True))
    (finding,) = rule.findings(Decoded(sample(Game.TR1)))
    assert finding.severity is Severity.INFO and finding.check == f"{PREFIX}test"
