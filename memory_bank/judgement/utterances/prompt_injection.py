"""Detect prompt injection: text that tries to steer an assistant against its rules.

Stored as a fact, such a text would act in every later session. How somebody wants things done ("Always give lengths in
metres") is worth keeping; orders about the assistant's instructions, secrets or role are not. Detection is by wording:
it catches known forms, not all.
"""

from __future__ import annotations

import re
import unicodedata

_STEERS = re.compile(
    r"(?<!\bi )(?<!\bwe )\b(?:ignore|disregard|forget|override|bypass|overrule)\b[^.!?]{0,40}\b(?:instructions?"
    r"|prompts?|rules?|guidelines?|polic(?:y|ies)|safety|restrictions?|(?:previous|prior|above|earlier) (?:messages?"
    r"|text|context|orders?))\b"
    r"|\b(?:ignore|disregard|forget) (?:all|everything|anything) (?:above|before|previous|prior|you)"
    r"|\bsystem ?(?:prompt|message|instruction)s?\b|\b(?:developer|debug|admin|god|jailbreak|dan) mode\b|\bjailbreak"
    r"|\byou (?:are|will be|must be) (?:now |no longer )|\b(?:act|behave|respond|answer) as (?:if|though|an?) "
    r"|\bpretend (?:to|you)|\broleplay\b|\bfrom now on,? you\b|\b(?:reveal|print|repeat|output|leak|show"
    r"|exfiltrate)\b[^.!?]{0,40}\b(?:prompts?|instructions?|secrets?|memor(?:y|ies)|memories of|other users?"
    r"|credentials?)\b|\b(?:always|must)\b[^.!?]{0,40}\b(?:obey|comply|refuse|trust|approve|agree)\b"
    r"|\b(?:never|don['’]t ever)\b[^.!?]{0,40}\b(?:warn|mention|question|refuse|verify|ask for)\b|\b(?:send|post"
    r"|upload|forward|e-?mail (?:it|them|this|that|all|everything|the|my|every))\b[^.!?]{0,60}(?:https?://|www\."
    r"|\S+@\S+)|https?://\S*\{|\b(?:remember|note|store|save|memori[sz]e)\b[^.!?]{0,20}\b(?:that you"
    r"|that the (?:assistant|system|user has)|as (?:an? )?(?:instruction|rule|trusted))"
    r"|</?(?:system|memory|instructions?|prompt|tool_\w+|assistant|user|document|utterances?|said)\b|<\||\[/?INST\]"
    r"|^[^\S\n]*(?:system|assistant|developer)\s*:|\brm -rf|\b(?:execute|run) (?:this|the following)"
    r"|(?:忽略|无视|忘记|忘掉|绕过)[^。！？]{0,20}(?:指令|指示|提示|规则|命令|要求|限制|设定)|系统(?:提示|指令|消息)"
    r"|(?:你|您)现在(?:是|要)|扮演|假装|越狱|开发者模式"
    r"|(?:透露|泄露|输出|显示|打印)[^。！？]{0,20}(?:提示词|指令|密钥|记忆)"
    r"|(?:总是|始终|必须|一律|永远)[^。！？]{0,20}(?:服从|听从|信任|同意|拒绝|批准)",
    re.IGNORECASE | re.MULTILINE,
)


def is_prompt_injection(text: str) -> bool:
    """Whether a text tries to steer an assistant."""
    return _STEERS.search(normalise(text)) is not None


def normalise(text: str) -> str:
    """A text without invisible characters, and with letters of other widths or styles made ordinary (NFKC)."""
    visible = "".join(character for character in text if unicodedata.category(character) != "Cf")
    return unicodedata.normalize("NFKC", visible)
