"""Material keys as tuples and as rows of arrays: joined, compared, made distinct."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from io_tomb_raider.scene.subjects.textures.keys import (
    KINDS,
    MATERIAL_KEY,
    NO_MATERIAL,
    MaterialKey,
    blank_keys,
    distinct_keys,
    equal_keys,
    has_kind,
    join_keys,
    key_array,
    key_tuples,
)

# Few values each, so that equal keys and keys that differ in one field are common.
KEYS = st.builds(
    MaterialKey,
    kind=st.sampled_from(KINDS),
    page=st.sampled_from([-1, 0, 1, 0xFFFF]),
    attribute=st.sampled_from([0, 1, 0xFFFF]),
    double_sided=st.booleans(),
    bump=st.sampled_from([0, 3]),
    group=st.sampled_from([0, 1, 0x10000]),
)
LISTS = st.lists(KEYS, max_size=12)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LISTS, LISTS)
def test_arrays_of_keys_equal_their_tuples(
    blender: ModuleType, one: list[MaterialKey], other: list[MaterialKey]
) -> None:
    first, second = key_array(one), key_array(other)
    assert key_tuples(first) == one
    joined = join_keys([first, second, first])
    assert joined.dtype == MATERIAL_KEY and key_tuples(joined) == [*one, *other, *one]
    count = min(len(one), len(other))
    same = equal_keys(first[:count], second[:count])
    assert same.tolist() == [mine == theirs for mine, theirs in zip(one, other, strict=False)]
    for kind in KINDS:
        assert has_kind(first, kind).tolist() == [key.kind == kind for key in one]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LISTS)
def test_distinct_keys_are_found(blender: ModuleType, keys: list[MaterialKey]) -> None:
    found, places = distinct_keys(key_array(keys))
    rows = key_tuples(found)
    assert len(set(rows)) == len(rows) and [rows[place] for place in places] == keys
    # Materials of one animated texture are adjacent on a mesh, after all others.
    assert [row.group for row in rows] == sorted(row.group for row in rows)


def test_faces_without_anything_to_show(blender: ModuleType) -> None:
    assert key_tuples(blank_keys(2, "NONE")) == [NO_MATERIAL, NO_MATERIAL]
    assert len(join_keys([])) == 0 and len(distinct_keys(blank_keys(0, "PAGE"))[0]) == 0
    assert np.dtype(MATERIAL_KEY).itemsize == 16  # compared as numbers: there must be no padding
