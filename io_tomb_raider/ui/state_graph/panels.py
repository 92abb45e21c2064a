"""Panel of a state graph in the sidebar of its editor."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel

from ..animations.active_animation import action_of, shown_graph
from ..base.layout.sidebar import TAB


class NODE_PT_tomb_raider_graph(Panel):
    """What the graph shows. While there is a graph, the panel is there, so that Blender keeps the tab."""

    bl_label = "State Graph"
    bl_space_type = "NODE_EDITOR"
    bl_region_type = "UI"
    bl_category = TAB

    @classmethod
    def poll(cls, context: Context) -> bool:
        return shown_graph(context.space_data) is not None

    def draw(self, context: Context) -> None:
        tree: Any = shown_graph(context.space_data)
        column = self.layout.column(align=True)
        column.prop(tree, "shows_all")
        active = tree.nodes.active
        if active is not None and action_of(active) is not None:
            button = column.operator("tomb_raider.show_graph_animation", text="Show Selected", icon="ACTION")
            button.number = active.number


CLASSES = (NODE_PT_tomb_raider_graph,)
