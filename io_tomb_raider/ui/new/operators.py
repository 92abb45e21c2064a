"""Add > Tomb Raider: operators and menu that add objects of a level at the 3D cursor."""

from typing import Any

from bpy.props import EnumProperty
from bpy.types import Collection, Context, Event, Menu, Object

from ...formats import ExportError, FormatError
from ...formats.base import T, as_message
from ...scene.core import Kind, is_for_trx
from ..append.pictures import added
from ..base.active import active_object, active_scene
from ..base.conditions import active_object_of
from ..base.layout.menu_entries import Entries, with_entries
from ..base.levels import chosen_level, game_of, meant_level
from ..base.operators import AddingTool
from ..base.reports import Outcome, report_line
from ..base.text.i18n import translate
from ..cameras.operators import TOMB_RAIDER_OT_add_camera, kinds_of

_KINDS: list[tuple[str, str, str, str, int]] = [
    ("ENTITY", "Entity", "Any model or sprite of the level", "ARMATURE_DATA", 0),
    ("DOOR", "Door", "A door or trapdoor, which a trigger opens", "HOME", 6),
    (
        "SWITCH",
        "Switch or Keyhole",
        "A switch or keyhole that sets off a trigger, on the nearest wall",
        "PLUGIN",
        7,
    ),
    ("ENEMY", "Enemy", "A character or animal, with the nearest wall behind it", "GHOST_ENABLED", 8),
    ("TRAP", "Trap", "An entity that hurts Lara", "ERROR", 9),
    ("PICKUP", "Pickup", "An item that Lara can pick up", "PACKAGE", 1),
    ("PLACEMENT", "Static Mesh", "A static mesh of the library, placed in a room", "MONKEY", 2),
    ("SPRITE", "Sprite", "A picture of the library that faces the camera", "IMAGE_PLANE", 3),
    ("LIGHT", "Light", "A light of the room", "LIGHT", 4),
    ("SOUND_SOURCE", "Sound", "A place that plays a sound", "SPEAKER", 5),
]
_WITH_TRIGGER: list[tuple[str, str, str, int]] = [
    ("AUTOMATIC", "Switches and Keyholes", "New switches, keyholes and puzzle holes set a trigger off", 0),
    ("ALWAYS", "Pickups, Too", "New items also set off a trigger when Lara picks them up", 1),
    ("NEVER", "None", "Add no trigger", 2),
]
_PATIENCE = 1.0  # seconds for pictures before a list opens; the rest is drawn while it is open
_shown: list[tuple[str, str, str, int, int]] = []  # Blender does not keep the strings of dynamic enumerations


def _items(tool: Any, context: Context | None) -> list[tuple[str, str, str, int, int]]:
    from ...scene.authoring.new import choices

    _shown.clear()
    try:
        level = None if context is None else chosen_level(context, tool.collection)
    except ExportError:
        level = None
    if level is not None:
        added.start_drawing()
        for number, choice in enumerate(choices(level, tool.kind)):
            icon = added.icon(*choice.piece) if choice.piece[0] else 0
            _shown.append((choice.identifier, choice.label, "", icon, number))
    return _shown or [("NONE", "Nothing", "The level has none of these", 0, 0)]


def _draw_pictures(level: Collection, kind: str) -> None:
    """Draw the pictures of a list that is about to open, as those of the asset browser."""
    from ...scene.authoring.new import choices
    from ...scene.core import load

    try:
        decoded = load(level)
    except FormatError:  # an export reports it
        return
    if decoded is not None:
        added.keep_on(decoded.level)
        added.start_drawing(_PATIENCE)
        for choice in choices(level, kind):
            if choice.piece[0]:
                added.icon(*choice.piece)


class TOMB_RAIDER_OT_add_thing(AddingTool):
    """Add an object of the level on the floor below the 3D cursor, in the room there"""

    bl_idname = "tomb_raider.add_thing"
    bl_label = "Add to Tomb Raider Level"
    bl_property = "choice"

    kind: EnumProperty(name="Kind", items=_KINDS, description="What to add", options={"SKIP_SAVE"})
    choice: EnumProperty(name="Choice", items=_items, description="Object to add", options={"SKIP_SAVE"})

    with_trigger: EnumProperty(
        name="With Trigger",
        items=_WITH_TRIGGER,
        description="New objects that set off a trigger on their sector, which opens the selected doors",
    )

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        text = next((text for kind, _, text, _, _ in _KINDS if kind == properties.kind), "")
        return translate(T("{text}. Added on the floor below the 3D cursor", text=as_message(text)))

    def invoke(self, context: Context, _event: Event) -> Outcome:
        if len(_items(self, context)) < 2:
            return self.execute(context)
        _draw_pictures(self.level(context), self.kind)
        context.window_manager.invoke_search_popup(self)
        return {"INTERFACE"}

    def add(self, context: Context, level: Collection) -> Object:
        from ...scene.authoring.new import WithTrigger, add

        result = add(
            level,
            self.kind,
            self.choice,
            active_scene(context).cursor.location,
            with_trigger=WithTrigger[self.with_trigger],
            targets=context.selected_objects,
        )
        if result.warning:
            report_line(self, "WARNING", result.warning)
        elif result.opened:
            text = T(
                "{name} opens {opened}",
                name=result.obj.name,
                opened=", ".join(obj.name for obj in result.opened),
            )
            report_line(self, "INFO", text)
        elif result.trigger is not None:
            text = T(
                "{name} sets off {trigger}: give that an action",
                name=result.obj.name,
                trigger=result.trigger.name,
            )
            report_line(self, "INFO", text)
        return result.obj


class TOMB_RAIDER_OT_add_entity(AddingTool):
    """Add an entity that shows this model, on the floor below the 3D cursor"""

    bl_idname = "tomb_raider.add_entity"
    bl_label = "Add Entity of This Model"
    requires = AddingTool.requires + active_object_of({Kind.MODEL}, T("Make the armature of a model active"))

    def add(self, context: Context, level: Collection) -> Object:
        from ...scene.authoring.new import WithTrigger, add

        number = str(active_object(context).tomb_raider.model.id)
        location = active_scene(context).cursor.location
        return add(level, "ENTITY", number, location, with_trigger=WithTrigger.NEVER).obj


class VIEW3D_MT_tomb_raider_add(Menu):
    bl_idname = "VIEW3D_MT_tomb_raider_add"
    bl_label = "Tomb Raider"

    def draw(self, context: Context | None) -> None:
        layout: Any = self.layout
        level = None if context is None else meant_level(context)
        if level is None:
            layout.label(text="Select an object of a level first")
            return
        layout.operator_context = "INVOKE_DEFAULT"
        for kind, label, _, icon, _ in _KINDS:
            has_choice = kind != Kind.LIGHT or game_of(level).traits.has_light_types
            text = translate(label) + ("…" if has_choice else "")
            add_thing = TOMB_RAIDER_OT_add_thing.bl_idname
            button = layout.operator(add_thing, text=text, icon=icon, translate=False)
            button.kind, button.collection = kind, level.name
        layout.separator()
        layout.operator("tomb_raider.add_trigger", text="Trigger", icon="CUBE").collection = level.name
        has_script, for_trx = bool(level.tomb_raider.script), is_for_trx(level)
        for kind, label, _, icon, _ in kinds_of(game_of(level), has_script=has_script, for_trx=for_trx):
            button = layout.operator(TOMB_RAIDER_OT_add_camera.bl_idname, text=label, icon=icon)
            button.kind, button.collection = kind, level.name
        layout.separator()
        layout.operator("tomb_raider.add_room", text="Room", icon="MESH_CUBE").collection = level.name
        layout.operator("tomb_raider.connect_rooms", text="Portal between Rooms", icon="MOD_EDGESPLIT")


def _draw_menu(menu: Menu, context: Context) -> None:
    if any(child.tomb_raider.kind == Kind.LEVEL for child in context.scene.collection.children):
        menu.layout.menu(VIEW3D_MT_tomb_raider_add.bl_idname, icon="MESH_MONKEY")


_ENTRIES: Entries = (("VIEW3D_MT_add", _draw_menu),)

register, unregister = with_entries(
    (TOMB_RAIDER_OT_add_thing, TOMB_RAIDER_OT_add_entity, VIEW3D_MT_tomb_raider_add), _ENTRIES
)
