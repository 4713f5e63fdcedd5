"""Classifies English words as participles, past forms or adjectives, which are bad function names.

No word list is complete: these have the irregular verbs, and the adjectives used in programs. A
word that is also a verb or a noun, such as `put`, `open` or `rating`, is in none of them.
"""

__all__ = ["is_adjective", "is_participle"]


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IRREGULAR = _split(
    """
    ate awoken beaten become began begun been bent bitten blown borne born bought bred broke broken
    brought built burnt came caught chose chosen crept dealt did done drawn drew driven drove drunk
    eaten fallen fed felt fled flew flown forbidden forgot forgotten fought found froze frozen gave
    given gone got gotten grew grown had heard held hid hidden hung kept knew known laid lain learnt
    led left lent lit lost made meant met paid proven ran ridden rung said sang sat seen sent shaken
    shone shook shot shown shrunk slept slid sold sought spent spilt spoilt spoke spoken sprung spun
    stole stolen stood struck stuck stung sung sunk swept swollen sworn swum taken taught thought
    threw thrown told took torn understood unread went wept woken won wore worn wove woven written
    wrote wrung
    """
)
"""Irregular past forms and participles, without `bound` and `saw`, which are nouns, too."""

_PREFIXES = ("mis", "out", "over", "re", "un", "under", "with")

_VERBS_IN_ED = _split(
    """
    bed bleed breed embed exceed feed heed hundred need proceed red seed shed shred sled speed
    succeed wed weed
    """
)
"""Words in -ed that are verbs or nouns."""

_NOUNS_IN_ING = _split(
    """
    anything beginning being binding bring building ceiling cling coding drawing encoding ending
    evening everything fling greeting heading king listing logging mapping meaning meeting morning
    nothing opening ordering padding pairing ping rating reading ring rounding saving scaffolding
    setting sibling sing sling something spacing spelling spring standing sting string swing thing
    timing training warning wing wording
    """
)
"""Words in -ing that are nouns or verbs."""

_ADJECTIVES = _split(
    """
    absent active actual alike alive alone apart available bad bare basic best better big broad busy
    canonical certain cheap common correct current daily dead deep dense different difficult dirty
    due eager early easy enough equal even exact explicit external extra fair false far fast fatal
    few final fine first flat foreign formal former fresh full general global good great greedy hard
    heavy high honest hot huge idle illegal immutable implicit inert inner innermost internal large
    last late lazy least legal likely little local lone long loose loud low many minor modern more
    most naive narrow native near new noisy normal numeric odd official old only optional ordinary
    other outer outermost own partial pending permanent plain possible precise previous primary
    private proper proportional public pure quick quiet rare raw ready real recent regular relative
    rich right rough safe same secondary sensible serious several shallow sharp short silent similar
    simple single small soft special specific stale steady strange strict strong sure tall temporary
    thick tight tiny true typical unfit unique unlikely unusual usual vague valid various visible
    weak whole wide wild wise worse worst worth wrong young
    """
)

_NO_ADJECTIVES = _split("cable disable enable handful lower table timetable unless variable")
"""Words that look like adjectives but are not."""


def is_participle(word: str) -> bool:
    """Return True if a word is a past form or a participle, and not a verb."""
    if word.endswith("ed"):
        return word not in _VERBS_IN_ED and len(word) > 3
    if word.endswith("ing"):
        return word not in _NOUNS_IN_ING
    return any(word.removeprefix(prefix) in _IRREGULAR for prefix in ("", *_PREFIXES))


def is_adjective(word: str) -> bool:
    """Return True if a word is an adjective, its comparative or its superlative, and not a verb."""
    if word in _NO_ADJECTIVES:
        return False
    if word in _ADJECTIVES or word.endswith(("able", "ible", "less", "ous", "ful")):
        return True
    return any(word.endswith(ending) and _is_raised(word, ending) for ending in ("er", "est"))


def _is_raised(word: str, ending: str) -> bool:
    """Return True if the stem of lowest, latest, earliest or biggest is an adjective."""
    stem = word.removesuffix(ending)
    spelled = {stem, stem + "e"}
    if stem.endswith("i"):
        spelled.add(stem[:-1] + "y")
    if stem[-1:] == stem[-2:-1]:
        spelled.add(stem[:-1])
    return bool(spelled & _ADJECTIVES)
