"""Preferences of the extension, and their defaults where it is not enabled, as on the command line."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpy.path import abspath
from bpy.props import BoolProperty, EnumProperty, PointerProperty, StringProperty
from bpy.types import AddonPreferences, Context, PropertyGroup

from ...formats import Game
from ...scene.properties import GAMES
from .options import SETTINGS, draw_switches, import_settings

if TYPE_CHECKING:
    from ...scene.core import ImportOptions

PACKAGE = __package__.removesuffix(".ui.preferences")
_IMPORT = "import_scene.tomb_raider"


class TombRaiderInstalled(PropertyGroup):
    """Settings of an installed game."""

    folder: StringProperty(
        name="Folder",
        subtype="DIR_PATH",
        description="Folder of the game, for MAIN.SFX and scripts. Empty: usual folders of Steam, GOG "
        "and discs",
    )
    command: StringProperty(
        name="Engine",
        description="Command that plays a level, such as a path and options; {level} is replaced by the "
        "file. The button next to it has presets",
    )


class TombRaiderFirstView(PropertyGroup):
    """Actions after an import to show the level, if Set Up Scene is on."""

    view: BoolProperty(
        name="3D Views",
        default=True,
        description="Show the level textured and with backface culling in the 3D views of all workspaces",
    )
    behind: BoolProperty(
        name="At Lara",
        default=True,
        description="Start at Lara, or at the camera of a cutscene. Off: show the whole level",
    )
    helpers: BoolProperty(
        name="Hide Lights and Helpers",
        default=True,
        description="Hide lights, cameras and sound sources, as in the game. The panel Visibility shows them",
    )
    sidebar: BoolProperty(
        name="Sidebar", default=True, description="Open the sidebar tab Tomb Raider in the 3D views"
    )
    start_up: BoolProperty(
        name="Remove Start-Up Objects",
        default=True,
        description="Remove the default cube, light and camera if they are unchanged",
    )
    selection: BoolProperty(
        name="Selection", default=True, description="Select Lara or the first room, even without Set Up Scene"
    )
    shading: EnumProperty(
        name="Shading",
        items=[
            ("AUTO", "Automatic", "Material Preview, or Solid if Blender draws without a graphics card", 0),
            ("MATERIAL", "Material Preview", "Textures with the light of the game", 1),
            ("SOLID", "Solid", "Textures without light, which is fastest", 2),
        ],
        description="Shading of 3D views for the first level of a scene, unless you changed their colors",
    )
    frames: BoolProperty(
        name="Frame Range",
        default=True,
        description="Set the timeline to the shown animation, unless you set another range",
    )


FIRST_VIEW = ("view", "behind", "helpers", "sidebar", "start_up", "selection", "frames")


# Blender 4.2 as a module keeps this function until exit, and crashes then if its globals include bpy.
def _reset_last(_settings: object, context: Context) -> None:
    """Clear the settings of the last import, so that the next one starts with the preferences."""
    last = context.window_manager.operator_properties_last(_IMPORT)
    for name in SETTINGS:
        last.property_unset(name)


class TombRaiderImportDefaults(PropertyGroup):
    """Default settings of imports."""

    __annotations__ = import_settings(update=_reset_last)


class TombRaiderPreferences(AddonPreferences):
    bl_idname = PACKAGE

    __annotations__ = {
        **{game.name.lower(): PointerProperty(type=TombRaiderInstalled) for game in Game},
        "defaults": PointerProperty(type=TombRaiderImportDefaults),
        "first_view": PointerProperty(type=TombRaiderFirstView),
    }

    def draw(self: Any, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        header, body = layout.panel("tomb_raider_preferences_games")
        header.label(text="Games")
        if body:
            _draw_games(self, body)
        header, body = layout.panel("tomb_raider_preferences_import", default_closed=True)
        header.label(text="Import")
        if body:
            defaults = self.defaults
            draw_switches(defaults, body)
            for name in ("scale", "set_up_scene", "beside", "names_from_script"):
                body.prop(defaults, name)
        header, body = layout.panel("tomb_raider_preferences_first_view", default_closed=True)
        header.label(text="After an Import")
        if body:
            column = body.column(heading="Set Up")
            for name in FIRST_VIEW:
                column.prop(self.first_view, name)
            body.prop(self.first_view, "shading")


def _draw_games(preferences: Any, body: Any) -> None:
    from .places import installed_games

    body.operator("tomb_raider.find_games", icon="VIEWZOOM")
    for identifier, label, *_ in GAMES:
        installed = getattr(preferences, identifier.lower())
        column = body.column(heading="")
        column.label(text=label)
        usual_folder = installed_games().get(Game[identifier], "")
        column.prop(installed, "folder", placeholder=str(usual_folder))
        row = column.row(align=True)
        row.prop(installed, "command", placeholder="engine --level {level}")
        presets = row.operator_menu_enum("tomb_raider.engine_preset", "preset", text="", icon="PRESET")
        presets.game = identifier
        column.separator()


# --- Values ----------------------------------------


def preferences_of(context: Context) -> Any | None:
    """Return the preferences, or None if the extension is not enabled as an add-on."""
    preferences = context.preferences
    addon = preferences.addons.get(PACKAGE) if preferences is not None else None
    return None if addon is None else addon.preferences


def game_folder(context: Context, game: Game) -> Path | None:
    """Return the folder of a game, as set by the user or in its usual place; None if unknown."""
    from .places import installed_games

    preferences = preferences_of(context)
    if preferences is None:
        return None
    chosen = getattr(preferences, game.name.lower()).folder
    return Path(abspath(chosen)) if chosen else installed_games().get(game)


def engine_command(context: Context, game: Game) -> str:
    """Return the command that plays levels of a game, "" if none is set."""
    preferences = preferences_of(context)
    return "" if preferences is None else getattr(preferences, game.name.lower()).command.strip()


def first_view(context: Context) -> frozenset[str]:
    """Return the enabled parts of the first view, of :data:`FIRST_VIEW`, and maybe ``material_preview``."""
    preferences = preferences_of(context)
    parts = {name for name in FIRST_VIEW if preferences is None or getattr(preferences.first_view, name)}
    shading = "AUTO" if preferences is None else preferences.first_view.shading
    if shading == "MATERIAL" or (shading == "AUTO" and not _draws_in_software()):
        parts.add("material_preview")
    return frozenset(parts)


def _draws_in_software() -> bool:
    """Return whether Blender draws without a graphics card, which makes Material Preview slow."""
    import gpu

    try:
        return gpu.platform.device_type_get() == "SOFTWARE"
    except SystemError:  # nothing is drawn in the background
        return False


def apply_defaults(operator: Any, context: Context) -> None:
    """Set import options to the preferences, unless they were set explicitly or in the last import."""
    preferences = preferences_of(context)
    if preferences is None:
        return
    for name in SETTINGS:
        if not operator.properties.is_property_set(name, ghost=False):
            setattr(operator, name, getattr(preferences.defaults, name))


def import_options(context: Context, **settings: Any) -> "ImportOptions":
    """Return options of an import that sets up frames and finds games as set in the preferences."""
    from ...scene.core import ImportOptions

    frames = "frames" in first_view(context)
    return ImportOptions(**settings, set_up_frames=frames, game_folder=partial(game_folder, context))


def import_defaults(context: Context) -> dict[str, Any]:
    """Return the import options of the preferences, none where the extension is not enabled."""
    preferences = preferences_of(context)
    return {} if preferences is None else {name: getattr(preferences.defaults, name) for name in SETTINGS}


CLASSES = (TombRaiderInstalled, TombRaiderFirstView, TombRaiderImportDefaults, TombRaiderPreferences)
