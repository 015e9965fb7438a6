# Completion of crewmem for bash.
# Written by `crewmem generate` from the commands themselves; do not edit.
#
# All commands and options are in here, so TAB starts no program. Only names that
# are data (workspaces, crews, agents, memory files) are asked of crewmem itself.

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
    'doctor' | \
    'memory' | \
    'memory search' | \
    'memory read' | \
    'memory list' | \
    'memory scan' | \
    'memory status' | \
    'memory reindex' | \
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
    'decay' | \
    'embedder' | \
    'embedder status' | \
    'embedder install' | \
    'embedder test' | \
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
    *':-S' | *':--scope') takes='agent crew workspace all' ;;
    *':--crew') takes='@names' ;;
    *':--agent') takes='@names' ;;
    *':--only') takes='@text' ;;
    *':--tier') takes='agent persona pins brief lessons daily peer crew topic learned user workspace other' ;;
    *':--since') takes='@text' ;;
    *':--key') takes='@text' ;;
    'journal add:--severity') takes='info notice warn error' ;;
    'journal add:--priority') takes='normal high pin permanent' ;;
    *':--payload') takes='@text' ;;
    *':--refs') takes='@text' ;;
    *':--mission') takes='@text' ;;
    *':--trace') takes='@text' ;;
    *':--span') takes='@text' ;;
    *':--ts') takes='@text' ;;
    *':--expires') takes='@text' ;;
    *':--actor-type') takes='agent user system keeper sidecar orchestrator' ;;
    *':--actor-id') takes='@text' ;;
    *':--type') takes='@text' ;;
    *':--exclude-type') takes='@text' ;;
    'journal list:--severity') takes='@text' ;;
    'journal list:--priority') takes='@text' ;;
    *':--until') takes='@text' ;;
    *':--query') takes='@text' ;;
    *':--after') takes='@text' ;;
    *':--by') takes='type day agent' ;;
    'journal count:--severity') takes='@text' ;;
    'journal count:--priority') takes='@text' ;;
    'journal pin:--priority') takes='normal high pin permanent' ;;
    *':--reason') takes='@text' ;;
    *':--older-than') takes='@text' ;;
    *':--max-input') takes='@text' ;;
    *':-k') takes='@text' ;;
    *':--mode') takes='hybrid dense sparse' ;;
    *':--fusion') takes='score rrf' ;;
    *':--min-relevance') takes='@text' ;;
    *':--walk') takes='@text' ;;
    *':--queries') takes='@text' ;;
    *':--for') takes='@text' ;;
    *':--every') takes='@text' ;;
    'episodes relations list:--relation') takes='similar supports contradicts' ;;
    'episodes relations add:--relation') takes='contradicts supports' ;;
    *':--weight') takes='@text' ;;
    *':--from') takes='@text' ;;
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
    'memory:0') takes='@commands' ;;
    'memory search:'*) takes='@text' ;;
    'memory read:0') takes='@names' ;;
    'memory scan:'*) takes='@text' ;;
    'journal:0') takes='@commands' ;;
    'journal add:0') takes='@text' ;;
    'journal add:'*) takes='@text' ;;
    'journal get:0') takes='@text' ;;
    'journal pin:0') takes='@text' ;;
    'journal import:0') takes='@text' ;;
    'episodes:0') takes='@commands' ;;
    'episodes recall:'*) takes='@text' ;;
    'episodes add:'*) takes='@text' ;;
    'episodes relations:0') takes='@commands' ;;
    'episodes relations list:0') takes='@text' ;;
    'episodes relations add:0') takes='@text' ;;
    'episodes relations add:1') takes='@text' ;;
    'embedder:0') takes='@commands' ;;
    'embedder test:'*) takes='@text' ;;
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
    'config get:0') takes='busy_timeout workspace timezone chunk_chars search_limit recall_min_relevance max_file_bytes directory_bytes embedder embedder_timeout model_dir model_url ollama_url ollama_model openai_url openai_model openai_key_file gemini_url gemini_model gemini_key_file gemini_rotation caps.agent caps.persona caps.pins caps.brief caps.lessons caps.daily caps.peer caps.crew caps.topic caps.learned caps.user caps.workspace' ;;
    'config set:0') takes='busy_timeout workspace timezone chunk_chars search_limit recall_min_relevance max_file_bytes directory_bytes embedder embedder_timeout model_dir model_url ollama_url ollama_model openai_url openai_model openai_key_file gemini_url gemini_model gemini_key_file gemini_rotation caps.agent caps.persona caps.pins caps.brief caps.lessons caps.daily caps.peer caps.crew caps.topic caps.learned caps.user caps.workspace' ;;
    'config set:1') takes='@text' ;;
    'completion:0') takes='@commands' ;;
    esac
}

_crewmem_commands() {
    local word own=''
    case "$command" in
    '') own='init status search doctor memory journal episodes decay embedder workspace crew agent config completion' ;;
    'memory') own='search read list scan status reindex' ;;
    'journal') own='add list get count pin verify compact import' ;;
    'episodes') own='recall sweep list add relations reembed' ;;
    'episodes relations') own='list add' ;;
    'embedder') own='status install test' ;;
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
    'init') own='--sample' ;;
    'status') own='-p --path' ;;
    'search') own='-l --limit --explain --exit-code --strict -p --path -S --scope --crew --agent' ;;
    'doctor') own='-p --path --fix --dry-run --strict --only' ;;
    'memory search') own='-l --limit --tier --since --no-refresh --explain --exit-code --strict -p --path -S --scope --crew --agent' ;;
    'memory read') own='--tier --key --raw -p --path -S --scope --crew --agent' ;;
    'memory list') own='--tier --strict -p --path -S --scope --crew --agent' ;;
    'memory scan') own='--tier --strict -p --path -S --scope --crew --agent' ;;
    'memory status') own='--strict -p --path -S --scope --crew --agent' ;;
    'memory reindex') own='--full --strict -p --path -S --scope --crew --agent' ;;
    'journal add') own='--severity --priority --payload --refs --crew --agent --mission --trace --span --ts --expires --actor-type --actor-id --embed' ;;
    'journal list') own='--type --exclude-type --severity --priority --crew --agent --since --until --query -S --scope --include-archive -l --limit --after -f --follow' ;;
    'journal get') own='-S --scope' ;;
    'journal count') own='--by --type --exclude-type --severity --priority --crew --agent --since --until --query -S --scope --include-archive' ;;
    'journal pin') own='--priority --reason' ;;
    'journal compact') own='--older-than --dry-run' ;;
    'journal import') own='--dry-run --strict --max-input' ;;
    'episodes recall') own='-k --mode --fusion --min-relevance --no-gate --walk --explain --mark --queries -S --scope --crew --agent' ;;
    'episodes sweep') own='-l --limit --all --for --every --strict' ;;
    'episodes list') own='--vectors -l --limit --after -S --scope --crew --agent' ;;
    'episodes relations list') own='--relation -l --limit -S --scope' ;;
    'episodes relations add') own='--relation --weight' ;;
    'episodes reembed') own='--dry-run' ;;
    'decay') own='--apply -l --limit -S --scope --crew --agent' ;;
    'embedder install') own='--from' ;;
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
