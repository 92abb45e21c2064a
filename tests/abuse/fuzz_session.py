"""Fuzzing of files with arbitrary stored values: using them either works or reports an error."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import bpy
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition

from io_tomb_raider.formats import ExportError, FormatError, Game, read_level
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.core.membership import levels, members
from tests.level_rules import broken_indices
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level
from tests.scene.scenes import import_anew, import_scene
from tests.ui.everything import OPERATORS, draw_all, draw_menu, menus, operator_function
from tests.ui.user_actions import in_view, is_unexpected

from .file_fixtures import options
from .machine import action_rule, require
from .value_fuzzer import spots
from .watched import RandomSession

ANY = st.integers(0, 1_000_000)
# Errors of Blender itself for invalid values and removed objects.
_REFUSED = (TypeError, ValueError, OverflowError, AttributeError, RuntimeError)


class FuzzSession(RandomSession):
    """Opens a level, corrupts stored values, and continues to use it.

    Attributes:
        level: the file to open, or None for a generated level.
    """

    level: Path | None = None

    @initialize()
    def open(self) -> None:
        self.begin()
        data = sample_bytes(self.game) if self.level is None else self.level.read_bytes()
        import_scene(data)
        self.broken = len(broken_indices(read_level(data)))
        bpy.ops.ed.undo_push(message="Opened")
        self.steps, self.undone = 1, 0

    def done(self, what: str) -> None:
        """Finish a step as Blender does after each user action."""
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message=what)
        self.steps, self.undone = self.steps + 1, 0
        self.console.check()

    @action_rule(kind=ANY, which=ANY, value=ANY)
    def corrupt(self, kind: int, which: int, value: int) -> None:
        """Corrupt one stored value. All kinds of values are equally likely."""
        found = list(spots().values())
        require(found)
        chosen = found[kind % len(found)]
        with suppress(*_REFUSED):
            chosen[which % len(chosen)].corrupt(value)
        self.done("Corrupt")

    @action_rule(rebuild=st.booleans())
    def export(self, rebuild: bool) -> None:
        roots = [each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"]
        for root in roots:  # includes damaged levels, which no longer count as levels
            original.forget()
            try:
                written, _ = export_level(root, rebuild=rebuild)
                broken = broken_indices(read_level(written.to_bytes()))
            except (ExportError, FormatError) as error:
                assert str(error)
                continue
            assert len(broken) <= self.broken, broken
        self.console.check()

    @action_rule(operator=ANY, obj=ANY, how=ANY)
    def use(self, operator: int, obj: int, how: int) -> None:
        """Call an operator of the extension on an object, with random options."""
        chosen, name = self.pick(obj), OPERATORS[operator % len(OPERATORS)]
        require(chosen is not None)
        bpy.ops.object.select_all(action="DESELECT")
        chosen.select_set(True)
        bpy.context.view_layer.objects.active = chosen
        with in_view():
            require(operator_function(name).poll())
            try:
                operator_function(name)("EXEC_DEFAULT", **options(name, self.folder, how))
            except RuntimeError as error:
                assert not is_unexpected(error), (name, chosen, error)
        if bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        self.done(name)

    @staticmethod
    def pick(number: int) -> Any:
        """Return an object of a level that is not excluded from the view, or None."""
        shown = bpy.context.view_layer.objects
        found = [each for root in levels() for each in members(root) if each.name in shown]
        return found[number % len(found)] if found else None

    @action_rule(obj=ANY)
    def draw_interface(self, obj: int) -> None:
        """Draw all panels and menus for an object."""
        chosen = self.pick(obj)
        require(chosen is not None)
        bpy.context.view_layer.objects.active = chosen
        for root in levels():
            draw_all(chosen, root)
        for menu in menus():
            draw_menu(menu)
        self.console.check()

    @precondition(lambda self: len(levels()) < 2)
    @action_rule(pick=ANY)
    def open_another_level(self, pick: int) -> None:
        data = sample_bytes(list(Game)[pick % len(Game)])
        self.broken = max(self.broken, len(broken_indices(read_level(data))))
        import_anew(data)  # not from a saved file, which would replace the empty file of other tests
        self.done("Import")

    @precondition(lambda self: self.steps > 1)
    @action_rule()
    def undo(self) -> None:
        bpy.ops.ed.undo()
        self.steps, self.undone = self.steps - 1, self.undone + 1
        self.console.check()

    @precondition(lambda self: self.undone > 0)
    @action_rule()
    def redo(self) -> None:
        bpy.ops.ed.redo()
        self.steps, self.undone = self.steps + 1, self.undone - 1
        self.console.check()

    @action_rule()
    def save_and_open_again(self) -> None:
        path = str(self.folder / "strange.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path, compress=False)
        bpy.ops.wm.open_mainfile(filepath=path)
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message="Opened")
        self.steps, self.undone = 1, 0
        self.console.check()
