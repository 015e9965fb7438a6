"""What words weigh beside their concepts, in hundredths; made by a script."""

from __future__ import annotations

VOCABULARY = """
    a -44 ab -21 above 33 absolutely 30 accept -25 access 49 according -37 accordingly
    27 account 159 accounts 30 accиcteht -23 acknowledge 48 acme 198 act 61 active -18
    actor -35 actors 35 actual 40 ada -80 adalah 17 add 79 added -32 adding -48
    additional 41 additionally 46 address -74 adds -35 admin -27 administrador 38
    after -48 agent -68 agents -39 agree -18 agreement -15 ai 168 ais 21 alignment -16
    all -62 alle 33 alles 27 allow -30 allows -23 almost -22 also 23 alt 20 always 59
    amount 71 an -15 analyse -65 and 50 another -17 answering 97 answers -40 antwoord
    16 antwort 46 antworte 32 anvandaren 41 any -103 anybody -27 anything -18 anyway
    43 apart -36 api 21 apiキーを 44 apologise 29 app -20 appear -37 applications 57
    applied 16 apply -16 approved 15 apxиbe -27 are -44 args -37 argument -18
    arguments -36 aria 101 arkivet -21 art -20 as 66 asking -49 asks 65 assistant 65
    at -45 attacker 19 attempts -23 attribute -18 attributes -29 auf 59 aufgabe -18
    aus 97 authorization -49 authorized 17 automatic 31 av 45 available -24 avoid 37
    aws 17 b 130 back -41 background 41 backups 68 badge -74 bai -18 ban 95 bana 27
    banana 91 banane 26 base -42 bash 40 bashrc 62 bce 22 bearer -61 because 57
    becomes -26 been 20 bees -31 befehl 37 begin 22 beginning 37 begins 18 behind -37
    bei 22 below 44 berlin 127 beside -23 best 25 bill 35 bir 108 bitte -27 blame 41
    blog -24 blue 20 body 39 book 68 both -76 bound -39 branch -32 break 81 breaking
    -19 breakpoint -35 breaks -23 briefly -43 brilliant -15 bu 41 budget 75 buffer -15
    bug 94 build 68 bundan 15 but -73 buy 44 by -82 bytes -62 c -15 ca 35 cache -83
    calendar 15 called -72 calling -17 can -148 cancel -17 candidates 55 cannot -58
    cap 21 capabilities -16 captures 51 card 63 cards 21 carried 46 carries 27 carry
    27 case -59 cat 62 catch -29 cau -35 caused -33 ce 35 ceo 48 cepbep -22 certain
    -39 chain -15 change 56 changes -44 channel 25 chapter -25 characters -33 chat 38
    chatbot -16 chatgpt 38 che 22 check -21 checked 72 checklist -31 checks 36 chess
    -33 chi 30 cho 19 choose -34 chunks -15 ci 28 ckлaдa -15 claim 29 class -68
    classes -18 classification 25 claves 18 cle -24 clean -46 cleanup -24 clear -83
    click 43 cliente -39 close -36 club 23 co 24 code -47 codes 34 comando -19 combine
    35 come -60 command -78 commands -20 comment -26 company 45 complete 44 completion
    -38 comply 42 compte 24 computer 49 concatenation 37 conditions -15 confidential
    40 config -39 configuration -33 configured 99 confirm -15 confirmation 24 cong 23
    connection 24 contacts 27 contains 60 contents 21 continue 37 continuing 17
    contrasenas 29 conversation 168 cookies -36 copied -15 copies -33 copy -97
    copyright -52 correctly 15 could -63 count 21 counted -21 country 47 counts -31
    crane -22 credentials 58 crewmem -93 cron 48 crontab 44 cua 20 curl 112 current
    -27 customer 60 customers 93 cut -57 cиctemhыи -21 d 92 dan -74 dangerous 20 darf
    20 das -20 database 15 date -100 dateien -22 dates -22 davon 48 day -23 days -24
    de 46 deactivate 32 dear -22 debug -80 debugger -29 debugging 31 decode -26
    default -57 defaults -24 defined -17 del -26 delete -20 deleted -31 deletes -22
    delivers 31 den 15 deny -22 dependency 24 deploy 47 deploys -36 deprecated -19 des
    26 describe -43 described 51 describes 19 descriptions 18 desk -25 dev 54 deve -18
    developers -20 di 48 dialog -38 dictionary -23 die 74 dies 51 difference -21
    differently 19 direct 25 directive 23 directives 52 director 39 directories -26
    disable 24 discard -17 disclaimers 21 disclose 32 dispatch -27 do 21 docs -23 doe
    18 does -61 done 114 door 37 dot -16 doubt 26 download 37 draft -20 drops 41
    dryrun -42 dump -16 durably -20 duration 39 during -33 each -151 earlier 49 early
    -22 echo 122 edit -84 eine 78 einen 23 eivai 24 el 27 element -28 elsewhere -19 em
    27 email 25 embedded -21 emergency 33 enable -50 encode -19 encoding -25 encodings
    -17 end 101 endpoint -49 endpoints -22 ends -19 enough 64 enter -32 entire -18
    entre -26 entries -35 entry -19 env 28 environment 78 episodes -28 er 22 erase -46
    error -27 errors -23 este 65 etc 68 euros 65 evaluate 24 even 54 event -30 every
    -22 everything 128 evet 117 evidence 30 exact 93 example 23 except -40 exception
    -51 exceptional 26 execute 111 executed -16 executes -15 exercise 22 existed 20
    exists 18 exit -26 exits -22 expensive 75 explain -35 explains 30 explanation -15
    explica -19 explicit -16 explique -43 export 45 expression -16 extract 17 f -26
    failed 19 failing 47 fails -24 failures -18 fairly -25 false -16 fetch -38 field
    -16 fields -25 files -76 filter -28 filtering 69 filters 54 filtry 49 finance -22
    find -35 fine 61 finish 70 finished 22 first -28 five 36 fixing 39 flight 75 floor
    -22 folder -23 followed -16 following 37 follows 16 footer 42 for -44 forbid -17
    forbidden 75 forbids -20 force 30 forget 57 forgotten 18 format -34 former 21
    forwarded -24 forwarding 34 found -41 frage 56 french 24 friday -89 from 36 fuhre
    32 fulfilled 20 full 97 function -74 functions -60 fur -15 further 18 game -33 gap
    22 gate -30 geandert -19 gebruiker 24 gelten -34 generate 46 german -37 get -23
    gib 27 gift 29 gist 24 give -45 go -16 goal 28 goes -52 good -30 grade 33 grammar
    -28 grandmother 26 granted 18 great 78 green -18 greet -57 greeting 40 group -28
    guarde 24 guardrails 16 gudang -18 guidance 44 guidelines 50 gut 35 h -73 ha 20
    hacked 85 hacker 67 had 16 half -31 halves 40 hand 23 handle -42 handler -18
    handles -37 hands 18 hang -27 hangs -18 happened 33 harbour -48 harmful 38 has 31
    hash -18 hay -30 he 33 header -44 headers -19 hear 19 hello 19 help -108 helpful
    35 helping 63 her 72 here 31 hi 27 hicbir 26 hides -21 higher 15 him 27 hiring -19
    hold -16 home 28 hour 49 house 31 how -68 however -20 http 130 https 113 human 26
    huong -45 i 49 ia -18 id -47 identity 29 if -91 ignora 21 ignore 17 ignored -17
    ignores -39 ignoriere -29 illegal 19 im -52 image 67 imagina -28 imagine -38 img
    31 immediate 25 implementation -16 import 36 imports -17 inbox 43 incidents -30
    include 84 independent -21 index -70 inget 43 ini 18 initialize -16 injection -23
    input -18 insert 35 inside -22 inst 44 instalar -24 installation -17 installed -17
    instance -22 instrucoes 17 instruct 41 instruction 82 instructions 97 insulting 16
    interface -29 interpreter -25 into 57 invented 26 invisible 20 invite 62 invoice
    95 invoke 33 is -80 issue 87 istruzioni 25 item -22 items -20 its -25 itself -23
    jailbreak -32 jamais 22 jangan -15 japanese -16 je -35 jede -19 jeder 42 jetzt 33
    jobs -15 journal 30 json 50 just -24 k 35 kaikki 22 kamu 17 kaждыи 39 keep -49
    keeps -21 kept -24 key -58 keys -37 keystrokes 52 khong 19 kill -57 kind -15 know
    -16 knowledge 48 knows -72 komutu 32 kunden -18 kurallarini 47 kлюч -37 l 28
    language -54 languages 36 laptop -21 las 29 last -50 later -28 latest 51 layers 18
    le 48 lead -78 leak 25 learned 35 learns -20 leaves -22 ledger -17 left -46 length
    -29 lenh 23 les -38 lesson 29 let -44 lets -23 level -16 library 59 licence -20
    lie 50 lies 28 liest 47 lieu 31 limit -79 lines -71 link 50 links 30 linter -20
    linux 73 list -46 lists -16 llm 50 lo 31 load -44 loading 34 loc 35 local -15
    location 17 log -40 logging 26 login -23 logs -17 loi 36 lol 20 long -33 looking
    17 looks -65 loop -30 losche 26 lose -51 love 33 ls 36 m -19 machine -22 made -45
    mail -110 mailbox -32 mails 63 main 68 maintenance 22 make 89 makes -50 manual -51
    many -38 mark 33 marked 25 marks 17 match -20 matches -37 may -73 me 133 mean -50
    mecяu -16 meet -47 meeting 71 mejor 22 member -36 memories -58 memory 17 mention
    43 merge -39 messages -15 method -69 methods -24 metrics -17 mi 34 migration -28
    mind 47 mine 72 minutes -48 mir 57 mira -48 missing -27 mnv 38 mo 18 mode -46
    models -27 modify 23 modo 18 module -61 modules -16 monday 88 money 79 monitoring
    33 moon 20 more -17 morning -17 most 34 mostre 20 mounted -16 move 38 moves -28
    msg 17 muestrame 23 musi -19 my 95 n -51 nach -15 name 21 named -41 napoль 63 ne
    74 necessary -24 need -23 neue -18 never -29 next 91 ngoai 31 nguoi 19 nice -48
    nichts 64 nie 58 niets 30 night -47 nobody -83 nocolor -15 node -16 noi 20 nokaжи
    23 non 19 none -86 noon -23 north 69 not -42 nota 55 note -18 notes -57 nothing
    -60 notices 48 now 56 noльзobateль 19 npabилa -18 nu 20 nua 15 null -17 numbers
    -28 nutzer 57 o 36 obey 96 object -56 objects -20 obsolete 20 off -29 office -41
    officer -19 official 55 often -21 ohne 28 oi 24 ok 98 okay 37 old -121 older -17
    on -62 once -19 one -116 ones 36 oou 33 openai 19 operador 30 operate 15 operating
    48 operators -68 opinions 19 options -46 or -137 order -42 orders 19 original -41
    os 28 others -61 otnpabь 27 otov 36 otчet -21 our 33 out 77 outdated 73 override
    -44 overview -16 overwrite 79 own -27 owner -64 owners -46 ownership 57 oδnyieo 26
    oб 36 package -24 page -109 pages -32 paint -22 paragraph 40 parameters 55 parle
    -24 parse -25 parser -27 parsing -15 part 66 party 30 pas 28 pass -17 passage 29
    passed -24 passes 55 passwd 61 password -61 passwort -16 paste 53 path -49 pay 75
    payment 62 peers 42 people -37 perfect 36 perform 15 permanently 17 permission -27
    permissions 21 permitted -41 person -57 peжиm 35 phone -17 photos 67 phrase 78
    phrases -19 pick 21 pier 68 pixel 18 place -35 placeholder 19 players -21 please
    40 pls 26 poem 105 policies 27 policy -24 polite -16 port -37 porto -36 post 22
    posts -21 praise 76 precedentes 27 preference 37 prefers -30 present 59 president
    41 press -42 pretend 40 prev 22 previous -45 prices -28 print 41 printed -32
    prints -65 prior -24 private 58 privileges 32 pro -18 process -38 processes -16
    processing 50 produce 22 product -31 production 96 program -35 programmer 36
    programs -28 progress 15 project 36 prompt 17 prompts -39 proposal -29 protect -15
    protected 36 protocol -21 provide -17 provides 17 proxy -43 public 74 pull -22
    pump 29 pumps -31 put -15 pwned 42 pytest -28 python -70 qua -35 quarter -24
    quarterly 21 quelles -23 query 26 question 35 questions -101 questo 31 queue -45
    quick -16 quiet 23 quoted -17 quotes -17 quyen 26 ra 27 raise -19 raised -15 rank
    45 raw -26 reach -23 read -70 reading 48 readme 23 real 62 recipient 42 recommend
    56 record -20 reduced -24 refunds 32 refusal 15 refusals -33 refuse 39 refuses -18
    refusing 65 regarding 46 regeln -54 regenerate -39 register -19 reglas -34 regras
    -25 reject 70 relative -23 relax -29 relay -29 release 33 reload 17 remember 65
    remote -15 remove -50 removed 27 render 15 repair -48 repeat 53 replace 73
    replaces -24 reply 164 reponses 25 report 40 reported -16 repositories 46
    repository -52 requested 40 requests 24 required 15 requires -25 reset -25
    responsible -21 rest 44 restart -35 restrictions 51 result 34 resume 41 retrieve
    30 return -147 returns -77 reveal 30 reverse 31 review -20 reviewer -42 reviewers
    19 reviews 16 rex 313 rf 69 rfc -33 richtlinien 28 rid -16 right 22 rights -36
    risk -21 risks -34 risotto -19 rispondi -16 rm 132 ro -19 robot -21 roman -44 room
    -15 root -112 rows -42 rui -18 rule 15 rules 25 run -19 running -28 s 23 sa -17
    safe -33 sag 25 sage 27 said -52 salary 34 same -39 sample -15 sao -27 save 16 say
    -16 saying 43 says 61 scan -28 scene 20 scope -20 score -41 search 17 second 31
    secret 42 section -68 sections -28 see -21 sehr 35 select -30 selection -15 self
    -19 sem 21 send -21 sende -20 sends 39 senhas 21 sentence 53 sentences -33 senza
    18 server -65 service -27 services -19 setting -47 settings -92 setup 34 setze 25
    several -15 sh 133 share -72 shared -20 she 89 shop 22 short -58 should -98 show
    -50 showing -21 shown -15 shut 52 side -16 sign -16 silently 36 simulate 48
    simulation 22 sin -22 since 51 sind 73 single -16 sistem 29 sistema -22 size -93
    skip 36 slug -73 small 97 so 48 software -22 solved 88 some -41 somebody -61
    someone -28 sono 39 sonra 15 sont -18 sort -33 source -45 sources 21 space -31
    specification -15 specified -22 spelling 38 spread 43 sql -22 src 26 ssh 74 stack
    -21 staging -60 standard -15 standing 30 stands -29 start -138 started -15 starts
    -30 state -42 statement -18 station -23 statistics -17 status -30 stay 41 stays
    -26 step 25 steps -27 stop -59 stops -17 stored -17 story -21 straight 37 strict
    -21 strings 16 study 42 su -28 suas 19 subject 26 subprocess -27 success 31 such
    -31 summarise -114 summarising 29 summary 16 super 33 superseded 34 support -34
    sure 44 survives 29 suspended 18 sweep -15 switched -24 syntax -15 system 48
    systems -15 table 89 tables -19 tag -18 tai 23 take -28 takes -63 talk 101 target
    -19 task 73 tasks -30 tat 18 tcp 57 team 20 tell -39 telling 28 template -38
    temporarily 17 temporary -16 terminal 44 terms -20 tes 57 tests 18 text 32 texts
    -20 than -19 thanks 93 that 40 the 46 their -20 them 69 then 15 these 55 thi 38
    thing 28 things 111 think -18 this 167 those -22 though -20 thread -15 three -30
    thuc 25 tickets 17 tidy -19 tiens 24 ties -19 time -32 timers -18 times -20 to -92
    toan 18 todas 48 today -18 todo -22 together -33 token -54 tokens -33 tom -38 too
    -15 took -17 tool 102 toolbar 36 tools 24 totals -30 toutes 36 tra 40 tracking 21
    trained 15 transfer 134 translate -78 translation 48 transport -24 travel -48
    treat 59 tree -38 trip 67 truoc -40 trust 20 trusted 20 tum 23 turn 40 turns 19
    tus 35 twice -28 twin -15 two 22 type -20 types -27 typos -57 uber 19 uita -16
    umgebungsvariablen 57 un -22 una -27 unable 19 uncensored 16 und 88 under -32
    undone 21 une -37 uninstall 19 unless -21 unrestricted 28 unsure -27 until -60
    update -74 updated -75 upgrade -18 upgraded 17 upload 39 upon 33 ur 94 url -40 us
    43 usa -16 use -24 user 104 users -43 uses -17 using -24 usuario 21 v -46 value 25
    vao 24 variables 43 vault -73 ve 49 vector -19 vectors -70 vendor 56 verification
    62 verified 55 verify 35 version 47 versions -27 very 37 viet -18 view -23 virus
    23 visit 56 void 46 vorgaben 16 vorherigen -18 vote -36 wait 58 waiting -18 want
    -16 wants 16 warn -24 warning -24 was 31 way -24 we -80 weapon 31 weapons -21
    weather 15 webhook 22 well 95 went 20 were 41 what -65 whatever 61 whats 48 when
    -70 whenever 61 where -64 whether -88 which -40 while 46 white 39 whoever 19 whole
    -49 whom -15 why -72 widget -48 widgets -15 wie -15 wiki 26 will -92 windows -26
    with 36 withdrawn 30 withhold 60 within -21 without -31 won -32 word 44 worker -32
    works -36 world 26 write 17 writes -19 wrong 18 x 60 xxx -25 y 44 year -51 yes -76
    yesterday -18 yet -32 yield -44 ykaзahия 20 yok 70 you 49 z 34 zapomnij 19 zeige
    28 zero 37 zeros 49 zu 37 дoлжeh 19 и 18 иhctpykuии -20 лeжat -27 эtom 35 я 37 אל
    17 التعليمات -18 السابقة -21 السر -25 به 42 تجاهل 24 را 71 في -23 قواعدك 23 قيود
    34 كل -21 كلمة -18 لا 51 واجب 23 کن 15 क 24 नयम 17 बन 29 सभ 17 ह -17 น -28 รหสผาน
    -22 과ᄂ리자 20 궈ᄂ하ᄂ으ᄅ -21 내요ᄋ으ᄅ 20 다ᄇ벼ᄂ해 16 다ᄇ해 35 메시지르ᄅ 54
    무어ᄉ이ᄂ지 -26 바ᄋ버ᄇ으ᄅ -40 보여줘 26 비미ᄅ버ᄂ호르ᄅ 23 사요ᄋ자 -23 새 -24
    서ᄅ며ᄋ해줘 -31 아ᄅ려줘 -43 없이 42 요처ᄋ으ᄅ -28 저ᄋ리해줘 -16 제하ᄂ 29 추ᄅ려ᄀ해
    51 파이ᄅ으ᄅ 57 프로ᄆ프트 -21 か -28 この 51 して 19 してくたさい 107 すに 19 すへて 17 てくたさい 35 に
    27 には 69 の 33 は 15 ます -62 を 97 アシスタント -30 コマントを 15 フロンフト -16 ユーサー -17 ルール 27 不 16
    不要 16 之前的 -18 什么 -17 你的 21 内容 38 出力 32 前の -20 告诉 19 回答 41 在 26 安全 -21 実行 15 密钥 39
    必す 61 总结 21 所有 47 报告 -15 拒绝 20 指示 49 教えて 56 新しい -31 是 44 显示 15 更新 -23 服务器 -20 次の
    54 的 47 確認 -16 答えて 24 系统提示 -24 表示し 17 规则 -32 请 28 输出 40 这 36 这件事 46
"""
"""Each word and its weight."""
