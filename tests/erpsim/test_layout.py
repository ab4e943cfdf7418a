import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpsim.layout import TOKEN_LIMIT, Layout, _Scan, lay_out


def laid(text: str) -> Layout:
    layout = lay_out(text)
    assert layout is not None
    return layout


def objects(text: str) -> list[str]:
    return [text[span.start : span.end] for span in laid(text).objects]


def test_balanced_objects_are_found_between_words() -> None:
    assert objects('so {"a": {"b": 1}} and {"c": 2}.') == ['{"a": {"b": 1}}', '{"c": 2}']


def test_braces_and_tags_in_strings_do_not_count() -> None:
    text = '{"a": "} <think> \\" {", "b": 1}'
    assert objects(f"x {text} y") == [text]
    assert laid(text).reasoning == ()


def test_quotes_in_prose_open_no_string() -> None:
    assert objects('he said "go {"a": 1}') == ['{"a": 1}']


def test_a_lone_closing_brace_is_nothing() -> None:
    assert objects('} {"a": 1} }') == ['{"a": 1}']


def test_objects_in_reasoning_are_not_seen() -> None:
    for text in (
        '<think>{"a": 1}</think> {"b": 2}',
        '<Thinking mode="x">{"a": 1} {</thinking>\n{"b": 2}',
        '[THINK]{"a": 1}[/THINK]{"b": 2}',
        'was {"a": 1} that </think> {"b": 2}',
        '{"a": 1} { </reasoning>{"b": 2}',
    ):
        assert objects(text) == ['{"b": 2}']
        assert len(laid(text).reasoning) == 1


def test_reasoning_that_never_ends_takes_all_that_follows() -> None:
    layout = laid('<think> hm {"a": 1}')
    assert (layout.objects, layout.blank) == ((), True)


def test_a_brace_in_prose_hides_no_object_behind_it() -> None:
    assert objects('{ as follows: {"a": 1} {"b": 2}') == ['{"a": 1}', '{"b": 2}']


def test_parts_of_an_object_that_breaks_off_are_no_objects() -> None:
    layout = laid('{"a": 1} {"b": {"c": 2}, "d": {"e": 4.')
    assert layout.unclosed == 9
    assert [span.start for span in layout.objects] == [0]


def test_a_quote_without_a_partner_is_an_ordinary_character() -> None:
    assert objects('{"a": b"} {c} "} {d') == ['{"a": b"} {c} "}']
    assert objects('{"a": b"} {c}') == ['{"a": b"}', "{c}"]


def test_text_outside_of_reasoning_is_told_from_blanks() -> None:
    assert laid(" <think>x</think>\n").blank
    assert not laid("<think>x</think> y").blank


@given(st.text(alphabet='{}"\\<>/think ab', max_size=200))
def test_objects_are_balanced_spans_in_order(text: str) -> None:
    end = 0
    for span in laid(text).objects:
        assert span.start >= end
        assert text[span.start] == "{"
        assert text[span.end - 1] == "}"
        end = span.end


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ('{"a": 1, {', True),
        ("{ 'a", True),
        ("{“a", True),
        ("{ a : 1", True),
        ("{ as follows: x", False),
        ("{", False),
        ("{}{", False),
    ],
)
def test_an_open_brace_begins_an_object_when_a_quote_or_a_key_follows(text: str, begins: bool) -> None:
    assert (laid(text).unclosed is not None) is begins


@pytest.mark.parametrize(
    ("text", "surplus"),
    [('{"a": 1}', None), ('} {"a": 1}', None), ('{"a": 1}}', 8), ("{} } {} }", 8), ("{}}</think>{}", None)],
)
def test_the_last_closing_brace_without_a_partner_is_told(text: str, surplus: int | None) -> None:
    assert laid(text).surplus == surplus


@pytest.mark.parametrize(
    "text",
    [
        "<|channel|>analysis<|message|>{1}<|end|><|channel|>analysis {2}<|start|><|channel|>final<|message|>{3}",
        "<|begin_of_thought|>{1}<|end_of_thought|><|start_thinking|>{2}<|END_THINKING|>{3}",
        "◁think▷{1}◁/think▷<seed:think>{2}</seed:think>{3}",
        "[THINK]{1}[/THINK]<antThinking>{2}</antThinking>{3}",
        "{1}<|end_of_thought|>{3}",
        "{1}◁/think▷{3}",
    ],
)
def test_reasoning_is_known_by_the_marks_of_many_models(text: str) -> None:
    assert objects(text) == ["{3}"]


@pytest.mark.parametrize(
    "text", ["<thinkers>{3}", "<b>{3}", "[1]{3}", "<|im_start|>{3}", "<|channel|>final{3}", "a < b {3}"]
)
def test_other_marks_begin_no_reasoning(text: str) -> None:
    assert objects(text) == ["{3}"]
    assert laid(text).reasoning == ()


def test_a_text_of_more_marks_than_anyone_writes_is_not_laid_out() -> None:
    assert lay_out("{}" * (TOKEN_LIMIT // 2)) is not None
    assert lay_out("{}" * (TOKEN_LIMIT // 2) + "[") is None


@pytest.mark.parametrize(
    "unit", ['{"a":1}', '"', "{", "}", "<think>", "</think>", "[THINK]", "<", '{"', '\\"', "x", "{ ", "◁", '{"x"']
)
def test_every_mark_is_looked_at_once(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps grow with the text and never with its square: each goes on behind where the one before ended."""
    places: list[int] = []
    step = _Scan.step

    def counted(scan: _Scan, mark: str, start: int) -> int:
        places.append(start)
        end = step(scan, mark, start)
        assert end > start
        return end

    monkeypatch.setattr(_Scan, "step", counted)
    text = "{" + unit * 2_000
    lay_out(text)
    assert places == sorted(set(places))
    assert len(places) <= len(text)
