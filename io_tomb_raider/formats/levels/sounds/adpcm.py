"""Microsoft's ADPCM, the coding of the samples of TR4 and TR5 and of the sound tracks of TR3 to TR5.

Sound is divided into independent blocks. A block has for each channel the number of a pair of coefficients, a
step size and two samples, then four bits per sample: the difference, in steps, from the prediction by the two
samples before. All blocks are processed in parallel, in a loop over the samples of a block, since each
depends on those before it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HEADER_SIZE = 7  # of a block, per channel
COEFFICIENTS = np.array(
    [(256, 0), (512, -256), (0, 0), (192, 64), (240, 0), (460, -208), (392, -232)], np.int32
)
# The factor of a step size after each difference, in 1/256.
_ADAPTATION = np.array([230] * 4 + [307, 409, 512, 614, 768, 614, 512, 409, 307] + [230] * 3, np.int32)
_SIGNED = np.array([0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1], np.int32)
_SMALLEST_STEP = 16
_LARGEST_STEP = 0x7FFFFFFF // 768  # so that the next one still fits 32 bits


def samples_per_block(block_size: int, channels: int) -> int:
    """Return the number of samples per channel in a block."""
    return 2 + 2 * (block_size - HEADER_SIZE * channels) // channels


def decode_blocks(
    blocks: NDArray[np.uint8], channels: int, coefficients: NDArray[np.int32] = COEFFICIENTS
) -> NDArray[np.int16]:
    """Decode blocks.

    Args:
        blocks: (blocks, block size) uint8, the size more than :data:`HEADER_SIZE` for each channel.
        channels: 1 or 2.
        coefficients: (n, 2) int32, the pairs of coefficients; a number beyond them means the last.

    Returns:
        (blocks, samples of a block, channels) int16.
    """
    count = len(blocks)
    choice = np.minimum(blocks[:, :channels], len(coefficients) - 1)
    shorts = np.ascontiguousarray(blocks[:, channels : HEADER_SIZE * channels]).view("<i2").astype(np.int32)
    step, latest, before = shorts.reshape(count, 3, channels).transpose(1, 0, 2)
    pair = coefficients[choice]
    codes = _split_bytes(blocks[:, HEADER_SIZE * channels :], channels)
    samples = np.empty((2 + len(codes), count, channels), np.int16)
    samples[0], samples[1] = before, latest
    for index, code in enumerate(codes, 2):
        predicted = (latest * pair[..., 0] + before * pair[..., 1]) >> 8
        before, latest = latest, np.clip(predicted + _SIGNED[code] * step, -0x8000, 0x7FFF)
        step = np.clip((_ADAPTATION[code] * step) >> 8, _SMALLEST_STEP, _LARGEST_STEP)
        samples[index] = latest
    return samples.transpose(1, 0, 2)


def _split_bytes(body: NDArray[np.uint8], channels: int) -> NDArray[np.uint8]:
    """Return the four-bit codes of blocks in playing order, (codes, blocks, channels)."""
    count, size = body.shape
    codes = np.stack([body >> 4, body & 15], axis=-1).reshape(count, 2 * size)
    length = 2 * size // channels
    whole = codes[:, : length * channels].reshape(count, length, channels)
    return np.ascontiguousarray(whole.transpose(1, 0, 2))


def encode_blocks(samples: NDArray[np.int16], block_size: int) -> NDArray[np.uint8]:
    """Encode samples, (blocks, samples of a block, channels), with loss, to (blocks, block size) uint8."""
    count, length, channels = samples.shape
    values = np.ascontiguousarray(samples.transpose(1, 0, 2)).astype(np.int32)
    shape = (len(COEFFICIENTS), count, channels)  # every block with every pair of coefficients
    before, latest = (np.broadcast_to(values[index], shape) for index in (0, 1))
    first, second = COEFFICIENTS.T[:, :, None, None]
    prediction = (latest * first + before * second) >> 8
    target = values[2] if length > 2 else values[1]
    start = np.clip(np.abs(target - prediction) // 4, _SMALLEST_STEP, 0x7FFF)
    step = start
    codes = np.zeros((length - 2, *shape), np.int8)
    error = np.zeros(shape, np.float64)
    for index, value in enumerate(values[2:]):
        predicted = (latest * first + before * second) >> 8
        code = np.clip(np.rint((value - predicted) / step), -8, 7).astype(np.intp)
        before, latest = latest, np.clip(predicted + code.astype(np.int32) * step, -0x8000, 0x7FFF)
        # Negative codes count from the end of the table, as their four bits do.
        step = np.clip((_ADAPTATION[code] * step) >> 8, _SMALLEST_STEP, _LARGEST_STEP)
        error += np.square((latest - value).astype(np.float64))
        codes[index] = code
    best = error.argmin(axis=0)[None]  # (1, blocks, channels)
    chosen = np.take_along_axis(codes, best[None], axis=1)[:, 0].astype(np.uint8) & 15
    shorts = np.stack([np.take_along_axis(start, best, axis=0)[0], values[1], values[0]], axis=1)
    blocks = np.zeros((count, block_size), np.uint8)
    blocks[:, :channels] = best[0]
    head = shorts.astype("<i2").reshape(count, 3 * channels)
    blocks[:, channels : HEADER_SIZE * channels] = np.ascontiguousarray(head).view(np.uint8)
    in_order = chosen.transpose(1, 0, 2).reshape(count, (length - 2) * channels)
    blocks[:, HEADER_SIZE * channels :] = in_order[:, 0::2] << 4 | in_order[:, 1::2]
    return blocks
