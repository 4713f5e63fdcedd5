"""The files that a server sends."""

import gzip
import re
from hashlib import sha256

from pwtourney.web.assets import find_assets, find_path, read_style


def test_names_of_files_follow_from_their_content() -> None:
    """Browsers may cache a file forever, because other content has another name."""
    for name, asset in find_assets().items():
        digits = re.fullmatch(r"\w+\.([0-9a-f]{16})\.(css|js|svg)", name)
        assert digits, name
        assert sha256(asset.content).hexdigest().startswith(digits[1])
        assert gzip.decompress(asset.packed) == asset.content


def test_path_of_a_style_leads_to_its_content() -> None:
    """Templates know only the plain name."""
    asset = find_assets()[find_path("style.css").removeprefix("/static/")]
    assert asset.content.decode() == read_style("style.css")
    assert asset.media_type == "text/css; charset=utf-8"
