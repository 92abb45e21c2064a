"""Decisions for each of Blender's settings of the objects of a level.

- ``WRITTEN``: exported if the game supports it, else reported.
- ``TOLD``: reported with the names of the object and the setting.
- ``ASIDE``: about the display, editing or search of objects in Blender; no game could draw or play it.

Settings are listed by the names of Blender's structs, also those of some versions of Blender only. Settings
of all data-blocks (``bpy.types.ID``) are listed only under ``ID``.
"""

from __future__ import annotations

WRITTEN: dict[str, str] = {
    "ID": "",
    "Object": """
        constraints data delta_location delta_rotation_euler delta_rotation_quaternion animation_data
        instance_collection location material_slots matrix_basis matrix_local matrix_parent_inverse
        matrix_world modifiers parent parent_bone parent_bone_head_tail_factor parent_type parent_vertices
        rotation_axis_angle rotation_euler rotation_mode rotation_quaternion active_shape_key
        active_shape_key_index show_only_shape_key empty_display_size pose
    """,
    "Mesh": """
        attributes color_attributes corner_normals has_custom_normals loop_triangle_polygons loop_triangles
        loops materials normals_domain polygon_normals polygons shape_keys uv_layers vertex_colors
        vertex_normals vertices
    """,
    "Light": "color energy exposure spot_blend spot_size temperature use_temperature temperature_color type",
    "Speaker": "sound",
    "Camera": "angle angle_x angle_y lens sensor_fit sensor_height sensor_width lens_unit",
    "Material": "node_tree surface_render_method blend_method use_backface_culling use_nodes",
    "Armature": "bones edit_bones",
    "Bone": """
        head head_local length matrix matrix_local parent tail tail_local children use_connect
        use_relative_parent
    """,
    "PoseBone": """
        constraints location matrix matrix_basis matrix_channel rotation_axis_angle rotation_euler
        rotation_mode rotation_quaternion head tail length parent child bone
        ik_linear_weight ik_max_x ik_max_y ik_max_z ik_min_x ik_min_y ik_min_z ik_rotation_weight
        ik_stiffness_x ik_stiffness_y ik_stiffness_z ik_stretch is_in_ik_chain lock_ik_x lock_ik_y lock_ik_z
        use_ik_limit_x use_ik_limit_y use_ik_limit_z use_ik_linear_control use_ik_rotation_control
    """,
    "Key": "eval_time key_blocks reference_key use_relative animation_data",
    "ShapeKey": """
        data frame interpolation mute points relative_key slider_max slider_min value vertex_group
    """,
    "Action": """
        fcurves frame_end frame_range curve_frame_range frame_start groups layers pose_markers slots
        use_frame_range
    """,
    "FCurve": """
        array_index auto_smoothing data_path driver extrapolation is_empty is_valid keyframe_points modifiers
        sampled_points
    """,
    "Keyframe": """
        amplitude back co co_ui easing handle_left handle_left_type handle_right handle_right_type
        interpolation period
    """,
    "ActionGroup": "channels",
    "MeshUVLoopLayer": "active_render data uv",
    "MaterialSlot": "link material",
    "AnimData": "action action_slot drivers",
    "Image": """
        pixels size source tiles filepath filepath_raw packed_file packed_files is_dirty channels depth
        has_data
    """,
    "Sound": "filepath packed_file channels samplerate",
    "Collection": "children objects all_objects",
}

TOLD: dict[str, str] = {
    "Object": """
        scale delta_scale dimensions field instance_type light_linking particle_systems rigid_body
        rigid_body_constraint soft_body
    """,
    "Mesh": "edges animation_data",
    "Light": """
        angle animation_data contact_shadow_bias contact_shadow_distance contact_shadow_thickness
        cutoff_distance diffuse_factor node_tree normalize shadow_buffer_bias shadow_buffer_clip_start
        shadow_cascade_count shadow_cascade_exponent shadow_cascade_fade shadow_cascade_max_distance
        shadow_color shadow_filter_radius shadow_jitter_overblur shadow_maximum_resolution shadow_soft_size
        shape size size_y specular_factor spread transmission_factor use_absolute_resolution
        use_contact_shadow use_custom_distance use_shadow use_shadow_jitter use_soft_falloff use_square
        volume_factor
    """,
    "Speaker": """
        attenuation cone_angle_inner cone_angle_outer cone_volume_outer distance_max distance_reference
        muted pitch volume volume_max volume_min
    """,
    "Camera": "type shift_x shift_y dof",
    "Bone": "inherit_scale use_inherit_rotation use_local_location",
    "PoseBone": "scale",
    "NlaTrack": "strips mute is_solo",
    "NlaStrip": """
        action action_frame_end action_frame_start action_slot blend_in blend_out blend_type extrapolation
        fcurves frame_end frame_end_raw frame_end_ui frame_start frame_start_raw frame_start_ui influence
        modifiers mute repeat scale strip_time strips type use_animated_influence use_animated_time
        use_animated_time_cyclic use_auto_blend use_reverse
    """,
    "AnimData": "nla_tracks",
    "FCurve": "mute",
    "ActionGroup": "mute",
    "Collection": "instance_offset",
}

_IDENTIFIERS = "active name rna_type select lock hide color is_override_data show_expanded index"
ASIDE: dict[str, str] = {
    "ID": """
        asset_data id_type is_editable is_embedded_data is_evaluated is_library_indirect is_linked_packed
        is_missing is_runtime_data library library_weak_reference name name_full original override_library
        preview rna_type session_uid tag use_extra_user use_fake_user users
    """,
    "Object": """
        active_material active_material_index active_selection_set add_rest_position_attribute
        animation_visualization bound_box collision color cycles display display_bounds_type display_type
        empty_display_type empty_image_depth empty_image_offset empty_image_side grease_pencil_modifiers
        hide_probe_plane hide_probe_sphere hide_probe_volume hide_render hide_select hide_surface_pick
        hide_viewport image_user instance_faces_scale is_from_instancer is_from_set is_holdout is_instancer
        is_shadow_catcher lightgroup lineart lock_location lock_rotation lock_rotation_w lock_rotations_4d
        lock_scale mode motion_path pass_index selection_sets shader_effects
        shadow_terminator_geometry_offset shadow_terminator_normal_offset shadow_terminator_shading_offset
        show_all_edges show_axis show_bounds show_empty_image_only_axis_aligned
        show_empty_image_orthographic show_empty_image_perspective show_in_front show_instancer_for_render
        show_instancer_for_viewport show_name show_texture_space show_transparent show_wire track_axis type
        up_axis use_camera_lock_parent use_dynamic_topology_sculpting use_empty_image_alpha
        use_grease_pencil_lights use_instance_faces_scale use_instance_vertices_rotation use_mesh_mirror_x
        use_mesh_mirror_y use_mesh_mirror_z use_parent_final_indices use_shape_key_edit_mode
        use_simulation_cache vertex_groups visible_camera visible_diffuse visible_glossy visible_raycast
        visible_shadow visible_transmission visible_volume_scatter
    """,
    "Mesh": """
        auto_texspace cycles is_editmode radial_symmetry remesh_mode remesh_voxel_adaptivity
        remesh_voxel_size skin_vertices texco_mesh texspace_location texspace_size texture_mesh
        total_edge_sel total_face_sel total_vert_sel use_auto_texspace use_mirror_topology
        use_mirror_vertex_groups use_mirror_x use_mirror_y use_mirror_z use_paint_bone_selection
        use_paint_mask use_paint_mask_vertex use_remesh_fix_poles use_remesh_preserve_attributes
        use_remesh_preserve_volume uv_layer_clone uv_layer_clone_index uv_layer_stencil
        uv_layer_stencil_index
    """,
    "Light": "cycles show_cone use_nodes",
    "Speaker": "animation_data",
    "Camera": """
        animation_data background_images central_cylindrical_radius central_cylindrical_range_u_max
        central_cylindrical_range_u_min central_cylindrical_range_v_max central_cylindrical_range_v_min
        clip_end clip_start composition_guide_color custom_bytecode custom_bytecode_hash custom_filepath
        custom_mode custom_shader cycles_custom display_size fisheye_fov fisheye_lens
        fisheye_polynomial_k0 fisheye_polynomial_k1 fisheye_polynomial_k2 fisheye_polynomial_k3
        fisheye_polynomial_k4 latitude_max latitude_min longitude_max longitude_min ortho_scale
        panorama_type passepartout_alpha show_background_images show_composition_center
        show_composition_center_diagonal show_composition_golden show_composition_golden_tria_a
        show_composition_golden_tria_b show_composition_harmony_tri_a show_composition_harmony_tri_b
        show_composition_thirds show_limits show_mist show_name show_passepartout show_safe_areas
        show_safe_center show_sensor stereo cycles
    """,
    "Material": """
        alpha_threshold animation_data cycles diffuse_color displacement_method grease_pencil
        is_grease_pencil line_color line_priority lineart max_vertex_displacement metallic
        paint_active_slot paint_clone_slot pass_index preview_render_type refraction_depth roughness
        shadow_method show_transparent_back specular_color specular_intensity texture_paint_images
        texture_paint_slots thickness_mode use_backface_culling_lightprobe_volume
        use_backface_culling_shadow use_preview_world use_raytrace_refraction use_screen_refraction
        use_sss_translucency use_thickness_from_shadow use_transparency_overlap use_transparent_shadow
        volume_intersection_method
    """,
    "Armature": """
        animation_data axes_position collections collections_all display_type is_editmode pose_position
        relation_line_position show_axes show_bone_colors show_bone_custom_shapes show_names use_mirror_x
    """,
    "Bone": f"""
        {_IDENTIFIERS} bbone_curveinx bbone_curveinz bbone_curveoutx bbone_curveoutz bbone_custom_handle_end
        bbone_custom_handle_start bbone_easein bbone_easeout bbone_handle_type_end bbone_handle_type_start
        bbone_handle_use_ease_end bbone_handle_use_ease_start bbone_handle_use_scale_end
        bbone_handle_use_scale_start bbone_mapping_mode bbone_rollin bbone_rollout bbone_scalein
        bbone_scaleout bbone_segments bbone_x bbone_z collections display_type envelope_distance
        envelope_weight head_radius hide_select select_head select_tail show_wire tail_radius
        use_cyclic_offset use_deform use_endroll_as_inroll use_envelope_multiply use_scale_easing
    """,
    "PoseBone": f"""
        {_IDENTIFIERS} bbone_curveinx bbone_curveinz bbone_curveoutx bbone_curveoutz bbone_custom_handle_end
        bbone_custom_handle_start bbone_easein bbone_easeout bbone_rollin bbone_rollout bbone_scalein
        bbone_scaleout custom_shape custom_shape_rotation_euler custom_shape_scale_xyz
        custom_shape_transform custom_shape_translation custom_shape_wire_width lock_location lock_rotation
        lock_rotation_w lock_rotations_4d lock_scale motion_path use_custom_shape_bone_size
        use_transform_around_custom_shape use_transform_at_custom_shape
    """,
    "Key": "user",
    "ShapeKey": f"{_IDENTIFIERS} lock_shape",
    "Action": "id_root is_action_layered is_action_legacy is_empty use_cyclic",
    "FCurve": f"{_IDENTIFIERS} color_mode group",
    "Keyframe": f"{_IDENTIFIERS} select_control_point select_left_handle select_right_handle type",
    "ActionGroup": f"{_IDENTIFIERS} color_set colors is_custom_color_set show_expanded_graph use_pin",
    "MeshUVLoopLayer": f"{_IDENTIFIERS} active_clone edge_selection pin vertex_selection",
    "MaterialSlot": f"{_IDENTIFIERS} slot_index",
    "NlaTrack": _IDENTIFIERS,
    "NlaStrip": f"""
        {_IDENTIFIERS} action_slot_handle action_suitable_slots last_slot_identifier use_sync_length
    """,
    "AnimData": f"""
        {_IDENTIFIERS} action_blend_type action_extrapolation action_influence action_slot_handle
        action_slot_handle_tweak_storage action_suitable_slots action_tweak_storage last_slot_identifier
        use_nla use_pin use_tweak_mode
    """,
    "Image": """
        alpha_mode bindcode colorspace_settings display_aspect file_format frame_duration generated_color
        generated_height generated_type generated_width is_float is_multiview is_stereo_3d render_slots
        resolution seam_margin stereo_3d_format type use_deinterlace use_generated_float use_half_precision
        use_multiview use_view_as_render views_format
    """,
    "Sound": "use_memory_cache use_mono",
    "Collection": """
        active_exporter_index collection_children collection_objects color_tag exporters hide_render
        hide_select hide_viewport lineart_intersection_mask lineart_intersection_priority lineart_usage
        lineart_use_intersection_mask use_lineart_intersection_priority
    """,
}

# Decisions for each type of modifier on a mesh of the game. ``ELSEWHERE``: no mesh can have it.
MODIFIERS: dict[str, str] = {
    "WRITTEN": """
        ARMATURE ARRAY BEVEL BOOLEAN BUILD CAST CORRECTIVE_SMOOTH CURVE DATA_TRANSFER DECIMATE DISPLACE
        EDGE_SPLIT HOOK LAPLACIANDEFORM LAPLACIANSMOOTH LATTICE MASK MESH_CACHE MESH_DEFORM
        MESH_SEQUENCE_CACHE MIRROR MULTIRES NODES OCEAN REMESH SCREW SHRINKWRAP SIMPLE_DEFORM SKIN SMOOTH
        SOLIDIFY SUBSURF SURFACE_DEFORM TRIANGULATE UV_PROJECT UV_WARP VERTEX_WEIGHT_EDIT VERTEX_WEIGHT_MIX
        VERTEX_WEIGHT_PROXIMITY VOLUME_TO_MESH WARP WAVE WELD WIREFRAME
    """,
    "TOLD": """
        CLOTH COLLISION DYNAMIC_PAINT EXPLODE FLUID NORMAL_EDIT PARTICLE_INSTANCE PARTICLE_SYSTEM SOFT_BODY
        SURFACE WEIGHTED_NORMAL
    """,
    "ELSEWHERE": """
        GREASE_PENCIL_ARMATURE GREASE_PENCIL_ARRAY GREASE_PENCIL_BUILD GREASE_PENCIL_COLOR
        GREASE_PENCIL_DASH GREASE_PENCIL_ENVELOPE GREASE_PENCIL_HOOK GREASE_PENCIL_LATTICE
        GREASE_PENCIL_LENGTH GREASE_PENCIL_MIRROR GREASE_PENCIL_MULTIPLY GREASE_PENCIL_NOISE
        GREASE_PENCIL_OFFSET GREASE_PENCIL_OPACITY GREASE_PENCIL_OUTLINE GREASE_PENCIL_SHRINKWRAP
        GREASE_PENCIL_SIMPLIFY GREASE_PENCIL_SMOOTH GREASE_PENCIL_SUBDIV GREASE_PENCIL_TEXTURE
        GREASE_PENCIL_THICKNESS GREASE_PENCIL_TIME GREASE_PENCIL_TINT GREASE_PENCIL_VERTEX_WEIGHT_ANGLE
        GREASE_PENCIL_VERTEX_WEIGHT_PROXIMITY LINEART MESH_TO_VOLUME VOLUME_DISPLACE
    """,
}

# Decisions for each type of constraint: on objects in the world, and on bones, which only rotate.
# ``IDLE``: no effect without a movie with a solved camera, or on an object that is not a bone.
CONSTRAINTS: dict[str, str] = {
    "WRITTEN": """
        ACTION ARMATURE CHILD_OF CLAMP_TO COPY_LOCATION COPY_ROTATION COPY_TRANSFORMS DAMPED_TRACK FLOOR
        FOLLOW_PATH GEOMETRY_ATTRIBUTE LIMIT_DISTANCE LIMIT_LOCATION LIMIT_ROTATION LOCKED_TRACK PIVOT
        SHRINKWRAP TRACK_TO TRANSFORM
    """,
    "TOLD": "COPY_SCALE LIMIT_SCALE MAINTAIN_VOLUME STRETCH_TO TRANSFORM_CACHE",
    "IDLE": "CAMERA_SOLVER FOLLOW_TRACK IK OBJECT_SOLVER SPLINE_IK",
}
BONE_CONSTRAINTS: dict[str, str] = {
    "WRITTEN": "ACTION COPY_ROTATION DAMPED_TRACK IK LIMIT_ROTATION LOCKED_TRACK TRACK_TO TRANSFORM",
    "TOLD": """
        ARMATURE CHILD_OF CLAMP_TO COPY_LOCATION COPY_SCALE COPY_TRANSFORMS FLOOR FOLLOW_PATH
        GEOMETRY_ATTRIBUTE LIMIT_DISTANCE LIMIT_LOCATION LIMIT_SCALE MAINTAIN_VOLUME PIVOT SHRINKWRAP
        SPLINE_IK STRETCH_TO TRANSFORM_CACHE
    """,
    "IDLE": "CAMERA_SOLVER FOLLOW_TRACK OBJECT_SOLVER",
}

# The structs of one row: all types of lights share one.
STRUCTS = {name: (name,) for name in WRITTEN if name != "ID"} | {
    "NlaTrack": ("NlaTrack",),
    "NlaStrip": ("NlaStrip",),
    "Light": ("PointLight", "SunLight", "SpotLight", "AreaLight"),
}


def decided(table: dict[str, str], struct: str) -> set[str]:
    """Return the decisions of a table for a struct."""
    return set(table.get(struct, "").split())
