import bpy

op = bpy.context.active_operator

op.rooms = False
op.portals = False
op.collision = False
op.triggers = False
op.lights = False
op.cameras = False
op.models = True
op.animations = True
op.static_meshes = False
op.entities = False
op.sprites = False
op.sounds = False
op.pathfinding = False
