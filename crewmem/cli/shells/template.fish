# Completion of crewmem for fish.
@GENERATED@
#
# All commands and options are in here, so TAB starts no program. Only names that
# are data (workspaces, crews, agents, memory files, ids) are asked of crewmem.

function __crewmem_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l place ''
    set -l number 0
    set -l dashes ''
    set -l takes ''
    for word in $words[2..-1]
        if test -n "$takes"
            set takes '' # this was the value of the option before it
        else if test -n "$dashes"; or not string match -qr -- '^-.' $word
            set -l below (string trim -l -- "$place $word")
            if contains -- $below @COMMANDS@
                set place $below
            else
                set number (math $number + 1)
            end
        else if test $word = --
            set dashes 1
        else if not string match -q -- '--*=*' $word
            set takes (__crewmem_option $place $word)
        end
    end
    if test -n "$takes"
        __crewmem_offer "$takes" '' $current
    else if test -z "$dashes"; and string match -q -- '--*=*' $current
        set -l halves (string split -m 1 -- = $current)
        __crewmem_offer (__crewmem_option $place $halves[1]) "$halves[1]=" $halves[2]
    else if test -z "$dashes"; and string match -q -- '-*' $current
        __crewmem_options $place
    else
        set takes (__crewmem_argument $place $number)
        if test "$takes" = @commands
            __crewmem_commands $place
        else if test -n "$takes"
            __crewmem_offer "$takes" '' $current
        else if test -z "$current"
            __crewmem_options $place
        end
    end
end

# Offer what $argv[1] names, with $argv[2] before it, for the text $argv[3].
function __crewmem_offer
    switch $argv[1]
        case '' @text
        case @names
            printf "$argv[2]%s\n" (__crewmem_ask)
        case @files
            printf "$argv[2]%s\n" (__fish_complete_path $argv[3])
        case @directories
            printf "$argv[2]%s\n" (__fish_complete_directories $argv[3])
        case '*'
            printf "$argv[2]%s\n" (string split -- ' ' $argv[1])
    end
end

function __crewmem_ask
    set -l words (commandline -opc)
    set -l line (commandline -cp | string collect)
    env _CREWMEM_COMPLETE=bash_complete COMP_WORDS="$line" COMP_CWORD=(count $words) \
        $words[1] 2>/dev/null | string replace -r '^[^,]*,' ''
end

# What the option $argv[2] of the command $argv[1] takes.
function __crewmem_option
    switch "$argv[1]:$argv[2]"
@OPTIONS_TAKE@
        case '*:--*'
        case '*:-??*' # letters in one word: -ql, or -l5
            set -l first (string sub -l 2 -- $argv[2])
            if test -z (__crewmem_option $argv[1] $first | string collect -a)
                __crewmem_option $argv[1] -(string sub -s 3 -- $argv[2])
            end
    end
end

# What the argument number $argv[2] of the command $argv[1] is.
function __crewmem_argument
    switch "$argv[1]:$argv[2]"
@ARGUMENTS_TAKE@
    end
end

function __crewmem_commands
    switch "$argv[1]"
@COMMANDS_OF@
    end
end

function __crewmem_options
    switch "$argv[1]"
@OPTIONS@
    end
    printf '%s\t%s\n' \
@GLOBALS@
end

complete -c crewmem -e
complete -c crewmem -f -a '(__crewmem_complete)'
