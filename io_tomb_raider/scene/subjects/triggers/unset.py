"""Values of trigger properties that stand for nothing."""

NO_NUMBER = -1
NO_SOURCE = -2  # a pickup's trigger that names no pickup
NO_EXTRA = -1
