"""Items, evidence and files, made by hand."""

from crewmem.consolidation.item import Evidence, Item, Score
from crewmem.consolidation.piece import digest_of
from crewmem.consolidation.plan import File

SCORE = Score(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.7)

TODAY = "2026-05-01"


def evidence(ref="agent:harbor/mira/daily/2026-04-14.md:1", **fields):
    """Return a place that says something; of a line, unless *fields* say otherwise."""
    quote = fields.pop("quote", "- the pier gate sticks")
    told = {
        "source": "daily",
        "kind": "Deploys",
        "sha256": digest_of(quote),
        "day": "2026-04-14",
        "agent": "mira",
        "quote": quote,
    }
    return Evidence(ref=ref, **(told | fields))


PLACES = (
    evidence(),
    evidence("agent:harbor/theo/daily/2026-04-15.md:1", day="2026-04-15", agent="theo"),
)


def item(number=1, **fields):
    """Return an observation of the crew, unless *fields* say otherwise."""
    told = {
        "kind": "observation",
        "crew": "harbor",
        "agent": "",
        "title": "",
        "text": f"The pier gate number {number} sticks",
        "confidence": 0.8,
        "score": SCORE,
        "evidence": PLACES,
    }
    return Item(id=f"c_{number:012}", **(told | fields))


def file(ref="crew:harbor/CREW.md", content=b"# harbor\n", cap=4000, trouble=""):
    """Return a file that items may go to."""
    return File(ref, content, cap, trouble)
