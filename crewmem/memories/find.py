"""Finding the memories that answer a question, by words and by vectors.

How likely they answer is the number of all stores (see `retrieval.gate`). With the
development half of LoCoMo remembered as context, 760 questions and 1,994 of other
conversations: at 0.70 91 % of the questions are answered, and 4.9 % of the foreign ones
(at 0.60, 93 % and 6.6 %); by words alone 93 % and 7.0 %. Of questions on another field,
Cranfield's and SciFact's, none is.
"""

from __future__ import annotations

from crewmem.db.connect import one_moment
from crewmem.hybrid import seeker
from crewmem.hybrid.scoring import USUAL
from crewmem.hybrid.seeker import Asker, Seeker, Store
from crewmem.journal.tokenizer import stemmer
from crewmem.memories import edges_store
from crewmem.memories.held import held, weight_now
from crewmem.memories.hit import Answer, Hit, Why
from crewmem.memories.scoring import engram, prior
from crewmem.memories.spaces import seq_of
from crewmem.memories.weights_store import weighed
from crewmem.memories.words_store import Words, told
from crewmem.records import NamedTuple
from crewmem.retrieval.marked import marked
from crewmem.retrieval.matches import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from crewmem.hybrid.dense import Sense
    from crewmem.hybrid.scoring import Balance, Scored
    from crewmem.hybrid.seeker import Found
    from crewmem.memories.held import Held
    from crewmem.memories.memory import Memory
    from crewmem.memories.store import Filter, Memories
    from crewmem.retrieval.words import Tokenize


class Policy(NamedTuple):
    """How to find.

    Attributes:
        limit: Most hits.
        by_engram: Whether Engram's composite ranks them.
        balance: What counts how much.
    """

    limit: int = 10
    by_engram: bool = False
    balance: Balance = USUAL


class Means(NamedTuple):
    """What meaning is compared with.

    Attributes:
        sense: None where words alone are asked.
        why: Why they are; "" if nobody expected otherwise.
    """

    sense: Sense | None = None
    why: str = ""


WORDS_ALONE = Means()


class _Weighed:
    """Memories with what is counted about them; what was read is kept."""

    def __init__(self, memories: Memories, wanted: Filter) -> None:
        self._memories, self._now = memories, wanted.now
        self._known: dict[int, Held] = {}

    def of(self, keys: Collection[int]) -> dict[int, Held]:
        """Return the memories of *keys*."""
        lacking = {seq_of(key): key for key in keys if key not in self._known}
        if lacking:
            found = self._memories.by_seq(lacking)
            for each in held(self._memories.db, [*found.values()], self._now):
                self._known[lacking[each.memory.seq]] = each
        return {key: self._known[key] for key in keys if key in self._known}

    def importance(self, keys: Collection[int]) -> dict[int, float]:
        """Return what each of *keys* weighs, in [0, 1]."""
        by_seq = {seq_of(key): key for key in keys}
        return {
            by_seq[each.seq]: weight_now(each, self._now)
            for each in weighed(self._memories.db, by_seq)
        }


def find(
    memories: Memories,
    wanted: Filter,
    text: str,
    policy: Policy,
    tokenize: Tokenize,
    means: Means = WORDS_ALONE,
) -> Answer:
    """Return the memories within *wanted* that answer *text*, best first."""
    words, weights = Words(memories, wanted), _Weighed(memories, wanted)
    asks = Seeker(
        Store(words, weights, tokenize, stemmer(memories.db)),
        Asker(wanted.view.agent or "", words.actors(), wanted.now.date()),
        seeker.Policy(k=policy.limit, balance=policy.balance),
        means.sense,
        why=means.why,
    )
    question = asks.read(text)
    words.mean(question.facts.actors)
    vectors = asks.embedded([question])
    with one_moment(memories.db):
        (meant,) = asks.meant([question], vectors)
        found = asks.found(meant)
        ranked = found.answer.hits
        if policy.by_engram:
            ranked = _by_engram(found, weights.of([one.seq for one in ranked]))
        shown = _led(memories, ranked)[: policy.limit]
        by_key = weights.of([one.seq for one in shown])
    asks.tell_damage()
    hits = [_hit(one, by_key[one.seq], found, policy, tokenize) for one in shown]
    mode = "words" if found.mode == "sparse" else found.mode
    return Answer(mode, hits, asks.warnings, found.answer.relevance)


def _by_engram(found: Found, by_key: dict[int, Held]) -> list[Scored]:
    hits = found.answer.hits
    composite = {one.seq: _engram(one, by_key[one.seq], found) for one in hits}
    return sorted(hits, key=lambda one: (-composite[one.seq], one.seq))


def _led(memories: Memories, ranked: list[Scored]) -> list[Scored]:
    """Return *ranked* with each summary that is in it before the details it is made of.

    Those that are warm stand behind it, and fill what is left.
    """
    places = {seq_of(one.seq): one for one in ranked}
    leads = edges_store.summaries(memories.db, places)
    if not leads:
        return ranked
    told: dict[int, Scored] = {}
    for seq, one in places.items():
        for lead in leads.get(seq, ()):
            if lead in places:
                told.setdefault(lead, places[lead])
        told.setdefault(seq, one)
    return [*told.values()]


def _engram(one: Scored, each: Held, found: Found) -> float:
    """Return Engram's composite, whose similarity is the cosine where there is one."""
    near = found.cosines.get(one.seq)
    return engram(one.coverage if near is None else max(near, 0.0), each)


def _hit(
    one: Scored, each: Held, found: Found, policy: Policy, tokenize: Tokenize
) -> Hit:
    memory, trust, composite = each.memory, each.trust, _engram(one, each, found)
    body, terms = memory.content.strip(), found.read.terms
    snippet, places = marked(body, matches(body, terms, tokenize))
    near = found.cosines.get(one.seq)
    return Hit(
        ref=memory.id,
        store="memories",
        scope=memory.scope,
        owner=memory.agent or memory.crew or "",
        title=memory.title,
        snippet=snippet,
        matches=places,
        score=round(composite if policy.by_engram else one.score, 6),
        at=memory.updated_at,
        why=_why(one, each, found, composite, tokenize),
        relevance=round(one.relevance, 6),
        kind=memory.kind,
        status=memory.status,
        content=memory.content,
        importance=memory.importance,
        confidence=trust.confidence,
        up=trust.up,
        down=trust.down,
        topic_key=memory.topic_key,
        cosine=None if near is None else round(near, 6),
    )


def _why(
    one: Scored, each: Held, found: Found, composite: float, tokenize: Tokenize
) -> Why:
    held_here = matches(_text(each.memory), found.read.terms, tokenize)
    return Why(
        {
            name: ranked.index(one.seq) + 1
            for name, ranked in found.lists.items()
            if one.seq in ranked
        },
        [*dict.fromkeys(name for _, _, name in held_here)],
        round(one.why.get("words", (0.0, 0.0))[0], 6),
        round(one.coverage, 6),
        round(prior(each), 6),
        round(composite, 6),
        one.told(),
    )


def _text(memory: Memory) -> str:
    labels = " ".join([*memory.tags, *memory.entities])
    return told(memory.title, memory.content, labels)
