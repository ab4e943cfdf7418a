"""The execution audit is one closed union of kinds."""

from erpsim.events import EVENT_TYPES, PAPER_CATEGORIES, FallbackDecision, Reask


def test_every_category_has_one_kind_and_a_layer() -> None:
    assert len(EVENT_TYPES) == 18
    assert {kind.layer for kind in EVENT_TYPES.values()} == {"structural", "operational", "runtime"}
    assert all(kind.category == category for category, kind in EVENT_TYPES.items())


def test_the_papers_six_categories_are_kinds() -> None:
    assert len(PAPER_CATEGORIES) == 6
    assert set(PAPER_CATEGORIES) <= set(EVENT_TYPES)


def test_events_of_different_kinds_are_never_equal() -> None:
    assert len({FallbackDecision("no_json"), FallbackDecision("no_json")}) == 1
    assert len({FallbackDecision("no_json"), Reask("no_json")}) == 2
