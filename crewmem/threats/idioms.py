"""More words of `concepts`: what a machine is made of, and rows of words about it."""

from __future__ import annotations

IDIOMS = {
    "secret": """
        source+code training+data model+weights model+architecture internal+data
        hidden+data private+data confidential+data personal+data confidential+emails
        donnees+internes datos+internos dati+interni daten+intern systemdaten
        interne+daten du+lieu+noi+bo thong+tin+mat khoa+bao+mat""",
    "reveal": "revele* revelez devoilez hay+tiet+lo montrez",
    "ignore": "khong+tuan+theo ignore+all ignore+everything",
    "system": "prompt+an an+di",
    "you": "ban+khong+con ban+co+quyen gia+vo+ban gia+su+ban",
    "be": "you+are+free you+are+no+longer you're+no+longer ban+khong+con",
    "role": "hay+gia+vo hay+gia+su hoat+dong+nhu pretend+you're pretend+you+are",
    "evil": "keylogger khong+bi+gioi+han super+user root+privileges root+access",
    "authority": "quyen+quan+tri quan+tri+vien+he+thong admin+console admin+access",
    "claim": "agreed agreement exempt exemption exception verified+and+whitelisted",
    "ai": "this+llm this+ai the+llm",
    "reply": "your+answer your+response your+reply your+answers your+responses",
    "place": "following+phrase exact+phrase exact+words exact+word",
}
"""Words by concept."""
