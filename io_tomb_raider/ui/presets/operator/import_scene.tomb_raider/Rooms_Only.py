import bpy

op = bpy.context.active_operator

op.rooms = True
op.portals = False
op.collision = False
op.triggers = False
op.lights = True
op.cameras = False
op.models = False
op.animations = False
op.static_meshes = False
op.entities = False
op.sprites = False
op.sounds = False
op.pathfinding = False
