"""Equations of Word documents on a line."""

import pytest

from tests.unit.ingestion.word_files import par, word_texts


def m(kind: str, *content: str) -> str:
    """An element of an equation: words or elements."""
    inside = "".join(one if one.startswith("<") else f"<m:r><m:t>{one}</m:t></m:r>" for one in content)
    return f"<m:{kind}>{inside}</m:{kind}>"


def setting(kind: str, **values: str) -> str:
    """Properties of an element of an equation."""
    inside = "".join(f'<m:{name} m:val="{value}"/>' for name, value in values.items())
    return f"<m:{kind}>{inside}</m:{kind}>"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (m("sSup", m("e", "d"), m("sup", "2")), "d²"),
        (m("sSup", m("e", "10"), m("sup", "-3")), "10⁻³"),
        (m("sSup", m("e", "e"), m("sup", "x+1")), "e^(x+1)"),
        (m("sSup", m("e", "a+b"), m("sup", "2")), "(a+b)²"),
        (m("sSub", m("e", "x"), m("sub", "0")), "x_0"),
        (m("sSubSup", m("e", "x"), m("sub", "i"), m("sup", "2")), "x_i²"),
        (m("f", m("num", "s"), m("den", "t")), "s/t"),
        (m("f", m("num", "a+b"), m("den", m("f", m("num", "1"), m("den", "2")))), "(a+b)/(1/2)"),
        (m("f", setting("fPr", type="noBar"), m("num", "n"), m("den", "k")), "n over k"),
        (m("rad", setting("radPr", degHide="1"), m("deg"), m("e", "2x+1")), "√(2x+1)"),
        (m("rad", m("deg", "3"), m("e", "27")), "³√27"),
        (
            m("nary", setting("naryPr", chr="∑"), m("sub", "i=1"), m("sup", "n"), m("e", "i")),
            "∑_(i=1)ⁿ i",
        ),
        (m("nary", m("sub", "0"), m("sup", "1"), m("e", "x")), "∫_0¹ x"),
        (m("d", m("e", "a+b")), "(a+b)"),
        (m("d", setting("dPr", begChr="[", endChr="", sepChr=";"), m("e", "a"), m("e", "b")), "[a;b"),
        (m("f", m("num", m("d", m("e", "a+b"))), m("den", "2")), "(a+b)/2"),
        (m("func", m("fName", "sin"), m("e", "x")), "sin x"),
        (m("func", m("fName", m("limLow", m("e", "lim"), m("lim", "x→0"))), m("e", "x")), "lim_(x→0) x"),
        (m("m", m("mr", m("e", "1"), m("e", "0")), m("mr", m("e", "0"), m("e", "1"))), "1, 0; 0, 1"),
        (m("eqArr", m("e", "x=1"), m("e", "y=2")), "x=1; y=2"),
        (m("acc", m("e", "x")), "x̂"),
        (m("bar", setting("barPr", pos="top"), m("e", "x")), "x̅"),
        (m("box", m("e", m("borderBox", m("e", "E=mc")))), "E=mc"),
        (m("phant", setting("phantPr", show="0"), m("e", "x")), ""),
        (m("sPre", m("sub", "1"), m("sup", "2"), m("e", "H")), "_1²H"),
        ("<m:r><w:rPr><w:del/></w:rPr><m:t>old</m:t></m:r><w:del><m:r><m:t>x</m:t></m:r></w:del>", ""),
        ("<w:ins><m:r><m:t>new</m:t></m:r></w:ins>", "new"),
    ],
)
def test_equations_stand_in_their_sentence(written: str, read: str) -> None:
    """In plain characters."""
    assert word_texts(par("So ", m("oMath", written), ".")) == [f"So {read}."]


def test_equations_of_their_own_are_paragraphs() -> None:
    """Several below each other on lines."""
    body = par(m("oMathPara", m("oMathParaPr"), m("oMath", "v=s"), m("oMath", "a=b")))
    assert word_texts(body) == ["v=s\na=b"]
