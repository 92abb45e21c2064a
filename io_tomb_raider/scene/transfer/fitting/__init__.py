"""Animations and joints of one model for another one: what they mean, and where limbs join."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .animations import fit_animations
    from .joints import Joints, fit_joints, models_with_joints_of
    from .meaning import copy_meaning
else:
    __getattr__ = lazy_exports(__name__)
