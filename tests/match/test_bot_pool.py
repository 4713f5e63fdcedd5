"""The bot pool: which bots stay from game to game, and what is left when others go."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.errors import BotFault
from pwtourney.match import BotPool, BotSpec, Job, ask_options, find_wrong_options, play_pair
from pwtourney.match.conversation import Conversation
from pwtourney.protocol import Option
from pwtourney.sandbox.launch import Launch
from pwtourney.sandbox.orphans import become_subreaper
from tests.match.helpers import SHELL_BOT, setup, shell_bot
from tests.rules.positions import EXPRESS


@pytest.fixture(autouse=True)
def _subreaper() -> None:
    become_subreaper()


@pytest.fixture
def pool() -> Iterator[BotPool]:
    """Yield a pool in which a game is open."""
    with closing(BotPool()) as made:
        made.open_game()
        yield made


def seat(pool: BotPool, bot: BotSpec) -> Conversation:
    """Let a bot take a seat in a game of Express."""
    conversation = pool.take(bot, EXPRESS)
    conversation.new_game(EXPRESS, 0, 1)
    return conversation


def is_alive(pid: int) -> bool:
    """Return True if a process exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


LEAVE = "setsid sleep 60 >/dev/null 2>&1 </dev/null & echo $! >"
"""Shell code that leaves a process in a session of its own and writes its id to a file."""


def test_persistent_bot_stays_and_its_neighbour_and_orphans_go(
    pool: BotPool, tmp_path: Path
) -> None:
    """The next game gets the same process; when the pool is closed, it has ended."""
    stays = shell_bot("stays", persistent=True)
    goes = shell_bot("goes", hello=f"{LEAVE} {tmp_path}/orphan;")
    seated = [seat(pool, stays), seat(pool, goes)]
    orphan = int((tmp_path / "orphan").read_text())
    assert [is_alive(bot.pid) for bot in seated] == [True, True]
    assert is_alive(orphan)
    pool.close_game(seated, failed=False)
    assert [is_alive(bot.pid) for bot in seated] == [True, False]
    assert not is_alive(orphan)
    pool.open_game()
    again = pool.take(stays, EXPRESS)
    assert again is seated[0]
    again.new_game(EXPRESS, 0, 1)
    pool.close_game([again], failed=False)
    pool.close()
    assert not is_alive(again.pid)


def test_bots_of_a_failed_game_are_ended(pool: BotPool) -> None:
    """A persistent bot is ended, too, and the next game gets a new process."""
    stays = shell_bot("stays", persistent=True)
    first = seat(pool, stays)
    pool.close_game([first], failed=True)
    assert not is_alive(first.pid)
    pool.open_game()
    second = seat(pool, stays)
    assert second is not first
    pool.close_game([second], failed=False)
    assert is_alive(second.pid)


def test_pool_keeps_traffic_and_scratch_folders_in_the_named_places(tmp_path: Path) -> None:
    """The files are named by the bot's id; nothing is left of a scratch folder."""
    scratch, traffic = tmp_path / "scratch", tmp_path / "traffic"
    traffic.mkdir()
    bot = shell_bot("wren.7", hello=f"pwd > {tmp_path}/where;")
    with closing(BotPool(str(scratch), traffic)) as pool:
        pool.open_game()
        pool.close_game([seat(pool, bot)], failed=False)
    where = Path((tmp_path / "where").read_text().strip())
    assert where.parent == scratch.resolve()
    assert list(scratch.iterdir()) == []
    assert sorted(file.name for file in traffic.iterdir()) == ["wren.7.log", "wren.7.stderr"]


UNFIT = """
case $* in *--template*) dd bs=65536 count=1 2>/dev/null | head -n1 >&2; exit ;; esac
"""
"""Shell code of a template that prints the first line it is sent, and does not load its bot."""


def unfit(name: str) -> BotSpec:
    """Return a bot whose command looks like one of the SDK, and which has no template."""
    command = ("/bin/sh", "-c", UNFIT + SHELL_BOT, "-m", "pwtourney.sdk", name)
    return shell_bot(name)._replace(launch=Launch(command), forked=True)


def test_reason_why_a_bot_is_not_forked_is_remarked_once(pool: BotPool) -> None:
    """The bot plays in a new process; its template was sent the edition, as for seat 0, seed 0."""
    robin = unfit("robin")
    seated = [seat(pool, robin), seat(pool, robin)]
    assert [is_alive(bot.pid) for bot in seated] == [True, True]
    reason = "its template could not be loaded: load newgame edition express seat 0 seed 0"
    assert pool.take_remarks() == (f"robin gets a new process for each game: {reason}",)
    assert pool.take_remarks() == ()
    pool.close_game(seated, failed=False)


def test_remarks_on_bots_come_with_the_pair() -> None:
    """The next pair has none."""
    wren, gone = unfit("wren"), BotSpec("gone", Launch(("/nowhere/bird",)))
    with closing(BotPool()) as pool:
        job = Job(3, (setup(wren, gone), setup(gone, wren)))
        results = [play_pair(job, pool) for _ in range(2)]
    assert [result.pair for result in results] == [3, 3]
    (remark,) = results[0].remarks
    assert remark.startswith("wren gets a new process for each game: its template could not be ")
    assert results[1].remarks == ()


OFFER = 'echo "option depth int 3 1 9"; echo "option book bool true";'


def test_offered_options_are_those_of_the_handshake(tmp_path: Path) -> None:
    """Wrong options of the config are not sent; afterwards neither bot nor orphan is left."""
    hello = f"{OFFER} echo $$ > {tmp_path}/bot; {LEAVE} {tmp_path}/orphan;"
    bot = shell_bot("wren", hello=hello, options=(("width", "x"),))
    assert ask_options(bot) == {
        "depth": Option("depth", "int", "3", ("1", "9")),
        "book": Option("book", "bool", "true"),
    }
    for name in ("bot", "orphan"):
        assert not is_alive(int((tmp_path / name).read_text()))
    with pytest.raises(BotFault, match=r"closed its standard input|exited"):
        ask_options(shell_bot("wren", hello="exit 3;"))


def test_wrong_options_are_found_in_their_order() -> None:
    """Each comes with its problem; a bot that fails the handshake has none, it will lose."""
    options = (("depth", "10"), ("book", "false"), ("width", "5"))
    assert find_wrong_options(shell_bot("wren", hello=OFFER, options=options)) == [
        ("depth", "the config sets depth to '10': it must be from 1 to 9"),
        ("width", "the config sets width, but the bot's options are depth, book"),
    ]
    assert find_wrong_options(shell_bot("wren", hello="exit 3;", options=options)) == []
    gone = BotSpec("gone", Launch(("/nowhere/bird",)), options)
    assert find_wrong_options(gone) == []
