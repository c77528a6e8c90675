"""Which requests of a client go to a model: what they ask for costs money and decides what the agent does."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_model_request"]

_PATH: Final = re.compile(
    r"(?:/(?:completions|responses|responses/compact|interactions|messages|complete|generate|chat"
    r"|converse|converse-stream|invoke"
    r"|invoke-with-response-stream|embeddings|embed|rerank|moderations|ocr"
    r"|images/(?:generations|edits|variations)|audio/(?:speech|transcriptions|translations))"
    r"|:(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|predict|rawPredict"
    r"|streamRawPredict))/?$"
)


def is_model_request(method: str, path: str) -> bool:
    """Whether a request is recorded: a POST to a path that ends as those of model providers do.

    Files, batches, fine-tuning, counting tokens and lists of models are none.
    """
    return method == "POST" and _PATH.search(path) is not None
