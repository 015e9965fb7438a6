"""What familiar characters are read as, so that no library has to be asked. Data.

Letters of European languages and the signs of ordinary prose: to load what knows all
characters takes two milliseconds, which is a tenth of a short scan.
"""

from __future__ import annotations

AS_THEY_ARE = "¡¢£¤¥¦§©«¬®°±¶·»¿Ð×Þð÷þĸŊŋŦŧ‖‚“”„‟†‡•‣‧‰′‹›€←↑→↓↔↕⇒≈≤≥│─└├✓✔✗⚠"

LETTERS = (
    "¨ª¯²³´µ¸¹ºÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøù"
    "úûüýÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĬĭĮįİıĴĵĶķĹ"
    "ĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽž"
    "ſ‐‑‒–—―‗‘’‛․−≠"
)

READ = (
    " a 23 u 1oAAAAAACEEEEIIIINOOOOOOUUUUYaaaaaaceeeeiiiinoooooou"
    "uuuyyAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiJjKkL"
    "lLlLlLlNnNnNnOoOoOoRrRrRrSsSsSsSsTtTtUuUuUuUuUuUuWwYyYZzZzZz"
    "s------ '''.-="
)
"""What each of `LETTERS` is read as, at its place."""

LONGER = {
    "¼": "1⁄4",
    "½": "1⁄2",
    "¾": "3⁄4",
    "Æ": "AE",
    "ß": "ss",
    "æ": "ae",
    "Ĳ": "IJ",
    "ĳ": "ij",
    "Ŀ": "L·",
    "ŀ": "l·",
    "ŉ": "'n",
    "Œ": "OE",
    "œ": "oe",
    "‥": "..",
    "…": "...",
    "″": "′′",
    "™": "tm",
}

FAMILIAR = {
    **{ord(each): each for each in AS_THEY_ARE},
    **dict(zip(map(ord, LETTERS), READ, strict=True)),
    **{ord(each): read for each, read in LONGER.items()},
}
