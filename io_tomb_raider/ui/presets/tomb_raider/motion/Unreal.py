import bpy

settings = bpy.context.scene.tomb_raider.motion

settings.rows.clear()
for bone, source in (
    ("Hips", "pelvis"),
    ("Thigh.L", "thigh_l"),
    ("Calf.L", "calf_l"),
    ("Foot.L", "foot_l"),
    ("Thigh.R", "thigh_r"),
    ("Calf.R", "calf_r"),
    ("Foot.R", "foot_r"),
    ("Torso", "spine_03"),
    ("Upper Arm.R", "upperarm_r"),
    ("Lower Arm.R", "lowerarm_r"),
    ("Hand.R", "hand_r"),
    ("Upper Arm.L", "upperarm_l"),
    ("Lower Arm.L", "lowerarm_l"),
    ("Hand.L", "hand_l"),
    ("Head", "head"),
):
    row = settings.rows.add()
    row.bone, row.source = bone, source
