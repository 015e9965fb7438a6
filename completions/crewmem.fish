# Completion of crewmem for fish.
# Written by `crewmem generate` from the commands themselves; do not edit.
#
# All commands and options are in here, so TAB starts no program. Only names that
# are data (workspaces, crews, agents, memory files) are asked of crewmem itself.

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
            if contains -- $below 'init' 'status' 'doctor' 'memory' 'memory search' 'memory read' 'memory list' 'memory status' 'memory reindex' 'workspace' 'workspace add' 'workspace list' 'workspace show' 'workspace set' 'workspace remove' 'crew' 'crew add' 'crew list' 'crew show' 'crew set' 'crew remove' 'agent' 'agent add' 'agent list' 'agent show' 'agent set' 'agent remove' 'config' 'config list' 'config get' 'config set' 'config path' 'completion' 'completion bash' 'completion zsh' 'completion fish'
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
        case '*:--home'
            echo '@directories'
        case '*:-w' '*:--workspace'
            echo '@names'
        case '*:--as'
            echo '@names'
        case '*:-F' '*:--format'
            echo 'table json jsonl'
        case '*:--now'
            echo '@text'
        case '*:-p' '*:--path'
            echo '@directories'
        case '*:--only'
            echo '@text'
        case '*:-l' '*:--limit'
            echo '@text'
        case '*:--tier'
            echo 'agent persona pins brief lessons daily peer crew topic learned user workspace other'
        case '*:--since'
            echo '@text'
        case '*:-S' '*:--scope'
            echo 'agent crew workspace all'
        case '*:--crew'
            echo '@names'
        case '*:--agent'
            echo '@names'
        case '*:--key'
            echo '@text'
        case '*:--description'
            echo '@text'
        case '*:--lead'
            echo '@names'
        case '*:--add-member'
            echo '@text'
        case '*:--remove-member'
            echo '@text'
        case '*:--role'
            echo 'agent lead'
        case '*:--memory'
            echo 'on off'
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
        case ':0'
            echo '@commands'
        case 'memory:0'
            echo '@commands'
        case 'memory search:*'
            echo '@text'
        case 'memory read:0'
            echo '@names'
        case 'workspace:0'
            echo '@commands'
        case 'workspace add:0'
            echo '@text'
        case 'workspace show:0'
            echo '@names'
        case 'workspace set:0'
            echo '@names'
        case 'workspace remove:0'
            echo '@names'
        case 'crew:0'
            echo '@commands'
        case 'crew add:0'
            echo '@text'
        case 'crew show:0'
            echo '@names'
        case 'crew set:0'
            echo '@names'
        case 'crew set:*'
            echo '@text'
        case 'crew remove:0'
            echo '@names'
        case 'agent:0'
            echo '@commands'
        case 'agent add:0'
            echo '@text'
        case 'agent show:0'
            echo '@names'
        case 'agent set:0'
            echo '@names'
        case 'agent set:*'
            echo '@text'
        case 'agent remove:0'
            echo '@names'
        case 'config:0'
            echo '@commands'
        case 'config get:0'
            echo 'busy_timeout workspace timezone chunk_chars search_limit max_file_bytes directory_bytes caps.agent caps.persona caps.pins caps.brief caps.lessons caps.daily caps.peer caps.crew caps.topic caps.learned caps.user caps.workspace'
        case 'config set:0'
            echo 'busy_timeout workspace timezone chunk_chars search_limit max_file_bytes directory_bytes caps.agent caps.persona caps.pins caps.brief caps.lessons caps.daily caps.peer caps.crew caps.topic caps.learned caps.user caps.workspace'
        case 'config set:1'
            echo '@text'
        case 'completion:0'
            echo '@commands'
    end
end

function __crewmem_commands
    switch "$argv[1]"
        case ''
            printf '%s\t%s\n' \
                init 'Make a home for crewmem, with a sample crew if asked.' \
                status 'Show the state of the memory on one screen, and the next step.' \
                doctor 'Check everything there is, and repair what is safe to repair.' \
                memory 'Find, read and index memory files.' \
                workspace 'Register workspaces: nothing crosses from one to another.' \
                crew 'Register crews: teams of agents that share memory.' \
                agent 'Register agents: the members of crews.' \
                config 'Show and change settings.' \
                completion 'Print the completion script of a shell.'
        case 'memory'
            printf '%s\t%s\n' \
                search 'Find passages of memory files by their words.' \
                read 'Print a memory file.' \
                list 'List memory files with their size, age and share of the cap.' \
                status 'Show what of each memory directory is indexed.' \
                reindex 'Bring the index of memory directories up to date.'
        case 'workspace'
            printf '%s\t%s\n' \
                add 'Add a workspace.' \
                list 'List the workspaces.' \
                show 'Show a workspace and its crews.' \
                set 'Change a workspace.' \
                remove 'Take a workspace out of the registry; its files stay.'
        case 'crew'
            printf '%s\t%s\n' \
                add 'Add a crew and make its shared memory.' \
                list 'List the crews of the workspace.' \
                show 'Show a crew and its agents.' \
                set 'Change a crew: its lead, members and settings.' \
                remove 'Take a crew out of the registry; its files stay.'
        case 'agent'
            printf '%s\t%s\n' \
                add 'Add an agent to a crew and make its memory.' \
                list 'List the agents of the workspace.' \
                show 'Show an agent.' \
                set 'Change an agent: its memory, description and settings.' \
                remove 'Take an agent out of the registry; its files stay.'
        case 'config'
            printf '%s\t%s\n' \
                list 'List every setting with its value.' \
                get 'Print the value of a setting.' \
                set 'Set a setting in the configuration file.' \
                path 'Print the path of the configuration file.'
        case 'completion'
            printf '%s\t%s\n' \
                bash 'Print the completion script for bash.' \
                zsh 'Print the completion script for zsh.' \
                fish 'Print the completion script for fish.'
    end
end

function __crewmem_options
    switch "$argv[1]"
        case 'init'
            printf '%s\t%s\n' \
                --sample 'Put a sample crew in it, to try things out.'
        case 'status'
            printf '%s\t%s\n' \
                -p 'Look at this memory directory or crew alone; needs no home.' \
                --path 'Look at this memory directory or crew alone; needs no home.'
        case 'doctor'
            printf '%s\t%s\n' \
                -p 'Check this memory directory or crew alone; needs no home.' \
                --path 'Check this memory directory or crew alone; needs no home.' \
                --fix 'Repair what is safe to repair.' \
                --dry-run 'With --fix: say what it would repair.' \
                --strict 'End with 1 on a warning, too.' \
                --only 'Only this check, or category.'
        case 'memory search'
            printf '%s\t%s\n' \
                -l 'Most hits, 1 to 50.  [10]' \
                --limit 'Most hits, 1 to 50.  [10]' \
                --tier 'Only files of this tier.' \
                --since 'Only files changed then or later.' \
                --no-refresh 'Do not look at the files first.' \
                --exit-code 'End with 1 when nothing is found.' \
                --strict 'End with 1 when there are warnings.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory read'
            printf '%s\t%s\n' \
                --tier 'The file of this tier.' \
                --key 'Which of the tier: a day, a topic, a name.' \
                --raw 'Print the bytes as they are, also on a terminal.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory list'
            printf '%s\t%s\n' \
                --tier 'Only files of this tier.' \
                --strict 'End with 1 when there are warnings.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory status'
            printf '%s\t%s\n' \
                --strict 'End with 1 when there are warnings.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory reindex'
            printf '%s\t%s\n' \
                --full 'Build the index anew from every file.' \
                --strict 'End with 1 when there are warnings.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'workspace add'
            printf '%s\t%s\n' \
                --description 'What it is for.'
        case 'workspace set'
            printf '%s\t%s\n' \
                --description 'What it is for; \'\' for nothing.'
        case 'workspace remove'
            printf '%s\t%s\n' \
                --yes 'Do not ask.'
        case 'crew add'
            printf '%s\t%s\n' \
                --lead 'Agent that leads it; it may be added later.' \
                --description 'What it is for.'
        case 'crew set'
            printf '%s\t%s\n' \
                --lead 'Agent that leads it; \'\' for nobody.' \
                --add-member 'Agent that joins it.' \
                --remove-member 'Agent that leaves it.' \
                --description 'What it is for; \'\' for nothing.'
        case 'crew remove'
            printf '%s\t%s\n' \
                --yes 'Do not ask.'
        case 'agent add'
            printf '%s\t%s\n' \
                --crew 'Its home crew.' \
                --role 'Whether it leads the crew.' \
                --description 'What it does.'
        case 'agent list'
            printf '%s\t%s\n' \
                --crew 'Only those who belong to this crew.'
        case 'agent set'
            printf '%s\t%s\n' \
                --memory 'Switch its memory.' \
                --description 'What it does; \'\' for nothing.'
        case 'agent remove'
            printf '%s\t%s\n' \
                --yes 'Do not ask.'
        case 'config list'
            printf '%s\t%s\n' \
                --show-origin 'Say where each value came from.'
        case 'config set'
            printf '%s\t%s\n' \
                --unset 'Leave it to the default again.'
    end
    printf '%s\t%s\n' \
                --home 'Directory of crewmem.db and workspaces.' \
                -w 'Workspace to work in.' \
                --workspace 'Workspace to work in.' \
                --as 'Act as agent:SLUG, lead:SLUG or operator:NAME.' \
                -F 'How to answer; a table on a terminal, else plain text.' \
                --format 'How to answer; a table on a terminal, else plain text.' \
                --json 'Short for --format json.' \
                -q 'Say nothing beside the answer.' \
                --quiet 'Say nothing beside the answer.' \
                -v 'Say more of what was done.' \
                --verbose 'Say more of what was done.' \
                --debug 'Show the traceback of a failure.' \
                --no-color 'Print without colours.' \
                --now 'The clock, for replays.' \
                --version 'Print the version.' \
                -h 'Print this help.' \
                --help 'Print this help.'
end

complete -c crewmem -e
complete -c crewmem -f -a '(__crewmem_complete)'
