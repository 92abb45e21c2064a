"""Actors of cutscenes as what tools for poses edit."""

from bpy.types import Context

from ...formats.base import T
from ..base.active import active_object, active_scene
from ..base.conditions import condition


def is_on_actor(context: Context) -> bool:
    """Return whether the active object is an actor of a cutscene."""
    from ...scene.subjects.models import is_actor

    return is_actor(context.object)


def key_actor(context: Context) -> None:
    """Give the active object keys of all its bones if it is an actor of a cutscene."""
    from ...scene.subjects.cutscenes import key_all_bones

    if is_on_actor(context):
        context.view_layer.update()
        key_all_bones(active_object(context), active_scene(context))


# Actors have one action, without a state, sounds and transitions.
ONLY_MODELS = condition(
    lambda context: not is_on_actor(context), T("Actors of cutscenes have no animations: use it on a model")
)
