"""Operators that bring motions of other skeletons to a model, and that make loops and footsteps of them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, FileHandler, Object, Operator, OperatorFileListElement

from ...formats import ExportError
from ...formats.base import T, joined
from ..animation_tools.actors import ONLY_MODELS, is_on_actor, key_actor
from ..animations.playing import refresh_pose
from ..base.active import active_object, active_scene
from ..base.conditions import condition
from ..base.files.browsing import FileBrowser
from ..base.files.file_tools import file_filter
from ..base.files.paths import chosen_paths
from ..base.levels import level_of
from ..base.modes import UserMode
from ..base.operators import EditingTool
from ..base.reports import Outcome, ToolError, explain, report_line, report_result
from .choices import (
    FILE_AXES,
    IN_USE,
    MotionOptions,
    draw_found,
    draw_options,
    options_of,
    store_found,
)

SUFFIXES = (".bvh", ".fbx", ".glb", ".gltf")


def model_of(context: Context) -> Object | None:
    """Return the armature whose animations the active object shows, of a level, or None."""
    from ...scene.authoring.motion import animated_model

    found = animated_model(context.object)
    return found if found is not None and level_of(found) is not None else None


def action_of(context: Context) -> Action | None:
    """Return the animation that the active model shows, or None."""
    from ...scene.authoring.motion import animation_in_use

    model = model_of(context)
    return None if model is None else animation_in_use(context.object, model)


class ModelTool(EditingTool):
    """Base of operators on the active model."""

    requires = condition(
        lambda context: (
            context.scene is not None
            and context.mode in ("OBJECT", "POSE")
            and (model_of(context) is not None)
        ),
        T("Make a model active, or an entity or an actor that shows one"),
    )

    def edited(self, context: Context) -> Iterable[Any]:
        model = model_of(context)
        return [context.scene, model, None if model is None else level_of(model)]


class _AnimationTool(ModelTool):
    """Base of operators on the animation that the active model shows."""

    requires = ModelTool.requires + condition(
        lambda context: action_of(context) is not None,
        T("Show an animation of the model first: play it in the panel Animations"),
    )

    def edited(self, context: Context) -> Iterable[Any]:
        return [*super().edited(context), action_of(context)]

    def execute(self, context: Context) -> Outcome:
        model, action = model_of(context), action_of(context)
        if model is None or action is None:
            return {"CANCELLED"}
        changed = self.change(action, model)
        refresh_pose(context)
        return {"CANCELLED"} if changed is False else {"FINISHED"}

    def change(self, action: Action, model: Object) -> bool | None:
        """Edit an animation, and report the result; return False if nothing was changed."""
        raise NotImplementedError


def target_action(context: Context, onto: str) -> Action | None:
    """Return the animation that a motion replaces: that in use, or of an actor; None for a new one."""
    key_actor(context)
    return action_of(context) if onto == IN_USE or is_on_actor(context) else None


def start_of(context: Context) -> int:
    return active_scene(context).frame_current


def shown_pose(context: Context) -> tuple[Action, float] | None:
    """Return the animation that the active model shows, and the current frame."""
    action = action_of(context)
    return None if action is None else (action, float(active_scene(context).frame_current))


def show(context: Context, model: Object, action: Action) -> None:
    """Show an animation, in the scene's preview range."""
    from ...scene.subjects.animations import first_frame, last_frame, show_animation
    from ...scene.subjects.animations.changes import chains

    scene: Any = active_scene(context)
    if is_on_actor(context):
        refresh_pose(context)
        return
    chains.stop(model, scene)
    context.view_layer.update()
    show_animation(model, action)
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = first_frame(action), last_frame(action)
    scene.frame_current = first_frame(action)
    refresh_pose(context)


class TOMB_RAIDER_OT_import_motion(ModelTool, FileBrowser, MotionOptions):
    """Import a motion from a BVH, FBX or glTF file as an animation of the active model"""

    bl_idname = "tomb_raider.import_motion"
    bl_label = "Import Motion"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filter_glob: file_filter(*SUFFIXES)
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})
    files: CollectionProperty(type=OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"})
    keep: BoolProperty(
        name="Keep the Skeleton",
        default=False,
        description="Keep the imported skeleton in the scene, as the source of the panel Motion",
    )

    def invoke(self, context: Context, _event: Event) -> Any:
        return self.invoke_popup(context)

    def draw(self, context: Context) -> None:
        layout = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        draw_options(self, layout)
        layout.prop(self, "keep")
        draw_found(active_scene(context).tomb_raider.motion, layout)

    def execute(self, context: Context) -> Outcome:
        model, paths = model_of(context), chosen_paths(self)
        if model is None or not paths:
            raise ToolError(T("No file was chosen to import"))
        onto = target_action(context, self.onto)
        is_one = self.onto == IN_USE or is_on_actor(context)
        if is_one and (len(paths) > 1 or onto is None):
            text = T("One animation gets one motion: show the animation, and choose one file")
            raise ToolError(text)
        mode, done = UserMode(context), 0
        mode.leave()
        try:
            for path in paths:
                done += self._import(context, Path(path), model, onto)
        finally:
            mode.enter_again()
        return {"FINISHED"} if done else {"CANCELLED"}

    def _import(self, context: Context, path: Path, model: Object, onto: Action | None) -> bool:
        from ...scene.authoring.motion import (
            NoBonesError,
            chosen_bones,
            fill_bones,
            plain_name,
            read_motions,
            retarget_action,
        )

        scene: Any = active_scene(context)
        settings, shown = scene.tomb_raider.motion, shown_pose(context)
        made = []
        try:
            with read_motions(path) as found:
                found.kept_in = scene if self.keep else None
                listed = chosen_bones(settings)
                options = options_of(self, listed, shown, found.rate, FILE_AXES)
                options.start = scene.frame_current
                actions = found.actions if onto is None else found.actions[:1]
                names = [plain_name(each, found.armature) for each in actions]
                for action, plain in zip(actions, names, strict=True):
                    name = path.stem if len(actions) == 1 else plain
                    action.name = f"{name} (source)"  # the animation gets the name itself
                    try:
                        one = retarget_action(found.armature, action, model, options, name=name, onto=onto)
                    except NoBonesError:
                        _list_unknown(found, scene, model)
                        raise
                    made.append(one)
                if options.names is None:
                    fill_bones(settings, found.armature, model)
                found.up = made[-1].up
                if self.keep:
                    settings.source = found.armature
                store_found(settings, path.name, made[-1], FILE_AXES)
        except NoBonesError as error:
            report_line(self, "ERROR", T("{file}: {error}", file=path.name, error=explain(error)))
            return True  # with the skeleton, which can be undone
        except (ExportError, OSError) as error:
            report_line(
                self, "ERROR", T("{file} was not imported: {error}", file=path.name, error=explain(error))
            )
            return False
        show(context, model, made[-1].action)
        report_motions(self, context, made)
        return True


def _list_unknown(found: Any, scene: Any, model: Object) -> None:
    """Keep a skeleton without known bones, and list the model's bones, for the user to choose."""
    from ...scene.authoring.motion import fill_bones

    settings = scene.tomb_raider.motion
    found.kept_in, settings.source = scene, found.armature
    fill_bones(settings, found.armature, model)


def report_motions(tool: Operator, context: Context, made: list[Any]) -> None:
    """Report retargeted motions."""
    warnings = list(dict.fromkeys(text for each in made for text in each.report.warnings))
    if is_on_actor(context):
        from ...scene.subjects.cutscenes import extend_for

        last = start_of(context) + made[0].ticks - 1
        extend_for(active_object(context), active_scene(context), last)
        name, start = made[0].action.name, start_of(context)
        text = T("{name}: frames {frame_start} to {frame_end}", name=name, frame_start=start, frame_end=last)
    elif len(made) == 1:
        (one,) = made
        text = T(
            "{action}: {ticks} ticks, {speed:g} units per tick",
            action=one.action.name,
            ticks=one.ticks,
            speed=one.speed,
        )
    else:
        text = T("{count} animations were added", count=len(made))
    report_result(tool, text, warnings)


class TOMB_RAIDER_OT_list_bones(ModelTool):
    """List the bones of the model and the bones of the source to follow, matched by name"""

    bl_idname = "tomb_raider.list_bones"
    bl_label = "List Bones"

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.motion import fill_bones

        model = model_of(context)
        if model is None:
            return {"CANCELLED"}
        settings = active_scene(context).tomb_raider.motion
        count = fill_bones(settings, settings.source, model)
        report_line(
            self, "INFO", T("{count} of {total} bones were found", count=count, total=len(settings.rows))
        )
        return {"FINISHED"}


# --- Loops and feet ----------------------------------------


class TOMB_RAIDER_OT_find_loop(_AnimationTool):
    """Cut the animation to its repeating part, and close the loop"""

    bl_idname = "tomb_raider.find_loop"
    bl_label = "Find Loop"
    requires = _AnimationTool.requires + ONLY_MODELS

    shortest: IntProperty(name="Shortest", default=18, min=2, description="Shortest loop, in ticks (1/30 s)")
    longest: IntProperty(name="Longest", default=50, min=2, description="Longest loop, in ticks (1/30 s)")
    rate: IntProperty(
        name="Frame Rate",
        min=0,
        max=30,
        description="Ticks (1/30 s) per key; 0: as many as keep the motion within 1 degree and 4 units",
    )

    def change(self, action: Action, model: Object) -> None:
        from ...scene.authoring.motion import Ticks, find_loop, make_loop

        loop = find_loop(Ticks.of(action, model), self.shortest, max(self.shortest, self.longest))
        made = make_loop(action, model, loop, self.rate)
        text = T(
            "{action}: a loop of {ticks} ticks at {speed:g} units per tick",
            action=action.name,
            ticks=loop.ticks,
            speed=made.speeds.speed,
        )
        report_line(self, "INFO", T("{text}; its seam was {seam:.0f} units wide", text=text, seam=loop.seam))


class TOMB_RAIDER_OT_plant_feet(_AnimationTool):
    """Hold the feet in place while they are on the ground"""

    bl_idname = "tomb_raider.plant_feet"
    bl_label = "Plant Feet"

    slow: FloatProperty(
        name="Slower Than",
        default=4.0,
        min=0.1,
        max=100.0,
        description="Maximum speed of feet on the ground, in units per tick",
    )
    lower_hips: BoolProperty(
        name="Lower Hips", default=True, description="Lower the hips where a leg is too short"
    )

    def change(self, action: Action, model: Object) -> None:
        from ...scene.authoring.motion import TIGHT, Ticks, plant_feet

        ticks = Ticks.of(action, model)
        made = plant_feet(ticks, slow=self.slow, lower_hips=self.lower_hips)
        if not any(made.down):
            report_line(
                self,
                "WARNING",
                T("{action}: no foot stays on the ground. Try a higher speed", action=action.name),
            )
            return
        ticks.store(TIGHT)
        left, right = made.down
        text = T(
            "{action}: on the ground for {left} ticks (left) and {right} ticks (right)",
            action=action.name,
            left=left,
            right=right,
        )
        report_line(
            self, "INFO", T("{text}; feet slid by {before:.1f} units per tick", text=text, before=made.before)
        )


class TOMB_RAIDER_OT_footsteps(_AnimationTool):
    """Add sounds and footprints where the feet touch the ground"""

    bl_idname = "tomb_raider.footsteps"
    bl_label = "Footsteps"
    requires = _AnimationTool.requires + ONLY_MODELS

    sound: IntProperty(
        name="Sound",
        default=-1,
        min=-1,
        max=0x3FFF,
        description="Number of the sound; -1: as in other animations of the model",
    )
    prints: BoolProperty(
        name="Footprints", default=True, description="Also add footprints, in games that have them"
    )

    def change(self, action: Action, model: Object) -> bool:
        from ...scene.authoring.motion import set_footsteps

        steps = set_footsteps(action, model, self.sound, prints=self.prints)
        if not steps:
            report_line(
                self,
                "WARNING",
                T("{action}: no foot touches the ground in this animation", action=action.name),
            )
            return False
        listing = joined(", ", (T("{tick} {side}", tick=step.tick, side=step.side) for step in steps))
        report_line(
            self, "INFO", T("{action}: footsteps at the ticks {names}", action=action.name, names=listing)
        )
        return True


class IO_FH_tomb_raider_motion(FileHandler):
    bl_idname = "IO_FH_tomb_raider_motion"
    bl_label = "Tomb Raider Motion"
    bl_import_operator = "tomb_raider.import_motion"
    bl_file_extensions = ".bvh"

    @classmethod
    def poll_drop(cls, context: Any) -> bool:
        """Return whether a model is active; then Blender asks whether it, or Blender itself, imports."""
        if context is None or context.area is None or context.area.type != "VIEW_3D":
            return False
        return context.mode in ("OBJECT", "POSE") and model_of(context) is not None


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_import_motion,
        TOMB_RAIDER_OT_list_bones,
        TOMB_RAIDER_OT_find_loop,
        TOMB_RAIDER_OT_plant_feet,
        TOMB_RAIDER_OT_footsteps,
        IO_FH_tomb_raider_motion,
    )
)
