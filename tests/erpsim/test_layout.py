from hypothesis import given
from hypothesis import strategies as st

from erpsim.layout import lay_out


def objects(text: str) -> list[str]:
    return [text[span.start : span.end] for span in lay_out(text).objects]


def test_balanced_objects_are_found_between_words() -> None:
    assert objects('so {"a": {"b": 1}} and {"c": 2}.') == ['{"a": {"b": 1}}', '{"c": 2}']


def test_braces_and_tags_in_strings_do_not_count() -> None:
    text = '{"a": "} <think> \\" {", "b": 1}'
    assert objects(f"x {text} y") == [text]
    assert lay_out(text).reasoning == ()


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
        assert len(lay_out(text).reasoning) == 1


def test_reasoning_that_never_ends_takes_all_that_follows() -> None:
    layout = lay_out('<think> hm {"a": 1}')
    assert (layout.objects, layout.blank) == ((), True)


def test_a_brace_in_prose_hides_no_object_behind_it() -> None:
    assert objects('{ as follows: {"a": 1} {"b": 2}') == ['{"a": 1}', '{"b": 2}']


def test_parts_of_an_object_that_breaks_off_are_no_objects() -> None:
    layout = lay_out('{"a": 1} {"b": {"c": 2}, "d": {"e": 4.')
    assert layout.unclosed == 9
    assert [span.start for span in layout.objects] == [0]


def test_a_quote_without_a_partner_is_an_ordinary_character() -> None:
    assert objects('{"a": b"} {c} "} {d') == ['{"a": b"} {c} "}']
    assert objects('{"a": b"} {c}') == ['{"a": b"}', "{c}"]


def test_text_outside_of_reasoning_is_told_from_blanks() -> None:
    assert lay_out(" <think>x</think>\n").blank
    assert not lay_out("<think>x</think> y").blank


@given(st.text(alphabet='{}"\\<>/think ab', max_size=200))
def test_objects_are_balanced_spans_in_order(text: str) -> None:
    end = 0
    for span in lay_out(text).objects:
        assert span.start >= end
        assert text[span.start] == "{"
        assert text[span.end - 1] == "}"
        end = span.end
