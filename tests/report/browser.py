"""A real browser, Debian's Chromium, without network access."""

import time
from contextlib import suppress
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

import pytest

__all__ = [
    "DRAWN",
    "EVERY_WINDOW",
    "PLAY_BROWSER",
    "QUIET",
    "REPORT_BROWSER",
    "STUDY_BROWSER",
    "WIDTHS",
    "Opened",
    "open_tab",
    "wait_for",
]

REPORT_BROWSER = pytest.mark.xdist_group("browser: reports")
"""Keeps browser tests of published pages in one process, which starts the browser once."""

PLAY_BROWSER = pytest.mark.xdist_group("browser: games")
"""The same for browser tests of the arena in which somebody plays."""

STUDY_BROWSER = pytest.mark.xdist_group("browser: studies")
"""The same for browser tests of the arena in which somebody watches or analyses."""

WIDTHS = (360, 390, 768, 1280, 1920)
"""Widths of windows in pixels, from a small phone to a large screen."""

EVERY_WINDOW = pytest.mark.parametrize(
    ("width", "look"),
    [
        pytest.param(390, "dark"),
        pytest.param(1280, "dark", marks=pytest.mark.thorough),
        *(pytest.param(width, "light", marks=pytest.mark.thorough) for width in WIDTHS),
    ],
)
"""Tests each width, and a phone and a desktop in dark mode: one always, the others in CI."""

QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")


class Opened:
    """An opened page that is ready, with its requests and its console messages and errors.

    At the end of a test that passes, no request may have gone elsewhere than to the page's own
    origin, and the console has no error but the browser's own about requests that failed.

    What is `open`, and `shown`, what pages showed that an error has closed, are for the report of a
    test that fails: a test that fails once in a hundred runs is only understood by what it saw.
    """

    open: ClassVar[list["Opened"]] = []
    shown: ClassVar[list[str]] = []

    def __init__(self, browser: Any, address: str, *, scripts: bool = True, **look: Any) -> None:
        size = {"width": look.pop("width", 1200), "height": look.pop("height", 900)}
        self._context = browser.new_context(viewport=size, java_script_enabled=scripts, **look)
        self.page = self._context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._errors: list[str] = []
        self._foreign: list[str] = []
        self._address = address.partition("#")[0]
        self.page.on("console", self._note_message)
        self.page.on("pageerror", lambda error: self._note_error(str(error)))
        self.page.on("request", self._note_request)
        self.open.append(self)
        try:
            self.page.goto(address)
            if scripts:
                self.page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
        except BaseException as error:
            self.__exit__(type(error))
            raise

    def _note_message(self, message: Any) -> None:
        # a server that is killed, or that refuses, is what some tests are about
        is_about_a_request = message.text.startswith("Failed to load resource")
        if message.type == "error" and not is_about_a_request:
            self._note_error(message.text)
        else:
            self.complaints.append(message.text)

    def _note_error(self, text: str) -> None:
        self.complaints.append(text)
        self._errors.append(text)

    def _note_request(self, request: Any) -> None:
        address = request.url
        if address != self._address:
            self.requests.append(address)
        # the test itself may lead the page to another server of its own
        here = address if request.is_navigation_request() else self.page.url
        own = {_find_origin(here), _find_origin(self._address)}
        is_local = urlsplit(address).hostname in (None, "127.0.0.1", "localhost")
        if urlsplit(address).scheme in ("data", "blob"):
            return
        if not is_local or _find_origin(address) not in own:
            self._foreign.append(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.shown.append(self.describe())
        self.open.remove(self)
        self._context.close()
        if kind is None:
            assert self._foreign == [], self._foreign
            assert self._errors == [], self._errors

    def describe(self) -> str:
        """Return what the page shows, as text."""
        from playwright.sync_api import Error  # it may be missing where no browser is

        with suppress(Error):
            return f"{self.page.url}:\n{self.page.inner_text('body')}"
        return "the page does not answer"

    @classmethod
    def report(cls) -> str:
        """Return what all pages of a test show or showed, and forget it."""
        texts = cls.shown + [page.describe() for page in cls.open]
        cls.shown.clear()
        return "\n\n".join(texts)


def _find_origin(address: str) -> tuple[str, str]:
    """Return the scheme, the host and the port of an address."""
    parts = urlsplit(address)
    return parts.scheme, parts.netloc


DRAWN = "new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); })"
"""Resolves when the last changes are drawn."""


def wait_for(page: Any, condition: str) -> None:
    """Wait until a JavaScript condition is true in the page, checked in each frame.

    Playwright's own `wait_for_function` evaluates a string repeatedly, which the CSP of our
    pages forbids. If the condition is false for a minute, an `Error` of the browser names it.
    """
    page.evaluate(
        f"""condition => new Promise((done, fail) => {{
          const end = performance.now() + 60000;
          const look = () => {{
            if ({condition}) done();
            else if (performance.now() > end) fail(new Error(`in vain: ${{condition}}`));
            else requestAnimationFrame(look);
          }};
          look();
        }})""",
        condition,
    )


class Held:
    """The next request for a path, held back from the server; other requests go on."""

    def __init__(self, page: Any, path: str) -> None:
        self._page = page
        self._path = path
        self._routes: list[Any] = []
        page.route(path, lambda route: self._routes.append(route), times=1)

    def wait(self) -> Any:
        """Return the route of the request; wait for it for at most a minute."""
        end = time.monotonic() + 60
        while not self._routes:
            assert time.monotonic() < end, f"the page did not request {self._path}"
            self._page.evaluate("new Promise(requestAnimationFrame)")
        return self._routes[0]

    def release(self) -> Any:
        """Let the server answer, and return the answer when the page has it."""
        with self._page.expect_response(self._path) as response:
            self.wait().continue_()
        return response.value


def open_tab(page: Any, name: str) -> None:
    """Click on a tab of the tournament's page, and wait until it is shown."""
    page.click(f"#tabs a[data-tab={name}]")
    page.wait_for_selector(f"#tab-{name}.shown")
