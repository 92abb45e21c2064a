import bpy

settings = bpy.context.scene.tomb_raider.motion

settings.rows.clear()
for bone, source in (
    ("Hips", "Hips"),
    ("Thigh.L", "LeftThigh"),
    ("Calf.L", "LeftShin"),
    ("Foot.L", "LeftFoot"),
    ("Thigh.R", "RightThigh"),
    ("Calf.R", "RightShin"),
    ("Foot.R", "RightFoot"),
    ("Torso", "Spine4"),
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
