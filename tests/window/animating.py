"""Chapters about animations: a run edited by controls, a push from scratch, the state graph, files.

A step is a click, a drag, a key, or a typed text. Scrolling and zooming are none.
"""

from __future__ import annotations

from itertools import pairwise
from math import atan2, degrees
from pathlib import Path
from typing import Any

from .blender import Place, Rectangle
from .levels_of_games import NAMES
from .screen import SIZE
from .walk import Walk, chapter, expect

_IMPORT = 2  # steps: a file is dropped, and confirmed
_MOST_KEYED, _MOST_SPREAD, _MOST_PUSHED, _MOST_CHEST = 38, 14, 50, 15
_MOST_LEDGE, _MOST_LAYER = 20, 25
_RUN, _WALK, _STAND = 0, 1, 11  # Lara's animations
_FOOT, _OTHER_FOOT = 3, 6  # Lara's meshes: left and right foot, right and left hand
_HAND, _OTHER_HAND = 10, 13
_SHOULDER, _OTHER_SHOULDER = 8, 11  # her upper arms
_TURNED, _TURN = 8, 25.0  # the tick of the walk at which the chest turns, by degrees
_UNIT = 1 / 512  # meters
_SLIDE = _UNIT  # per tick: a foot that slides less stands still
_LIFT = 0.1  # meters
_SAME = 0.01
_MIDDLE = 4  # the tick of the run at which foot and hand are lifted
_KEYS = 5
_ROW = 31  # pixels from the title Animate to the name below it
_SHIFT = 130  # pixels by which the timeline grows
_HELD = (20, 50)  # frames of the push between which the hands stay
_FORWARD, _UP, _LEAN, _DOWN = 0.3, 0.25, 0.15, -0.06
_PUSH = "Lara pushes"
_CLIMB = "Lara 097 Climb on"
_ON_LEDGE = (6, 30)  # ticks of the climb between which the hands are on the ledge
_LEAST_HELD = 4 * _UNIT  # a hand that moves less is held
_RAISED = ((4, -40.0), (12, -70.0))  # ticks and turns of the arms
_LONGEST_LIST, _LIST_STEP = 300, 3  # rows of the list of animations, and those that one scroll passes
_BESIDE = 45  # pixels from a label to its field
# Units of Blender's interface: width of a node, and the middle of its first output and from each to the next.
_NODE, _FIRST_ROW, _ROWS = 240, 35, 22


# --- A run ---------------------------------------------------------------------------------------


@chapter
def keyed(walk: Walk) -> None:
    """Lift the left foot and the right hand in five keys of Lara's run, with Auto Keying."""
    screen = walk.screen
    begun = _animate(walk)
    show_animation(walk, "Lara 000 Run")
    walk.blender.press("Add Control Rig")
    walk.blender.press("Auto Keying")
    go_to(walk, _MIDDLE)
    select_bones(walk, "IK Foot.L", "IK Hand.R")
    walk.blender.shot("run-selected")
    for number in range(_KEYS):
        walk.blender.hover_view()
        if number:
            screen.key("Right")
        move_bones(walk, "z", _LIFT)
    _count(walk, begun, _MOST_KEYED)
    walk.blender.shot("run-keyed")
    before, after = _only_the_run_differs(walk, "keyed.phd")
    keys = range(_MIDDLE, _MIDDLE + _KEYS)
    for key, (old, new) in enumerate(zip(before, after, strict=True)):
        for mesh in (_FOOT, _HAND):
            rise = new[mesh][2] - old[mesh][2]
            wanted = _LIFT if key in keys else 0.0
            expect(f"Mesh {mesh} is {wanted} m higher at key {key}, not {rise}", abs(rise - wanted) < _SAME)


@chapter
def spread(walk: Walk) -> None:
    """Lift the left foot and the right hand in Lara's run at one key, and spread the edit."""
    begun = _animate(walk)
    show_animation(walk, "Lara 000 Run")
    walk.blender.press("Add Control Rig")
    go_to(walk, _MIDDLE)
    select_bones(walk, "IK Foot.L", "IK Hand.R")
    move_bones(walk, "z", _LIFT)
    walk.blender.press("Spread Edit")
    _count(walk, begun, _MOST_SPREAD)
    walk.blender.shot("run-spread")
    before, after = _only_the_run_differs(walk, "spread.phd")
    for mesh in (_FOOT, _HAND):
        rises = [new[mesh][2] - old[mesh][2] for old, new in zip(before, after, strict=True)]
        around = rises[_MIDDLE - 4 : _MIDDLE + 5]
        expect(f"Mesh {mesh} is higher around the key: {rises}", abs(around[4] - _LIFT) < _SAME)
        expect("Less so further away", around[:5] == sorted(around[:5]) and around[0] > 0)
        expect("On both sides", around[4:] == sorted(around[4:], reverse=True) and around[-1] > 0)
        others = rises[: _MIDDLE - 4] + rises[_MIDDLE + 5 :]
        expect("And nowhere else", max(map(abs, others)) < _SAME)


@chapter
def chest(walk: Walk) -> None:
    """Turn the chest in the walk of the example's explorer: her feet are planted, her head keeps looking."""
    blender, screen = walk.blender, walk.screen
    walk.new_file()
    walk.open_example("The Last Revelation")
    untouched = _export_by_menu(walk, "walk-before.tr4")
    begun = screen.steps
    blender.press("Animate")
    blender.wait("Lara is posed", lambda state: state["mode"] == "POSE")
    blender.still()
    show_animation(walk, "Lara 001 Walk forward")
    blender.press("Add Control Rig")
    blender.press("Plant on Ground")
    blender.press("Torso")
    _wait(walk, "Its ring is selected", lambda state: state["bones"] == ["Control Torso"])
    go_to(walk, _TURNED)
    blender.hover_view()
    screen.key("r", "z")
    screen.type(f"{_TURN:g}")
    screen.key("Return")
    blender.still(5)
    blender.press("Spread Edit")
    _count(walk, begun, _MOST_CHEST)
    blender.shot("chest-turned")
    target = _export_by_menu(walk, "walk-after.tr4")
    old, new = (blender.ask("animations", path=str(path)) for path in (untouched, target))
    differing = [number for number, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    expect(f"Only the walk differs, not {differing}", differing == [_WALK])
    before, after = (each[_WALK]["joints"] for each in (old, new))
    rate = (new[_WALK]["ticks"] - 1) // (len(after) - 1)
    way = new[_WALK]["speed"] * _UNIT * rate
    for foot in (_FOOT, _OTHER_FOOT):
        slid, slides = (
            [_apart(_ahead(two[foot], way), one[foot]) / rate for one, two in pairwise(joints)]
            for joints in (before, after)
        )
        held = sum(slide < _SLIDE for slide in slides)
        expect(f"Foot {foot} stands still for some keys: {slides}", held >= 2)
        expect(f"It slid before: {slid}", sum(slide < _SLIDE for slide in slid) < held)
    shoulders = [_across(each[_TURNED // rate]) for each in (before, after)]
    expect(f"The shoulders are turned: {shoulders}", abs(shoulders[1] - shoulders[0]) > _TURN / 2)


@chapter
def ledge(walk: Walk) -> None:
    """Hold both hands on the ledge while Lara climbs, in a level of TR1 with her animations."""
    blender, screen = walk.blender, walk.screen
    if not walk.is_chosen:
        print("Without --level there is no climb.", flush=True)
        return
    begun = _animate(walk, walk.level)
    show_animation(walk, _CLIMB)
    number = blender.ask("posing")["index"]
    blender.press("Add Control Rig")
    blender.press("Hand.L")
    x, y = blender.in_sidebar("Hand.R")
    screen.click((x, y), held="shift")
    _wait(walk, "Both hands are selected", lambda state: len(state["bones"]) == 2)
    for tick, end in zip(_ON_LEDGE, ("Home", "End"), strict=True):
        go_to(walk, tick)
        screen.key(f"ctrl+{end}")  # with the mouse in the timeline: an end of the preview range
    blender.press("Hold Still")
    _count(walk, begun, _MOST_LEDGE)
    blender.shot("ledge-held")
    target = _export(walk, f"ledge{walk.level.suffix}")
    old, new = (blender.ask("animations", path=str(path)) for path in (walk.level, target))
    differing = [each for each, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    expect(f"Only the climb differs, not {differing}", differing == [number])
    for hand in (_HAND, _OTHER_HAND):
        moved = [_moved_on_ledge(each[number], hand) for each in (old, new)]
        expect(f"Hand {hand} moved, and stays now: {moved}", moved[1] < _LEAST_HELD < moved[0])


def _moved_on_ledge(animation: dict[str, Any], mesh: int) -> float:
    """Return how far a mesh is from its first place, at the keys at which it is held."""
    joints = animation["joints"]
    rate = -(-(animation["ticks"] - 1) // (len(joints) - 1))  # the last key may be after the end
    way = [joints[key][mesh] for key in range(_ON_LEDGE[0] // rate + 1, _ON_LEDGE[1] // rate)]
    return max(_apart(place, way[0]) for place in way)


@chapter
def layer(walk: Walk) -> None:
    """Raise both arms in the run with a layer of two poses, and bake it."""
    blender, screen = walk.blender, walk.screen
    begun = _animate(walk)
    show_animation(walk, "Lara 000 Run")
    blender.open_panel("Edit Keys", "Layer")
    blender.open_panel("Layer", "Add Layer")
    blender.press("Add Layer")
    select_bones(walk, "Upper Arm.L", "Upper Arm.R")
    for tick, turn in _RAISED:
        go_to(walk, tick)
        blender.hover_view()
        screen.key("r", "x")
        screen.type(f"{turn:g}")
        screen.key("Return")
        screen.key("i")
        blender.still(5)
    blender.shot("layer-keyed")
    blender.press("Bake Layer")
    _wait(walk, "The run is shown alone", lambda state: state["action"] == "Lara 000 Run")
    _count(walk, begun, _MOST_LAYER)
    before, after = _only_the_run_differs(walk, "layer.phd")
    turns = [abs(_across(new) - _across(old)) for old, new in zip(before, after, strict=True)]
    rises = [_apart(new[_HAND], old[_HAND]) for old, new in zip(before, after, strict=True)]
    expect(f"The hand is elsewhere at all keys: {rises}", min(rises) > _SAME)
    expect(f"The shoulders stay: {turns}", max(turns) < 1)


def _ahead(position: list[float], way: float) -> list[float]:
    return [position[0], position[1] + way, position[2]]


def _across(joints: Any) -> float:
    """Return the direction from one shoulder to the other, in degrees about the vertical."""
    (x, y, _), (other_x, other_y, _) = joints[_SHOULDER], joints[_OTHER_SHOULDER]
    return degrees(atan2(y - other_y, x - other_x))


def _export_by_menu(walk: Walk, name: str) -> Any:
    target = walk.blender.folder / name
    target.unlink(missing_ok=True)
    walk.choose("File", "Export", "Tomb Raider", "Level (.tr4)")
    walk.browse(target, "Export Tomb Raider")
    walk.blender.wait("The exported file is there", lambda _: target.exists(), 120)
    walk.blender.still()
    return target


def _only_the_run_differs(walk: Walk, name: str) -> tuple[Any, Any]:
    """Export, and return the joints of the run before and after. Raises StepError if other bytes differ."""
    target = _export(walk, name)
    old, new = (walk.blender.ask("animations", path=str(path)) for path in (_level(walk), target))
    expect("There are as many animations", len(old) == len(new))
    differing = [number for number, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    expect(f"Only the run differs, not {differing}", differing == [_RUN])
    run = {key for key in old[_RUN] if old[_RUN][key] != new[_RUN][key]}
    expect(f"Its keys alone differ, not {run}", run == {"bytes", "joints"})
    frames = [bytes.fromhex("".join(each[_RUN]["bytes"])) for each in (old, new)]
    data = _level(walk).read_bytes()
    expect("The run is in the file once", data.count(frames[0]) == 1)
    expect("Everything else has the same bytes", data.replace(*frames) == target.read_bytes())
    return old[_RUN]["joints"], new[_RUN]["joints"]


# --- A push --------------------------------------------------------------------------------------


@chapter
def pushed(walk: Walk) -> None:
    """Make a two-handed push of a copy of standing, and link it to standing in the state graph."""
    blender, screen = walk.blender, walk.screen
    begun = _animate(walk)
    x, y = blender.in_sidebar("Animate")  # the title: the button is disabled in pose mode
    left, _, width, _ = blender.area("VIEW_3D", "UI")
    screen.click((left + width - 50, y + _ROW))
    _wait(walk, "The copy is shown", lambda state: state["action"].endswith("copy"))
    blender.still()
    _rename(walk, (x + 60, y + _ROW), _PUSH)
    _wait(walk, "It has its name", lambda state: state["action"] == _PUSH)
    blender.press("Add Control Rig")
    blender.press("Auto Keying")
    left, top, width, _ = blender.area("TIMELINE")
    screen.drag((left + width // 3, top - 1), (left + width // 3, top - _SHIFT))
    blender.still()
    select_bones(walk, "IK Hand.L", "IK Hand.R")
    _clear_between(walk)
    blender.shot("push-cleared")
    go_to(walk, _HELD[0])
    move_bones(walk, "y", _FORWARD)
    move_bones(walk, "z", _UP)
    screen.key("ctrl+c")
    go_to(walk, _HELD[1])
    blender.hover_view()
    screen.key("ctrl+v")
    blender.still()
    blender.shot("push-held")
    select_bones(walk, "Body")
    _clear_between(walk)
    move_bones(walk, "y", _LEAN)
    move_bones(walk, "z", _DOWN)
    blender.shot("push-leaning")
    expect("Her legs are long enough", not blender.words("Foot.L: out of reach"))
    _open_graph(walk)
    blender.shot("push-graph")
    _rename(walk, _field(walk, "State"), "Pushable push")
    blender.still()
    blender.shot("push-state")
    _link(walk, "New State Change", "011 Stand still", "pushes")
    _link(walk, "Plays again", "pushes", "011 Stand still")
    _count(walk, begun, _MOST_PUSHED)
    blender.shot("push-linked")
    _close_graph(walk)
    _check_push(walk)


def _check_push(walk: Walk) -> None:
    target = _export(walk, "pushed.phd")
    old, new = (walk.blender.ask("animations", path=str(path)) for path in (_level(walk), target))
    expect("There is one animation more", len(new) == len(old) + 1)
    push, stand = new[-1], old[_STAND]
    expect("It is as long as standing", push["ticks"] == stand["ticks"])
    expect("Standing follows it", push["next"] == _STAND)
    changes = [row for row in new[_STAND]["changes"] if row not in stand["changes"]]
    expect("Standing leads to it", len(changes) == 1 and changes[0][3:] == [len(old), 0])
    expect("When its state is wanted", changes[0][0] == push["state"] != stand["state"])
    for number, (a, b) in enumerate(zip(old, new, strict=False)):
        expect(f"The keys of animation {number} are as before", a["bytes"] == b["bytes"])
    joints, standing = push["joints"], stand["joints"]
    expect("It has the keys of standing", len(joints) == len(standing))
    first, last = (frame // 2 for frame in _HELD)
    for hand in (_HAND, _OTHER_HAND):
        places = [each[hand] for each in joints]
        start = standing[0][hand]
        wanted = [start[0], start[1] + _FORWARD, start[2] + _UP]
        for key in range(first, last + 1):
            off = max(abs(a - b) for a, b in zip(places[key], wanted, strict=True))
            expect(f"Hand {hand} stays in front at key {key}, not {off} m away", off < 2 * _SAME)
        for key in (0, -1):
            off = _apart(places[key], standing[key][hand])
            expect(f"Hand {hand} is at her side at key {key}, not {off} m away", off < 2 * _SAME)
    hips = [each[0][1] for each in joints]
    expect("She leans forward", abs(hips[last] - standing[0][0][1] - _LEAN) < _SAME)
    expect("And back", abs(hips[-1] - hips[0]) < _SAME)


def _apart(one: list[float], other: list[float]) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _clear_between(walk: Walk) -> None:
    """Delete the keys of the selected bones between the first and the last one."""
    _, top, _, height = walk.blender.area("TIMELINE", "WINDOW")
    start, _ = _frame(walk, 1)
    end, _ = _frame(walk, walk.blender.ask("posing")["ticks"] - 1)
    walk.screen.drag((start, top + height - 25), (end, top + 25))
    walk.blender.still()
    walk.screen.key("Delete")
    walk.blender.still()


# --- The state graph, and files ------------------------------------------------------------------


@chapter
def linked(walk: Walk) -> None:
    """Open the state graph, add a state change by a link, and undo it."""
    blender, screen = walk.blender, walk.screen
    _animate(walk)
    action = "Lara 011 Stand still"
    rows = blender.ask("rows", action=action)
    _open_graph(walk)
    blender.shot("graph")
    _link(walk, "New State Change", "011 Stand still", "002 Walk stop right")
    blender.wait("The row is there", lambda _: len(blender.ask("rows", action=action)) == len(rows) + 1)
    blender.shot("graph-linked")
    new = [row for row in blender.ask("rows", action=action) if row not in rows]
    expect(f"It leads there at any frame: {new}", new == [[2, 0, 79, "Lara 002 Walk stop right", 0]])
    _, node = _node(walk, "011 Stand still")
    expect("The node has an output for it", len(node["outputs"]) == len(rows) + 3)
    screen.key("ctrl+z")
    blender.wait("Ctrl+Z takes it back", lambda _: blender.ask("rows", action=action) == rows)
    blender.still()
    _, node = _node(walk, "011 Stand still")
    expect("The node, too", len(node["outputs"]) == len(rows) + 2)
    blender.shot("graph-undone")
    _close_graph(walk)


@chapter
def anim(walk: Walk) -> None:
    """Import an animation of WadTool, by the file browser, and by dropping it on the model."""
    blender = walk.blender
    _animate(walk)
    known = blender.ask("posing")["actions"]
    walk.choose("File", "Import", "Tomb Raider", "Animation (.anim")
    walk.browse(walk.animation, "Import Animation")
    _wait(walk, "It is new, and shown", lambda state: state["action"] not in known)
    blender.shot("anim-imported")
    walk.drop_animation(walk.animation)
    _wait(walk, "It is there twice", lambda state: len(state["actions"]) == len(known) + 2)
    blender.shot("anim-dropped")
    target = _export(walk, "anim.phd")
    old, new = (blender.ask("animations", path=str(path)) for path in (_level(walk), target))
    expect("Both are in the level", len(new) == len(old) + 2)
    expect("They are alike", new[-1]["bytes"] == new[-2]["bytes"])
    expect("Others are as before", new[: len(old)] == old)


# --- Steps ---------------------------------------------------------------------------------------


def _level(walk: Walk) -> Any:
    return walk.levels / NAMES["TR1"]


def _animate(walk: Walk, level: Path | None = None) -> int:
    """Import a level, and go to pose mode on Lara. Returns the number of steps before the import."""
    walk.open_level(level or _level(walk))
    begun = walk.screen.steps - _IMPORT
    walk.blender.press("Animate")
    walk.blender.wait("Lara is posed", lambda state: state["mode"] == "POSE")
    walk.blender.still()
    return begun


def _wait(walk: Walk, what: str, holds: Any) -> None:
    """Wait until the active armature fulfills a condition."""
    walk.blender.wait(what, lambda _: holds(walk.blender.ask("posing")))


def show_animation(walk: Walk, name: str) -> None:
    """Open the list of animations, and click one."""
    blender = walk.blender
    x, y = blender.in_sidebar("Animations")
    walk.screen.scroll((x, y + 60), -30)
    for _ in range(_LONGEST_LIST // _LIST_STEP):
        if blender.words(name, blender.area("VIEW_3D", "UI")):
            break
        walk.screen.scroll((x, y + 60), _LIST_STEP)
        blender.still(2)
    blender.press(name)
    _wait(walk, f"{name} is shown", lambda state: state["action"] == name)


def _frame(walk: Walk, number: int) -> Place:
    """Return the position of a frame in the timeline's row of numbers."""
    found = walk.blender.ask("frame", tick=number, height=SIZE[1])
    expect(f"Frame {number} is seen in the timeline", found)
    return found[0], found[1] + 12


def go_to(walk: Walk, number: int) -> None:
    """Click a frame in the timeline."""
    walk.screen.click(_frame(walk, number))
    _wait(walk, f"Frame {number} is shown", lambda state: state["frame"] == number)
    walk.blender.still()


def select_bones(walk: Walk, *names: str) -> None:
    """Click bones, all after the first one with Shift; zoom out until they are seen."""
    blender = walk.blender
    for name in names:
        for _ in range(5):
            found = blender.ask("control", name=name, height=SIZE[1])
            if found:
                break
            left, top, width, height = blender.open_view()
            walk.screen.scroll((left + width // 2, top + height // 2), 1)
            blender.still(5)
        expect(f"{name} is seen", found)
        walk.screen.click((found[0], found[1]), held="" if name == names[0] else "shift")
        _wait(walk, f"A click selects {name}", lambda state, name=name: name in state["bones"])
    expect("Nothing else is selected", blender.ask("posing")["bones"] == sorted(names))


def _rename(walk: Walk, field: Place, text: str) -> None:
    """Click a field, which selects its text, and type another."""
    walk.screen.click(field)
    walk.blender.still(5)
    walk.screen.type(text)
    walk.screen.key("Return")


def move_bones(walk: Walk, axis: str, distance: float) -> None:
    """Move the selected bones by a typed distance."""
    walk.blender.hover_view()
    walk.screen.key("g", axis)
    walk.screen.type(f"{distance:g}")
    walk.screen.key("Return")
    walk.blender.still(5)


def _count(walk: Walk, begun: int, most: int) -> None:
    """Raise StepError above a number of steps."""
    used = walk.screen.steps - begun
    print(f"{used} steps of {most}", flush=True)
    expect(f"At most {most} steps are needed, not {used}", used <= most)


def _export(walk: Walk, name: str) -> Any:
    """Export the level by the sidebar; return the file."""
    target = walk.blender.folder / name
    target.unlink(missing_ok=True)
    walk.press_icon("Export")
    walk.browse(target, "Export Tomb Raider")
    walk.blender.wait("The exported file is there", lambda _: target.exists(), 120)
    walk.blender.still()
    return target


def _open_graph(walk: Walk) -> None:
    blender = walk.blender
    blender.open_panel("Watch", "State Graph")
    blender.press("State Graph")
    blender.wait("A window with the graph opens", lambda state: "NODE_EDITOR" in state["windows"])
    blender.still()
    blender.click("All Animations", blender.area("NODE_EDITOR", "HEADER"))
    blender.still()


def _close_graph(walk: Walk) -> None:
    blender = walk.blender
    blender.ask("close")
    blender.wait("Its window is closed", lambda state: "NODE_EDITOR" not in state["windows"])
    blender.still()


def _graph(walk: Walk) -> Rectangle:
    """Return the part of the graph's editor that its sidebar does not cover."""
    left, top, width, height = walk.blender.area("NODE_EDITOR", "WINDOW")
    sidebar = walk.blender.area("NODE_EDITOR", "UI")
    return left, top, min(width, sidebar[0] - left), height


def _field(walk: Walk, label: str) -> Place:
    """Return the position of the field beside a label in the graph's sidebar."""
    sidebar = walk.blender.area("NODE_EDITOR", "UI")
    _, above = walk.blender.find("Frame Rate", sidebar)  # the title *State Graph* is above it
    x, y = min(
        (place for place in walk.blender.words(label, sidebar) if place[1] > above),
        key=lambda place: place[1],
    )
    return x + _BESIDE, y


def _node(walk: Walk, label: str, kind: str = "TombRaiderAnimationNode") -> tuple[Rectangle, Any]:
    """Return the rectangle of a node on the screen, and the node."""
    found = [each for each in walk.blender.ask("nodes", height=SIZE[1]) if each["label"] == label]
    (node,) = (each for each in found if each["kind"] == kind)
    return (node["x"], node["y"], node["width"], node["height"]), node


def _link(walk: Walk, output: str, start: str, end: str) -> None:
    """Drag from an output of a node to the beginning of another; zoom out until both are seen."""
    blender = walk.blender
    for _ in range(8):
        (x, y, width, height), node = _node(walk, start)
        begin, _ = _node(walk, end, "TombRaiderBeginNode")
        seen = _graph(walk)
        if all(_covers(seen, part) for part in ((x, y, width, height), begin)):
            break
        walk.screen.scroll((seen[0] + seen[2] // 2, seen[1] + seen[3] // 2), 1)
        blender.still(5)
    else:
        expect(f"{start} and {end} are seen", False)
    names = ["Plays again" if name == "Next" else name for name in node["outputs"]]
    place = y + width / _NODE * (_FIRST_ROW + _ROWS * names.index(output))
    # Outside of the node: its border resizes it.
    walk.screen.drag((x + width + 2, round(place)), (begin[0], begin[1] + begin[3] // 2))
    blender.still()


def _covers(seen: Rectangle, part: Rectangle) -> bool:
    return (
        seen[0] < part[0]
        and seen[1] < part[1]
        and part[0] + part[2] < seen[0] + seen[2]
        and part[1] + part[3] < seen[1] + seen[3]
    )
