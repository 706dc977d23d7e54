"""Makes the demo's two brochures. Run it after changing the text below.

The Chinese one needs a font with Chinese signs, a part of which goes into the file: give the path of a TrueType font,
such as that of WenQuanYi Micro Hei.
"""

from __future__ import annotations

import sys
from pathlib import Path

from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

DEMO = Path(__file__).parent.parent / "memory_bank" / "app" / "demo"
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
CHINESE_TITLE = "尼罗河一周"
CHINESE_PAGES = (
    (
        "最长的河流",
        "从源头到地中海，尼罗河流经11个国家。",
        "尼罗河全长6650公里，约合4130英里。",
        "在喀土穆，你可以看到白尼罗河与青尼罗河交汇。",
    ),
    (
        "第四天：阿斯旺",
        "阿斯旺高坝于1968年建成。",
        "它拦出了纳赛尔湖，湖面约5250平方公里。",
        "坐船可以去看阿布辛贝神庙的四尊巨像。",
        "小提示：2020年2月埃及人口突破1亿。",
        "请带上帽子，多喝水。",
    ),
)


def main() -> None:
    """Write the brochures, the same bytes each time; the Chinese one where a font is named."""
    write(DEMO / "files" / "brochure.pdf", TITLE, PAGES)
    for font in sys.argv[1:]:
        registerFont(TTFont("Chinese", font))
        write(DEMO / "files_zh" / "brochure.pdf", CHINESE_TITLE, CHINESE_PAGES, font="Chinese")


def write(target: Path, title: str, pages: tuple[tuple[str, ...], ...], font: str | None = None) -> None:
    """Write a brochure: on each page a heading, and paragraphs."""
    sheet = getSampleStyleSheet()
    styles = {name: _in_font(sheet[name], font) for name in ("Title", "Heading2", "BodyText")}
    flow: list[object] = [Paragraph(title, styles["Title"]), Spacer(1, 12)]
    for number, (heading, *paragraphs) in enumerate(pages):
        if number:
            flow.append(PageBreak())
        flow.append(Paragraph(heading, styles["Heading2"]))
        for text in paragraphs:
            flow += [Paragraph(text, styles["BodyText"]), Spacer(1, 8)]
    document = SimpleDocTemplate(str(target), pagesize=A5, title=title, author="Memory Bank demo", invariant=1)
    document.build(flow)


def _in_font(style: ParagraphStyle, font: str | None) -> ParagraphStyle:
    return style if font is None else ParagraphStyle(style.name, style, fontName=font, wordWrap="CJK")


if __name__ == "__main__":
    main()
