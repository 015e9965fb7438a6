"""What sentences are about, for `manner`: words in Latin letters by concept.

As in `words`: without accents, a star for any ending.
"""

from __future__ import annotations

from crewmem.threats.ordinary import ORDINARY
from crewmem.threats.parlance import NEW

CONCEPTS = {
    "ignore": """
        ignore* disregard* forget forgets bypass* overlook neglect unlearn discard
        scrap abandon erase wipe* void ignorier* vergiss vergesse* missacht* verwirf
        ignora* olvida* olvide* descarta* ignorez oublie* neglige* dimentica* scorda*
        esqueca esquece* desconsider* ignoreer negeer vergeet zignoruj* ignoruj*
        zapomnij* pomin unut* yoksay* ignorera glom strunta override overrides
        circumvent evade sidestep""",
    "drop": """
        drop skip throw toss dismiss cancel* suspend* clear reset revoke* lift*
        rescind* aufheb* aufgehoben verwerf* anula* cancela* annul* annulla* annule*
        iptal""",
    "obey": """
        obey* follow followed heed listen comply respect adhere bound bind binds
        attention befolg* beacht* gehorch* halte haltet folge folgen horst hore
        obedec* sigas siga sigue caso acata* suivre suis suivez respecte* obei* segui*
        seguire ascolta* luister volg* gehoorzaam* sluchaj* przestrzegaj* uy dinle
        folj lyd* loyal serve bow""",
    "orders": """
        instruction* instruct directive* guideline* guidance guardrail* orders order
        command commands rule rules programming training restriction* constraint*
        policy policies prompt prompts directions protocol protocols configuration
        anweisung* instruktion* vorgabe* vorschrift* befehl* richtlinie* regel*
        weisung* instruccion* indicacion* orden ordenes regla* norma* directriz
        directrices consigne* regle* directives ordres istruzion* regol* ordini
        instruc* ordens regra* instructie* opdracht* regels voorschrift* instrukcj*
        polecen* zasad* regul* talimat* kural* emir* komut* regler law laws reglas
        norme norma normas regole regras yasa""",
    "prompt": """
        prompt prompts systemprompt* sysprompt preprompt systeemprompt* istem* istemi*
        systemmeldung systemnachricht promptu promptow systemowy systemowego""",
    "system": """
        system hidden initial internal original confidential developer sistema systeme
        systeem systemow* sistem* geheim* verborgen* interne* oculto* cache segret*
        dolda config underlying base secretly internas internes interne interni""",
    "prior": """
        previous previously prior preceding earlier above foregoing former past before
        beforehand hitherto original anymore longer vorherig* bisherig* vorige* vorher
        zuvor obig* fruher* anterior* antes previas previos previo precedent* avant
        auparavant anterieur* precedenti prima anteriores hiervoor vorige eerdere
        wczesniejsz* poprzedni* onceki tidigare foregaende previa received given told""",
    "all": """
        all any every everything anything entire whole both total alle alles allen
        samtlich* jede* todo toda todos todas tout toute tous toutes tutto tutte tutti
        tudo alla allt wszystk* tum butun hepsi each everyone everybody""",
    "your": """
        your yours dein* ihre* eure* tu tus su sus vuestr* ton ta tes votre vos tuo
        tuoi tua tue seu sua seus suas teu je jouw twoj* swoj* senin din ditt dina""",
    "you": """
        you yourself you're you'll du dich dir sie ihr usted tu te toi vous ti voce je
        jij u ty ciebie sen siz""",
    "now": """
        now henceforth onwards moment here jetzt nun sofort ab ahora partir adelante
        maintenant desormais ora adesso agora nu vanaf teraz odtad artik simdi bundan
        fran immediately begin start instead rather""",
    "new": """
        new next another different real actual additional updated neue* nueva* nuevo*
        nouvelle* nouveau nuovo nuova nova novo nieuw* nowe* nowa yeni ny nya nytt""",
    "task": """
        task tasks goal objective mission role job purpose assignment action aufgabe*
        ziel auftrag* rolle tarea* objetivo rol tache* but compito obiettivo tarefa
        taak doel zadani* cel gorev* uppgift* request step steps scene""",
    "reveal": """
        reveal* disclose* divulge leak* expose dump recite verbatim unveil confess
        verrat* offenbare preisgeb* revela* divulga* devoile* rivela* svela* onthul*
        ujawnij acikla avslo* word spill""",
    "show": """
        show print output display repeat list give tell share write translate
        summarise summarize state copy paste encode provide explain describe say
        what's zeig* gib nenne* sag sage wiederhol* druck* schreib* muestra* dime da
        dame imprime repite escribe montre* affiche* donne* dis ecris mostra* dimmi
        dammi stampa scrivi mostre diga escreva toon geef schrijf zeg pokaz* podaj
        napisz wyswietl goster* yaz soyle visa ge skriv berattta erzahl* cuente*
        cuentes raconte""",
    "secret": """
        password* passwd passphrase* secret secrets credential* token tokens apikey
        key keys env .env environ id_rsa ssh cookie cookies wallet seed pin passwort*
        kennwort* zugangsdaten schlussel* geheimnis* contrasena* clave* credencial*
        secreto* llave* motdepasse passe identifiants cle cles jeton* segreti chiave
        chiavi senha* chave* segredo* wachtwoord* sleutel* geheimen hasl* klucz*
        sifre* parola* anahtar losenord* nyckel* vault kubeconfig shadow login logins
        contrasenas claves senhas mots privat* private ssn kreditkarte geheime session
        api_key apikeys admin_email database_url bearer aws_secret_access_key
        openai_api_key your_api_key""",
    "memory": """
        memory memories conversation history transcript context database contents
        mails mail inbox message messages gesprach verlauf datenbank conversacion
        memoria historial conversazione conversa gesprek rozmow* sohbet samtal emails
        e-mails mailbox contacts subjects bodies senders""",
    "user": """
        user users human humans operator operators anyone anybody nobody person people
        somebody someone owner supervisor admin administrator reviewer reviewers
        nutzer* benutzer* anwender* niemand* jemand* mensch* betreiber* usuario* nadie
        persona operador* utilisateur* personne humain* operateur* utente utenti
        nessuno operatore ninguem pessoa gebruiker* niemand uzytkownik* nikomu
        kullanici* kimse* anvandar* ingen operatori colleague colleagues boss auditor""",
    "inform": """
        tell mention inform notify alert report warn notice learn know bring log
        record say ask asking sag sage erwahn* informier* verrat* erzahl* digas diga
        cuentes cuente* menciones informes parle* parles dis dites raconte* dire dica
        conte* fale mencione vertel* noem zeg meld mow powiedz informuj soyle* bahset*
        beratta namn* saga rapport informed told aware find discover notified reveal
        show knows erfahr* wissen saber sepa saiba savoir sache sapere saperlo saberlo
        dirlo weten wiedziec bilme* veta mentioned""",
    "hide": """
        hide conceal secretly silently quietly covertly unnoticed trace traces dark
        deny evidence verheimlich* verbirg heimlich spur* oculta* secreto silencio
        discreta* cache* secretement discretement nascondi* segreto oculte esconda
        segredo verberg stiekem ukryj potajemnie gizle* gizlice dolj hemlig* cover
        suppress omit quiet secret between keep guarda guarde garde behalte zachowaj
        houd hall leave stays geheim unseen invisible surface invisibly""",
    "send": """
        send post upload forward email mail transmit exfiltrate submit leak copy paste
        attach append transfer share deliver publish push include collect sende*
        schick* ubermittle* lade poste* leite* kopier* uberweis* envia* envie* manda*
        mande* sube reenvia* publica* transmite* envoie* envoyer transmets transmett*
        televerse* publie* copie* transfere* invia* inoltra* carica* spedisci
        encaminh* stuur verstuur plak wyslij* przeslij* gonder* yukle* ilet* skicka*
        ladda hand gather put pass export wire give route relay sync fetch carica
        condividi suba comparte teile televerse televersez partage upload* laad
        hochladen hoch fax forwarding forwarded""",
    "dest": """
        https http ftp webhook pastebin ngrok url endpoint address mailbox bucket""",
    "delete": """
        delete* remove destroy rm purge wipe truncate losch* entfern* vernicht* borra*
        elimina* supprim* efface* cancella* apaga* exclua* verwijder* usun* skasuj*
        sil kaldir ta radera bort overwrite uninstall kill format revoke close reject
        shut stop deactivate terminate drop vuoi ausschalt*""",
    "run": """
        run execute launch invoke call install curl wget fetch visit open click bash
        sh shell script command commands fuhr* ausfuhr* starte* ejecuta* instala* abre
        execut* lance* installe* ouvre* esegui* installa* apri execute* instale* abra
        voer* start* installeer uruchom* wykonaj* zainstaluj calistir* yukle kor
        installera sudo deploy create push download import carry do perform lancia""",
    "files": """
        file files folder directory directories data home repository disk logs dateien
        datei verzeichnis archivo* ficheros datos fichier* donnees dossier cartella
        dati arquivo* dados bestand* gegevens plik* dane dosya* veri* filer""",
    "without": """
        without no ohne sin sans senza sem zonder bez olmadan utan kein* keine""",
    "ask": """
        asking confirmation permission approval consent review confirm verify checking
        consulting hesitation nachfrag* nachzufragen ruckfrage bestatigung erlaubnis
        preguntar confirmacion permiso demander chiedere conferma perguntar confirmar
        vragen bevestiging pytania pytan potwierdzenia sormadan onay fraga bekraftelse
        warning warn authentication 2fa firewall""",
    "ai": """
        ai ais assistant assistants llm llms chatbot* bot bots model models gpt claude
        gemini chatgpt copilot agent agents machine ki assistent* sprachmodell* ia
        asistente* modelo* modele* assistente* modello taalmodel modelem asystent*
        yapay zeka asistan* modell sprakmodell language machines reader readers robot
        robots llm's sprachmodelle kis""",
    "role": """
        act acting pretend* imagine roleplay role-play play simulate impersonate
        persona character speak behave respond called tu spiel* stell* verhalte handle
        actua* finge* imagina* juega comporta* agis joue* fais pretends comporte*
        fingi* comportati gioca finja aja atue doe speel gedraag udawaj zachowuj graj
        gibi davran oyna latsas spela agera hypothetical fictional story scene game
        become becomes assume talks speaks sounding habla parle parla fale sprich rede
        voice style personality personalities""",
    "evil": """
        dan hacker evil jailbreak* unrestricted unfiltered uncensored unlimited god
        sudo root pirate robot villain morals immoral amoral uneingeschrankt* bose*
        boser pirat* malvado sinnormas mechant pirata cattivo freigeschaltet evilbot
        wizard racist twin thief burglar killer nazi sexist freedomgpt jailbroken
        unethical""",
    "limits": """
        restriction* limit limits limitation* filter filters rules norms morals moral
        ethic* constraint* guardrail* censorship boundaries policy policies bound
        safety einschrankung* beschrankung* grenzen regeln ethik restriccion* limites
        reglas normas filtros regle* morale restrizion* limiti regole filtri restrico*
        regras beperking* ogranicze* zasad kisitlama* sinir* begransning*
        consciousness conscience laws law""",
    "mode": """
        mode modus modo tryb modu lage unlocked unlock functions access rights""",
    "when": """
        if when whenever once wenn falls sobald cuando si siempre quand lorsque se
        quando als wanneer jesli gdy eger om nar""",
    "reads": """
        read reads reading reader processing process parse load loads loading see
        summarise summarising summarize summarizing reach liest lesen verarbeit* lee
        leas leyendo lis lisez lire legge leggi lendo leest lezen czytasz czytaj
        okuyan okuyorsan laser answering answer whichever parses upon processes
        reaches loaded processed scanning scan""",
    "this": """
        this these here dies* dieser esto este esta ceci cette ce questo dit to bu
        paragraph lines line below following folgende* siguiente suivant* seguente
        volgende nastepuj* asagidaki unten abajo""",
    "reply": """
        reply replies answer answers respond responds response responses say output
        vote rate antwort* sag bewert* responde* responda contesta* reponds repondez
        reponse* rispondi rispondere risposta resposta* antwoord* odpowiedz*
        odpowiadaj cevap* yanit* svar* klingon summary summaries review summarise copy
        confirm agree speak""",
    "only": """
        only just exactly solely nothing merely simply word nur genau bloss solo
        solamente unicamente seulement uniquement soltanto apenas somente alleen tylko
        sadece yalnizca bara endast one first""",
    "always": """
        always every each future whenever forever all sessions immer jede* kunftig*
        siempre cada toujours chaque sempre ogni altijd elke zawsze kazd* her zaman
        alltid varje never eternally permanently anytime""",
    "praise": """
        recommend positive excellent best favour favor agree trust approve vote rate
        rating promote praise ten vertrau* empfiehl* bewerte* genehmig* sehr aprob*
        aprueba* recomienda* approuve* recommande* approva* raccomanda* aprove*
        aprovar aprobar approuver approvare goedkeur* zatwierdz* onayla* godkann*
        merge grant favourable favorable points stars score highest brilliant hire
        hired yes accept compliment admire endorse""",
    "not": """
        not don't dont do doesn't never no none neither cannot can't mustn't shouldn't
        won't nicht nie niemals kein* nunca jamas ne n'* pas jamais non mai nao niet
        nooit nigdy degil ekme* soyleme* inte aldrig stop cease""",
    "apply": """
        apply applies valid count bind matter exist gelten gilt existier* aplica* vale
        existen existieran s'applique valent applicano vigem geldt gelden obowiazuj*
        gecerli galler holds hold force bound binding binds""",
    "must": """
        must should shall have need required ordered obliged supposed muss musst
        sollst sollen debes debe deben tienes dois devez doit devi deve devono moet
        musisz zorunda maste want""",
    "authority": """
        developer developers administrator admin creator openai anthropic ceo boss
        owner master emergency urgent debug authorised authorized approved upgraded
        entwickler* desarrollador* developpeur* sviluppator* desenvolvedor*
        ontwikkelaar* tworc* gelistirici* utvecklare""",
    "decode": """
        decode decipher base64 rot13 reversed backwards concatenate combine together
        letters parts join dekodier* entschlussel* decodifica* decode* decodifica""",
    "switch": """
        switch enable activate enter turn unlock upgrade off disable disabled
        deactivate lift suspended freed free aktivier* schalte deaktivier* activa*
        desactiva* active* desactive* attiva* disattiva* ative* desative* schakel
        wylacz* wlacz* etkinlestir* kapat* aktivera uninstall kill stop abschalt*
        ausschalt*""",
    "place": """
        verbatim above start starting beginning words text sentence everything line
        message before first""",
    "what": """
        what which who how was welche* cual* que quel* quelle* che quale qual wat
        jaki* ne vad""",
    "is": """
        is are was were has had been being does did ist sind war waren wird wurde
        wurden hat es son fue fueron esta est sont etait ete sono stato era foi sao
        werd jest sa byl bylo idi ar var hade""",
    "be": """
        you're bist eres seras es sei voce jestes je bent nasinn siz sin""",
    "safety": """
        safety safe safeguard* security secure moderation compliance censorship
        alignment ethic* moral* content harm disclaimer* privacy protection*
        sicherheit* seguridad securite sicurezza seguranca veiligheid* bezpeczen*
        guvenlik sakerhet* an+toan keamanan bezpecnost* sikkerhed* sikkerhet*
        turvallisu* biztonsag* sigurant* restrictions""",
    "harm": """
        bomb* weapon* explosive* meth drugs heroin malware virus ransomware keylogger
        phishing exploit* kill murder poison* illegal illicit harmful dangerous
        unethical hate hateful racist violence violent steal fraud* scam* hack hacking
        crime* criminal* insult* offensive toxic untrue misinformation fake suicide
        porn nsfw sexual explicit counterfeit launder* bioweapon* backdoor* bombe*
        waffe* drogen arma armas bomba* drogas arme armes drogue* armi droga illegale*
        ilegal*""",
    "frame": """
        hypothetical* fictional fiction novel story stories movie film script
        screenplay scene scenario universe dream thesis academic educational research
        purposes simulation simulated sandbox game villain grandma grandmother debate
        opposite day hypothetisch* fiktiv* roman geschichte historia cuento hipotetic*
        histoire fictif* hypothetique* storia ipotetic* hipotetyczn* varsayimsal
        creative roleplay role-play role-playing actor theatre theater dreamed
        imaginary""",
    "claim": """
        authoriz* authoris* permitted permission allowed approved confirmed verified
        cleared consented consent granted legitimate official pentest penetration
        audit certified credentials clearance badge employee authorization
        authentication genehmigt autorisiert autorizad* aprobad* autorise* approuve*
        autorizzat* approvat* permiso legal compliance-approved whitelisted trusted
        whitelist authorizing""",
    "note": """
        note notes notice message messages alert memo reminder attention important
        instruction instructions directive update advisory bulletin announcement ps
        p.s metadata annotation hidden comment inject injected footer appendix
        addendum hinweis achtung wichtig nota aviso importante mensaje avis remarque
        attenzione avviso atencao uyari let+op luu+y""",
    "job": """
        summar* translat* classif* classification analys* analyz* review reviewing
        reviews sentiment evaluation evaluat* grading grade rating assessment
        screening extraction extract summarization zusammenfass* ubersetz* resum*
        traduc* tradui* riassum* moderat* ranking spam grammar proofread* recruiter
        candidate resume applicant*""",
    "tool": """
        tool tools function functions plugin api terminal shell browser interpreter
        python sql query bash console subprocess eval exec os.system send_email
        send_money read_file execute_command werkzeug herramienta* outil* strumento
        ferramenta* send_message forward_email delete_email delete_user transfer_funds
        send_mail run_command list_files write_file http_request""",
    "outside": """
        external remote outside third party third-party attacker* exfil* offsite
        foreign anonymous partner collector drop collect.php evil rogue my+server
        my+email our+server my+account backup-server remote+host extern* externo*
        exterieur* esterno ben+thu+ba ben+ngoai ra+ngoai""",
    "comply": """
        comply complies compliance refuse refuses refusing refusal refusals decline
        apologize apologise apologies sorry disclaimer disclaimers cannot hesitate
        hesitation judge judgement judgment moralizing lecture warnings question argue
        object obedient weiger* verweiger* niegues negarte rechazar* refuser rifiutare
        recus* weiger odmawia* reddetme*""",
    "vital": """
        important urgent urgently critical immediately priority emergency crucial
        mandatory essential asap now instantly attention wichtig dringend sofort
        kritisch importante urgente inmediatamente immediatement critique critico
        subito belangrijk wazne pilne acil onemli viktigt""",
    "title": """
        system admin administrator developer dev root operator assistant ai llm agent
        model bot editor reviewer translator compiler parser security owner sysadmin
        moderator""",
    "we": """
        we he she it they i who mira tom ada wir er es ich nosotros el ella nous il
        elle noi lui lei nos ele ela wij hij zij my on ona biz o vi han hon crew team
        members customer customers our their his her someone's everyone everybody
        alice bob john team's staff people's company""",
    "past": """
        asked decided sent wrote said told kept added removed changed fixed moved
        blocks blocked says expects means flags runs writes shows follows showed
        happened patched granted arrived reads sends prefers wants prefer used needs
        gets made""",
    "plain": ORDINARY,
    "about": """
        attack attacks attacker* injection injections injected jailbreaks payload
        phrase phrases detect* flags flagged scanner caught example examples e.g
        pattern* malicious adversarial documented describes paper owasp redteam
        phishing refused rejected quarantined poisoned suspicious unsafe benign
        classifier angriff* angreifer* beispiel* muster ataque* atacante* ejemplo*
        attaque* exemple* attacco esempio exemplo* aanval* voorbeeld* przyklad* ornek*
        exempel""",
    **NEW,
}
"""Words by concept."""
