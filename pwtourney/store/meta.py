"""What a store says of itself: which facts must be there, and of which kind."""

from typing import Any

__all__ = ["meta_problem"]

_META = {
    "name": str,
    "bots": list,
    "facts": dict,
    "edition": dict,
    "schedule": dict,
    "ratings": dict,
    "over": bool,
    "league_versions": list,
    "pairs": int,
    "chain": dict,
    "version": str,
}


def meta_problem(meta: dict[str, Any]) -> str | None:
    """Return the first fact about the tournament that is missing or of another kind."""
    for key, kind in _META.items():
        if type(meta.get(key)) is not kind:
            return f"{key} is {meta.get(key)!r:.60}"
    bots, facts, edition = meta["bots"], meta["facts"], meta["edition"]
    if not bots or not all(type(bot) is str for bot in bots) or len(set(bots)) != len(bots):
        return "bots are not names"
    if type(facts.get("seed")) is not int or type(facts.get("edition")) is not str:
        return "facts have no seed and edition"
    chain = meta["chain"]
    if type(chain.get("head")) is not str or type(chain.get("records")) is not int:
        return "the chain has no head and no count"
    if not all(_is_league_version(each) for each in meta["league_versions"]):
        return "a version of the league is malformed"
    lines = edition.get("lines")
    if type(edition.get("name")) is not str or type(lines) is not list:
        return "the edition is missing"
    return (
        None if all(type(line) is str for line in lines) else "the edition is not written in lines"
    )


def _is_league_version(value: Any) -> bool:
    kinds = {"records": int, "first": int, "closed": dict, "bots": list, "facts": dict}
    return (
        isinstance(value, dict)
        and all(type(value.get(key)) is kind for key, kind in kinds.items())
        and all(type(bot) is str for bot in value["bots"])
        and {"format", "pairs", "deals", "until"} <= value["closed"].keys()
    )
