// Written by `crewmem hooks install openclaw`; `crewmem hooks remove openclaw` takes it out.
// Asks crewmem what is known, and tells it when a session can be saved.
import { spawn } from "node:child_process";

const COMMAND = @COMMAND@;
const LIMIT_MS = 5000;

function ask(event) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
    let output = "";
    const timer = setTimeout(() => child.kill(), LIMIT_MS);
    child.on("error", () => resolve(""));
    child.on("close", () => {
      clearTimeout(timer);
      try {
        resolve(JSON.parse(output).context ?? "");
      } catch {
        resolve("");
      }
    });
    child.stdout.on("data", (data) => (output += data));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });
}

export default {
  id: "crewmem",
  name: "crewmem",
  description: "Memory across sessions",
  register(api) {
    const started = new Set();
    const pending = new Map();
    const describe = (event, ctx) => ({
      session: ctx?.sessionId ?? event?.sessionId ?? ctx?.sessionKey ?? "",
      directory: ctx?.workspaceDir ?? process.cwd(),
    });
    const keep = (session, text) => {
      if (text) pending.set(session, [...(pending.get(session) ?? []), text]);
    };
    api.on("before_prompt_build", async (event, ctx) => {
      const about = describe(event, ctx);
      const texts = [];
      if (!started.has(about.session)) {
        started.add(about.session);
        texts.push(await ask({ event: "start", ...about }));
      }
      texts.push(await ask({ event: "prompt", ...about, prompt: event.prompt ?? "" }));
      texts.push(...(pending.get(about.session) ?? []));
      pending.delete(about.session);
      const prependContext = texts.filter(Boolean).join("\n\n");
      return prependContext ? { prependContext } : undefined;
    });
    api.on("before_tool_call", async (event, ctx) => {
      const about = describe(event, ctx);
      keep(about.session, await ask({ event: "before_tool", ...about, args: event.params ?? {} }));
    });
    api.on("after_tool_call", async (event, ctx) => {
      if (!event.error) return;
      const about = describe(event, ctx);
      const error = String(event.error);
      keep(about.session, await ask({ event: "after_tool", ...about, args: event.params ?? {}, error }));
    });
    api.on("after_compaction", (event, ctx) => ask({ event: "compacted", ...describe(event, ctx) }));
    api.on("before_compaction", (event, ctx) => ask({ event: "sync", ...describe(event, ctx) }));
    api.on("agent_end", (event, ctx) => ask({ event: "sync", ...describe(event, ctx) }));
    api.on("session_end", (event, ctx) => ask({ event: "end", ...describe(event, ctx) }));
  },
};
