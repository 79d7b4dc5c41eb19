"""From bytes to text: which encoding a record is in.

In this order: a byte order mark; the encoding the record declares (``CA``); UTF-8 where the bytes
are valid UTF-8; the best of several East Asian and Cyrillic encodings by how ordinary the text
reads in each; Latin-1, which can read anything.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from honte.records.findings import Finding, RecordWarning

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARATION = re.compile(rb"(?<![A-Z])C[a-z]*A[a-z]*\s*\[\s*([^\]\\]{1,40}?)\s*\]")
_DECLARATION_WITHIN = 1 << 16
_SAMPLE = 1 << 16

# What writers mean by a name is often the larger set that contains it.
_MEANT = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ascii": "utf-8",
}
_CONFIDENT = 0.55
_WIDE_RUN = re.compile(rb"[\x80-\xff](?:[\x40-\x5a\x5e-\xff]|[\x30-\x39](?=[\x80-\xff]))*")

# The most frequent characters of each script in prose and in players' names: what tells Korean
# from Chinese where the same bytes are valid in both.
_COMMON_CHINESE = frozenset(
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小"
    "么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知样现"
    "分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位"
    "因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师"
    "书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及"
    "今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结"
    "六功指思非流每青管夫连远资队跟带花快条院变联权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即"
    "求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩"
    "站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏兴切坚胜负目"
    "黑白棋段杯赛让先贴子胜负局盘柯洁古力常昊聂卫孔杰陈耀烨时越罗洗河唐韦星芈昱廷朴申崔李世石九品段对局者王老"
)
_COMMON_KOREAN = frozenset(
    "이다는의에가을고하지사로한기도리은어대나인자들아시부를일해그수정만서라마보전있게원구국면상장주것여세"
    "제조공비오무위김박최강신유동현진영재성준우경민호연석철용훈희윤조백흑번단급승패집반불계대국바둑남안선"
    "생각중말며실과되때년월화심모내니저더등할관행교발소연방양거요없물방데스트러르네타파포터카크프미권태규"
)


def decode(data: bytes) -> tuple[str, str, list[RecordWarning]]:
    """The text of a record, the encoding it was read in, and what was odd about it."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_leniently(data[len(mark) :], encoding)
    warnings: list[RecordWarning] = []
    declaration = _DECLARATION.search(data, 0, _DECLARATION_WITHIN)
    if declaration is not None:
        declared = declaration[1].decode("latin-1")
        codec = _codec(declared)
        if codec is not None:
            try:
                return data.decode(codec), codec, warnings
            except UnicodeDecodeError:
                pass
        warnings.append(
            RecordWarning(
                Finding.ENCODING_UNUSABLE,
                f"The record declares the encoding {declared!r}, in which it cannot be read.",
            )
        )
    try:
        return data.decode("utf-8"), "utf-8", warnings
    except UnicodeDecodeError:
        pass
    return _guess(data, warnings)


def _codec(name: str) -> str | None:
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    if found not in _TEXT_ENCODINGS_REFUSED:
        return _MEANT.get(found, found)
    return None


# Codecs of Python that are no character sets of files.
_TEXT_ENCODINGS_REFUSED = frozenset(
    {"base64", "bz2", "hex", "quopri", "rot13", "uu", "zlib", "idna", "punycode", "undefined",
     "unicode_escape", "raw_unicode_escape", "mbcs", "oem"}
)  # fmt: skip


def _decode_leniently(data: bytes, encoding: str) -> tuple[str, str, list[RecordWarning]]:
    try:
        return data.decode(encoding), encoding, []
    except UnicodeDecodeError:
        return (
            data.decode(encoding, "replace"),
            encoding,
            [
                RecordWarning(
                    Finding.BYTES_REPLACED,
                    f"Some bytes are no {encoding} text; they became \N{REPLACEMENT CHARACTER}.",
                )
            ],
        )


def _guess(data: bytes, warnings: list[RecordWarning]) -> tuple[str, str, list[RecordWarning]]:
    sample = b" ".join(_non_ascii_runs(data))
    # A few broken bytes in what is otherwise UTF-8 (a text cut in the middle of a character).
    mostly = sample.decode("utf-8", "replace")
    wide = sum(1 for character in mostly if ord(character) > 127)
    if wide and mostly.count("\N{REPLACEMENT CHARACTER}") * 10 <= wide:
        text, encoding, more = _decode_leniently(data, "utf-8")
        return text, encoding, warnings + more
    best, best_score = "latin-1", _CONFIDENT
    for candidate, score in _CANDIDATES:
        try:
            typical = score(sample.decode(candidate))
            data.decode(candidate)
        except UnicodeDecodeError:
            continue
        if typical > best_score:
            best, best_score = candidate, typical
    warnings.append(
        RecordWarning(
            Finding.ENCODING_GUESSED,
            f"The record does not say its encoding rightly; it was read as {best}.",
        )
    )
    return data.decode(best), best, warnings


def _non_ascii_runs(data: bytes) -> list[bytes]:
    """Stretches with bytes beyond ASCII, each with the bytes a multi-byte character may need."""
    runs, size = [], 0
    for match in _WIDE_RUN.finditer(data):
        runs.append(match[0])
        size += len(match[0])
        if size > _SAMPLE:
            break
    return runs


def _mean(text: str, value: Callable[[str], float]) -> float:
    wide = [character for character in text if ord(character) > 127]
    return sum(map(value, wide)) / len(wide) if wide else 0.0


def _chinese(charset: str, first_lead: int, last_lead: int) -> Callable[[str], float]:
    """Scores Chinese text: common characters, and the level of the frequent ones in a charset."""

    def value(character: str) -> float:
        if character in _COMMON_CHINESE:
            return 1.0
        try:
            encoded = character.encode(charset)
        except UnicodeEncodeError:
            return 0.0
        if len(encoded) != 2:
            return 0.0
        if first_lead <= encoded[0] <= last_lead:
            return 0.75
        return 0.5 if _is_punctuation(character) else 0.3

    return lambda text: _mean(text, value)


def _is_punctuation(character: str) -> bool:
    return "\u3000" <= character <= "\u303f" or "\uff00" <= character <= "\uff60"


def _japanese(text: str) -> float:
    def value(character: str) -> float:
        if "\u3041" <= character <= "\u30fe":  # kana
            return 1.0
        if "\uff61" <= character <= "\uff9f":  # half-width kana: what any 8-bit text turns into
            return 0.05
        if _is_punctuation(character):
            return 0.6
        try:
            lead = character.encode("cp932")[0]
        except UnicodeEncodeError:
            return 0.0
        return 0.72 if 0x88 <= lead <= 0x97 else 0.3

    return _mean(text, value)


def _korean(text: str) -> float:
    def value(character: str) -> float:
        if character in _COMMON_KOREAN:
            return 1.0
        if "\uac00" <= character <= "\ud7a3":
            return 0.7
        return 0.5 if _is_punctuation(character) else 0.1

    return _mean(text, value)


def _cyrillic(text: str) -> float:
    words = re.findall(r"[\u0400-\u04ff]+", text)
    wide = sum(1 for character in text if ord(character) > 127)
    # A word is ordinary when only its first letter may be a capital, or all are.
    ordinary = sum(
        len(word) for word in words if len(word) > 1 and (word[1:].islower() or word.isupper())
    )
    return 0.9 * ordinary / wide if wide else 0.0


_CANDIDATES: tuple[tuple[str, Callable[[str], float]], ...] = (
    ("cp932", _japanese),
    ("cp949", _korean),
    ("gb18030", _chinese("gb2312", 0xB0, 0xD7)),
    ("big5hkscs", _chinese("big5", 0xA4, 0xC6)),
    ("cp1251", _cyrillic),
)
