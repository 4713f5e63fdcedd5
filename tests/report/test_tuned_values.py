"""Tuned options as text: values to paste, and the path of the estimate as numbers."""

import yaml

from pwtourney.report.tuned_values import tuned_yaml, tuning_json
from tests.report.handmade import TUNED


def test_tuned_values_are_a_set_to_paste_with_comments() -> None:
    """Each line ends with the start; a name that YAML reads otherwise is quoted."""
    text = tuned_yaml(TUNED)
    assert text == (
        "# magpie after 30 of 60 probes (120 games) by bayes.\n"
        "# Paste it into the entry of the bot; each line ends with the value at the start.\n"
        "set:\n"
        "  pace: 2.25  # 1.5\n"
        '  "on": 7     # 4\n'
    )
    assert yaml.safe_load(text) == {"set": {"pace": 2.25, "on": 7}}
    assert tuned_yaml(TUNED._replace(bot="a\nb")).startswith("# a?b after ")


def test_result_of_a_tuning_has_the_documented_keys() -> None:
    """`docs/reports.md` lists them; numbers have 6 digits, and values are as a bot gets them."""
    assert tuning_json(TUNED) == {
        "bot": "magpie",
        "against": ["wren", "crow"],
        "method": "bayes",
        "probes": 30,
        "probes_planned": 60,
        "games": 120,
        "set": {"pace": "2.25", "on": "7"},
        "options": [
            {
                "name": "pace",
                "kind": "float",
                "start": 1.5,
                "low": 0.5,
                "high": 4.0,
                "value": 2.25,
                "estimate": 2.251235,
                "spread": 0.25,
                "sensitivity": 12.345679,
            },
            {
                "name": "on",
                "kind": "int",
                "start": 4.0,
                "low": 0.0,
                "high": 9.0,
                "value": 7,
                "estimate": 6.875,
                "spread": 1.5,
                "sensitivity": None,
            },
        ],
        "path": [
            {
                "probes": 10,
                "values": {"pace": 1.5, "on": 4.0},
                "spreads": {"pace": 0.5, "on": 3.0},
            },
            {
                "probes": 30,
                "values": {"pace": 2.251235, "on": 6.875},
                "spreads": {"pace": 0.25, "on": 1.5},
            },
        ],
    }
