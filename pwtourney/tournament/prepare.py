"""Before anything is played: every bot kept apart, and prepared in what keeps it apart."""

from collections.abc import Sequence
from pathlib import Path

from pwtourney.errors import PreparationError
from pwtourney.prepare import Preparation, Tell, prepare, root_warnings
from pwtourney.registry import hook_command, own_places
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sanitize import sanitize
from pwtourney.tournament.entrants import Entrant
from pwtourney.tournament.isolate import isolate

__all__ = ["make_ready", "preparation_of"]


def make_ready(
    entrants: Sequence[Entrant],
    private: Sequence[Path],
    groups: CgroupRoot | None,
    tell: Tell,
    warn: Tell,
) -> tuple[Entrant, ...]:
    """Find what keeps each bot from the rest here, and let those prepare that have to.

    `private` are files and folders that no bot may read. `tell` takes a line about each bot that
    has something to do, and `warn` what is lacking, before the first bot runs. Raises
    `SandboxError` and `PreparationError`, each with every bot that cannot be started. What goes
    wrong with a bot that is not trusted is a warning: it may play, and lose, but cannot keep others
    from playing.
    """
    isolated = isolate(entrants, private, groups)
    done: list[Entrant] = []
    problems: list[str] = []
    concerned = filter(preparation_of, isolated.entrants)
    kept = root_warnings(entrant.spec.isolation for entrant in concerned)
    for warning in (*isolated.warnings, *kept):
        warn(warning)
    for entrant in isolated.entrants:
        if entrant.unbuilt:
            warn(_in_a_line(f"{entrant.spec.id} loses: {entrant.unbuilt}"))
        wanted = preparation_of(entrant)
        if wanted is None:
            done.append(entrant)
            continue
        try:
            launch = prepare(wanted, tell)
        except PreparationError as error:
            launch = entrant.spec.launch
            if wanted.may_fail:
                warn(_in_a_line(str(error)))
            else:
                problems.append(str(error))
        done.append(entrant._replace(spec=entrant.spec._replace(launch=launch)))
    if problems:
        raise PreparationError("\n".join(dict.fromkeys(problems)))
    return tuple(done)


def _in_a_line(text: str) -> str:
    return sanitize("; ".join(text.split("\n")))


def preparation_of(entrant: Entrant) -> Preparation | None:
    """Return what is to be done for a bot; None for a command, which has no hook."""
    spec = entrant.spec
    hook = hook_command(spec.launch)
    if hook is None:
        return None
    return Preparation(
        spec.id,
        spec.launch,
        hook,
        own_places(spec.launch),
        spec.limits,
        spec.isolation,
        entrant.patience_ms,
        related=not entrant.files,
        may_fail=entrant.trusted is False,
    )
