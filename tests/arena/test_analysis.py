"""Bots that the server asks: their answers and infos, their number, and how they are ended."""

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pwtourney.arena.analyse.asking import MOST_ANALYSES
from tests.arena.analysing import follow, play_games, post, started, wait_for
from tests.arena.serving import Server, served
from tests.needs import need_sandbox
from tests.program import pwtourney
from tests.sharing import Once

pytestmark = pytest.mark.slow(4)

STUBBORN = """\
import signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
for line in sys.stdin:
    word = line.split()[0]
    if word in ("pwtp", "end"):
        print("ready", flush=True)
    elif word == "go":
        while True:
            print("info depth 1 text still here", flush=True)
            time.sleep(0.001)
"""
"""A bot that never answers, floods its output, and ignores signals."""


DEAF = """\
import sys, time
for line in sys.stdin:
    word = line.split()[0]
    if word == "pwtp":
        print("feature stop\\nready", flush=True)
    elif word == "end":
        print("ready", flush=True)
    elif word == "go":
        print("info depth 1 text " + line, flush=True)
        time.sleep(600)
"""
"""A bot that says that it can stop, and never does."""

SILENT = STUBBORN.partition("for line")[0] + "time.sleep(600)\n"
"""A bot that prints nothing, and ignores signals."""

CURIOUS = """\
import os, sys
try:
    found = os.listdir({path!r}) or "nothing"
except OSError:
    found = "nothing"
for line in sys.stdin:
    words = line.split()
    if words[0] == "pwtp":
        print("feature legal", flush=True)
    if words[0] in ("pwtp", "end"):
        print("ready", flush=True)
    elif words[0] == "legal":
        action = words[1]
    elif words[0] == "go":
        print(f"info text found {{found}}\\nmove {{action}}", flush=True)
"""
"""A bot that lists a folder and reports what it found."""


@pytest.fixture(scope="module")
def results(once: Once) -> Path:
    """Return the results of two games."""
    return once("analysis", play_games) / "r"


@pytest.fixture(scope="module")
def server(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the results, with a bot that never answers and one that ignores `stop`."""
    folder = tmp_path_factory.mktemp("arena")
    folder.chmod(0o755)
    words = [str(results), "--games", str(folder / "games")]
    for name, program in (("stubborn", STUBBORN), ("deaf", DEAF)):
        (folder / f"{name}.py").write_text(program)
        words += ["--bot", f"{sys.executable} -S {folder / name}.py"]
    with served(*words) as server:
        yield server


def find_bot(server: Server, name: str) -> str:
    """Return the whole name of a bot on the page of the server."""
    page = server.ask("/analyse").body.decode()
    return next(word for word in page.replace("&#34;", '"').split('"') if f"{name}.py" in word)


@pytest.fixture
def stubborn(server: Server) -> str:
    """Return the name of the bot that never answers."""
    return find_bot(server, "stubborn")


START = {"source": {"game": "0.0"}, "actions": []}


@pytest.mark.thorough
def test_evaluations_equal_those_of_the_command(server: Server, results: Path) -> None:
    """Margins, swings, choices and grades of all plies equal `pwtourney analyse --json`."""
    request = {**START, "whole": True, "bots": [{"bot": "greedy", "ms": 1000}]}
    with follow(server, post(server, "ask", request)["id"]) as events:
        history = list(events)
    command = pwtourney("analyse", f"{results}:0.0", "--bot", "greedy", "--json")
    analysed = json.loads(command.stdout)
    expected = analysed["plies"]
    (swings,) = [event for event in history if event["kind"] == "swings"]
    assert (swings["plies"], swings["players"]) == (expected, analysed["players"])
    assert {ply["grade"] for ply in expected} > {""}
    came = [event for event in history if event["kind"] == "evaluation"]
    assert [event["margin"] for event in came] == [ply["margin"] for ply in expected]


@pytest.mark.thorough
def test_evaluation_of_a_whole_game_is_kept(server: Server, stubborn: str) -> None:
    """Only the bot and its limit are kept of the request; a stopped evaluation is not kept."""
    source = {"source": {"game": "0.1"}}
    assert post(server, "open", source)["evaluations"] == []
    request = {**source, "actions": [], "whole": True}
    stopped = post(server, "ask", {**request, "bots": [{"bot": stubborn, "ms": 1000}]})["id"]
    with follow(server, stopped) as events:
        next(iter(events))
        post(server, "stop", {"id": stopped})
        list(events)
    limited = {"bot": "greedy", "ms": 900, "note": "x" * 1000}
    with follow(server, post(server, "ask", {**request, "bots": [limited]})["id"]) as events:
        (swings,) = [event for event in events if event["kind"] == "swings"]
    opened = post(server, "open", source)
    (kept,) = opened["evaluations"]
    assert (kept["bot"], kept["limit"]) == ("greedy", {"ms": 900})
    assert (kept["plies"], kept["players"]) == (swings["plies"], swings["players"])
    assert len(kept["plies"]) == len(opened["plies"])


@pytest.mark.thorough
def test_several_bots_are_asked_at_once_with_a_limit_each(server: Server) -> None:
    """One bot has a time, and one a depth, which it keeps; infos get deeper, and both answer."""
    bots = [{"bot": "lookahead", "option": "depth", "value": 5}, {"bot": "greedy", "ms": 500}]
    with follow(server, post(server, "ask", {**START, "bots": bots})["id"]) as events:
        history = list(events)
    depths = [event["depth"] for event in history if event["bot"] == 0 and event["kind"] == "info"]
    assert depths == sorted(depths)
    assert depths[-1] == 5
    lines = [event["line"] for event in history if event["kind"] == "info" and event["bot"] == 0]
    answers = {event["bot"]: event["action"] for event in history if event["kind"] == "answer"}
    assert set(answers) == {0, 1}
    assert lines[-1][0] == answers[0]
    assert len(lines[-1]) > 1


@pytest.mark.thorough
def test_options_that_limit_a_bot_are_listed(server: Server) -> None:
    """Lookahead is limited by its depth; no option of greedy limits it."""
    (limit,) = post(server, "limits", {"bot": "lookahead"})["limits"]
    assert limit == {"name": "depth", "default": "0", "least": "0", "most": "40"}
    features = ["multipv", "searchmoves", "stop"]
    assert post(server, "limits", {"bot": "greedy"}) == {"limits": [], "features": features}
    assert post(server, "limits", {"bot": "random"}) == {"limits": [], "features": []}


@pytest.mark.thorough
@pytest.mark.slow(9)
def test_question_ends_with_the_last_page_that_waits_for_it(tmp_path: Path) -> None:
    """The bot would take 20 s to fail, but ends soon after both pages are closed."""
    (tmp_path / "silent.py").write_text(SILENT)
    bot = f"{sys.executable} -S {tmp_path / 'silent.py'}"
    with served("--games", str(tmp_path / "games"), "--bot", bot) as server:
        body = json.dumps({"bot": bot}).encode()
        host = f"127.0.0.1:{server.port}"
        request = (
            f"POST /analyse/limits HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        pages = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(2)]
        for page in pages:
            page.sendall(request.encode() + body)
        wait_for(lambda: len(started(server)) > 1)
        for page in pages:
            page.close()
        wait_for(lambda: not started(server), seconds=10)


@pytest.mark.thorough
def test_analyses_are_bounded_and_end_soon_without_followers(server: Server, stubborn: str) -> None:
    """A fifth analysis is refused; bots that ignore signals are ended all the same."""
    request = {**START, "bots": [{"bot": stubborn, "ms": 600_000}]}
    begun = [post(server, "ask", request)["id"] for _ in range(MOST_ANALYSES)]
    refused = post(server, "ask", request, status=429)
    assert refused["problem"].startswith("4 analyses are running, which is the most at a time")
    with follow(server, begun[0]) as events:
        next(event for event in events if event["kind"] == "info")
        assert started(server)
    took = wait_for(lambda: not started(server))
    assert took < 20


def test_analysis_is_stopped_at_once(server: Server, stubborn: str) -> None:
    """The bot has ended when the answer comes, and another analysis can begin."""
    request = {**START, "bots": [{"bot": stubborn, "ms": 600_000}]}
    name = post(server, "ask", request)["id"]
    with follow(server, name) as events:
        next(event for event in events if event["kind"] == "info")
        post(server, "stop", {"id": name})
        assert not started(server)
        assert all(event["kind"] in ("info", "note") for event in events)


def test_endless_analysis_ends_with_the_answer(server: Server) -> None:
    """A stopped bot answers, a bot without `stop` is ended, and a bot that ignores `stop` fails.

    Each of the lines is passed on, and the answer is one of the actions to choose from.
    """
    legal = post(server, "line", START)["legal"]
    only = legal[:40:13]
    names = ("lookahead", "random", find_bot(server, "deaf"))
    bots = [{"bot": name, "endless": True} for name in names]
    name = post(server, "ask", {**START, "lines": 3, "only": only, "bots": bots})["id"]
    with follow(server, name) as events:
        history = []
        expected = {(0, 3), (1, "answer"), (2, 1)}  # bots with ranks or kinds
        while expected:
            history.append(next(events))
            expected.discard((history[-1]["bot"], history[-1].get("rank", history[-1]["kind"])))
        post(server, "stop", {"id": name})
        assert not started(server)
        history += events
    looking, drawing, deaf = (
        [event for event in history if event["bot"] == bot] for bot in range(3)
    )
    *_, answer, end = looking
    assert (answer["kind"], end["kind"]) == ("answer", "end")
    assert answer["action"] in only
    lines = {event["rank"]: event["line"] for event in looking if event["kind"] == "info"}
    assert {line[0] for line in lines.values()} <= {*only}
    assert lines[1][0] == answer["action"]
    assert [event["kind"] for event in drawing if event["kind"] != "note"] == [
        "begin",
        "answer",
        "end",
    ]
    assert [event["text"] for event in deaf if event["kind"] == "info"] == ["go infinite"]
    (fault,) = [event for event in deaf if event["kind"] == "fault"]
    assert fault["verdict"] == "timeout"
    assert fault["text"] == "did not answer within 1000 ms of `stop`"


def test_bot_without_stop_is_ended_as_before(server: Server, stubborn: str) -> None:
    """The bot has ten minutes for its answer, and gets no line that it does not know."""
    name = post(server, "ask", {**START, "bots": [{"bot": stubborn, "endless": True}]})["id"]
    with follow(server, name) as events:
        next(event for event in events if event["kind"] == "info")
        post(server, "stop", {"id": name})
        assert not started(server)
        assert {event["kind"] for event in events} <= {"info", "note"}


def is_running(pid: int) -> bool:
    """Return True if a process is not a zombie; orphans may wait for this process to reap them."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[0] != b"Z"


@pytest.mark.thorough
def test_bots_end_when_the_server_is_killed(results: Path, tmp_path: Path) -> None:
    """Bots get no signal, but their standard input ends."""
    with served(str(results), "--games", str(tmp_path / "games")) as server:
        request = {**START, "bots": [{"bot": "lookahead", "ms": 600_000}]}
        with follow(server, post(server, "ask", request)["id"]) as events:
            next(event for event in events if event["kind"] == "info")
            pids = started(server)
            assert pids
            server.process.send_signal(signal.SIGKILL)
        wait_for(lambda: not any(map(is_running, pids)))


@pytest.mark.thorough
def test_server_ends_its_bots_before_it_ends(results: Path, tmp_path: Path) -> None:
    """Ctrl-C ends all processes that the server has started, even if a page still follows."""
    with served(str(results), "--games", str(tmp_path / "games")) as server:
        request = {**START, "bots": [{"bot": "lookahead", "ms": 600_000}]}
        with follow(server, post(server, "ask", request)["id"]) as events:
            next(event for event in events if event["kind"] == "info")
            pids = started(server)
            server.process.send_signal(signal.SIGINT)
            assert server.process.wait(timeout=20) == 130
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)


@pytest.mark.thorough
def test_asked_bot_cannot_read_the_games(results: Path, tmp_path: Path) -> None:
    """The sandbox is that of a tournament, and hides the games because they contain answers."""
    need_sandbox("bwrap")
    curious = tmp_path / "curious.py"
    curious.write_text(CURIOUS.format(path=str(results)))
    bot = f"{sys.executable} -S {curious}"
    with served(str(results), "--games", str(tmp_path / "games"), "--bot", bot) as server:
        request = {**START, "bots": [{"bot": bot, "ms": 20_000}]}
        with follow(server, post(server, "ask", request)["id"]) as events:
            (said,) = [event["text"] for event in events if event["kind"] == "info"]
    assert said == "found nothing"


@pytest.mark.thorough
def test_failing_bot_is_reported_with_its_fault(server: Server) -> None:
    """The event has the verdict, as in a game."""
    bots = [{"bot": "lookahead", "option": "depth", "value": 99}]
    with follow(server, post(server, "ask", {**START, "bots": bots})["id"]) as events:
        (fault,) = [event for event in events if event["kind"] == "fault"]
    assert fault["verdict"] == "start"
    assert "the config sets depth to '99': it must be from 0 to 40" in fault["text"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("what", "body", "problem"),
    [
        ("open", {}, "nothing is named that could be analysed"),
        ("open", {"source": {"game": "../0.0"}}, "there is no game '../0.0' in a tournament"),
        ("open", {"source": {"game": "99.0"}}, "there is no game 99.0"),
        ("open", {"source": {"table": "../../etc/passwd"}}, "there is no game '../../etc/passwd'"),
        ("open", {"source": {"text": "x"}}, "a position has 14 fields"),
        ("open", {"source": {"text": "x", "edition": "/etc/passwd"}}, "this arena has no edition"),
        ("open", {"source": {"seed": "-1"}}, "seed must be a whole number from 0"),
        ("line", {**START, "actions": ["advance", 3]}, "actions must be a list of texts"),
        ("line", {**START, "actions": ["leather:a1"]}, "there is no special patch to place"),
        ("ask", {**START, "bots": []}, "ask one bot, or up to 4 at once"),
        ("ask", {**START, "bots": [{"bot": "/bin/sh"}]}, "this arena has no bot '/bin/sh'"),
        ("ask", {**START, "bots": [{"bot": "greedy", "ms": 0}]}, "ms must be a whole number from"),
        ("ask", {**START, "bots": ["greedy"]}, "a bot is asked by its name, with a limit"),
        (
            "ask",
            {"source": {"seed": 1}, "whole": True, "bots": [{"bot": "greedy"}]},
            "this is a position; open a game to have all of it evaluated",
        ),
        ("limits", {"bot": "nobody"}, "this arena has no bot 'nobody'"),
    ],
)
@pytest.mark.slow(1)
def test_impossible_requests_are_refused_with_a_reason(
    server: Server, what: str, body: dict[str, object], problem: str
) -> None:
    """No process is started for such a request, and no path is read."""
    assert problem in post(server, what, body, status=422)["problem"]
    assert not started(server)


@pytest.mark.slow(1)
def test_games_are_listed_by_words(server: Server) -> None:
    """The words are names of bots and numbers of games; all of them must match."""
    answer = post(server, "games", {})
    assert [row["id"] for row in answer["rows"]] == ["0.1", "0.0"]
    assert answer["next"] is None
    assert post(server, "games", {"words": "greedy 0.1"})["count"] == 1
    assert post(server, "games", {"words": "greedy nobody"})["rows"] == []


@pytest.mark.slow(1)
def test_saved_games_are_opened_by_name(results: Path, tmp_path: Path) -> None:
    """Valid games in the folder of games are listed."""
    (tmp_path / "games").mkdir()
    pwtourney("replay", f"{results}:0.0", "--save", str(tmp_path / "games" / "mine.game"))
    (tmp_path / "games" / "broken.game").write_text("no game")
    with served("--games", str(tmp_path / "games")) as server:
        (row,) = post(server, "games", {})["tables"]
        assert row["id"] == "mine"
        answer = post(server, "open", {"source": {"table": "mine"}})
    assert sorted(answer["names"]) == ["frugal", "greedy"]


@pytest.mark.thorough
@pytest.mark.slow(1)
def test_serve_has_no_analysis(results: Path) -> None:
    """It shows the tournament, and starts no bots."""
    with served("serve", str(results)) as server:
        assert server.ask("/analyse").status == 404
        assert server.ask("/analyse/ask", "POST", b"{}", server.own).status == 404
