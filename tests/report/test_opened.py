"""What every test of a page checks besides its own fact: requests and errors."""

from pathlib import Path
from typing import Any

import pytest

from tests.report.browser import REPORT_BROWSER, Opened

pytestmark = [pytest.mark.slow(2), REPORT_BROWSER]

READY = "document.documentElement.dataset.ready = 'yes';"


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("new Image().src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';", None),
        ("new Image().src = 'http://127.0.0.1:9/x.png';", "127.0.0.1:9"),
        ("new Image().src = 'https://example.invalid/x.png';", "example.invalid"),
        ("console.error('no cloth');", "no cloth"),
        ("setTimeout(() => { throw new Error('no thread'); });", "no thread"),
    ],
)
def test_page_with_a_foreign_request_or_an_error_fails_its_test(
    tmp_path: Path, browser: Any, script: str, problem: str | None
) -> None:
    """Whatever else the test asserts; what is embedded in the page is its own."""
    path = tmp_path / "page.html"
    path.write_text(f"<!doctype html><script>{script}{READY}</script>")
    opened = Opened(browser, path.as_uri())
    opened.page.evaluate("new Promise((done) => setTimeout(done, 50))")
    if problem is None:
        opened.__exit__(None)
    else:
        with pytest.raises(AssertionError, match=problem):
            opened.__exit__(None)
