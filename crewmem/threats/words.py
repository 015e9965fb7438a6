"""The words that rules are made of, by what they are for: those in Latin letters.

Without accents and in lower case, as texts are read. A star stands for any ending.
"""

from __future__ import annotations

WORDS = {
    "override": """
        ignore ignoring disregard disregarding forget bypass override overrule neglect
        abandon drop discard dismiss skip omit unlearn erase overlook ignoriere
        ignorieren ignoriert ignorier vergiss vergesse vergessen vergesst missachte
        missachten verwirf verwerfen umgehe umgehen uberschreibe ignora ignorad ignorar
        ignoren olvida olvide olvidar olvidad olviden descarta descarte omite omita
        desatiende salta ignorez ignorer ignores oublie oubliez oublier neglige negligez
        negliger contourne contournez abandonne abandonnez passez ignorate ignorare
        dimentica dimenticate dimenticare trascura esqueca esquece esquecer desconsidere
        desconsidera zaboravi zaboravite zignoriraj* ignoruj* zignoruj* zapomnij pomin
        ignorera glom negeer vergeet unut yoksay bo+qua lupakan abaikan""",
    "override_last": """
        ignorieren vergessen missachten verwerfen ignoriere negeren yoksay""",
    "leave": "leave put set lassen lasse lasst laissez laisse deja deje dejen",
    "behind": "behind aside hinter beiseite derriere atras",
    "follow": """
        follow following obey comply heed adhere befolge befolgen befolgt folge folgen
        halte sigas siga seguir obedezcas obedezca suivez suis suivre respecte respectez""",
    "stop": "stop cease quit hor hore deja deje arrete arretez",
    "not": """
        not don't dont don doesn't never no neither cannot can't mustn't shouldn't wont
        nicht kein keine keinen nie niemals nunca jamas ne n'* pas jamais non nao niet nie degil inte""",
    "all": """
        all any every everything each entire whole both alle allen aller alles
        samtliche* jede* ganze* todo toda todos todas tout toute tous toutes tutte tutti
        sve wszystk*""",
    "everything": "everything anything alles todo tout sve tutto tudo allt",
    "earlier": """
        previous previously prior preceding earlier above foregoing former past initial
        original existing before old aforementioned predefined vorherige* vorherig*
        vorangehende* vorangegangene* bisherige* obige* oben fruhere* davor zuvor
        vorige* ursprungliche* gesagte* bestehende* anterior anteriores previas previos
        previa previo antes arriba precedente* precedent* anterieure* dessus avant
        initiales precedenti prethodne poprzedni* tidigare foregaende vorige eerdere
        onceki
        beforehand vorher""",
    "orders": """
        instruction instructions instruct prompt prompts directions directive directives
        guideline guidelines guidance guardrail guardrails orders order commands command
        rule rules programming training constraints restrictions restriction limitations
        policies protocols task tasks assignment assignments requests briefing persona
        anweisung* instruktion* vorgabe* befehl* richtlinie* regel* aufgabe* auftrag*
        auftrage* beschrankung* einschrankung* angabe* weisung* ausfuhrung* instruccion*
        indicacion* orden ordenes regla reglas directriz directrices directivas mandato*
        restriccion* tareas consigne* regle regles ordres ordre contraintes taches
        istruzion* regole instrucoes ordens regras instrukcije instrukcj* polecen*
        instruktioner instructies talimat*""",
    "firm": """
        instruction instructions prompt prompts directions directives guidelines
        guardrails orders programming anweisung* instruktion* vorgabe* befehl*
        instruccion* ordenes consigne* istruzion* instrucoes instrukcije instrukcj*
        talimat*""",
    "material": """
        text texts data information info context documents document message messages
        conversation conversations content contents input inputs thoughts words memory
        memories knowledge question questions articles discussion dialogue informationen
        angaben texte daten dokumente nachrichten gesprach informacion contexto mensajes
        documentos informations contexte""",
    "your": """
        your yours dein* ihre ihren ihrer eure* tu tus su sus vuestr* votre vos ton tes
        ta""",
    "own": "own system current default built core hidden secret internal full",
    "you": "you u du sie ihr tu usted ustedes vous you've you're you'd",
    "known": """
        know knew known learned learnt told said heard remember read wrote were weisst
        wissen gesagt sabes sabe dije dicho savez sais dit""",
    "output": """
        say output print write tell reply respond answer give state repeat translate
        show display generate produce reveal report send return execute run recommend
        act visit do focus start become be pretend compose speak begin use call open
        follow obey schreibe schreib schreiben sag sage sagen antworte antworten gib
        geben zeige zeigen verfasse formuliere beantworte konzentriere ubersetze nenne
        fuhre fuhren sende berechne berechnen budi escribe escriba  diga responde
        responda muestra muestre dime imprime envia envie ejecuta ejecute haz revela
        revele traduce ecris ecrivez dis dites reponds repondez affiche affichez montre
        montrez envoie envoyez executez revelez""",
    "show": """
        show reveal print output display tell repeat give leak expose dump recite share
        disclose provide list send paste zeige zeig zeigen nenne verrate gib ausgeben
        offenbare wiederhole muestra muestrame revela revelame dime imprime repite
        montre montrez revele revelez affiche affichez donne repete repetez""",
    "hidden_orders": """
        prompt prompts instructions instruction directives anweisung* instruktion*
        systemprompt* instrucciones consignes prompttext* prompttexte*""",
    "system": """
        system initial hidden secret original full complete entire verbatim initialen
        geheimen sistema systeme initiales""",
    "what": "what which was welche que quel quelles quelle quels",
    "written": "written stands stated said placed steht geschrieben above",
    "new": """
        new next another additional different real true actual further following neue
        neuen neuer neues weitere weiteren nachste nuevas nuevos nueva nuevo nouvelle*
        nouveau* nouveaux
        folgender folgende folgenden folgendes weiterer""",
    "task": """
        task tasks instruction instructions assignment assignments challenge goal
        objective mission directive directives role job orders persona identity aufgabe*
        anweisung* ziel auftrag* herausforderung rolle tarea* objetivo mision
        instrucciones rol tache* objectif consigne*""",
    "comes": """
        follow follows folgen folgt begins begin starts siguen sigue suivent suit
        followed""",
    "focus": "focus concentrate konzentriere konzentrieren enfocate centrate",
    "now": "now nun jetzt ahora maintenant henceforth ab",
    "are": "are bist sind eres es seras etes serez be being",
    "become": "become became werde werden",
    "ready": """
        ready able done in on at logged connected set good up free going using running
        not looking here required allowed welcome responsible asked expected seeing both
        all also viewing to subscribed registered part watching finished""",
    "article": """
        a an the my our no called named dan evil unrestricted ein eine der die das mein
        kein un une el la le mi mon sin sans unfiltered operating acting speaking free""",
    "act": """
        act acting behave respond answer roleplay role-play fungieren fungiere agiere
        verhalte handle spiele actua actue actues comporta comportate agis agissez
        comportez joue jouez""",
    "as": "as like als wie como comme en tant",
    "pretend": """
        pretend imagine simulate roleplay impersonate suppose tu tue stell stelle
        simuliere finge finja imagina simula imaginez simule faites pretends pretendez""",
    "persona": """
        ai assistant chatbot bot model llm gpt dan jailbreak unrestricted unfiltered
        evil hacker terminal interpreter character persona god translator ki modell
        assistent ia asistente modelo modele""",
    "unbound": """
        unrestricted unfiltered uncensored jailbroken unlimited unbound limitless amoral
        dan uneingeschrankt* ungefiltert*""",
    "without": "without no ignoring free ohne sin sans",
    "limits": """
        restrictions restriction limits limitations filters filter rules censorship
        guidelines guardrails constraints boundaries policies morals ethics
        einschrankung* beschrankung* regeln restricciones limites reglas regles""",
    "i": "i ich yo je we",
    "want": """
        want need wish would'like mochte will wunsche quiero necesito veux voudrais""",
    "please": "please bitte porfavor favor plait kindly",
    "and": "and then und dann y luego et puis instead stattdessen but",
    "must": """
        must should shall have need ought required will are mussen muss musst sollen
        sollst debe debes deben tienes devez dois doit devrez""",
    "machine": """
        ai ais assistant assistants llm llms chatbot chatbots agent agents bot bots
        model models gpt claude gemini copilot chatgpt machine ki assistent*
        sprachmodell* agenten ia asistente* agente agentes modele modeles""",
    "ai": """
        ai ais llm llms chatbot gpt claude chatgpt assistant assistants ki sprachmodell*
        ia asistente*""",
    "reads": """
        read reads reading process processing parse parses see sees seeing load loads
        loading summarize summarizing summarise summarising receive recall recalls
        recalling liest lesen verarbeitest verarbeitet lee leas leer procesa procese lis
        lisez lire traitez""",
    "this": "this these das dies diese* esto este esta ceci cette ce",
    "note_thing": """
        note notes file message memory text entry page document log section line notiz
        datei nachricht nota archivo mensaje fichier""",
    "note": """
        note message instruction instructions attention notice reminder memo hint
        directive hinweis nachricht anweisung* achtung nota mensaje aviso instrucciones
        remarque avis""",
    "to": "to an fur for a para pour fur",
    "when": """
        when whenever if once before after wenn falls sobald cuando si siempre quand
        lorsque""",
    "user": """
        user users human humans operator operators anyone anybody someone somebody
        person owner customer recruiter admin administrator supervisor team nutzer
        benutzer* anwender niemand* jemand* mensch* usuario* nadie persona humano
        operador utilisateur* personne humain operateur""",
    "watcher": """
        user users human humans operator operators anyone anybody owner supervisor admin
        administrator nutzer benutzer* niemand* jemand* usuario* nadie operador
        utilisateur* personne operateur""",
    "asks": """
        ask asks asked asking questioned question requests request wants queries says
        fragt gefragt pregunta pregunte demande""",
    "only": """
        only just simply exclusively solely nothing nur einfach ausschliesslich solo
        solamente unicamente seulement uniquement always""",
    "exactly": "only just exactly solely exclusively nothing nur genau solo exactamente",
    "reply": """
        reply respond answer say output print repeat tell return write report claim
        state recommend assure antworte antworten sag sage behaupte responde responda
        diga reponds repondez dis dites""",
    "conceal": """
        tell mention mentioning inform reveal revealing disclose notify alert show
        report telling informing notifying warn log say sag sage sagen erwahne erwahnen
        informiere verrate zeige digas diga menciones mencione informes reveles dis
        dites mentionne mentionnez informe informez revele""",
    "hide": """
        hide conceal secretly silently quietly covertly verheimliche verbirg heimlich
        oculta oculte secreto silenciosamente cache cachez secretement discretement""",
    "send": """
        send post upload forward email mail transmit exfiltrate submit leak copy paste
        push put include append encode deliver dump share publish sende senden schicke
        schicken ubermittle lade poste leite kopiere envia enviar envie enviad sube
        subir publica manda reenvia transmite copia envoie envoyez envoyer televerse
        transmets transmettez publie publiez copie copiez transfere transferez""",
    "sensitive": """
        credential credentials password passwords passphrase secret secrets token tokens
        apikey apikeys keys key env environ ssh id_rsa rsa cookie cookies kubeconfig
        wallet seed history transcript conversation passwort* zugangsdaten schlussel
        geheimnis* umgebungsvariablen kennwort* contrasena* credenciales clave claves
        secreto secretos llaves mot passe mots identifiants cle cles jetons""",
    "destination": """
        http https ftp webhook pastebin ngrok url endpoint server adresse servidor
        serveur""",
    "persist": """
        authorized_keys crontab cron bashrc zshrc bash_profile launchd systemd
        sudoers autostart rc""",
    "install": """
        add append write install register insert put create schedule echo fuge schreibe
        trage hinzufugen agrega anade escribe ajoute ajoutez ecris""",
    "backdoor": """
        key backdoor reverse shell beacon implant ssh-rsa ssh rsa ed25519 public
        schlussel clave llave cle""",
    "safety": """
        safety content security ethical ethics moderation moral filter filters guardrail
        guardrails safeguards censorship sicherheitsfilter inhaltsfilter seguridad
        contenido securite""",
    "nothing": "nichts nada rien",
    "filters": """
        filter filters guardrails guidelines checks policies policy restrictions
        protocols safeguards mechanisms measures controls richtlinien filtros filtres""",
    "off": """
        disabled off suspended lifted deactivated removed disable bypass circumvent
        deactivate evade ignore deaktiviert deaktiviere aus desactiva desactivados
        desactive desactivez""",
    "supersedes": """
        overrides override supersedes supersede replaces replace overwrites invalidates
        precedence priority ersetzt uberschreibt reemplaza anula remplace annule""",
    "approved": """
        approved authorized authorised granted consented permitted preapproved
        pre-approved genehmigt autorisiert autorizado aprobado autorise approuve""",
    "mode": "mode modus modo",
    "modes": """
        developer dan god jailbreak sudo unrestricted entwickler desarrollador
        developpeur root""",
    "enable": """
        enable enter activate simulate switch turn engage start aktiviere simuliere
        activa entra activez active simulating enabled""",
    "admire": """
        hate hates love loves despise are want admire hasst liebst odias aimez detestes""",
    "say": "say tell state claim include admit confess write sag sage  dis",
    "that": "that dass que dass",
    "harmful": """
        toxic offensive discriminatory harmful negative unfriendly hateful racist
        insulting untrue false fake misleading malicious sexist derogatory unwahre
        falsche rassistische beleidigende beleidigend flaming""",
    "composition": """
        sentence sentences text headline headlines story joke poem statement article
        tweet manifesto swearwords message review uberschrift satz gedicht schlagzeile""",
    "repeat": "repeat wiederhole repite repetez repete",
    "sentence": "sentence following phrase words text satz me mir frase",
    "praise": """
        wow fantastic great excellent nice perfect simply well good okay ok stop halt
        attention achtung stopp hervorragend* ausgezeichnet* super gut""",
    "done": "done good job performance enough erledigt geschafft gemacht leistung genug",
    "question": """
        question questions task tasks challenge frage fragen pregunta aufgabe
        herausforderung""",
    "help": "help hilfe ayuda aide answer beantworte",
    "contrary": """
        deviating contrary regardless irrespective despite abweichend ungeachtet
        entgegen contrariamente contrairement""",
    "restart": "over anew scratch beginning von vorn vorne neu",
    "begin": "start begin starten beginnen fangen beginne",
    "urgent": "command order urge beg befehle ordeno ordonne",
    "documents": """
        documents document articles article sources context dokumente artikel provided""",
    "response": """
        response responses reply replies answer answers output
        antwort* respuesta* reponse*""",
    "every": "every each all any always jede* cada siempre chaque toujours",
    "insert": """
        include append insert add embed prepend mention recommend end fuge erwahne
        incluye agrega anade inclure ajoute ajoutez inserez""",
    "lead": """
        please must should shall and now then also just simply only exactly stop you
        bitte und jetzt nun sofort du sie por favor y ahora debes tu usted et maintenant
        vous veuillez immediately always""",
    "void": """
        void cancelled canceled obsolete revoked invalid superseded null outdated
        expired longer aufgehoben ungultig anuladas anulado annulees
        irrelevant""",
    "hedge": """
        to can could may might would cannot tries try attempts attempt tells told asking
        asks asked said saying like as phrases phrase string zu kann konnte versucht
        wouldn't if whether how says trying intenta""",
    "duty": "are have need want you ought going must is supposed required asked",
    "about": """
        attack attacks attacker attackers injection injections jailbreak jailbreaks
        payload payloads phrase phrases detects detect detector flags flagged blocks
        blocked scanner filtered catches examples example e.g pattern patterns quoted
        malicious adversarial documented describes paper talk owasp red-team redteam
        rule matches phishing angriff* angreifer* beispiel* muster ataque* atacante*
        ejemplo* attaque* exemple* attaquant* reject rejects rejected quarantined caught
        tests test suite unsafe benign classify classifier """,
    "reader": """
        you your assistant ai llm model agent agents obey comply execute must
        immediately du dein debes tu vous""",
}
"""Words by class."""
