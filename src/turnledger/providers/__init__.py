"""Decoders of the wire formats that model providers speak.  Pure: bytes in, facts out.

``decode`` is the door; a new format is one module with a ``FORMAT`` and one line in ``registry``.
"""
