"""Jobs on the pipe to a worker: values that jobs share are sent once."""

import pytest
from multiprocess import Pipe

from pwtourney.executor import wire
from pwtourney.executor.wire import JobReader, JobWriter
from pwtourney.match import Job
from pwtourney.rules import find_edition
from tests.match.helpers import FRUGAL, RANDOM, setup


def jobs(count: int) -> list[Job]:
    """Return pairs between two bots, each on its own deal."""
    return [
        Job(number, (setup(RANDOM, FRUGAL, number), setup(FRUGAL, RANDOM, number)), number % 3)
        for number in range(count)
    ]


def test_jobs_arrive_as_they_were_sent() -> None:
    """Bots, edition, deal and seeds are the same at the other end."""
    ours, theirs = Pipe()
    writer, reader = JobWriter(ours), JobReader(theirs)
    for job in jobs(5):
        writer.send(job)
        assert reader.receive() == job


def test_bots_and_edition_are_sent_once() -> None:
    """The second job has a tenth of the bytes of the first, and shares its objects."""
    ours, theirs = Pipe()
    writer, reader = JobWriter(ours), JobReader(theirs)
    sizes, received = [], []
    for job in jobs(2):
        writer.send(job)
        message = theirs.recv_bytes()
        sizes.append(len(message))
        ours_again, theirs_again = Pipe()
        ours_again.send_bytes(message)
        reader._pipe = theirs_again
        received.append(reader.receive())
    assert sizes[1] * 10 < sizes[0]
    first, second = (job.games[0] for job in received)
    assert first.edition is second.edition
    assert first.bots[0] is second.bots[0]


def test_equal_editions_keep_their_names() -> None:
    """Editions are equal if they play alike, but a record needs the name of the one sent."""
    edition = find_edition("original")
    first, second = setup(RANDOM, FRUGAL), setup(FRUGAL, RANDOM)
    other = edition.__class__.__new__(edition.__class__)
    for name in edition.__slots__:
        object.__setattr__(other, name, getattr(edition, name))
    object.__setattr__(other, "name", "another-name")
    assert other == edition
    ours, theirs = Pipe()
    JobWriter(ours).send(Job(0, (first._replace(edition=edition), second._replace(edition=other))))
    games = JobReader(theirs).receive().games
    assert [game.edition.name for game in games] == ["original", "another-name"]


@pytest.mark.slow
def test_list_of_shared_values_is_bounded() -> None:
    """A bot that is a new value in each job is forgotten after some thousands of jobs."""
    ours, theirs = Pipe()
    writer, reader = JobWriter(ours), JobReader(theirs)
    for job in jobs(1) * (wire._MOST // 2 + 10):
        first, second = (
            game._replace(bots=(game.bots[0]._replace(), game.bots[1]._replace()))
            for game in job.games
        )
        fresh = job._replace(games=(first, second))
        writer.send(fresh)
        assert reader.receive() == fresh
    assert len(writer._values) < wire._MOST
    assert len(reader._values) < wire._MOST
