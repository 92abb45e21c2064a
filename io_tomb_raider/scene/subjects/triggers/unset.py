"""Values of unset trigger properties."""

NO_NUMBER = -1
NO_SOURCE = -2  # a pickup trigger without a pickup
NO_EXTRA = -1
