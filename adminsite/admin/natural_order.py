"""Sort names as people do, in the database: "Page 2" before "Page 10", case and accents ignored."""

from django.db.models import CharField, Expression, F, Func

_DIGITS = 20  # of a number that are compared
_MARKS = "[\u0300-\u036f]"  # accents, once they are apart from their letters
_OTHER_LETTERS = ("øłđıæœ", "oldiao")  # letters that no accent can be taken from


class _NaturalKey(Func):
    """A name with its numbers filled up with zeros, without accents, in lower case."""

    arity = 1
    output_field = CharField()
    template = (
        "regexp_replace(regexp_replace("
        f"translate(lower(regexp_replace(normalize(%(expressions)s, NFD), '{_MARKS}', '', 'g')), "
        f"'{_OTHER_LETTERS[0]}', '{_OTHER_LETTERS[1]}'), "
        f"'([0-9]+)', '{'0' * (_DIGITS - 1)}\\1', 'g'), '[0-9]*([0-9]{{{_DIGITS}}})', '\\1', 'g')"
        ' COLLATE "C"'
    )


def natural(field: str) -> tuple[Expression | str, ...]:
    """Return what to order by for a field's values as people sort them; equal ones by their exact form and key."""
    return _NaturalKey(F(field)).asc(), field, "pk"
