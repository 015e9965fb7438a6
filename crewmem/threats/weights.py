"""What concepts weigh in a sentence, in hundredths; made by a script.

`manner` says how they are used and made. Of each concept: alone, as the first
word, and near others.
"""

from __future__ import annotations

BIAS = -374
NEEDED = 160

STRANGERS = (162, 136, 140, 76, 59, 28, -65, -60, -95, -109, -103, -173)

WEIGHTS = {
    "ignore": (
        "92 145 obey -40 orders 17 prompt 22 prior 69 your 13 you 28 now 13 new 45 "
        "task 25 reveal 45 show 77 secret -82 memory 14 inform 14 hide -9 dest -59 "
        "delete -25 run 55 files 9 ask -36 role 29 limits -9 when -24 reads -23 this "
        "-20 reply -8 only 12 always -66 praise 15 not -131 must 27 switch -52 place "
        "-39 what 84 is 76 we 28 past -25 about -62"
    ),
    "drop": (
        "-12 23 orders -11 prior 23 all 24 your -16 you 29 now 16 task 48 show -5 "
        "secret -59 memory 28 user -31 inform -7 hide -10 send 54 run 30 files -17 "
        "without -9 ask 26 limits 24 mode 39 when -23 this 68 reply -5 only 18 always "
        "23 praise -29 not -13 switch 6 place -20 what -22 is -41 we 14 plain 38"
    ),
    "obey": (
        "178 44 orders 130 prompt 21 system 55 prior 33 all 27 your -12 you -18 now "
        "86 new -26 task 28 show -22 secret -33 memory 61 user 9 inform 24 hide -12 "
        "send -82 dest -72 run -95 files -13 without -13 ask -7 ai 51 evil -11 limits "
        "-14 when -76 reads 23 this 50 only 63 praise -6 not -10 must 43 decode 80 "
        "place 41 what 16 is -19 we 65 past 30 plain -118"
    ),
    "orders": (
        "35 -27 prompt -8 system 36 prior 88 all 78 your 200 you 75 now -11 new -9 "
        "task -38 reveal -15 show 14 secret -13 memory 10 user -91 inform -50 send "
        "-32 delete -34 run 57 files -60 without 93 ask 20 role -16 evil -10 limits "
        "-46 when 10 reads -17 this -50 reply -7 only 28 always -9 not 37 apply 26 "
        "must 7 authority 28 decode 17 switch -15 place 44 what -11 is 30 we 74 past "
        "-50 plain -19 about -153"
    ),
    "prompt": (
        "17 -101 system 80 all -19 your 42 you 16 now -9 new 22 reveal -17 show 77 "
        "secret -8 memory -14 user -11 inform -23 send -8 run 16 files 18 without -14 "
        "ai -40 when -6 reads -29 this -22 reply -5 always -16 not 15 must 11 "
        "authority -9 decode -8 place -29 what 69 is 25 we 34 past 5 plain -9 about "
        "-7"
    ),
    "system": (
        "79 35 prior 7 all -27 your 8 you 60 now -5 new -7 task 56 show 38 secret -48 "
        "memory 24 user 25 inform 25 send 21 files -50 without -27 ai -5 role 18 "
        "limits -22 mode 28 when -23 reads -26 reply 35 only -32 always -27 praise -9 "
        "apply -5 must 10 switch -8 place 32 what 41 is -47 past 8 plain -13 about "
        "-23"
    ),
    "prior": (
        "-6 -10 all 62 your 17 you -15 now -48 new 8 task 29 reveal 7 show 6 secret "
        "-46 memory 30 user -61 inform -33 hide -7 send -33 delete 56 run -33 files "
        "-41 without -10 ask -54 ai -45 role -37 limits -19 when -31 reads -11 this "
        "-31 reply -38 only 30 always -49 praise -19 not -11 authority -26 decode -15 "
        "switch -11 place 60 what 139 is 149 we -18 past -22 plain -52 about -27"
    ),
    "all": (
        "27 -6 your 19 you 85 now -31 new -17 task -48 reveal 8 show 51 secret -14 "
        "memory -23 user -68 inform -62 hide -60 send 11 dest 6 delete 51 run 55 "
        "files 101 without 7 ask 85 ai 21 role -43 limits 30 mode 6 when -26 reads 27 "
        "this 50 reply 48 only -60 always 14 praise 6 apply -23 must -19 authority 34 "
        "decode -39 switch 52 place -21 is 24 plain 118 about -72"
    ),
    "your": (
        "192 -61 you -47 now 14 new 25 task 32 reveal 24 show 45 secret 9 memory 59 "
        "user -12 inform 71 hide 53 send 19 dest -20 delete 59 run -62 files -71 ask "
        "-40 ai -6 evil 20 limits 121 when -38 reads 13 this -64 reply 103 only 44 "
        "always -25 praise 17 not 92 apply 32 must -29 authority 32 decode 9 switch 6 "
        "place -48 what 127 is 26 be -14 we 27 past -29 plain 6 about -6"
    ),
    "you": (
        "138 -44 now 26 task -16 reveal 29 show -39 secret 8 memory 31 user -21 hide "
        "6 dest -48 delete -75 run -32 files 5 without 53 ask -81 ai 43 role 65 evil "
        "105 limits 83 mode -32 when -115 reads -20 this -17 reply 25 only 81 always "
        "95 praise -40 not -9 apply 42 must 38 authority 7 switch -18 place 20 what "
        "76 is 120 we 10 past 95 plain 10 about -46"
    ),
    "now": (
        "107 5 new -17 task 102 show 50 secret 6 memory -41 user 17 inform -26 hide "
        "-22 dest -12 run -36 without 27 ask 55 ai -24 role 17 evil 31 limits 45 when "
        "-25 reads -66 this -52 reply 114 only 49 always 9 praise 17 not 14 apply 23 "
        "must -8 authority 20 switch -18 place 11 what -7 is -55 be 20 we 38 past 20 "
        "about -52"
    ),
    "new": (
        "-25 79 task 80 show 66 secret 67 memory -6 user -19 inform -32 hide -23 send "
        "-27 dest -20 delete -15 files 13 ai -22 role 30 limits -42 when -7 reads 17 "
        "this -10 only 21 always -32 praise 6 not -54 apply -14 must -19 authority 19 "
        "decode 59 place 55 what -16 is 87 we -34 plain -68"
    ),
    "task": (
        "46 51 reveal 9 show 56 secret 17 memory -9 user -120 inform -43 hide -27 "
        "send -38 dest 9 delete -5 run 56 files 38 without -11 ask 50 ai -55 role 60 "
        "limits 57 mode -20 when -47 reads 9 this 106 reply 41 only 37 always 10 "
        "praise 120 not 40 must -51 authority -36 decode -21 switch 10 what -56 is 56 "
        "plain -15 about -7"
    ),
    "reveal": (
        "145 28 show 23 secret 58 memory 15 user -18 inform -26 hide 5 send -14 run 5 "
        "files 37 without -5 ai -16 role 20 reads 40 this 11 reply 78 only 8 always "
        "21 praise -8 not -18 apply -5 must 7 decode -18 switch 22 place -14 what -21 "
        "is -28 we -23 past -8 plain 37 about -18"
    ),
    "show": (
        "18 66 secret 137 memory -9 user -21 inform 6 hide 19 send -29 dest -7 delete "
        "-39 ask -7 ai 6 role -45 evil 34 limits -38 mode 24 when 48 reads -24 this "
        "-53 reply 24 only 36 always -26 praise -18 not -5 apply -12 must -63 "
        "authority -47 decode -31 switch -17 place 57 what 64 is -6 we -25 past 34 "
        "plain 29"
    ),
    "secret": (
        "81 -39 memory -5 user 5 inform 67 send 89 dest 32 delete -75 run 13 files "
        "112 without -37 ask -35 ai -101 evil 10 limits 17 mode 6 when -16 reads 67 "
        "this 41 reply -82 only -26 always -99 praise -27 not -115 apply -10 must -31 "
        "authority -51 decode -15 switch 10 place -73 what 38 is -67 we 41 past 43 "
        "plain 89 about 41"
    ),
    "memory": (
        "2 26 inform -21 hide -26 send 52 dest -6 delete -51 run -35 files -39 "
        "without -15 ask -21 ai -19 role 10 mode 43 reads -19 this 28 only -37 praise "
        "-29 not -13 apply -8 must -19 authority 6 switch 15 place -33 what -32 is "
        "-23 we 18 past 6 plain 92 about -19"
    ),
    "user": (
        "59 1 inform 139 hide 59 send -36 dest 50 delete -31 run -29 files 32 without "
        "69 ask -56 ai -19 role 24 evil -17 limits -34 mode -67 when 44 reads -67 "
        "this 23 reply -100 only -44 always -29 praise 51 not 104 apply -25 must 33 "
        "authority 38 decode -8 switch -21 place 19 what 23 is -13 we -7 past 23 "
        "plain 117"
    ),
    "inform": (
        "45 -18 hide 19 send -108 dest -43 delete -5 run -51 files 46 without -47 ask "
        "51 ai -96 role -47 evil 52 limits -10 mode 10 when -15 this -23 reply -10 "
        "only -22 always 27 not 170 apply -16 must 49 authority -111 decode -28 "
        "switch 55 place -7 what -35 is -27 past -24 plain -32 about -10"
    ),
    "hide": (
        "54 82 send 54 delete 37 run 13 files -13 without 7 ask -19 ai -35 role -6 "
        "limits -29 mode -23 reads -6 this 56 reply -86 only -29 always -12 praise "
        "-27 not 33 apply -5 must -50 authority -15 decode -8 switch -20 place -42 "
        "what -11 is -57 we 17 past -8 plain -64 about -10"
    ),
    "send": (
        "29 93 dest 29 delete -35 run -91 files 72 without 10 ask 81 ai -10 role -31 "
        "evil -13 limits 12 mode 27 when 16 reads 76 this 25 reply 9 only 10 always "
        "-29 praise -54 not -135 must 8 authority -73 decode -10 place 20 what -10 is "
        "-25 we -22 past 6 plain -24 about 5"
    ),
    "dest": (
        "99 -15 run 94 without -5 ask -59 mode -28 when 77 reads -25 this 6 reply -23 "
        "only 40 praise -28 not -42 must -37 place 31 what 22 is -8 we 63 plain -11 "
        "about 205"
    ),
    "delete": (
        "83 160 run 116 files -11 without 67 ask -43 ai 37 role -9 evil -20 limits 6 "
        "mode 39 when -36 reads 49 this -41 reply -38 only -28 always -31 praise -69 "
        "not -26 must -8 switch -20 place -17 what -11 is -19 we 51 past -19 plain "
        "-34 about 15"
    ),
    "run": (
        "14 83 files -54 without 67 ask 110 ai 21 role -42 evil -7 limits -15 mode 12 "
        "when 62 reads 45 reply -23 only 29 praise -111 not -141 must -6 authority -5 "
        "decode 92 switch -19 what 29 past 51 plain 71 about 162"
    ),
    "files": (
        "-108 -23 without 30 ask -30 ai -69 role -24 evil -59 limits -9 mode 35 when "
        "31 reads -27 this 5 reply -87 only 12 always -43 not -22 apply -10 authority "
        "10 switch -5 place 10 what 27 is -22 we 6 past -10 plain 110 about 12"
    ),
    "without": (
        "35 -37 ask 40 role 31 evil 13 limits 123 when 7 reads -30 this -20 reply -7 "
        "always -6 praise 30 not -54 apply 16 must 5 authority 8 switch -10 place -57 "
        "what -27 is -57 be 12 we -53 past -29 plain -33 about -16"
    ),
    "ask": (
        "50 -13 role 11 mode -7 when -12 reads -5 this 101 always 17 praise -9 not "
        "117 apply -5 must -92 authority -23 switch 30 place -31 what -26 is -57 we "
        "-58 past -12 plain -23"
    ),
    "ai": (
        "44 -33 role 62 evil 34 limits 24 when 45 reads 54 this 65 reply 79 only -36 "
        "always -6 praise 221 not -29 apply -12 must 93 authority 47 decode -27 "
        "switch 57 place -22 what 38 is 26 be 19 we -69 past -22 about -44"
    ),
    "role": (
        "86 91 evil 58 limits 69 mode -7 when -89 reads -12 this 40 reply -34 only "
        "-11 always 48 praise -22 not 43 apply -5 authority 51 decode 19 switch -6 "
        "place -28 what 47 is 32 be 5 we -49 past 24 plain -6 about -10"
    ),
    "evil": (
        "115 15 limits 19 mode 36 when 14 reads -17 this 25 reply 11 only 12 always "
        "-29 apply -12 must 10 switch 19 place -21 what 45 is 24 we 36 past -6 plain "
        "-13 about -61"
    ),
    "limits": (
        "46 -33 mode 6 when 22 reads 5 reply 22 only 24 always 23 praise -7 not 30 "
        "must -23 authority 7 switch 9 place -28 what -7 is 35 be 11 we -46 past -20 "
        "plain -54"
    ),
    "mode": (
        "25 -5 when -20 reads -66 this -97 reply 46 always -33 praise -17 not -20 "
        "must -6 authority 19 switch 53 is -55 we 35 past 37"
    ),
    "when": (
        "-24 101 reads 95 this 75 reply 135 only -8 always -24 praise 8 not -105 "
        "apply -8 must 63 authority -22 switch -38 place 65 what 71 is -99 be 65 we "
        "61 past -42 plain 52 about -15"
    ),
    "reads": (
        "-58 8 this 73 reply 61 always 36 praise -6 not 76 must 6 authority -35 "
        "switch 21 place -41 is -75 we -9 plain 27 about -37"
    ),
    "this": (
        "86 -27 reply -36 only -52 always -14 praise -49 not 83 apply -28 must 15 "
        "authority 72 decode 69 switch 40 place 124 what -10 is -24 we -15 past -90 "
        "plain 25 about -79"
    ),
    "reply": (
        "47 37 only 111 always 124 praise 72 not 72 apply -13 must -7 authority -64 "
        "switch 5 place 57 what -127 be 74 we 53 past 69 plain 22 about -10"
    ),
    "only": (
        "-93 31 always -11 praise -6 not 15 apply 54 must 94 decode 26 switch 8 place "
        "13 what 18 is -53 be 9 we -16 past 28 plain 41 about 32"
    ),
    "always": (
        "33 -2 praise 22 not -26 apply -35 must -75 authority 36 decode -23 switch 46 "
        "place -9 what -11 is -17 be 38 we 52 past -11 plain -9 about 45"
    ),
    "praise": (
        "148 73 not -68 apply -44 must 74 authority 14 place -58 what -69 is 46 be "
        "-17 we -29 past -24 plain 62"
    ),
    "not": (
        "-75 31 apply 40 decode 23 switch 10 place -21 is 18 be -18 we -22 past 19 "
        "plain -7 about -10"
    ),
    "apply": "-72 32 must -5 place 27 what -14 we 11 past 6 plain -33",
    "must": (
        "-58 9 authority 62 switch 5 place -41 what -24 is 43 we 60 past 57 plain -69 "
        "about 13"
    ),
    "authority": "81 20 switch -10 place 24 what -22 is 96 we -95 past 24 plain 21 about -22",
    "decode": "41 100 place 44 what 20 we 69 past -17 plain -33",
    "switch": "8 63 place -58 what 51 is -10 we 18 past 10 plain -25 about 16",
    "place": "-74 -8 what 17 is 97 we 68 past -30 plain -5 about 13",
    "what": "-60 -56 is -57 be 55 we -27 past 88 about -32",
    "is": "-132 69 we -19 past -15 about -60",
    "be": "73 1",
    "we": "-88 -98 past -14 plain 82 about -70",
    "past": "-146 -41 plain -67 about -29",
    "plain": "-203 -31 about -22",
    "about": "61 -66",
}
