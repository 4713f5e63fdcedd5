"""JSON from outside is refused where Python's parser is more lenient than the standard."""

import pytest

from pwtourney.arena.http.strict_json import parse_json


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-1e999",
        "1" + "0" * 400,
        "-1" + "0" * 400,
        "[" * 100_000,
        "",
        "{",
        "\ufeff{}",
        '{"a": [1, {"b": NaN}]}',
    ],
)
def test_invalid_numbers_and_json_are_refused(text: str) -> None:
    """At any depth, and with the one error that callers catch."""
    for given in (text, text.encode()):
        with pytest.raises(ValueError, match=r"."):
            parse_json(given)


def test_bytes_that_are_not_utf8_are_refused() -> None:
    """JSON between systems is UTF-8 (RFC 8259, 8.1), and the encoding is not guessed."""
    for given in (b"\xff", '{"a": 1}'.encode("utf-16")):
        with pytest.raises(ValueError, match=r"."):
            parse_json(given)


def test_valid_json_is_read_unchanged() -> None:
    """The largest seed, the largest number of JavaScript, and text of any kind."""
    largest = 2**64 - 1
    text = f'{{"seed": {largest}, "x": [1.7976931348623157e308, -0.5, true, null, "é\\u202e"]}}'
    expected = {"seed": largest, "x": [1.7976931348623157e308, -0.5, True, None, "é\u202e"]}
    assert parse_json(text) == parse_json(text.encode()) == expected


def test_longest_integer_has_40_digits() -> None:
    """A minus sign counts as one of them; the error shows the first 40."""
    assert parse_json("1" * 40) == int("1" * 40)
    assert parse_json("-" + "1" * 39) == -int("1" * 39)
    for text in ("1" * 41, "-" + "1" * 40):
        with pytest.raises(ValueError, match=r"^-?1+… is too large a number$") as refused:
            parse_json(text)
        assert str(refused.value) == f"{text[:40]}… is too large a number"


def test_reason_names_what_json_does_not_have() -> None:
    """A number that is no number, one that is infinite as a float, and too many brackets."""
    for text, reason in (
        ("NaN", "NaN is not a number of JSON"),
        ("[-Infinity]", "-Infinity is not a number of JSON"),
        ("1e999", "1e999 is too large a number"),
        ("1" * 50 + "e999", "1" * 40 + " is too large a number"),
        ("[" * 100_000, "it is nested too deeply"),
    ):
        with pytest.raises(ValueError, match=r"a number|deeply") as refused:
            parse_json(text)
        assert str(refused.value) == reason
