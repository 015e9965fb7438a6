# Completion of crewmem for fish.
# Written by `crewmem generate` from the commands themselves; do not edit.
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
            if contains -- $below 'init' 'status' 'search' 'recall' 'remember' 'get' 'forget' 'vote' 'recover' 'doctor' 'memory' 'memory search' 'memory read' 'memory write' 'memory append-daily' 'memory list' 'memory scan' 'memory status' 'memory health' 'memory reindex' 'memory quarantine' 'memory quarantine list' 'memory quarantine show' 'memory quarantine release' 'memory quarantine drop' 'memory prompt' 'memory log' 'memory show' 'memory diff' 'memory restore' 'memory prune' 'journal' 'journal add' 'journal list' 'journal get' 'journal count' 'journal pin' 'journal verify' 'journal compact' 'journal import' 'episodes' 'episodes recall' 'episodes sweep' 'episodes list' 'episodes add' 'episodes relations' 'episodes relations list' 'episodes relations add' 'episodes reembed' 'operator' 'operator observe' 'operator show' 'operator forget' 'operator delete' 'operator opt-out' 'memories' 'memories list' 'memories history' 'memories correct' 'memories supersede' 'memories restore' 'memories done' 'memories drop' 'memories pin' 'memories purge' 'memories condense' 'memories rollup' 'memories daily' 'knowledge' 'knowledge share' 'knowledge promote' 'knowledge reject' 'knowledge corrections' 'knowledge signals' 'knowledge maintain' 'proposals' 'proposals list' 'proposals show' 'proposals diff' 'proposals explain' 'proposals approve' 'proposals reject' 'consolidate' 'consolidate run' 'scratch' 'scratch add' 'scratch list' 'scratch digest' 'scratch clear' 'transcripts' 'transcripts extract' 'transcripts status' 'transcripts show' 'eval' 'eval run' 'eval runs' 'eval show' 'eval compare' 'eval capture' 'eval gate' 'tune' 'tune run' 'tune history' 'tune rollback' 'decay' 'export' 'import' 'embedder' 'embedder status' 'embedder install' 'embedder test' 'timers' 'timers show' 'timers install' 'timers remove' 'timers status' 'timers run' 'workspace' 'workspace add' 'workspace list' 'workspace show' 'workspace set' 'workspace remove' 'crew' 'crew add' 'crew list' 'crew show' 'crew set' 'crew remove' 'agent' 'agent add' 'agent list' 'agent show' 'agent set' 'agent remove' 'config' 'config list' 'config get' 'config set' 'config path' 'completion' 'completion bash' 'completion zsh' 'completion fish'
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
        case '*:--score'
            echo 'usual engram'
        case 'search:--kind' 'search:--kinds'
            echo '@text'
        case '*:--min-importance'
            echo '@text'
        case '*:--project'
            echo '@text'
        case '*:--since'
            echo '@text'
        case '*:--until'
            echo '@text'
        case 'search:-S' 'search:--scope'
            echo 'agent crew workspace all'
        case '*:--crew'
            echo '@names'
        case '*:--agent'
            echo '@names'
        case '*:-k' '*:--max-results'
            echo '@text'
        case '*:--min-relevance'
            echo '@text'
        case 'recall:--kind' 'recall:--kinds'
            echo '@text'
        case '*:--budget'
            echo '@text'
        case '*:--hook'
            echo 'claude codex'
        case '*:--deadline'
            echo '@text'
        case 'recall:-S' 'recall:--scope'
            echo 'agent crew workspace all'
        case 'remember:--kind'
            echo '@text'
        case '*:--title'
            echo '@text'
        case '*:--importance'
            echo '@text'
        case 'remember:--priority'
            echo '@text'
        case '*:--confidence'
            echo '@text'
        case 'remember:--sensitivity'
            echo 'public internal restricted'
        case '*:--tags'
            echo '@text'
        case '*:--entities'
            echo '@text'
        case '*:--topic-key'
            echo '@text'
        case '*:--expires'
            echo '@text'
        case '*:--occurred'
            echo '@text'
        case '*:--session'
            echo '@text'
        case '*:--issue'
            echo '@text'
        case '*:--metadata'
            echo '@text'
        case 'remember:-S' 'remember:--scope'
            echo 'agent crew workspace'
        case '*:--if-exists'
            echo 'skip error update'
        case '*:--reason'
            echo '@text'
        case '*:--max-tokens'
            echo '@text'
        case 'doctor:--only'
            echo 'runtime runtime.python runtime.sqlite config config.settings config.timezone home home.present home.writable home.permissions home.space database database.schema database.tables database.integrity database.references database.leftovers registry registry.directories registry.rows registry.leads registry.switches files files.listed files.odd files.strays files.locks files.caps files.total files.days threats threats.rules threats.files threats.memories quarantine quarantine.files files.duplicates files.citations files.rules index index.usable index.journal index.fresh leftovers leftovers.temporary leftovers.caches journal journal.chain journal.text memories memories.text memories.rows memories.restricted memories.waiting proposals proposals.waiting consolidation consolidation.waiting operator operator.consent operator.evidence versions versions.chain versions.contents versions.unkept versions.permissions versions.recorded episodes episodes.rows episodes.owners embedder embedder.present embedder.weights embedder.latency llm llm.usable vectors vectors.usable vectors.journal vectors.models vectors.failures vectors.rows vectors.backlog memories.vectors vectors.scan recall recall.mode jobs jobs.due timers timers.alive transcripts transcripts.read transcripts.waiting'
        case 'memory search:--tier'
            echo 'agent persona pins brief lessons daily peer crew topic learned user workspace other'
        case 'memory search:-S' 'memory search:--scope'
            echo 'agent crew workspace all'
        case 'memory read:--tier'
            echo 'agent persona pins brief lessons daily peer crew topic learned user workspace other'
        case '*:--key'
            echo '@text'
        case 'memory read:-S' 'memory read:--scope'
            echo 'agent crew workspace all'
        case 'memory write:--tier'
            echo 'agent persona pins brief lessons daily peer crew topic learned user workspace'
        case 'memory write:--mode'
            echo 'append replace'
        case 'memory write:--kind'
            echo 'positive negative neutral'
        case '*:--expect'
            echo '@text'
        case '*:--allow'
            echo '@text'
        case '*:--max-input'
            echo '@text'
        case 'memory write:-S' 'memory write:--scope'
            echo 'agent crew workspace all'
        case 'memory append-daily:-S' 'memory append-daily:--scope'
            echo 'agent crew workspace all'
        case 'memory list:--tier'
            echo 'agent persona pins brief lessons daily peer crew topic learned user workspace other'
        case 'memory list:-S' 'memory list:--scope'
            echo 'agent crew workspace all'
        case 'memory scan:--tier'
            echo 'agent persona pins brief lessons daily peer crew topic learned user workspace other'
        case 'memory scan:-S' 'memory scan:--scope'
            echo 'agent crew workspace all'
        case 'memory status:-S' 'memory status:--scope'
            echo 'agent crew workspace all'
        case '*:--history'
            echo '@text'
        case '*:--min'
            echo '@text'
        case 'memory reindex:-S' 'memory reindex:--scope'
            echo 'agent crew workspace all'
        case 'memory quarantine list:-S' 'memory quarantine list:--scope'
            echo 'agent crew workspace all'
        case 'memory quarantine show:-S' 'memory quarantine show:--scope'
            echo 'agent crew workspace all'
        case 'memory quarantine release:-S' 'memory quarantine release:--scope'
            echo 'agent crew workspace all'
        case 'memory quarantine drop:-S' 'memory quarantine drop:--scope'
            echo 'agent crew workspace all'
        case '*:--query'
            echo '@text'
        case '*:--opener'
            echo '@text'
        case '*:--max-total'
            echo '@text'
        case '*:--after'
            echo '@text'
        case 'memory log:-S' 'memory log:--scope'
            echo 'agent crew workspace all'
        case 'memory show:-S' 'memory show:--scope'
            echo 'agent crew workspace all'
        case '*:--context'
            echo '@text'
        case 'memory diff:-S' 'memory diff:--scope'
            echo 'agent crew workspace all'
        case 'memory restore:-S' 'memory restore:--scope'
            echo 'agent crew workspace all'
        case '*:--keep'
            echo '@text'
        case '*:--older-than'
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
        case 'journal list:-S' 'journal list:--scope'
            echo 'agent crew workspace all'
        case 'journal get:-S' 'journal get:--scope'
            echo 'agent crew workspace all'
        case 'journal count:--by'
            echo 'type day agent'
        case 'journal count:--severity'
            echo '@text'
        case 'journal count:--priority'
            echo '@text'
        case 'journal count:-S' 'journal count:--scope'
            echo 'agent crew workspace all'
        case 'journal pin:--priority'
            echo 'normal high pin permanent'
        case '*:-k'
            echo '@text'
        case 'episodes recall:--mode'
            echo 'hybrid dense sparse'
        case '*:--fusion'
            echo 'score rrf'
        case '*:--walk'
            echo '@text'
        case '*:--queries'
            echo '@text'
        case 'episodes recall:-S' 'episodes recall:--scope'
            echo 'agent crew workspace all'
        case '*:--for'
            echo '@text'
        case '*:--every'
            echo '@text'
        case 'episodes list:-S' 'episodes list:--scope'
            echo 'agent crew workspace all'
        case 'episodes relations list:--relation'
            echo 'similar supports contradicts'
        case 'episodes relations list:-S' 'episodes relations list:--scope'
            echo 'agent crew workspace all'
        case 'episodes relations add:--relation'
            echo 'contradicts supports'
        case '*:--weight'
            echo '@text'
        case '*:--user'
            echo '@text'
        case '*:--turns'
            echo '@text'
        case '*:--llm-command'
            echo '@text'
        case 'memories list:--kind'
            echo '@text'
        case '*:--tag'
            echo '@text'
        case 'memories list:--status'
            echo '@text'
        case 'memories list:-S' 'memories list:--scope'
            echo 'agent crew workspace all'
        case 'memories list:--sensitivity'
            echo 'public internal restricted'
        case 'memories supersede:--by'
            echo '@names'
        case 'memories pin:--priority'
            echo 'none pin high permanent'
        case 'memories condense:--undo'
            echo '@text'
        case '*:--daily'
            echo '@text'
        case '*:--weekly'
            echo '@text'
        case 'knowledge share:-S' 'knowledge share:--scope'
            echo 'crew workspace'
        case 'knowledge share:--kind'
            echo '@text'
        case '*:--to'
            echo '@text'
        case 'knowledge promote:--sensitivity'
            echo 'public internal'
        case '*:--original'
            echo '@text'
        case 'proposals list:--status'
            echo 'open approved rejected all'
        case 'proposals list:--kind'
            echo '@text'
        case 'proposals approve:--only'
            echo '@text'
        case '*:--policy'
            echo 'auto review'
        case '*:--ttl'
            echo '@text'
        case '*:--harness'
            echo 'auto openclaw claude codex plain'
        case '*:--root'
            echo '@directories'
        case '*:--suite'
            echo '@text'
        case '*:--k'
            echo '@text'
        case '*:--seed'
            echo '@text'
        case '*:--config'
            echo '@text'
        case '*:--into'
            echo '@text'
        case 'decay:-S' 'decay:--scope'
            echo 'agent crew workspace all'
        case '*:--out'
            echo '@text'
        case 'export:--only'
            echo 'files journal versions memories'
        case 'export:-S' 'export:--scope'
            echo 'agent crew workspace all'
        case '*:--from'
            echo '@text'
        case '*:--group'
            echo '@text'
        case '*:--operator'
            echo '@text'
        case '*:--merge'
            echo 'replace append skip'
        case '*:--map'
            echo '@text'
        case '*:--layout'
            echo 'auto crewmem okf crewship nanoclaw openclaw ottercamp engram beads memories single'
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
        case 'recall:*'
            echo '@text'
        case 'remember:*'
            echo '@text'
        case 'get:0'
            echo '@names'
        case 'forget:0'
            echo '@names'
        case 'vote:0'
            echo '@names'
        case 'recover:0'
            echo 'log'
        case 'memory:0'
            echo '@commands'
        case 'memory search:*'
            echo '@text'
        case 'memory read:0'
            echo '@names'
        case 'memory write:*'
            echo '@text'
        case 'memory append-daily:*'
            echo '@text'
        case 'memory scan:*'
            echo '@text'
        case 'memory quarantine:0'
            echo '@commands'
        case 'memory quarantine show:0'
            echo '@names'
        case 'memory quarantine release:0'
            echo '@names'
        case 'memory quarantine drop:0'
            echo '@names'
        case 'memory log:0'
            echo '@names'
        case 'memory show:0'
            echo '@names'
        case 'memory show:1'
            echo '@text'
        case 'memory diff:0'
            echo '@names'
        case 'memory diff:1'
            echo '@text'
        case 'memory diff:2'
            echo '@text'
        case 'memory restore:0'
            echo '@names'
        case 'memory restore:1'
            echo '@text'
        case 'journal:0'
            echo '@commands'
        case 'journal add:0'
            echo '@text'
        case 'journal add:*'
            echo '@text'
        case 'journal get:0'
            echo '@names'
        case 'journal pin:0'
            echo '@names'
        case 'journal import:0'
            echo '@text'
        case 'episodes:0'
            echo '@commands'
        case 'episodes recall:*'
            echo '@text'
        case 'episodes add:*'
            echo '@names'
        case 'episodes relations:0'
            echo '@commands'
        case 'episodes relations list:0'
            echo '@names'
        case 'episodes relations add:0'
            echo '@names'
        case 'episodes relations add:1'
            echo '@names'
        case 'operator:0'
            echo '@commands'
        case 'operator forget:0'
            echo 'role owns constraint process prefers tooling timezone language contact'
        case 'memories:0'
            echo '@commands'
        case 'memories history:0'
            echo '@names'
        case 'memories correct:0'
            echo '@names'
        case 'memories correct:*'
            echo '@text'
        case 'memories supersede:0'
            echo '@names'
        case 'memories restore:0'
            echo '@names'
        case 'memories done:0'
            echo '@names'
        case 'memories drop:0'
            echo '@names'
        case 'memories pin:0'
            echo '@names'
        case 'memories purge:0'
            echo '@names'
        case 'memories daily:0'
            echo '@text'
        case 'knowledge:0'
            echo '@commands'
        case 'knowledge share:*'
            echo '@text'
        case 'knowledge promote:0'
            echo '@names'
        case 'proposals:0'
            echo '@commands'
        case 'proposals show:0'
            echo '@names'
        case 'proposals diff:0'
            echo '@names'
        case 'proposals explain:0'
            echo '@names'
        case 'proposals approve:0'
            echo '@names'
        case 'proposals reject:0'
            echo '@names'
        case 'consolidate:0'
            echo '@commands'
        case 'scratch:0'
            echo '@commands'
        case 'scratch add:*'
            echo '@text'
        case 'transcripts:0'
            echo '@commands'
        case 'transcripts show:0'
            echo '@text'
        case 'eval:0'
            echo '@commands'
        case 'eval show:0'
            echo '@text'
        case 'eval compare:0'
            echo '@text'
        case 'eval compare:1'
            echo '@text'
        case 'tune:0'
            echo '@commands'
        case 'tune rollback:0'
            echo '@text'
        case 'import:0'
            echo '@text'
        case 'embedder:0'
            echo '@commands'
        case 'embedder test:*'
            echo '@text'
        case 'timers:0'
            echo '@commands'
        case 'timers run:0'
            echo 'sweep extract housekeeping rollup consolidate condense nightly eval tune backup'
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
            echo 'busy_timeout workspace timezone chunk_chars search_limit recall_min_relevance knowledge.auto_promote consolidate.policy max_file_bytes versions.keep versions.days directory_bytes embedder embedder_timeout model_dir model_url ollama_url ollama_model openai_url openai_model openai_key_file gemini_url gemini_model gemini_key_file gemini_rotation llm llm_model llm_url anthropic_key_file llm_command llm_timeout llm_material_chars llm_answer_chars caps.agent caps.persona caps.pins caps.brief caps.lessons caps.daily caps.peer caps.crew caps.topic caps.learned caps.user caps.workspace transcripts.agents timers.sweep timers.extract timers.housekeeping timers.rollup timers.consolidate timers.condense timers.nightly timers.backup timers.on_failure backup_dir backup_keep threats.allow threats.rules recall_max_results recall_max_chars recall_words_weight recall_prior_weight eval.suite eval.enabled eval.max_false_injection eval.min_precision eval.min_recovery eval.max_p95_ms eval.max_tokens tune.enabled timers.eval timers.tune'
        case 'config set:0'
            echo 'busy_timeout workspace timezone chunk_chars search_limit recall_min_relevance knowledge.auto_promote consolidate.policy max_file_bytes versions.keep versions.days directory_bytes embedder embedder_timeout model_dir model_url ollama_url ollama_model openai_url openai_model openai_key_file gemini_url gemini_model gemini_key_file gemini_rotation llm llm_model llm_url anthropic_key_file llm_command llm_timeout llm_material_chars llm_answer_chars caps.agent caps.persona caps.pins caps.brief caps.lessons caps.daily caps.peer caps.crew caps.topic caps.learned caps.user caps.workspace transcripts.agents timers.sweep timers.extract timers.housekeeping timers.rollup timers.consolidate timers.condense timers.nightly timers.backup timers.on_failure backup_dir backup_keep threats.allow threats.rules recall_max_results recall_max_chars recall_words_weight recall_prior_weight eval.suite eval.enabled eval.max_false_injection eval.min_precision eval.min_recovery eval.max_p95_ms eval.max_tokens tune.enabled timers.eval timers.tune'
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
                search 'Find what memory files, the journal and memories hold, in one list.' \
                recall 'Lay before a model what is remembered of a question.' \
                remember 'Hold something to be true.' \
                get 'Show a memory, whole, with how far it is trusted.' \
                forget 'Put a memory away: nothing finds it any more.' \
                vote 'Say of a memory that it holds, or that it does not.' \
                recover 'Lay before an agent that lost its context what it was doing.' \
                doctor 'Check everything there is, and repair what is safe to repair.' \
                memory 'Find, read and write memory files.' \
                journal 'Add to the journal of what happened, and look into it.' \
                episodes 'Recall what is worth it from the journal.' \
                operator 'Know how persons work, from what they said; and erase it.' \
                memories 'Look into what is held to be true, and change what becomes of it.' \
                knowledge 'Share what one knows with crews and the workspace.' \
                proposals 'Decide what waits for a person.' \
                consolidate 'Make lasting memory of notes and of what happened.' \
                scratch 'Note what a session works with, for a while.' \
                transcripts 'Learn from the session logs of agents\' programs.' \
                eval 'Measure whether recall finds the right thing.' \
                tune 'Tune recall by what a suite measures.' \
                decay 'Report what fades, faintest first; with --apply let it fade.' \
                export 'Write memory into a bundle of plain files: a directory or a .tar.gz.' \
                import 'Take memory in from a bundle, a directory or another program\'s notes.' \
                embedder 'Look after what turns texts into vectors.' \
                timers 'Let jobs look after memory, with systemd, cron or by hand.' \
                workspace 'Register workspaces: nothing crosses from one to another.' \
                crew 'Register crews: teams of agents that share memory.' \
                agent 'Register agents: the members of crews.' \
                config 'Show and change settings.' \
                completion 'Print the completion script of a shell.'
        case 'memory'
            printf '%s\t%s\n' \
                search 'Find passages of memory files that answer a question.' \
                read 'Print a memory file.' \
                write 'Write to a memory file.' \
                append-daily 'Add a line to today\'s notes.' \
                list 'List memory files with their size, age and share of the cap.' \
                scan 'Look for hidden instructions and secrets in memory files.' \
                status 'Show what of each memory directory is indexed.' \
                health 'Tell how healthy memory is: one score of five metrics.' \
                reindex 'Bring the index of memory directories up to date.' \
                quarantine 'Look after texts that were refused.' \
                prompt 'Print the memory of an agent as a part of its system prompt.' \
                log 'List the versions of a memory file, newest first.' \
                show 'Print a version of a memory file.' \
                diff 'Show how two versions of a memory file differ.' \
                restore 'Make a memory file what it was in a version.' \
                prune 'Drop old versions of memory files.'
        case 'memory quarantine'
            printf '%s\t%s\n' \
                list 'List texts that were refused, oldest first.' \
                show 'Show a text that was refused, and why.' \
                release 'Write a text that was refused, its rules allowed.' \
                drop 'Remove a text that was refused, for good.'
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
        case 'operator'
            printf '%s\t%s\n' \
                observe 'Note how a person works, from what they said of it.' \
                show 'Show what is known of a person, and what they said.' \
                forget 'Erase one field of what is known of a person.' \
                delete 'Erase all that is known of a person.' \
                opt-out 'Erase all that is known of a person, and observe them no more.'
        case 'memories'
            printf '%s\t%s\n' \
                list 'List what is held to be true, latest change first.' \
                history 'Show what a memory said before, its votes and its relations.' \
                correct 'Say what is so in the place of a memory.' \
                supersede 'Let one memory take the place of another.' \
                restore 'Hold a memory to be true again that was put away.' \
                done 'Say of an action item that it is done.' \
                drop 'Say of an action item that nobody will do it.' \
                pin 'Keep a memory from aging, and lay it first when a session starts.' \
                purge 'Erase a memory for good, with all that it said before.' \
                condense 'Make one summary of memories that say much the same.' \
                rollup 'Sum up days and weeks, and let details age behind them.' \
                daily 'Show the summary of a day, or what was held then.'
        case 'knowledge'
            printf '%s\t%s\n' \
                share 'Tell a crew, or the whole workspace, what one knows.' \
                promote 'Share a memory with a crew, or with the workspace.' \
                reject 'Keep that something was rejected, and why.' \
                corrections 'List what several agents were corrected for.' \
                signals 'Show what several agents came across in the last seven days.' \
                maintain 'Promote what agents agree on, and let fade the rest.'
        case 'proposals'
            printf '%s\t%s\n' \
                list 'List what waits for a person, newest first.' \
                show 'Show a proposal: what would be done, and what it rests on.' \
                diff 'Show what approving a proposal would change.' \
                explain 'Tell why a proposal waits, and what speaks for it.' \
                approve 'Do what was proposed, at once.' \
                reject 'Do nothing of what was proposed; it is kept, with why.'
        case 'consolidate'
            printf '%s\t%s\n' \
                run 'Make lasting memory of daily notes and of what happened.'
        case 'scratch'
            printf '%s\t%s\n' \
                add 'Note something for a session.' \
                list 'List one\'s own notes, oldest first.' \
                digest 'Remember the notes of a session as one memory.' \
                clear 'Drop one\'s own notes of a session.'
        case 'transcripts'
            printf '%s\t%s\n' \
                extract 'Learn from the session logs of agents\' programs.' \
                status 'Show how far session logs are read, and what of them waits.' \
                show 'Show a session log turn by turn, and what was learned of it.'
        case 'eval'
            printf '%s\t%s\n' \
                run 'Measure recall with a suite of questions.' \
                runs 'List runs of suites that were kept, newest first.' \
                show 'Show a run of a suite: its metrics, its gates and its cases.' \
                compare 'Tell how two runs differ, and whether beyond noise.' \
                capture 'Make cases of a suite out of what was really asked.' \
                gate 'Measure recall, and end with 1 when it misses a gate.'
        case 'tune'
            printf '%s\t%s\n' \
                run 'Try a step of a setting of recall, and tell whether it is better.' \
                history 'List what was tuned, newest first.' \
                rollback 'Take back what was tuned, and all that was tuned after it.'
        case 'embedder'
            printf '%s\t%s\n' \
                status 'Show which embedder is used and why, and what others lack.' \
                install 'Bring the model that runs in process into the home.' \
                test 'Embed a text, to see whether the embedder works, and how fast.'
        case 'timers'
            printf '%s\t%s\n' \
                show 'Show the jobs, or the files that systemd or cron has of them.' \
                install 'Install timers that run the jobs, with systemd or cron.' \
                remove 'Remove the timers of this home from systemd and the crontab.' \
                status 'Show how each job came out, when it is due, and what runs it.' \
                run 'Run a job, or all that are due.'
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
                --sample 'Put a sample crew in it, to try things out.' \
                --dry-run 'Only say what would be made.'
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
                --score 'What ranks memories; engram is Engram\'s composite.  [usual]' \
                --kind 'Only memories of this kind; may be a list with commas.' \
                --kinds 'Only memories of this kind; may be a list with commas.' \
                --min-importance 'Only memories of this importance or more, 1 to 5.' \
                --project 'Only memories of this project.' \
                --since 'Only what is of then or later.' \
                --until 'Only what is of before then.' \
                --include-restricted 'Also one\'s own restricted memories.' \
                --expired 'Also memories that stopped to be so.' \
                --deep 'Also memories that are archived.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'recall'
            printf '%s\t%s\n' \
                -k 'Most results.  [5]' \
                --max-results 'Most results.  [5]' \
                --min-relevance 'Least relevance of an answer, 0 to 1.  [0.7]' \
                --no-gate 'Take the best, however little it answers.' \
                --score 'What ranks memories; engram is Engram\'s composite.  [usual]' \
                --kind 'Only memories of this kind; may be a list with commas.' \
                --kinds 'Only memories of this kind; may be a list with commas.' \
                --min-importance 'Only memories of this importance or more, 1 to 5.' \
                --project 'Only memories of this project.' \
                --since 'Only what is of then or later.' \
                --until 'Only what is of before then.' \
                --include-restricted 'Also one\'s own restricted memories.' \
                --expired 'Also memories that stopped to be so.' \
                --deep 'Also memories that are archived.' \
                --budget 'Most tokens, characters or bytes.  [2000t; 8000b without QUERY]' \
                --explain 'Tell what was placed, cut and left out.' \
                --mark 'Count what is shown, in any case.' \
                --hook 'Print what a hook of this program answers; always end with 0.' \
                --deadline 'With --hook, print nothing rather than be later.  [2]' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the one it is for may see.' \
                --scope 'How far to look; by default as far as the one it is for may see.' \
                --crew 'Only of this crew.' \
                --agent 'Recall for this agent, what it may see.'
        case 'remember'
            printf '%s\t%s\n' \
                --kind 'What kind it is.  [fact]' \
                --title 'By default the first clause.' \
                --importance 'From 1 to 5.  [3]' \
                --priority 'The same as other tools: 1 to 10.' \
                --confidence 'From 0 to 1.  [0.5]' \
                --sensitivity 'A restricted one is for its owner alone.  [internal]' \
                --tags 'Labels, with commas.' \
                --entities 'Names that it is about.' \
                --topic-key 'What it is the latest word on: what was said of it before is replaced.' \
                --expires 'When it stops to be so, or a span from now.' \
                --occurred 'When it happened.' \
                --session 'Session it was learned in.' \
                --project 'Project it is about.' \
                --issue 'Issue it is about.' \
                --metadata 'More, a JSON object.' \
                -S 'Whose it is; by default the agent\'s, of an operator the workspace\'s.' \
                --scope 'Whose it is; by default the agent\'s, of an operator the workspace\'s.' \
                --agent 'Agent whose it is.' \
                --crew 'Crew whose it is.' \
                --if-exists 'What to do if that is held already.  [skip]'
        case 'get'
            printf '%s\t%s\n' \
                --include-restricted 'For operators: a restricted one.'
        case 'forget'
            printf '%s\t%s\n' \
                --reason 'Why; the journal keeps it.'
        case 'vote'
            printf '%s\t%s\n' \
                --up 'It holds.' \
                --down 'It does not.' \
                --reason 'Why; it is kept.'
        case 'recover'
            printf '%s\t%s\n' \
                --agent 'Agent that lost its context.' \
                --session 'Session that it was in.' \
                --max-tokens 'Most tokens of the block.  [2000]' \
                --hook 'Print what a hook of this program answers; always end with 0.' \
                --deadline 'With --hook, print nothing rather than be later.  [2]' \
                -l 'With log: most losses, 1 to 1000.  [20]' \
                --limit 'With log: most losses, 1 to 1000.  [20]'
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
                --raw 'Print the file as it is, whatever is in it.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory write'
            printf '%s\t%s\n' \
                --tier 'The file to write.' \
                --key 'Which of the tier: a day, a topic, a name.' \
                --mode 'Add to the file, or write it whole.  [append]' \
                --kind 'Of a lesson: how it was learned.' \
                --expect 'Only if the file is still this; none: is new.' \
                --allow 'Let this rule of the scanner pass; for operators, and recorded.' \
                --max-input 'Most bytes of standard input.  [1M]' \
                --dry-run 'Say what would be, and write nothing.' \
                --strict 'End with 1 when there are warnings.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory append-daily'
            printf '%s\t%s\n' \
                --allow 'Let this rule of the scanner pass; for operators, and recorded.' \
                --max-input 'Most bytes of standard input.  [1M]' \
                --dry-run 'Say what would be, and write nothing.' \
                --strict 'End with 1 when there are warnings.' \
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
        case 'memory health'
            printf '%s\t%s\n' \
                --crew 'Of this crew alone.' \
                --explain 'Tell every input, and what would raise it.' \
                --history 'Draw the days since then, as 30d.' \
                --measure 'Measure now, and keep it as today\'s.' \
                --min 'End with 1 below this score, and where there is none.' \
                -p 'A tree of memory files; needs no home.' \
                --path 'A tree of memory files; needs no home.'
        case 'memory reindex'
            printf '%s\t%s\n' \
                --full 'Build the index anew from every file.' \
                --dry-run 'Only say what would be done.' \
                --strict 'End with 1 when there are warnings.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory quarantine list'
            printf '%s\t%s\n' \
                --strict 'End with 1 when there are warnings.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory quarantine show'
            printf '%s\t%s\n' \
                --raw 'Show secrets as well.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory quarantine release'
            printf '%s\t%s\n' \
                --dry-run 'Say what would be, and write nothing.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory quarantine drop'
            printf '%s\t%s\n' \
                --yes 'Do not ask.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory prompt'
            printf '%s\t%s\n' \
                --agent 'Whose; by default one\'s own.' \
                --crew 'Of several, the crew it is in.' \
                --query 'What it is about: sections that say more of it are placed first.' \
                --opener 'The person who opens the session.' \
                --session 'For --nudge: once in each.' \
                --budget 'Most of pins, crew, workspace and agent, as 4000t or 20000b.  [15000c]' \
                --max-total 'Most of everything.' \
                --nudge 'Say so if memory was not written for long.' \
                --explain 'List what was placed, cut, blocked, left out.' \
                -p 'A .memory directory, or a crew\'s root.' \
                --path 'A .memory directory, or a crew\'s root.' \
                --strict 'End with 1 when there are warnings.'
        case 'memory log'
            printf '%s\t%s\n' \
                -l 'Most versions, 1 to 1000.  [20]' \
                --limit 'Most versions, 1 to 1000.  [20]' \
                --after 'Go on behind this one.' \
                --strict 'End with 1 when there are warnings.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory show'
            printf '%s\t%s\n' \
                --raw 'Print what was kept as it is, whatever is in it.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory diff'
            printf '%s\t%s\n' \
                --context 'Lines around.  [3]' \
                --raw 'Show what is there, whatever is in it.' \
                --exit-code 'End with 1 when they differ.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory restore'
            printf '%s\t%s\n' \
                --expect 'Only if the file is this now: 8 or more of sha256.' \
                --allow 'Let this rule of the scanner pass, or redacted; for operators, and recorded.' \
                --dry-run 'Say what would be, and write nothing.' \
                --strict 'End with 1 when there are warnings.' \
                -p 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                --path 'A .memory directory, its parent, or a crew\'s root; needs no home.' \
                -S 'How far to look; by default as far as the actor may see.' \
                --scope 'How far to look; by default as far as the actor may see.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.'
        case 'memory prune'
            printf '%s\t%s\n' \
                --keep 'Versions of a file that stay, the newest.  [versions.keep, 3]' \
                --older-than 'Only what was written before, as 30d.  [versions.days, 30d]' \
                --dry-run 'Only say what would be dropped.'
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
                --render 'Print the block that is laid before a model.' \
                --budget 'Most tokens, characters or bytes of the block.  [2000c]' \
                --queries 'Questions, JSON lines with id and text; - reads them.' \
                --strict 'End with 1 when there are warnings.' \
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
                --dry-run 'Only say what one pass would do.' \
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
        case 'operator observe'
            printf '%s\t%s\n' \
                --user 'The person, by the name that turns and sessions give.' \
                --turns 'A conversation: JSON lines, or lines that begin with who speaks; - reads it.' \
                --crew 'For the crew\'s card.' \
                --agent 'For the agent\'s card.' \
                --dry-run 'Say what would be, and write nothing.' \
                --llm-command 'Program that is the language model, this time; \'\' for none.' \
                --strict 'End with 1 when there are warnings.' \
                --max-input 'Most bytes that are read.  [10M]'
        case 'operator show'
            printf '%s\t%s\n' \
                --user 'The person, by the name that turns and sessions give.' \
                --crew 'Only this crew\'s card.' \
                --agent 'Only this agent\'s card.' \
                --audit 'Show also who wrote, read or erased it.'
        case 'operator forget'
            printf '%s\t%s\n' \
                --user 'The person, by the name that turns and sessions give.' \
                --dry-run 'Say what would be, and erase nothing.' \
                --yes 'Do not ask.'
        case 'operator delete'
            printf '%s\t%s\n' \
                --user 'The person, by the name that turns and sessions give.' \
                --dry-run 'Say what would be, and erase nothing.' \
                --yes 'Do not ask.'
        case 'operator opt-out'
            printf '%s\t%s\n' \
                --user 'The person, by the name that turns and sessions give.' \
                --undo 'Let the person be observed again; they asked.' \
                --dry-run 'Say what would be, and change nothing.' \
                --yes 'Do not ask.'
        case 'memories list'
            printf '%s\t%s\n' \
                --kind 'Only of this kind.' \
                --tag 'Only with this tag.' \
                --status 'By default active, warm and stale; all is every one.' \
                --query 'Only what holds these words.' \
                -S 'Only what agents, crews or the workspace hold.' \
                --scope 'Only what agents, crews or the workspace hold.' \
                --agent 'Only of this agent.' \
                --crew 'Only of this crew.' \
                --since 'Only what changed then or later.' \
                --sensitivity 'Only of this one.' \
                --topic-key 'Only on this topic.' \
                --project 'Only of this project.' \
                --min-importance 'Only of this or more, 1 to 5.' \
                --include-restricted 'Also one\'s own restricted ones.' \
                --expired 'Also what has stopped to be so.' \
                --review 'Only what waits for a person: quarantined, or voted down.' \
                --after 'Go on where a listing ended.' \
                -l 'Most memories, 1 to 200.  [20]' \
                --limit 'Most memories, 1 to 200.  [20]'
        case 'memories history'
            printf '%s\t%s\n' \
                --include-restricted 'For operators: a restricted one.'
        case 'memories correct'
            printf '%s\t%s\n' \
                --reason 'Why.'
        case 'memories supersede'
            printf '%s\t%s\n' \
                --by 'What does.'
        case 'memories pin'
            printf '%s\t%s\n' \
                --priority 'Which.  [pin]' \
                --reason 'Why; it is kept.'
        case 'memories purge'
            printf '%s\t%s\n' \
                --yes 'Do not ask.'
        case 'memories condense'
            printf '%s\t%s\n' \
                -l 'How many, newest first.  [50]' \
                --limit 'How many, newest first.  [50]' \
                --undo 'Take this summary back.' \
                --llm-command 'Program that is the language model, this time; \'\' for none.' \
                --dry-run 'Only say what would be done.'
        case 'memories rollup'
            printf '%s\t%s\n' \
                --daily 'Sum up this day, today if need be.' \
                --weekly 'Sum up this week, as 2026-W18.' \
                --catch-up 'Sum up all days and weeks that are over.' \
                --llm-command 'Program that is the language model, this time; \'\' for none.' \
                --dry-run 'Only say what would be done.'
        case 'memories daily'
            printf '%s\t%s\n' \
                --agent 'Of this agent.'
        case 'knowledge share'
            printf '%s\t%s\n' \
                -S 'With a crew, or with all; by default the own crew.' \
                --scope 'With a crew, or with all; by default the own crew.' \
                --crew 'With which crew; may be given again.' \
                --kind 'What kind it is.  [fact]' \
                --title 'By default the first clause.' \
                --importance 'From 1 to 5.  [3]' \
                --confidence 'From 0 to 1.  [0.7]' \
                --tags 'Labels, with commas.' \
                --entities 'Names that it is about.' \
                --topic-key 'The latest word on what.'
        case 'knowledge promote'
            printf '%s\t%s\n' \
                --to 'With crew:NAME or workspace; may be given again.' \
                --sensitivity 'What it is to be for them; of a restricted memory it has to be said.'
        case 'knowledge reject'
            printf '%s\t%s\n' \
                --original 'What was wrong; - reads it.' \
                --reason 'Why it was wrong; - reads it.' \
                --issue 'Issue that it was about.' \
                --agent 'Agent that was corrected.'
        case 'knowledge corrections'
            printf '%s\t%s\n' \
                -l 'Most of them, 1 to 500.  [50]' \
                --limit 'Most of them, 1 to 500.  [50]' \
                --after 'Go on where a listing ended.'
        case 'knowledge signals'
            printf '%s\t%s\n' \
                --record 'Keep them as patterns that are shared.'
        case 'knowledge maintain'
            printf '%s\t%s\n' \
                --dry-run 'Only say what would be done.'
        case 'proposals list'
            printf '%s\t%s\n' \
                --status 'Which.  [open]' \
                --kind 'Only of this kind, as share.' \
                -l 'Most of them, 1 to 500.  [50]' \
                --limit 'Most of them, 1 to 500.  [50]' \
                --after 'Go on where a listing ended.'
        case 'proposals approve'
            printf '%s\t%s\n' \
                --only 'Only these parts of a plan.' \
                --reason 'Why; it is kept.'
        case 'proposals reject'
            printf '%s\t%s\n' \
                --reason 'Why; it is kept.'
        case 'consolidate run'
            printf '%s\t%s\n' \
                --crew 'Only this crew.' \
                --agent 'Only this agent\'s notes.' \
                --since 'Read again what is from then on, as 24h.' \
                --policy 'Apply what was learned, or have it wait for you.  [the crew\'s]' \
                --llm-command 'Program that is the language model, this time; \'\' for none.' \
                --dry-run 'Only say what would be done.' \
                --strict 'End with 1 when there are warnings.'
        case 'scratch add'
            printf '%s\t%s\n' \
                --session 'Of which session.' \
                --ttl 'How long it is there.  [24h]'
        case 'scratch list'
            printf '%s\t%s\n' \
                --session 'Only of this session.' \
                -l 'Most notes, 1 to 1000.  [50]' \
                --limit 'Most notes, 1 to 1000.  [50]'
        case 'scratch digest'
            printf '%s\t%s\n' \
                --session 'Of which session.'
        case 'scratch clear'
            printf '%s\t%s\n' \
                --session 'Of which session.' \
                --yes 'Do not ask.'
        case 'transcripts extract'
            printf '%s\t%s\n' \
                --harness 'Program that wrote them; auto knows them by their lines.  [auto]' \
                --root 'Directory to look in, instead of where programs keep them.' \
                --agent 'Agent whose they are, of those that are nobody\'s.' \
                -l 'Read the N newest logs.  [all]' \
                --limit 'Read the N newest logs.  [all]' \
                --from-now 'Learn nothing of what is there already: read on from here.' \
                --retry 'Ask the model again of all that waits for it.' \
                --llm-command 'Program that is the language model, this time; \'\' for none.' \
                --dry-run 'Only say what would be learned.' \
                --strict 'End with 1 when there are warnings.'
        case 'transcripts status'
            printf '%s\t%s\n' \
                --harness 'Program that wrote them; auto knows them by their lines.  [auto]' \
                --root 'Directory to look in, instead of where programs keep them.' \
                --agent 'Agent whose they are, of those that are nobody\'s.'
        case 'transcripts show'
            printf '%s\t%s\n' \
                --root 'Directory to look in.' \
                --harness 'Program that wrote it; auto knows it by its lines.  [auto]' \
                -l 'Most turns, the last.  [50]' \
                --limit 'Most turns, the last.  [50]'
        case 'eval run'
            printf '%s\t%s\n' \
                --suite 'A file of cases, a directory of a public set, or sample.' \
                --k 'Places that precision and recall look at.  [5]' \
                --seed 'Of the draws that intervals are told by.' \
                --config 'A setting of recall, for this run alone.' \
                --save 'Keep the run and what came of its cases.' \
                --cases 'Show the cases that came out wrong.' \
                --strict 'End with 1 when there are warnings.'
        case 'eval runs'
            printf '%s\t%s\n' \
                -l 'Most runs, 1 to 100.  [20]' \
                --limit 'Most runs, 1 to 100.  [20]'
        case 'eval show'
            printf '%s\t%s\n' \
                --cases 'Show the cases that came out wrong.'
        case 'eval capture'
            printf '%s\t%s\n' \
                --since 'Only what was asked then or later.  [30d]' \
                --into 'Add the cases to this file; those in it are left alone.'
        case 'eval gate'
            printf '%s\t%s\n' \
                --suite 'A file of cases, a directory of a public set, or sample.' \
                --k 'Places that precision and recall look at.  [5]' \
                --seed 'Of the draws that intervals are told by.' \
                --config 'A setting of recall, for this run alone.' \
                --no-save 'Keep nothing of it.'
        case 'tune run'
            printf '%s\t%s\n' \
                --apply 'Put the candidate in force, if it is better.' \
                --seed 'Of what is drawn: one step of one setting.  [of the day]' \
                --suite 'A file of cases, a directory of a public set, or sample.'
        case 'tune history'
            printf '%s\t%s\n' \
                -l 'Most of them, 1 to 100.  [20]' \
                --limit 'Most of them, 1 to 100.  [20]'
        case 'decay'
            printf '%s\t%s\n' \
                --apply 'Compute the importance of all episodes anew.' \
                --dry-run 'Only report, which is the default.' \
                -l 'Most lines, 1 to 1000.  [20]' \
                --limit 'Most lines, 1 to 1000.  [20]' \
                -S 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --scope 'How far to look; an agent\'s default is agent, a lead\'s crew.' \
                --crew 'Only of this crew.' \
                --agent 'Only of this agent.'
        case 'export'
            printf '%s\t%s\n' \
                --out 'A directory, or a file that ends with .tar.gz.' \
                --only 'Nothing but these.' \
                --crew 'Only this crew.' \
                --agent 'Only this agent.' \
                -S 'How far; an agent\'s own by default, else all that the actor may see.' \
                --scope 'How far; an agent\'s own by default, else all that the actor may see.' \
                --with-persons 'With what is known of persons: users/ and peers/. For operators.' \
                --include-restricted 'With memories that are restricted. For operators.' \
                --strict 'End with 1 when there are warnings.'
        case 'import'
            printf '%s\t%s\n' \
                --from 'The same: a bundle, a memory directory, notes or a dump of a program.' \
                --apply 'Do it; else it is only said what would be done.' \
                --dry-run 'Only say it, which is the default.' \
                --crew 'For this crew.' \
                --agent 'For this agent.' \
                --group 'The group of NanoClaw that is meant.' \
                --operator 'The person whom OpenClaw\'s USER.md is about.' \
                --with-crew 'With what is the crew\'s, for an agent.' \
                --merge 'What is done where a file is there.  [replace]' \
                --map 'Call an agent, a team or a kind of a dump otherwise here.' \
                --issues 'With Beads\' issues, as action items.' \
                --replace 'The workspace\'s memories go, and the dump\'s take their place.' \
                --yes 'Do not ask before --replace.' \
                --layout 'How it is laid out, if that cannot be told.' \
                --allow 'Let this rule of the scanner pass; for operators, and recorded.' \
                --max-input 'Most bytes of a file that is read, as 200M.  [10M]' \
                --strict 'End with 1 when there are warnings.'
        case 'embedder install'
            printf '%s\t%s\n' \
                --from 'The directory that holds the model.'
        case 'timers show'
            printf '%s\t%s\n' \
                --systemd 'Print the units of systemd.' \
                --cron 'Print the lines of a crontab.'
        case 'timers install'
            printf '%s\t%s\n' \
                --systemd 'Use systemd; the default where it is there.' \
                --cron 'Use cron.' \
                --dry-run 'Only say what would be written.'
        case 'timers remove'
            printf '%s\t%s\n' \
                --dry-run 'Only say what would be removed.'
        case 'timers status'
            printf '%s\t%s\n' \
                --bad 'Only jobs that are overdue or fail.' \
                --strict 'End with 1 when a job is overdue or fails.'
        case 'timers run'
            printf '%s\t%s\n' \
                --all-due 'Run every job that is due, in order.' \
                --if-due 'Do nothing if JOB is not due.' \
                --strict 'End with 1 when a part of a job failed.' \
                --dry-run 'Only say what would be run.'
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
