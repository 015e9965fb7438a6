# Completion of crewmem for bash.
@GENERATED@
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
@COMMANDS@) command="$1" ;;
    *) return 1 ;;
    esac
}

# What the option $1 takes: words, or one of @text @names @files @directories.
_crewmem_option() {
    takes=''
    case "$command:$1" in
@OPTIONS_TAKE@
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
@ARGUMENTS_TAKE@
    esac
}

_crewmem_commands() {
    local word own=''
    case "$command" in
@COMMANDS_OF@
    esac
    for word in $own; do
        _crewmem_add "$word"
    done
}

_crewmem_options() {
    local word own=''
    case "$command" in
@OPTIONS@
    esac
    for word in $own @GLOBALS@; do
        _crewmem_add "$word"
    done
}

complete -F _crewmem crewmem
