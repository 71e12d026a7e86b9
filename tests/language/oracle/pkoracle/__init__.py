"""The oracle: workunits in CPython against the same workunits compiled."""
