"""The command line: what people, scripts and timers type.

A command is in the module of its name, as `table` lists them: ``memory search`` in
``memory/search.py``. A folder that is called like no command holds what several share.
What else lies here:

- to run a command line: `root`, `command`, `app`, `late`, `hooks`, `incident`, `user`
- to answer: `output`, `grid`, `folding`, `text`, `spelled`, `progress`, `confirm`
- help and completion: `table`, `help`, `unknown`, `names`
- what was typed: `typed`, `places`, `scope_choice`, `sieve`, `reasons`
- to open what is kept: `access` (indexes), `journals`, `remembered` (episodes), `held`
  (memories), `registered` (who works here), `persons` (who opted out)
- to ask: `scanner`, `llm`, `sensing` (the vectors of memories)
- memory files: `writing`, `writing_place`, `recording` (changes by other means)
- what is found: `hits`, `searched` (kept for a while)
- members, votes, sharing: `members`, `voting`, `sharing`
- health: `scene` (what doctor looks at), `status_shown`, `measuring`, `decaying`
- bundles: `exporting`
"""
