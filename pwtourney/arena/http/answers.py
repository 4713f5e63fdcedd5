"""Answers with a whole file: compressed where the client accepts it, and only if it has changed."""

from collections.abc import Mapping
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from pwtourney.web import Asset

__all__ = ["name_version", "send_asset"]


def name_version(asset: Asset) -> str:
    """Return the value of ``ETag`` for a file.

    It is weak, because the compressed and the plain content have the same one (RFC 9110, 8.8.1).
    """
    return f'W/"{sha256(asset.content).hexdigest()[:32]}"'


def send_asset(request: Request, asset: Asset, headers: Mapping[str, str]) -> Response:
    """Answer with a file, or with 304 and no content if the client has this version of it.

    `headers` may have an ``ETag``. The content is compressed with gzip if the client accepts it.
    """
    fields = {**headers, "Vary": "Accept-Encoding"}
    known = request.headers.get("if-none-match", "")
    if "ETag" in fields and fields["ETag"] in [tag.strip() for tag in known.split(",")]:
        return Response(status_code=304, headers=fields)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(asset.content, headers=fields, media_type=asset.media_type)
    fields["Content-Encoding"] = "gzip"
    return Response(asset.packed, headers=fields, media_type=asset.media_type)
