"""Results in a notebook, and opened with astropy."""

from __future__ import annotations

import base64
from html import escape
from typing import Any

LARGEST = 20_000_000
"""Bytes: a notebook keeps what it shows, so what is larger is only linked."""
SANDBOX = "allow-scripts allow-popups"
"""Scripts draw plots; without `allow-same-origin` they reach neither notebook nor server."""


class Shown:
    """What Jupyter shows of a result."""

    def __init__(self, html: str, text: str) -> None:
        self._html = html
        self._text = text

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        return self._text


def shown(content: bytes | None, media_type: str, name: str, url: str) -> Shown:
    """A result for people: pages and pictures in a frame of their own, text as it is.

    Args:
        content: Its bytes, or None for a link only.
        media_type: Its media type.
        name: Its name.
        url: Where it is.
    """
    kind = media_type.partition(";")[0].strip().lower()
    if content is None:
        return Shown(f'<a href="{escape(url)}">{escape(name)}</a>', f"{name}: {url}")
    text = content.decode("utf-8", "replace")
    if kind in ("text/html", "application/xhtml+xml"):
        frame = (
            f'<iframe sandbox="{SANDBOX}" srcdoc="{escape(text)}" title="{escape(name)}" '
            'style="width: 100%; height: 600px; border: 1px solid #ccc"></iframe>'
        )
        return Shown(frame, f"{name}: {len(content)} bytes of HTML")
    if kind.startswith("image/"):
        # An image element runs no script, not even that of an SVG.
        data = base64.b64encode(content).decode()
        picture = f'<img alt="{escape(name)}" src="data:{escape(kind)};base64,{data}">'
        return Shown(picture, f"{name}: {len(content)} bytes of {kind}")
    if kind.startswith("text/") or kind.endswith(("json", "xml", "yaml")):
        return Shown(f"<pre>{escape(text)}</pre>", text)
    return Shown(
        f'<a href="{escape(url)}">{escape(name)}</a>', f"{name}: {len(content)} bytes of {kind}"
    )


def table_of(content: bytes, media_type: str, name: str) -> Any:
    """An `astropy.table.Table` of a VOTable, FITS, ECSV, CSV or any other text table.

    Raises:
        ImportError: astropy is not there; the extra `vo` brings it.
    """
    import io

    Table = _astropy("astropy.table").Table  # noqa: N806
    kind = media_type.partition(";")[0].strip().lower()
    forms = {
        "application/x-votable+xml": "votable",
        "text/xml": "votable",
        "application/xml": "votable",
        "application/fits": "fits",
        "image/fits": "fits",
        "text/csv": "ascii.csv",
        "application/vnd.apache.parquet": "parquet",
    }
    form = forms.get(kind) or _by_content(content, name)
    if form is None:
        return Table.read(content.decode("utf-8"), format="ascii")
    return Table.read(io.BytesIO(content), format=form)


def fits_of(content: bytes) -> Any:
    """An `astropy.io.fits.HDUList`.

    Raises:
        ImportError: astropy is not there; the extra `vo` brings it.
    """
    return _astropy("astropy.io.fits").HDUList.fromstring(content)


def _by_content(content: bytes, name: str) -> str | None:
    head = content[:4096].lstrip()
    if head.startswith(b"SIMPLE  ="):
        return "fits"
    if b"<VOTABLE" in head or b":VOTABLE" in head:
        return "votable"
    if head.startswith(b"# %ECSV"):
        return "ascii.ecsv"
    return "ascii.csv" if name.endswith(".csv") else None


def _astropy(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            'astropy is not installed: pip install "execution-planner-client[vo]"'
        ) from error
