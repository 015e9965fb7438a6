export default {
  id: "crewmem",
  name: "crewmem",
  description: "Memory across sessions",
  register(api) {
    const started = new Set();
    const describe = (event, ctx) => ({
      session_id: ctx?.sessionId ?? event?.sessionId ?? ctx?.sessionKey ?? "",
      cwd: ctx?.workspaceDir ?? process.cwd(),
    });
    api.on("before_prompt_build", async (event, ctx) => {
      const about = describe(event, ctx);
      const texts = [];
      if (!started.has(about.session_id)) {
        started.add(about.session_id);
        texts.push(await ask("SessionStart", about));
      }
      texts.push(await ask("UserPromptSubmit", about, { prompt: event.prompt ?? "" }));
      texts.push(...(pending.get(about.session_id) ?? []));
      pending.delete(about.session_id);
      const prependContext = texts.filter(Boolean).join("\n\n");
      return prependContext ? { prependContext } : undefined;
    });
    api.on("before_tool_call", async (event, ctx) => {
      const about = describe(event, ctx);
      keep(about.session_id, await ask("PreToolUse", about, { tool_input: event.params ?? {} }));
    });
    api.on("after_tool_call", async (event, ctx) => {
      if (!event.error) return;
      const about = describe(event, ctx);
      const failed = { tool_input: event.params ?? {}, error: String(event.error) };
      keep(about.session_id, await ask("PostToolUse", about, failed));
    });
    api.on("after_compaction", (event, ctx) => {
      const about = describe(event, ctx);
      pending.delete(about.session_id); // the context was lost, so texts are given again
      return ask("PostCompact", about);
    });
    api.on("before_compaction", (event, ctx) => ask("PreCompact", describe(event, ctx)));
    api.on("agent_end", (event, ctx) => ask("Stop", describe(event, ctx)));
    api.on("session_end", (event, ctx) => ask("SessionEnd", describe(event, ctx)));
  },
};
