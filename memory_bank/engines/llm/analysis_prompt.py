"""The words of the analysis prompt."""

from __future__ import annotations

from memory_bank.agents.agent import Language
from memory_bank.agents.analysis import RELATIONS_BY_PHASE, Phase
from memory_bank.agents.prompt import rules


def system_prompt(phase: Phase, language: Language, fence: str, *, candidates: bool, chat: bool) -> str:
    """The system prompt for what a phase looks for; with `candidates` to be judged, and for claims from a `chat`."""
    kinds = RELATIONS_BY_PHASE[phase]
    told = _PROMPT[language]
    parts = [told["role"]]
    if "conflict" in kinds:
        parts += [told["candidates"]] if candidates else []
        parts += [told["contradictions"]]
    parts += [told["relations"], *(told[kind] for kind in ("merge", "related") if kind in kinds)]
    if "conflict" in kinds:
        parts += [told["compare"], *([told["chat"]] if chat else [])]
    return "\n".join([*parts, told["numbers"], rules(language, fence)])


CANDIDATE: dict[Language, str] = {
    "en": "candidate {}: claim {} and claim {}",
    "zh": "候选 {}：陈述 {} 与陈述 {}",
}
HEADINGS: dict[Language, tuple[str, str]] = {
    "en": ("In memory, oldest first:", "New:"),
    "zh": ("记忆中已有的内容，从旧到新：", "新内容："),
}
_PROMPT: dict[Language, dict[str, str]] = {
    "en": {
        "role": (
            "You compare what is new with what is in memory, for a person's goal. A node is a topic with its claims; "
            "the file and its date stand in brackets."
        ),
        "candidates": (
            "candidates: pairs of claims that a small classifier suspects; it is often wrong. Say of each one, also of "
            "those that agree, with the reason, whether the two contradict each other."
        ),
        "contradictions": (
            "contradictions: other pairs of a new claim and any claim that contradict each other. description: what "
            "exactly they disagree about, with both values. confidence: from 0 to 1. goal_asks, here and of a "
            "candidate: whether the goal cannot be answered without knowing which of the two holds."
        ),
        "relations": "relations: of a new node to another node, only where one of these holds:",
        "merge": "- merge: both say the same, and neither holds anything of weight that the other lacks.",
        "related": (
            "- related: about one person, thing, place or event, or cause and effect; a shared word is not enough. "
            "context, other_context: empty as a rule; a new heading for a node only where its own no longer says what "
            "it is about, in one sentence and without figures of the other."
        ),
        "compare": (
            "Two claims contradict each other if they cannot both be true. Compare like with like:\n"
            "1. the same subject and attribute: not two things of one name, not height and length;\n"
            "2. the same time: what changes (population, price, rank) may differ from year to year. In a document "
            "“now” is its date;\n"
            "3. the same scope: whole or part, with or without something, way of counting;\n"
            "4. values that still differ after conversion and rounding: 8.8 km and 8,849 m agree, about 300 and 291 "
            "agree, 1970 and July 1970 agree;\n"
            "5. what the text itself states: not what it quotes as another's opinion, supposes or rejects. Two plans "
            "for the same time, or a plan and what is said to be so at that time, do contradict each other where they "
            "differ (who runs the firm next year).\n"
            "More detail, other words or silence is no contradiction. In doubt there is none."
        ),
        "chat": (
            "In a chat the speaker and the time stand with a claim: what two people say of themselves is of two "
            "subjects, and what one says of the moment on two days is of two times."
        ),
        "numbers": (
            "Use the numbers of nodes and claims as shown; in sentences call things by name instead. A list in which "
            "nothing belongs stays empty."
        ),
    },
    "zh": {
        "role": "你为一个人的目标，把新内容与记忆中已有的内容作比较。节点是一个主题及其陈述；"
        "括号中是文件名及文件日期。",
        "candidates": (
            "candidates：小型分类器怀疑互相矛盾的陈述对，它常会出错。请逐一判断（包括不矛盾的）两条陈述是否矛盾，并说明理由。"
        ),
        "contradictions": (
            "contradictions：其他互相矛盾的陈述对，其中至少一条是新陈述。description：具体分歧是什么，写出双方的值。"
            "confidence：0 到 1。goal_asks（候选同此）：不弄清哪一条成立就无法回答目标时为 true。"
        ),
        "relations": "relations：新节点与另一节点的关系，仅在下列关系成立时列出：",
        "merge": "- merge（合并）：两者说的是同一内容，彼此都没有对方所缺的重要信息。",
        "related": (
            "- related（相关）：涉及同一人物、事物、地点或事件，或互为因果；仅有共同的词语还不够。"
            "context、other_context：一般留空；仅当某节点原有的标题已不能说明其主题时，用一句话写新标题，不搬用对方的数字。"
        ),
        "compare": (
            "两条陈述不可能同时为真，才算矛盾。只比较可比的内容：\n"
            "1. 主体和属性相同：不是同名的两个事物，不是高度与长度；\n"
            "2. 时间相同：会变化的（人口、价格、排名），年份不同可以并存。文件中的“现在”指文件日期；\n"
            "3. 范围相同：整体或局部、是否包含某项、统计口径；\n"
            "4. 换算和四舍五入之后数值仍不同：8.8 公里与 8849 米一致，约 300 与 291 一致，1970 年与 1970 年 7 "
            "月一致；\n"
            "5. 是原文自己的陈述：不是它引述的他人观点、假设或否定的说法。同一时间的两个计划，"
            "或计划与关于该时间的陈述，"
            "若不一致则构成矛盾（例如明年由谁管理公司）。\n"
            "更详细、换一种说法、一方未提及，都不是矛盾。拿不准时不算。"
        ),
        "chat": ("出自对话的陈述注明说话人和时间：两个人各说自己，主体不同；同一人在不同日子说当时的情况，时间不同。"),
        "numbers": "节点与陈述的编号须与所示一致；文字说明中用名称而不用编号。没有内容的列表留空即可。",
    },
}
