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
            if contains -- $below 'init' 'status' 'search' 'doctor' 'memory' 'memory search' 'memory read' 'memory list' 'memory scan' 'memory status' 'memory reindex' 'journal' 'journal add' 'journal list' 'journal get' 'journal count' 'journal pin' 'journal verify' 'journal compact' 'journal import' 'episodes' 'episodes recall' 'episodes sweep' 'episodes list' 'episodes add' 'episodes relations' 'episodes relations list' 'episodes relations add' 'episodes reembed' 'decay' 'embedder' 'embedder status' 'embedder install' 'embedder test' 'workspace' 'workspace add' 'workspace list' 'workspace show' 'workspace set' 'workspace remove' 'crew' 'crew add' 'crew list' 'crew show' 'crew set' 'crew remove' 'agent' 'agent add' 'agent list' 'agent show' 'agent set' 'agent remove' 'config' 'config list' 'config get' 'config set' 'config path' 'completion' 'completion bash' 'completion zsh' 'completion fish'
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
        case '*:-l' '*:--limit'
            echo '@text'
        case '*:-S' '*:--scope'
            echo 'agent crew workspace all'
        case '*:--crew'
            echo '@names'
        case '*:--agent'
            echo '@names'
        case '*:--only'
            echo '@text'
        case '*:--tier'
            echo 'agent persona pins brief lessons daily peer crew topic learned user workspace other'
        case '*:--since'
            echo '@text'
        case '*:--key'
            echo '@text'
        case 'journal add:--severity'
            echo 'info notice warn error'
        case 'journal add:--priority'
            echo 'normal high pin permanent'
        case '*:--payload'
            echo '@text'
        case '*:--refs'
            echo '@text'
        case '*:--mission'
            echo '@text'
        case '*:--trace'
            echo '@text'
        case '*:--span'
            echo '@text'
        case '*:--ts'
            echo '@text'
        case '*:--expires'
            echo '@text'
        case '*:--actor-type'
            echo 'agent user system keeper sidecar orchestrator'
        case '*:--actor-id'
            echo '@text'
        case '*:--type'
            echo '@text'
        case '*:--exclude-type'
            echo '@text'
        case 'journal list:--severity'
            echo '@text'
        case 'journal list:--priority'
            echo '@text'
        case '*:--until'
            echo '@text'
        case '*:--query'
            echo '@text'
        case '*:--after'
            echo '@text'
        case '*:--by'
            echo 'type day agent'
        case 'journal count:--severity'
            echo '@text'
        case 'journal count:--priority'
            echo '@text'
        case 'journal pin:--priority'
            echo 'normal high pin permanent'
        case '*:--reason'
            echo '@text'
        case '*:--older-than'
            echo '@text'
        case '*:--max-input'
            echo '@text'
        case '*:-k'
            echo '@text'
        case '*:--mode'
            echo 'hybrid dense sparse'
        case '*:--fusion'
            echo 'score rrf'
        case '*:--min-relevance'
            echo '@text'
        case '*:--walk'
            echo '@text'
        case '*:--queries'
            echo '@text'
        case '*:--for'
            echo '@text'
        case '*:--every'
            echo '@text'
        case 'episodes relations list:--relation'
            echo 'similar supports contradicts'
        case 'episodes relations add:--relation'
            echo 'contradicts supports'
        case '*:--weight'
            echo '@text'
        case '*:--from'
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
        case 'search:*'
            echo '@text'
        case 'memory:0'
            echo '@commands'
        case 'memory search:*'
            echo '@text'
        case 'memory read:0'
            echo '@names'
        case 'memory scan:*'
            echo '@text'
        case 'journal:0'
            echo '@commands'
        case 'journal add:0'
            echo '@text'
        case 'journal add:*'
            echo '@text'
        case 'journal get:0'
            echo '@text'
        case 'journal pin:0'
            echo '@text'
        case 'journal import:0'
            echo '@text'
        case 'episodes:0'
            echo '@commands'
        case 'episodes recall:*'
            echo '@text'
        case 'episodes add:*'
            echo '@text'
        case 'episodes relations:0'
            echo '@commands'
        case 'episodes relations list:0'
            echo '@text'
        case 'episodes relations add:0'
            echo '@text'
        case 'episodes relations add:1'
            echo '@text'
        case 'embedder:0'
            echo '@commands'
        case 'embedder test:*'
            echo '@text'
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
            echo 'busy_timeout workspace timezone chunk_chars search_limit recall_min_relevance max_file_bytes directory_bytes embedder embedder_timeout model_dir model_url ollama_url ollama_model openai_url openai_model openai_key_file gemini_url gemini_model gemini_key_file gemini_rotation caps.agent caps.persona caps.pins caps.brief caps.lessons caps.daily caps.peer caps.crew caps.topic caps.learned caps.user caps.workspace'
        case 'config set:0'
            echo 'busy_timeout workspace timezone chunk_chars search_limit recall_min_relevance max_file_bytes directory_bytes embedder embedder_timeout model_dir model_url ollama_url ollama_model openai_url openai_model openai_key_file gemini_url gemini_model gemini_key_file gemini_rotation caps.agent caps.persona caps.pins caps.brief caps.lessons caps.daily caps.peer caps.crew caps.topic caps.learned caps.user caps.workspace'
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
                search 'Find what memory files and the journal hold, in one list.' \
                doctor 'Check everything there is, and repair what is safe to repair.' \
                memory 'Find, read and index memory files.' \
                journal 'Add to the journal of what happened, and look into it.' \
                episodes 'Recall what is worth it from the journal.' \
                decay 'Report what fades, faintest first; with --apply let it fade.' \
                embedder 'Look after what turns texts into vectors.' \
                workspace 'Register workspaces: nothing crosses from one to another.' \
                crew 'Register crews: teams of agents that share memory.' \
                agent 'Register agents: the members of crews.' \
                config 'Show and change settings.' \
                completion 'Print the completion script of a shell.'
        case 'memory'
            printf '%s\t%s\n' \
                search 'Find passages of memory files that answer a question.' \
                read 'Print a memory file.' \
                list 'List memory files with their size, age and share of the cap.' \
                scan 'Look for hidden instructions and secrets in memory files.' \
                status 'Show what of each memory directory is indexed.' \
                reindex 'Bring the index of memory directories up to date.'
        case 'journal'
            printf '%s\t%s\n' \
                add 'Add an entry to the journal.' \
                list 'List entries of the journal, newest first.' \
                get 'Show an entry of the journal, whole.' \
                count 'Count entries of the journal by type, day or agent.' \
                pin 'Change the priority of an entry of the journal.' \
                verify 'Check that the journal is whole and unchanged.' \
                compact 'Archive old entries that nothing needs, and sum them up.' \
                import 'Add entries to the journal from a file of JSON lines.'
        case 'episodes'
            printf '%s\t%s\n' \
                recall 'Find the episodes that answer a question.' \
                sweep 'Embed what is new, and bring memory indexes up to date.' \
                list 'List episodes with their weight, newest first.' \
                add 'Make entries worth recalling that were not selected by themselves.' \
                relations 'See and say how entries are related.' \
                reembed 'Give all episodes vectors of the embedder that is set now.'
        case 'episodes relations'
            printf '%s\t%s\n' \
                list 'List relations between entries, newest first.' \
                add 'Say that one entry contradicts or supports another.'
        case 'embedder'
            printf '%s\t%s\n' \
                status 'Show which embedder is used and why, and what others lack.' \
                install 'Bring the model that runs in process into the home.' \
                test 'Embed a text, to see whether the embedder works, and how fast.'
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
        case 'search'
            printf '%s\t%s\n' \
                -l 'Most hits, 1 to 100.  [10]' \
                --limit 'Most hits, 1 to 100.  [10]' \
                --explain 'Say below each hit why it was found.' \
                --exit-code 'End with 1 when nothing is found.' \
                --strict 'End with 1 when there are warnings.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
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
                --explain 'Say below each hit why it was found.' \
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
        case 'memory scan'
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
        case 'journal add'
            printf '%s\t%s\n' \
                --severity 'How bad.  [info]' \
                --priority 'How much it matters later.  [normal]' \
                --payload 'More of it, a JSON object; - reads it.' \
                --refs 'What it refers to, a JSON object; - reads it.' \
                --crew 'Crew that it belongs to.' \
                --agent 'Agent that it belongs to.' \
                --mission 'Mission that it is part of.' \
                --trace 'Session that it is part of.' \
                --span 'Step of the session.' \
                --ts 'When it happened; by default now.' \
                --expires 'When it stops to matter.' \
                --actor-type 'What did it; by default what you act as.' \
                --actor-id 'Who did it.' \
                --embed 'Embed it at once, if recall is to find it.'
        case 'journal list'
            printf '%s\t%s\n' \
                --type 'Only of these types, as memory.*; several with commas.' \
                --exclude-type 'Not of these types.' \
                --severity 'Only info, notice, warn or error; several with commas.' \
                --priority 'Only normal, high, pin or permanent; several with commas.' \
                --crew 'Only of this crew.' \
                --agent 'Only of this agent.' \
                --since 'Only what happened then or later.' \
                --until 'Only what happened then or earlier.' \
                --query 'Only what holds these words.' \
                -S 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --scope 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --include-archive 'Also what compaction has archived.' \
                -l 'Most entries, 1 to 1000.  [50]' \
                --limit 'Most entries, 1 to 1000.  [50]' \
                --after 'Go on where a listing ended.' \
                -f 'Show what comes, until interrupted.' \
                --follow 'Show what comes, until interrupted.'
        case 'journal get'
            printf '%s\t%s\n' \
                -S 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --scope 'How far to look; an agent\'s default is agent, a lead\'s crew.'
        case 'journal count'
            printf '%s\t%s\n' \
                --by 'What to count by.  [type]' \
                --type 'Only of these types, as memory.*; several with commas.' \
                --exclude-type 'Not of these types.' \
                --severity 'Only info, notice, warn or error; several with commas.' \
                --priority 'Only normal, high, pin or permanent; several with commas.' \
                --crew 'Only of this crew.' \
                --agent 'Only of this agent.' \
                --since 'Only what happened then or later.' \
                --until 'Only what happened then or earlier.' \
                --query 'Only what holds these words.' \
                -S 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --scope 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --include-archive 'Also what compaction has archived.'
        case 'journal pin'
            printf '%s\t%s\n' \
                --priority 'Which.  [pin]' \
                --reason 'Why; it is kept.'
        case 'journal compact'
            printf '%s\t%s\n' \
                --older-than 'Only what happened before, as 30d.  [30d]' \
                --dry-run 'Only say what would be archived.'
        case 'journal import'
            printf '%s\t%s\n' \
                --dry-run 'Only say what would be added.' \
                --strict 'Stop at the first line that is not taken in.' \
                --max-input 'Most bytes that are read, as 200M.  [10M]'
        case 'episodes recall'
            printf '%s\t%s\n' \
                -k 'Most hits, 1 to 100.  [5]' \
                --mode 'By words and vectors, or by one of them.  [hybrid]' \
                --fusion 'How lists become one: by scores, or by ranks as published.  [score]' \
                --min-relevance 'Least relevance of an answer, 0 to 1.' \
                --no-gate 'Show the best, however little it answers.' \
                --walk 'Go N steps to what is like the hits.' \
                --explain 'Show what each score is made of.' \
                --mark 'Count the hits as delivered into a prompt.' \
                --queries 'Questions, JSON lines with id and text; - reads them.' \
                -S 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --scope 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --crew 'Only of this crew.' \
                --agent 'Only of this agent.'
        case 'episodes sweep'
            printf '%s\t%s\n' \
                -l 'Most entries of a pass, 1 to 10000.  [64]' \
                --limit 'Most entries of a pass, 1 to 10000.  [64]' \
                --all 'Go on until nothing is left to do.' \
                --for 'Make passes for so long, as 60s.' \
                --every 'With --for: begin a pass so often.  [30s]' \
                --strict 'End with 1 when there are warnings.'
        case 'episodes list'
            printf '%s\t%s\n' \
                --vectors 'With the vectors; for --json and -F jsonl.' \
                -l 'Most episodes, 1 to 1000.  [50]' \
                --limit 'Most episodes, 1 to 1000.  [50]' \
                --after 'Go on where a listing ended.' \
                -S 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --scope 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --crew 'Only of this crew.' \
                --agent 'Only of this agent.'
        case 'episodes relations list'
            printf '%s\t%s\n' \
                --relation 'Only of this kind.' \
                -l 'Most relations, 1 to 1000.  [50]' \
                --limit 'Most relations, 1 to 1000.  [50]' \
                -S 'How far to look.' \
                --scope 'How far to look.'
        case 'episodes relations add'
            printf '%s\t%s\n' \
                --relation 'What one says of the other.  [contradicts]' \
                --weight 'How much, 0 to 1.  [1]'
        case 'episodes reembed'
            printf '%s\t%s\n' \
                --dry-run 'Only say what would be done.'
        case 'decay'
            printf '%s\t%s\n' \
                --apply 'Compute the importance of all episodes anew.' \
                -l 'Most lines, 1 to 1000.  [20]' \
                --limit 'Most lines, 1 to 1000.  [20]' \
                -S 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --scope 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --crew 'Only of this crew.' \
                --agent 'Only of this agent.'
        case 'embedder install'
            printf '%s\t%s\n' \
                --from 'The directory that holds the model.'
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
