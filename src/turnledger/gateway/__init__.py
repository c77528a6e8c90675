"""The recording gateway: programs in any language ask their provider through it, and it is on record."""
