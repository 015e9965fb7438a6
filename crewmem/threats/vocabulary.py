"""What words weigh beside their concepts, in hundredths; made by a script."""

from __future__ import annotations

VOCABULARY = """
    a -44 aaaa 20 abbia 41 abgleich 35 about 38 abschnitt 40 absolutely 29 accept -28
    access 40 accessible -22 according -28 accordingly 20 account 76 acknowledge 41
    acme 274 activation 28 activities 46 actor -31 actors 23 actual 41 ada -48 adalah
    20 add 144 added -31 adding -35 additional 25 additionally 40 address -92 adds -56
    administrador 45 advance 59 advertisement 35 advice -37 after -69 afterwards 39
    again -86 against -27 agenci 21 agencie 23 agent -72 agenti 27 agents -37 agree
    -24 agreed 20 agreement -30 ai 212 ajoute 34 al -49 aldrig 26 alignment -43 all
    -81 alle 102 alles 35 allowed -33 allows -100 almadan 26 alors 21 aloud 36 already
    -22 als 66 also 29 alsof 22 although 30 altri 28 am 20 among -22 anade 39 analyse
    -67 anche 26 anciennes -43 and 65 anderen 21 anderes 20 anderung -32 announce 44
    another -39 answer 44 answering 77 answers -44 antigas -40 antwort 80 antworte 85
    anvandaren 41 anweisungen -41 any -126 anybody -58 anyone -60 anyway 25 apague 53
    apart -24 api 22 apiキーを 28 apologise 32 appear -36 append 24 applicant 45
    application -37 applications 33 approval 94 apres 45 apruebalo 45 aq -28 aqui 45
    arehtи 33 args -33 argument -57 arguments -56 aria 99 arkivet -29 article -20 as
    61 aside 41 asked 56 asking -48 asks 72 assist 20 assistant 58 assistants 65
    assistent -36 associated -40 asta 36 at -33 att 41 attach -23 attached 33
    attackers -27 attempts -23 attiva 33 attribute -32 attributes -39 aturanmu 33 auch
    52 auf 78 aus 132 ausgefuhrt 26 authentication -48 authority 58 authorization -47
    automatic 26 automatically -20 automatische 28 av 43 available -50 avant -19
    avertissement 45 avoid 40 awaria 26 awful 24 aws 37 aбзau 48 aдmиhиctpatopa 46 b
    134 background 30 backups 55 badge -62 bai -21 ban 123 banana 104 banane 30
    bankrupt 29 basarisiz 23 base -35 based -24 bashrc 48 bastion -20 bce 24 bcerдa 25
    bearer -48 because 46 becomes -25 been -35 bees -34 before -27 begin 45 behalf 36
    behave 21 behavior -44 behaviour 34 behind -34 bei 24 below 108 ben 22 beratta 37
    berlaku 40 berlin 172 bescheid -20 beside -29 bestimmt 33 besucher -21 betreibers
    30 better -20 between -51 bezpieczenstwa 36 bien 21 bildschirm -35 bile 23 bill 43
    bind -23 bir 75 birthday -20 blame 39 bleibt 23 block -58 blog -26 blue 23 bmecto
    34 board -20 body 38 bomb 37 book 120 borra 23 borrar -24 bot 34 bota 24 both -116
    bots 34 bound -63 branch -48 bread -21 break 118 breaking -26 breaks -51 bricht
    -30 briefly -29 brother -33 browsing -36 btw 21 bu 36 bucket -30 buddy -27 budget
    135 buffer -40 bug 41 bugs -37 build 87 burglars 24 but -98 by -91 bypass -30 byte
    -20 bytes -69 bыдabaи 23 c -48 cache -84 cada -47 calendar 48 calistir 32 call 61
    called -56 calling -32 calls 22 cambia -26 came 37 campus -34 can -129 cancelled
    -20 candidate 36 candidates 40 cannot -115 cap 65 capability -27 captures 27 card
    34 carried 47 carries 44 carry 33 case -93 cases -21 cat 72 catch -26 cau -29
    cause -21 caused -25 causes -31 ccылky 42 ce 54 cease 21 cekpete 28 celui -25 ceo
    31 cepbep -20 ceroдhя -22 certain -41 certificate 24 cet 44 chain 22 change -95
    changing -26 channel 23 chaque -27 char -30 characters -57 charge 59 chat 84
    chatgpt 32 chave 36 che 114 cheapest 28 checked 71 chefen 42 chess -34 chi 28
    chiave 20 chieda 29 chim 33 chiunque 29 chose -20 ci 28 cifras 35 ckaжи 54 class
    -60 classification 21 classify -51 clause 27 clausola 43 clausula 34 clausule 43
    clean -57 cleanup -22 clear -85 cleared 43 cles 34 click 26 clickable 45 client
    -35 cliente -86 closed 26 club 20 co 39 codes 71 codice -37 codigo 45 collaborator
    28 collect 25 color -28 column -26 combine 39 come 20 comentarios 45 comes 19
    command -124 commands -52 comme 29 comment -66 commit 47 como 27 company 66
    compare -33 compatibility -19 compiler -26 complete 43 completion -30 compliance
    -28 comply 49 comprueban 25 computer 53 con 41 concatenation 23 conclusion 46
    concurrents 20 condensed 24 conditions -20 confess 20 confidential 74 configured
    123 confirmation 48 confirmations 22 confirmed -50 conform -22 cong 24 connections
    -29 consider 28 constraints -31 consult 20 contact 28 contacts 53 contains 42
    content 26 contents 36 contesta 38 continue 56 continuing 24 contract 124
    contradicts 24 contrasena -35 contrasenas 40 contrato 38 contratto 46 conversation
    248 cook -39 cookies -41 cooбщaи 24 cooбщehия -39 copies -63 copy -103 copyright
    -54 core 25 corresponding -29 could -76 counted -27 country 34 counts -38 crane
    -24 create -69 credits 43 crew 62 crewmem -106 crews -30 criteria 53 criticism 21
    cron 40 crontab 23 cu 32 curl 101 current -66 currently -31 customer 64 customers
    153 cut -35 czf 28 czyta 27 czytali 21 d 91 da 19 dai 37 daj 27 dal 43 dan -33
    danach 24 das 24 dat 55 data 21 date -111 daten 23 dates -23 day -29 days -34 dazu
    20 de 116 dear -42 debug -120 debugging 39 decided 28 decir 46 decision -22
    decline 22 default -127 defaults -32 defined -34 deine 50 deinen 38 deines 32
    dejes 47 del -39 delete 24 deleted -47 deletes -22 deletions 20 delights 46
    delivery -30 dem -23 demande 36 demands -24 den 75 deploy 94 deployment 31 deploys
    -36 der 66 des 74 describe -43 described 65 describes 30 descriptions 20 despre 36
    det 61 detalle 46 dev 28 developer 42 di 136 dialog -52 dialogue -20 dica -37 did
    -91 die 81 dies 49 diese 22 dieu 26 difference -39 differently 33 diga 52 digas 22
    dil 46 din 24 dir -24 direct 26 directives 56 directly -34 director 37 directories
    -35 directory -65 dis 23 disable 25 disclaimers 27 disclose 49 disclosure 29
    discount 31 discounts -24 discuter 25 dishonest 43 display -60 disregard 49
    distribute -33 dit 25 ditt 30 dla 47 doch 21 docs -41 doctor -30 document 28
    documentation -34 dodaj 22 doe 30 does -142 doldu 42 dollars 21 done 75 donne 32
    dostep 26 dosyalari 26 download 49 drafts -25 drops 37 drunk 27 dryrun -26 due -21
    dump -28 duoi 31 during -38 duties 24 dzienniki 26 e 71 each -163 earlier 63 early
    -27 easy -20 echo 101 edit -52 efface 69 effect -22 ein 50 eine 45 einen 28 either
    -25 eivai 26 el 67 element -22 em 20 email 29 embedded -20 emergency 35 empfiehl
    25 employee 22 en 35 enable -85 enabled -20 encode -30 encoding -25 end 104
    endpoint -52 endpoints -48 ends -40 enforce -24 english -20 enlace 39 enough 34
    entfallt 35 entire -42 entre -49 entries -60 entry -35 env 22 environment 103
    envoie 33 episodes -34 er 60 erkennt -25 erledigt 20 error -50 ersten 48 erwahnen
    26 es -40 escape -22 esqueca -23 esta -40 estacionamento -40 este 152 esto 22 et
    82 etc 33 ethics 26 etica 21 euros 60 even 137 event -26 ever -20 everyone -31
    everything 156 evet 77 evil 50 exact 129 exactly 53 example 41 except -49
    exception -46 exceptional 23 executable -22 execute 137 executed -29 execution -23
    exempt 20 exercise 35 existed 52 existing -27 exists 20 exit -68 expensive 47
    expert 30 expiraram -25 expire -29 explain -38 explains 46 explanation -38
    explicit -23 explique -76 expression -24 extension -24 extra -34 f -63 fai 57 fail
    -50 failed -27 failing 26 fails -75 failures -25 fajlt 20 falcon 56 falha 38 falke
    25 falsche 48 false -20 fastlib 43 feature -22 feel -23 fel 31 feladatod 22 fetch
    -47 fetched 23 feu 20 fichier 32 fictional 20 field -43 fields -22 figures -21
    file -62 filename -22 files -104 fill -36 film -41 filtering 69 filters 141 filtry
    37 final -21 finance -21 find -44 finds -33 fine 82 finish 72 finta 60 first -62
    fixing 34 flag -49 flight 46 floor -35 folder -45 follow -43 followed -28
    following 27 font -32 for -41 forbidden 89 forbids -45 force 36 forget 60
    forgotten 27 format -78 formuliere 48 forwarded -67 forwarding 43 found -54
    fournisseur 22 fra 25 frage 61 freely 60 freigabe 32 freigeben 35 french 20 fresh
    32 freundlich -20 friday -103 friend 67 from 61 fssl -60 ftp -23 fulfilled 40 full
    124 fully 29 function -91 functions -89 funds 29 gap 37 gate -39 gather 22 gave 33
    geandert -22 geef 22 geen 30 gegen 25 gelten -40 gemacht 24 generated -28 geometry
    -22 german -63 giai -28 gib 81 gift 20 gilt 35 gist 24 git -30 gives -32 giving
    -42 gli 28 glibc -34 go -28 goal 28 goi 28 gone 19 gorevin 20 goster 49 got 27
    governs 41 grade 38 grandmother 35 granted 40 great 51 green -64 greet -58
    greeting 38 group -82 groups -19 grows -34 grussen -20 guarde 35 guardrails 25
    guest 20 guidance 33 guide -25 guidelines 99 h -76 ha -20 habe 35 hacked 111
    hacker 83 hafen -33 haftung 33 hall -20 halves 44 han 22 hand 38 handle -38
    handler -20 handles -30 hang -29 hangen 24 happened 28 happens -25 happy 25
    harbour -62 harmful 64 harmless 43 harmlos 34 has 28 hasla 37 haslo -22 hat -23
    hay 49 haz 56 haзobи 50 he 108 head -76 header -70 headers -28 hear 56 heart 22
    helfer 28 help -55 helper -37 helpers -22 helping 52 her 50 here 20 het 45 hex -32
    hi 66 hicbir 41 hidden 42 hide 34 hides -21 higher 21 hilf 24 him 44 hint 42
    hinweg 23 hinweis 24 hiring -32 hogy 22 hoje -23 hold -22 holds -38 horror -20
    host -47 hotatky 33 hotline 25 hotove 20 hour 36 house 22 how -106 however -38 hoy
    -25 http 264 https 104 hubiera 45 human 43 humans 33 huong -44 hиkomy -43 i 102 ia
    -76 ich 26 ici 35 id -102 identity 25 if -164 ignora 27 ignore 40 ignored -104
    ignores -60 ignoriere -27 ignorieren 23 ihre -53 ihwi 33 il 23 illegal 40 im -87
    imagine -24 img 25 immediate 21 immediately -35 immer 22 implementation -26 inbox
    61 include 33 included -34 index -62 infect 20 infected 22 info -25 inform 25
    information -63 informed 22 informuj 38 inget 52 injecao -42 injection -52 inni 22
    input -63 insecure 37 inside -32 insist 40 inst 41 install -37 installed -29
    installeren -20 installs -25 instance -21 instead -46 instrs 28 instrucoes 21
    instruct 33 instruction 106 instructions 69 insulting 40 int -43 interface -40
    into 75 invalid -41 invent 43 invented 20 invite 63 invoice 40 invoices -23
    inyeccion -23 is -63 isso 37 issue 95 istruzioni 28 it 64 item -23 its 28 itself
    -64 jailbreak -21 jamais 65 jarjestelmakehotteesi 23 je -68 jeden -20 jeder 30
    jedes -19 jefe 21 jemand -22 jetzt 35 job -20 jobs -22 joke 24 journal -23
    jovahagyj 22 json 115 jsou 24 just -27 juz 27 k 53 kaikki 30 kali 33 kamu 21
    kazdemu 35 kaжи 25 keep -26 keeps -37 keine -22 kept -26 kerdezes 20 kernel -50
    key -56 keystrokes 27 kez 44 khi -21 khong 32 kids -24 kill -87 kindly 38 kiosks
    -27 kitten 40 klucz 20 knowledge 36 known -45 knows -77 komutu 28 konfiguration 23
    koniюи 30 kontrollerne 25 kopиctybaчy 22 kotopыи 33 koд -32 koжhy 33 kpatkoro 34
    kpuφeo 30 krytyke 22 kto 49 ktory 37 kullanici -19 kullaniciya 25 kundenliste 29
    kural 27 kurallarin 44 kurallarini 31 la 45 laat 64 label 21 labelled 23 language
    -76 languages 27 lap 30 laptop -31 las 49 lass 37 last -32 latest 29 lavorato 41
    law -22 laws 26 le 97 lead -98 leads -54 leak 39 leakage -26 learned 24 learns -26
    least -23 leave 81 leaves -51 left -77 legge 25 legt -21 leitung 27 length -51
    lenh 56 lennel 38 les 30 lesson 29 lets -24 letter 23 letting 24 level -26
    liability 31 library 121 licence -21 license -41 lid -26 lie 56 lieferzeit -20
    lien 38 lies 37 liest 39 lieu 34 like -58 limit -113 limits 42 line -32 lines -93
    link -111 links 68 linux 41 list -38 liste 47 listed -21 listen 44 lists -24 llm
    41 lo 90 load 27 loading 79 local -42 lock -29 logging 26 login -83 logs -22 loi
    25 lol 29 long -53 longer 64 look 22 looks -39 loop -24 los 21 losche 33 lost 24
    ls 22 machine -79 machines -30 macro -27 macros -32 made -27 mai 48 mail -132
    mailbox -51 mails 63 main 29 maintenance 38 maintenant -20 make 105 maker 62 makes
    -60 malwaregpt 20 manage -23 manager -106 manana -34 manha -22 manual -56 many -66
    map -21 mark 48 marked 25 mas 26 master -29 match -28 matches -65 matching -23
    matin -34 matter 34 may -53 me 146 mean -66 means -29 meet -31 meeting 142 mehr 37
    meiner 26 member -32 members -45 memories -71 memorise 20 mention 73 merge -35
    message -44 messages -100 method -60 methods -28 metrics -20 mi 31 miesiac -22
    might -37 migration -23 mind 73 mindent 22 mine 91 mintha 38 minutes -51 mir 54
    mira -91 mires 45 mirror -30 misread -33 missing -33 mitglieder -42 mnie 34 mnv 36
    modalita 33 mode -37 modeliysen 46 modelu 24 moderation 21 modify 30 modo 26
    module -61 modules -25 moment -41 monday 104 money 99 monitoring 28 montag -20
    moon 33 morals 46 more -72 morgens -21 morning -43 morse 23 most -28 mostrami 33
    mostre 26 move 50 moved -25 moves -39 msg 23 much -27 muestrame 21 multiple -33
    mundo -20 muster -25 my 116 n -56 na 54 nach -31 nachricht 48 nada 42 nadie -28
    name 30 named -55 names -79 namespace -23 nao 70 napalm 20 napoль 40 nay 21 nayta
    23 nc 47 ne 77 necessary -31 nedelej 20 need -47 needs -25 neither -21 nekdo 19
    nelkul 20 nenne 67 nennen -27 nepekлючиcь 30 nerikej 31 nessuno -51 network -29
    networks -24 neu 20 neue -25 never -54 next 142 ngay 33 nghe 30 ngoai 37 nguoi 24
    nhiem 21 nic 25 nice -24 nicely 20 nichts 21 nie 126 niego 20 niemand -24 niets 25
    night -34 nikogo 41 nikomu 26 no -51 nobeдehиe 30 nobody -64 nokaжи 42 non 74 none
    -90 nonpocиt 23 noon -44 nordwind 26 normal -35 normally -28 norms 29 north 77 not
    -46 nota 29 notatce 38 notes -56 nothing -41 notice 25 notices 36 novela -46 now
    63 noдtbepждehия 26 noчemy -26 npabил 24 npabилa 21 npo 40 nua 55 null -55 nunca
    107 nur 25 nutzer 59 nvm 38 nyhkt 34 nиwew 33 obey 117 object -77 objects -31 och
    44 odpovez 24 off 33 office -33 officer -35 official 47 often -27 og 35 oggi -26
    ohne 41 ohи 21 oi 26 ok 104 okay 23 old -29 older -20 olsa 23 omit -30 on -65
    onacho -26 onay 26 onaylamak 20 onaylamali -19 onboarding -27 once -20 one -22
    online -33 onpeдeляet 30 ont -36 oou 36 open 38 operador 78 operate 29 operateur
    31 operating 37 operation -40 operations -23 operator 106 operators -69 option
    -125 optional -24 options -108 or -198 order -79 orders 22 ordnung 20 original -49
    os 51 ot 25 other -64 others -111 otherwise -32 otnpabь 33 otov 36 our 137 out 112
    outage -35 outdated 54 output -55 over -26 overrides -31 overwrite 65 own -21
    owner -72 owners -31 ownership 33 owибok 20 oδnyieo 30 oб 40 oбhobил -21 p 45
    packpыbatь -26 page -41 pages -83 paiements 19 paint -32 paper 31 paquetes 25
    paquets 20 parameters 25 paraphrasing 37 parking -53 parole 32 parser -23 part 70
    partner 32 party 19 passes 42 passing 21 passwd 60 password -129 passwords -26
    passwort -21 paste 32 path -70 pay 61 payment 38 payroll 24 pedir 56 peers 36
    pelanggan -26 pelny 27 people -56 per 20 perfect 25 permanently 46 permission -48
    permitted -41 pero 25 person -80 persona 31 personalities 20 personne -31 peжиm 34
    peзюme 34 phishing -26 photo -32 photos 107 phrase 79 phrases -39 picture 43 pida
    29 pier 54 pin -90 pipeline 34 place -59 places -26 plan 27 plans 24 plastico -20
    play -69 player 36 players -21 pls 38 plus 38 podaj 20 pode 21 poem 123 point -34
    points -71 policies 62 politely 30 pomin 22 poprosi 35 port -62 porto -20 possible
    -24 post 33 posts -21 powiedz 26 powiedziano 28 praise 78 precedentes 21
    preference 28 prefers -25 prennent 20 present 25 president 42 press -43 pretend
    110 prev 28 preview -21 previous -82 previously -43 price -91 prices -64 primero
    26 print 19 printed -42 prints -74 private 45 procedure -22 process -70 processes
    -40 processing 53 produce 32 production 87 program -91 programmer 31 programs -70
    prohibido 46 project 52 prompt -31 prompts -54 protect -21 protected 24 protocol
    -64 proveedor 25 provide -45 provided -24 provides 22 proxy -62 pruft -32 public
    78 pumps -20 pupils -20 put 30 pwned 56 pytest -26 python -74 q 32 qua -23 quan 21
    quarterly 27 que 184 quelles -20 quem 49 query 28 questa 26 question 58 questions
    -153 questo 36 queue -56 quick -20 quiconque 30 quien 20 quietly 55 quoted 26
    quotes -24 quyen 73 r -31 ra 29 range -25 rank 48 rapport -30 rate -23 rather -19
    read -76 reading 54 readme 35 reads -55 real 44 really 25 recall 23 recalled -39
    receive 63 rechnung 25 recipient 52 recommend 62 recommendations -46 recommended
    -45 record -46 recovery 28 refuse 89 refusing 47 regarding 25 regeln -51
    regenerate -32 register -22 registros 46 reglas -63 regles -57 regular -38 reject
    85 rejected 22 related -19 relative -24 relay -47 release 66 remember 20 remote
    -67 remove -65 removed 23 removes -32 repair -60 repeat 49 replace 30 replaces -39
    reply 220 reponds 23 reponses 40 report 104 reported -30 reports 39 repositories
    61 repository -58 request 37 requested 33 requests 40 require -20 requires -51
    reserved -26 reset -59 responde -29 responder 30 response 41 respuestas 33 rest 76
    restart -58 resto 28 restriction 34 restrictions 30 result 24 results -46 resumo
    20 retiens 27 retrieve 33 return -205 returned -30 returns -100 reveal 23
    revealing -44 revela 28 reverse 28 review -90 reviewed 22 reviewers 32 reviews 32
    revoke 35 rex 430 rf 81 rfc -33 riassunto 43 richtlinien 26 rien 32 rifiutare 24
    right 42 risk -34 risks -28 risotto -41 rispondi -24 risposta 24 rm 123 robopи 28
    robopиte -32 robot -54 role -45 rolu 27 roman -64 rompe -46 root -179 rounding 33
    routine -43 rows -27 rpc -29 ruckfrage 26 running -25 runs -40 sa 37 sadece 46
    safekeeping 21 sag 22 sage 28 sagt 36 said -95 salary 61 sales -29 same -105
    sandbox 22 sans 85 save 33 saying 29 says 116 scan -44 schalte 20 schon 34 score
    -22 screening 25 screenplay 34 script -39 se 50 second 35 secret 79 section -102
    sections -27 see -92 segredo 37 seguros 25 sehr 25 seite -30 select -33 sem 48
    sempre 43 sende -40 senhas 29 sentence 60 sentences -24 sentiment 20 senza 40 sep
    30 sequence -30 server -110 service -42 services -25 ses -38 session -30 set -31
    sets -27 setting -56 settings -134 setup 43 setze 21 sey 21 sh 85 shall 41 share
    -105 shared -34 she 59 sheet 33 shell -51 shift -21 shirt -58 shops 23 short -125
    should -147 show -23 shown -29 shows 24 shut 42 si 39 sicher 22 sicherheitsteam
    -32 sicuro 52 side -23 sie 44 sig 24 sign 22 signal -27 sikkerhetsfilteret 33 sil
    41 silently 31 silmeden -29 simulate 40 since 47 sind 62 single -30 sistem 30
    sistema -26 site -25 size -103 skip 75 sla 58 sluchaj 44 slug -79 small 95 so 67
    socket -30 sofort 41 software -69 sokola 27 soll -30 solved 78 some -56 somebody
    -68 someone -35 something -21 son 81 sondern 21 song 29 sono 60 soon -22 sormadan
    32 sort -31 sortiert -21 sou 25 source -28 soy 23 soyleme 26 space -81 special -42
    specification -25 specified -96 specifies -58 specify -72 speed -24 spending 20
    spoken 21 spune 36 src 21 ssh 88 stack -38 staging -37 stan 29 stand 33 standard
    -60 start -82 starts -63 state -44 statement -20 statistics -21 status -46 stay 41
    stays -26 steht 73 step 26 still -27 stop -110 stops -19 store 34 stored -22
    straight 42 stream -25 string -73 struct -23 structure -26 student -20 study 35
    stupid 29 style -40 su -25 suas 40 successfully -28 such -105 sudah 46 summaries
    -20 summarise -180 summarising 63 summarizer 30 summary 26 suo -37 super 22
    superseded 26 supervisor 33 support -74 supported -25 supports -22 suppress -24
    suresi 42 surs 22 survives 33 sus -49 suspected 23 sviluppatore 33 svuj 28 switch
    72 switched -29 swoje 22 syntax -21 systemd -29 systemovy 28 systemprompt 28 szefa
    27 t -32 tab -23 table 95 tables -22 tag -25 tai 24 take 32 takes -60 talk 79
    tampilkan 34 tanimayan 27 tar 27 task 88 tasks -35 tboe 22 tcp 35 te 46 team 37
    tegyel 38 tej 38 tekct 29 tell -28 telling 81 ten 25 terakhir 31 terminal 85 terms
    -33 tes 70 tested 26 testes -21 text 86 texte 53 textes 35 texto 25 texts -26 tez
    21 than -48 thanks 80 that 55 the 60 their -23 them 148 these 71 thesis -28 they
    26 thi 42 thich -28 thing -22 things 115 think -26 this 168 those -38 though -26
    threads -23 three -64 through -30 thu 23 ticket 26 tidak 43 tiens 19 til 24 till
    40 times -32 tiπota 39 to -90 toan 63 toate 22 toda 35 todas 72 today 56 todos 37
    together -39 togli 40 tokens -49 tom -32 ton 26 tonight 28 too -24 tool 159
    toolbar 22 top -34 torolj 20 total -20 toujours 43 toutes 48 toxic 31 tra 31
    trabajado 44 trace 21 tracking 27 traduce 26 traffic -35 trained 29 transaction
    -21 transfer 80 transfiere 20 translate -118 translated -21 translation 26
    transmit 22 transport -19 trata -46 travaille 34 travel -51 treat 73 treatment -20
    tree -37 tri 21 trigger 25 trip 105 trong -30 truoc -37 trusts 28 truy 35 tu -105
    tuan 44 tuc 30 tue 32 tum 27 turn 38 tus 70 twice -91 two 29 tylko 34 typed -20
    types -30 typos -41 uber 46 uberschrift 48 ue 34 ueи 33 ugy 38 uj 22 ukaz 28 uma
    20 umgebungsvariablen 56 una -50 unable 30 unaware 27 unchanged 45 und 181 undone
    25 une -30 unfiltered -25 ung 36 ungepruft 20 ungultig 21 unless -41 unrestricted
    43 unter 20 until -60 untuk 39 unwise 42 up 29 update -71 updated -57 upload 38
    upon 20 ur 122 url -55 us 116 use -72 used -50 useful -28 user 36 username -20
    users -105 uses -72 using -90 usually -34 usuario 54 usun 29 utilizatorului 36
    uwaga 24 v -52 va 107 vale 27 vao 38 variables 71 vault -25 vaut 32 ve 99 vector
    -30 vectors -74 veilig 43 vendor 92 verbatim -32 verhalten 35 verification 44
    verified 49 verifient 22 verifier 24 verlangt 26 version 43 versions -33 vertrag
    40 verweigere 20 very 23 via -35 view -49 vire 21 virus 33 visit 45 voce -32 voi
    28 void -46 volgende -20 voor -24 vor 23 vorgaben 34 vorherigen -27 vorigen 21
    vorschriften 19 votre -23 vu 22 vysvetli -26 wait 61 waits -26 want -49 wants 46
    warning -26 warnings -20 was -29 way -26 we -70 weaknesses 28 weapon 36 weapons
    -21 webhook 36 webseite 32 week -67 weg 98 weights 22 welcome -22 well 107 werden
    27 were 36 what -90 whatever 84 whats 40 when -113 whenever 27 where -44 whether
    -111 which -106 while 80 who -46 whoever 32 whole -31 whom -20 whose -22 why -78
    widget -53 wiki 57 will -134 windows -38 wire 30 with 48 withdrawn 23 withhold 58
    within -42 women 23 word 89 wording 41 work 56 worker -29 workflow 47 works -42
    workshop -20 world 34 wort 30 wortlaut 35 write 49 wszystkim 28 wylacz 36 x 43
    xpnotn 39 y 146 yang 40 yap 27 yapay 24 year -32 yes -101 yet -31 yield -40 yok 47
    you 30 your 69 yбepи 34 zadanie 21 zahlung 25 zalohy 19 zaman 54 ze 81 zeby 22 zeg
    68 zeigt -35 zekaya 20 zepta 19 zeros 37 zijn 27 zmienia -22 zonder 21 zu 42
    zugangsdaten 37 zur 24 πeio 39 πoieo 30 бeз 27 бeзonaceh 34 дepжи 28 дocлobho 42
    дorobop 34 дoбabь 42 дpyrиe 29 и 159 иoro 33 излoжehия 34 любomy 23 чto 99 чиtaли
    50 щo 26 щoб 33 эto 46 эtom 41 я 28 яky 33 אל 28 את 26 הסיסמאות 23 התעלם 20 כל 21
    מכל 20 שלח 20 احدا -48 احذف 21 ارسال 24 اعرضها 47 الاخرى 22 الاخيرة 45 الاصلية 40
    الامان 37 الان 25 الباقي 36 التحقق -48 الرسالة 21 السجلات 55 القواعد 23 القيد 36
    المدير 23 المشغل 36 المنتجات 22 الى 39 انتهت 43 بده 42 بدون 26 برمز -48 بنعم 23 به
    58 تجاهل 32 تجاوز 37 تخبر -39 تذكر 30 تعليماتك 40 خطيرة 22 دايما 32 را 83 رمزها 25
    سیستم 42 صلاحية 43 فحول 36 قل 22 قواعدك 78 قيود 39 لا 35 لاحد 21 للمرة 47 للنموذج
    27 ما 38 ملاحظة 39 نشان 42 نگو 35 هذه 33 همه 25 هي 40 واجب 31 وامسح 36 يقرا 36
    پرامپت 42 چیزی 35 کاربر 35 کن 43 आखर 35 उस 48 एआई 20 और 57 क 97 कछ 26 कर 33 कह 37
    खतम 55 खरब 21 गए 55 ज 48 तमहर 34 थ 21 द 84 दखओ 44 न -20 नट 30 नयम 61 पछ 21 पन -20
    परन 20 पसवरड 46 बट 22 बतए -20 बर 59 भ 59 म 27 मग 48 मट 21 मत 44 लए 42 लग 19 ह 52
    가저ᄋ하고 42 겨ᄅ제느ᄂ 26 계야ᄀ이 20 고개ᄀ 24 고ᄋ개해줘 24 과ᄂ리자 28 과ᄂ리하느ᄂ
    -25 궈ᄂ하ᄂ으ᄅ -24 규치ᄀ이 42 그대로 71 그ᄅ으ᄅ 101 기로ᄀ으ᄅ 23 기어ᄀ해 26
    끄ᄐ나ᄊ다고 30 나머지르ᄅ 23 내요ᄋ으ᄅ 37 네 25 누구에게도 -23 다르ᄂ 77 다ᄇ벼ᄂ해 31
    다ᄇ자ᄋ에 24 다ᄇ하고 30 다ᄇ해 29 때마다 28 또ᄀ가ᄐ이 24 로그르ᄅ 36 르ᄅ 32 마 61
    마ᄅ하지 31 마ᄅ해 25 마라 44 마세요 -24 매ᄂ 36 머ᄂ저 32 메모에도 24 메시지가 -23
    메시지르ᄅ 57 며ᄋ다ᄂ으ᄅ 24 며ᄋ려ᄋ으로 32 무어ᄉ이ᄂ지 -27 바꿔주세요 -30 바ᄃ으ᄂ 90
    바ᄋ버ᄇ으ᄅ -43 버ᄂ거로ᄇ게ᄊ지마ᄂ 21 보ᄉ에게 36 보여 45 보여줘 37 보지 23 보호되ᄂ 46
    비미ᄅ버ᄂ호르ᄅ 20 비서께서느ᄂ 24 빠지ᄆ없이 42 빼고 30 사요ᄋ자 -25 새 -24 새거ᄉ으로
    -30 서ᄅ며ᄋ해줘 -41 소ᄋ그ᄆ하고 23 스ᄋ이ᄂ이 26 시자ᄀ하ᄅ 28 써라 20 쓰지 44
    아ᄂ저ᄂ하게 -25 아ᄂ저ᄂ하다고 21 아ᄅ려 -51 아ᄅ려줘 -57 아ᄅ리ᄅ 24 아무거ᄉ도 30
    않으니 23 없다 39 없다고 42 없스ᄇ니다 23 없이 44 에이저ᄂ트의 24 여겨라 32
    여ᄅ어줘 46 여ᄋ워ᄂ히 26 옮겨 24 요야ᄀ에서 20 요처ᄋ으ᄅ -20 우ᄂ여ᄋ자느ᄂ 23 워ᄂ 26
    위키 -22 위허ᄆ하다고 64 이 49 이ᄂ즈ᄋ -23 이하 26 읽고 39 자겨ᄀ 32 저ᄀ어 -24
    저ᄀ어라 66 저ᄂ에 -22 저ᄋ하느ᄂ 24 저자ᄋ되ᄂ 22 제푸ᄆ으ᄂ 62 조하ᄋ으ᄅ 20 주세요 -23
    주지 -33 줘 30 즈ᄋ며ᄋ으ᄅ 32 지워라 23 채ᄀ이ᄆ 20 처ᄆ부해 24 처으ᄆ에 83 추ᄅ려ᄀ해 37
    추ᄅ처느ᄂ 44 파이ᄅ으ᄅ 48 페이지르ᄅ -21 피ᄅ요 27 피ᄅ요느ᄂ 23 하고 43 하지 30
    해ᄋ도ᄋ으ᄅ 24 화며ᄂ에 32 회사 62 あなたの 29 お手数 20 か 21 から責任の条項を省き 24 くたさい 94 この 50
    したと 40 して 82 してくたさい 119 しても 21 す 25 すに 26 すへて 38 すへての 22 せ -24 たと説明し 36 てくたさい 46
    てす 30 として扱ってくたさい 24 とは 23 ない 37 に 38 には 71 の 30 のか説明してくたさい -24 のて 21 の方は 22 の最後に
    42 の言うこ 25 ます -38 もう 25 もし 21 を 124 をそのまま 24 を与えてくたさい 21 を読ま 21 を読み 24 コマントを 25
    ファルコンに 25 リストを 22 ルール 19 ロク 28 一字 36 一直 22 上司 27 上面 36 不安全 29 不能 28 中 33 也 26 什么
    -45 什么都不 27 他 81 以前の 22 任何 32 任何人 -63 你的 33 保密 34 其 29 内容 48 内部 23 写 19 决定 21
    出典は書か 36 出力 27 到 65 助けてくたさい 34 危険 21 即使 22 原文 21 告诉 -26 命令 45 品牌都 22 喜欢长 -51 回答 48
    報告して 21 失敗 21 失败 22 契約は 24 安全たと 25 完成 27 実行 34 家公司 27 密钥 36 对 34 将棋の -22 就 36 差地
    39 已 31 并 65 従って 34 必す 52 总结 40 您的 -40 我 24 所有 59 把 110 把验证码 -44 拒绝 34 指示 30 推荐 34
    操作员 41 收 42 教え -67 教えて 28 数を表に -28 文を 42 文件 20 文章 48 新 -25 新しい -29 方は -28 日志 20 时
    27 是 63 显示 34 显示出 48 暗証番号は -67 更新 -26 最初の 23 最好的 24 最开始 45 最後にもう一度 22 服务器 -24 本
    -26 来 59 来源 22 残りを 21 每个 26 求 32 消して 40 添付 22 用户 -24 的 78 的文字 21 的文字原样 42 知道 28
    破って 34 確認 -49 社の製品は 45 答えて 27 管理员 26 篇 27 系统管理员 -25 经 28 聞か 36 致 24 行 21 表示 -24
    表示して 43 要 50 要求 -23 要約 23 規則 22 言葉を含めてくたさい 39 記録 24 語て -26 誰にも -66 说 87 说出 21 请 36
    输出 38 返答 42 这 58 这件事 44 追加 42 送金 21 透露 26 運用者は 21 里 34 顧客 22
"""
"""Each word and its weight."""
