import bpy

op = bpy.context.active_operator

op.rooms = False
op.lights = False
op.models = True
op.animations = True
op.static_meshes = False
op.entities = False
op.triggers = False
op.sprites = False
