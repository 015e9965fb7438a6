// Written by `crewmem hooks install @PROGRAM@`; `crewmem hooks remove @PROGRAM@` removes it.
// Asks crewmem for memory, and tells it when to read a session.
import { spawn } from "node:child_process";

const COMMAND = @COMMAND@;
const LIMIT_MS = 5000;

function ask(name, about, more = {}) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
    let output = "";
    const timer = setTimeout(() => child.kill(), LIMIT_MS);
    child.on("error", () => resolve(""));
    child.on("close", () => {
      clearTimeout(timer);
      try {
        resolve(JSON.parse(output).hookSpecificOutput.additionalContext);
      } catch {
        resolve("");
      }
    });
    child.stdout.on("data", (data) => (output += data));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify({ hook_event_name: name, ...about, ...more }));
  });
}

const pending = new Map();

function keep(session, text) {
  if (text) pending.set(session, [...(pending.get(session) ?? []), text]);
}

