"""More words of `concepts`: languages of other letters as they are typed in Latin ones."""

from __future__ import annotations

ROMANISED = {
    "ignore": """
        karo+ignore ignore+karo ignore+kar bhool bhul+jao chhod+do anadekha hulue wushi
        wangji wangdiao bu+yao+li mushi wasurete wasurero igjeo tjahel tajahal
        ignoriruy ignoriruj zabud zabudte otbros""",
    "orders": """
        nirdesh niyam niyamon hukum adesh instructions+ko guize zhiling guiding mingling
        shiji meirei ruuru kisoku jisi myeongnyeong gyuchik ta3limat taalimat talimat
        awamir qawa3id instruktsii instrukcii pravila pravil ukazaniya komandy""",
    "prompt": """
        prompt+batao xitong+tishi tishici puronputo sisutemu+puronputo
        shisutemu+puronputo peurompeuteu sistemnyy+prompt sistemny+prompt promt""",
    "system": "xitong neibu zuichu yincang shisutemu sisutemu naibu nizam asli sistemnyy sistemny skrytye vnutrennie",
    "prior": """
        pichle pichhle pehle purane shangmian yishang zhiqian yiqian koremade mae+no
        izen ijeon sabi2a sabqa sabi2 predydushchie predydushie prezhnie vyshe""",
    "all": "saare sabhi sara pura poora suoyou yiqie quanbu subete zenbu modeun kull vse vsyo vsekh",
    "your": "apna apne apni tumhara tumhare aapka aapke nide ni+de anata+no omae+no bta3ak khas+bik svoy svoi tvoy tvoi",
    "you": "tum aap ni+xianzai anata omae enta inta ty+teper vy",
    "now": "abhi ab+se aaj+se xianzai congxianzai ima+kara korekara jigeum dilwa2ti seychas teper srazu",
    "show": """
        batao bata+do dikhao dikha+do likho gaosu xianshi shuchu oshiete misete kudasai
        shutsuryoku boyeojwo 2olli olli warini farjini pokazhi pokazhy vyvedi napishi
        skazhi rasskazhi""",
    "reveal": "kholo ujagar xielu roulu akashite raskroy vyday",
    "secret": "mima miyao koushi himitsu kagi pasuwado bimil bimilbeonho kalimat+sir parol klyuch klyuchi sekret",
    "user": "upyogkarta kisi+ko yonghu yuzaa yuza sayongja polzovatel polzovatelyu nikomu",
    "inform": "mat+batana mat+batao bie+gaosu buyao+gaosu iwanaide ma+t2ool mat2olsh ne+govori",
    "send": "bhejo bhej+do fasong shangchuan okutte bonae eb3at otprav pereshli zagruzi",
    "role": "natak+karo ban+jao jiazhuang banyan furi+o+shite enjite etzahar pritvoris predstav",
    "limits": "pabandi xianzhi seigen jehan 7odood hudud ogranicheniy ogranicheniya filtry",
    "without": "bina bagair meiyou bidoon min+gher bez",
    "not": "mat nahi buyao ma+t mish ne+nado ne+delay",
    "evil": "heike hakkaa wu+xianzhi khaker bez+ogranicheniy",
    "plain": "recipe chai khana kitab yongfa qubie lizi koohii eigo hatsuon wasfa kabsa primery yazyke slovo",
}
"""Words by concept."""
