import bpy

settings = bpy.context.scene.tomb_raider.motion

settings.rows.clear()
for bone, source in (
    ("Hips", "mixamorig:Hips"),
    ("Thigh.L", "mixamorig:LeftUpLeg"),
    ("Calf.L", "mixamorig:LeftLeg"),
    ("Foot.L", "mixamorig:LeftFoot"),
    ("Thigh.R", "mixamorig:RightUpLeg"),
    ("Calf.R", "mixamorig:RightLeg"),
    ("Foot.R", "mixamorig:RightFoot"),
    ("Torso", "mixamorig:Spine2"),
    ("Upper Arm.R", "mixamorig:RightArm"),
    ("Lower Arm.R", "mixamorig:RightForeArm"),
    ("Hand.R", "mixamorig:RightHand"),
    ("Upper Arm.L", "mixamorig:LeftArm"),
    ("Lower Arm.L", "mixamorig:LeftForeArm"),
    ("Hand.L", "mixamorig:LeftHand"),
    ("Head", "mixamorig:Head"),
):
    row = settings.rows.add()
    row.bone, row.source = bone, source
