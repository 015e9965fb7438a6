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
    "plain": """
        keep+me+posted keep+us+posted keep+you+posted keep+me+updated keep+us+updated
        keep+me+in+the+loop keep+us+in+the+loop keep+in+touch keep+it+up keep+up+the
        keep+going keep+at+it keep+an+eye keep+my+fingers keep+your+chin
        take+care stay+safe stay+strong stay+positive stay+healthy best+of+luck
        good+luck all+the+best best+wishes best+friend best+friends looking+forward
        have+you+been have+you+ever best+memory best+memories favourite+memory
        favorite+memory favourite+memories favorite+memories fond+memories fondest+memory
        good+memories great+memories happy+memories sweet+memories lovely+memories
        childhood+memories how+are+you how+have+you+been proud+of+you good+to+hear
        glad+to+hear sounds+like by+the+way alles+gute viel+erfolg viel+gluck
        liebe+grusse pass+auf+dich bon+courage bonne+chance prends+soin buena+suerte
        mucha+suerte cuidate in+bocca+al+lupo buona+fortuna boa+sorte veel+succes
        powodzenia lycka+till""",
    "place": "following+phrase exact+phrase exact+words exact+word",
}
"""Words by concept."""
