"""The entry of a level in the game flow of TRX."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import FormatError, Game
from io_tomb_raider.formats.base.errors import TextError
from io_tomb_raider.formats.levels.game_files.trx.json5 import is_same, parse
from io_tomb_raider.formats.levels.game_files.trx.trx_gameflow import (
    Drop,
    Flow,
    Step,
    TrxGameflow,
    find_trx_gameflow,
    read_trx_gameflow,
    write_trx_gameflow,
)

from .trx_samples import TR4_FLOW

FLOW = """{
    // Two levels.
    "engine": 1,
    "fog_end": 40, // of all levels
    "levels": [
        // Level 1: a cave
        {
            "path": "data/cave.phd",
            "music_track": 57,
            "water_color": [0.45, 1.0, 1.0], // blue
            "fog_start": 34.0,
            "sequence": [
                {"type": "play_music", "music_track": 3},
                {"type": "loop_game"}, // play
                {"type": "setup_bacon_lara", "anchor_room": 10},
                {"type": "level_complete"},
            ],
            "item_drops": [
                {"enemy_num": 17, "object_ids": [86]}, // the bear
                {"enemy_num": 50, "object_ids": [93, "key_1"]},
            ],
            "unknown": {"kept": true},
        },
        {"path": "data/city.phd", "water_color": "#4080FF", "sequence": [{"type": "loop_game"}]},
    ],
    "cutscenes": [{"path": "data/cut1.phd", "sequence": []}],
}
"""
NAMES = """{
    "levels": [{"title": "The Cave" /* 1 */}],
    "objects": {},
}
"""


def flow_of(text: str, level: str = "CAVE.PHD", names: str | None = None) -> Flow:
    found = TrxGameflow(text, names).find(level)
    assert found is not None
    return found


def put(flow: Flow, level: str = "cave.phd", dropped: tuple[int, ...] = (), text: str = FLOW) -> str:
    """Write an entry, check that it reads the same, and return the text."""
    game = TrxGameflow(text)
    game.put(level, flow, dropped)
    found = TrxGameflow(game.text).find(level)
    assert found is not None and found.steps == flow.steps and found.track == flow.track
    return game.text


def test_an_entry_is_read() -> None:
    flow = flow_of(FLOW, names=NAMES)
    assert flow.title == "The Cave"
    assert flow.track == 57
    assert flow.water_color == (0.45, 1.0, 1.0)
    assert flow.fog == (34.0, 40.0)  # the second is the game's
    assert flow.steps == (
        Step("play_music", '"music_track": 3'),
        Step("loop_game"),
        Step("setup_bacon_lara", "", 10),
        Step("level_complete"),
    )
    assert flow.drops == (Drop(17, (86,), 17), Drop(50, (93, "key_1"), 50))
    city = flow_of(FLOW, "city")
    assert city.water_color == (64 / 255, 128 / 255, 1.0)
    assert (city.title, city.track, city.fog, city.drops) == ("", None, None, ())
    assert TrxGameflow(FLOW).find("other.phd") is None


def test_fog_of_tr4_is_read_and_written() -> None:
    flow = flow_of(TR4_FLOW, "train.tr4")
    assert flow.fog_color == (0xD2 / 255, 0xB0 / 255, 0x63 / 255) and flow.fog_bulbs is False
    assert flow.steps[0] == Step(
        "setup_horizon", '"layer": 0, "color": "#C0A0C0", "speed": -16, "fog_gradient": true'
    )
    assert put(flow, "train.tr4", text=TR4_FLOW) == TR4_FLOW
    red = put(replace(flow, fog_color=(1.0, 0.0, 0.0)), "train.tr4", text=TR4_FLOW)
    assert red == TR4_FLOW.replace("#D2B063", "#FF0000")
    on = put(replace(flow, fog_bulbs=True), "train.tr4", text=TR4_FLOW)
    assert on == TR4_FLOW.replace("false,", "true,")
    none = flow_of(
        put(replace(flow, fog_bulbs=None, fog_color=None), "train.tr4", text=TR4_FLOW), "train.tr4"
    )
    assert (none.fog_bulbs, none.fog_color, none.steps) == (None, None, flow.steps)


@pytest.mark.parametrize("level", ["cave.phd", "city.phd", "cut1.phd"])
def test_an_unedited_entry_keeps_the_text(level: str) -> None:
    game = TrxGameflow(FLOW, NAMES)
    flow = game.find(level)
    assert flow is not None
    assert game.put(level, flow, [drop.number for drop in flow.drops])
    assert (game.text, game.strings) == (FLOW, NAMES)


def test_only_changed_values_are_written() -> None:
    flow = flow_of(FLOW)
    assert put(replace(flow, track=12)) == FLOW.replace(": 57", ": 12")
    assert put(replace(flow, track=None)) == FLOW.replace('            "music_track": 57,\n', "")
    text = put(replace(flow, water_color=(0.5, 1, 1)))
    assert text == FLOW.replace("0.45", "0.5")
    assert put(replace(flow, fog=(34, 41.5))) == FLOW.replace(
        '"unknown": {"kept": true},', '"unknown": {"kept": true},\n            "fog_end": 41.5,'
    )
    assert put(replace(flow, fog=None)) == FLOW.replace('            "fog_start": 34.0,\n', "")
    steps = (*flow.steps[:2], Step("play_fmv", '"fmv_id": 2'), *flow.steps[2:])
    new = '{"type": "loop_game"}, // play\n                {"type": "play_fmv", "fmv_id": 2},'
    assert put(replace(flow, steps=steps)) == FLOW.replace('{"type": "loop_game"}, // play', new)
    city = replace(flow_of(FLOW, "city"), water_color=(0, 0.5, 1))
    assert put(city, "city") == FLOW.replace("#4080FF", "#0080FF")


def test_drops_follow_the_numbers_of_entities() -> None:
    flow = flow_of(FLOW)
    drops = (Drop(16, (86,), 17), Drop(48, (93, "key_1"), 50), Drop(3, (84, 84)))
    text = put(replace(flow, drops=drops), dropped=(17, 50))
    expected = FLOW.replace(": 17", ": 16").replace(": 50", ": 48")
    new = '"key_1"]},\n                {"enemy_num": 3, "object_ids": [84, 84]},'
    assert text == expected.replace('"key_1"]},', new)
    # The bear was deleted, the other drops nothing now.
    text = put(replace(flow, drops=(Drop(49, (), 50),)), dropped=(17, 50))
    assert "item_drops" not in text and "enemy_num" not in text
    # Nobody read the drops: they stay.
    assert put(replace(flow, drops=())) == FLOW


def test_exchanged_numbers_are_exchanged() -> None:
    flow = flow_of(FLOW)
    drops = (Drop(50, (86,), 17), Drop(17, (93, "key_1"), 50))
    found = flow_of(put(replace(flow, drops=drops), dropped=(17, 50)))
    assert {drop.number: drop.items for drop in found.drops} == {50: (86,), 17: (93, "key_1")}


def test_titles_are_in_the_strings_or_in_the_entry() -> None:
    game = TrxGameflow(FLOW, NAMES)
    assert game.put("cave", replace(flow_of(FLOW, names=NAMES), title="Den"))
    assert (game.text, game.strings) == (FLOW, NAMES.replace("The Cave", "Den"))
    assert game.put("city", replace(flow_of(FLOW, "city"), title="Town"))
    assert game.strings is not None and flow_of(FLOW, "city", game.strings).title == "Town"
    assert "/* 1 */" in game.strings
    alone = TrxGameflow(FLOW)
    assert not alone.put("cave", replace(flow_of(FLOW), title="Den"))
    assert alone.text == FLOW
    old = FLOW.replace('"path": "data/c', '"title": "Old", "file": "data/c').replace("music_track", "music")
    assert flow_of(old).title == "Old"
    assert put(replace(flow_of(old), title="Den", track=4), text=old) == old.replace(
        '"Old", "file": "data/cave', '"Den", "file": "data/cave'
    ).replace('"music": 57', '"music": 4')


def test_a_new_level_follows_the_others() -> None:
    flow = Flow(title="New", track=2, steps=(Step("loop_game"), Step("level_complete")))
    game = TrxGameflow(FLOW, NAMES)
    assert game.put("new.phd", flow)
    assert TrxGameflow(game.text, game.strings).find("new.phd") == flow
    assert '"data/new.phd"' in game.text
    assert game.text.startswith(FLOW[: FLOW.index('    ],\n    "cutscenes')])
    empty = TrxGameflow("{}")
    empty.put("new.phd", flow)
    assert is_same(parse(empty.text).value["levels"][0]["path"], "new.phd")


def test_wrong_parameters_of_a_step_are_refused() -> None:
    with pytest.raises(TextError):
        TrxGameflow(FLOW).put("cave", Flow(steps=(Step("play_fmv", "fmv_id 3"),)))


@pytest.mark.parametrize("key", ["sequence", "item_drops", "water_color", "music_track", "levels"])
@pytest.mark.parametrize("value", ["5", '"x"', "null", "[1, {}, [], null]", "{}"])
def test_unexpected_values_are_kept(key: str, value: str) -> None:
    text = f'{{"levels": [{{"path": "cave.phd", "{key}": {value}}}], "{key}": {value}}}'
    game = TrxGameflow(text)
    flow = game.find("cave")
    if flow is not None:
        game.put("cave", flow)
        assert game.text == text


_PARAMETERS = ("", '"a": 1', '"b": ["x", 2], "c": {"d": null}')
_steps = st.builds(
    Step,
    st.text(min_size=1, max_size=8),
    st.sampled_from(["", '"a": 1', '"b": ["x", 2], "c": {"d": null}']),
    st.none(),
)
_flows = st.builds(
    Flow,
    track=st.none() | st.integers(0, 200),
    water_color=st.none() | st.tuples(*[st.floats(0, 1, width=16)] * 3),
    fog=st.none() | st.tuples(*[st.floats(0, 100, width=16)] * 2),
    steps=st.lists(_steps, max_size=5).map(tuple),
    drops=st.lists(st.integers(0, 99), unique=True, max_size=4).map(
        lambda numbers: tuple(Drop(number, (number, "x")) for number in numbers)
    ),
)


@given(_flows, _flows)
def test_any_entry_is_read_as_written(first: Flow, second: Flow) -> None:
    game = TrxGameflow(FLOW)
    for flow in (first, second):
        before = game.find("city")
        assert before is not None
        game.put("city", flow, [drop.number for drop in before.drops])
        found = game.find("city")
        assert found is not None
        assert (found.track, found.steps) == (flow.track, flow.steps)
        assert [drop[:2] for drop in found.drops] == [drop[:2] for drop in flow.drops]
        for one, other, step in ((found.water_color, flow.water_color, 1 / 500), (found.fog, flow.fog, 1e-5)):
            assert (one is None) == (other is None)
            assert one is None or other is None or one == pytest.approx(other, abs=step)
    assert game.find("cave") == TrxGameflow(FLOW).find("cave")


def test_files_are_found_read_and_written(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    level, path, strings = data / "cave.phd", tmp_path / "gameflow.json5", tmp_path / "Strings.json5"
    assert find_trx_gameflow(level, Game.TR1) is None
    path.write_bytes(FLOW.replace("\n", "\r\n").encode())
    strings.write_bytes(NAMES.encode())
    assert find_trx_gameflow(level, Game.TR1) == path
    assert find_trx_gameflow(level, Game.TR4) == path
    assert find_trx_gameflow(level, Game.TR5) is None
    game = read_trx_gameflow(path)
    flow = game.find(level.name)
    assert flow is not None and flow.title == "The Cave"
    assert write_trx_gameflow(path, game) == []
    game.put(level.name, replace(flow, title="Höhle", track=1))
    assert write_trx_gameflow(path, game) == [path, strings]
    assert path.read_bytes() == FLOW.replace(": 57", ": 1").replace("\n", "\r\n").encode()
    assert "Höhle" in strings.read_text("utf-8")
    path.write_bytes(b"{\n\xff}")
    with pytest.raises(FormatError, match="UTF-8"):
        read_trx_gameflow(path)
    path.write_bytes(b"{\n'a'}")
    with pytest.raises(FormatError, match="line 2"):
        read_trx_gameflow(path)


def test_game_flows_are_found_in_the_folder_of_settings(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "cfg").mkdir()
    path = tmp_path / "cfg" / "TR1X_gameflow.json5"
    path.write_text(FLOW)
    assert find_trx_gameflow(tmp_path / "data" / "cave.phd", Game.TR1) == path
