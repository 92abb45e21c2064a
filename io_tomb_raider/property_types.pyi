"""Types of the properties ``tomb_raider`` of Blender's data-blocks, for type checkers only.

Written by ``python -m docs.interface``. There is no such module at runtime:

    if TYPE_CHECKING:
        from io_tomb_raider.property_types import TombRaiderObject
    settings: TombRaiderObject = getattr(obj, "tomb_raider")
"""

from collections.abc import Sequence

from bpy.types import (
    Action,
    Image,
    Material,
    NodeTree,
    Object,
    PropertyGroup,
    Sound,
    Text,
    bpy_prop_collection_idprop,
)

class TombRaiderAIObject(PropertyGroup):
    type: int
    type_name: str
    room: Object | None
    ocb: int
    flags: int
    activation: Sequence[bool]
    box: int

class TombRaiderAction(PropertyGroup):
    model: Object | None
    index: int
    origin: int
    automatic_range: Sequence[int]
    is_helper: bool
    layer: Action | None
    frame_rate: int
    state: int
    state_name: str
    home: Object | None
    next_action: str
    next_number: int
    next_frame: int
    speed: float
    speed_measure: float
    acceleration: float
    acceleration_measure: float
    lateral_speed: float
    lateral_acceleration: float
    lateral_speed_measure: float
    lateral_acceleration_measure: float
    blend_frames: int
    blend_curve: Sequence[float]
    root_motion: int
    root_motion_x: bool
    root_motion_y: bool
    root_motion_z: bool
    root_rotation: bool
    seam: float
    is_jump: bool
    key_box: Sequence[int]
    key_box_measure: Sequence[float]
    events: bpy_prop_collection_idprop[TombRaiderEvent]
    commands: bpy_prop_collection_idprop[TombRaiderCommand]
    dispatches: bpy_prop_collection_idprop[TombRaiderDispatch]
    active_event: int
    active_command: int
    active_dispatch: int

class TombRaiderActor(PropertyGroup):
    model: Object | None
    slot: int
    slot_name: str

class TombRaiderAdjoiningRoom(PropertyGroup):
    room: Object | None

class TombRaiderAnimatedTexture(PropertyGroup):
    name: str
    uid: int
    scrolls: bool
    frames: bpy_prop_collection_idprop[TombRaiderTextureFrame]
    active_frame: int
    player: NodeTree | None

class TombRaiderAnimatedTextures(PropertyGroup):
    groups: bpy_prop_collection_idprop[TombRaiderAnimatedTexture]
    active: int
    frames_per_picture: float
    scroll_speed: float

class TombRaiderAnimation(PropertyGroup):
    action: Action | None

class TombRaiderBone(PropertyGroup):
    index: int
    rest: Sequence[float]
    imported_name: str
    control: bool
    limb: int
    part: str

class TombRaiderBoxes(PropertyGroup):
    zones: str
    flipped: bool

class TombRaiderCamera(PropertyGroup):
    room: Object | None
    flags: int
    is_persistent: bool
    is_sniper: bool

class TombRaiderChain(PropertyGroup):
    is_playing: bool
    influence: float
    delta: Sequence[float]
    use_preview_range: bool
    preview_start: int
    preview_end: int
    frame: int

class TombRaiderCinematic(PropertyGroup):
    target: Object | None
    roll: float

class TombRaiderCollection(PropertyGroup):
    kind: str
    game: str
    engine: str
    scale: float
    origin: int
    offset: Sequence[float]
    data_version: int
    source: str
    folder: str
    title: str
    gameflow: TombRaiderGameflow
    has_trng: bool
    slot_names: str
    script: str
    target: str
    imported: set[str]
    pathfinding: str
    model: Object | None
    cutscene: TombRaiderCutscene
    level: TombRaiderLevel
    known_findings: bpy_prop_collection_idprop[TombRaiderFinding]
    mended: str
    edits: bpy_prop_collection_idprop[TombRaiderEdit]
    active_edit: int
    images: bpy_prop_collection_idprop[TombRaiderLevelImage]
    sounds: TombRaiderSounds
    animated: TombRaiderAnimatedTextures
    water_surface: TombRaiderPiece
    @property
    def findings(self) -> list[TombRaiderFinding]: ...
    @property
    def findings_of(self) -> str: ...

class TombRaiderCollision(PropertyGroup):
    x_sectors: int
    z_sectors: int
    storey: int
    read: str
    rooms: bpy_prop_collection_idprop[TombRaiderAdjoiningRoom]
    target: Object | None
    drawing: TombRaiderDrawing

class TombRaiderCommand(PropertyGroup):
    command: str
    position: Sequence[int]
    vertical: int
    horizontal: int
    position_measure: Sequence[float]
    vertical_measure: float
    horizontal_measure: float
    number: int

class TombRaiderCutscene(PropertyGroup):
    number: int
    audio_track: int
    audio_track_name: str
    quarter_turns: int
    frames: int
    source: str

class TombRaiderDispatch(PropertyGroup):
    state: int
    state_name: str
    low: int
    high: int
    action: str
    number: int
    target: int
    frame: int
    last_target: int
    blend_frames: int
    blend_curve: Sequence[float]
    is_empty: bool
    is_separate: bool

class TombRaiderDrawing(PropertyGroup):
    floor: TombRaiderPiece
    ceiling: TombRaiderPiece
    wall: TombRaiderPiece
    step: TombRaiderPiece
    drawn: bpy_prop_collection_idprop[TombRaiderPiece]
    looks: bpy_prop_collection_idprop[TombRaiderPiece]
    digest: str

class TombRaiderEdit(PropertyGroup):
    is_enabled: bool
    key: str
    label: str
    detail: str
    subject: str
    target: Object | None

class TombRaiderEngineProperty(PropertyGroup):
    name: str
    known_name: str
    type: str
    integer: int
    room: Object | None
    number: float
    is_on: bool
    vector: Sequence[int]
    color: Sequence[float]
    text: str
    exact: str

class TombRaiderEntity(PropertyGroup):
    type: int
    type_name: str
    script_name: str
    drops: str
    drops_name: str
    drop_number: int
    room: Object | None
    intensity: int
    intensity_measure: float
    has_light: bool
    has_tint: bool
    tint: Sequence[float]
    intensity2: int
    ocb: int
    ocb_name: str
    flags: int
    clears_body: bool
    is_invisible: bool
    activation: Sequence[bool]

class TombRaiderEvent(PropertyGroup):
    command: str
    kind: str
    number: int
    flags: int
    label: str
    place: str
    foot: str

class TombRaiderFinding(PropertyGroup):
    severity: str
    found_by: str
    subject: str
    text: str
    message: str
    sort: str
    fix: str
    has_place: bool
    place: Sequence[float]
    uid: int

class TombRaiderFlyby(PropertyGroup):
    room: Object | None
    sequence: int
    number: int
    distance: float
    distance_measure: float
    timer: int
    speed: int
    speed_measure: float
    cut_to: Object | None
    tracks: Object | None
    preview: Object | None
    flags: int
    cuts_in: bool
    tracks_entity: bool
    vignette: bool
    loops: bool
    follows_lara: bool
    looks_at_start: bool
    hides_lara: bool
    looks_at_lara: bool
    cuts_out: bool
    cuts: bool
    stops: bool
    shakes: bool
    locks_view: bool
    locks_lara: bool
    unlocks_lara: bool
    fades_in: bool
    fades_out: bool
    triggers: bool
    is_one_shot: bool

class TombRaiderGameflow(PropertyGroup):
    path: str
    version: int
    relations: str
    catalogs: str
    title: str
    track: int
    has_water_color: bool
    water_color: Sequence[float]
    has_fog: bool
    fog_start: float
    fog_end: float
    has_fog_color: bool
    fog_color: Sequence[float]
    fog_bulbs: str
    steps: bpy_prop_collection_idprop[TombRaiderStep]
    active_step: int
    dropping: str

class TombRaiderImage(PropertyGroup):
    kind: str
    page: int
    use: str
    heights: Image | None
    maps: NodeTree | None
    digest: str
    shows_edits: bool

class TombRaiderLevel(PropertyGroup):
    has_extras: bool
    texture_paths: bpy_prop_collection_idprop[TombRaiderTexturePath]
    active_texture_path: int
    number: int
    lara_type: int
    lara: str
    weather_type: int
    weather: str
    demo_frames: int
    has_demo: bool
    demo_room: Object | None
    demo_place: Sequence[float]
    demo_angle: float
    sprites_face_camera: bool
    shows_distance: bool
    distance_start: int
    distance_start_measure: float
    distance_end: int
    distance_end_measure: float
    fades_to_color: bool
    fog_color: Sequence[float]
    shows_horizon: bool
    sky_layer1: TombRaiderSkyLayer
    sky_layer2: TombRaiderSkyLayer
    shows_fog_bulbs: bool
    edited: Object | None
    view_distance: float
    library_was_shown: bool

class TombRaiderLevelImage(PropertyGroup):
    kind: str
    page: int
    image: Image | None

class TombRaiderLight(PropertyGroup):
    is_shown: bool
    type: int
    light_type: str
    intensity: int
    intensity_measure: float
    intensity2: int
    falloff: int
    falloff_measure: float
    falloff2: int
    inner: float
    outer: float
    inner_measure: float
    outer_measure: float
    inner_cone: float
    outer_cone: float
    length: float
    cutoff: float
    length_measure: float
    cutoff_measure: float
    inner_angle: float
    outer_angle: float
    range: float
    inner_angle_measure: float
    outer_angle_measure: float
    range_measure: float
    density: float
    shadow: int
    direction: Sequence[float]
    color: Sequence[float]

class TombRaiderLimb(PropertyGroup):
    kind: str
    upper: str
    lower: str
    end: str
    paw: str

class TombRaiderMaterial(PropertyGroup):
    kind: str
    collision: str
    page: int
    attribute: int
    blending: str
    double_sided: bool
    large: str
    bump: int
    animation: int

class TombRaiderMesh(PropertyGroup):
    index: int
    origin: int
    center: Sequence[int]
    radius: int
    center_measure: Sequence[float]
    radius_measure: float
    flags: int
    is_hidden: bool

class TombRaiderModel(PropertyGroup):
    id: int
    id_name: str
    middle: Sequence[float]
    fit_boxes: bool
    shows_skin: bool
    animations: bpy_prop_collection_idprop[TombRaiderAnimation]
    others: bpy_prop_collection_idprop[TombRaiderAnimation]
    limbs: bpy_prop_collection_idprop[TombRaiderLimb]
    active_limb: int
    shown_animation: int

class TombRaiderObject(PropertyGroup):
    kind: str
    index: int
    is_copy: bool
    origin: int
    room: TombRaiderRoom
    portal: TombRaiderPortal
    light: TombRaiderLight
    placement: TombRaiderPlacement
    static_mesh: TombRaiderStaticMesh
    model: TombRaiderModel
    entity: TombRaiderEntity
    properties: bpy_prop_collection_idprop[TombRaiderEngineProperty]
    active_property: int
    sprite: TombRaiderSprite
    camera: TombRaiderCamera
    sink: TombRaiderSink
    flyby: TombRaiderFlyby
    cinematic: TombRaiderCinematic
    ai_object: TombRaiderAIObject
    sound_source: TombRaiderSoundSource
    collision: TombRaiderCollision
    trigger: TombRaiderTrigger
    boxes: TombRaiderBoxes
    chain: TombRaiderChain
    actor: TombRaiderActor
    script: TombRaiderScriptObject
    game: str
    sounds: TombRaiderSounds
    animated: TombRaiderAnimatedTextures

class TombRaiderPiece(PropertyGroup):
    material: Material | None
    corners: Sequence[float]
    face: int

class TombRaiderPlacement(PropertyGroup):
    static_mesh: Object | None
    id: int
    id_name: str
    intensity: int
    intensity_measure: float
    intensity2: int
    color: Sequence[float]

class TombRaiderPortal(PropertyGroup):
    room: Object | None
    room_number: int

class TombRaiderRoom(PropertyGroup):
    mesh_and_sectors: str
    flags: int
    has_water: bool
    is_damaging: bool
    is_freezing: bool
    shows_sky: bool
    has_wind: bool
    is_inside: bool
    has_quicksand: bool
    blocks_lens_flare: bool
    has_caustics: bool
    has_reflections: bool
    has_snow: bool
    has_rain: bool
    is_cold: bool
    reflects_ceiling: bool
    ambient: int
    ambient_measure: float
    ambient2: int
    light_mode: int
    light_effect: str
    color: Sequence[float]
    alternate_room: Object | None
    alternate_group: int
    water_scheme: int
    reverb: int
    reverberation: str
    y: int
    bottom_margin: int
    bottom_margin_measure: float
    top_margin: int
    top_margin_measure: float

class TombRaiderSample(PropertyGroup):
    sound: Sound | None
    sample: int

class TombRaiderScriptObject(PropertyGroup):
    room: Object | None
    color: Sequence[float]
    distance: float
    distance_measure: float

class TombRaiderSink(PropertyGroup):
    strength: int
    box: int

class TombRaiderSkyLayer(PropertyGroup):
    shown: bool
    color: Sequence[float]
    speed: int

class TombRaiderSound(PropertyGroup):
    kind: str
    number: int
    file: str
    title: str
    digest: str

class TombRaiderSoundDetails(PropertyGroup):
    index: int
    ids: bpy_prop_collection_idprop[TombRaiderSoundId]
    for_trx: bool
    stored_for_trx: bool
    volume: int
    chance: int
    volume_measure: float
    chance_measure: float
    range: int
    pitch: int
    range_measure: float
    range_units: int
    range_units_measure: float
    flags: int
    loop: str
    no_pan: bool
    random_pitch: bool
    random_volume: bool
    samples: bpy_prop_collection_idprop[TombRaiderSample]
    active_sample: int

class TombRaiderSoundId(PropertyGroup):
    number: int
    sound: str

class TombRaiderSoundSource(PropertyGroup):
    sound: int
    name_of_sound: str
    flags: int
    shown: Sequence[float]
    when_flipped: bool
    when_unflipped: bool

class TombRaiderSounds(PropertyGroup):
    details: bpy_prop_collection_idprop[TombRaiderSoundDetails]
    active: int
    samples: bpy_prop_collection_idprop[TombRaiderSample]
    main_sfx: str
    main_sfx_count: int

class TombRaiderSprite(PropertyGroup):
    texture: int
    sequence: int
    sequence_name: str
    place: int
    vertex: int

class TombRaiderStaticMesh(PropertyGroup):
    id: int
    id_name: str
    visibility_box: Sequence[int]
    collision_box: Sequence[int]
    visibility_box_measure: Sequence[float]
    collision_box_measure: Sequence[float]
    flags: int
    is_drawn: bool
    has_collision: bool
    former_box: Sequence[int]

class TombRaiderStep(PropertyGroup):
    kind: str
    parameters: str
    room: Object | None
    raw_room: int

class TombRaiderText(PropertyGroup):
    kind: str
    source: str
    language: Text | None

class TombRaiderTextureFrame(PropertyGroup):
    image: Image | None
    page: int
    corners: Sequence[float]
    is_triangle: bool
    attribute: int
    blending: str
    bump: int
    texture: int

class TombRaiderTexturePath(PropertyGroup):
    number: int
    path: str
    has_image: bool
    kind: str
    normal: str
    height: str
    specular: str
    roughness: str
    occlusion: str
    emissive: str
    has_strengths: bool
    normal_strength: float
    specular_strength: float

class TombRaiderTrigger(PropertyGroup):
    type: int
    kind: str
    room: Object | None
    source: Object | None
    raw_source: int
    timer: int
    timer_sound: str
    timer_fog: str
    timer_waypoint: str
    fog_color: Sequence[float]
    condition_name: str
    mask_name: str
    one_shot: bool
    mask: int
    activation: Sequence[bool]
    actions: bpy_prop_collection_idprop[TombRaiderTriggerAction]
    active_action: int
    rest: int
    setup_rest: int
    source_rest: int

class TombRaiderTriggerAction(PropertyGroup):
    type: int
    kind: str
    target: Object | None
    raw_target: int
    number: int
    number_name: str
    extra: int
    timer: int
    once: bool
    move: int
    first: int
    first_name: str
    second: int
    second_name: str
    raw_target_name: str
    parameter_name: str
    stray_end: bool
