#compdef crewmem
# Completion of crewmem for zsh.
@GENERATED@
#
# All commands and options are in here, so TAB starts no program. Only names that
# are data (workspaces, crews, agents, memory files, ids) are asked of crewmem.
# What was typed is read here and not by _arguments, which takes three times as long.

_crewmem() {
    local command='' takes='' dashes='' number=0 word
    for word in "${(@)words[2,CURRENT-1]}"; do
        if [[ -n $takes ]]; then
            takes='' # this was the value of the option before it
        elif [[ -n $dashes || $word != -?* ]]; then
            _crewmem_command "${command:+$command }$word" || (( number += 1 ))
        elif [[ $word == -- ]]; then
            dashes=1
        elif [[ $word != --*=* ]]; then
            _crewmem_option "$word"
        fi
    done
    if [[ -n $takes ]]; then
        _crewmem_offer
    elif [[ -z $dashes && $PREFIX == --*=* ]]; then
        _crewmem_option "${PREFIX%%=*}"
        compset -P '*=' && _crewmem_offer
    elif [[ -z $dashes && $PREFIX == -* ]]; then
        _crewmem_options
    else
        _crewmem_argument
        if [[ -n $takes ]]; then
            _crewmem_offer
        elif [[ -z $PREFIX ]]; then
            _crewmem_options
        fi
    fi
}

# Offer what is taken here.
_crewmem_offer() {
    case $takes in
    ('' | @text) _message 'text' ;;
    (@commands) _crewmem_commands ;;
    (@names) _crewmem_ask ;;
    (@files) _files ;;
    (@directories) _files -/ ;;
    (*) compadd -- ${=takes} ;;
    esac
}

_crewmem_ask() {
    local -a names
    names=("${(@f)$(
        COMP_WORDS="${(j: :)words[1,CURRENT-1]} $IPREFIX$PREFIX" \
            COMP_CWORD=$(( CURRENT - 1 )) _CREWMEM_COMPLETE=bash_complete \
            ${~words[1]} 2>/dev/null
    )}")
    compadd -- "${(@)names#*,}"
}

_crewmem_command() {
    case $1 in
@COMMANDS@
    (*) return 1 ;;
    esac
    command=$1
}

# What the option $1 takes: words, or one of @text @names @files @directories.
_crewmem_option() {
    takes=''
    case $command:$1 in
@OPTIONS_TAKE@
    (*:--*) ;;
    (*:-??*) # letters in one word: -ql, or -l5
        _crewmem_option "${1[1,2]}"
        if [[ -n $takes ]]; then
            takes=''
        else
            _crewmem_option "-${1[3,-1]}"
        fi
        ;;
    esac
}

# What the next argument is.
_crewmem_argument() {
    case $command:$number in
@ARGUMENTS_TAKE@
    esac
}

_crewmem_commands() {
    local -a own
    case $command in
@COMMANDS_OF@
    esac
    _describe -t commands command own
}

_crewmem_options() {
    local -a own all
    case $command in
@OPTIONS@
    esac
    all=(
@GLOBALS@
    )
    _describe -O option own -- all
}

if [[ $funcstack[1] == _crewmem ]]; then
    _crewmem "$@"
else
    compdef _crewmem crewmem
fi
