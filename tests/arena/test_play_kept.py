"""Journals of tables: truncated, invalid or foreign ones, refused tables, and limits."""

import html
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.arena.playing import GREEDY, PERSON, act, begin, journal_of, post, state_of
from tests.arena.serving import Server, served

BEN = {**PERSON, "name": "Ben"}


class Kept(NamedTuple):
    """An arena, the folder of its games, and the first line of one of their journals."""

    server: Server
    folder: Path
    first: str


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """Serve an arena that keeps its games in a folder of the test."""
    folder = tmp_path_factory.mktemp("games")
    with served("--games", str(folder)) as server:
        journal = journal_of(folder, begin(server, PERSON, BEN, deal="81"))
        yield Kept(server, folder, journal.read_text().strip())


def lay(kept: Kept, lines: list[str]) -> Path:
    """Write a journal that no arena has opened yet."""
    names = ("".join(letters) for letters in product("abcd", repeat=12))
    journal = next(path for name in names if not (path := kept.folder / f"{name}.jsonl").exists())
    journal.write_text("".join(f"{line}\n" for line in lines))
    return journal


@pytest.mark.slow
def test_truncated_line_never_happened(tmp_path: Path) -> None:
    """A server that died while writing has not shown that ply; the game continues before it."""
    with served("--games", str(tmp_path)) as server:
        table = begin(server, PERSON, BEN, deal="81")
        assert act(server, table, 1, "play", action="advance")[0] == 200
        before = state_of(server, table)
    journal = journal_of(tmp_path, table)
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"ply":[1,"adva')
    with served("--games", str(tmp_path)) as server:
        after = state_of(server, table)
        assert [after[key] for key in ("version", "plies", "changes")] == [
            before[key] for key in ("version", "plies", "changes")
        ]
        assert journal.read_bytes() == whole
        assert act(server, table, 2, "play", action="advance")[0] == 200
    assert journal.read_bytes().startswith(whole + b'{"ply":[1,"advance"')


@pytest.mark.parametrize(
    ("number", "line", "reason"),
    [
        (1, "{", "line 1: this is not JSON"),
        (2, "nonsense", "line 2: this is not JSON"),
        (2, '{"back":Infinity}', "line 2: this is not JSON"),
        (2, "[" * 100_000, "line 2: this is not JSON"),
        (2, "[]", "line 2: expected an object"),
        (2, '{"jump": 1}', "line 2: this is no entry of a table"),
        (2, '{"ply": [0, "advance"]}', "line 2: this is no entry of a table"),
        (
            2,
            '{"ply": [0, "leather:a1", 1, 0, ""]}',
            "line 2: 'leather:a1': there is no special patch to place",
        ),
        (2, '{"ply": [1, "advance", 1, 0, ""]}', "line 2: seat 0 is to move"),
        (2, '{"back": 0}', "line 2: this cannot have been taken back"),
        (2, '{"end": [7, "resigned", "x"]}', "line 2: "),
        (2, '{"end": [0, "bored", "x"]}', "line 2: "),
    ],
)
def test_invalid_journal_is_named_with_its_line(
    kept: Kept, number: int, line: str, reason: str
) -> None:
    """The page of the game shows the problem; the list and other games still work."""
    journal = lay(kept, [kept.first, line] if number == 2 else [line])
    answer = kept.server.ask(f"/play/{journal.stem}")
    assert answer.status == 503
    text = html.unescape(answer.body.decode())
    assert f"The journal {journal.name}, {reason}" in text
    assert str(kept.folder) not in text
    assert kept.server.ask("/play").status == 200
    assert state_of(kept.server, begin(kept.server, PERSON, BEN, deal="81"))["plies"] == []


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("mood", 1, "mood: Extra inputs are not permitted"),
        ("table", 2, "table: Input should be 1"),
        ("seats", [], "seats: List should have at least 2 items"),
        ("circle", [0, 1], "the deal does not hold the patches of the edition original"),
        ("start", "9/9", "a position has 14 fields"),
    ],
)
def test_unknown_field_of_a_journal_is_named(
    kept: Kept, field: str, value: object, reason: str
) -> None:
    """A journal of another version is not interpreted; the list shows the problem, too."""
    journal = lay(kept, [json.dumps({**json.loads(kept.first), field: value})])
    answer = kept.server.ask(f"/play/{journal.stem}")
    assert answer.status == 503
    assert f"The journal {journal.name}, line 1: " in html.unescape(answer.body.decode())
    assert reason in html.unescape(answer.body.decode())
    assert reason in html.unescape(kept.server.ask("/play").body.decode())


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (b"{", "JSON"),
        (b"[]", "object"),
        ({}, "seats: field required"),
        ({"seats": [PERSON, BEN], "path": "/etc"}, "path: extra inputs are not permitted"),
        ({"seats": [PERSON]}, "seats: "),
        ({"seats": [PERSON, {**GREEDY, "bot": "/bin/sh"}]}, "there is no bot '/bin/sh' here"),
        ({"seats": [PERSON, {**BEN, "clock": {"kind": "move", "seconds": 0}}]}, "greater than 0"),
        ({"seats": [PERSON, BEN], "edition": "../x.toml"}, "there is no edition '../x.toml' here"),
        ({"seats": [PERSON, BEN], "deal": "99999999999999999999999999"}, "the seed of a deal"),
        ({"seats": [PERSON, BEN], "position": "9/9"}, "position"),
        ({"seats": [PERSON, BEN], "branch": {"table": "../../x", "ply": 0}}, "no such game"),
    ],
)
def test_impossible_table_is_refused_with_the_field(kept: Kept, order: object, reason: str) -> None:
    """No file is left behind."""
    before = set(kept.folder.iterdir())
    status, answer = post(kept.server, "/play/new", order)
    assert 400 <= status < 500
    assert reason in (answer["problem"] if isinstance(answer, dict) else answer)
    assert set(kept.folder.iterdir()) == before


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_a_hundred_games_may_be_unfinished_and_no_more(tmp_path: Path) -> None:
    """The next is refused until one of them is finished or deleted."""
    with served("--games", str(tmp_path)) as server:
        tables = [begin(server, PERSON, BEN, deal="81") for _ in range(100)]
        status, answer = post(server, "/play/new", {"seats": [PERSON, BEN]})
        assert (status, answer["problem"].split(":")[0]) == (429, "100 games are unfinished")
        assert act(server, tables[0], 1, "resign", seat=0)[0] == 200
        assert begin(server, PERSON, BEN)
        assert post(server, "/play/new", {"seats": [PERSON, BEN]})[0] == 429
        assert post(server, f"{tables[1]}/delete", {})[0] == 200
        assert not journal_of(tmp_path, tables[1]).exists()
        assert server.ask(tables[1]).status == 404
        assert begin(server, PERSON, BEN)
