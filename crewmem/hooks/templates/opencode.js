// Written by `crewmem hooks install opencode`; `crewmem hooks remove opencode` takes it out.
// Asks crewmem what is known, and tells it when a session can be saved.
import { spawn } from "node:child_process";

const COMMAND = @COMMAND@;
const LIMIT_MS = 5000;

function ask(event) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
    let output = "";
    const done = () => {
      clearTimeout(timer);
      try {
        resolve(JSON.parse(output).context ?? "");
      } catch {
        resolve("");
      }
    };
    const timer = setTimeout(() => child.kill(), LIMIT_MS);
    child.on("error", () => resolve(""));
    child.on("close", done);
    child.stdout.on("data", (data) => (output += data));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });
}

export const Crewmem = async ({ directory }) => {
  const started = new Set();
  const pending = new Map();
  const keep = (session, text) => {
    if (text) pending.set(session, [...(pending.get(session) ?? []), text]);
  };
  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id ?? "";
      if (!session) return;
      if (event.type === "session.compacted") {
        pending.delete(session); // what it was given is lost, and is given again
        await ask({ event: "compacted", session, directory });
      }
      if (event.type === "session.idle") await ask({ event: "sync", session, directory });
      if (event.type === "session.deleted") await ask({ event: "end", session, directory });
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID;
      const prompt = output.parts.filter((p) => p.type === "text").map((p) => p.text).join("\n");
      if (!started.has(session)) {
        started.add(session);
        // What a session is given lives in this process: a new one has nothing of it.
        keep(session, await ask({ event: "start", session, directory, forgetful: true }));
      }
      keep(session, await ask({ event: "prompt", session, directory, prompt }));
    },
    "experimental.chat.system.transform": async (input, output) => {
      const texts = pending.get(input.sessionID);
      if (texts) output.system.push(texts.join("\n\n"));
    },
    "tool.execute.before": async (input, output) => {
      const { tool, sessionID: session } = input;
      if (!["read", "edit", "write", "bash"].includes(tool)) return;
      keep(session, await ask({ event: "before_tool", session, directory, args: output.args }));
    },
    "tool.execute.after": async (input, output) => {
      const { tool, sessionID: session } = input;
      if (!["read", "edit", "write", "bash"].includes(tool)) return;
      const status = output.metadata?.exit ?? 0;
      if (!status) return;
      const result = { exit_code: status, output: output.output };
      const text = await ask({ event: "after_tool", session, directory, args: input.args, result });
      if (text) output.output += `\n\n${text}`;
    },
  };
};
