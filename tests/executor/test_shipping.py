"""Bots that are packed here and unpacked elsewhere, here in another folder of this machine."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

import pytest

from pwtourney.bots import launching
from pwtourney.bots.launching import hook_command
from pwtourney.bots.names import Resolved, command_bot, file_bot, installed_bot
from pwtourney.errors import PreparationError, UsageError
from pwtourney.executor import shipping
from pwtourney.executor.shipping import (
    Parcel,
    ShippedFile,
    _hide_existing,
    _prepare_in_child,
    forget,
    lay_down,
    localize_job,
    pack,
)
from pwtourney.match import AUTOMA, BotSpec, Job
from pwtourney.prepare import Preparation
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits
from tests.match.helpers import setup

LAUNCH = Launch(("/bin/sh", "bird.sh"))


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which bots are unpacked."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(path))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the files of a bot."""
    path = tmp_path / "bots"
    (path / "below").mkdir(parents=True)
    (path / "bird.sh").write_text("chirp")
    (path / "bird.sh").chmod(0o640)
    (path / "below" / "tool").write_text("12")
    (path / "below" / "tool").chmod(0o750)
    return path


def _started(launch: Launch, shipment: str) -> Launch:
    """Return the localized launch of a shipped bot."""
    spec = BotSpec("one", launch)
    return (
        localize_job(Job(0, (setup(spec, AUTOMA), setup(AUTOMA, spec))), shipment)
        .games[1]
        .bots[1]
        .launch
    )


def test_parcel_holds_each_file_once_with_its_mode(folder: Path) -> None:
    """Named files and files in named folders are included once; the rest is kept as given."""
    (folder / "same").symlink_to("bird.sh")
    (folder / "gone").symlink_to("nowhere")
    preparation = Preparation("bird", LAUNCH, LAUNCH, ())
    parcel = pack("bird", LAUNCH, "id", [str(folder / "bird.sh"), str(folder)], preparation)
    tool = ShippedFile(f"{folder}/below/tool", b"12", 0o750)
    bird = ShippedFile(f"{folder}/bird.sh", b"chirp", 0o640)
    same = ShippedFile(f"{folder}/same", b"chirp", 0o640)
    assert parcel == Parcel("bird", LAUNCH, "id", (bird, same, tool), preparation)
    digests = {
        variant.digest()
        for variant in (
            parcel,
            parcel._replace(identity="other"),
            parcel._replace(launch=Launch(("x",))),
            parcel._replace(files=parcel.files[1:]),
            parcel._replace(files=(bird._replace(path="/x"), same, tool)),
            parcel._replace(files=(bird._replace(content=b"x"), same, tool)),
            parcel._replace(files=(bird._replace(mode=0o600), same, tool)),
        )
    }
    assert len(digests) == 7
    assert {len(digest) for digest in digests} == {16}
    assert parcel._replace(bot="owl", preparation=None).digest() == parcel.digest()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("absent", "No such file or directory"),
        ("pipe", "it is not a regular file"),
        ("way", "it is a link that leads out of what is sent; add that to read_paths"),
    ],
)
def test_file_that_cannot_be_sent_is_named_with_the_reason(
    folder: Path, name: str, problem: str
) -> None:
    """This holds whether it is named itself or lies in a folder."""
    os.mkfifo(folder / "pipe")
    (folder / "way").symlink_to("..", target_is_directory=True)
    places = [str(folder / name)] if name != "way" else [str(folder / "below"), str(folder)]
    if name == "way":
        (folder / "pipe").unlink()
    with pytest.raises(UsageError) as caught:
        pack("bird", LAUNCH, "id", places)
    assert str(caught.value) == f"bird: {folder}/{name} cannot be sent: {problem}"


def test_bot_of_the_maximum_size_is_sent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is for all files together, and is lowered for this test."""
    monkeypatch.setattr(shipping, "MOST_BYTES", 7)
    assert len(pack("bird", LAUNCH, "id", [str(folder)]).files) == 2
    monkeypatch.setattr(shipping, "MOST_BYTES", 6)
    with pytest.raises(UsageError) as caught:
        pack("bird", LAUNCH, "id", [str(folder)])
    assert str(caught.value) == (
        "bird: its files are over 0 MiB, too much to be sent; install it where the pairs are"
        " played, and name it as an installed bot"
    )


def test_shipped_command_uses_the_unpacked_files(folder: Path, temporary: Path) -> None:
    """Words that name files are rewritten; a system program is looked up here."""
    bird = command_bot(["sh", "bird.sh", "plain"], folder)
    launch = bird.launch._replace(command=("/old/place/sh", *bird.launch.command[1:]))
    launch = launch._replace(command=(*launch.command, f"{folder}/bird.sh:Bird", "x:y"))
    parcel = pack("bird", launch, bird.identity, [str(folder / "bird.sh"), str(folder / "below")])
    target = lay_down("ship", [parcel])
    assert target.parent == temporary
    assert target.name.startswith(f"pwtourney-bots-{os.getpid()}-")
    assert stat.S_IMODE(target.stat().st_mode) == 0o755
    below = target / parcel.digest()
    moved = f"{below}{folder}/bird.sh"
    started = _started(launch, "ship")
    program, *words = started.command
    assert Path(program).name == "sh"
    assert os.access(program, os.X_OK)
    assert words == [moved, "plain", f"{moved}:Bird", "x:y"]
    assert started.read_paths[0] == str(below)
    assert started.environment == ()
    assert Path(moved).read_text() == "chirp"
    assert stat.S_IMODE(os.stat(moved).st_mode) == 0o644
    assert stat.S_IMODE(os.stat(f"{below}{folder}/below/tool").st_mode) == 0o755
    forget("ship", target)
    assert not target.exists()


def test_folders_of_a_shipped_command_are_those_of_its_new_place(folder: Path) -> None:
    """Class paths and values of options change as well; paths that are not the bot's stay."""
    (folder / "Wren.class").write_text("")
    words = [
        "./below/tool",
        "-cp",
        f"{folder}:nest/*:gone",
        "--data=./nest",
        "/",
        "a:b",
        "--x=/usr",
    ]
    (folder / "nest").mkdir()
    (folder / "nest" / "egg").write_text("")
    wren = command_bot(words, folder)
    assert wren.launch.command[2:4] == (f"{folder}:{folder}/nest/*:gone", f"--data={folder}/nest")
    launch = wren.launch._replace(read_paths=(*wren.launch.read_paths, *wren.more))
    parcel = pack("wren", launch, wren.identity, (*wren.files, *wren.more))
    target = lay_down("lot", [parcel])
    new = target / parcel.digest() / os.path.relpath(folder, "/")
    assert _started(launch, "lot").command == (
        str(new / "below" / "tool"),
        "-cp",
        f"{new}:{new}/nest/*:gone",
        f"--data={new}/nest",
        "/",
        "a:b",
        "--x=/usr",
    )
    forget("lot", target)


def test_shipped_program_is_started_by_its_new_path(folder: Path) -> None:
    """The program is the first word of the command."""
    launch = Launch((f"{folder}/below/tool", "x"))
    parcel = pack("bird", launch, "id", [str(folder / "below" / "tool")])
    target = lay_down("ship", [parcel])
    started = _started(launch, "ship")
    assert started.command == (f"{target / parcel.digest()}{folder}/below/tool", "x")
    forget("ship", target)


def test_program_that_exists_here_keeps_its_path(folder: Path) -> None:
    """No other program of its name is looked for."""
    (folder / "below" / "sh").write_text("")
    (folder / "below" / "sh").chmod(0o755)
    launch = Launch((f"{folder}/below/sh",))
    target = lay_down("ship", [Parcel("bird", launch, "id", ())])
    started = _started(launch, "ship")
    assert started.command == launch.command
    assert str(target) not in "".join(started.read_paths)
    forget("ship", target)


def test_shipped_python_file_uses_the_local_interpreter(folder: Path) -> None:
    """The class that was named is kept."""
    (folder / "bird.py").write_text("")
    bird = file_bot("bird.py:Bird", folder)
    parcel = pack("bird", bird.launch, bird.identity, [str(folder / "bird.py")])
    target = lay_down("ship", [parcel])
    below = target / parcel.digest()
    started = _started(bird.launch, "ship")
    assert started.command[-1] == f"{below}{folder}/bird.py:Bird"
    assert started.command[0] == bird.launch.command[0]
    assert str(below) in started.read_paths
    forget("ship", target)


def test_shipped_bot_finds_its_cache_folder(folder: Path) -> None:
    """Its path is in a variable and in `read_paths`, if the folder was sent with the bot."""
    launch = Launch(("/bin/sh",), (("PWTOURNEY_CACHE", f"{folder}/below"), ("A", "1")))
    parcel = pack("bird", launch, "id", [str(folder / "below")])
    target = lay_down("ship", [parcel])
    started = _started(launch, "ship")
    now = f"{target / parcel.digest()}{folder}/below"
    assert dict(started.environment)["PWTOURNEY_CACHE"] == now
    assert now in started.read_paths
    forget("ship", target)
    other = launch._replace(environment=(("PWTOURNEY_CACHE", f"{folder}/absent"),))
    target = lay_down("ship", [parcel._replace(launch=other)])
    assert _started(other, "ship").environment == ()
    forget("ship", target)


def test_all_bots_that_cannot_be_started_are_named(temporary: Path) -> None:
    """Each has its reason; nothing of the shipment is left."""
    greedy = installed_bot("greedy")
    parcels = [
        Parcel("greedy", greedy.launch, "pwtourney 0.0.1", ()),
        Parcel("lost", Launch(("/usr/bin/no-such-interpreter",)), "x", ()),
        Parcel("fine", greedy.launch, greedy.identity, ()),
        Parcel("odd", Launch((*greedy.launch.command[:-1], "no_such:Bot")), "odd 1", ()),
    ]
    with pytest.raises(UsageError) as caught:
        lay_down("ship", parcels)
    first, second, third = str(caught.value).splitlines()
    here = greedy.identity
    assert first == f"greedy: pwtourney 0.0.1 is to play, and installed here is {here}"
    assert second == "lost: there is no program no-such-interpreter here"
    assert third == "odd: odd 1 is to play, and installed here is nothing with that name"
    assert list(temporary.iterdir()) == []
    with pytest.raises(UsageError, match=r"^one has not arrived here$"):
        _started(greedy.launch, "ship")


def test_unpacked_bots_of_dead_processes_are_removed(temporary: Path) -> None:
    """Folders of other users, of living processes, and with other names are kept."""
    names = ["999999999-x", f"{os.getpid()}-x", "nobody-x", "999999998"]
    for name in names:
        (temporary / f"pwtourney-bots-{name}").mkdir()
    (temporary / "pwtourney-bots-999999997-x").mkdir()
    if os.geteuid() == 0:
        os.chown(temporary / "pwtourney-bots-999999997-x", 12345, 0)
        names.append("999999997-x")
    target = lay_down("ship", [])
    left = {path.name for path in temporary.iterdir()} - {target.name}
    assert left == {f"pwtourney-bots-{name}" for name in names[1:]}
    forget("ship", target)


def test_job_without_a_shipment_is_unchanged() -> None:
    """A player without a process is unchanged, too; hidden paths are kept only where they exist."""
    greedy = installed_bot("greedy")
    isolation = Isolation(hidden=("/", "/nowhere"), closed=("/nowhere", "/usr"))
    spec = BotSpec("one", greedy.launch, isolation=isolation)
    job = Job(0, (setup(spec, AUTOMA), setup(AUTOMA, spec)))
    assert localize_job(job, "") is job
    target = lay_down("ship", [Parcel("one", greedy.launch, greedy.identity, ())])
    here = localize_job(job, "ship")
    assert [player.id for player in here.games[0].bots] == ["one", "automa"]
    assert [player.id for player in here.games[1].bots] == ["automa", "one"]
    assert here.games[0].bots[1] == AUTOMA
    assert here.games[0].bots[0].isolation == Isolation(hidden=("/",), closed=("/usr",))
    assert _hide_existing(Isolation()) == Isolation()
    forget("ship", target)


@pytest.fixture
def forks(server: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork the process that prepares: a spawned one needs half a second of CPU time to start."""
    monkeypatch.setattr(shipping, "get_context", lambda _: server)


@pytest.mark.usefixtures("forks")
def test_shipped_bot_is_prepared_once_in_its_own_process(tmp_path: Path) -> None:
    """The second preparation finds the cache and starts no process."""
    root = tmp_path / "root"
    root.mkdir()
    count = f"echo >> {tmp_path}/runs; echo preparing seven; echo 7 > $PWTOURNEY_CACHE/table"
    bot = Preparation("bird", LAUNCH, Launch(("/bin/sh", "-c", count)), ())
    launch = _prepare_in_child(bot, root)
    folder = Path(dict(launch.environment)["PWTOURNEY_CACHE"])
    assert (folder / "table").read_text() == "7\n"
    assert launch == Launch(LAUNCH.command, launch.environment, (str(folder),))
    assert _prepare_in_child(bot, root) == launch
    assert (tmp_path / "runs").read_text() == "\n"


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("echo preparing seven; exit 12", "its `prepare` raised an error"),
        ("kill -9 $PPID", "the process that does it died"),
    ],
)
def test_failing_preparation_is_one_error_with_the_bots_id(
    tmp_path: Path, script: str, error: str
) -> None:
    """This also holds if the hook kills the process that started it."""
    bot = Preparation("bird", LAUNCH, Launch(("/bin/sh", "-c", script)), ())
    with pytest.raises(PreparationError) as caught:
        _prepare_in_child(bot, tmp_path)
    assert str(caught.value) == f"bird cannot be prepared: {error}"


def test_bot_without_a_hook_is_not_prepared(folder: Path, temporary: Path) -> None:
    """A command has no hook, even if the runner sent a preparation for it."""
    launch = Launch(("/bin/sh", f"{folder}/bird.sh"))
    preparation = Preparation("bird", launch, launch, ())
    target = lay_down("ship", [pack("bird", launch, "id", [f"{folder}/bird.sh"], preparation)])
    assert _started(launch, "ship").environment == ()
    assert not (target / "prepared").exists()
    forget("ship", target)
    assert list(temporary.iterdir()) == []


HOOKED = """
import os, sys
from pathlib import Path
from pwtourney.sdk import Bot

class Bird(Bot):
    @classmethod
    def prepare(cls, cache):
        WORK
"""


@pytest.mark.usefixtures("forks")
@pytest.mark.slow
def test_failing_preparation_is_an_error_unless_it_may_fail(folder: Path, temporary: Path) -> None:
    """With `may_fail` the bot is started without a cache."""
    (folder / "bird.py").write_text(HOOKED.replace("WORK", "raise ValueError('no')"))
    bird = file_bot("bird.py", folder)
    hook = hook_command(bird.launch)
    assert hook is not None
    preparation = Preparation("bird", bird.launch, hook, (), Limits(), may_fail=True)
    parcel = pack("bird", bird.launch, bird.identity, bird.files, preparation)
    target = lay_down("ship", [parcel])
    assert _started(bird.launch, "ship").environment == ()
    forget("ship", target)
    with pytest.raises(UsageError, match="bird cannot be prepared: its `prepare` raised an error"):
        lay_down("ship", [parcel._replace(preparation=preparation._replace(may_fail=False))])
    assert list(temporary.iterdir()) == []


INTERPRETER = """#!/bin/sh
for last; do :; done
case " $* " in *" --prepare "*)
  echo "$last" >> {log}
  {work}
esac
"""
"""A shell script in the place of the interpreter of Python bots, for their hook only."""


def _hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str) -> Path:
    """Let Python bots prepare by shell code; return the file with what the hook was called for."""
    log, python = tmp_path / "log", tmp_path / "python"
    log.touch()
    log.chmod(0o666)
    python.write_text(INTERPRETER.format(log=log, work=work))
    python.chmod(0o755)
    monkeypatch.setattr(launching, "_PYTHON", str(python))
    return log


def _sdk_parcel(bot: Resolved, files: Iterable[str], may_fail: bool = False) -> Parcel:
    """Return the parcel of a Python bot that the runner has prepared."""
    hook = hook_command(bot.launch)
    assert hook is not None
    isolation = Isolation(hidden=("/nowhere",))
    preparation = Preparation(
        "bird", bot.launch, hook, ("/old",), isolation=isolation, may_fail=may_fail
    )
    return pack("bird", bot.launch, bot.identity, files, preparation)


@pytest.mark.usefixtures("forks")
def test_python_bot_is_prepared_from_its_unpacked_files(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cache is below the folder of the shipment, and is removed with it."""
    log = _hook(tmp_path, monkeypatch, "echo preparing seven; echo 7 > $PWTOURNEY_CACHE/table")
    (folder / "bird.py").write_text("")
    parcel = _sdk_parcel(file_bot("bird.py:Bird", folder), [str(folder / "bird.py")])
    target = lay_down("ship", [parcel])
    started = _started(parcel.launch, "ship")
    cache = Path(dict(started.environment)["PWTOURNEY_CACHE"])
    assert cache.is_relative_to(target / "prepared")
    assert (cache / "table").read_text() == "7\n"
    assert str(cache) in started.read_paths
    moved = f"{target / parcel.digest()}{folder}/bird.py:Bird"
    assert started.command[-1] == moved
    assert log.read_text() == f"{moved}\n"
    assert stat.S_IMODE((target / "prepared").stat().st_mode) == 0o755
    forget("ship", target)
    assert not target.exists()


@pytest.mark.usefixtures("forks")
def test_bot_whose_hook_fails_is_not_shipped_unless_it_may_fail(
    folder: Path, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that may fail is started without a cache, and may lose."""
    _hook(tmp_path, monkeypatch, "echo preparing seven; exit 12")
    (folder / "bird.py").write_text("")
    files = [str(folder / "bird.py")]
    bird = file_bot("bird.py", folder)
    target = lay_down("ship", [_sdk_parcel(bird, files, may_fail=True)])
    assert _started(bird.launch, "ship").environment == ()
    forget("ship", target)
    with pytest.raises(UsageError) as caught:
        lay_down("ship", [_sdk_parcel(bird, files)])
    assert str(caught.value) == "bird cannot be prepared: its `prepare` raised an error"
    assert list(temporary.iterdir()) == []


def test_error_that_is_no_usage_leaves_nothing_of_a_shipment(
    folder: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files of one bot cannot both be laid down, if one is the folder of the other."""
    tool = f"{folder}/below/tool"
    files = (ShippedFile(tool, b"", 0o755), ShippedFile(f"{tool}/more", b"", 0o644))
    with pytest.raises(OSError, match=r"exists|directory"):
        lay_down("ship", [Parcel("bird", LAUNCH, "id", files)])
    assert list(temporary.iterdir()) == []
    with pytest.raises(UsageError, match=r"^one has not arrived here$"):
        _started(LAUNCH, "ship")
