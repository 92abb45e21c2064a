"""Tree, nodes and sockets of the state graph. They only show actions."""

from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Context, Node, NodeSocket, NodeTree, UILayout

from ...formats.base import T
from ...scene.core import clear_at_exit
from ...scene.properties import TombRaiderAnimation, pointer_set
from ..animations.active_animation import TREE, action_of
from ..base.text.i18n import translate
from .opening import arrange_soon
from .refreshing import is_lit, refresh_soon

_NEXT, _NEW, _INPUT = -1, -2, -3


def _show_all(tree: Any, _context: Context) -> None:
    from ...scene.authoring.animation_views import fill

    fill(tree, arrange=True)
    arrange_soon(tree)


class TombRaiderStateGraph(NodeTree):
    """Animations of a model, by state, with what plays next and at state changes"""

    bl_idname = TREE
    bl_label = "Tomb Raider State Graph"
    bl_icon = "NODETREE"

    model: PointerProperty(
        name="Model",
        type=bpy.types.Object,
        update=pointer_set,
        description="Model whose animations are shown",
    )
    actions: CollectionProperty(
        name="Animations", type=TombRaiderAnimation, description="Animations of the nodes, by their numbers"
    )
    signature: StringProperty(name="Signature", description="Shown data of the graph, to detect changes")
    focus: PointerProperty(
        name="Focus",
        type=bpy.types.Action,
        description="Animation whose transitions are shown, from it and to it",
    )
    shows_all: BoolProperty(
        name="All Animations",
        update=_show_all,
        description="Show all animations by state, with all their transitions",
    )

    def update(self) -> None:
        """Write links that the user has changed into the actions. Nodes are filled later, by a timer."""
        from ...scene.authoring.animation_views import state_graph

        if state_graph.update(self):
            refresh_soon()


class TombRaiderTransitionSocket(NodeSocket):
    """Beginning of an animation, or what plays after it"""

    bl_idname = "TombRaiderTransitionSocket"
    bl_label = "Transition"

    row: IntProperty(
        name="Row",
        default=_NEXT,
        description="Index of the state change; -1 for the next animation, -2 for a new one",
    )
    known: IntProperty(
        name="Known", default=-1, description="Target node when graph and actions were last compared"
    )

    def draw(self, _context: Context, layout: UILayout, node: Any, text: str) -> None:
        layout.label(text=translate(socket_text(self, node)), translate=False)

    def draw_color(self, _context: Context, _node: Any) -> Any:
        return _color(self.row)

    @classmethod
    def draw_color_simple(cls) -> Any:
        return _color(0)


def _color(row: int) -> tuple[float, float, float, float]:
    if row == _NEXT:
        return 0.9, 0.9, 0.9, 1.0
    return (0.45, 0.45, 0.45, 1.0) if row == _NEW else (0.3, 0.65, 1.0, 1.0)


def socket_text(socket: Any, node: Any) -> str:
    """Return the label of an output of a node, with the duration of its blending."""
    text, action = _plain_text(socket, node), action_of(node)
    rows = () if action is None else action.tomb_raider.dispatches
    settings: Any = rows[socket.row] if 0 <= socket.row < len(rows) else None
    if action is not None and socket.row == _NEXT:
        settings = action.tomb_raider
    if settings is None or not settings.blend_frames:
        return text
    return T("{text}, blends {count} frames", text=text, count=settings.blend_frames)


def _plain_text(socket: Any, node: Any) -> str:
    action = action_of(node)
    if socket.row == _INPUT or action is None:
        return "Begin" if socket.row == _INPUT else ""
    if socket.row == _NEW:
        return T("New State Change")
    settings = action.tomb_raider
    if socket.row == _NEXT:
        name = settings.next_action
        if not name:
            return T("Repeats")
        return "Next" if socket.known >= 0 else T("Next: {name}", name=name)
    if socket.row >= len(settings.dispatches):
        return ""
    row = settings.dispatches[socket.row]
    if row.is_empty:
        return T("{socket}: no target", socket=socket.name)
    if socket.known < 0:
        name = row.action
        return (
            T("{socket} {low} to {high}: {name}", socket=socket.name, low=row.low, high=row.high, name=name)
            if name
            else T("{socket}: no action", socket=socket.name)
        )
    return T("{socket} {low} to {high}", socket=socket.name, low=row.low, high=row.high)


class _AnimationNode:
    """Base of the two nodes of an animation."""

    number: IntProperty(name="Number", default=-1, description="Index in the list of the graph, -1 for none")

    @classmethod
    def poll(cls, tree: Any) -> bool:
        return bool(tree.bl_idname == TREE)

    def copy(self, _node: Any) -> None:
        """Detach a copy: an animation has one node."""
        self.number = -1

    def draw_label(self: Any) -> str:
        action, model = action_of(self), self.id_data.model
        if action is None:
            return translate("No animation")
        return action.name.removeprefix(f"{model.name} ") if model is not None else action.name


class TombRaiderBeginNode(_AnimationNode, Node):
    """Beginning of an animation, where links end"""

    bl_idname = "TombRaiderBeginNode"
    bl_label = "Begin"
    bl_icon = "FORWARD"


class TombRaiderAnimationNode(_AnimationNode, Node):
    """Animation of the model of a state graph, with links to what follows it"""

    bl_idname = "TombRaiderAnimationNode"
    bl_label = "Animation"
    bl_icon = "ACTION"

    signature: StringProperty(name="Signature", description="Shown data of the node, to detect changes")

    def draw_buttons(self, _context: Context, layout: UILayout) -> None:
        action = action_of(self)
        if action is None:
            layout.label(text="Refresh removes this node", icon="INFO")
            return
        from ...scene.subjects.animations import length

        row: Any = layout.row(align=True)
        is_shown = is_lit(self.id_data, action)
        row.alert = is_shown
        button = row.operator(
            "tomb_raider.show_graph_animation",
            text=translate(T("{count} frames", count=length(action) + 1)),
            icon="PLAY" if is_shown else "ACTION",
            translate=False,
        )
        button.number = self.number


CLASSES = (
    TombRaiderStateGraph,
    TombRaiderTransitionSocket,
    TombRaiderBeginNode,
    TombRaiderAnimationNode,
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
clear_at_exit((*CLASSES, _AnimationNode))
