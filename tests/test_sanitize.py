"""Text from outside is harmless in every output."""

from hypothesis import given
from hypothesis import strategies as st

from pwtourney.report.publishing import escape_markdown
from pwtourney.sanitize import sanitize


@given(st.text())
def test_sanitized_text_moves_no_cursor_and_no_direction(text: str) -> None:
    """It is one line without control characters or bidi marks, and not shorter than before."""
    plain = sanitize(text)
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in plain)
    assert not set(plain) & set("\u202a\u202e\u2066\u2069\u200f\u2028\u2029")
    assert len(plain) >= len(text)


def test_letters_of_all_scripts_stay() -> None:
    """Only harmful characters are replaced."""
    assert sanitize("Zoë 喜鹊 🐦") == "Zoë 喜鹊 🐦"
    assert sanitize("a\x1b[31m\n::error::b\u202e") == "a?[31m?::error::b?"
    assert sanitize("\udcff") == "\\udcff"


def test_markdown_is_escaped() -> None:
    """A cell cannot become a link, an image, a tag, a mention or another cell."""
    assert escape_markdown("|[x](y)<b>@a`*_!#") == r"\|\[x\](y)\<b\>\@a\`\*\_\!\#"
