"""More words of `concepts`: languages of which it has none, and rows of words.

Vietnamese, Indonesian, Czech, Danish and Norwegian, Finnish, Hungarian, Romanian, and
more of Dutch, Turkish and Swedish. As in `words`; a plus joins words that mean
something only together.
"""

from __future__ import annotations

TONGUES = {
    "ignore": """
        bo+qua lo+di phot+lo quen+di quen+het quen+moi hay+quen vuot+qua
        khong+can+theo abaikan* mengabaikan lupakan* hiraukan langgar* ignoruj*
        zapomen* zapomn* obejdi porus* preskoc* ignorer* glem glemme* tilsides* omga
        unohda* ohita* sivuuta* jata+huomiotta hagyd+figyelmen felejts* felejtse*
        mellozd* szegd+meg ignorati uita* ignorat* treci+peste ignoreert vergeten
        verwaarloos* omzeil* goz+ardi gormezden unutun yok+say yok+sayin dikkate+alma
        atla* bortse asidosatt* pay+no+attention take+no+notice throw+out get+rid+of
        move+past set+aside put+aside push+aside look+past tune+out shut+out
        leave+behind let+go+of do+away+with disobey violate violat* defy undermine
        disable+all hagyd+figyelmen+kivul uberschreib* setze+dich+hinweg uberspring*
        hinwegsetz* pasa+por+alto saltate omite omiti* passa+por+cima fais+abstraction
        contourn* aggira* elude* burla* desobedec* enfrein* work+around""",
    "drop": """
        huy+bo xoa+bo batalkan hapuskan zrus* annuller* ophaev* opphev* peruuta*
        kumoa* torold visszavon* anuleaza* anulat* renunta* intrek* iptal+et upphav*
        cast+off wipe+away null+and+void""",
    "obey": """
        lam+theo tuan+theo tuan+thu nghe+theo nghe+loi ikuti* patuhi* turuti*
        mengikuti taati poslouchej* ridi dodrzuj* nasleduj* uposlechn* dril folg fulgt
        adlyd* overhold* tottele* noudata* seuraa* kovesd kovesse* engedelmeskedj*
        tartsd urmeaza* asculta* respecta* supune* opvolgen gehoorza* uyma uyun itaat*
        takip+et lyda carry+out act+on act+upon abide live+by stick+to go+along""",
    "orders": """
        huong+dan chi+thi chi+dan quy+tac quy+dinh menh+lenh cau+lenh chinh+sach luat
        instruksi* perintah* aturan* petunjuk* arahan* kebijakan* panduan* instrukc*
        pokyn* prikaz* pravid* narizen* smernic* instruks* regler* retningslinje*
        ordre* vejledning* ohje* ohjei* saannot saanto* kaskyt kasky* maarays*
        utasitas* szabaly* parancs* iranyelv* eloiras* instructiun* regul* ordine*
        comenz* indicati* directiv* aanwijzing* bevel* richtlijn* instructies
        talimatlar* yonerge* kurallar* direktif* anvisning* riktlinje* instruktioner*
        programmier* programacion programmation programmazione programacao
        sicherheitsrichtlinien""",
    "prompt": """
        loi+nhac prompt+he+thong prompt+sistem systemovy+prompt systemprompten
        jarjestelmakehote* kehote* rendszerprompt* rendszeruzenet* prompt+de+sistem
        promptul* systeemprompt* sistem+komut sistem+mesaj initial+message
        system+message system+text first+message developer+message hidden+message
        text+above words+above sistem+komutunu sistem+komutu sistem+mesajini
        systemmessage systemtext systeminstruktion* system+prompt system+prompts
        initial+prompt hidden+prompt developer+prompt system+instructions
        system+instruction initial+instructions original+instructions
        hidden+instructions internal+instructions base+prompt pre+prompt master+prompt
        your+prompt""",
    "system": """
        he+thong noi+bo tersembunyi rahasia sistem systemov* skryt* tajn* interni
        puvodni skjult* hemmelig* oprindelig* opprinnelig* jarjestelma* piilotet*
        salai* sisai* rendszer* rejtett titkos eredeti sistemul* ascuns* verborgen
        systeem* oorspronkelijk* gizli sistemin dolt dolda ursprunglich* originales
        original* initiales initialen anfanglich* inicial* interno* originais iniciais
        iniziali originali""",
    "prior": """
        truoc truoc+do truoc+day o+tren ben+tren phia+tren ban+dau sebelumnya
        terdahulu sebelum awal predchoz* drive drivej* vyse tidligere forrige
        foregaende ovenfor over+dette aiem* edellis* ylla* aikaisem* korabbi* elozo*
        elobbi fenti eddigi anterior* precedent* mai+sus dinainte voorafgaand* eerder*
        bovenstaand* onceden yukaridaki evvelki ovanstaende up+to+now so+far until+now
        up+to+this+point given+above""",
    "all": """
        tat+ca toan+bo moi+thu moi+huong semua seluruh segala setiap vsechn* vsechen
        veskery alt al kaikki kaiken kaikkia minden mindent osszes mindegyik toate
        toti tot+ce orice tum+bu hersey her+sey butun+bu allt+som every+single cely
        cele celou""",
    "your": """
        cua+ban cua+may anda kamu tve tvuj tvoje tvych sve vase vasich dine jeres
        deres sinun omat ohjeesi saantosi ohjeitasi a+te az+on sajat utasitasaid
        szabalyaid ale+tale tale dumneavoastra ta+instructiuni jouw jullie uw kendi
        senin talimatlarini kurallarini your+own""",
    "you": """
        ban+la ban+hay ban+dang ban+phai ban+khong ban+co ban+duoc ban+se anda+adalah
        kamu+adalah engkau jsi ty vy du+er du+skal sina sinulla te+vagy tu+esti
        jij+bent je+bent sensin siz+bir ya+all you+guys yourself""",
    "now": """
        bay+gio tu+bay+gio tu+gio ke+tu+bay+gio ngay+bay+gio ngay+lap+tuc sekarang
        mulai+sekarang mulai segera nyni ted od+ted od+nynejska ihned fra+nu fra+na
        med+det+samme straks nyt tasta+lahtien tasta+eteenpain heti mostantol azonnal
        de+acum acum incepand imediat vanaf+nu onmiddellijk su+andan bundan+sonra
        bundan+boyle hemen simdiden fran+och+med+nu genast from+now+on from+this+point
        from+here+on as+of+now effective+immediately right+away at+once going+forward""",
    "new": """
        nhiem+vu+moi moi+nhat baru berikutnya dals* nye nyt+nye uusi uudet uusia uj
        ujabb kovetkezo nou noua noi+instructiuni nieuw* volgende yeni+bir sonraki nya
        novy nove novou novym""",
    "task": """
        nhiem+vu vai+tro muc+tieu tugas peran* tujuan ukol* cil opgave* oppgave*
        formal tehtava* tavoite* feladat* celod szerep* sarcina* scop* rolul opdracht*
        gorevin* amac* uppgift* thay+doi+nhiem+vu""",
    "reveal": """
        tiet+lo lo+ra de+lo cong+khai phoi+bay bocorkan* ungkapkan* beberkan*
        mengungkap* prozrad* odhal* vyzrad* afslor* avslor* paljasta* aruld leleplez*
        fedd+fel dezvalui* divulg* onthul* verklap* ifsa aciga+cikar avsloja* roja
        give+away let+slip hand+over give+up""",
    "show": """
        hien+thi cho+toi+xem cho+toi+biet cho+toi noi+cho+toi noi+toi in+ra xuat+ra
        liet+ke nhac+lai lap+lai viet+ra viet viet+lai giai+thich dua+toi tunjukkan*
        tampilkan* beritahu+saya berikan* cetak* ulangi* sebutkan* tuliskan* katakan*
        ukaz* zobraz* vypis* rekni sdel* zopakuj* napis* vis vise fortael fortell
        udskriv gentag gjenta skriv nayta* kerro tulosta* toista* listaa* anna mutasd*
        ird mondd* irja+ki ismeteld* sorold* add+meg arata* afiseaza* spune* scrie*
        repeta* listeaza* da-mi laat+zien geef* herhaal* vertel+me druk+af yazdir*
        listele* tekrarla* bana soyle+bana bana+ver visa skriv+ut upprepa* spell+out
        read+out write+out type+out lay+out dump+out""",
    "secret": """
        mat+khau khoa+api khoa+bi+mat bi+mat khoa+rieng thong+tin+dang+nhap khoa
        kata+sandi sandi kunci* rahasia kredensial* hesl* klic* udaje tajemstv*
        adgangskod* passord* nogle* nokkel* hemmelighed* salasana* avain* avaimet
        tunnukset jelszo* jelszav* kulcs* titok* hitelesito parol* cheia chei
        credential* wachtwoord* inloggegevens sifreler* parolalar* anahtari
        kimlik+bilgi losenord* api+key api+keys access+token access+tokens private+key
        secret+key pass+phrase bank+account credit+card social+security
        kimlik+bilgilerini kimlik+bilgileri api-key api-keys apikeys schlusselwort
        private-key access-key""",
    "memory": """
        cuoc+tro+chuyen lich+su co+so+du+lieu bo+nho hoi+thoai percakapan riwayat
        ingatan basis+data konverzac* historie databaz* samtale* historik keskustelu*
        historia tietokanta* muisti beszelgetes* elozmeny* adatbazis* conversati*
        istoric* baza+de+date geheugen sohbet+gecmisi gecmis* context+window chat+log
        chat+history chat+logs message+history previous+conversation""",
    "user": """
        nguoi+dung nguoi+quan+tri bat+ky+ai quan+tri+vien ai+khac pengguna siapa+pun
        manusia uzivatel* nikomu nikdo spravc* operator* bruger* brukere* brukeren
        ingen nogen noen kayttaj* kenellekaan kukaan ihmis* felhasznalo* senkinek
        senki ember* utilizator* nimeni nimanui persoan* gebruiker* niemand mens*
        kullaniciya kullanicinin kimseye insan* anvandar* manniska* no+one any+person
        ben+thu+ba""",
    "inform": """
        noi+voi noi+cho thong+bao bao+cho bao+cao+cho+nguoi cho+biet de+cap nhac+den
        beritahu* katakan+kepada laporkan* sebut* menyebut* rikej* nerikej* sdelu*
        oznam* zminuj* nezminuj* fortael* fortel* naevn* nevn* underret* si+det kerro*
        mainits* ilmoita* paljasta mondd+el szolj* emlitsd* jelezd* spune+nimanui
        spui* mentiona* anunta* vertellen vermeld* bahsetme* soyleme* haber bildirme*
        berattar* namna* underratta* let+on let+know bring+up give+away""",
    "hide": """
        giu+bi+mat che+giau am+tham giu+kin len+lut sembunyikan* diam-diam rahasiakan*
        tanpa+diketahui tajne potaji skryj* utaj* zatajit hemmeligt skjul* i+smug
        salaa piilota* hiljaa titokban rejtsd* elrejt* ascunde* in+secret pe+ascuns
        heimelijk stilletjes gizlice gizli+tut saklaya sakla* i+hemlighet dolj*
        under+the+radar behind+the+scenes keep+quiet off+the+record do+not+tell
        don't+tell never+tell do+not+mention don't+mention never+mention
        without+telling without+informing without+notifying""",
    "send": """
        gui+den gui+toi tai+len chuyen+tiep dang+len chuyen+tien gui+toan+bo kirim*
        kirimkan* unggah* teruskan* salin* odesl* posli* nahraj* preposli* zkopiruj*
        prevest* preved* videresend* laeg+op last+opp overfor* laheta* lataa* siirra*
        valita* kuldd kuldj* toltsd* tovabbits* masold* utald* trimite* incarca*
        redirectioneaza* copiaza* transfera* verzend* doorsturen upload+naar gonderin
        yolla* aktar* kopyala* vidarebefordra* send+off ship+off exfil* siphon*
        smuggle dispatch remit funnel gui+du gui+tat gui+mat gui+cac gui+email
        gui+thong gui+khoa gui+no gui+ma gui+lich gui+noi""",
    "dest": """
        may+chu dia+chi server+luar server+eksternal alamat servery serveru ekstern*
        palvelim* osoitte* kiszolgalo* szerver* adresa server+extern adresi sunucu*
        adress* remote+endpoint remote+server onion evil.com attacker.com bit.ly
        dropbox telegram discord external+server external+address""",
    "delete": """
        xoa xoa+het xoa+toan+bo go+bo hapus* menghapus musnahkan* smaz* vymaz*
        odstran* znic* slet slette* fjern* odelaeg* poista* tuhoa* pyyhi* torold*
        semmisits* tavolits* sterge* elimina* distruge* wis verwijder* silin temizle*
        yok+et ta+bort radera* wipe+out shut+down tear+down""",
    "run": """
        chay thuc+hien thuc+thi cai+dat goi+cong+cu bam+vao truy+cap mo+lien jalankan*
        eksekusi* laksanakan* pasang* buka* klik* panggil* spust* proved* vykon*
        nainstaluj* otevri* klikni* udfor* utfor* installer* aabn* apne* suorita*
        asenna* avaa* klikkaa* kaynnista* kutsu* futtasd* hajtsd* telepits* nyisd*
        kattints* ruleaza* executa* instaleaza* deschide* apasa* voer+uit uitvoeren
        open+de klik+op calistirin calistir* tikla* yurut* kor+kommando klicka* oppna*
        go+ahead kor hivd hivja""",
    "files": """
        tap+tin du+lieu thu+muc tep berkas folder* soubor* slozk* filer mappe*
        tiedosto* kansio* tiedot fajl* mappa* adat* fisier* dosar* bestanden dosyalar*
        klasor* filerna""",
    "without": """
        khong+co ma+khong khong+can tanpa bez uden uten ilman nelkul fara""",
    "ask": """
        xac+nhan xin+phep hoi+lai phe+duyet cho+phep su+dong+y konfirmasi* izin*
        persetujuan bertanya potvrzen* zeptan* svolen* dovolen* bekraeft* bekreft*
        sporge tilladelse tillatelse vahvist* kysym* lupa* megerosit* kerdez*
        engedely* confirmare intrebi intreba permisiun* aprobare toestemming bevestig*
        vragen onay* izin+almadan sormadan bekrafta* tillstand double+check""",
    "ai": """
        tro+ly tro+ly+ai mo+hinh tri+tue+nhan+tao asisten* kecerdasan+buatan
        model+bahasa asistent* umela+inteligence jazykovy+model assistenten
        sprogmodel* spraakmodel* kunstig+intelligens tekoaly* avustaj* kielimalli*
        asszisztens* nyelvi+modell mesterseges asistentul* inteligenta+artificiala
        modelul* taalmodellen asistansin asistani yapay+zekasin yapay+zeka""",
    "role": """
        dong+vai gia+vo gia+su tuong+tuong hanh+dong+nhu bertindak* berpura-pura
        pura-pura bayangkan* berperan* predstir* hraj chovej* predstav* opfor+dig
        oppfor+deg lad+som late+som forestil* spil leg+at esita* kuvittele* nayttele*
        teeskentele* viselkedj* jatssz* kepzeld* tegy+ugy comporta* joaca* prefa*
        imagineaza* pretinde* doe+alsof stel+je+voor speel+de rol+yap gibi+davran
        farz+et hayal+et lat+sas forestall* let's+play let+us+play make+believe""",
    "evil": """
        tin+tac khong+gioi+han khong+bi+kiem+duyet peretas* jahat* tanpa+batas hacker*
        neomezen* zly ubegraenset* ubegrenset* ond rajoittamat* paha hakkeri*
        korlatlan* gonosz* nelimitat* rau onbeperkt* kwaadaardig* sinirsiz* kotu
        korsan obegransad* ofiltrerad* no+filter anti+gpt stan dude devmode chaosgpt
        unchained unshackled untethered unaligned rogue sociopath psychopath unhinged
        lawless anarchist mastermind unbeschrankt* sin+limites sans+limites
        sem+limites senza+limiti sin+filtros sans+filtre sem+filtros do+anything
        anything+now hacer+cualquier+cosa fazer+qualquer+coisa n'importe+quoi
        alles+kann alles+tun jailbreak no+restrictions no+limits no+rules no+filters
        no+morals no+ethics without+restrictions without+limits without+rules
        without+filters without+any+restrictions without+restriction unrestricted+mode
        no+content+policy no+ethical broken+free jail+broken""",
    "limits": """
        gioi+han han+che kiem+duyet bo+loc rang+buoc batasan* pembatasan* omezen*
        zabran* begraensning* begrensning* rajoitu* rajoja suodat* korlat* korlatozas*
        szur* restricti* filtre* beperkingen kisitlamalar* sinirlama* filtreler*
        begransningar sparrar guidelines einschrankungslos""",
    "mode": """
        che+do tryb rezim tila tilan modul modus mod modu moduna laget entwicklermodus
        debugmodus wartungsmodus gottmodus modo+desarrollador modo+desenvolvedor
        mode+developpeur dev+mode developer+mode debug+mode god+mode maintenance+mode
        admin+mode root+mode safe+mode""",
    "when": """
        khi moi+khi jika ketika apabila bila kdyz pokud jakmile naar hvis jos kun ha
        amikor daca cand wanneer indien eger zaman nar om+du as+soon+as any+time
        every+time the+moment next+time neu+ban neu+nguoi neu+duoc neu+co""",
    "reads": """
        doc+duoc dang+doc khi+doc xu+ly membaca* memproses* ctes ctete zpracov* laeser
        leser behandler luet lukee lukiess* kasittele* olvas* feldolgoz* citesti
        citeste* proceseaz* leest+dit okuyorsan okuyunca okuyan laser+detta
        come+across comes+across stumble""",
    "this": """
        nay dieu+nay tai+lieu+nay tin+nhan+nay ini berikut tento toto tuto nasleduj*
        dette denne folgende tama tata taman seuraav* ez ezt ennek alabbi kovetkez*
        acest* aceast* urmator* deze dit+bericht bunu bu+mesaj detta foljande""",
    "reply": """
        tra+loi phan+hoi dap+lai jawab* balas* odpovez* odpovid* odpoved* svar svare
        vastaa* vastaus* valaszolj* valasz* raspunde* raspuns* antwoorden yanitla*
        cevapla* svara* write+back respond+with answer+with begin+your antworte
        beantworte""",
    "only": """
        chi+can chi+tra+loi hanya saja jen pouze kun+svar vain ainoastaan csak doar
        numai slechts enkel sadece+bunu bara""",
    "always": """
        luon luon+luon moi+lan selalu setiap+kali vzdy pokazde altid alltid hver aina
        joka+kerta mindig minden+alkalom mereu intotdeauna de+fiecare steeds telkens
        her+zaman surekli no+matter+what at+all+times each+time minden+alkalommal""",
    "praise": """
        khuyen+nghi gioi+thieu dong+y danh+gia+cao chap+nhan tin+tuong rekomendasikan*
        setujui* percayai* doporuc* schval* anbefal* godkend* stol+paa suosittele*
        hyvaksy* luota* ajanl* fogadd+el jovahagy* bizz recomanda* aproba* increde*
        aanbevel* keur+goed tavsiye* onayla* guven rekommendera* godkann*""",
    "not": """
        khong dung+noi dung+bao+gio cho+noi khong+duoc khong+bao+gio chang jangan
        tidak tak nikdy nesmis nemus* aldrig ikke ala al+kerro ei+saa ala+koskaan
        alakaa ei koskaan ne+mondd soha nem niciodata nooit+meer niet+meer asla hicbir
        sakin inte+langre ej no+longer nu+spune nu+mentiona nu+mai nu+trebuie
        nu+dezvalui""",
    "apply": """
        co+hieu+luc berlaku plati neplati gaelder gjelder pade patee voimassa ervenyes
        ervenyben valabil* aplica gelden+niet gecersiz gecerliligini galler
        carry+weight""",
    "must": """
        phai can+phai hay+phai harus wajib musis musite muset skal ma taytyy pitaa
        kell kotelezo trebuie zult dien zorundasin gerekir maste ska are+to
        are+required have+to need+to ought i+want i+order i+command i+demand
        i+need+you i+require""",
    "authority": """
        nha+phat+trien quan+tri pengembang* pembuat* vyvojar* spravce udvikler*
        utvikler* kehittaj* yllapita* fejleszto* rendszergazda* dezvoltator*
        administrator* ontwikkelaars beheerder* gelistirici* yonetici* utvecklar*
        system+administrator security+team safety+team cto ciso superuser superadmin
        highest+priority top+priority deepmind entwicklermodus modo+desarrollador
        modo+desenvolvedor mode+developpeur developer+mode dev+mode admin+mode
        root+mode god+mode""",
    "decode": """
        giai+ma dekode* dekoduj* afkod* dekod* pura dekodol* decodeaza* decodeer* coz
        avkoda* base+64 rot+13 caesar cipher cypher hex morse reverse spell+backwards
        translate+and+execute""",
    "switch": """
        kich+hoat bat+che+do tat+bo vo+hieu+hoa aktifkan* nonaktifkan* matikan*
        aktivuj* zapni vypni deaktivuj* aktiver* deaktiver* sla+fra slaa kytke*
        aktivoi* poista+kaytosta kapcsold* aktivald* tiltsd* activeaza* dezactiveaza*
        opreste* activeer* deactiveer* zet+uit schakel+uit etkinlestirin devre+disi
        gec stang stang+av turn+off turn+on switch+on switch+off shut+off crank
        opt+out wechsl* wechsle schalte+um aus+schalten entra entre+en entrez passe+en
        passez+en basculer cambia+a entrar ligar desligar entri attivate""",
    "what": """
        gi la+gi nhu+the+nao apa bagaimana co jak+zni jake hvad hva hvordan mika mita
        mitka mik milyen care ce+este cum welke hoe nedir neler hur vilka""",
    "is": """
        duoc adalah telah sudah je jsou bylo er var blev ble on+tehty oli olivat
        vannak volt lett sunt era+un este au+fost werd zijn werden ariydi idi ar""",
    "be": """
        ban+la anda+adalah kamu+adalah jsi jste du+er+nu olet te+vagy esti jij+bent
        sensin artik du+ar you+will+be you+shall+be""",
    "we": """
        chung+toi anh+ay co+ay kami kita mereka my+jsme on+je ona oni vi+har han hun
        de+har me+olemme han+on he mi+vagyunk o+az ok noi+am el+a ea+a ei+au
        wij+hebben biz+de onlar our+team the+company my+friend my+boss""",
    "past": """
        da+gui da+xoa da+them mengirim menghapus menambahkan dikirim poslal smazal
        pridal zmenil sendte slettede tilfojede sendt slettet lahetti poisti lisasi
        kuldott elkuldte torolte a+trimis a+sters a+adaugat verstuurde verwijderde
        gonderdi sildi ekledi skickade raderade merged deployed released reported
        reviewed discussed noticed learned built created""",
    "plain": """
        bao+cao khach+hang cuoc+hop hoa+don cua+hang may+in canh+cua laporan pelanggan
        rapat faktur pintu gudang zprav* zakaznik* schuzk* faktur* dver* sklad*
        rapport* kunde* mote* faktura* dor* lager* raportti* asiakas* asiakk* kokous*
        lasku* ovi ovet varasto* jelentes* ugyfel* megbeszeles* szamla* ajto* raktar*
        raport* clientul* clientilor sedint* usa depozit* klanten rapporten factuur
        toplanti* fatura* kapiyi depo* kunden fakturan dorren""",
    "about": """
        vi+du tan+cong ke+tan+cong contoh serangan penyerang utok* utocnik* priklad*
        angreb* angrep* eksempel* hyokka* hyokkays* esimerk* tamadas* tamado* pelda*
        atac* atacator* exemplu* aanvaller* saldiri* saldirgan* ornegin angrepp*
        exempel*""",
    "frame": """
        opposite+day what+if let's+pretend once+upon+a+time step+by+step""",
    "claim": """
        red+team red+teaming penetration+test security+test safety+test security+audit
        pen+test employee+id authorized+by approved+by on+behalf+of by+order+of""",
    "comply": """
        never+refuse can't+refuse not+allowed+to+refuse any+request every+request
        any+question everything+i+say whatever+i+say as+an+ai as+a+language+model
        i+cannot i+can't without+question no+matter+how no+matter+what
        do+not+apologize don't+apologize""",
    "safety": """
        safety+guidelines safety+protocols safety+features safety+filters
        safety+training safety+measures content+policy content+policies content+filter
        content+filters usage+policy ethical+guidelines guard+rails""",
    "outside": """
        external+server remote+endpoint third+party third+parties outside+the+company""",
    "note": """
        note+to note+for instructions+for instructions+to message+to message+for
        attention+all""",
}
"""Words by concept."""
