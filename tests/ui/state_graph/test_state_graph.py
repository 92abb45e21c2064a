"""The state graph: it shows the rows of the model, its links are rows, and Blender's gestures do no harm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest
from bpy.types import Action

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.authoring.animation_views import state_graph
from io_tomb_raider.scene.authoring.animation_views.body import seen_armature
from io_tomb_raider.scene.authoring.animation_views.graph import Graph
from io_tomb_raider.scene.authoring.animation_views.state_graph import BEGIN, NEW, NEXT, NODE
from io_tomb_raider.scene.subjects.animations.changes import chains
from io_tomb_raider.scene.subjects.animations.changes.state_changes import rows_of
from io_tomb_raider.scene.subjects.animations.changes.transitions import next_of, target_of
from io_tomb_raider.ui.animations.active_animation import action_of
from io_tomb_raider.ui.animations.operators import armature_of
from io_tomb_raider.ui.animations.panels import CLASSES
from io_tomb_raider.ui.base import stepped
from io_tomb_raider.ui.state_graph import refreshing
from io_tomb_raider.ui.state_graph.nodes import socket_text
from io_tomb_raider.ui.state_graph.panels import NODE_PT_tomb_raider_graph
from tests.games import each_game
from tests.scene.exporting import export_level
from tests.scene.rig_tools import LARA, actions, armature, first_animation, show_library, with_skin
from tests.scene.scenes import objects

from ..recorder import shown
from ..user_actions import FILE_NAMES, import_file, import_sample, select

RUN, WALK, STAND = 0, 1, 11


class Shown:
    """The graph of Lara in a node editor."""

    def __init__(self, folder: Path, game: Game = Game.TR1) -> None:
        self.root: Any = import_sample(folder, game)
        self.data = (folder / self.root.tomb_raider.source).read_bytes()
        show_library(self.root)
        self.rig = objects(self.root, "MODEL")[0]
        select(self.rig)
        bpy.context.view_layer.update()
        assert bpy.ops.tomb_raider.show_state_graph() == {"FINISHED"}
        self.tree.shows_all = True

    @property
    def tree(self) -> Any:
        tree = state_graph.find_tree(objects(self.root, "MODEL")[0])
        assert tree is not None
        return tree

    @property
    def own(self) -> list[Action]:
        return actions(self.root)

    def node(self, number: int) -> Any:
        (found,) = (each for each in self.tree.nodes if each.bl_idname == NODE and each.number == number)
        return found

    def begin(self, number: int) -> Any:
        (found,) = (each for each in self.tree.nodes if each.bl_idname == BEGIN and each.number == number)
        return found

    def socket(self, number: int, row: int) -> Any:
        return next(each for each in self.node(number).outputs if each.row == row)

    def drag(self, number: int, row: int, target: int) -> None:
        """Draw a link from an output of a node to another node, as a user does."""
        self.tree.links.new(self.begin(target).inputs[0], self.socket(number, row))

    def links(self) -> set[tuple[int, int, int]]:
        """Return the links: node, row, target."""
        return {
            (link.from_node.number, link.from_socket.row, link.to_node.number) for link in self.tree.links
        }

    def transitions(self) -> set[tuple[int, int, int]]:
        """Return the transitions of the model's actions within the model: animation, row, target."""
        own = self.own
        number: dict[Any, int] = {action: place for place, action in enumerate(own)}
        found = {(place, NEXT, number.get(next_of(action), -1)) for place, action in enumerate(own)}
        for place, action in enumerate(own):
            for row, each in enumerate(action.tomb_raider.dispatches):
                found.add((place, row, number.get(target_of(each), -1)))
        return {each for each in found if each[2] >= 0}

    def exported(self) -> Any:
        return read_level(export_level(self.root)[0].to_bytes())

    @contextmanager
    def editor(self, *selected: int) -> Iterator[Any]:
        """Show the graph in a node editor, with selected nodes, the first one active."""
        window = bpy.context.window_manager.windows[0]
        area: Any = next(each for each in window.screen.areas if each.type in ("VIEW_3D", "NODE_EDITOR"))
        area.ui_type = state_graph.TREE
        area.spaces.active.node_tree = self.tree
        for node in self.tree.nodes:
            node.select = getattr(node, "number", -1) in selected
        if selected:
            self.tree.nodes.active = self.node(selected[0])
        region = next(each for each in area.regions if each.type == "WINDOW")
        with bpy.context.temp_override(window=window, area=area, region=region):
            yield area.spaces.active


@pytest.fixture
def graph(blender: ModuleType, tmp_path: Path) -> Shown:
    return Shown(tmp_path)


# --- What is shown ----------------------------------------


@each_game
def test_nodes_and_links_are_the_animations_and_their_rows(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    graph = Shown(tmp_path, game)
    own, tree = graph.own, graph.tree
    nodes = [node for node in tree.nodes if node.bl_idname == NODE]
    assert sorted(node.number for node in nodes) == list(range(len(own)))
    assert graph.links() == graph.transitions() and len(graph.links()) > len(own)
    assert all(link.is_valid for link in tree.links)
    level = read_level(graph.data)
    first = first_animation(level)
    for number, action in enumerate(own):
        node = graph.node(number)
        assert node.parent.label == action.tomb_raider.state_name
        rows = rows_of(level, first + number)
        assert [socket.row for socket in node.outputs] == [NEXT, NEW, *range(len(rows))]
        for row in rows:
            socket = graph.socket(number, rows.index(row))
            assert f"{row.low} to {row.high}" in socket_text(socket, node)
    assert {node for node in tree.nodes if node.select} <= {tree.nodes.active}  # the one in use
    frames = [node for node in tree.nodes if node.bl_idname == "NodeFrame"]
    assert len(frames) == len({action.tomb_raider.state for action in own})
    assert graph.exported().to_bytes() == graph.data


def test_nodes_of_one_state_stand_together_and_none_on_another(graph: Shown) -> None:
    places = Graph.of(graph.rig).places()
    assert len(set(places)) == len(places)
    for number, place in enumerate(places):
        assert tuple(graph.node(number).location) == pytest.approx(place)
        assert refreshing.node_corners(graph.node(number), 2.0)[0] == pytest.approx(2 * place[0])


def test_both_nodes_of_an_animation_stay_together(graph: Shown) -> None:
    for moved in (graph.node(WALK), graph.begin(WALK)):
        moved.location = (3000, 4000)
        assert state_graph.is_outdated(graph.tree)
        refreshing.refresh()
        assert not state_graph.is_outdated(graph.tree)
        node, begin = graph.node(WALK), graph.begin(WALK)
        assert begin.location.y == node.location.y and begin.location.x + begin.width < node.location.x


def test_showing_the_graph_again_keeps_the_tree_and_its_places(graph: Shown) -> None:
    name = graph.tree.name
    graph.node(WALK).location = (5000, 6000)
    bpy.ops.tomb_raider.show_state_graph()
    assert [tree.name for tree in refreshing.graphs()] == [name]
    assert graph.node(WALK).location[:] == (5000, 6000)
    with graph.editor():
        assert bpy.ops.tomb_raider.refresh_state_graph(arrange=True) == {"FINISHED"}
    assert graph.node(WALK).location[:] == pytest.approx(Graph.of(graph.rig).places()[WALK])


def test_the_animation_that_is_shown_is_lit_and_a_click_shows_another(graph: Shown) -> None:
    own = graph.own
    with graph.editor(WALK):
        assert bpy.ops.tomb_raider.show_graph_animation(number=WALK) == {"FINISHED"}
        assert graph.rig.animation_data.action == own[WALK]
        assert [refreshing.is_lit(graph.tree, action) for action in own[:2]] == [False, True]
        with pytest.raises(RuntimeError, match="no such animation"):
            bpy.ops.tomb_raider.show_graph_animation(number=999)
    scene: Any = bpy.context.scene
    own[WALK].tomb_raider.next_action = own[RUN].name
    chains.play(graph.rig, scene, chains.chain_of(own[WALK]), 1.0)
    for frame, number in ((3, WALK), (29, RUN)):
        scene.frame_set(frame)
        assert refreshing.shown_animation(graph.rig) == own[number]
        refreshing.note_frame()


def test_the_sidebar_edits_the_active_node(graph: Shown) -> None:
    own = graph.own
    graph.rig.animation_data.action = own[RUN]
    with graph.editor(WALK) as space:
        context = {"space_data": space, "object": graph.rig}
        (panel,) = (each for each in CLASSES if each.__name__ == "NODE_PT_tomb_raider_state_changes")
        layout = shown(panel, **context)
        assert (own[WALK].tomb_raider.dispatches[0], "low") in layout.shown
        own[WALK].tomb_raider.active_dispatch = 1
        assert bpy.ops.tomb_raider.edit_animation_list(which="DISPATCHES", change="REMOVE") == {"FINISHED"}
    assert len(own[WALK].tomb_raider.dispatches) == len(graph.socket(WALK, NEXT).node.outputs) - 2 - 1


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4])
def test_laras_skin_has_the_graph_of_lara(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path = tmp_path / FILE_NAMES[game]
    path.write_bytes(with_skin(game))
    root = import_file(path)
    show_library(root)
    lara = objects(root, "MODEL")[0]
    skin = seen_armature(lara)
    assert skin != lara
    select(skin)
    bpy.context.view_layer.update()
    assert bpy.ops.tomb_raider.show_state_graph() == {"FINISHED"}
    (tree,) = refreshing.graphs()
    own = actions(root)
    assert tree.model == lara and [row.action for row in tree.actions] == own
    # The node of the animation in use is the active one, so the sidebar has its settings.
    assert action_of(tree.nodes.active) == skin.animation_data.action
    assert [node for node in tree.nodes if node.select] == [tree.nodes.active]
    scene: Any = bpy.context.scene
    chains.play(skin, scene, chains.chain_of(own[STAND]), 1.0)
    scene.frame_set(3)
    assert refreshing.shown_animation(lara) == own[STAND]
    space: Any = SimpleNamespace(type="NODE_EDITOR", tree_type=state_graph.TREE, edit_tree=tree)
    context: Any = SimpleNamespace(space_data=space, object=lara)
    assert armature_of(context) == skin


# --- The animation in focus ----------------------------------------


def focused(graph: Shown, number: int) -> None:
    """Show an animation on the model, and only its transitions in the graph."""
    graph.tree.shows_all = False
    with graph.editor():
        assert bpy.ops.tomb_raider.show_graph_animation(number=number) == {"FINISHED"}


def test_only_transitions_of_the_animation_in_use_are_shown_by_default(graph: Shown) -> None:
    everything = graph.transitions()
    focused(graph, WALK)
    around = {each for each in everything if WALK in (each[0], each[2])}
    numbers = {WALK, *(each[0] for each in around), *(each[2] for each in around)}
    assert 1 < len(numbers) < len(graph.own) and len(around) < len(everything)
    assert {node.number for node in graph.tree.nodes if node.bl_idname == NODE} == numbers
    assert graph.links() == around
    assert [node.number for node in graph.tree.nodes if node.bl_idname == NODE and not node.hide] == [WALK]
    assert not any(node.bl_idname == "NodeFrame" for node in graph.tree.nodes)
    assert not state_graph.is_outdated(graph.tree) and not state_graph.edits_of(graph.tree)
    places = {tuple(node.location) for node in graph.tree.nodes}
    assert len(places) == 2 * len(numbers)
    before, after = Graph.of(graph.rig).around(WALK)
    assert all(graph.node(number).location.x < graph.begin(WALK).location.x for number in before)
    assert all(graph.begin(number).location.x > graph.node(WALK).location.x for number in after)
    assert graph.exported().to_bytes() == graph.data
    tree = graph.tree
    bpy.data.node_groups.remove(tree)
    select(graph.rig)
    assert bpy.ops.tomb_raider.show_state_graph() == {"FINISHED"}
    assert not graph.tree.shows_all and graph.tree.focus == graph.rig.animation_data.action
    assert graph.links() == around


def test_another_animation_comes_into_focus_by_its_button(graph: Shown) -> None:
    focused(graph, WALK)
    with graph.editor(STAND) as space:
        layout = shown(NODE_PT_tomb_raider_graph, space_data=space)
        (button,) = [each for name, each in layout.operators if name == "tomb_raider.show_graph_animation"]
        assert button.number == STAND
        assert bpy.ops.tomb_raider.show_graph_animation(number=button.number) == {"FINISHED"}
    assert graph.tree.focus == graph.own[STAND] == graph.rig.animation_data.action
    assert graph.links() == {each for each in graph.transitions() if STAND in (each[0], each[2])}
    assert tuple(graph.node(STAND).location) == (0, 0)
    graph.tree.shows_all = True
    assert graph.links() == graph.transitions()


def test_links_to_hidden_nodes_are_kept(graph: Shown) -> None:
    before = graph.transitions()
    focused(graph, WALK)
    (_, row, target) = next(each for each in sorted(graph.links()) if each[0] == WALK and each[1] >= 0)
    graph.tree.links.remove(graph.socket(WALK, row).links[0])
    assert graph.transitions() == before - {(WALK, row, target)}
    refreshing.refresh()
    assert graph.transitions() == before - {(WALK, row, target)}
    graph.tree.shows_all = True
    assert graph.links() == before - {(WALK, row, target)}


def test_the_tab_and_the_active_node_stay_when_the_graph_is_filled(graph: Shown) -> None:
    """Blender jumps to its own tab when ours has no panel for a moment."""
    with graph.editor(STAND) as space:
        graph.drag(STAND, NEW, RUN)
        refreshing.refresh()
        assert graph.tree.nodes.active == graph.node(STAND)
        graph.tree.nodes.active = None
        assert shown(NODE_PT_tomb_raider_graph, space_data=space).names == ["shows_all"]


# --- Links ----------------------------------------


@each_game
def test_a_link_from_a_node_is_a_state_change_in_the_exported_level(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    graph = Shown(tmp_path, game)
    before, first = read_level(graph.data), first_animation(read_level(graph.data))
    graph.drag(STAND, NEW, RUN)
    level = graph.exported()
    rows = rows_of(level, first + STAND)
    end = chains.length(graph.own[STAND])
    made = (graph.own[RUN].tomb_raider.state, 0, end, first + RUN, 0, False, False)
    assert sorted(rows) == sorted([*rows_of(before, first + STAND), made])
    others = [number for number in range(len(before.animations)) if number != first + STAND]
    assert [rows_of(level, each) for each in others] == [rows_of(before, each) for each in others]
    refreshing.refresh()
    assert graph.links() == graph.transitions()
    assert graph.socket(STAND, len(rows) - 1).known == RUN and not graph.socket(STAND, NEW).is_linked
    assert not state_graph.edits_of(graph.tree)


def test_a_link_from_next_sets_the_next_animation(graph: Shown) -> None:
    level, first = read_level(graph.data), first_animation(read_level(graph.data))
    assert int(level.animations["next_animation"][first + WALK]) == first + WALK
    graph.drag(WALK, NEXT, STAND)
    assert next_of(graph.own[WALK]) == graph.own[STAND]
    assert int(graph.exported().animations["next_animation"][first + WALK]) == first + STAND
    assert not state_graph.is_outdated(graph.tree)
    graph.tree.links.remove(graph.socket(WALK, NEXT).links[0])
    assert next_of(graph.own[WALK]) is None
    assert graph.exported().to_bytes() == graph.data  # it plays again


def test_a_link_of_a_row_can_be_moved_and_cut(graph: Shown) -> None:
    row = graph.own[WALK].tomb_raider.dispatches[1]
    low, high, frame = row.low, row.high, row.frame
    graph.drag(WALK, 1, RUN)
    assert target_of(row) == graph.own[RUN]
    assert len(graph.socket(WALK, 1).links) == 1  # the former one is replaced
    graph.tree.links.remove(graph.socket(WALK, 1).links[0])
    assert target_of(row) is None and not row.is_empty
    assert socket_text(graph.socket(WALK, 1), graph.node(WALK)).endswith("no action")
    graph.drag(WALK, 1, STAND)
    assert target_of(row) == graph.own[STAND]
    assert (row.low, row.high, row.frame) == (low, high, frame)
    assert graph.links() == graph.transitions()


def test_a_dispatch_without_a_target_gets_the_linked_one(graph: Shown) -> None:
    row = graph.own[WALK].tomb_raider.dispatches.add()
    row.is_empty, row.state = True, 3
    refreshing.refresh()
    place = len(graph.own[WALK].tomb_raider.dispatches) - 1
    assert socket_text(graph.socket(WALK, place), graph.node(WALK)).endswith("no target")
    graph.drag(WALK, place, STAND)
    assert not row.is_empty and target_of(row) == graph.own[STAND]


def test_links_can_use_reroute_nodes(graph: Shown) -> None:
    tree = graph.tree
    bend = tree.nodes.new("NodeReroute")
    tree.links.new(graph.begin(STAND).inputs[0], bend.outputs[0])
    tree.links.new(bend.inputs[0], graph.socket(WALK, NEXT))
    assert next_of(graph.own[WALK]) == graph.own[STAND]
    refreshing.refresh()
    state_graph.fill(tree)
    assert bend.name in tree.nodes and bend.outputs[0].is_linked
    assert not state_graph.edits_of(tree)


# --- In step with the model ----------------------------------------


def test_changes_elsewhere_are_shown_by_the_timer(graph: Shown) -> None:
    own = graph.own
    assert not state_graph.is_outdated(graph.tree)
    rows = own[WALK].tomb_raider.dispatches
    rows.remove(0)
    own[RUN].tomb_raider.next_action = own[STAND].name
    own[STAND].tomb_raider.state = 77
    assert state_graph.is_outdated(graph.tree)
    refreshing.refresh()
    assert graph.links() == graph.transitions()
    assert len(graph.node(WALK).outputs) == 2 + len(rows)
    assert graph.node(STAND).parent.label == "State 77"
    rows.remove(0)
    rows[0].low = 1  # ranges are drawn from the rows themselves
    refreshing.refresh()
    assert not state_graph.is_outdated(graph.tree)


def test_links_of_an_outdated_node_are_not_taken_over(graph: Shown) -> None:
    """Its outputs stand for other rows than the action has."""
    own = graph.own
    rows = own[WALK].tomb_raider.dispatches
    rows.remove(0)
    before = [target_of(row) for row in rows]
    graph.drag(WALK, 1, RUN)
    assert [target_of(row) for row in rows] == before
    refreshing.refresh()
    assert graph.links() == graph.transitions()


def test_new_and_deleted_animations_come_and_go(graph: Shown) -> None:
    made = graph.own[WALK].copy()
    made.name, made.tomb_raider.index = "Mine", -1
    refreshing.refresh()
    assert [row.action for row in graph.tree.actions][-1] == made
    assert len([node for node in graph.tree.nodes if node.bl_idname == NODE]) == len(graph.own)
    bpy.data.actions.remove(graph.own[RUN])
    refreshing.refresh()
    count = len(Graph.of(graph.rig).actions)
    assert len([node for node in graph.tree.nodes if node.bl_idname == NODE]) == count
    assert not state_graph.is_outdated(graph.tree)


def test_a_graph_without_a_model_becomes_empty(graph: Shown) -> None:
    tree = graph.tree
    tree.model = None
    state_graph.fill(tree)
    assert len(tree.nodes) == len(tree.links) == len(tree.actions) == 0
    trees: Any = bpy.data.node_groups
    other = trees.new("By Hand", state_graph.TREE)  # as the button of the editor makes it
    assert not state_graph.is_outdated(other)
    node = other.nodes.new(NODE)
    assert node.draw_label() == "No animation"


# --- Blender's gestures ----------------------------------------


def used(name: str, **options: Any) -> None:
    assert getattr(bpy.ops.node, name)(**options) == {"FINISHED"}


@pytest.mark.parametrize(
    "name", ["delete", "delete_reconnect", "duplicate", "mute_toggle", "hide_toggle", "join"]
)
def test_gestures_on_nodes_change_no_animation(graph: Shown, name: str) -> None:
    links = graph.links()
    count = len(graph.own)
    with graph.editor(WALK, STAND):
        used(name)
    assert len(graph.own) == count
    assert graph.exported().to_bytes() == graph.data
    state_graph.fill(graph.tree)
    assert graph.links() == links
    assert len([node for node in graph.tree.nodes if node.bl_idname == NODE]) == count
    assert graph.exported().to_bytes() == graph.data


def test_copied_nodes_are_no_animations_and_copy_no_data(graph: Shown) -> None:
    with graph.editor(WALK, STAND):
        used("clipboard_copy")
        before = (len(bpy.data.actions), len(bpy.data.objects), len(bpy.data.meshes))
        used("clipboard_paste")
    assert (len(bpy.data.actions), len(bpy.data.objects), len(bpy.data.meshes)) == before
    copies = [node for node in graph.tree.nodes if node.bl_idname == NODE and node.number < 0]
    assert len(copies) == 2 and copies[0].draw_label() == "No animation"
    graph.tree.links.new(graph.begin(RUN).inputs[0], copies[0].outputs[0])
    assert graph.exported().to_bytes() == graph.data


def test_links_are_undone_with_their_rows(graph: Shown) -> None:
    bpy.ops.ed.undo_push(message="before")
    graph.drag(STAND, NEW, RUN)
    count = len(graph.own[STAND].tomb_raider.dispatches)
    bpy.ops.ed.undo_push(message="linked")
    bpy.ops.ed.undo()
    graph.root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert len(graph.own[STAND].tomb_raider.dispatches) == count - 1
    refreshing.refresh()
    assert graph.links() == graph.transitions()
    bpy.ops.ed.redo()
    graph.root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert len(graph.own[STAND].tomb_raider.dispatches) == count
    refreshing.refresh()
    assert graph.links() == graph.transitions()


def test_the_graph_survives_its_file(graph: Shown, tmp_path: Path) -> None:
    path = str(tmp_path / "saved.blend")
    links = graph.links()
    graph.tree.use_fake_user = True  # as a node editor that shows it
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    graph.root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert graph.links() == links and not state_graph.is_outdated(graph.tree)
    assert graph.exported().to_bytes() == graph.data
    name = graph.tree.name
    bpy.ops.tomb_raider.delete_level(collection=graph.root.name)
    tree: Any = bpy.data.node_groups.get(name)
    assert tree is None or tree.model is None
    refreshing.refresh()


def test_nodes_draw(graph: Shown) -> None:
    from ..recorder import Layout

    node = graph.node(WALK)
    layout: Any = Layout()
    node.draw_buttons(bpy.context, layout)
    assert layout.operators[0][0] == "tomb_raider.show_graph_animation"
    assert layout.operators[0][1].number == WALK
    assert node.draw_label() == graph.own[WALK].name.removeprefix(f"{graph.rig.name} ")
    layout = Layout()
    graph.socket(WALK, NEXT).draw(bpy.context, layout, node, "")
    assert layout.labels == ["Repeats"]
    stand_in = SimpleNamespace(row=-3, name="", known=-1)
    assert socket_text(stand_in, node) == "Begin"
    assert LARA == 0 and armature(graph.root) == graph.rig


def test_graphs_are_filled_after_operators_that_push_a_step(
    graph: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    bpy.data.actions.remove(graph.own[RUN])
    monkeypatch.setattr(stepped, "is_operator_running", lambda: True)  # modal operators need a window
    assert refreshing.refresh() == stepped.OPERATOR_PAUSE
    assert state_graph.is_outdated(graph.tree)
    monkeypatch.undo()
    assert refreshing.refresh() is None
    assert not state_graph.is_outdated(graph.tree)
