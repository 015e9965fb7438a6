"""Letters that look like others: what each is read as."""

from __future__ import annotations

LOOKALIKES = {
    "a": "аαɑᴀⲁ∂ạ",
    "b": "ЬВвʙᏏЪ",
    "c": "сϲᴄⅽⲥϹС",
    "d": "ԁᴅⅾԀ",
    "e": "еҽєᴇℯ℮ΕεЕ",
    "f": "ꜰƒϝ",
    "g": "ɡɢցԍ",
    "h": "һʜНнΗ",
    "i": "іιɪіıΙІӏ",
    "j": "јᴊϳЈ",
    "k": "κкᴋΚКⲕ",
    "l": "ʟⅼ∣ⳑ",
    "m": "мᴍⅿΜМ",
    "n": "ոɴηпΝ",
    "o": "оοσᴏօΟОⲟ",
    "p": "рρᴘΡРⲣ",
    "q": "ԛզ",
    "r": "гʀᴦг",
    "s": "ѕꜱʂЅ",
    "t": "тτᴛΤТ",
    "u": "υսᴜцμ",
    "v": "νѵᴠⅴ",
    "w": "ԝωᴡшɯ",
    "x": "хχⅹΧХ",
    "y": "уγʏүΥУ",
    "z": "ᴢΖ",
}
"""For each Latin letter the ones of other alphabets that are taken for it.

Words of rules are read through the same table, so that it does no harm to the
languages whose letters these are.
"""

READ_AS = {ord(each): letter for letter, all_ in LOOKALIKES.items() for each in all_}
READ_AS |= {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"}
READ_AS |= {ord(each): "'" for each in "\u2018\u2019\u201b\u02bc"}
READ_AS |= dict(
    zip(
        map(ord, "\u11a8\u11a9\u11ab\u11ae\u11af\u11b7\u11b8\u11ba"),
        "\u1100\u1101\u1102\u1103\u1105\u1106\u1107\u1109",
        strict=True,
    )
)
READ_AS |= dict(
    zip(
        map(ord, "\u11bb\u11bc\u11bd\u11be\u11bf\u11c0\u11c1\u11c2"),
        "\u110a\u110b\u110c\u110e\u110f\u1110\u1111\u1112",
        strict=True,
    )
)
READ_AS |= {
    ord(each): letters
    for each, letters in zip("đøłæœħ", ("d", "o", "l", "ae", "oe", "h"), strict=True)
}
"""By code point.

Letters with a stroke and double ones are written plainly by many; a Korean consonant
is the same at the end of a syllable, so that syllables typed in pieces are read."""
