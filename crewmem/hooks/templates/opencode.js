const TOOLS = ["read", "edit", "write", "apply_patch", "bash"];

export const Crewmem = async ({ directory }) => {
  const started = new Set();
  const describe = (session) => ({ session_id: session, cwd: directory });
  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id ?? "";
      if (!session) return;
      if (event.type === "session.compacted") {
        pending.delete(session); // the context was lost, so texts are given again
        await ask("PostCompact", describe(session));
      }
      if (event.type === "session.idle") await ask("Stop", describe(session));
      if (event.type === "session.deleted") await ask("SessionEnd", describe(session));
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID;
      const prompt = output.parts.filter((p) => p.type === "text").map((p) => p.text).join("\n");
      if (!started.has(session)) {
        started.add(session);
        // Given texts are stored only in this process, so a new process starts without them.
        keep(session, await ask("SessionStart", describe(session), { source: "clear" }));
      }
      keep(session, await ask("UserPromptSubmit", describe(session), { prompt }));
    },
    "experimental.chat.system.transform": async (input, output) => {
      const texts = pending.get(input.sessionID);
      if (texts) output.system.push(texts.join("\n\n"));
    },
    "tool.execute.before": async (input, output) => {
      const { tool, sessionID: session } = input;
      if (!TOOLS.includes(tool)) return;
      keep(session, await ask("PreToolUse", describe(session), { tool_input: output.args }));
    },
    "tool.execute.after": async (input, output) => {
      const { tool, sessionID: session } = input;
      if (!TOOLS.includes(tool)) return;
      const status = output.metadata?.exit ?? 0;
      if (!status) return;
      const answer = { exit_code: status, output: output.output };
      const about = { tool_input: input.args, tool_response: answer };
      const text = await ask("PostToolUse", describe(session), about);
      if (text) output.output += `\n\n${text}`;
    },
  };
};
