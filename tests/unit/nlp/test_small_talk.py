"""Messages that ask nothing of a library."""

import pytest

from core.language.nlp.small_talk import is_small_talk

ASKS_NOTHING = """ta very much mate|hiya folks|LOL fair enough|👍|:tada: :tada:|dankeschön|Grüezi zusammen|
merci mille fois|¡hola a todos!|grazie a tutti|obrigada|dziękuję bardzo|tack|Привет|多谢|jkl;|zxcvbn|
wwwww|qweqwe|test test|this is only a test|are u human?|are you a real person?|am i talking to a bot?|
you still there?|wonderful stuff, cheers|anybody there|what's your name?|morning all|
heyyyyy|thaaanks|hahahahah|nvm|cheers Priya|ok np|who built you|wow, brilliant, thanks so much!|
happy new year everyone!|hi, how are you?|tell me another joke|...|k|see you tomorrow|
ok, thank you very much|Hi there|Good morning"""
ASKS = """thanks, and who signs the form?|help with the printer|when is the test run?|new year holidays|vpn|
PTO|SSH keys|power|hi, where is building 4|good laboratory practice|how do I test the pump|day off|
sick|are days off paid|Thanks to whom?|can I have tomorrow off|job board|wedding day leave|Urlaub|
vacances d'été|night work|happy hour budget|team day|what is the welcome bonus|goodbye lunch rules|
is the weekend free|bye-laws|what are cool temperatures|ok temperature range"""


@pytest.mark.parametrize("text", ASKS_NOTHING.replace("\n", "").split("|"))
def test_greetings_thanks_laughter_tests_and_typing_at_random_ask_nothing(text: str) -> None:
    """In several languages, with emphasis, emoji and names."""
    assert is_small_talk(text)


@pytest.mark.parametrize("text", ASKS.replace("\n", "").split("|"))
def test_what_has_a_word_of_its_own_may_be_a_question(text: str) -> None:
    """However short it is, and with thanks before it."""
    assert not is_small_talk(text)


def test_a_long_message_is_no_small_talk() -> None:
    """Whoever writes that much has something to ask."""
    assert not is_small_talk("thanks " * 40)
