"""Invalid `tune` and `sweep` sections, and the messages for them."""

__all__ = ["TUNE_MESSAGES"]

_TWO = "bots: [random, greedy]\n"
_TUNE = "tune: {{bot: greedy, options: [time_value], {}}}\n" + _TWO
_SWEEP = "sweep: {{bot: greedy, options: {}}}\n" + _TWO
_NAMES = "expected a list of names, or {NAME: [LOWEST, HIGHEST]}"
_MINUS = """\
tune: {bot: greedy, options: [a], against: [greedy-]}
bots: [greedy, {id: greedy-, bot: random}]
"""

TUNE_MESSAGES = [
    ("tune: {bot: greedy}\n" + _TWO, "1:7: tune.options: this key is missing"),
    ("tune: {bot: greedy, options: []}\n" + _TWO, "1:30: tune.options: "),
    (
        f"tune: {{bot: greedy, options: [{', '.join(f'a{k}' for k in range(250))}]}}\n" + _TWO,
        "1:30: tune.options: 250 options are too many; at most 20 are tuned at once",
    ),
    ("tune: {bot: greedy, options: [a, a]}\n" + _TWO, "options: an option is listed twice"),
    ("tune: {bot: greedy, options: {a: [1]}}\n" + _TWO, "1:34: tune.options.a"),
    ("tune: {bot: greedy, options: {a: [2, 2]}}\n" + _TWO, "options.a: its range is empty: 2 to 2"),
    ("tune: {bot: gredy, options: [a]}\n" + _TWO, "1:13: tune.bot: there is no bot 'gredy'; the b"),
    (_TUNE.format("probe: 3"), "tune.probe: unknown key (did you mean 'probes'?)"),
    (_TUNE.format("probes: 3, games: 9"), "1:7: tune: give probes or games, not both"),
    (
        _TUNE.format("method: spza"),
        "1:7: tune: unknown tuning method 'spza' (did you mean 'spsa'?)",
    ),
    (
        _TUNE.format("method: spsa, settings: {c_end: 3}"),
        "tuning method spsa: c_end must be a number from 0",
    ),
    (
        _TUNE.format("settings: {seed: 3}"),
        "tuning method bayes: unknown setting 'seed'; known are batch, reach_low, reach_high",
    ),
    (_TUNE.format("confirm: {elo0: 9, elo1: 1}"), "tune.confirm: elo0 must be below elo1"),
    (_TUNE.format("confirm: {elo: 9}"), "tune.confirm.elo: unknown key (did you mean 'elo1'?)"),
    (_TUNE.format("against: [gredy]"), "tune.against[0]: there is no bot 'gredy'; the bots are"),
    (_TUNE.format("against: [greedy]"), "greedy is tuned; without `against` it plays itself"),
    (_TUNE.format("against: [random, random]"), "tune.against[1]: 'random' is listed twice"),
    (
        _MINUS,
        "tune.against[0]: what is tuned plays under this name; give 'greedy-' another id",
    ),
    ("format: tune\n" + _TWO, "1:9: format: tuning needs tune: {bot: BOT, options: [NAME, …]}"),
    ("format: swiss\n" + _TUNE.format(""), "tune: goes with format: tune, and the format is swiss"),
    (
        "gates: [faults(greedy) == 0]\n" + _TUNE.format(""),
        "1:8: gates: a bot that is tuned has no ",
    ),
    ("pairs: 3\n" + _TUNE.format(""), "1:8: pairs: with tune the pairs of a probe are tune.pairs"),
    (
        "until: {interval: 9}\n" + _TUNE.format(""),
        "1:8: until: a bot that is tuned has no rating; ",
    ),
    ("until: {interval: 9, within: 3}\n" + _TWO, "1:8: until: within goes with best"),
    ("until: {spread: 3%}\n" + _TWO, "1:17: until.spread: goes with tune: it is about options"),
    (
        "until: {spread: 3}\n" + _TUNE.format(""),
        "until.spread: expected a share such as 5%, below ",
    ),
    ("tune: {bot: greedy, options: [1, a]}\n" + _TWO, f"1:30: tune.options: {_NAMES}"),
    ("tune: {bot: greedy, options: pace}\n" + _TWO, f"tune.options: {_NAMES}, not 'pace'"),
    ("tune: {bot: greedy, options: {a: [1, 2, 3]}}\n" + _TWO, "a: expected at most 2 entries"),
    (_SWEEP.format("{a: [1]}"), "1:35: sweep.options.a: expected at least two values"),
    (_SWEEP.format("{a: 1}"), "a: expected a list of values, or {low, high, steps}, not 1"),
    (_SWEEP.format("{a: [1, [2]]}"), "a: expected values that are numbers, words, true or false"),
    (_SWEEP.format("{a: {low: 1, steps: 3}}"), "1:35: sweep.options.a.high: this key is missing"),
    (_SWEEP.format("{a: {low: 0, high: 1, steps: 1}}"), "a.steps: expected at least 2, not 1"),
    (
        _SWEEP.format("{a: {low: -1.0e+308, high: 1.0e+308, steps: 4}}"),
        "sweep.options.a: low and high are too far apart for steps between them",
    ),
    (
        _SWEEP.format("{a: {low: 1.0, high: 1.0000000000000002, steps: 4}}"),
        "sweep.options.a: low and high are too close for so many steps",
    ),
    (
        _SWEEP.format("{a: [1, 2], b: [1, 2], c: [1, 2]}"),
        "1:31: sweep.options: expected at most 2 entries",
    ),
    (_SWEEP.format("{a: [1, 1]}"), "1:35: sweep.options.a: a value is listed twice"),
    (_SWEEP.format("{a: [1, 1.0]}"), "sweep.options.a: a value is listed twice"),
    (_SWEEP.format("{a: [true, 'true']}"), "sweep.options.a: a value is listed twice"),
    (_SWEEP.format("{a: [1, '1']}"), "sweep.options.a: a value is listed twice"),
    (_SWEEP.format("{a: {low: 2, high: 1, steps: 3}}"), "low must be less than high"),
    (
        _SWEEP.format("{a: {low: 0, high: 1, steps: 30}, b: {low: 0, high: 1, steps: 30}}"),
        "1:8: sweep: 900 values are too many; at most 400 are compared",
    ),
    (
        _SWEEP.format("{a: [1, 2]}").replace("greedy,", "owl,", 1),
        "1:14: sweep.bot: there is no bot",
    ),
    (
        "anchor: {greedy: 0}\n" + _SWEEP.format("{a: [1, 2]}"),
        "anchor: the bots of a sweep are named",
    ),
    (
        "format: swiss\n" + _SWEEP.format("{a: [1, 2]}"),
        "sweep: goes with format: focus, and the fo",
    ),
]
"""Files, and part of the message for each."""
