"""Random user actions on levels, with a model of the expected result.

The model of a level is its summary. Rules that move, copy or delete objects in rooms update it; rules with
complex results mark their subjects as *loose*: these may change arbitrarily, as long as the level keeps the
rules for all levels.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Literal

import bpy
import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from mathutils import Matrix, Vector

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.core.blender.compat import material_nodes
from io_tomb_raider.scene.core.membership import levels, members
from io_tomb_raider.scene.core.space import direction_to_blender, world_matrix
from io_tomb_raider.scene.subjects.portals.room_tools import delete_room, duplicate_room
from io_tomb_raider.scene.transfer.append.deleting import delete_level
from tests.level_rules import broken_indices
from tests.level_rules.compare import broken_rules
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level
from tests.scene.scenes import UNIT, edit_bmesh, import_scene, move_to
from tests.scene.subjects.injections.blocks import block_of_all, names_only_what_exists

from .summary import POINTS, Summary, summary
from .watched import RandomSession

# Kinds of objects with a position, and their sections of the file.
STANDING = {
    "ENTITY": "entities",
    "AI_OBJECT": "ai_objects",
    "CAMERA": "cameras",
    "SINK": "cameras",
    "SOUND_SOURCE": "sound_sources",
    "PLACEMENT": "static_meshes",
    "LIGHT": "lights",
}
# Subjects that may change when rooms are added, removed or reshaped.
OF_ROOMS = ("rooms", "sectors", "portals", "triggers", "static_meshes", "lights", "entities", "ai_objects")
STEPS = st.integers(-1500, 1500)
ANY = st.integers(0, 10_000)


class _SkippedError(Exception):
    """An action is not applicable: the step is skipped, and the sequence continues."""


def _sample(game: Game) -> bytes:
    """Return the sample level of a game, with a block of TRX's edits where it can have one."""
    data = sample_bytes(game)
    return data + block_of_all(read_level(data)) if game.traits.has_trx else data


# Crashes of readers that only a user can avoid, and Check Level tells: rooms dragged far away, and Lara in a
# wall, where a constraint holds her.
_CHECKED, _FREE = frozenset({"world size"}), frozenset({"start of Lara"})


def require(condition: object) -> None:
    """Skip a step if a condition is false."""
    if not condition:
        raise _SkippedError


def action_rule(**strategies: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator for rules that are skipped if they are not applicable."""

    def made(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def attempt(self: UserSession, **given: Any) -> None:
            try:
                function(self, **given)
            except _SkippedError:
                return

        declare: Any = rule(**strategies)
        declared: Callable[..., None] = declare(attempt)
        return declared

    return made


@dataclass
class Known:
    """Expected state of one level.

    Attributes:
        summary: its summary.
        loose: subjects that may differ from the summary.
        crashes: the rules that the level broke from the start, with which a reader crashes.
        free: whether an export may be refused, since the game may not support an edit.
    """

    summary: Summary
    broken: int
    crashes: frozenset[str]
    loose: set[str] = field(default_factory=set)
    free: bool = False


class UserSession(RandomSession):
    """Performs user actions, and checks the results.

    Attributes:
        level: the file to open, or None for a generated level.
    """

    level: Path | None = None

    @initialize()
    def open(self) -> None:
        self.begin()
        data = _sample(self.game) if self.level is None else self.level.read_bytes()
        self.names = {import_scene(data).name: read_level(data)}
        self.levels = {name: self.known(level) for name, level in self.names.items()}
        # Blender forgets steps before the last 32, but no sequence is longer.
        self.past: list[dict[str, Known]] = []
        self.future: list[dict[str, Known]] = []
        bpy.ops.ed.undo_push(message="Opened")
        self.past.append(deepcopy(self.levels))

    @staticmethod
    def known(level: Level) -> Known:
        return Known(summary(level), len(broken_indices(level)), frozenset(broken_rules(level)))

    # --- Finding objects: no references are kept across undo ------------------------------------------

    def root(self, pick: int) -> Any:
        names = sorted(self.levels)
        require(names)
        return bpy.data.collections[names[pick % len(names)]]

    def objects(self, root: Any, *kinds: str) -> list[Any]:
        # Not all_objects: after undo, Blender keeps deleted objects there, and crashes.
        found = [obj for obj in members(root) if obj.tomb_raider.kind in kinds]
        return sorted(found, key=lambda obj: str(obj.name))

    def pick(self, root: Any, pick: int, *kinds: str) -> Any:
        found = self.objects(root, *kinds)
        require(found)
        return found[pick % len(found)]

    def placed(self, root: Any, pick: int) -> tuple[Any, str, Any]:
        """Return an object in a room, its subject, and its element of the summary."""
        obj = self.pick(root, pick, *STANDING)
        subject = STANDING[obj.tomb_raider.kind]
        known = self.levels[root.name]
        require(subject not in known.loose)
        found = [each for each in known.summary[subject] if self.is_at(root, obj, each)]
        # Two objects at one position are indistinguishable, and objects outside levels are not in the
        # summary.
        require(len(found) == 1)
        return obj, subject, found[0]

    @staticmethod
    def is_at(root: Any, obj: Any, element: Any) -> bool:
        place = direction_to_blender(np.array(element[:3])) * UNIT
        away = world_matrix(obj).translation - Vector(root.tomb_raider.offset) - Vector(place.tolist())
        return bool(away.length < UNIT)

    @staticmethod
    def selected(objects: list[Any]) -> Any:
        """Return a context in which objects are selected, with the first one active."""
        shown = bpy.context.view_layer.objects
        require(all(obj.name in shown and obj.visible_get() for obj in objects))
        return bpy.context.temp_override(
            active_object=objects[0],
            object=objects[0],
            selected_objects=objects,
            selected_editable_objects=objects,
        )

    def done(self, what: str) -> None:
        """Finish a step as Blender does after each user action."""
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message=what)
        self.past.append(deepcopy(self.levels))
        self.future.clear()
        self.console.check()

    def loosen(self, root: Any, *subjects: str, free: bool = False) -> None:
        known = self.levels[root.name]
        known.loose |= set(subjects)
        known.free |= free

    # --- Actions ------------------------------------------------------------------------------------

    @action_rule(level=ANY, obj=ANY, x=STEPS, y=STEPS, z=STEPS)
    def move(self, level: int, obj: int, x: int, y: int, z: int) -> None:
        root = self.root(level)
        found, subject, element = self.placed(root, obj)
        step = Vector((direction_to_blender(np.array([x, y, z])) * UNIT).tolist())
        move_to(found, world_matrix(found).translation + step)
        elements = self.levels[root.name].summary[subject]
        elements[element] -= 1
        elements[(element[0] + x, element[1] + y, element[2] + z, *element[3:])] += 1
        self.levels[root.name].summary[subject] = +elements
        self.done("Move")

    @action_rule(level=ANY, obj=ANY)
    def duplicate(self, level: int, obj: int) -> None:
        root = self.root(level)
        found, subject, element = self.placed(root, obj)
        made = found.copy()
        for collection in found.users_collection:
            collection.objects.link(made)
        self.levels[root.name].summary[subject][element] += 1
        self.done("Duplicate")

    @action_rule(level=ANY, obj=ANY)
    def delete(self, level: int, obj: int) -> None:
        root = self.root(level)
        found, subject, element = self.placed(root, obj)
        bpy.data.objects.remove(found)
        elements = self.levels[root.name].summary[subject]
        elements[element] -= 1
        self.levels[root.name].summary[subject] = +elements
        self.loosen(root, "triggers")  # triggers that refer to it are deleted, too
        self.done("Delete")

    @action_rule(level=ANY, obj=ANY, name=st.text(max_size=30))
    def rename(self, level: int, obj: int, name: str) -> None:
        found = self.objects(self.root(level), *STANDING, "ROOM", "PORTAL", "COLLISION", "TRIGGER")
        require(found)
        found[obj % len(found)].name = name.encode("utf-8", "ignore").decode()
        self.done("Rename")

    @action_rule(level=ANY, obj=ANY, hidden=st.booleans())
    def hide(self, level: int, obj: int, hidden: bool) -> None:
        found = self.pick(self.root(level), obj, *STANDING, "ROOM", "PORTAL", "TRIGGER")
        found.hide_viewport = hidden
        found.hide_render = hidden
        self.done("Hide")

    @action_rule(level=ANY, room=ANY, vertex=ANY, step=STEPS)
    def drag_a_vertex(self, level: int, room: int, vertex: int, step: int) -> None:
        root = self.root(level)
        found = self.pick(root, room, "ROOM")
        require(len(found.data.vertices))
        found.data.vertices[vertex % len(found.data.vertices)].co.z += step * UNIT
        self.loosen(root, "rooms", free=True)
        self.done("Edit Mesh")

    @action_rule(level=ANY, room=ANY, face=ANY)
    def delete_a_face(self, level: int, room: int, face: int) -> None:
        import bmesh

        root = self.root(level)
        found = self.pick(root, room, "ROOM")
        require(len(found.data.polygons) > 1)
        number = face % len(found.data.polygons)
        edit_bmesh(found.data, lambda bm: bmesh.ops.delete(bm, geom=[bm.faces[number]], context="FACES"))
        self.loosen(root, "rooms", free=True)
        self.done("Delete Face")

    @action_rule(level=ANY, room=ANY)
    def refine_by_a_modifier(self, level: int, room: int) -> None:
        root = self.root(level)
        found = self.pick(root, room, "ROOM")
        require(not found.modifiers or found.modifiers[0].type != "SUBSURF")
        modifier = found.modifiers.new("Mine", "SUBSURF")
        modifier.subdivision_type, modifier.levels = "SIMPLE", 1
        self.loosen(root, "rooms", free=True)
        self.done("Modifier")

    @action_rule(level=ANY, obj=ANY, factor=st.sampled_from([0.5, 1.5, -1.0]))
    def scale_a_static_mesh(self, level: int, obj: int, factor: float) -> None:
        root = self.root(level)
        found = self.pick(root, obj, "STATIC_MESH", "MODEL_MESH")
        found.data.transform(Matrix.Scale(factor, 4, (1, 0, 0)))
        self.loosen(root, "meshes", free=True)
        self.done("Scale")

    @action_rule(level=ANY, room=ANY)
    def paint_a_face(self, level: int, room: int) -> None:
        root = self.root(level)
        found = self.pick(root, room, "ROOM", "STATIC_MESH")
        require(len(found.data.polygons))
        image = bpy.data.images.new("Mine", 32, 32)
        material = bpy.data.materials.new("Mine")
        tree: Any = material_nodes(material)
        node = tree.nodes.new("ShaderNodeTexImage")
        node.image = image
        shader = next(each for each in tree.nodes if each.type == "BSDF_PRINCIPLED")
        tree.links.new(node.outputs[0], shader.inputs[0])
        found.data.materials.append(material)
        found.data.polygons[0].material_index = len(found.data.materials) - 1
        self.loosen(root, free=True)
        self.done("New Material")

    @action_rule(level=ANY, room=ANY)
    def duplicate_a_room(self, level: int, room: int) -> None:
        root = self.root(level)
        require(len(self.objects(root, "ROOM")) < 12)
        made = duplicate_room(root, self.pick(root, room, "ROOM"))
        made.location.x += 40 * 1024 * UNIT
        self.loosen(root, *OF_ROOMS, free=True)
        self.done("Duplicate Room")

    @action_rule(level=ANY, room=ANY, inhabitants=st.booleans())
    def delete_a_room(self, level: int, room: int, inhabitants: bool) -> None:
        root = self.root(level)
        require(len(self.objects(root, "ROOM")) > 1)
        delete_room(root, self.pick(root, room, "ROOM"), with_inhabitants=inhabitants)
        self.loosen(root, *OF_ROOMS, *POINTS, free=True)
        self.done("Delete Room")

    @action_rule(
        level=ANY, one=ANY, kind=st.sampled_from(["ROOM", "COLLISION", "PORTAL", "STATIC_MESH", "TRIGGER"])
    )
    def delete_by_hand(self, level: int, one: int, kind: str) -> None:
        root = self.root(level)
        bpy.data.objects.remove(self.pick(root, one, kind))
        self.loosen(root, *OF_ROOMS, *POINTS, "meshes", free=True)
        self.done("Delete")

    @action_rule(level=ANY, one=ANY, other=ANY)
    def join(self, level: int, one: int, other: int) -> None:
        root = self.root(level)
        objects = [self.pick(root, each, "ROOM") for each in (one, other)]
        require(objects[0] != objects[1])
        with self.selected(objects):
            bpy.ops.object.join()
        self.loosen(root, *OF_ROOMS, *POINTS, free=True)
        self.done("Join")

    @action_rule(level=ANY, room=ANY, by=st.sampled_from(["MATERIAL", "LOOSE"]))
    def separate(self, level: int, room: int, by: Literal["MATERIAL", "LOOSE"]) -> None:
        root = self.root(level)
        require(len(self.objects(root, "ROOM")) < 12)
        found = self.pick(root, room, "ROOM")
        require(len(found.data.polygons))
        with self.selected([found]):
            bpy.ops.mesh.separate(type=by)
        self.loosen(root, *OF_ROOMS, *POINTS, free=True)
        self.done("Separate")

    @action_rule(level=ANY, light=ANY, energy=st.floats(0, 1e5), color=st.tuples(*[st.floats(0, 1)] * 3))
    def change_a_light(
        self, level: int, light: int, energy: float, color: tuple[float, float, float]
    ) -> None:
        root = self.root(level)
        found = self.pick(root, light, "LIGHT")
        require(isinstance(found.data, bpy.types.Light))
        found.data.energy, found.data.color = energy, color
        self.loosen(root, "lights", free=True)
        self.done("Light")

    @action_rule(
        level=ANY,
        obj=ANY,
        timer=st.integers(-500, 500),
        mask=st.integers(0, 31),
    )
    def set_a_trigger(self, level: int, obj: int, timer: int, mask: int) -> None:
        root = self.root(level)
        trigger = self.pick(root, obj, "TRIGGER").tomb_raider.trigger
        trigger.timer = timer
        trigger.mask = mask
        self.loosen(root, "triggers", free=True)
        self.done("Trigger")

    @action_rule(level=ANY, obj=ANY, to=ANY)
    def retarget_portal(self, level: int, obj: int, to: int) -> None:
        root = self.root(level)
        portal = self.pick(root, obj, "PORTAL")
        portal.tomb_raider.portal.room = self.pick(root, to, "ROOM")
        self.loosen(root, "portals", "sectors", free=True)
        self.done("Portal")

    @action_rule(level=ANY, action=ANY, turn=st.floats(-0.5, 0.5))
    def turn_a_key(self, level: int, action: int, turn: float) -> None:
        from tests.scene.rig_tools import curves

        root = self.root(level)
        model = self.pick(root, action, "MODEL")
        mine = sorted(
            (each for each in bpy.data.actions if each.tomb_raider.model == model),
            key=lambda each: str(each.name),
        )
        require(mine)
        found = [each for each in curves(mine[action % len(mine)]) if "rotation" in each.data_path]
        require(found)
        curve = found[action % len(found)]
        curve.keyframe_points[0].co.y += turn
        curve.update()
        self.loosen(root, "animations", free=True)
        self.done("Key")

    @action_rule(level=ANY, model=ANY, one=ANY, other=ANY, name=st.text(max_size=10))
    def retarget_animation(self, level: int, model: int, one: int, other: int, name: str) -> None:
        root = self.root(level)
        rig = self.pick(root, model, "MODEL")
        kept = [each.action for each in rig.tomb_raider.model.animations]
        require(kept and None not in kept and "transitions" not in self.levels[root.name].loose)
        action, target = kept[one % len(kept)], kept[other % len(kept)]
        target.name = name or target.name
        action.tomb_raider.next_action = target.name
        identity = int(rig.tomb_raider.model.id)
        transitions = self.levels[root.name].summary["transitions"]
        (element,) = [each for each in transitions if each[:2] == (identity, one % len(kept))]
        transitions[element] -= 1
        transitions[(*element[:2], (identity, other % len(kept)), *element[3:])] += 1
        self.levels[root.name].summary["transitions"] = +transitions
        self.done("Next Action")

    @action_rule(level=ANY, obj=ANY)
    def hold_by_a_constraint(self, level: int, obj: int) -> None:
        root = self.root(level)
        found, subject, _ = self.placed(root, obj)
        made = found.constraints.new("COPY_LOCATION")
        made.target = self.pick(root, obj, "ROOM")
        self.loosen(root, subject, "triggers", free=True)
        self.done("Constraint")

    # --- Actions on whole files ----------------------------------------------------------------------

    @precondition(lambda self: len(self.levels) < 3)
    @action_rule(pick=ANY)
    def open_another_level(self, pick: int) -> None:
        game = list(Game)[pick % len(Game)]
        data = sample_bytes(game)
        root = import_scene(data)
        self.levels[root.name] = self.known(read_level(data))
        self.done("Import")

    @precondition(lambda self: len(self.levels) > 1)
    @action_rule(level=ANY)
    def delete_a_level(self, level: int) -> None:
        root = self.root(level)
        del self.levels[root.name]
        delete_level(root)
        # Objects shared with the deleted level no longer exist.
        self.done("Delete Level")

    @precondition(lambda self: len(self.levels) > 1)
    @action_rule(level=ANY, to=ANY, obj=ANY)
    def drag_to_another_level(self, level: int, to: int, obj: int) -> None:
        root, target = self.root(level), self.root(to)
        require(root != target)
        found = self.pick(root, obj, "ENTITY", "LIGHT", "PLACEMENT", "SOUND_SOURCE")
        for collection in found.users_collection:
            collection.objects.unlink(found)
        target.objects.link(found)
        for each in (root, target):
            self.loosen(
                each, *POINTS, "triggers", "meshes", "animations", "transitions", "sound_details", free=True
            )
        self.done("Drag")

    @precondition(lambda self: len(self.past) > 1)
    @action_rule()
    def undo(self) -> None:
        bpy.ops.ed.undo()
        self.future.append(self.past.pop())
        self.levels = deepcopy(self.past[-1])
        assert sorted(root.name for root in levels()) == sorted(self.levels)
        self.console.check()

    @precondition(lambda self: bool(self.future))
    @action_rule()
    def redo(self) -> None:
        bpy.ops.ed.redo()
        self.past.append(self.future.pop())
        self.levels = deepcopy(self.past[-1])
        assert sorted(root.name for root in levels()) == sorted(self.levels)
        self.console.check()

    @action_rule()
    def save_and_open_again(self) -> None:
        path = str(self.folder / "saved.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path, compress=False)
        bpy.ops.wm.open_mainfile(filepath=path)
        bpy.ops.ed.undo_push(message="Opened")
        self.past, self.future = [deepcopy(self.levels)], []
        self.console.check()

    @action_rule(level=ANY, rebuild=st.booleans())
    def export(self, level: int, rebuild: bool) -> None:
        root = self.root(level)
        known = self.levels[root.name]
        original.forget()
        try:
            # Real levels encode the same poses differently than a rebuild.
            written, _ = export_level(root, rebuild=rebuild and self.level is None)
        except ExportError as error:
            assert known.free, error
            return
        read = read_level(written.to_bytes())
        now = summary(read)
        for subject, expected in known.summary.items():
            if subject not in known.loose:
                assert now[subject] == expected, (subject, now[subject] - expected, expected - now[subject])
        broken = broken_indices(read)
        assert len(broken) <= known.broken, broken
        assert names_only_what_exists(read)
        known_ones = known.crashes | _CHECKED | (_FREE if known.free else frozenset())
        crashes = {name: each for name, each in broken_rules(read).items() if name not in known_ones}
        assert not crashes, crashes
        self.console.check()
