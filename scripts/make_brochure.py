"""Makes `memory_bank/demo/files/brochure.pdf`. Run it after changing the text below."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

TARGET = Path(__file__).parent.parent / "memory_bank" / "demo" / "files" / "brochure.pdf"
TITLE = "A week on the Nile"
PAGES = (
    (
        "The longest river",
        "From its headwaters to the Mediterranean Sea the Nile flows through 11 countries. "
        "The Nile is 6,650 km long, or about 4,130 miles. "
        "In Khartoum you stand where the White Nile and the Blue Nile meet.",
    ),
    (
        "Day four: Aswan",
        "The Aswan High Dam was completed in 1968. "
        "It holds back Lake Nasser, which covers about 5,250 square kilometres. "
        "A boat takes you on to Abu Simbel, where four seated figures of Ramesses II guard the temple.",
        "Good to know: Egypt passed 100 million people in February 2020, and Cairo feels like it. "
        "Bring a hat, and drink more water than you think you need.",
    ),
)


def main() -> None:
    """Write the brochure, the same bytes each time."""
    styles = getSampleStyleSheet()
    flow: list[object] = [Paragraph(TITLE, styles["Title"]), Spacer(1, 12)]
    for number, (heading, *paragraphs) in enumerate(PAGES):
        if number:
            flow.append(PageBreak())
        flow.append(Paragraph(heading, styles["Heading2"]))
        for text in paragraphs:
            flow += [Paragraph(text, styles["BodyText"]), Spacer(1, 8)]
    document = SimpleDocTemplate(str(TARGET), pagesize=A5, title=TITLE, author="Memory Bank demo", invariant=1)
    document.build(flow)


if __name__ == "__main__":
    main()
