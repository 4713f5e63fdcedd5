"""Parts of a tournament: which can be split, and which are merged into one."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from pwtourney.errors import StoreError, UsageError
from pwtourney.match import Job, PairResult
from pwtourney.schedule.pairing import Shard
from pwtourney.store import ResultsFolder, Store, dump_game
from pwtourney.tournament.plan import Plan
from pwtourney.tournament.resume import fit_into_league, open_results
from pwtourney.tournament.run import run_tournament
from pwtourney.tournament.shards import merge, split
from pwtourney.tournament.verify import verify
from tests.tournament.paper import Paper, lose, plan, play

HEAD = "name: paper\nseed: 5000000000000000\nedition: express\npairs: 2\n"
ADA, BOB, CY = (
    f'  - {{id: {name}, command: "{command}"}}\n'
    for name, command in (("ada", "true"), ("bob", "true"), ("cy", "false"))
)

Results = Callable[..., ResultsFolder]


def league(tmp_path: Path, *bots: str, head: str = HEAD) -> Plan:
    """Return the plan of a league; by default three bots play six pairs."""
    return plan(tmp_path, f"{head}bots:\n{''.join(bots or (ADA, BOB, CY))}")


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """Return a function that plays a part of the league, or all of it."""

    def part(name: str, shard: Shard | None = None, most: int = 99) -> ResultsFolder:
        folder = ResultsFolder(tmp_path / name)
        folder.prepare()
        own = league(tmp_path)._replace(shard=shard)
        with closing(open_results(folder, own, now=lambda: 86_400.0 * len(name))) as store:
            run_tournament(
                own, store, Paper(), lambda _: None, stopping=lambda: store.count() >= most
            )
        return folder

    return part


def merged(tmp_path: Path, *parts: ResultsFolder) -> ResultsFolder:
    """Merge results into the folder `whole`."""
    with ResultsFolder(tmp_path / "whole") as target:
        merge([part.path for part in parts], target)
    return target


def refusal(tmp_path: Path, *parts: ResultsFolder) -> str:
    """Return why results are not merged; nothing is left behind."""
    with pytest.raises(StoreError) as caught:
        merged(tmp_path, *parts)
    assert not (tmp_path / "whole").exists()
    return str(caught.value)


def test_only_schedules_without_results_are_split(tmp_path: Path) -> None:
    """A part needs a seed of its own, unless a copied league has one."""
    whole, part = league(tmp_path), Shard(2, 3)
    assert split(whole, part, seed_given=True) == whole._replace(shard=part)
    with pytest.raises(UsageError) as caught:
        split(whole, part, seed_given=False)
    assert str(caught.value) == (
        "--shard 2/3: all parts need the same seed; give `seed` in the file, or with --set"
        " seed=NUMBER"
    )
    play(league(tmp_path, ADA, BOB), ResultsFolder(tmp_path / "r"))
    folder = ResultsFolder(tmp_path / "r")
    grown = fit_into_league(whole, folder, extend=True)
    assert split(grown, part, seed_given=False).shard == part
    ruled = league(tmp_path, head=HEAD + "until: {interval: 50}\n")
    with pytest.raises(UsageError) as caught:
        split(ruled, part, seed_given=True)
    assert str(caught.value) == (
        "--shard 2/3: when it ends (`until`) depends on results, and a part does not know the"
        " results of the others"
    )
    swiss = league(tmp_path, head=HEAD + "format: swiss\nrounds: 1\n")
    with pytest.raises(UsageError, match=r"^--shard 2/3: .*, and a part does not know the results"):
        split(swiss, part, seed_given=True)


def test_parts_are_merged_in_the_order_of_the_schedule(tmp_path: Path, results: Results) -> None:
    """Six pairs come from two parts; the date is the earlier one, and the whole is over."""
    odd, even = results("odd", Shard(2, 2)), results("even", Shard(1, 2))
    with ResultsFolder(tmp_path / "whole") as target:
        done = merge([odd.path, even.path], target)
    assert done == (6, 0, ())
    alone = results("alone")
    with (
        closing(Store.open(target.database)) as whole,
        closing(Store.open(alone.database)) as single,
    ):
        assert list(map(dump_game, whole.records())) == list(map(dump_game, single.records()))
        assert list(verify(whole)) == []
        raw = [(record.pair, record.game) for record in whole.raw_records()]
        assert raw == [(pair, game) for pair in range(6) for game in (0, 1)]
        meta = whole.meta()
    # "odd" was made three days after 1 January 1970, and "even" four days
    assert (meta.over, meta.shard, meta.created) == (True, None, "1970-01-04T00:00:00Z")
    assert meta.pairs == 6
    assert not list(target.path.glob(".games*"))


def test_overlapping_wholes_are_merged_once(tmp_path: Path, results: Results) -> None:
    """Four pairs of one and two of the other: two are in both, and two are missing."""
    with ResultsFolder(tmp_path / "whole") as target:
        done = merge([results("a", None, 4).path, results("b", None, 2).path], target)
    assert done == (4, 2, ())
    with closing(Store.open(target.database)) as store:
        assert sorted(store.outcomes()) == [0, 1, 2, 3]
        assert not store.meta().over


def test_longest_schedule_wins(tmp_path: Path, results: Results) -> None:
    """One part was played with two pairs of every two bots, the other with three."""
    short = results("short")
    longer = ResultsFolder(tmp_path / "longer")
    play(league(tmp_path, head=HEAD.replace("pairs: 2", "pairs: 3")), longer)
    with closing(Store.open(merged(tmp_path, short, longer).database)) as store:
        assert (store.meta().schedule.pairs, store.meta().pairs, store.count()) == (3, 9, 9)
        assert store.meta().over


def test_parts_must_be_all_of_one_tournament(tmp_path: Path, results: Results) -> None:
    """Part 3, or parts 2 and 3, are missing; part 1 is there twice."""
    first, second = results("one", Shard(1, 3)), results("two", Shard(2, 3))
    assert refusal(tmp_path, first) == "these parts are missing: 2/3, 3/3"
    assert refusal(tmp_path, second, first) == "these parts are missing: 3/3"
    again = results("again", Shard(1, 3))
    assert (
        refusal(tmp_path, first, again) == f"part 1/3 is there twice: {first.path} and {again.path}"
    )


def test_part_of_another_division_or_a_whole_is_refused(tmp_path: Path, results: Results) -> None:
    """Part 2/2 does not go with part 1/3, nor does a tournament that was played as a whole."""
    first, half = results("one", Shard(1, 3)), results("half", Shard(2, 2))
    assert (
        refusal(tmp_path, first, half) == f"{half.path} is part 2/2, and {first.path} is part 1/3"
    )
    whole = results("all")
    message = f"{whole.path} is not a part, and {first.path} is part 1/3"
    assert refusal(tmp_path, whole, first) == message


def test_unfinished_part_is_not_merged(tmp_path: Path, results: Results) -> None:
    """Part 1 of 2 of six pairs has three, of which one was played."""
    begun, second = results("begun", Shard(1, 2), 1), results("two", Shard(2, 2))
    assert refusal(tmp_path, second, begun) == (
        f"{begun.path}: part 1/2 is not finished: 1 of its 3 pairs are played"
    )


def test_parts_of_other_tournaments_are_refused(tmp_path: Path, results: Results) -> None:
    """A part has another seed or a schedule that followed from results; the target has results."""
    part, other = results("one"), ResultsFolder(tmp_path / "other")
    play(league(tmp_path, head=HEAD.replace("seed: 5", "seed: 6")), other)
    assert refusal(tmp_path, part, other) == (
        f"{other.path} is a part of another tournament than {part.path}:\n"
        "  seed: stored is 5000000000000000, there it is 6000000000000000"
    )
    swiss = ResultsFolder(tmp_path / "swiss")
    play(league(tmp_path, head=HEAD + "format: swiss\nrounds: 1\n"), swiss)
    assert refusal(tmp_path, swiss) == (
        f"{swiss.path}: who plays whom followed from results (swiss, or `until`), so parts that"
        " were played apart are not one tournament"
    )
    with pytest.raises(StoreError) as caught:
        merge([part.path], other)
    assert str(caught.value) == (f"{other.path}: there are results here already; name a new folder")


def test_changed_parts_are_refused(tmp_path: Path, results: Results) -> None:
    """A part has a record that was changed, or a pair that went otherwise than in another part."""
    original, changed = results("one"), results("two")
    with closing(sqlite3.connect(changed.database)) as connection:
        connection.execute("UPDATE games SET record = replace(record, 'failed', 'won')")
        connection.commit()
    assert refusal(tmp_path, original, changed) == (
        f"{changed.path}: its records are not what was played; `pwtourney verify` says more"
    )

    def lose_first(job: Job) -> PairResult:
        first, second = (lose(setup, 0) for setup in job.games)
        return PairResult(job.pair, (first, second))

    three = ResultsFolder(tmp_path / "three")
    play(league(tmp_path), three, Paper(lose_first))
    assert refusal(tmp_path, original, three) == (
        f"pair 0 went otherwise in {three.path} than in {original.path}: it was played twice, and"
        " one of the two must be chosen; leave one part out"
    )


def test_logs_of_parts_are_copied_without_links(tmp_path: Path, results: Results) -> None:
    """Logs of both parts are in the whole; a link could lead to any file."""
    first, second = results("one", Shard(1, 2)), results("two", Shard(2, 2))
    for folder, bot, text in (
        (first, "ada", "first"),
        (second, "ada", "second"),
        (second, "bob", "x"),
    ):
        log = folder.logs / bot / f"{folder.path.name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(text)
    (second.logs / "bob/link.log").symlink_to(second.logs / "bob/two.log")
    (second.logs / "bob/notes.txt").write_text("no log")
    target = merged(tmp_path, first, second)
    copied = {path.relative_to(target.logs): path.read_text() for path in target.logs.glob("*/*")}
    assert copied == {
        Path("ada/one.log"): "first",
        Path("ada/two.log"): "second",
        Path("bob/two.log"): "x",
    }


def test_unreadable_logs_are_one_clear_error(tmp_path: Path, results: Results) -> None:
    """A file is where the folder of logs would be made."""
    part = results("one")
    (part.logs / "ada").mkdir(parents=True)
    (part.logs / "ada/0.0.log").write_text("x")
    with ResultsFolder(tmp_path / "whole") as target:
        target.logs.write_text("in the way")
        with pytest.raises(StoreError) as caught:
            merge([part.path], target)
    # 17 and 20 are EEXIST and ENOTDIR, depending on where the file is found
    assert str(caught.value).startswith(f"{target.logs}: cannot copy the logs: ")


def test_merge_disqualifies_with_the_faults_of_all_parts(tmp_path: Path) -> None:
    """Bob fails in pair 0 of one part, which makes pair 66 of the other part void."""
    head = HEAD.replace("pairs: 2", "pairs: 67") + "max_faults: 1\n"
    whole = league(tmp_path, ADA, BOB, head=head)
    parts = []
    for number in (1, 2):
        # the store says a whole tournament, of which only one pair was played
        folder = ResultsFolder(tmp_path / f"part{number}")
        folder.prepare()
        with closing(open_results(folder, whole)) as store:
            part = whole._replace(shard=Shard(1 if number == 1 else 67, 67))
            run_tournament(part, store, Paper(), lambda _: None)
        parts.append(folder)
    with closing(Store.open(merged(tmp_path, *parts).database)) as store:
        games = [(game.pair, str(game.verdict), game.note) for game in store.records()]
    reason = "bob is disqualified after 1 faults"
    assert games == [
        (0, "crash", ""),
        (0, "crash", ""),
        (66, "disqualified", reason),
        (66, "disqualified", reason),
    ]


def test_parts_of_an_extended_league_are_merged(tmp_path: Path) -> None:
    """Each machine has pair 0 of the league, and plays a part of the two pairs of the new bot."""
    head = HEAD.replace("pairs: 2", "pairs: 1")
    old, grown = league(tmp_path, ADA, BOB, head=head), league(tmp_path, head=head)
    parts = []
    for number in (1, 2):
        folder = ResultsFolder(tmp_path / f"part{number}")
        play(old, folder)
        play(grown._replace(shard=Shard(number, 2)), folder, extend=True)
        parts.append(folder)
    with ResultsFolder(tmp_path / "whole") as target:
        assert merge([part.path for part in parts], target)[:2] == (3, 1)
    with closing(Store.open(target.database)) as store:
        assert list(verify(store)) == []
        (version,) = store.meta().league_versions
        assert (version.first, version.records, store.meta().over) == (1, 2, True)
        assert version.began == "1970-01-01T00:00:00Z"
        assert (store.meta().pairs, store.meta().bots) == (3, ("ada", "bob"))
    shorter = ResultsFolder(tmp_path / "old")
    play(old, shorter)
    assert refusal(tmp_path / "x", parts[0], shorter) == (
        f"{parts[0].path} is in version 2 of the league, and {shorter.path} in version 1; to play a"
        " version of a league on several machines, copy one folder and play its parts with"
        " `pwtourney run --extend --shard K/N`"
    )
    empty = ResultsFolder(tmp_path / "empty")
    empty.prepare()
    open_results(empty, old).close()
    play(grown._replace(shard=Shard(2, 2)), empty, extend=True)
    message = refusal(tmp_path / "x", parts[0], empty)
    assert message.startswith(
        f"{empty.path} was extended without pair 0, which is in {parts[0].path}; to play a version"
    )
    message = refusal(tmp_path / "x", empty, parts[0])
    assert message.startswith(
        f"{empty.path} was extended without pair 0, which is in {parts[0].path}; to play a version"
    )


def test_versions_are_dated_at_the_earliest_start(tmp_path: Path) -> None:
    """A league that was extended without new pairs keeps the version; another bot is refused."""
    head = HEAD.replace("pairs: 2", "pairs: 1")
    old, grown = league(tmp_path, ADA, BOB, CY, head=head), league(tmp_path, ADA, BOB, head=head)
    parts = []
    for number, day in ((1, 9), (2, 5)):
        folder = ResultsFolder(tmp_path / f"part{number}")
        play(old, folder)
        fitted = fit_into_league(grown, folder, extend=True)
        later = 86_400.0 * day
        open_results(folder, fitted, extend=True, now=partial(float, later)).close()
        parts.append(folder)
    with closing(Store.open(merged(tmp_path, *parts).database)) as store:
        (version,) = store.meta().league_versions
        assert (version.began, version.first) == ("1970-01-06T00:00:00Z", 3)
        assert version.bots == ("ada", "bob")
        assert list(verify(store)) == []
