"""A page as a tree of elements, to be read without a browser."""

from html.parser import HTMLParser
from xml.etree import ElementTree as ET

__all__ = ["find", "parse_page", "read_rows", "read_text"]

_VOID = ("link", "meta", "img", "input", "br")


class _Reader(HTMLParser):
    """Builds the tree while the page is read."""

    def __init__(self) -> None:
        super().__init__()
        self.builder = ET.TreeBuilder()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in _VOID:
            self.builder.end(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        self.builder.end(tag)

    def handle_endtag(self, tag: str) -> None:
        self.builder.end(tag)

    def handle_data(self, data: str) -> None:
        self.builder.data(data)


def parse_page(text: str) -> ET.Element:
    """Return the ``html`` element of a page."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.builder.close()


def find(element: ET.Element, path: str) -> ET.Element:
    """Return the first element of a path, which must exist."""
    child = element.find(path)
    assert child is not None, path
    return child


def read_text(element: ET.Element) -> str:
    """Return the text of an element on one line."""
    return " ".join("".join(element.itertext()).split())


def read_rows(table: ET.Element) -> list[list[str]]:
    """Return the cells of the body of a table."""
    return [[read_text(cell) for cell in row] for row in table.findall("tbody/tr")]
