"""A listing of the parts of a project that only TombEngine or TRNG knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .objects import NO_OBJECT, ParameterKind, Positioned, ProjectTrigger, Volume
from .project import Project
from .settings import Event, EventNode

# TombEngine's names of the types of events.
_EVENTS = ("ENTER", "INSIDE", "LEAVE", "LOOP", "LOAD", "SAVE", "START", "END", "USEITEM", "FREEZE")
_FUNCTION = 0  # the mode of an event that is a function


def readable(project: Project) -> dict[str, str]:
    """Return names and values of all parts that only the project's target knows; {} without such parts.

    They are the events, volumes and Lua names of TombEngine, and the script ids and plugins of TRNG. They are
    not translated. Events are listed as calls of their functions, in the order in which they run.
    """
    return _of_tomb_engine(project) if project.settings.is_tomb_engine else _of_trng(project)


def _of_trng(project: Project) -> dict[str, str]:
    result: dict[str, str] = {}
    for room, obj in project.objects():
        name = f"{room.name}: {obj.noun} {obj.number}"
        if isinstance(obj, Positioned) and obj.script_id != NO_OBJECT:
            result[_free(result, name)] = f"ID {obj.script_id}"
        elif isinstance(obj, ProjectTrigger) and obj.plugin.kind == ParameterKind.NUMBER and obj.plugin.value:
            result[_free(result, name)] = f"plugin {obj.plugin.value}"
    return result


def _of_tomb_engine(project: Project) -> dict[str, str]:
    settings = project.settings
    result = {"lua": settings.lua_script_path}
    sets = [("VolumeEvent", each) for each in settings.volume_event_sets]
    sets += [("GlobalEvent", each) for each in settings.global_event_sets]
    for kind, each in sets:
        for event in each.events:
            if text := _event_text(event):
                result[_free(result, f"{kind} {each.name}: {_event_name(event)}")] = text
    names = {each.number: each.name for each in settings.volume_event_sets}
    for room, obj in project.objects():
        name = f"{room.name}: {obj.noun} {obj.number}"
        if isinstance(obj, Volume):
            result[_free(result, name)] = _volume_text(obj, names)
        elif isinstance(obj, Positioned) and obj.lua_name:
            result[_free(result, name)] = obj.lua_name
    return result


def _free(names: dict[str, str], name: str) -> str:
    """Return a name that is not used: the same name with a number, if it is."""
    number = 1
    while (free := name if number == 1 else f"{name} ({number})") in names:
        number += 1
    return free


def _event_name(event: Event) -> str:
    return _EVENTS[event.type] if 0 <= event.type < len(_EVENTS) else str(event.type)


def _event_text(event: Event) -> str:
    if event.mode == _FUNCTION:
        return f"{event.function}({event.argument})" if event.function else ""
    return "; ".join(_chain_text(chain) for chain in event.chains if chain)


def _chain_text(nodes: Sequence[EventNode]) -> str:
    return ", ".join(_node_texts(nodes))


def _node_texts(nodes: Sequence[EventNode]) -> Iterator[str]:
    for node in nodes:
        call = f"{node.function}({', '.join(argument.value for argument in node.arguments)})"
        if node.type:
            other = f" else [{_chain_text(node.otherwise)}]" if node.otherwise else ""
            yield f"if {call}{other}"
        else:
            yield call


def _volume_text(volume: Volume, names: dict[int, str]) -> str:
    size = f"{128 * volume.scale:g}" if volume.shape else " x ".join(f"{each:g}" for each in volume.size)
    parts = [size, names.get(volume.event_set, ""), volume.lua_name]
    return ", ".join(part for part in parts if part)
