"""EML: headers, the best text, what is attached."""

from __future__ import annotations

import email.message
from datetime import date

from memory_bank.documents import EmbeddedFile
from tests.documents.writers import read


def mail(**headers: str) -> email.message.EmailMessage:
    message = email.message.EmailMessage()
    for name, value in headers.items():
        message[name] = value
    return message


def test_a_mail_has_its_headers_its_text_and_the_names_of_what_is_attached() -> None:
    message = mail(
        Subject="Mühle", From="Ann Lee <ann@example.org>", To="bo@example.org", Date="1 May 2024 12:00:00 +0000"
    )
    message.set_content("The mill closed in 1921.\n")
    message.add_alternative("<p>Not this form.</p>", subtype="html")
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="deed  of sale.pdf")
    inner = mail(Subject="Inner")
    inner.set_content("inside")
    message.add_attachment(inner)
    document = read(message.as_bytes(), "a.eml")
    assert document.text == (
        "Subject: Mühle\nFrom: Ann Lee <ann@example.org>\nTo: bo@example.org\nDate: Wed, 01 May 2024 12:00:00 +0000\n\n"
        "The mill closed in 1921.\n\nAttachment: deed of sale.pdf\nAttachment: message/rfc822"
    )
    assert document.title == "Mühle"
    assert document.embedded[0] == EmbeddedFile("deed of sale.pdf", "application/pdf", b"%PDF-")
    assert b"inside" in (document.embedded[1].data)


def test_a_mail_has_the_date_on_which_it_was_sent() -> None:
    sent = b"Subject: Minutes of 4 March 2024\nFrom: Ann Lee\n%s\n\nThe mill closed.\n"
    assert read(sent % b"Date: Wed, 01 May 2024 23:30:00 -0500", "a.eml").dated == date(2024, 5, 1)
    assert read(sent % b"Date: soon", "a.eml").dated is None


def test_a_mail_of_html_alone_is_read_as_html_in_the_encoding_it_says() -> None:
    message = mail(Subject="A")
    message.set_content("<h2>Mühle</h2><script>no()</script><p>Geschlossen.</p>", subtype="html", charset="latin-1")
    document = read(message.as_bytes(), "a.eml")
    assert document.text == "Subject: A\n\nMühle\n\nGeschlossen."
    assert [one.title for one in document.headings] == ["Mühle"]


def test_what_has_no_header_is_no_mail() -> None:
    assert read(b"just words\nand more", "a.eml").media_type == "text/plain"


PICTURE = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n"


def parted(kind: str, *parts: str) -> str:
    inside = "".join(f"--{kind}\n{part}\n" for part in parts)
    return f'Content-Type: multipart/{kind}; boundary="{kind}"\n\n{inside}--{kind}--\n'


def test_every_text_between_pictures_is_read_and_of_several_forms_one() -> None:
    forms = parted("alternative", "\n\nThe first words.", "Content-Type: text/html\n\n<p>Not this form.</p>")
    more = "Content-Type: text/html\n\n<p>The last words.</p>"
    named = 'Content-Type: text/plain\nContent-Disposition: attachment; filename="a.txt"\n\nbeside'
    nameless = "Content-Type: text/plain\nContent-Disposition: attachment\n\nbeside"
    whole = parted("mixed", forms, PICTURE, "Content-Type: text/plain\n\nThe middle.", PICTURE, more, named, nameless)
    document = read(f"Subject: A\n{whole}".encode(), "a.eml")
    assert document.text == (
        "Subject: A\n\nThe first words.\n\nThe middle.\n\nThe last words.\n\n"
        "Attachment: image/png\nAttachment: image/png\nAttachment: a.txt\nAttachment: text/plain"
    )


def test_a_text_with_a_name_that_is_all_there_is_is_the_text() -> None:
    alone = 'Subject: A\nContent-Type: text/plain; name="a.txt"\n\nThe words.\n'
    assert read(alone.encode(), "a.eml").text == "Subject: A\n\nThe words."
