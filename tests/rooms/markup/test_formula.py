import pytest

from privapub.markup.clean import clean


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<mi>x</mi><mo>=</mo><mn>1</mn>", "x=1"),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"),
        ("<msub><mi>x</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub>", "x_(i+1)"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac>", "(a+b)/2"),
        ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>", "\u221a(a+b)"),
        ("<mroot><mi>a</mi><mn>3</mn></mroot>", "a^(1/3)"),
        ("<mi>f</mi><mo>&#x2061;</mo><mfenced><mi>a</mi><mi>b</mi></mfenced>", "f(a, b)"),
        ("<mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable>", "[1, 2; 3]"),
        ("<mi>a</mi><mphantom><mi>b</mi></mphantom><mspace></mspace><mi>c</mi>", "a c"),
        ("<mi>a</mi><mo>&lt;</mo><mi>b</mi>", "a&lt;b"),
        ("<mfrac><mn>1</mn></mfrac>", "1"),
    ],
)
def test_signs_are_put_in_one_line(inner: str, expected: str) -> None:
    assert clean(f"<p><math>{inner}</math></p>") == f"<p>{expected}</p>"


@pytest.mark.parametrize(
    ("display", "expected"),
    [("", "$x \\le 1$"), (" display=block", "$$x \\le 1$$")],
)
def test_tex_is_taken_where_it_is_given(display: str, expected: str) -> None:
    html = (
        f"<math{display}><semantics><mrow><mi>x</mi></mrow>"
        "<annotation encoding='application/x-tex'>x \\le\n1</annotation></semantics></math>"
    )
    assert clean(html) == expected


def test_the_alternative_text_of_a_formula_comes_first() -> None:
    assert clean("<math alttext='E = m &lt; c'><mi>E</mi></math>") == "E = m &lt; c"


def test_plain_annotations_need_no_signs_around_them() -> None:
    html = "<math><semantics><mi>x</mi><annotation encoding='text/plain'>x is 1</annotation></semantics></math>"
    assert clean(html) == "x is 1"


def test_html_within_a_formula_is_text_and_runs_nothing() -> None:
    html = clean("<math><mi><img src=x onerror=alert(1)>a</mi><mtext><a href='https://x.test/'>b</a></mtext></math>")
    assert "<img" not in html
    assert "onerror" not in html
    assert "<math" not in html


def test_an_alternative_text_that_is_markup_is_text() -> None:
    assert clean("<math alttext='&lt;script&gt;x'><mi>E</mi></math>") == "&lt;script&gt;x"
