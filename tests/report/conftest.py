"""One browser for all tests of pages."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.needs import skip_for
from tests.report.browser import QUIET


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start Chromium once for all tests."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        skip_for("there is no chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield found
        found.close()
