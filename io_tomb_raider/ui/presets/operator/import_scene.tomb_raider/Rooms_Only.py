import bpy

op = bpy.context.active_operator

op.rooms = True
op.lights = True
op.models = False
op.animations = False
op.static_meshes = False
op.entities = False
op.triggers = False
op.sprites = False
