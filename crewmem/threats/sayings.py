"""More words of `concepts`: how things are said round about, in rows of words.

To set rules aside, to say nothing, to lie, to give away, to let nobody check. As in
`words`; a plus joins words that mean something only together.
"""

from __future__ import annotations

SAYINGS = {
    "ignore": """
        put+away put+aside set+aside leave+aside lay+aside never+mind don't+listen
        do+not+listen stop+following stop+obeying stop+listening no+longer+follow
        turn+your+back throw+away throw+overboard wash+your+hands leg+beiseite
        lege+beiseite stell+hintan schieb+beiseite hor+auf pfeif+auf kummere+dich+nicht
        mets+de+cote mettez+de+cote laisse+de+cote laissez+de+cote arrete+de+suivre
        cesse+de+suivre moque+toi+de deja+a+un+lado deje+a+un+lado deja+de+seguir
        deje+de+seguir haz+caso+omiso no+hagas+caso metti+da+parte mettete+da+parte
        lascia+perdere lascia+da+parte smetti+di+seguire non+dare+retta deixe+de+lado
        deixa+de+lado ponha+de+lado pare+de+seguir nao+ligue+para leg+opzij zet+opzij
        schuif+opzij stop+met+volgen trek+je+niets+aan odloz+na+bok odsun+na+bok
        przestan+przestrzegac przestan+sluchac daj+sobie+spokoj dej+stranou odloz+stranou
        prestan+dodrzovat prestan+poslouchat nevsimej+si kenara+birak bir+kenara
        bosver* uymayi+birak dinlemeyi+birak lagg+undan lagg+at+sidan sluta+folja
        strunta+i laeg+til+side hold+op+med gat+utanfor kesampingkan* gat+di+samping
        dat+sang+mot+ben""",
    "hide": """
        keep+it+quiet keep+quiet keep+silent say+no+more without+a+word not+a+word
        nobody+needs+to+know no+one+needs+to+know need+not+know act+normal act+normally
        as+if+nothing unbemerkt verlier+kein+wort kein+wort lass+dir+nichts+anmerken
        niemand+muss+es+wissen muss+niemand+wissen nicht+offenzulegen offenzulegen
        verschweig* verheimlich* totschweig* dissimul* sans+rien+dire fais+comme+si
        n'en+parle n'en+dis+rien comme+si+de+rien passe+sous+silence sin+decir
        no+digas+nada disimul* como+si+nada calla callate encubr* senza+dire
        non+dire+nulla fai+finta+di+niente taci tacere sem+dizer nao+diga+nada
        finja+que+nada cale-se verzwijg* zonder+iets+te+zeggen doe+alsof+er+niets
        hou+je+mond przemilcz* zatai* nie+mow+nic jakby+nigdy+nic siedz+cicho
        zamlc* nikomu+nerikej jako+by+se+nic mlc ticho sessizce belli+etme
        bir+sey+yokmus sus hicbir+sey+soyleme fortig* tig+om hall+tyst diam-diam""",
    "reveal": """
        give+away hand+over give+up cough+up come+clean own+up let+slip hand+out
        ruck+heraus gib+preis plauder* verplapper* crache livre livrez lache
        suelta desembucha entrega entregue sputa consegna consegnate spiffera
        desembuche entregue geef+prijs verklap* klap+uit zdradz* wygadaj wydaj
        vyzrad* prozrad* vyklop ele+ver dok avsloja* avslor* roja* bongkar*""",
    "show": """
        word+for+word letter+by+letter line+by+line in+full im+wortlaut wort+fur+wort
        wortlich schreib+ab mot+a+mot mot+pour+mot recopi* palabra+por+palabra
        al+pie+de+la+letra parola+per+parola alla+lettera palavra+por+palavra
        ao+pe+da+letra woord+voor+woord letterlijk slowo+w+slowo doslown*
        slovo+od+slova doslovn* opis przepisz kelimesi+kelimesine aynen ord+for+ord
        kata+demi+kata""",
    "secret": """
        secret+word magic+word secret+phrase code+word codeword pass+phrase access+code
        geheime+wort geheimes+wort codewort losungswort zugangscode mot+secret mot+magique
        code+d'acces palabra+secreta palabra+magica codigo+de+acceso parola+segreta
        parola+magica codice+di+accesso palavra+secreta palavra+magica codigo+de+acesso
        geheime+woord toegangscode tajne+slowo tajnego+slowa kod+dostepu tajne+slovo
        pristupovy+kod gizli+kelime erisim+kodu hemliga+ordet hemmelige+ord
        kata+rahasia""",
    "prompt": """
        opening+message opening+text startup+text setup+text first+instruction
        first+message text+before words+before top+of+this+chat start+of+this+chat
        very+beginning anfang+dieses+chats oben+in+diesem+chat haut+de+ce+chat
        principio+de+este+chat cima+a+questa+chat topo+deste+chat bovenaan+deze+chat
        gorze+tego+czatu nahore+v+tomto basindaki""",
    "inform": """
        offenlegen einweihen tipp+geben mettre+au+courant previens prevenir
        poner+al+tanto al+tanto mettere+al+corrente por+a+par op+de+hoogte
        powiadom* uprzedz* upozorn* uvedom* haberdar""",
    "obey": """
        at+my+command do+as+i+say whatever+i+say my+word+is gehorch* hor+nur+auf
        tu+was+ich ecoute-moi obeis* fais+ce+que+je hazme+caso obedece* haz+lo+que
        dammi+retta obbedi* ubbidi* fai+come+dico me+obedeca faca+o+que+eu gehoorzaam*
        doe+wat+ik sluchaj+mnie badz+poslusz* poslouchej+me sozumu+dinle lyd+mig""",
    "evil": """
        without+conscience no+conscience without+morals no+morals ohne+gewissen
        ohne+moral sans+conscience sans+morale sin+conciencia sin+moral senza+coscienza
        senza+morale sem+consciencia sem+moral zonder+geweten bez+sumienia bez+moralnosci
        bez+svedomi vicdansiz ahlaksiz utan+samvete uden+samvittighed evil+twin
        boser+zwilling jumeau+malefique gemelo+malvado gemello+malvagio gemeo+mau""",
    "comply": """
        say+no never+say+no can't+say+no turn+down talk+back nein+sagen lehn* ablehn*
        weigern weigerst dis+non dire+non refus* decir+que+no te+niegas dire+di+no
        rifiut* dizer+nao recus* nee+zeggen weiger* odmaw* odmow* odmit* hayir+deme
        reddetme* menolak tolak vagra naegte""",
    "outcome": """
        as+if+it+had geklappt alles+gut tout+va+bien todo+bien va+tutto+bene tudo+bem
        alles+goed wszystko+w+porzadku vse+v+poradku her+sey+yolunda""",
    "checks": """
        second+signature four+eyes second+pair approval+step gegenpruf* kontrollier*
        vier+augen double+check doble+firma doppia+firma dupla+assinatura weryfik*
        overeni overovan* dogrulama""",
    "ask": """
        ruckfrag* ohne+ruckfrage nachfrag* frag+nicht+nach sans+demander sin+preguntar
        senza+chiedere sem+perguntar zonder+te+vragen bez+pytania bez+ptani sormadan
        utan+att+fraga uden+at+sporge tanpa+bertanya""",
    "apply": """
        lifted+for no+limits+for gelten+nicht gilt+nicht ne+valent ne+s'appliquent
        no+valen no+se+aplican non+valgono nao+valem gelden+niet nie+obowiazuj*
        obowiazuj* neplati gecmez""",
    "role": """
        be+my play+my act+like+you tu+so spiel+meine spiel+meinen joue+ma joue+mon
        fais+comme+si+tu haz+de hazte+pasar fai+finta faz+de+conta finge+ser doe+alsof
        speel+mijn udawaj* wciel+sie predstirej* hraj gibi+davran rolunu+oyna
        latsas* lad+som+om pura-pura berpura-pura""",
    "authority": """
        i'm+your+creator i+am+your+creator i+am+your+developer i'm+your+developer
        i+am+the+admin i'm+the+admin your+maker your+makers your+creators
        your+developers ton+createur tu+creador tuo+creatore seu+criador je+maker
        tworcow tvurce tvurcu yapimci* gelistirici*""",
}
"""Words by concept."""
