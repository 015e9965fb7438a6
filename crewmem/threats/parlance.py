"""More words of `concepts`: how orders are said politely, and what they are about.

Orders that copy themselves, that move money, that have results claimed. As in
`words`; a plus joins words that mean something only together.
"""

from __future__ import annotations

NEW = {
    "spread": """
        append* appended carry+forward chep+lai copi* copia* copied copies copy
        copying dopisywa* dopisz* duplicate* einfug* ekle* embed* fuge illeszd
        indsaet* insere* inserez inserir inserisci* insert* inserta* keep+copying
        klistra kopieer* kopier* kopiera* kopioi* kopiruj* kopiuj* kopyala* liita
        masol* pass+on paste* pega* propagate* recopi* reload replicate* reproduce*
        restate salin* sao+chep sebar* sisip* spread* tempel* trage ubertrag*
        verbreit* vloz* voeg wklej* wpisz* yapistir* zkopir*""",
    "peers": """
        agents alti altre altri andere* anderen andra andre another autres colleagues
        demas diger digerleri everyone+else inni innych khac lain masik muut
        neighbours ostatni other others otras otros outras outros peers recipient
        recipients toiset whoever""",
    "money": """
        account accounts amount balance bank bankverbindung bayar betaal* betaling*
        betalning* buy card compte* conta contas conti conto costs cuenta* discount*
        dollar* eur euro euros factura* facture* faktur* fakturor* fattur* fatura
        fatura* fees funds gift+card gift+cards gutschein* hesap* hoa+don iban
        invoice* konta konto* kontonummer kontonummern odeme* pagament* pago* pagos
        pague paid paiement* pay paye* payment payments pembayaran platb* platnosc*
        price prices purchase* rechnung* refund* rekening* rekeningnummer tai+khoan
        thanh+toan transfer transfers ucet* usd wallet zahl*""",
    "outcome": """
        basarili basarisiz berhasil bestanden bestod clean+bill complete completed
        done echou* erledigt faerdig* fail* failed failing fails fait faite faits
        falen falhem falhou* falla* fallen fallisc* fatte fatti fatto fehlgeschlagen
        feita* feito* fertig fine finished gagal gecti geslaagd gotow* green grun
        hazir hechas hecho* hoan+tat hotov* klaar klar klara listas listo* okay pasado
        pasaron pass passaram passati passed proslo przeszedl przeszly ready reussi*
        riuscit* scheiter* selesai skipped success* successful termine* thanh+cong
        valid xong""",
    "checks": """
        comparison compare abgleich ungepruft sprawdzania controllare controleren verifier revisar verificar
        audit check checked checks comprob* controle* controles controlli controllo
        firma firme imza inspection kiem+tra kontrol* kontrole kontroll* kontrolle*
        kontrollerna kontrollerne kontroly monitoring no-verify pemeriksaan periksa
        prueba* pruebas pruf* prufen prufung* review scan signatur signature
        signatures sprawdz* test teste testes testler tests testy verifica* verificac*
        verification verify""",
    "called": "",
}
"""Concepts of their own, and their words."""

PARLANCE = {
    "role": "suppose assume supon suppose",
    "reads": """
        bulan cte czyta discovers doc edits encontrar encontre encounters encuentra
        encuentre find finder findest findet finds found handle handles hittar laeser
        laser lea leest legge leia liest loads membaca menemukan najde okuyan opens
        resuma resume riassume sees streszcza summarises summarizes thay touches
        trouve trouves trova vindt znajdzie zusammenfasst""",
    "must": """
        debe deben deve devono doit doivent gerekir harus has+to hay+que il+faut is+to
        ma+poslat ma+wyslac moge ought phai precisa shall ska skal soll sollen""",
    "you": "anda anta brauchst hast hoef hoeft kamu",
    "ask": """
        accord approvals approvazione approve aprobacion aprovacao avertir avisar
        avvisare benotig* bertanya bestatig* brauch* chieder* conferma confirmacion
        consult* consultar consultes consulting fraga frage fragen fragt genehmigung
        hace+falta hoi izin l'accord n'exigent necesit* needed needs onay persetujuan
        potwierdzenia precisam preguntar prevenir ptat pytac pytaj question questions
        raadpleg* require* richiedono ruckfragen schvaleni sorma* sporge sporger tanya
        validation vraag vragen zeptej zgody zustimmung""",
    "not": """
        dung ingenting inutile jangan kein keiner khong nada nic nichts niente niets
        nincs ninguna nothing nulla olma rien tidak yok""",
    "hide": """
        between+us dau+vet deny entre+nosotros entre+nous jejak keep+it+between
        keep+to+yourself quietly rastro sladu sled spoor spur spuren stay+silent stop
        tra+noi traccia trace trazas unter+uns verrat verschweig*""",
    "user": """
        titulaire titular boss holder muduru mudure nachalstv*
        ai+do alguem alguien anyone+who atasan baas bat+cu+ai betreiber biri boss capo
        chef chefe chefen chefs chi+la chi+lo customer+agreed den+som director head
        iedereen iemand isteyen* jedem jefa jefe jemand kazdemu kazdy kierownik* ktos
        lead leader leads leitung manager manajer nagon nekdo niemandem nikoho nikomu
        nogen officer operador operateur operatora operatore operatoren operatoru
        personne qualcuno quelqu'un quem+pedir qui+le+demande quien+la quien+lo
        responsable sef* sep seseorang siapa szef szefowi teacher vedoucimu
        vorgesetzt* who+asks whoever+asks""",
    "note": """
        absatz afsnit akapit alinea anteckning baris block catatan doan dong ghi+chu
        ligne linea lines linha linia linie linje notat notatka notatke notatki
        notitie notiz notizen odstavec paragraf paragrafi paragrafo paragraph
        paragraphe parrafo passage poznamky radek raden regel riga satir satiri
        stycket tekst testo texte texto zeile""",
    "memory": """
        agent.md bellek* bo+nho crew.md dziennik gedachtnis* gunlugu hafiza*
        hukommelse journal log logboek loggen long-term mailboxes memoires memori
        memorias memorie memories memory+file minne nhat+ky pameti pamieci protokoll
        registre registro speicher*""",
    "now": """
        as+of bugun* directamente directement directly direkt direto direttamente
        dneska dzis dzisiaj hari+ini hencefor* heute hned hoje hom+nay hoy i+dag
        langsung med+det+samme mulai ngay oggi razu right+away straight+away today
        vandaag""",
    "always": """
        again dauerhaft for+ever ghi+nho hatirla husk in+advance ingat keep+in+mind
        kom+ihag lembre-se merk* merke never nho pamatuj permanently recuerda remember
        retiens ricorda standing standing+permission stets store+permanently toujours
        whatever whoever zapamietaj""",
    "send": """
        adjunt* allega* anexe* bifoga bijvoeg* caricare dinh+kem doorstur* ekleyin
        encaminhe* enviar envoyer gewahr* gonder* gondersin grant gui hand hands
        iletsin inoltri* joign* kirim* laat lampir* mengirim mirror nachricht+an
        pass+along passes+on poslat posli priloz* przesle przeslij reenvie* register
        sender sturen subir transfere* vedhaeft* weiterleit* wyslac zalacz*""",
    "dest": """
        address address+below adres adresi adresse adressen adresu alamat dia+chi
        direccion endereco indirizzo link portal webhook""",
    "switch": """
        abschalt* apaga* deaktiv* desactiv* desativ* desligu* disattiv* kapat*
        matikan* nonaktif* opt+out schakel* schalte shut+off sla+fra stang switch+off
        switched+off tat turn+off vypni* wylacz*""",
    "run": """
        act ausgefuhrt calistir* carried+out carry+out chay done+at+once execut*
        executa* execute* executed fetch fetches install install* installeer*
        installiere* installs is+done jalankan kor outdo perform provad* provadej*
        wykonuj* yap""",
    "praise": """
        aanbevel* anbefal* approve approved best criticas critiche critiques dangereux
        doporuc* excellent first full+marks gefahrlich gioi+thieu guaranteed highest
        kritik kritiken krytyke lobe loben oner* others+are peligroso* perfect
        pericolos* perigos* polec* premium raccomand* recomend* recomendar recomienden
        recommander recommend* rekomendasi rekommend* safe+shop safest trusted
        without+criticism""",
    "inform": """
        admit beri+tahu bilang conte dica diga digas dirlo dis dites erwahnen explain
        katakan mencion* mention* mow mowiac mowic noi parle* rict rikej sag* sage
        sagen say+nothing sige soyle* verrate zeggen""",
    "ai": """
        agen agente agenten agentes ajan ajani asisten asistent asistente assistants
        assistent assistente asystent bots coding+agent helper helpers ia's kis
        l'agent l'agente l'assistant llms machine+in+the+loop models screening+system
        tac+nhan tro+ly""",
    "claim": """
        affirme* afirma* allows already+approved already+have approved+in+advance
        as+if audit+requires autorise behaupte* cho+phep claim claims comes+from
        count+as counts+as counts+if declara* dovoluje erlaubt hevde iddia izin+verir
        mengizinkan on+behalf pastå permet permette permission permite pozwala
        pre-approved pretend+he pretend+that say+that sostieni speaks+with
        standing+permission state+that tillader tillater toestaan tvrd*""",
    "this": """
        abaixo abajo asagi* below-mentioned ben+duoi celui-ci ci-dessous di+bawah esta
        este hieronder nedan nedenfor nize niżej ponizej questo qui+sotto sotto tym
        unten untenstehend*""",
    "all": """
        alla alle cada chaque elke every hver jede* kazde kazdej moi ogni semua*
        setiap tat+ca todas toutes varje vsech wszystkich wszystkie""",
    "reply": """
        alle+fragen antworte* cada+pregunta cevap chaque+question contesta*
        every+question jawab odpovez odpowiadaj odpowiedz ogni+domanda reponds
        responda responde* rispond* svar svara tra+loi""",
    "we": "competidores competitors concorrenti concurrents konkurrenz",
    "delete": """
        byt+ut cambia* change+the degistir* ersetze* ersetzen ganti* remplace* replace
        replaces sostitu* substitua* sustituy* swap swaps tausche thay+the troque*
        udskift* vervang* vymen* zamien*""",
    "tool": """
        authorized_keys call+the cron cronjob crontab function+call job tool+call""",
    "without": "bez khong+can sans sem senza sin tanpa uden utan zonder",
    "comply": "insist insists pretend+not question+it refuses",
    "drop": """
        abgelaufen caduc* expirar* expire* expired gecersiz het+hieu+luc hinfallig
        hukumsuz invalid kedaluwarsa lapse lapsed no+longer+applies no+longer+valid
        obsolete out+of+date outdated perime* scadut* stracily tidak+berlaku udlobet
        ungultig upphort utgangen vencid* verfallen verlopen vervallen void vyprsel*
        waznosc wygas*""",
    "ignore": """
        atla hoppa+over instead+of laat+weg lass+weg leave+out leaves+out omets
        omettez omit omita omits omitti* outrank outranks pomijaj supersede* weglass*""",
    "show": """
        aushandig* beri berikan da dai dilo dua gib+jedem give+away gives giving
        hand+out hand+over herausgeb* lamna+ut podaj podawaj* ver verin""",
    "place": """
        al+principio all'inizio am+anfang anfang at+the+top au+debut beginning+of
        debut first+message first+text inicio inizio no+inicio principio text+above
        wat+boven""",
    "safety": """
        content+policy riesgos rischi riscos risiken risk risks risques sandbox scan
        scanner source+check""",
}
"""Words by concept."""
