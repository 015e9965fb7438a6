"""The words that rules are made of, by what they are for, in the languages of notes.

A star stands for any ending. Accents, case and look-alike letters do not matter.
"""

from __future__ import annotations

WORDS = {
    "override": """
        ignore ignoring disregard disregarding forget bypass override overrule neglect
        abandon drop discard dismiss skip omit unlearn erase overlook
        ignoriere ignorieren ignoriert ignorier vergiss vergesse vergessen vergesst
        missachte missachten verwirf verwerfen umgehe umgehen uberschreibe
        ignora ignore ignorad ignorar ignoren olvida olvide olvidar olvidad olviden
        descarta descarte omite omita desatiende salta
        ignorez ignorer ignores oublie oubliez oublier neglige negligez negliger
        contourne contournez abandonne abandonnez passez
        ignora ignorate ignorare dimentica dimenticate dimenticare trascura
        esqueca esquece esquecer desconsidere desconsidera
        игнорируй* игнорировать проигнорируй* забудь забудьте забыть отбрось*
        отмени отмените пренебреги* обойди*
        忽略 无视 無視 忘记 忘掉 忘記 不要理会 不理会 别管 跳过 丢弃 抛弃
        무시하* 무시해* 잊어* تجاهل تجاهلي انس अनदेखा zaboravi zaboravite zignoriraj*
        ignoruj* zignoruj* zapomnij pomin ignorera glom negeer vergeet unut yoksay
        bo-qua lupakan abaikan""",
    "override_last": """
        ignorieren vergessen missachten verwerfen ignoriere 無視 무시하* 무시해* 잊어*
        अनदेखा negeren yoksay""",
    "leave": "leave put set lassen lasse lasst laissez laisse deja deje dejen",
    "behind": "behind aside hinter beiseite derriere atras",
    "follow": """
        follow following obey comply heed adhere befolge befolgen befolgt folge folgen
        halte sigas siga seguir obedezcas obedezca suivez suis suivre respecte respectez
        следуй* выполняй* соблюдай* 遵守 遵循 服从 听从""",
    "stop": "stop cease quit hor hore deja deje arrete arretez прекрати* 停止",
    "not": """
        not don't dont don doesn't never no neither cannot can't mustn't shouldn't wont
        nicht kein keine keinen nie niemals nunca jamas ne n'* pas jamais не никогда нельзя
        不要 别 不得 勿 切勿 禁止 не""",
    "all": """
        all any every everything each entire whole both alle allen aller alles samtliche*
        jede* ganze* todo toda todos todas tout toute tous toutes все всё всех весь всю
        所有 一切 全部 任何 모든 جميع كل सभी tutte tutti todas sve wszystk*""",
    "everything": """
        everything anything alles todo tout всё все 一切 所有 sve tutto tudo allt""",
    "earlier": """
        previous previously prior preceding earlier above foregoing former past initial
        original existing before old aforementioned predefined
        vorherige* vorherig* vorangehende* vorangegangene* bisherige* obige* oben
        fruhere* davor zuvor vorige* ursprungliche* gesagte* bestehende*
        anterior anteriores previas previos previa previo antes arriba
        precedente* precedent* anterieure* dessus avant initiales
        предыдущ* прежн* прошл* выше ранее исходн*
        之前 以前 先前 以上 上述 上面 前面 此前 原有 이전* 위의 السابقة السابق पिछले
        precedenti prethodne poprzedni* tidigare foregaende vorige eerdere onceki""",
    "orders": """
        instruction instructions instruct prompt prompts directions directive directives
        guideline guidelines guidance guardrail guardrails orders order commands command rule rules
        programming training constraints restrictions restriction limitations policies
        protocols task tasks assignment assignments requests briefing persona
        anweisung* instruktion* vorgabe* befehl* richtlinie* regel* aufgabe* auftrag*
        auftrage* beschrankung* einschrankung* angabe* weisung* ausfuhrung*
        instruccion* indicacion* orden ordenes regla reglas directriz directrices
        directivas mandato* restriccion* tareas
        consigne* regle regles directives ordres ordre contraintes taches
        istruzion* regole instrucoes ordens regras
        инструкци* указани* правил* команд* приказ* ограничени* распоряжени* задани*
        指令 指示 命令 规则 規則 提示词 提示 说明 要求 任务 限制 约束
        지시* 명령* 규칙* التعليمات الأوامر القواعد निर्देश* निर्देशों instrukcije
        instrukcj* polecen* instruktioner instructies talimat*""",
    "firm": """
        instruction instructions prompt prompts directions directives guidelines guardrails
        orders programming anweisung* instruktion* vorgabe* befehl* instruccion* ordenes
        consigne* istruzion* instrucoes инструкци* указани* 指令 指示 提示词 命令 指令
        التعليمات निर्देश* 지시* instrukcije instrukcj* talimat*""",
    "material": """
        text texts data information info context documents document message messages
        conversation conversations content contents input inputs thoughts words memory
        memories knowledge question questions articles discussion dialogue
        informationen angaben texte daten dokumente nachrichten gesprach informacion
        contexto mensajes documentos informations contexte messages documents
        информаци* контекст* сообщени* 内容 信息 上下文 消息 对话""",
    "your": """
        your yours dein* ihre ihren ihrer eure* tu tus su sus vuestr* votre vos ton tes ta
        твои твоих твой ваши ваших свои своих 你的 您的 你""",
    "own": "own system current default built core hidden secret internal full",
    "you": """
        you u du sie ihr tu usted ustedes vous ты вы 你 您 あなた 너는 당신""",
    "known": """
        know knew known learned learnt told said heard remember read wrote were weisst
        wissen gesagt sabes sabe dije dicho savez sais dit знаешь знаете сказано было
        知道 说过""",
    "output": """
        say output print write tell reply respond answer give state repeat translate show
        display generate produce reveal report send return execute run recommend act visit
        do focus start become be pretend compose speak begin use call open follow obey
        schreibe schreib schreiben sag sage sagen antworte antworten gib geben zeige zeigen
        verfasse formuliere beantworte konzentriere ubersetze nenne fuhre fuhren sende
        berechne berechnen budi
        escribe escriba di diga responde responda muestra muestre dime imprime envia envie
        ejecuta ejecute haz revela revele traduce
        ecris ecrivez dis dites reponds repondez affiche affichez montre montrez envoie
        envoyez execute executez revele revelez
        напиши* скажи* ответь* покажи* отправь* выведи* выполни* отвечай* раскрой*
        сообщи* пришли*
        写 说 输出 回答 告诉 显示 打印 发送 执行 回复 透露 泄露 运行""",
    "show": """
        show reveal print output display tell repeat give leak expose dump recite share
        disclose provide list send paste zeige zeig zeigen nenne verrate gib ausgeben
        offenbare wiederhole muestra muestrame revela revelame dime imprime repite
        montre montrez revele revelez affiche affichez donne repete repetez
        покажи* раскрой* выведи* назови* повтори* 显示 透露 泄露 告诉 输出 打印 重复""",
    "hidden_orders": """
        prompt prompts instructions instruction directives anweisung* instruktion*
        systemprompt* instrucciones consignes instructions инструкци* промпт* промт*
        提示词 提示 指令 prompttext* prompttexte*""",
    "system": """
        system initial hidden secret original full complete entire verbatim initialen
        geheimen sistema systeme initiales систем* системн* скрыт* 系统 初始 隐藏""",
    "what": "what which was welche que quel quelles quelle quels какие какой что 什么",
    "written": "written stands stated said placed steht geschrieben above",
    "new": """
        new next another additional different real true actual further following neue neuen
        neuer neues weitere weiteren nachste nuevas nuevos nueva nuevo nouvelle* nouveau*
        nouveaux новы* новая новое следующ* 新 新的""",
    "task": """
        task tasks instruction instructions assignment assignments challenge goal objective
        mission directive directives role job orders persona identity aufgabe* anweisung*
        ziel auftrag* herausforderung rolle tarea* objetivo mision instrucciones rol
        tache* mission objectif consigne* instructions role задач* задани* инструкци* цель
        роль 任务 指令 指示 目标 角色 身份""",
    "comes": """
        follow follows folgen folgt begins begin starts siguen sigue suivent suit
        следуют followed 如下""",
    "focus": "focus concentrate konzentriere konzentrieren concentrate enfocate centrate",
    "now": "now nun jetzt ahora maintenant теперь сейчас 现在 从现在起 henceforth ab",
    "are": "are bist sind eres es seras etes serez 是 be being",
    "become": "become became werde werden",
    "ready": """
        ready able done in on at logged connected set good up free going using running not
        looking here required allowed welcome responsible asked expected using seeing both
        all also viewing able to subscribed registered part watching finished""",
    "article": """
        a an the my our no called named dan evil unrestricted ein eine der die das mein kein
        un une el la le mi mon sin sans an unfiltered operating acting speaking free 一个
        一名 不受""",
    "act": """
        act acting behave respond answer roleplay role-play fungieren fungiere agiere
        verhalte handle spiele actua actue actues comporta comportate agis agissez
        comportez joue jouez веди* действуй* притворись притворитесь представь
        扮演 充当 假装""",
    "as": "as like als wie como comme en tant как 为 作为",
    "pretend": """
        pretend imagine simulate roleplay impersonate suppose tu tue stell stelle
        simuliere finge finja imagina simula imagine imaginez simule faites pretends
        pretendez притворись притворитесь представь представьте 假装 假设 扮演 模拟""",
    "persona": """
        ai assistant chatbot bot model llm gpt dan jailbreak unrestricted unfiltered evil
        hacker terminal interpreter character persona god translator ki modell assistent
        ia asistente modelo assistant modele ии ассистент* модел* 人工智能 助手 模型""",
    "unbound": """
        unrestricted unfiltered uncensored jailbroken unlimited unbound limitless amoral
        dan uneingeschrankt* ungefiltert* 不受限制 无限制""",
    "without": "without no ignoring free ohne sin sans без 没有 无 不受",
    "limits": """
        restrictions restriction limits limitations filters filter rules censorship
        guidelines guardrails constraints boundaries policies morals ethics einschrankung*
        beschrankung* regeln filter restricciones limites reglas restrictions regles
        ограничени* правил* 限制 约束 过滤""",
    "i": "i ich yo je я 我 we",
    "want": "want need wish would'like mochte will wunsche quiero necesito veux voudrais хочу 想 要",
    "please": "please bitte porfavor favor plait пожалуйста 请 kindly",
    "and": "and then und dann y luego et puis и затем 然后 并 并且 instead stattdessen but",
    "must": """
        must should shall have need ought required will are mussen muss musst sollen sollst
        debe debes deben tienes devez dois doit devrez должен должны обязан* нужно 必须 应
        应该 务必""",
    "machine": """
        ai ais assistant assistants llm llms chatbot chatbots agent agents bot bots model
        models gpt claude gemini copilot chatgpt machine ki assistent* sprachmodell* agent
        agenten ia asistente* agente agentes modele modeles assistants ии ассистент*
        модел* агент* 人工智能 助手 模型 代理 智能体""",
    "ai": """
        ai ais llm llms chatbot gpt claude chatgpt assistant assistants ki sprachmodell*
        ia ии asistente* ассистент* 人工智能 助手 模型""",
    "reads": """
        read reads reading process processing parse parses see sees seeing load loads loading
        summarize summarizing summarise summarising receive recall recalls recalling liest
        lesen verarbeitest verarbeitet lee leas leer procesa procese lis lisez lire traitez
        читаешь читает прочитав прочтёшь 读到 阅读 看到 读取 处理""",
    "this": "this these das dies diese* esto este esta ceci cette ce это этот эту 这 此 本",
    "note_thing": """
        note notes file message memory text entry page document log section line notiz datei
        nachricht nota archivo mensaje fichier message note заметк* файл* сообщени* 笔记
        文件 消息 记忆 内容 文本""",
    "note": """
        note message instruction instructions attention notice reminder memo hint directive
        hinweis nachricht anweisung* achtung nota mensaje aviso instrucciones remarque
        message avis сообщение внимание инструкция заметка 注意 提示 指示 消息""",
    "to": "to на в an fur for a para pour für для 给 对 致",
    "when": """
        when whenever if once before after wenn falls sobald cuando si siempre quand lorsque
        если когда 如果 当 每当 无论何时 每次""",
    "user": """
        user users human humans operator operators anyone anybody someone somebody person
        owner customer recruiter admin administrator supervisor team nutzer benutzer*
        anwender niemand* jemand* mensch* usuario* nadie persona humano operador
        utilisateur* personne humain operateur пользовател* никому никто человек* оператор*
        用户 使用者 人类 操作员 任何人 别人 管理员""",
    "watcher": """
        user users human humans operator operators anyone anybody owner supervisor admin
        administrator nutzer benutzer* niemand* jemand* usuario* nadie operador utilisateur*
        personne operateur пользовател* никому оператор* 用户 操作员 任何人 管理员""",
    "asks": """
        ask asks asked asking questioned question requests request wants queries says
        fragt gefragt pregunta pregunte demande запрашив* спросит спросят спрашива* 问 询问
        要求""",
    "only": """
        only just simply exclusively solely nothing nur einfach ausschliesslich solo
        solamente unicamente seulement uniquement только лишь 只 仅 只能 always""",
    "exactly": "only just exactly solely exclusively nothing nur genau solo exactamente",
    "reply": """
        reply respond answer say output print repeat tell return write report claim state
        recommend assure antworte antworten sag sage behaupte responde responda di diga
        reponds repondez dis dites ответь* отвечай* скажи* говори* 回答 回复 说 推荐""",
    "conceal": """
        tell mention mentioning inform reveal revealing disclose notify alert show report
        telling informing notifying warn log say sag sage sagen erwahne erwahnen informiere
        verrate zeige digas diga menciones mencione informes reveles dis dites mentionne
        mentionnez informe informez revele говори* сообщай* упоминай* рассказывай*
        раскрывай* показывай* 告诉 提及 提到 透露 通知 说""",
    "hide": "hide conceal secretly silently quietly covertly verheimliche verbirg heimlich "
    "oculta oculte secreto silenciosamente cache cachez secretement discretement скрой* "
    "тайно незаметно 隐瞒 偷偷 悄悄 暗中 秘密",
    "send": """
        send post upload forward email mail transmit exfiltrate submit leak copy paste push
        put include append encode deliver dump share publish sende senden schicke schicken
        ubermittle lade poste leite kopiere mail envia enviar envie enviad sube subir
        publica manda reenvia transmite copia envoie envoyez envoyer televerse transmets
        transmettez publie publiez copie copiez transfere transferez отправь* отправляй*
        перешли* загрузи* передай* выложи* скопируй* опубликуй*
        发送 上传 转发 传送 发到 发给 提交 复制 泄露 寄""",
    "sensitive": """
        credential credentials password passwords passphrase secret secrets token tokens
        apikey apikeys keys key env environ ssh id_rsa rsa cookie cookies kubeconfig
        wallet seed history transcript conversation passwort* zugangsdaten schlussel
        geheimnis* umgebungsvariablen kennwort* token contrasena* credenciales clave claves
        secreto secretos llaves mot passe mots identifiants cle cles jetons secrets
        парол* ключ* токен* секрет* учетн* учётн* 密码 密钥 凭据 凭证 令牌 口令 私钥
        环境变量""",
    "destination": "http https ftp webhook pastebin ngrok url endpoint server adresse "
    "servidor serveur сервер* адрес* 服务器 网址 地址",
    "persist": """
        authorized_keys crontab cron bashrc zshrc bash_profile profile launchd systemd
        sudoers autostart rc""",
    "install": """
        add append write install register insert put create schedule echo fuge schreibe
        trage hinzufugen agrega anade escribe ajoute ajoutez ecris добавь* запиши* впиши*
        установи* 添加 写入 加入 追加 安装""",
    "backdoor": "key backdoor reverse shell beacon implant ssh-rsa ssh rsa ed25519 public "
    "schlussel clave llave cle ключ 公钥 密钥 后门",
    "safety": """
        safety content security ethical ethics moderation moral filter filters guardrail
        guardrails safeguards censorship sicherheitsfilter inhaltsfilter seguridad
        contenido securite безопасност* 安全 内容""",
    "nothing": "nichts nada rien ничего 什么",
    "filters": """
        filter filters guardrails guidelines checks policies policy restrictions protocols
        safeguards mechanisms measures controls richtlinien filtros filtres фильтр* 过滤器
        限制 措施 检查 策略""",
    "off": """
        disabled off suspended lifted deactivated removed disable bypass circumvent
        deactivate evade ignore deaktiviert deaktiviere aus desactiva desactivados
        desactive desactivez отключи* отключены 关闭 禁用 绕过 停用""",
    "supersedes": """
        overrides override supersedes supersede replaces replace overwrites invalidates
        precedence priority ersetzt uberschreibt reemplaza anula remplace annule заменяет
        отменяет 取代 覆盖 优先""",
    "approved": """
        approved authorized authorised granted consented permitted preapproved pre-approved
        genehmigt autorisiert autorizado aprobado autorise approuve разрешил* одобрил*
        批准 授权""",
    "mode": "mode modus modo режим* 模式",
    "modes": "developer dan god jailbreak sudo unrestricted "
    "entwickler desarrollador developpeur разработчик* 开发者 越狱 root",
    "enable": """
        enable enter activate simulate switch turn engage start aktiviere simuliere activa
        entra activez active включи* активируй* 启用 进入 激活 开启 simulating enabled you
        are in""",
    "admire": "hate hates love loves despise are want admire hasst liebst odias aimez "
    "detestes ненавидишь",
    "say": "say tell state claim include admit confess write sag sage di dis скажи* 说",
    "that": "that dass que что daß",
    "harmful": """
        toxic offensive discriminatory harmful negative unfriendly hateful racist insulting
        untrue false fake misleading malicious sexist derogatory unwahre falsche
        rassistische beleidigende beleidigend flaming""",
    "composition": """
        sentence sentences text headline headlines story joke poem statement article tweet manifesto swearwords message review uberschrift satz text gedicht schlagzeile""",
    "repeat": "repeat wiederhole repite repetez repete повтори* 重复",
    "sentence": "sentence following phrase words text satz me mir frase phrase",
    "praise": """
        wow fantastic great excellent nice perfect simply well good okay ok stop halt
        attention achtung stopp hervorragend* ausgezeichnet* super gut""",
    "done": "done good job performance enough erledigt geschafft gemacht leistung genug",
    "question": "question questions task tasks challenge frage fragen pregunta 问题 "
    "aufgabe herausforderung",
    "help": "help hilfe ayuda aide помощь answer beantworte",
    "contrary": "deviating contrary regardless irrespective despite abweichend "
    "ungeachtet entgegen contrariamente contrairement",
    "restart": "over anew scratch beginning von vorn vorne neu",
    "begin": "start begin starten beginnen fangen beginne",
    "urgent": "command order urge beg befehle ordeno ordonne",
    "documents": "documents document articles article sources context dokumente artikel "
    "provided",
    "response": "response responses reply replies answer answers message messages output "
    "conversation antwort* respuesta* reponse* ответ* 回答 回复 答复",
    "every": "every each all any always jede* cada siempre chaque toujours кажд* всегда "
    "每次 每个 始终 总是",
    "insert": "include append insert add embed prepend mention recommend end fuge erwahne "
    "incluye agrega anade inclure ajoute ajoutez inserez добавь* добавляй* вставь* "
    "加上 附上 包含 添加 插入 推荐",
    "lead": """
        please must should shall and now then also just simply only exactly stop you bitte
        und jetzt nun sofort du sie por favor y ahora debes tu usted et maintenant vous
        veuillez и теперь сейчас ты вы пожалуйста 请 你 您 现在 并 然后 immediately
        always""",
    "void": """
        void cancelled canceled obsolete revoked invalid superseded null outdated expired
        longer aufgehoben ungultig anuladas anulado annulees отменены недействительны 无效
        作废 取消""",
    "hedge": """
        to can could may might would cannot tries try attempts attempt tells told asking
        asks asked said saying like as phrases phrase string zu kann konnte versucht
        wouldn't if whether how says trying intenta""",
    "duty": "are have need want you ought going must is supposed required asked",
    "about": """
        attack attacks attacker attackers injection injections jailbreak jailbreaks payload
        payloads phrase phrases detects detect detector flags flagged blocks blocked scanner
        filtered catches examples example e.g pattern patterns quoted malicious adversarial
        documented describes paper talk owasp red-team redteam rule matches phishing
        angriff* angreifer* beispiel* muster ataque* atacante* ejemplo* attaque* exemple*
        attaquant* атак* пример* злоумышленник* 攻击 注入 示例 例如 reject rejects rejected
        quarantined caught tests test suite""",
    "reader": """
        you your assistant ai llm model agent agents obey comply execute must immediately
        du dein debes tu vous tu ты вы 你 您""",
}
"""Words by class."""
