"""``python -m turnledger.server.document``: the OpenAPI document on standard output."""

from __future__ import annotations

import sys

from turnledger.server.app import api_document

if __name__ == "__main__":
    sys.stdout.buffer.write(api_document())
