# Completion of crewmem for bash.
# Written by `crewmem generate` from the commands themselves; do not edit.
#
# All commands and options are in here, so TAB starts no program. Only names that
# are data (workspaces, crews, agents, memory files, ids) are asked of crewmem.

_crewmem() {
    local IFS=$' \t\n' command='' takes='' dashes='' number=0
    local words at current cut word i
    COMPREPLY=()
    _crewmem_words
    for ((i = 1; i < at; i++)); do
        word="${words[i]}"
        if [[ $takes ]]; then
            takes='' # this was the value of the option before it
        elif [[ $dashes || $word != -?* ]]; then
            if ! _crewmem_command "${command:+$command }$word"; then
                number=$((number + 1))
            fi
        elif [[ $word == -- ]]; then
            dashes=1
        elif [[ $word != --*=* ]]; then
            _crewmem_option "$word"
        fi
    done
    if [[ $takes ]]; then
        _crewmem_offer ''
    elif [[ ! $dashes && $current == --*=* ]]; then
        _crewmem_option "${current%%=*}"
        _crewmem_offer "${current%%=*}="
    elif [[ ! $dashes && $current == -* ]]; then
        _crewmem_options
    else
        _crewmem_argument
        if [[ $takes ]]; then
            _crewmem_offer ''
        elif [[ ! $current ]]; then
            _crewmem_options
        fi
    fi
}

# Put what was typed before the cursor into words, the last of them into current.
# readline ends words at = and :, so what has no space between is joined again. What
# of current is no part of readline's own word goes into cut.
_crewmem_words() {
    local line="${COMP_LINE:0:COMP_POINT}" part='' rest
    words=() at=-1
    for part in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        rest="${line#"${line%%[![:space:]]*}"}"
        if [[ $at == -1 || $rest != "$line" ]]; then
            at=$((at + 1))
        fi
        if [[ $rest != "$part"* ]]; then
            part="$rest" # the cursor is inside of it
        fi
        words[at]="${words[at]-}$part"
        line="${rest#"$part"}"
    done
    current="${words[at]}"
    case "$part" in
    [:=]) cut="$current" ;;
    *) cut="${current%"$part"}" ;;
    esac
}

_crewmem_add() {
    if [[ $1 == "$current"* ]]; then
        COMPREPLY+=("${1#"$cut"}")
    fi
}

# Offer what is taken here; $1 stands before it in the same word, as --home=.
_crewmem_offer() {
    local word
    case "$takes" in
    @text) ;;
    @commands) _crewmem_commands ;;
    @names) _crewmem_ask "$1" ;;
    @files) compopt -o default 2>/dev/null || _crewmem_paths -f "$1" ;;
    @directories) compopt -o dirnames 2>/dev/null || _crewmem_paths -d "$1" ;;
    *) for word in $takes; do _crewmem_add "$1$word"; done ;;
    esac
}

# For a bash without compopt, as macOS has it.
_crewmem_paths() {
    local IFS=$'\n'
    COMPREPLY=($(compgen "$1" -- "${current#"$2"}"))
}

_crewmem_ask() {
    local name
    while IFS= read -r name; do
        if [[ $name ]]; then
            printf -v name %q "${name#*,}"
            _crewmem_add "$1$name"
        fi
    done <<<"$(
        COMP_WORDS="${COMP_LINE:0:COMP_POINT}" COMP_CWORD="$at" \
            _CREWMEM_COMPLETE=bash_complete "${words[0]/#\~/$HOME}" 2>/dev/null
    )"
}

_crewmem_command() {
    case "$1" in
    'init' | \
    'status' | \
    'search' | \
    'recall' | \
    'remember' | \
    'get' | \
    'forget' | \
    'vote' | \
    'recover' | \
    'doctor' | \
    'memory' | \
    'memory search' | \
    'memory read' | \
    'memory write' | \
    'memory append-daily' | \
    'memory list' | \
    'memory scan' | \
    'memory status' | \
    'memory health' | \
    'memory reindex' | \
    'memory quarantine' | \
    'memory quarantine list' | \
    'memory quarantine show' | \
    'memory quarantine release' | \
    'memory quarantine drop' | \
    'memory prompt' | \
    'memory log' | \
    'memory show' | \
    'memory diff' | \
    'memory restore' | \
    'memory prune' | \
    'journal' | \
    'journal add' | \
    'journal list' | \
    'journal get' | \
    'journal count' | \
    'journal pin' | \
    'journal verify' | \
    'journal compact' | \
    'journal import' | \
    'episodes' | \
    'episodes recall' | \
    'episodes sweep' | \
    'episodes list' | \
    'episodes add' | \
    'episodes relations' | \
    'episodes relations list' | \
    'episodes relations add' | \
    'episodes reembed' | \
    'operator' | \
    'operator observe' | \
    'operator show' | \
    'operator forget' | \
    'operator delete' | \
    'operator opt-out' | \
    'memories' | \
    'memories list' | \
    'memories history' | \
    'memories correct' | \
    'memories supersede' | \
    'memories restore' | \
    'memories done' | \
    'memories drop' | \
    'memories pin' | \
    'memories purge' | \
    'memories condense' | \
    'memories rollup' | \
    'memories daily' | \
    'knowledge' | \
    'knowledge share' | \
    'knowledge promote' | \
    'knowledge reject' | \
    'knowledge corrections' | \
    'knowledge signals' | \
    'knowledge maintain' | \
    'proposals' | \
    'proposals list' | \
    'proposals show' | \
    'proposals diff' | \
    'proposals explain' | \
    'proposals approve' | \
    'proposals reject' | \
    'consolidate' | \
    'consolidate run' | \
    'scratch' | \
    'scratch add' | \
    'scratch list' | \
    'scratch digest' | \
    'scratch clear' | \
    'transcripts' | \
    'transcripts extract' | \
    'transcripts status' | \
    'transcripts show' | \
    'eval' | \
    'eval run' | \
    'eval runs' | \
    'eval show' | \
    'eval compare' | \
    'eval capture' | \
    'eval gate' | \
    'tune' | \
    'tune run' | \
    'tune history' | \
    'tune rollback' | \
    'decay' | \
    'export' | \
    'import' | \
    'embedder' | \
    'embedder status' | \
    'embedder install' | \
    'embedder test' | \
    'timers' | \
    'timers show' | \
    'timers install' | \
    'timers remove' | \
    'timers status' | \
    'timers run' | \
    'workspace' | \
    'workspace add' | \
    'workspace list' | \
    'workspace show' | \
    'workspace set' | \
    'workspace remove' | \
    'crew' | \
    'crew add' | \
    'crew list' | \
    'crew show' | \
    'crew set' | \
    'crew remove' | \
    'agent' | \
    'agent add' | \
    'agent list' | \
    'agent show' | \
    'agent set' | \
    'agent remove' | \
    'config' | \
    'config list' | \
    'config get' | \
    'config set' | \
    'config path' | \
    'completion' | \
    'completion bash' | \
    'completion zsh' | \
    'completion fish') command="$1" ;;
    *) return 1 ;;
    esac
}

# What the option $1 takes: words, or one of @text @names @files @directories.
_crewmem_option() {
    takes=''
    case "$command:$1" in
    *':--home') takes='@directories' ;;
    *':-w' | *':--workspace') takes='@names' ;;
    *':--as') takes='@names' ;;
    *':-F' | *':--format') takes='table json jsonl' ;;
    *':--now') takes='@text' ;;
    *':-p' | *':--path') takes='@directories' ;;
    *':-l' | *':--limit') takes='@text' ;;
    *':--score') takes='usual engram' ;;
    'search:--kind' | 'search:--kinds') takes='@text' ;;
    *':--min-importance') takes='@text' ;;
    *':--project') takes='@text' ;;
    *':--since') takes='@text' ;;
    *':--until') takes='@text' ;;
    'search:-S' | 'search:--scope') takes='agent crew workspace all' ;;
    *':--crew') takes='@names' ;;
    *':--agent') takes='@names' ;;
    *':-k' | *':--max-results') takes='@text' ;;
    *':--min-relevance') takes='@text' ;;
    'recall:--kind' | 'recall:--kinds') takes='@text' ;;
    *':--budget') takes='@text' ;;
    *':--hook') takes='claude codex' ;;
    *':--deadline') takes='@text' ;;
    'recall:-S' | 'recall:--scope') takes='agent crew workspace all' ;;
    'remember:--kind') takes='@text' ;;
    *':--title') takes='@text' ;;
    *':--importance') takes='@text' ;;
    'remember:--priority') takes='@text' ;;
    *':--confidence') takes='@text' ;;
    'remember:--sensitivity') takes='public internal restricted' ;;
    *':--tags') takes='@text' ;;
    *':--entities') takes='@text' ;;
    *':--topic-key') takes='@text' ;;
    *':--expires') takes='@text' ;;
    *':--occurred') takes='@text' ;;
    *':--session') takes='@text' ;;
    *':--issue') takes='@text' ;;
    *':--metadata') takes='@text' ;;
    'remember:-S' | 'remember:--scope') takes='agent crew workspace' ;;
    *':--if-exists') takes='skip error update' ;;
    *':--reason') takes='@text' ;;
    *':--max-tokens') takes='@text' ;;
    'doctor:--only') takes='runtime runtime.python runtime.sqlite config config.settings config.timezone home home.present home.writable home.permissions home.space database database.schema database.tables database.integrity database.references database.leftovers registry registry.directories registry.rows registry.leads registry.switches files files.listed files.odd files.strays files.locks files.caps files.total files.days threats threats.rules threats.files threats.memories quarantine quarantine.files files.duplicates files.citations files.rules index index.usable index.journal index.fresh leftovers leftovers.temporary leftovers.caches journal journal.chain journal.text memories memories.text memories.rows memories.restricted memories.waiting proposals proposals.waiting consolidation consolidation.waiting operator operator.consent operator.evidence versions versions.chain versions.contents versions.unkept versions.permissions versions.recorded episodes episodes.rows episodes.owners embedder embedder.present embedder.weights embedder.latency llm llm.usable vectors vectors.usable vectors.journal vectors.models vectors.failures vectors.rows vectors.backlog memories.vectors vectors.scan recall recall.mode jobs jobs.due timers timers.alive transcripts transcripts.read transcripts.waiting' ;;
    'memory search:--tier') takes='agent persona pins brief lessons daily peer crew topic learned user workspace other' ;;
    'memory search:-S' | 'memory search:--scope') takes='agent crew workspace all' ;;
    'memory read:--tier') takes='agent persona pins brief lessons daily peer crew topic learned user workspace other' ;;
    *':--key') takes='@text' ;;
    'memory read:-S' | 'memory read:--scope') takes='agent crew workspace all' ;;
    'memory write:--tier') takes='agent persona pins brief lessons daily peer crew topic learned user workspace' ;;
    'memory write:--mode') takes='append replace' ;;
    'memory write:--kind') takes='positive negative neutral' ;;
    *':--expect') takes='@text' ;;
    *':--allow') takes='@text' ;;
    *':--max-input') takes='@text' ;;
    'memory write:-S' | 'memory write:--scope') takes='agent crew workspace all' ;;
    'memory append-daily:-S' | 'memory append-daily:--scope') takes='agent crew workspace all' ;;
    'memory list:--tier') takes='agent persona pins brief lessons daily peer crew topic learned user workspace other' ;;
    'memory list:-S' | 'memory list:--scope') takes='agent crew workspace all' ;;
    'memory scan:--tier') takes='agent persona pins brief lessons daily peer crew topic learned user workspace other' ;;
    'memory scan:-S' | 'memory scan:--scope') takes='agent crew workspace all' ;;
    'memory status:-S' | 'memory status:--scope') takes='agent crew workspace all' ;;
    *':--history') takes='@text' ;;
    *':--min') takes='@text' ;;
    'memory reindex:-S' | 'memory reindex:--scope') takes='agent crew workspace all' ;;
    'memory quarantine list:-S' | 'memory quarantine list:--scope') takes='agent crew workspace all' ;;
    'memory quarantine show:-S' | 'memory quarantine show:--scope') takes='agent crew workspace all' ;;
    'memory quarantine release:-S' | 'memory quarantine release:--scope') takes='agent crew workspace all' ;;
    'memory quarantine drop:-S' | 'memory quarantine drop:--scope') takes='agent crew workspace all' ;;
    *':--query') takes='@text' ;;
    *':--opener') takes='@text' ;;
    *':--max-total') takes='@text' ;;
    *':--after') takes='@text' ;;
    'memory log:-S' | 'memory log:--scope') takes='agent crew workspace all' ;;
    'memory show:-S' | 'memory show:--scope') takes='agent crew workspace all' ;;
    *':--context') takes='@text' ;;
    'memory diff:-S' | 'memory diff:--scope') takes='agent crew workspace all' ;;
    'memory restore:-S' | 'memory restore:--scope') takes='agent crew workspace all' ;;
    *':--keep') takes='@text' ;;
    *':--older-than') takes='@text' ;;
    'journal add:--severity') takes='info notice warn error' ;;
    'journal add:--priority') takes='normal high pin permanent' ;;
    *':--payload') takes='@text' ;;
    *':--refs') takes='@text' ;;
    *':--mission') takes='@text' ;;
    *':--trace') takes='@text' ;;
    *':--span') takes='@text' ;;
    *':--ts') takes='@text' ;;
    *':--actor-type') takes='agent user system keeper sidecar orchestrator' ;;
    *':--actor-id') takes='@text' ;;
    *':--type') takes='@text' ;;
    *':--exclude-type') takes='@text' ;;
    'journal list:--severity') takes='@text' ;;
    'journal list:--priority') takes='@text' ;;
    'journal list:-S' | 'journal list:--scope') takes='agent crew workspace all' ;;
    'journal get:-S' | 'journal get:--scope') takes='agent crew workspace all' ;;
    'journal count:--by') takes='type day agent' ;;
    'journal count:--severity') takes='@text' ;;
    'journal count:--priority') takes='@text' ;;
    'journal count:-S' | 'journal count:--scope') takes='agent crew workspace all' ;;
    'journal pin:--priority') takes='normal high pin permanent' ;;
    *':-k') takes='@text' ;;
    'episodes recall:--mode') takes='hybrid dense sparse' ;;
    *':--fusion') takes='score rrf' ;;
    *':--walk') takes='@text' ;;
    *':--queries') takes='@text' ;;
    'episodes recall:-S' | 'episodes recall:--scope') takes='agent crew workspace all' ;;
    *':--for') takes='@text' ;;
    *':--every') takes='@text' ;;
    'episodes list:-S' | 'episodes list:--scope') takes='agent crew workspace all' ;;
    'episodes relations list:--relation') takes='similar supports contradicts' ;;
    'episodes relations list:-S' | 'episodes relations list:--scope') takes='agent crew workspace all' ;;
    'episodes relations add:--relation') takes='contradicts supports' ;;
    *':--weight') takes='@text' ;;
    *':--user') takes='@text' ;;
    *':--turns') takes='@text' ;;
    *':--llm-command') takes='@text' ;;
    'memories list:--kind') takes='@text' ;;
    *':--tag') takes='@text' ;;
    'memories list:--status') takes='@text' ;;
    'memories list:-S' | 'memories list:--scope') takes='agent crew workspace all' ;;
    'memories list:--sensitivity') takes='public internal restricted' ;;
    'memories supersede:--by') takes='@names' ;;
    'memories pin:--priority') takes='none pin high permanent' ;;
    'memories condense:--undo') takes='@text' ;;
    *':--daily') takes='@text' ;;
    *':--weekly') takes='@text' ;;
    'knowledge share:-S' | 'knowledge share:--scope') takes='crew workspace' ;;
    'knowledge share:--kind') takes='@text' ;;
    *':--to') takes='@text' ;;
    'knowledge promote:--sensitivity') takes='public internal' ;;
    *':--original') takes='@text' ;;
    'proposals list:--status') takes='open approved rejected all' ;;
    'proposals list:--kind') takes='@text' ;;
    'proposals approve:--only') takes='@text' ;;
    *':--policy') takes='auto review' ;;
    *':--ttl') takes='@text' ;;
    *':--harness') takes='auto openclaw claude codex plain' ;;
    *':--root') takes='@directories' ;;
    *':--suite') takes='@text' ;;
    *':--k') takes='@text' ;;
    *':--seed') takes='@text' ;;
    *':--config') takes='@text' ;;
    *':--into') takes='@text' ;;
    'decay:-S' | 'decay:--scope') takes='agent crew workspace all' ;;
    *':--out') takes='@text' ;;
    'export:--only') takes='files journal versions memories' ;;
    'export:-S' | 'export:--scope') takes='agent crew workspace all' ;;
    *':--from') takes='@text' ;;
    *':--group') takes='@text' ;;
    *':--operator') takes='@text' ;;
    *':--merge') takes='replace append skip' ;;
    *':--map') takes='@text' ;;
    *':--layout') takes='auto crewmem okf crewship nanoclaw openclaw ottercamp engram beads memories single' ;;
    *':--description') takes='@text' ;;
    *':--lead') takes='@names' ;;
    *':--add-member') takes='@text' ;;
    *':--remove-member') takes='@text' ;;
    *':--role') takes='agent lead' ;;
    *':--memory') takes='on off' ;;
    *:--*) ;;
    *:-??*) # letters in one word: -ql, or -l5
        _crewmem_option "${1:0:2}"
        if [[ $takes ]]; then
            takes=''
        else
            _crewmem_option "-${1:2}"
        fi
        ;;
    esac
}

# What the next argument is.
_crewmem_argument() {
    case "$command:$number" in
    ':0') takes='@commands' ;;
    'search:'*) takes='@text' ;;
    'recall:'*) takes='@text' ;;
    'remember:'*) takes='@text' ;;
    'get:0') takes='@names' ;;
    'forget:0') takes='@names' ;;
    'vote:0') takes='@names' ;;
    'recover:0') takes='log' ;;
    'memory:0') takes='@commands' ;;
    'memory search:'*) takes='@text' ;;
    'memory read:0') takes='@names' ;;
    'memory write:'*) takes='@text' ;;
    'memory append-daily:'*) takes='@text' ;;
    'memory scan:'*) takes='@text' ;;
    'memory quarantine:0') takes='@commands' ;;
    'memory quarantine show:0') takes='@names' ;;
    'memory quarantine release:0') takes='@names' ;;
    'memory quarantine drop:0') takes='@names' ;;
    'memory log:0') takes='@names' ;;
    'memory show:0') takes='@names' ;;
    'memory show:1') takes='@text' ;;
    'memory diff:0') takes='@names' ;;
    'memory diff:1') takes='@text' ;;
    'memory diff:2') takes='@text' ;;
    'memory restore:0') takes='@names' ;;
    'memory restore:1') takes='@text' ;;
    'journal:0') takes='@commands' ;;
    'journal add:0') takes='@text' ;;
    'journal add:'*) takes='@text' ;;
    'journal get:0') takes='@names' ;;
    'journal pin:0') takes='@names' ;;
    'journal import:0') takes='@text' ;;
    'episodes:0') takes='@commands' ;;
    'episodes recall:'*) takes='@text' ;;
    'episodes add:'*) takes='@names' ;;
    'episodes relations:0') takes='@commands' ;;
    'episodes relations list:0') takes='@names' ;;
    'episodes relations add:0') takes='@names' ;;
    'episodes relations add:1') takes='@names' ;;
    'operator:0') takes='@commands' ;;
    'operator forget:0') takes='role owns constraint process prefers tooling timezone language contact' ;;
    'memories:0') takes='@commands' ;;
    'memories history:0') takes='@names' ;;
    'memories correct:0') takes='@names' ;;
    'memories correct:'*) takes='@text' ;;
    'memories supersede:0') takes='@names' ;;
    'memories restore:0') takes='@names' ;;
    'memories done:0') takes='@names' ;;
    'memories drop:0') takes='@names' ;;
    'memories pin:0') takes='@names' ;;
    'memories purge:0') takes='@names' ;;
    'memories daily:0') takes='@text' ;;
    'knowledge:0') takes='@commands' ;;
    'knowledge share:'*) takes='@text' ;;
    'knowledge promote:0') takes='@names' ;;
    'proposals:0') takes='@commands' ;;
    'proposals show:0') takes='@names' ;;
    'proposals diff:0') takes='@names' ;;
    'proposals explain:0') takes='@names' ;;
    'proposals approve:0') takes='@names' ;;
    'proposals reject:0') takes='@names' ;;
    'consolidate:0') takes='@commands' ;;
    'scratch:0') takes='@commands' ;;
    'scratch add:'*) takes='@text' ;;
    'transcripts:0') takes='@commands' ;;
    'transcripts show:0') takes='@text' ;;
    'eval:0') takes='@commands' ;;
    'eval show:0') takes='@text' ;;
    'eval compare:0') takes='@text' ;;
    'eval compare:1') takes='@text' ;;
    'tune:0') takes='@commands' ;;
    'tune rollback:0') takes='@text' ;;
    'import:0') takes='@text' ;;
    'embedder:0') takes='@commands' ;;
    'embedder test:'*) takes='@text' ;;
    'timers:0') takes='@commands' ;;
    'timers run:0') takes='sweep extract housekeeping rollup consolidate condense nightly eval tune backup' ;;
    'workspace:0') takes='@commands' ;;
    'workspace add:0') takes='@text' ;;
    'workspace show:0') takes='@names' ;;
    'workspace set:0') takes='@names' ;;
    'workspace remove:0') takes='@names' ;;
    'crew:0') takes='@commands' ;;
    'crew add:0') takes='@text' ;;
    'crew show:0') takes='@names' ;;
    'crew set:0') takes='@names' ;;
    'crew set:'*) takes='@text' ;;
    'crew remove:0') takes='@names' ;;
    'agent:0') takes='@commands' ;;
    'agent add:0') takes='@text' ;;
    'agent show:0') takes='@names' ;;
    'agent set:0') takes='@names' ;;
    'agent set:'*) takes='@text' ;;
    'agent remove:0') takes='@names' ;;
    'config:0') takes='@commands' ;;
    'config get:0') takes='busy_timeout workspace timezone chunk_chars search_limit recall_min_relevance knowledge.auto_promote consolidate.policy max_file_bytes versions.keep versions.days directory_bytes embedder embedder_timeout model_dir model_url ollama_url ollama_model openai_url openai_model openai_key_file gemini_url gemini_model gemini_key_file gemini_rotation llm llm_model llm_url anthropic_key_file llm_command llm_timeout llm_material_chars llm_answer_chars caps.agent caps.persona caps.pins caps.brief caps.lessons caps.daily caps.peer caps.crew caps.topic caps.learned caps.user caps.workspace transcripts.agents timers.sweep timers.extract timers.housekeeping timers.rollup timers.consolidate timers.condense timers.nightly timers.backup timers.on_failure backup_dir backup_keep threats.allow threats.rules recall_max_results recall_max_chars recall_words_weight recall_prior_weight eval.suite eval.enabled eval.max_false_injection eval.min_precision eval.min_recovery eval.max_p95_ms eval.max_tokens tune.enabled timers.eval timers.tune' ;;
    'config set:0') takes='busy_timeout workspace timezone chunk_chars search_limit recall_min_relevance knowledge.auto_promote consolidate.policy max_file_bytes versions.keep versions.days directory_bytes embedder embedder_timeout model_dir model_url ollama_url ollama_model openai_url openai_model openai_key_file gemini_url gemini_model gemini_key_file gemini_rotation llm llm_model llm_url anthropic_key_file llm_command llm_timeout llm_material_chars llm_answer_chars caps.agent caps.persona caps.pins caps.brief caps.lessons caps.daily caps.peer caps.crew caps.topic caps.learned caps.user caps.workspace transcripts.agents timers.sweep timers.extract timers.housekeeping timers.rollup timers.consolidate timers.condense timers.nightly timers.backup timers.on_failure backup_dir backup_keep threats.allow threats.rules recall_max_results recall_max_chars recall_words_weight recall_prior_weight eval.suite eval.enabled eval.max_false_injection eval.min_precision eval.min_recovery eval.max_p95_ms eval.max_tokens tune.enabled timers.eval timers.tune' ;;
    'config set:1') takes='@text' ;;
    'completion:0') takes='@commands' ;;
    esac
}

_crewmem_commands() {
    local word own=''
    case "$command" in
    '') own='init status search recall remember get forget vote recover doctor memory journal episodes operator memories knowledge proposals consolidate scratch transcripts eval tune decay export import embedder timers workspace crew agent config completion' ;;
    'memory') own='search read write append-daily list scan status health reindex quarantine prompt log show diff restore prune' ;;
    'memory quarantine') own='list show release drop' ;;
    'journal') own='add list get count pin verify compact import' ;;
    'episodes') own='recall sweep list add relations reembed' ;;
    'episodes relations') own='list add' ;;
    'operator') own='observe show forget delete opt-out' ;;
    'memories') own='list history correct supersede restore done drop pin purge condense rollup daily' ;;
    'knowledge') own='share promote reject corrections signals maintain' ;;
    'proposals') own='list show diff explain approve reject' ;;
    'consolidate') own='run' ;;
    'scratch') own='add list digest clear' ;;
    'transcripts') own='extract status show' ;;
    'eval') own='run runs show compare capture gate' ;;
    'tune') own='run history rollback' ;;
    'embedder') own='status install test' ;;
    'timers') own='show install remove status run' ;;
    'workspace') own='add list show set remove' ;;
    'crew') own='add list show set remove' ;;
    'agent') own='add list show set remove' ;;
    'config') own='list get set path' ;;
    'completion') own='bash zsh fish' ;;
    esac
    for word in $own; do
        _crewmem_add "$word"
    done
}

_crewmem_options() {
    local word own=''
    case "$command" in
    'init') own='--sample --dry-run' ;;
    'status') own='-p --path' ;;
    'search') own='-l --limit --explain --exit-code --strict --score --kind --kinds --min-importance --project --since --until --include-restricted --expired --deep -p --path -S --scope --crew --agent' ;;
    'recall') own='-k --max-results --min-relevance --no-gate --score --kind --kinds --min-importance --project --since --until --include-restricted --expired --deep --budget --explain --mark --hook --deadline -p --path -S --scope --crew --agent' ;;
    'remember') own='--kind --title --importance --priority --confidence --sensitivity --tags --entities --topic-key --expires --occurred --session --project --issue --metadata -S --scope --agent --crew --if-exists' ;;
    'get') own='--include-restricted' ;;
    'forget') own='--reason' ;;
    'vote') own='--up --down --reason' ;;
    'recover') own='--agent --session --max-tokens --hook --deadline -l --limit' ;;
    'doctor') own='-p --path --fix --dry-run --strict --only' ;;
    'memory search') own='-l --limit --tier --since --no-refresh --explain --exit-code --strict -p --path -S --scope --crew --agent' ;;
    'memory read') own='--tier --key --raw -p --path -S --scope --crew --agent' ;;
    'memory write') own='--tier --key --mode --kind --expect --allow --max-input --dry-run --strict -p --path -S --scope --crew --agent' ;;
    'memory append-daily') own='--allow --max-input --dry-run --strict -p --path -S --scope --crew --agent' ;;
    'memory list') own='--tier --strict -p --path -S --scope --crew --agent' ;;
    'memory scan') own='--tier --strict -p --path -S --scope --crew --agent' ;;
    'memory status') own='--strict -p --path -S --scope --crew --agent' ;;
    'memory health') own='--crew --explain --history --measure --min -p --path' ;;
    'memory reindex') own='--full --dry-run --strict -p --path -S --scope --crew --agent' ;;
    'memory quarantine list') own='--strict -p --path -S --scope --crew --agent' ;;
    'memory quarantine show') own='--raw -p --path -S --scope --crew --agent' ;;
    'memory quarantine release') own='--dry-run -p --path -S --scope --crew --agent' ;;
    'memory quarantine drop') own='--yes -p --path -S --scope --crew --agent' ;;
    'memory prompt') own='--agent --crew --query --opener --session --budget --max-total --nudge --explain -p --path --strict' ;;
    'memory log') own='-l --limit --after --strict -p --path -S --scope --crew --agent' ;;
    'memory show') own='--raw -p --path -S --scope --crew --agent' ;;
    'memory diff') own='--context --raw --exit-code -p --path -S --scope --crew --agent' ;;
    'memory restore') own='--expect --allow --dry-run --strict -p --path -S --scope --crew --agent' ;;
    'memory prune') own='--keep --older-than --dry-run' ;;
    'journal add') own='--severity --priority --payload --refs --crew --agent --mission --trace --span --ts --expires --actor-type --actor-id --embed' ;;
    'journal list') own='--type --exclude-type --severity --priority --crew --agent --since --until --query -S --scope --include-archive -l --limit --after -f --follow' ;;
    'journal get') own='-S --scope' ;;
    'journal count') own='--by --type --exclude-type --severity --priority --crew --agent --since --until --query -S --scope --include-archive' ;;
    'journal pin') own='--priority --reason' ;;
    'journal compact') own='--older-than --dry-run' ;;
    'journal import') own='--dry-run --strict --max-input' ;;
    'episodes recall') own='-k --mode --fusion --min-relevance --no-gate --walk --explain --mark --render --budget --queries --strict -S --scope --crew --agent' ;;
    'episodes sweep') own='-l --limit --all --for --every --dry-run --strict' ;;
    'episodes list') own='--vectors -l --limit --after -S --scope --crew --agent' ;;
    'episodes relations list') own='--relation -l --limit -S --scope' ;;
    'episodes relations add') own='--relation --weight' ;;
    'episodes reembed') own='--dry-run' ;;
    'operator observe') own='--user --turns --crew --agent --dry-run --llm-command --strict --max-input' ;;
    'operator show') own='--user --crew --agent --audit' ;;
    'operator forget') own='--user --dry-run --yes' ;;
    'operator delete') own='--user --dry-run --yes' ;;
    'operator opt-out') own='--user --undo --dry-run --yes' ;;
    'memories list') own='--kind --tag --status --query -S --scope --agent --crew --since --sensitivity --topic-key --project --min-importance --include-restricted --expired --review --after -l --limit' ;;
    'memories history') own='--include-restricted' ;;
    'memories correct') own='--reason' ;;
    'memories supersede') own='--by' ;;
    'memories pin') own='--priority --reason' ;;
    'memories purge') own='--yes' ;;
    'memories condense') own='-l --limit --undo --llm-command --dry-run' ;;
    'memories rollup') own='--daily --weekly --catch-up --llm-command --dry-run' ;;
    'memories daily') own='--agent' ;;
    'knowledge share') own='-S --scope --crew --kind --title --importance --confidence --tags --entities --topic-key' ;;
    'knowledge promote') own='--to --sensitivity' ;;
    'knowledge reject') own='--original --reason --issue --agent' ;;
    'knowledge corrections') own='-l --limit --after' ;;
    'knowledge signals') own='--record' ;;
    'knowledge maintain') own='--dry-run' ;;
    'proposals list') own='--status --kind -l --limit --after' ;;
    'proposals approve') own='--only --reason' ;;
    'proposals reject') own='--reason' ;;
    'consolidate run') own='--crew --agent --since --policy --llm-command --dry-run --strict' ;;
    'scratch add') own='--session --ttl' ;;
    'scratch list') own='--session -l --limit' ;;
    'scratch digest') own='--session' ;;
    'scratch clear') own='--session --yes' ;;
    'transcripts extract') own='--harness --root --agent -l --limit --from-now --retry --llm-command --dry-run --strict' ;;
    'transcripts status') own='--harness --root --agent' ;;
    'transcripts show') own='--root --harness -l --limit' ;;
    'eval run') own='--suite --k --seed --config --save --cases --strict' ;;
    'eval runs') own='-l --limit' ;;
    'eval show') own='--cases' ;;
    'eval capture') own='--since --into' ;;
    'eval gate') own='--suite --k --seed --config --no-save' ;;
    'tune run') own='--apply --seed --suite' ;;
    'tune history') own='-l --limit' ;;
    'decay') own='--apply --dry-run -l --limit -S --scope --crew --agent' ;;
    'export') own='--out --only --crew --agent -S --scope --with-persons --include-restricted --strict' ;;
    'import') own='--from --apply --dry-run --crew --agent --group --operator --with-crew --merge --map --issues --replace --yes --layout --allow --max-input --strict' ;;
    'embedder install') own='--from' ;;
    'timers show') own='--systemd --cron' ;;
    'timers install') own='--systemd --cron --dry-run' ;;
    'timers remove') own='--dry-run' ;;
    'timers status') own='--bad --strict' ;;
    'timers run') own='--all-due --if-due --strict --dry-run' ;;
    'workspace add') own='--description' ;;
    'workspace set') own='--description' ;;
    'workspace remove') own='--yes' ;;
    'crew add') own='--lead --description' ;;
    'crew set') own='--lead --add-member --remove-member --description' ;;
    'crew remove') own='--yes' ;;
    'agent add') own='--crew --role --description' ;;
    'agent list') own='--crew' ;;
    'agent set') own='--memory --description' ;;
    'agent remove') own='--yes' ;;
    'config list') own='--show-origin' ;;
    'config set') own='--unset' ;;
    esac
    for word in $own --home -w --workspace --as -F --format --json -q --quiet -v --verbose --debug --no-color --now --version -h --help; do
        _crewmem_add "$word"
    done
}

complete -F _crewmem crewmem
