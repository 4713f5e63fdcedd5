"""What one bot must not see of another."""

import sys

from pwtourney.match import BotSpec
from pwtourney.sandbox.launch import Launch
from pwtourney.tournament.entrants import Entrant, list_hidden


def entrant(name: str, *read_paths: str, files: tuple[str, ...] = ()) -> Entrant:
    """Return a bot that is made of some files and reads some folders."""
    return Entrant(BotSpec(name, Launch(("x",), read_paths=read_paths)), "", files)


def test_a_league_below_usr_is_hidden_and_the_system_is_not() -> None:
    """In many containers all lies in /usr/src, and Python in /usr/local."""
    league = "/usr/src/app/bots"
    one = entrant("one", f"{league}/one", "/usr/local/lib/x", files=(f"{league}/one/bot.py",))
    two = entrant(
        *("two", "/usr", "/usr/local", "/usr/lib/node", sys.prefix, f"{league}/two", "/opt/data"),
        files=(f"{league}/two/bot.py", "/usr/bin/python3", f"{sys.prefix}/bin/python"),
    )
    assert list_hidden(one, (one, two), ()) == ("/opt/data", f"{league}/two")
    assert list_hidden(two, (one, two), ()) == (f"{league}/one",)
