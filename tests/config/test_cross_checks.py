"""Conflicts between keys are reported together with malformed values, without guessing."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.config import TournamentConfig, load_config, read_config
from pwtourney.errors import ConfigError
from pwtourney.schedule.formats.focus import SweepConfig
from tests.config.test_config import problems, written

BROKEN = """\
seed: x
rounds: 5
pairs: 0
anchor: {gredy: 1000}
prior: -1
gates: [much, elo(magpie) > 0]
challengers: [nobody]
until: {interval: 0}
bots: [random, {id: greedy, file: 3}, {bot: frugal, clock: {move: 1}}]
"""


VALUES: tuple[object, ...] = (
    None,
    True,
    5,
    -1,
    1.5,
    10**30,
    "",
    "x",
    "a.txt",
    "none",
    "original",
    "swiss",
    "sprt",
    "solo",
    "gauntlet",
    [],
    {},
    {"a": 1},
    {"move": "1s"},
    {"b": "x"},
    [1],
    ["a", "b"],
    ["a", "a"],
    ["a", 5],
    [None],
    [{"bto": 1}],
    [{"id": "a", "file": "c"}],
    [{"bot": "a", "trusted": False}, "b"],
    [{"id": "a", "bot": "b", "file": "c"}],
    ["elo(a) > 1", "bad", "elo(z) > 1"],
)
"""Values for any key, valid or invalid there."""


def list_messages(folder: Path, text: str) -> list[str]:
    """Return key and message of each problem of a file, in their order."""
    return [line.partition(": ")[2] for line in problems(folder, text)]


def test_all_problems_are_reported_in_one_run(tmp_path: Path) -> None:
    """Names of bots are known even if their entries are invalid, and gates keep their index."""
    bots = "the bots are random, greedy, frugal"
    expected = [
        "seed: expected a whole number, not 'x'",
        "rounds: goes with format: swiss, and the format is round-robin",
        "pairs: expected at least 1, not 0",
        f"anchor.gredy: there is no bot 'gredy'; {bots}",
        "prior: expected 0, or a number from 0.01 to 1000",
        "gates[0]: expected a comparison, such as elo(new) >= elo(old)",
        f"gates[1]: there is no bot 'magpie'; {bots}",
        "challengers: goes with format: gauntlet, and the format is round-robin",
        f"challengers[0]: there is no bot 'nobody'; {bots}",
        "until.interval: expected more than 0, not 0",
        "bots[1].file: expected a text",
        "bots[2].clock.move: expected a duration",
    ]
    messages = list_messages(tmp_path, BROKEN)
    assert len(messages) == len(expected), messages
    for line, start in zip(messages, expected, strict=True):
        assert line.startswith(start)


def test_odd_names_of_bots_or_keys_hide_no_other_problem(tmp_path: Path) -> None:
    """A bot may be called `unknown`, and an unknown key may be called "names of bots"."""
    text = "prior: -1\nanchor: {gredy: 0}\nbots: [unknown, greedy]\n"
    assert "anchor.gredy: there is no bot 'gredy'; the bots are unknown, greedy" in list_messages(
        tmp_path, text
    )
    text = "names of bots: 2\nanchor: {gredy: 0}\nbots: [random, greedy]\n"
    assert len(list_messages(tmp_path, text)) == 2


@pytest.mark.parametrize("key", [1, (1, 2), None])
def test_anchor_that_is_not_a_string_is_one_more_problem(key: object) -> None:
    """A program may pass any mapping, whereas the keys of a file are strings."""
    with pytest.raises(ConfigError) as caught:
        read_config({"anchor": {key: 2, "1": "x"}, "bots": ["a", "b"]}, Path("/nowhere"))
    assert len(caught.value.problems) >= 2
    assert all(": anchor" in line for line in caught.value.problems)


@pytest.mark.parametrize("key", [1, (1, 2), None])
def test_key_that_is_not_a_string_is_one_more_problem(key: object) -> None:
    """A program may pass any mapping, whereas the keys of a file are strings."""
    with pytest.raises(ConfigError) as caught:
        read_config({key: 2, "prior": -1, "bots": ["a", "b"]}, Path("/nowhere"))  # type: ignore[dict-item]
    assert len(caught.value.problems) == 2


def test_duplicate_names_are_reported_even_for_invalid_bots(tmp_path: Path) -> None:
    """The name is the id or derived from the bot; bots without a known name are no duplicates."""
    text = "bots: [greedy, {bot: greedy, clok: 1s}, {id: a}, {id: a, bot: x}, {bot: 5}, {bot: 6}]\n"
    assert [
        line.partition(":")[::2] for line in list_messages(tmp_path, text) if "second" in line
    ] == [
        ("bots[1]", " a second bot is called 'greedy'; give it an `id` of its own"),
        ("bots[3]", " a second bot is called 'a'; give it an `id` of its own"),
    ]


def test_invalid_bot_does_not_shift_positions_of_others(tmp_path: Path) -> None:
    """A problem of a later bot or gate is reported with its own index."""
    text = (
        "sandbox: none\ngates: [much, elo(b) > 0, elo(z) > 0]\n"
        "bots: [{id: a, bot: [1]}, {id: b, bot: x, trusted: false}]\n"
    )
    starts = [line.partition(": ")[0] for line in list_messages(tmp_path, text)]
    assert starts == ["gates[0]", "gates[2]", "bots[0].bot", "bots[1]"]
    (tmp_path.parent / "y.py").touch()
    text = "bots: [{bot: 5}, {bot: x}, {file: ../y.py}]\n"
    with pytest.raises(ConfigError, match=r"bots\[2\].file: with --untrusted ../y.py must lie"):
        load_config(written(tmp_path, text), confined=True)


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("format: rond\ndeals: nix.txt\nbots: [a, b]", ["format", "deals: there is no file"]),
        (
            "format: rond\ngates: [elo(nobody) > 0]\nanchor: {nix: 0}\nbots: [a, b]",
            ["format", "gates[0]: there is no bot 'nobody'", "anchor.nix: there is no bot 'nix'"],
        ),
        (
            "anchor: {a: x, nobody: 1}\nbots: [a, b]",
            ["anchor.a: expected a number", "anchor.nobody: there is no bot"],
        ),
        (
            "anchor: {nobody: x}\nbots: [a, b]",
            ["anchor.nobody: expected a number", "anchor.nobody: there is no bot 'nobody'"],
        ),
        (
            "format: gauntlet\nchallengers: [1, nobody, a, a]\nbots: [a, b]",
            ["challengers[0]: expected a text", "challengers[1]: there is no", "challengers[3]: "],
        ),
    ],
)
def test_invalid_value_hides_no_independent_problem(
    text: str, starts: list[str], tmp_path: Path
) -> None:
    """Problems of other keys, and of other entries of the same key, are still reported."""
    messages = list_messages(tmp_path, text)
    assert len(messages) == len(starts), messages
    assert all(line.startswith(start) for line, start in zip(messages, starts, strict=True)), (
        messages
    )


def test_automa_may_be_named_if_the_format_is_misspelt(tmp_path: Path) -> None:
    """Its name is valid in one format, so it is no problem while the format is unknown."""
    (line,) = list_messages(tmp_path, "format: sole\ngates: [elo(automa) < 9]\nbots: [a, b]")
    assert line.startswith("format: expected ")
    assert len(list_messages(tmp_path, "gates: [elo(automa) < 9]\nbots: [a, b]")) == 1


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("format: robin\nrounds: 2\nbots: [a, b]\n", "format: "),
        ("format: robin\nbots: [a]\n", "format: "),
        ("gates: [elo(b) > 0]\nbots: [a, {bto: b}]\n", "bots[1]"),
        ("anchor: {b: 0}\nbots: [a, {id: B}]\n", "bots[1]: "),
        ("anchor: {b: 0}\nbots: [a, 5]\n", "bots[1]: "),
        ("anchor: {b: 0}\ngates: [elo(c) > 0]\nbots: none\n", "bots: "),
        ("anchor: {b: 0}\nformat: gauntlet\nchallengers: [b]\n", "bots: "),
        ("format: swiss\nrounds: many\nbots: [a, b]\n", "rounds: "),
        ("format: swiss\nuntil: {intervall: 3}\nbots: [a, b]\n", "until"),
        ("format: solo\nedition: 5\nbots: [a]\n", "edition: "),
        ("deals: some\nformat: sprt\nbots: [a, b]\n", "deals: "),
        ("gates: 5\nanchor: 5\nbots: [a, b]\n", ("gates: ", "anchor: ")),
        ("challengers: 5\nformat: gauntlet\nbots: [a, b]\n", "challengers: "),
        ("defaults: {trusted: no way}\nbots: [a, {bot: b, processes: persistent}]\n", "defaults"),
    ],
)
def test_problems_that_depend_on_an_invalid_key_are_omitted(
    text: str, only: str | tuple[str, ...], tmp_path: Path
) -> None:
    """Each line is about the invalid key: a default in its place would give wrong advice."""
    messages = list_messages(tmp_path, text)
    assert messages
    assert all(line.startswith(only) for line in messages), messages


def test_untrusted_file_is_checked_as_completely(tmp_path: Path) -> None:
    """This holds even if a path leads out of its folder."""
    text = "seed: x\nprior: -1\ndeals: {}\nbots: [random, greedy]\n"
    named = ["seed", "prior", "deals"]
    for deals in ("none.txt", "../a.txt"):
        with pytest.raises(ConfigError) as caught:
            load_config(written(tmp_path, text.format(deals)), confined=True)
        assert [line.split(": ")[1] for line in caught.value.problems] == named


def test_sandbox_none_is_no_problem_if_a_sandbox_is_forced(tmp_path: Path) -> None:
    """With `--untrusted`, or if a bot has its own sandbox, `sandbox: none` is not refused."""
    text = "sandbox: none\ndefaults: {trusted: false}\nbots: [random, greedy]\n"
    assert len(problems(tmp_path, text)) == 2
    assert load_config(written(tmp_path, text), confined=True).config.sandbox == "none"
    own = text.replace("[random, greedy]", "[{bot: a, sandbox: auto}, {bot: b, trusted: true}]")
    assert len(load_config(written(tmp_path, own)).config.bots) == 2


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from([*TournamentConfig.model_fields]), st.sampled_from(VALUES)))
def test_any_values_are_read_or_refused_without_duplicates(values: dict[str, object]) -> None:
    """No combination of values leads to another exception."""
    try:
        read_config(values, Path("/nowhere"))
    except ConfigError as error:
        assert error.problems
        assert len(set(error.problems)) == len(error.problems)


@pytest.mark.parametrize(
    ("steps", "values"),
    [
        ({"low": 0, "high": 1, "steps": 4}, [0.0, 0.333333333, 0.666666667, 1.0]),
        ({"low": 0.1, "high": 0.5, "steps": 5}, [0.1, 0.2, 0.3, 0.4, 0.5]),
        ({"low": 0, "high": 20, "steps": 5}, [0, 5, 10, 15, 20]),
        ({"low": 0, "high": 3e-9, "steps": 4}, [0.0, 1e-9, 2e-9, 3e-9]),
        ({"low": 0, "high": 1e-9, "steps": 3}, [0.0, 5e-10, 1e-9]),
    ],
)
def test_sweep_values_are_round_numbers_with_both_ends(
    steps: dict[str, float], values: list[float]
) -> None:
    """Values have few digits, and tiny steps give as many values as large ones."""
    sweep = SweepConfig.model_validate({"bot": "magpie", "options": {"pace": steps}})
    assert sweep.values() == {"pace": values}
