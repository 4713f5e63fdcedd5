"""Records of games: the line that is written, what is read back, and errors in words."""

import json
from hashlib import blake2b, sha256

import pytest

from pwtourney.notation.game import Fault, Game, Hindrance, Ply, Usage, Verdict
from pwtourney.rules import Deal
from pwtourney.rules.automa import Automa
from pwtourney.store import (
    GameHash,
    LeagueVersion,
    dump_game,
    dump_outcome,
    genesis,
    head_after,
    load_game,
    record_hash,
    result_of,
)
from tests.store.helpers import META, game

SHORT = Deal((5, 7, 2), (9,))
"""A deal short enough to write out: its id is the hash of the text `5,7,2+9`."""

SHORT_ID = sha256(b"5,7,2+9").hexdigest()[:12]


def full() -> Game:
    """Return a game with a value in every field."""
    machine = Hindrance(10, 20, 30, 40, 50, 60, 70, 80)
    return Game(
        bots=("a", "é"),
        edition="express",
        deal=SHORT,
        seeds=(11, 12),
        plies=(Ply(0, "advance", 120, 90, "depth 3"), Ply(1, "3:r0:a1", 80)),
        verdict=Verdict.TIMEOUT,
        winner=0,
        scores=(3, -4),
        faults=(Fault(1, Verdict.TIMEOUT, "why", "said", machine, log="more"),),
        note="again",
        replays=2,
        usage=(Usage(1, 2, 3, 4, 5, 6), Usage(7, 8, 9, 10, 11, 12)),
        profiles=("bwrap", "none"),
        automa=Automa("intern", tactical=True),
        pair=3,
        game=1,
    )


RECORD = (
    '{"pair":3,"game":1,"bots":["a","\\u00e9"],"edition":"express",'
    f'"deal_id":"{SHORT_ID}","deal":[[5,7,2],[9]],"seeds":[11,12],'
    '"verdict":"timeout","winner":0,"points":[1.0,0.0],"scores":[3,-4],'
    '"plies":[[0,"advance",120,90,"depth 3"],[1,"3:r0:a1",80,0,""]],'
    '"faults":[{"seat":1,"verdict":"timeout","message":"why","stderr":"said","machine":'
    '{"watched":10,"queued":20,"stolen":30,"pressure":40,"cpu":50,"opponent":60,"runner":70,'
    '"born":80}}],"note":"again","replays":2,"usage":[[1,2,3,4,5,6],[7,8,9,10,11,12]],'
    '"profiles":["bwrap","none"],"automa":["intern",true]}'
)


def test_record_is_one_line_of_ascii_with_every_field() -> None:
    """The expected line was written by hand; only the log of a fault is not in it."""
    assert dump_game(full()) == RECORD


def test_every_field_of_a_record_is_read_back() -> None:
    """The same game comes back without the log; fields may be missing."""
    (fault,) = full().faults
    assert load_game(RECORD) == full()._replace(faults=(fault._replace(log=""),))
    plain = game()
    assert load_game(dump_game(plain)) == plain
    known = plain._replace(faults=(Fault(0, Verdict.CRASH, "", ""),))
    assert load_game(dump_game(known)).faults == (Fault(0, Verdict.CRASH, "", "", None, ""),)


def test_text_with_a_lone_surrogate_survives() -> None:
    """A lone surrogate, as in a file name that is not UTF-8, is read like any other text."""
    odd = game()._replace(note="\udcff")
    assert '"note":"\\udcff"' in dump_game(odd)
    assert load_game(dump_game(odd)) == odd


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"points": [0.0, 1.0]}, r"^wrong: its points are \(0\.0, 1\.0\), and should be \(1\.0, 0"),
        ({"deal_id": "x" * 60}, rf"^wrong: its deal is not the one that '{'x' * 39} names$"),
        ({"automa": ["nobody", False]}, "^wrong: there is no Automa 'nobody'$"),
        ({"automa": ["n" * 60, False]}, f"^wrong: there is no Automa '{'n' * 39}$"),
        ({"seeds": [1, 2**63]}, r"^wrong: seeds\.1: Input should be less than 9223372036854775808"),
        ({"seeds": [-(2**63), 2]}, r"^wrong: seeds\.0: .* greater than -9223372036854775808"),
        ({"winner": -1}, "^wrong: winner: "),
        ({"winner": 2}, "^wrong: winner: "),
        ({"extra": 1}, "^wrong: extra: "),
        ({"pair": 3.0}, "^wrong: pair: "),
        ({"note": 1}, "^wrong: note: "),
        ({"automa": ["intern", 1]}, r"^wrong: automa\.1: "),
        ({"points": ["1", "0"]}, r"^wrong: points\.0: "),
        ({"faults": [{}]}, r"^wrong: faults\.0\.seat: Field required$"),
        (
            {"plies": [[0, "\ud800", 1, 0, ""]]},
            r"^wrong: plies\.0\.1: Input should be a valid string",
        ),
        (
            {"plies": [[0, "\x1b[2J", 1, 0, ""]]},
            r"^wrong: plies\.0\.1: String should match pattern",
        ),
    ],
)
def test_invalid_record_is_reported_with_its_key(change: dict[str, object], words: str) -> None:
    """The first problem is reported, with the key and the expected value."""
    with pytest.raises(ValueError, match=words):
        load_game(json.dumps(json.loads(RECORD) | change))


def test_fault_with_unknown_keys_is_refused() -> None:
    """The key is in the fault itself, or in its data about the machine."""
    data = json.loads(RECORD)
    (fault,) = data["faults"]
    with pytest.raises(ValueError, match=r"^wrong: faults\.0\.more: "):
        load_game(json.dumps(data | {"faults": [fault | {"more": 1}]}))
    machine = fault["machine"] | {"more": 1}
    with pytest.raises(ValueError, match=r"^TypeError: .*'more'"):
        load_game(json.dumps(data | {"faults": [fault | {"machine": machine}]}))


@pytest.mark.parametrize("numbers", [[2**63 - 1, 1], [-(2**63) + 1, 1]])
def test_largest_integers_of_sqlite_are_read(numbers: list[int]) -> None:
    """All signed 64-bit numbers are accepted except the lowest."""
    record = load_game(json.dumps(json.loads(RECORD) | {"seeds": numbers}))
    assert record.seeds == tuple(numbers)


def test_outcome_has_what_was_played_but_no_times() -> None:
    """Written by hand: pair, game, bots, edition, deal, actions, and how the game ended."""
    assert dump_outcome(full()) == (
        '[3,1,["a","\\u00e9"],"express",[[5,7,2],[9]],"advance 3:r0:a1",'
        '"timeout",0,[3,-4],[[1,"timeout"]]]'
    )


def test_game_hash_is_sha256_of_all_outcome_lines() -> None:
    """It is the first 16 hexadecimal digits over each outcome and a line feed."""
    game_hash = GameHash()
    assert game_hash.digits() == sha256(b"").hexdigest()[:16]
    for record in (full(), game()):
        game_hash.add(record)
    text = f"{dump_outcome(full())}\n{dump_outcome(game())}\n"
    assert game_hash.digits() == sha256(text.encode()).hexdigest()[:16]


def test_result_for_ratings_has_seats_deal_pair_and_moves() -> None:
    """`moves` is half of the first 8 bytes (big-endian) of BLAKE2b of the actions."""
    moves = int.from_bytes(blake2b(b"advance 3:r0:a1", digest_size=8).digest(), "big") // 2
    won = full()._replace(verdict=Verdict.FINISHED, faults=())
    assert result_of(won) == ("a", "é", 1.0, SHORT_ID, 7, "3", moves)
    assert result_of(full()) == ("a", "é", 1.0, SHORT_ID, None, "3", None)
    void = full()._replace(verdict=Verdict.RUNNER_ERROR, winner=None)
    assert result_of(void).points is None


def test_chain_starts_with_a_hash_of_the_fixed_metadata() -> None:
    """It is SHA-256 of the sorted JSON of name, bots, facts, edition, date and version.

    The number of pairs is not included.
    """
    fixed = {
        "name": "test",
        "bots": ["a", "b"],
        "facts": {"seed": 1, "edition": "express x"},
        "edition": {"name": "express", "lines": []},
        "created": None,
        "version": "1",
    }
    expected = sha256(json.dumps(fixed, sort_keys=True).encode()).hexdigest()
    assert genesis(META) == expected
    assert genesis(META.model_copy(update={"pairs": 9, "over": True})) == expected
    assert genesis(META.model_copy(update={"name": "other"})) != expected


def test_record_hash_covers_the_previous_hash_and_the_text() -> None:
    """It is SHA-256 of both, joined by a line feed, in hexadecimal."""
    assert record_hash("abc", "é") == sha256("abc\né".encode()).hexdigest()


def test_league_versions_are_chain_links_where_they_begin() -> None:
    """Two versions after the same record are both links, in order; others have no effect."""
    early, middle, late = (
        LeagueVersion(
            records=records, first=first, closed=META.schedule, bots=("a",), facts={"n": first}
        )
        for records, first in ((4, 2), (4, 3), (6, 3))
    )
    schedule = {"format": "round-robin", "pairs": 4, "deals": "fresh", "until": {}}
    link = "start"
    for first in (2, 3):
        text = {
            "records": 4,
            "first": first,
            "closed": schedule,
            "bots": ["a"],
            "facts": {"n": first},
        }
        link = sha256(f"{link}\n{json.dumps(text, sort_keys=True)}".encode()).hexdigest()
    assert head_after("start", 4, [early, middle, late]) == link
    assert head_after("start", 5, [early, middle, late]) == "start"
