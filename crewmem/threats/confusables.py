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
"""By code point."""
