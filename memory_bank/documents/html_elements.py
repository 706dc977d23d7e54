"""The elements of HTML: which begin a paragraph, which stand inside one, and which no reader of the page sees."""

from __future__ import annotations

HEADINGS = {f"h{level}" for level in range(1, 7)}
BLOCKS = {
    *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div"),
    *("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "html", "legend", "li"),
    *("main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th"),
    *("thead", "title", "tr", "ul", *HEADINGS),
}
INLINE = {
    *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "del", "dfn", "em", "font", "i", "img"),
    *("ins", "kbd", "mark", "picture", "q", "s", "samp", "small", "source", "span", "strike", "strong", "sub", "sup"),
    *("time", "tt", "u", "var", "wbr"),
}
HIDDEN = {
    *("script", "style", "template", "noscript", "head", "svg", "canvas", "iframe", "object", "embed", "audio"),
    *("video", "input", "textarea", "select", "datalist"),
}
