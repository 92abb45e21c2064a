"""Panel of the control rig of the active model, in the sidebar."""

from typing import Any

from bpy.types import Context, Object, Panel, UILayout

from ...formats.base import T
from ..base.active import active_scene
from ..base.layout.panels import Rows
from ..base.layout.sidebar import SELECTION, TAB
from ..base.text.i18n import translate
from .following import active_control, followed_name
from .operators import rigged_armature
from .picker import draw_picker
from .reach import is_out_of_reach

_BONES = ("upper", "lower", "end", "paw")


class TOMB_RAIDER_UL_limbs(Rows):
    """List of limbs: kind and bones."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.row(align=True)
        row.label(text=item.bl_rna.properties["kind"].enum_items[item.kind].name)
        row.label(text=item.paw or item.end or item.upper, icon="BONE_DATA", translate=False)


class VIEW3D_PT_tomb_raider_control_rig(Panel):
    """Panel of the control rig of the active model."""

    bl_label = "Control Rig"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    bl_parent_id = "VIEW3D_PT_tomb_raider_animate"
    bl_order = SELECTION + 2

    @classmethod
    def poll(cls, context: Context) -> bool:
        return rigged_armature(context) is not None

    def draw(self, context: Context) -> None:
        from ...scene.authoring.control_rig import has_rig, rig_limbs

        armature: Any = rigged_armature(context)
        column = self.layout.column()
        if not has_rig(armature):
            column.operator("tomb_raider.add_control_rig", icon="CON_KINEMATIC")
            return
        draw_picker(column, armature)
        for limb in rig_limbs(armature):
            if is_out_of_reach(armature, limb):
                warning = column.row()
                warning.alert = True
                text = translate(T("{limb}: out of reach", limb=limb.name))
                warning.label(text=text, icon="ERROR", translate=False)
        row = column.row(align=True)
        row.operator("tomb_raider.switch_limbs", text="Use Controls", icon="CON_KINEMATIC").target = "IK"
        row.operator("tomb_raider.switch_limbs", text="Use Bones", icon="BONE_DATA").target = "FK"
        self._draw_control(column, context)
        column.separator()
        settings = active_scene(context).tool_settings
        column.prop(settings, "use_keyframe_insert_auto", text="Auto Keying", icon="REC")
        row = column.row(align=True)
        row.operator("tomb_raider.bake_controls", text="Bake Animation").animations = "CURRENT"
        row.operator("tomb_raider.bake_controls", text="Bake All").animations = "ALL"
        row = column.row(align=True)
        row.operator("tomb_raider.remove_control_rig", text="Remove", icon="X").keep = True
        row.operator("tomb_raider.remove_control_rig", text="Discard", icon="TRASH").keep = False

    def _draw_control(self, column: UILayout, context: Context) -> None:
        """Draw what the active control follows."""
        from ...scene.authoring.control_rig import LOOK, RigPart

        active = active_control(context)
        if active is None:
            column.operator("tomb_raider.plant_on_ground", icon="CON_FLOOR")
            return
        armature, limb, name = active
        box = column.box().column(align=True)
        box.label(text=name, icon="BONE_DATA", translate=False)
        text = translate(T("Follow: {name}", name=followed_name(armature, name)))
        box.operator_menu_enum("tomb_raider.change_space", "space", text=text, icon="CON_ARMATURE")
        row = box.row(align=True)
        row.operator("tomb_raider.hold_control", icon="PINNED")
        if limb.stands:
            row.operator("tomb_raider.plant_on_ground", icon="CON_FLOOR")
        if RigPart.LOOK in limb.bones:
            is_on = bool(armature.pose.bones[limb.target].get(LOOK))
            row.operator("tomb_raider.look_at", icon="HIDE_OFF", depress=is_on)


class VIEW3D_PT_tomb_raider_limbs(Panel):
    """The limbs of the active model: what poses each, or the list that a control rig is made for."""

    bl_label = "Limbs"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    bl_order = SELECTION + 2
    bl_parent_id = "VIEW3D_PT_tomb_raider_control_rig"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Context) -> None:
        from ...scene.authoring.control_rig import figure_of, has_rig, limbs_owner, rig_limbs

        armature: Any = rigged_armature(context)
        if has_rig(armature):
            column = self.layout.column(align=True)
            for rig_limb in rig_limbs(armature):
                self._draw_limb(column, armature, rig_limb)
            column = self.layout.column()
            column.prop(active_scene(context).tomb_raider, "match_controls")
            snap = column.column(align=True)
            snap.operator_menu_enum("tomb_raider.snap_controls", "frames", icon="SNAP_ON")
            snap.operator_menu_enum("tomb_raider.snap_pose", "frames", icon="SNAP_ON")
            return
        model = limbs_owner(figure_of(armature))
        settings = model.tomb_raider.model
        column = self.layout.column()
        row = column.row()
        row.template_list(
            TOMB_RAIDER_UL_limbs.__name__, "", settings, "limbs", settings, "active_limb", rows=4
        )
        buttons = row.column(align=True)
        buttons.operator("tomb_raider.edit_limbs", text="", icon="ADD").change = "ADD"
        buttons.operator("tomb_raider.edit_limbs", text="", icon="REMOVE").change = "REMOVE"
        buttons.operator("tomb_raider.list_limbs", text="", icon="FILE_REFRESH")
        if settings.active_limb < len(settings.limbs):
            limb = settings.limbs[settings.active_limb]
            column.prop(limb, "kind")
            for name in _BONES:
                column.prop_search(limb, name, model.data, "bones")

    def _draw_limb(self, column: UILayout, armature: Object, limb: Any) -> None:
        from ...scene.authoring.control_rig import SWITCH

        control: Any = armature.pose.bones.get(limb.target)
        if control is None or SWITCH not in control:
            return
        row = column.row(align=True)
        row.alert = is_out_of_reach(armature, limb)
        text = limb.name if not row.alert else translate(T("{limb}: out of reach", limb=limb.name))
        row.prop(control, f'["{SWITCH}"]', text=text, slider=True, translate=False)
        button = row.operator("tomb_raider.switch_limbs", text="", icon="CON_KINEMATIC")
        button.limb, button.target = limb.number, "FK" if control[SWITCH] else "IK"


CLASSES = (
    TOMB_RAIDER_UL_limbs,
    VIEW3D_PT_tomb_raider_control_rig,
    VIEW3D_PT_tomb_raider_limbs,
)
