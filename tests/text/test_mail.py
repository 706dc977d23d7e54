"""What a mail quotes of earlier mails is told from its own words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_bank.text.mail import mail_headers, quoted_in_mail

HEADER = "From: Ben\nTo: Ann\nSubject: Re: the mill\n\n"


def own(text: str) -> str:
    """A text without what it quotes."""
    for span in reversed(quoted_in_mail(text)):
        text = text[: span.start] + text[span.end :]
    return text


@pytest.mark.parametrize(
    "quoted",
    [
        "> It opens on 20 May.\n>\n>> When?\n",
        "On Mon, 6 May 2024 at 18:00, Ann wrote:\n> It opens on 20 May.\n",
        "On Mon, 6 May 2024 at 18:00, Ann Hale <ann@example.org>\nwrote:\n\n> It opens on 20 May.\n",
        "2024年5月6日，王芳写道：\n> 五月二十日开放。\n",
    ],
)
def test_quoted_lines_and_what_introduces_them_are_not_the_mails_own(quoted: str) -> None:
    text = own(f"{HEADER}It opens on 1 June.\n\n{quoted}\nYours, Ben")
    assert text.removeprefix(HEADER).split() == "It opens on 1 June. Yours, Ben".split()


def test_an_answer_below_each_quotation_is_the_mails_own() -> None:
    assert own(f"{HEADER}> When?\nOn 1 June.\n> Why?\nThe builders:\nthey are late.\n") == (
        f"{HEADER}On 1 June.\nThe builders:\nthey are late.\n"
    )


def test_a_quotation_in_another_text_is_part_of_it() -> None:
    assert quoted_in_mail("# The mill\n\nAnn wrote:\n\n> It opens on 20 May.\n") == []


@given(st.text(st.sampled_from("> :@a\n\r\u2028")))
def test_parts_are_in_order_within_the_text(text: str) -> None:
    mail = HEADER + text
    spans = quoted_in_mail(mail)
    assert all(len(HEADER) - 1 <= span.start < span.end <= len(mail) for span in spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))


def test_every_mail_of_a_text_has_a_header_with_its_sender() -> None:
    text = (
        f"{HEADER}It opens on 1 June.\nNote: bring boots.\n\nFrom: Ann Hale <ann@example.org>\nDate: 6 May\n\nThanks."
    )
    headers = mail_headers(text)
    assert [header.sender for header in headers] == ["Ben", "Ann Hale"]
    assert [header.span.of(text).splitlines()[-1] for header in headers] == ["Subject: Re: the mill", "Date: 6 May"]
