import bpy

op = bpy.context.active_operator

op.rooms = True
op.lights = True
op.models = True
op.animations = True
op.static_meshes = True
op.entities = True
op.triggers = True
op.sprites = True
