import bpy

settings = bpy.context.scene.tomb_raider.motion

settings.rows.clear()
for bone, source in (
    ("Hips", "Hips"),
    ("Thigh.L", "LeftUpLeg"),
    ("Calf.L", "LeftLeg"),
    ("Foot.L", "LeftFoot"),
    ("Thigh.R", "RightUpLeg"),
    ("Calf.R", "RightLeg"),
    ("Foot.R", "RightFoot"),
    ("Torso", "Spine1"),
    ("Upper Arm.R", "RightArm"),
    ("Lower Arm.R", "RightForeArm"),
    ("Hand.R", "RightHand"),
    ("Upper Arm.L", "LeftArm"),
    ("Lower Arm.L", "LeftForeArm"),
    ("Hand.L", "LeftHand"),
    ("Head", "Head"),
):
    row = settings.rows.add()
    row.bone, row.source = bone, source
