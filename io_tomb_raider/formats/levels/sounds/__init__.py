"""Sounds (documentation, chapter 8): details, samples, waves, and sound files."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .arrangement import Arrangement, Copied, arrange_samples
    from .details import (
        LOOP,
        LOOP_MODES,
        NO_PAN,
        RANDOM_PITCH,
        RANDOM_VOLUME,
        TRX_FULL,
        TRX_RANGE,
        flags_of,
        most_volume,
        put_run,
        run_of,
        scaled,
    )
    from .files import (
        CD_AUDIO_ENTRY,
        CD_AUDIO_TRACKS,
        CdAudio,
        MainSfx,
        read_cd_audio,
        read_cd_audio_directory,
        read_cd_audio_names,
        read_main_sfx,
        track_name,
        write_cd_audio_names,
    )
    from .forms import (
        ADPCM_BUFFER,
        SoundForm,
        convert_sound,
        decode_sound,
        decoded_size,
        encode_sound,
        form_of,
        usual_form,
    )
    from .samples import SampleStorage, replace_samples, sample_count, sample_storage, sample_waves
    from .silence import add_silence, is_refused
    from .waves import (
        ADPCM,
        PCM,
        WAVE_MARK_SIZE,
        decode_wave,
        encode_adpcm_wave,
        encode_wave,
        find_waves,
        is_wave,
        read_wave,
    )
else:
    __getattr__ = lazy_exports(__name__)
