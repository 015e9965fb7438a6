"""Words of notes in German, French and Spanish, beside English and Czech ones. Pure.

What holds sentences together, what denies, days, and what a diary says. A note is not
asked which language it is in: of words that mean something else in English only those
are here that hardly make a difference to a note, as *car*, *pour* and *sans*.
"""

from __future__ import annotations

HOLDING = """
aber alle als am auch auf aus bei beim bis da damit dann das dass dem den der des dieser
diese dieses doch durch ein eine einem einen einer eines er es etwas für gegen ihr ihre
im immer ins ist ja jede jeden jeder jedes jetzt kann können mehr mit muss müssen noch
nun ob oder sehr sein seine seit sich sie sind soll sollen über um und uns unser unsere
unter vom von wegen weil wenn wer werden wie wieder wir wird wo wurde zu zum zur
zwischen
au aux avec car ce cela ces cet cette chez dans de depuis des deux donc du elle elles en
encore est et être il ils je la le les leur leurs lors lorsque mais mes même nos notre
nous on ou où par parce pendant pour puis quand que qui sa sera ses si sont sous sur ta
tous tout toute toutes toujours très un une vers vos votre vous
al algo algunos ante aquí así aunque cada con contra cual cuando del desde donde el
ella ellos entre era eran es esa ese eso está están estas este esto fue ha hasta hay la
las lo los más mi mientras muy nos nosotros nuestra nuestro o otra otro para pero por
porque pues que qué se ser siempre sobre su sus también tiene todas todo todos tras un
una uno unos y ya
"""

STOP = frozenset(HOLDING.split())
"""What says nothing of a subject."""

DENYING = """
kein keine keinem keinen keiner keines nicht nichts nie niemals niemand nirgends ohne
non pas sans sin
"""

TOGETHER = """
aucun aucune guère jamais pas rien
jamás jamas nada nadie ningún ningun ninguna ninguno nunca tampoco
nikdy nikdo nic žádný žádná žádné
"""

CONCORD = frozenset(TOGETHER.split())
"""What denies together with another one, and turns nothing back: *ne ... jamais*."""

NEGATIONS = frozenset(DENYING.split()) | CONCORD
"""Words that turn what is said around, as *not* does."""

OPPOSITES = {
    "deaktiviert": "aktiviert",
    "verboten": "erlaubt",
    "unmöglich": "möglich",
    "unsicher": "sicher",
    "vor": "nach",
    "langsamer": "schneller",
    "falsch": "richtig",
    "désactivé": "activé",
    "désactivée": "activée",
    "interdit": "autorisé",
    "interdite": "autorisée",
    "avant": "après",
    "faux": "vrai",
    "desactivado": "activado",
    "desactivada": "activada",
    "prohibido": "permitido",
    "prohibida": "permitida",
    "antes": "después",
    "falso": "cierto",
}
"""Words that say of the same subject the opposite of what others say."""

CALLED = {
    "monday": "montag montags lundi lundis lunes",
    "tuesday": "dienstag dienstags mardi mardis martes",
    "wednesday": "mittwoch mittwochs mercredi mercredis miércoles miercoles",
    "thursday": "donnerstag donnerstags jeudi jeudis jueves",
    "friday": "freitag freitags vendredi vendredis viernes",
    "saturday": "samstag samstags samedi samedis sábado sábados sabado",
    "sunday": "sonntag sonntags dimanche dimanches domingo domingos",
    "january": "januar janvier enero",
    "february": "februar février febrero",
    "march": "märz marzo",
    "april": "avril abril",
    "june": "juni juin junio",
    "july": "juli juillet julio",
    "august": "août agosto",
    "september": "septembre septiembre",
    "october": "oktober octobre octubre",
    "november": "novembre noviembre",
    "december": "dezember décembre diciembre",
}

DAYS = {name: day for day, names in CALLED.items() for name in names.split()}
"""Days and months, by what they are called in English."""

TELLING = """
auf aus bei dem den der des das ein eine einem einen einer für im ist kein keine mit
nicht nie nur sind und von vom wenn wird wir zu zum zur
"""

GERMAN = frozenset(TELLING.split())
"""Words that tell that a note is in German, where every noun has a capital, and a
capital makes no name."""

DECISIVE = (
    "entschieden|entscheidung|beschlossen|vereinbart|regel|(?<!wie )immer|nie|niemals"
    "|muss|müssen|soll(?:en|te)?|darf|dürfen|weil|denn|ursache|verursacht|wichtig|braucht"
    "|brauchen|benötigt|statt|nur|vermeiden|nicht|kein\\w*|ohne|vor|nach|bevor|bis"
    "|wenn|sobald|sonst|grenze|gehört|liegt|läuft|lauscht|hört|heißt|bedeutet|dauert"
    "|scheitert|schlägt fehl|hängt|verlangt|wollen|wartet|antwortet|liefert|gibt auf"
    "|décidé\\w*|décision|convenu|règle|(?<!comme )toujours|jamais|doit|doivent|faut"
    "|parce que|préfère\\w*|au lieu de|seulement|éviter|pas|sans|avant|après|jusqu\\w*"
    "|quand|lorsque|si|sinon|limite|appartient|se trouve|tourne|écoute|signifie|dure"
    "|échoue\\w*|besoin|exige|veut|veulent|attend|répond|renvoie|dépend|nécessite"
    "|decidi\\w+|decisión|acordado|acordamos|regla|(?<!como )siempre|nunca|debe\\w*"
    "|hay que|tiene\\w* que|porque|importante|prefiere\\w*|en lugar de|en vez de|sólo"
    "|evitar|sin|antes|después|hasta|cuando|límite|pertenece|está en|escucha|significa"
    "|tarda|falla\\w*|necesita\\w*|requiere\\w*|quiere\\w*|espera|responde|devuelve|depende"
)
"""Words of decisions, causes, habits and facts, as a pattern has them."""

PASSING = (
    "heute|morgen früh|gestern|mittagessen|kaffee|wetter|guten morgen|feierabend"
    "|(?:ruhig|stressig|lang|kurz)e[rs]? (?:nacht|schicht|woche|sitzung|tag|morgen"
    "|vormittag|nachmittag)"
    "|nichts (?:neues|besonderes|zu (?:berichten|melden))|wie immer|wie üblich"
    "|alles (?:grün|gut|ruhig|klar|in ordnung|bestens)|keine (?:befunde|neuigkeiten)"
    "|warte noch|mache morgen weiter|ein bisschen|kleinigkeiten|lief gut"
    "|aujourd'hui|demain|hier (?:soir|matin)|ce (?:matin|soir)|cet après-midi|déjeuner"
    "|météo|bonjour|bonne nuit"
    "|(?:nuit|journée|matinée|semaine) (?:calme|chargée|tranquille|longue)"
    "|rien (?:de nouveau|de spécial|à (?:signaler|dire))|comme d'habitude"
    "|tout (?:est )?(?:vert|bon|calme|va bien|en ordre)|fin de (?:la )?journée"
    "|un peu|s'est bien passée?"
    "|hoy|mañana|ayer|esta (?:tarde|noche|semana)|almuerzo|buenos días"
    "|(?:noche|día|tarde|semana|turno) (?:tranquil|larg|ocupad)[ao]"
    "|nada (?:nuevo|especial|que (?:informar|reportar|contar))|sin novedad(?:es)?"
    "|como siempre|todo (?:está )?(?:verde|bien|tranquilo|en orden)|fin del día"
    "|un poco|salió bien"
)
"""Words of what passes, as a pattern has them: a diary has them every day."""

DIARY = (
    r"(?:(?:ich|wir)\s+)?hab(?:e|en)?\s.*\b(?:\w*ge\w+(?:t|en)|\w+iert)\W*$"
    r"|(?:j'ai|on a|nous avons)\s+\w+(?:é|ée|és|ées|i|is|u|us|it)\b"
    r"|(?:he|hemos)\s+\w+(?:ado|ido|to|cho)\b"
)
"""What somebody did, and is over, as a pattern has it: in the perfect, from the start
of the line on."""
