"""The way to pyvo."""

from __future__ import annotations

from typing import Any


def parsed(document: bytes) -> Any:
    """Reads UWS XML with pyvo.

    Raises:
        ImportError: pyvo is not there; the extra `vo` brings it.
    """
    import io

    try:
        from pyvo.io.uws import parse_job
    except ImportError as error:
        raise ImportError(
            'pyvo is not installed: pip install "execution-planner-client[vo]"'
        ) from error
    return parse_job(io.BytesIO(document))
