"""Numbers in words are read as digits, and spoken in words."""

from __future__ import annotations

import pytest

from dryline.phrases.number_words import to_digits
from dryline.phrases.spoken_numbers import digits_in_words, in_words, year_in_words


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("thirty five thousand", "35000"),
        ("two hundred and fifty dollars", "250 dollars"),
        ("twenty five hundred", "2500"),
        ("two and a half million", "2500000"),
        ("25 thousand", "25000"),
        ("zero point five", "0.5"),
        ("half a dozen", "6"),
        ("a couple of tacos", "2 tacos"),
        ("nineteen ninety one", "1991"),
        ("nineteen oh five", "1905"),
        ("may twenty first nineteen eighty", "may 21st 1980"),
        ("the second", "the 2nd"),
        ("one second", "one second"),
        ("the large one", "the large one"),
        ("five five five, oh one nine nine", "555, 0199"),
        ("eight hundred five five five one two one two", "8005551212"),
        ("three fifty", "3 50"),
        ("on 2026-12-24 at 14:30", "on 2026-12-24 at 14:30"),
    ],
)
def test_number_words_are_read_as_digits(words, digits):
    assert to_digits(words) == digits


@pytest.mark.parametrize(
    ("language", "words", "digits"),
    [
        ("de", "null drei null eins zwei", "03012"),
        ("de", "fünfunddreißigtausend", "35000"),
        ("es", "treinta y cinco mil", "35000"),
        ("es", "dos mil veintiséis", "2026"),
    ],
)
def test_number_words_are_read_in_german_and_spanish(language, words, digits):
    assert to_digits(words, language) == digits


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_a_spoken_number_is_read_as_the_same_number(language):
    for number in [*range(1200), 1999, 2500, 12345, 99999, 250000]:
        assert to_digits(in_words(number, language), language) == str(number)


def test_a_spoken_year_is_read_as_the_same_year():
    for year in range(1900, 2031):
        assert to_digits(year_in_words(year)) == str(year)


def test_digits_are_spoken_in_their_groups():
    assert digits_in_words("555-0199") == "five five five, oh one nine nine"
