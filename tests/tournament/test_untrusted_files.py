"""Tournament files of untrusted authors may name only paths in their own folder."""

import os
import socket
from pathlib import Path

import pytest

import pwtourney as library
from pwtourney.config.confinement import way_out_problems
from pwtourney.config.draft import draft_of
from pwtourney.errors import ConfigError, UsageError
from pwtourney.schedule.pairing import Shard
from pwtourney.tournament import load_tournament
from pwtourney.tournament.plan import make_plan
from pwtourney.tournament.session import choose_folder

BOT = """
from pwtourney.sdk import Bot

class Bird(Bot):
    def choose(self, turn):
        return turn.state.legal_actions()[0]
"""


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Return the folder of a league with a bot, next to a folder with a secret."""
    folder, outside = tmp_path / "league", tmp_path / "outside"
    for path in (folder, folder / "own", folder / "links", outside):
        path.mkdir(mode=0o755)
    (folder / "own" / "bird.py").write_text(BOT)
    (folder / "own" / "data.txt").write_text("data")
    (outside / "secret.txt").write_text("key: a-secret")
    (outside / "bird.py").write_text(BOT)
    (outside / "mine.toml").write_text("a-secret = 1")
    (outside / "tool").write_text("#!/bin/sh\n")
    (outside / "tool").chmod(0o755)
    (folder / "link").symlink_to("../outside")
    (folder / "link.txt").symlink_to("../outside/secret.txt")
    (folder / "link.toml").symlink_to("../outside/mine.toml")
    (folder / "loop").symlink_to("loop")
    (folder / "links" / "bird.py").symlink_to("../../outside/bird.py")
    (folder / "links" / "own.py").write_text("import bird\n" + BOT)
    return folder


def refused(league: Path, text: str) -> str:
    """Return the error with which a file is refused before anything it names is read."""
    (league / "league.yaml").write_text(text.replace("OUT", str(league.parent / "outside")))
    with pytest.raises(ConfigError) as caught:
        load_tournament(league / "league.yaml", untrusted=True)
    assert "a-secret" not in str(caught.value)
    return str(caught.value).replace(f"{league}/", "").replace(f"{league.parent}/", "")


@pytest.mark.parametrize(
    ("entry", "key", "named"),
    [
        ("{file: ../outside/bird.py}", "file", "../outside/bird.py"),
        ("{file: OUT/bird.py}", "file", "outside/bird.py"),
        ("{file: 'OUT/bird.py:Bird'}", "file", "outside/bird.py"),
        ("{file: link/bird.py}", "file", "link/bird.py"),
        ("{file: links/bird.py}", "file", "links/bird.py"),
        ("{command: [sh, links/../own/data.txt]}", "command", "links/../own/data.txt"),
        ("{file: own/../../outside/bird.py}", "file", "own/../../outside/bird.py"),
        ("{file: own/bird.py, read_paths: [OUT]}", "read_paths[0]", "outside"),
        ("{file: own/bird.py, read_paths: [own, ..]}", "read_paths[1]", ".."),
        ("{file: own/bird.py, read_paths: [link]}", "read_paths[0]", "link"),
        ("{file: own/bird.py, read_paths: [link.txt]}", "read_paths[0]", "link.txt"),
        ("{file: own/bird.py, read_paths: [loop]}", "read_paths[0]", "loop"),
        ("{file: own/bird.py, read_paths: [/]}", "read_paths[0]", "/"),
        ("{file: own/bird.py, read_paths: [/dev/null]}", "read_paths[0]", "/dev/null"),
        ("{file: own/bird.py, read_paths: [/proc/self/root]}", "read_paths[0]", "/proc/self/root"),
        ("{command: /bin/sh own/data.txt}", "command", "/bin/sh"),
        ("{command: sh /etc/passwd}", "command", "/etc/passwd"),
        ("{command: sh OUT/secret.txt}", "command", "outside/secret.txt"),
        (
            "{command: [sh, own/data.txt, ../outside/secret.txt]}",
            "command",
            "../outside/secret.txt",
        ),
        ("{command: ../outside/tool}", "command", "../outside/tool"),
        ("{command: link/tool}", "command", "link/tool"),
        ("'link/tool own/data.txt'", "command", "link/tool"),
        ("'../outside/bird.py'", "file", "../outside/bird.py"),
    ],
)
def test_paths_of_a_bot_must_lie_in_the_folder(
    league: Path, entry: str, key: str, named: str
) -> None:
    """Absolute paths, `..` and links are refused; the error names line, key and remedy."""
    message = refused(league, f"bots:\n  - random\n  - {entry}\n")
    assert message.startswith("league.yaml:3:")
    assert f"bots[1].{key}: with --untrusted {named} must lie in the folder of this file" in message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "edition: ../outside/mine.toml",
            "edition: with --untrusted ../outside/mine.toml must lie",
        ),
        ("edition: link.toml", "edition: with --untrusted link.toml must lie"),
        ("deals: ../outside/secret.txt", "deals: with --untrusted ../outside/secret.txt must lie"),
        ("deals: link.txt", "deals: with --untrusted link.txt must lie"),
        ("results: ../outside/r", "results: with --untrusted ../outside/r must lie"),
        ("results: link/r", "results: with --untrusted link/r must lie"),
        ("results: /var/tmp/r", "results: with --untrusted /var/tmp/r must lie"),
        ("extends: link.yaml", "link.yaml: with --untrusted this must not be a link"),
        ("defaults: {read_paths: [link]}", "with --untrusted link must lie"),
        ("executor: dask", "executor: with --untrusted no code that the file names runs here"),
    ],
)
def test_paths_of_a_tournament_must_lie_in_the_folder(
    league: Path, line: str, message: str
) -> None:
    """These are editions, deals, results, the base file, and the paths that every bot may read."""
    (league / "link.yaml").symlink_to("../outside/secret.txt")
    assert message in refused(league, f"{line}\nbots: [random, own/bird.py]\n")


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("../../outside/mine.toml", "own/../../outside/mine.toml must lie in the folder"),
        ("../link.toml", "own/../link.toml must lie in the folder of this file, and be named with"),
        ("OUT/mine.toml", "outside/mine.toml must lie in the folder of this file"),
        ("../links/away.toml", "own/../links/away.toml must lie in the folder of this file"),
        ("deeper/b.toml", "own/deeper/../../../outside/mine.toml must lie in the folder"),
    ],
)
def test_bases_of_an_edition_must_lie_in_the_folder(league: Path, base: str, message: str) -> None:
    """The edition or one of its bases names them; a file elsewhere is not read."""
    (league / "own" / "deeper").mkdir()
    (league / "own" / "deeper" / "b.toml").write_text('base = "../../../outside/mine.toml"\n')
    (league / "links" / "away.toml").symlink_to("../../outside/mine.toml")
    text = f'name = "e"\nbase = "{base.replace("OUT", str(league.parent / "outside"))}"\n'
    (league / "own" / "e.toml").write_text(text)
    problem = refused(league, "edition: own/e.toml\nbots: [random, greedy]\n")
    assert f"edition: with --untrusted {message}" in problem


def test_edition_in_the_folder_may_have_bases_there(league: Path) -> None:
    """The base lies in a subfolder; a pipe is refused before anything reads from it."""
    (league / "own" / "e.toml").write_text('name = "e"\nbase = "below/b.toml"\n')
    (league / "own" / "below").mkdir()
    base = league / "own" / "below" / "b.toml"
    base.write_text('name = "b"\nbase = "express"\n[board]\nrows = 8\n')
    (league / "league.yaml").write_text("edition: own/e.toml\nbots: [random, greedy]\n")
    file = load_tournament(league / "league.yaml", untrusted=True)
    assert make_plan(file, 0).edition.rows == 8
    os.mkfifo(base.with_name("pipe.toml"))
    (league / "own" / "e.toml").write_text('name = "e"\nbase = "below/pipe.toml"\n')
    message = refused(league, "edition: own/e.toml\nbots: [random, greedy]\n")
    assert (
        "edition: with --untrusted own/e.toml may hold files and folders only, and own/b" in message
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("times", "longer"),
    [
        ("clock: {move: 1m}", "clock: {move: 60001ms}"),
        ("clock: {game: 1h, increment: 1m}", "clock: {game: 61m}"),
        ("clock: {game: 1h, increment: 1m}", "clock: {game: 1h, increment: 999999999h}"),
        (
            "clock: {game: 1h, measure: cpu, wall: 1m}",
            "clock: {game: 1h, measure: cpu, wall: 2m}",
        ),
        ("clock: {move: 6s, measure: cpu}", "clock: {move: 6001ms, measure: cpu}"),
        ("clock: {move: 1s}", "clock: {game: 1m, measure: cpu}"),
        ("clock: {game: 6s, measure: cpu}", "clock: {game: 5s, increment: 59s, measure: cpu}"),
        (
            "clock: {game: 1s, increment: 1ms, measure: cpu, wall: 1m}",
            "clock: {game: 1s, increment: 1ms, measure: cpu}",
        ),
        ("limits: {start: 1m, prepare: 1h, end: 10s, move: 9h}", "limits: {start: 61s}"),
        ("limits: {start: 1m}", "limits: {prepare: 61m}"),
        ("limits: {start: 1m}", "limits: {end: 11s}"),
    ],
)
def test_untrusted_files_cannot_give_bots_days(league: Path, times: str, longer: str) -> None:
    """At most a minute a move or an hour a game is accepted.

    The clock may be that of one bot or of all bots, in a file or from Python; tenfold times are
    refused as well.
    """
    file = league / "league.yaml"
    for text, where in (
        ("{}\nbots: [random, greedy]\n", ""),
        ("bots: [random, {{bot: greedy, {}}}]\n", "bots[1]."),
    ):
        file.write_text(text.format(times))
        load_tournament(file, untrusted=True)
        message = refused(league, text.format(longer))
        assert message.startswith("league.yaml:1:")
        assert f": {where}{longer.partition(':')[0]}" in message
        assert "with --untrusted " in message
        assert len(load_tournament(file).config.bots) == 2
        with pytest.raises(library.ConfigError, match="with --untrusted"):
            library.Tournament.from_file(file).start(untrusted=True)


def test_tournament_file_that_links_outside_is_not_read(league: Path) -> None:
    """The error contains no content of the other file."""
    (league / "other.yaml").symlink_to("../outside/secret.txt")
    with pytest.raises(ConfigError) as caught:
        load_tournament(league / "other.yaml", untrusted=True)
    assert "other.yaml: with --untrusted this must not be a link to another folder" in str(
        caught.value
    )
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("kind", ["socket", "pipe"])
@pytest.mark.parametrize("path", ["own", "own/deep/er"])
def test_sockets_and_pipes_are_not_lent_to_bots(league: Path, kind: str, path: str) -> None:
    """They are refused, and named, next to a bot's file and anywhere below a read path."""
    folder = league / path
    folder.mkdir(parents=True, exist_ok=True)
    here = os.open(folder, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listening:
        try:
            if kind == "pipe":
                os.mkfifo(folder / "odd")
            else:  # the path of a socket may have 108 bytes, and this one has more
                listening.bind(f"/proc/self/fd/{here}/odd")
                listening.listen()
        finally:
            os.close(here)
        named = f"{{command: cat, read_paths: [{path}]}}"
        for entry in ("{file: own/bird.py}", "{command: sh own/data.txt}", named):
            message = refused(league, f"bots: [random, {entry}]\n")
            assert f"may hold files and folders only, and {path}/odd is neither" in message


@pytest.mark.parametrize(
    "entry",
    [
        "{command: cat .git/config}",
        "{command: cat, read_paths: [.git]}",
        "{command: cat own/history/config}",
        "{command: cat, read_paths: [own/history]}",
    ],
)
def test_settings_of_a_repository_are_not_lent_to_bots(league: Path, entry: str) -> None:
    """They may contain a token; neither a path nor a link to them is accepted."""
    (league / ".git").mkdir()
    (league / ".git" / "config").write_text("token")
    (league / "own" / "history").symlink_to("../.git")
    assert "lies in a `.git`" in refused(league, f"bots: [random, {entry}]\n")


def test_league_within_its_own_folder_is_accepted(league: Path) -> None:
    """Files, commands by name, links within the folder, and a results folder to be made."""
    (league / "own" / "again.py").symlink_to("bird.py")
    (league / "league.yaml").write_text(
        "results: results/mine\nbots: [random, {file: own/again.py, read_paths: [own/data.txt]},"
        " {id: b, command: sh own/data.txt -x 3}]\n"
    )
    file = load_tournament(league / "league.yaml", untrusted=True)
    assert list(way_out_problems(draft_of(file.config), league)) == []
    assert all(bot.trusted is False for bot in file.config.bots)
    assert choose_folder(file, None, None, untrusted=True).path == league / "results/mine"


@pytest.mark.parametrize(
    ("lines", "entry", "untrusted", "pondering"),
    [
        ("", "{bot: random}", False, "measure"),
        ("", "{file: own/bird.py}", False, "suspend"),
        ("", "{file: own/bird.py, trusted: true}", False, "measure"),
        ("pondering: measure\n", "{file: own/bird.py}", False, "measure"),
        ("", "{bot: random, trusted: false}", False, "suspend"),
        ("", "{bot: random, trusted: false, pondering: measure}", False, "measure"),
        ("pondering: allow\n", "{bot: random, trusted: false}", False, "allow"),
        ("defaults: {trusted: false}\n", "{bot: random}", False, "suspend"),
        ("defaults: {trusted: false}\n", "{bot: random, trusted: true}", False, "measure"),
        ("", "{bot: random}", True, "suspend"),
        ("pondering: allow\n", "{bot: random, pondering: allow, trusted: true}", True, "suspend"),
    ],
)
def test_untrusted_bots_are_suspended_in_their_opponents_time(
    league: Path, lines: str, entry: str, untrusted: bool, pondering: str
) -> None:
    """Bundled and trusted bots are not; the file may override this, except with --untrusted."""
    (league / "league.yaml").write_text(f"{lines}bots: [greedy, {entry}]\n")
    file = load_tournament(league / "league.yaml", untrusted=untrusted)
    entrant = make_plan(file, 0).entrants[1]
    assert entrant.spec.isolation.pondering == pondering


def test_results_of_untrusted_files_follow_no_link(
    league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link from a pull request must not redirect them; an absolute path comes from the user."""
    monkeypatch.chdir(league)
    (league / "results").symlink_to("../outside")
    (league / "league.yaml").write_text("bots: [random, greedy]\n")
    file = load_tournament(Path("league.yaml"), untrusted=True)
    for given in (None, Path("results/x"), Path("link")):
        with pytest.raises(UsageError, match="with --untrusted no link may lead to"):
            choose_folder(file, given, None, untrusted=True)
    assert choose_folder(file, Path("here"), None, untrusted=True).path == league / "here"
    assert choose_folder(file, league / "link", None, untrusted=True).path.name == "outside"
    assert choose_folder(file, None, None).path == league.parent / "outside/league"


def test_library_confines_paths_as_the_command_does(league: Path) -> None:
    """It does so even if the file was read before it was said to be untrusted."""
    (league / "league.yaml").write_text("bots: [random, {file: own/bird.py, read_paths: [link]}]\n")
    tournament = library.Tournament.from_file(league / "league.yaml")
    with pytest.raises(library.ConfigError, match="with --untrusted link must lie"):
        tournament.start(untrusted=True)


@pytest.mark.parametrize(
    "entry", ["{file: links/own.py}", "{command: sh own/data.txt, read_paths: [links]}"]
)
def test_links_next_to_a_bot_must_not_lead_outside(league: Path, entry: str) -> None:
    """The bot's imports and its read paths are hashed, so a link would read other files."""
    message = refused(league, f"bots: [random, {entry}]\n")
    assert "may hold no link that leads elsewhere, and links/bird.py does" in message


@pytest.mark.parametrize("path", ["x/bin", "bin"])
def test_libraries_next_to_a_program_are_lent_only_if_named(league: Path, path: str) -> None:
    """A program in a folder `bin` looks in the `lib` next to it, but sees only its `read_paths`.

    These must lie in the folder, like all paths.
    """
    folder = league / path
    folder.mkdir(parents=True)
    tool = folder / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    # `bin`: `lib` lies next to the league's folder; `x/bin`: it lies in the league's folder
    base = folder if path == "bin" else league
    lib = folder.parent / "lib"
    lib.symlink_to(league.parent / "outside")
    program = f"./{os.path.relpath(tool, base)}"
    file = base / "league.yaml"
    file.write_text(f"bots: [random, {{command: {program}}}]\n")
    entrant = make_plan(load_tournament(file, untrusted=True), 0).entrants[1]
    assert entrant.spec.launch.read_paths == (str(tool),)
    named = os.path.relpath(lib, base)
    file.write_text(f"bots: [random, {{command: {program}, read_paths: [{named}]}}]\n")
    with pytest.raises(ConfigError, match=f"with --untrusted {named} must lie in the folder"):
        load_tournament(file, untrusted=True)
    if base == league:
        lib.unlink()
        lib.mkdir()
        entrant = make_plan(load_tournament(file, untrusted=True), 0).entrants[1]
        assert entrant.spec.launch.read_paths == (str(tool), str(lib))


def test_results_go_neither_into_a_repository_nor_through_a_link(
    league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each key and every current directory; each part has its own folder."""
    (league / ".git").mkdir()
    assert "must lie in the folder" in refused(league, "results: .git/x\nbots: [random, greedy]\n")
    (league / "r-1-of-2").symlink_to("../outside")
    (league / "league.yaml").write_text("results: r\nbots: [random, greedy]\n")
    monkeypatch.chdir(league.parent)
    file = load_tournament(league / "league.yaml", untrusted=True)
    assert choose_folder(file, None, None, untrusted=True).path == league / "r"
    with pytest.raises(UsageError, match="no link may lead to"):
        choose_folder(file, None, Shard(1, 2), untrusted=True)
    (league / "league.yaml").write_text("results: .\nbots: [random, greedy]\n")
    with pytest.raises(UsageError, match="results: this folder holds the tournament file"):
        load_tournament(league / "league.yaml")


def test_library_reads_nothing_outside_the_folder(league: Path) -> None:
    """The error of an edition outside the folder would show its content."""
    (league / "league.yaml").write_text("edition: ../outside/mine.toml\nbots: [random, greedy]\n")
    for call in (
        lambda path: library.play_tournament(path, untrusted=True),
        lambda path: library.Tournament.from_file(path, untrusted=True),
    ):
        with pytest.raises(library.ConfigError) as caught:
            call(league / "league.yaml")
        assert "with --untrusted ../outside/mine.toml must lie" in str(caught.value)
        assert "a-secret" not in str(caught.value)


def test_results_may_lie_in_a_folder_called_dot_gitlab(league: Path) -> None:
    """Only `.git` itself is forbidden, not every name that begins with it."""
    (league / "league.yaml").write_text("results: .gitlab/r\nbots: [random, greedy]\n")
    tournament = load_tournament(league / "league.yaml", untrusted=True)
    assert tournament.config.results == ".gitlab/r"
    message = refused(league, "results: .git/r\nbots: [random, greedy]\n")
    assert "results: with --untrusted .git/r must lie in the folder of this file" in message
