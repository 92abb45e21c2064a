"""Program that installs, enables, uses, disables and uninstalls the extension's zip in its own Blender.

    python installed_extension.py ZIP REPORT [LEVEL EXPORTED ...]
    python installed_extension.py ZIP REPORT --and DEVELOPMENT_ZIP LEVEL EXPORTED
Each LEVEL is imported, and exported to the path EXPORTED. With `--and`, a zip with another id is installed
next to the first one, and both are enabled in turns. The observations are written to the JSON file REPORT.
This is not a test, since only a new process has a Blender that has not imported the checkout's own package.
The environment variable BLENDER_USER_RESOURCES must name an empty folder.
"""

import json
import sys
import urllib.parse
import urllib.request
from hashlib import sha256
from pathlib import Path
from typing import Any

import bpy

REPOSITORY = "user_default"
IDENTIFIER = "io_tomb_raider"
MODULE = f"bl_ext.{REPOSITORY}.{IDENTIFIER}"
SECOND_MODULE = f"{MODULE}_dev"
OPERATORS = ("import_scene.tomb_raider", "export_scene.tomb_raider")


def repository() -> tuple[int, Path]:
    """Return the index and the folder of the repository into which Blender installs files."""
    repositories = list(bpy.context.preferences.extensions.repos)
    index = [each.module for each in repositories].index(REPOSITORY)
    return index, Path(repositories[index].directory)


def installed() -> list[str]:
    """Return the names of the installed extensions."""
    return sorted(path.name for path in repository()[1].iterdir() if not path.name.startswith("."))


def package_files() -> list[str]:
    """Return the path and the digest of each file of the installed extension, without Python's caches."""
    found = [path for path in (repository()[1] / IDENTIFIER).rglob("*") if "__pycache__" not in path.parts]
    return [f"{path} {sha256(path.read_bytes()).hexdigest()}" for path in found if path.is_file()]


def known_operators() -> list[str]:
    """Return the extension's operators that are registered."""
    found = []
    for name in OPERATORS:
        group, operator = name.split(".")
        if operator in dir(getattr(bpy.ops, group)):
            found.append(name)
    return found


class Watched:
    """Records timers and subscriptions, which Blender does not list. Create it before enabling."""

    def __init__(self) -> None:
        self._timers: dict[str, Any] = {}
        self._owners: dict[int, str] = {}
        add_timer, subscribe, clear = (
            bpy.app.timers.register,
            bpy.msgbus.subscribe_rna,
            bpy.msgbus.clear_by_owner,
        )

        def register(function: Any, **options: Any) -> Any:
            self._timers[f"timer {function.__module__} {function.__qualname__}"] = function
            return add_timer(function, **options)

        def subscribe_rna(**options: Any) -> Any:
            if options["notify"].__module__.startswith(MODULE):  # others are of Blender's own add-ons
                self._owners[id(options["owner"])] = f"subscription {options['notify'].__module__}"
            return subscribe(**options)

        def clear_by_owner(owner: Any) -> Any:
            self._owners.pop(id(owner), None)
            return clear(owner)

        self._originals = add_timer, subscribe, clear
        self._replace(register, subscribe_rna, clear_by_owner)

    def stop(self) -> None:
        """Restore Blender's functions."""
        self._replace(*self._originals)

    @staticmethod
    def _replace(register: Any, subscribe_rna: Any, clear_by_owner: Any) -> None:
        bpy.app.timers.register = register
        bpy.msgbus.subscribe_rna, bpy.msgbus.clear_by_owner = subscribe_rna, clear_by_owner

    def left(self) -> set[str]:
        """Return the timers and subscriptions that exist."""
        running = {name for name, each in self._timers.items() if bpy.app.timers.is_registered(each)}
        return running | {*self._owners.values()}


def registrations() -> set[str]:
    """Return everything that an extension can register, except for what :class:`Watched` records:

    classes, operators, properties, handlers, menu entries, keymap items, preset folders, manual pages.
    """
    found = {f"class {name}" for name in dir(bpy.types)}
    for group in dir(bpy.ops):
        found |= {f"operator {group}.{name}" for name in dir(getattr(bpy.ops, group))}
    # Python creates Blender's types on first access: access all of them.
    types = [each for each in (getattr(bpy.types, name) for name in dir(bpy.types)) if isinstance(each, type)]
    for owner in types:
        if hasattr(owner, "bl_rna"):
            found |= {f"property {owner.__name__}.{name}" for name, _ in owner.bl_rna.properties.items()}
        entries = getattr(getattr(owner, "draw", None), "_draw_funcs", [])
        modules = {entry.__module__ for entry in entries} - {
            owner.__module__
        }  # Blender adds its own function
        found |= {f"entry {owner.__name__} {module}" for module in modules}
    for kind in dir(bpy.app.handlers):
        handlers = getattr(bpy.app.handlers, kind)
        if isinstance(handlers, list):
            found |= {f"handler {kind} {handler.__module__}" for handler in handlers}
    configurations = bpy.context.window_manager.keyconfigs
    for configuration in configurations:
        if configuration == configurations.user:  # Blender's copy of the others; it keeps what they had
            continue
        for keymap in configuration.keymaps:
            keys = {f"key {configuration.name} {keymap.name} {item.idname}" for item in keymap.keymap_items}
            found |= {f"keymap {configuration.name} {keymap.name}", *keys}
    found |= {f"preset {name}" for name in presets()}
    found |= {f"manual {function.__module__}" for function in bpy.utils._manual_map}
    return found


def manual_page(name: str) -> str:
    """Return the file that F1 opens for an RNA name, or "" if there is none."""
    from bl_operators.wm import WM_OT_doc_view_manual as viewer

    address: str = viewer._lookup_rna_url(name, verbose=False) or ""
    path = Path(urllib.request.url2pathname(urllib.parse.urlparse(address).path))
    return path.name if path.is_file() else ""


def presets() -> list[str]:
    """Return the presets that the import dialog offers."""
    folders = bpy.utils.preset_paths("operator/import_scene.tomb_raider")
    return sorted(path.stem for folder in folders for path in Path(folder).glob("*.py"))


def convert(levels: list[str]) -> list[list[str]]:
    """Import and export each level of a list of alternating source and target paths.

    Returns the operators' results.
    """
    results = []
    for source, target in zip(levels[::2], levels[1::2], strict=True):
        bpy.ops.wm.read_homefile(use_empty=True)
        outcome = bpy.ops.import_scene.tomb_raider(filepath=source)
        outcome |= bpy.ops.export_scene.tomb_raider(filepath=target)
        results.append(sorted(outcome))
    return results


def main(zip_path: str, report_path: str, *levels: str) -> None:
    """Install, use and uninstall the extension, and write the observations."""
    import addon_utils  # importable only after bpy

    report: dict[str, Any] = {}
    report["install"] = sorted(
        bpy.ops.extensions.package_install_files(repo=REPOSITORY, filepath=zip_path, enable_on_install=False)
    )
    report["installed"] = installed()
    before, watched = registrations(), Watched()

    addon_utils.enable(MODULE, default_set=True)
    report["registered"] = sorted({each.partition(" ")[0] for each in registrations() - before})
    report["enabled"] = MODULE in bpy.context.preferences.addons
    report["operators"] = known_operators()
    report["manual"] = manual_page("bpy.ops.tomb_raider.make_room")
    # Blender collects here what extensions must not do, such as importing modules at the top level.
    report["violations"] = {
        name: list(faults) for name, faults in addon_utils._extensions_warnings_get().items()
    }
    report["presets"] = presets()
    files = package_files()
    report["conversions"] = convert(list(levels))
    report["files_changed"] = sorted({*files} ^ {*package_files()})

    addon_utils.disable(MODULE, default_set=True)
    report["disabled"] = MODULE not in bpy.context.preferences.addons
    report["left"] = sorted((registrations() - before) | watched.left())
    addon_utils.enable(MODULE, default_set=True)
    report["operators_again"] = known_operators()
    addon_utils.disable(MODULE, default_set=True)
    report["left_again"] = sorted((registrations() - before) | watched.left())

    watched.stop()
    report["uninstall"] = sorted(
        bpy.ops.extensions.package_uninstall(repo_index=repository()[0], pkg_id=IDENTIFIER)
    )
    report["installed_after"] = installed()
    Path(report_path).write_text(json.dumps(report, indent=1), encoding="utf-8")


def enable(module: str) -> str:
    """Enable a copy as the preferences do, and return the error that users see, or ""."""
    try:
        bpy.ops.preferences.addon_enable(module=module)
    except RuntimeError as problem:
        return str(problem)
    return ""


def next_to(zip_path: str, report_path: str, second_path: str, *levels: str) -> None:
    """Install two copies with different ids, enable them in turns, and write the observations."""
    for path in (zip_path, second_path):
        bpy.ops.extensions.package_install_files(repo=REPOSITORY, filepath=path, enable_on_install=False)
    addons = bpy.context.preferences.addons
    report: dict[str, Any] = {"installed": installed()}
    before = registrations()
    report["first"] = enable(MODULE)
    both = registrations()
    report["second"] = enable(SECOND_MODULE)
    report["enabled"] = [each for each in (MODULE, SECOND_MODULE) if each in addons]
    report["changed"] = sorted(both ^ registrations())
    report["conversions"] = convert(list(levels))
    bpy.ops.preferences.addon_disable(module=MODULE)
    report["left"] = sorted(registrations() - before)
    report["second_alone"] = enable(SECOND_MODULE)
    report["conversions_of_second"] = convert(list(levels))
    report["first_again"] = enable(MODULE)
    report["enabled_at_the_end"] = [each for each in (MODULE, SECOND_MODULE) if each in addons]
    Path(report_path).write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[3:4] == ["--and"]:
        next_to(*sys.argv[1:3], *sys.argv[4:])
    else:
        main(*sys.argv[1:])
