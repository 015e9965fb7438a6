"use strict";
// Draws the sections of the page from its data. All texts are inserted as text: stored texts are
// never parsed as HTML, addresses or scripts.

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const meta = data.meta;
  const PAGE_SIZE = 100;
  const DAY = 86400000;

  // ---- Elements and texts

  const HIDDEN =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\u{e0000}-\u{e007f}]/gu;

  // Characters that hide or reorder text are shown by their codes.
  function visible(text) {
    return String(text).replace(
      HIDDEN,
      (found) => `⟨U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
    );
  }

  function append(parent, children) {
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false || child === "") continue;
      parent.append(child instanceof Node ? child : visible(child));
    }
    return parent;
  }

  // h("a", {href: "#facts", class: "x"}, "text", element…)
  function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, value === true ? "" : visible(value));
    }
    return append(element, children);
  }

  function s(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else element.setAttribute(name, visible(value));
    }
    return append(element, children);
  }

  const number = new Intl.NumberFormat("en");
  const count = (n, one, many) => `${number.format(n)} ${n === 1 ? one : many || one + "s"}`;
  const percent = (share) => `${Math.round(share * 100)} %`;
  const round = (n) => (n === null ? "n/a" : String(Math.round(n)));
  const words = (text) => String(text).replace(/_/g, " ");

  function size(bytes) {
    if (bytes < 1000) return `${bytes} B`;
    if (bytes < 1000000) return `${(bytes / 1000).toFixed(1)} kB`;
    return `${(bytes / 1000000).toFixed(1)} MB`;
  }

  function age(local) {
    if (!local) return "";
    const days = Math.floor((stamp(meta.made_at) - stamp(local)) / DAY);
    if (days < 0) return "later";
    if (days === 0) return "today";
    if (days === 1) return "yesterday";
    if (days < 60) return `${days} days ago`;
    if (days < 730) return `${Math.round(days / 30.4)} months ago`;
    return `${Math.round(days / 365)} years ago`;
  }

  // Local times are compared as if they were UTC, so the page needs no time zones.
  const stamp = (local) => Date.parse(`${(local.length > 10 ? local : `${local} 00:00`).replace(" ", "T")}Z`);
  const dayOf = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10);

  const anchor = (kind, id) => `#${kind}/${encodeURIComponent(id)}`;
  const filtered = (section, filters) => `#${section}?${new URLSearchParams(filters)}`;
  const ACTORS = { "operator:unknown": "operator", "system:crewmem": "crewmem" };
  const actorName = (actor) => ACTORS[actor] || actor.replace(/^lead:/, "agent:"); // a lead is an agent, too
  const time = (local) => h("time", { title: age(local) }, local);
  const command = (words) => `${meta.prefix} ${words}${meta.suffix}`;

  // A word of a command line, quoted for a shell.
  const quote = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

  // An operator who writes for an agent must name it.
  const someAgent = data.overview && data.overview.agents.length ? data.overview.agents[0].slug : "";
  const forAgent = (words) => command(someAgent ? `${words} --agent ${someAgent}` : "crew add web --lead ada");

  // ---- Parts that several sections share

  function panel(title, ...children) {
    return h("section", { class: "panel" }, title && h("h3", {}, title), children);
  }

  function shellCommand(text) {
    const code = h("code", {}, text.split(" ").flatMap((word, i) => [i ? " " : "", h("span", {}, word.split(/(?<=[/:])/).flatMap((part, j) => [j ? h("wbr") : "", part]))])); // a line ends between words, or parts of a path
    const button = h(
      "button",
      {
        type: "button",
        class: "copy",
        "aria-label": `Copy: ${text}`,
        onclick: () => {
          const range = document.createRange();
          range.selectNodeContents(code);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          const done = () => {
            button.textContent = "Copied";
            setTimeout(() => (button.textContent = "Copy"), 1500);
          };
          if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {});
        },
      },
      "Copy",
    );
    return h("div", { class: "command" }, code, button);
  }

  // The content of an empty part. For a directory without a home it suggests only commands that read.
  function empty(text, ...commands) {
    if (meta.suffix) commands = commands.filter((each) => each.includes(" memory read "));
    return h("div", { class: "empty" }, h("p", {}, text), commands.map((each) => shellCommand(each)));
  }

  const chip = (text, tone) => h("span", { class: `chip ${tone || ""}` }, text);

  function meter(label, value, shown, tone) {
    return h(
      "div",
      { class: "meter" },
      h("span", { class: "label" }, label),
      bar(value, tone),
      h("span", { class: "value" }, shown),
    );
  }

  // A filled bar: share is 0 to 1; a larger value fills it.
  function bar(share, tone) {
    const width = Math.max(0, Math.min(1, share || 0)) * 100;
    return s(
      "svg",
      { class: `bar ${tone || ""}`, viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "track", width: 100, height: 6 }),
      s("rect", { class: "fill", width, height: 6 }),
    );
  }

  // A line of values from 0 to top, faint where values are missing.
  function sparkline(values, label, top = 100) {
    const known = values.filter((value) => value !== null);
    if (known.length < 2) return h("span");
    const step = 120 / Math.max(1, values.length - 1);
    const runs = [[]];
    values.forEach((value, i) => {
      if (value === null) runs.push([]);
      else runs.at(-1).push([(i * step).toFixed(1), (26 - (value / top) * 22).toFixed(1)]);
    });
    const last = runs.flat().at(-1);
    return s(
      "svg",
      { class: "spark", viewBox: "-3 0 126 30", role: "img", "aria-label": `${label}: ${round(known[0])} to ${round(known.at(-1))}` },
      s("line", { class: "base", x1: 0, x2: 120, y1: 26, y2: 26 }),
      s("polyline", { class: "gap", points: runs.flat().map((point) => point.join(",")).join(" ") }),
      runs.map((run) => (run.length > 1
        ? s("polyline", { points: run.map((point) => point.join(",")).join(" ") })
        : run.map(([cx, cy]) => s("circle", { cx, cy, r: 1.5 })))),
      s("circle", { cx: last[0], cy: last[1], r: 2.5 }),
    );
  }

  function table(headings, rows, options = {}) {
    const right = options.right || [], wide = options.wide || [];
    const cell = (tag, i, content, extra) =>
      h(tag, { class: right.includes(i) ? "right" : wide.includes(i) ? "wide" : null, ...extra }, content);
    return h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": options.label },
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, headings.map((heading, i) => cell("th", i, heading, { scope: "col" })))),
        h("tbody", {}, rows.map((row) => h("tr", {}, row.map((each, i) => cell("td", i, h("div", {}, each), { "data-label": headings[i] }))))),
      ),
    );
  }

  function diff(lines) {
    const tags = { "+": "ins", "-": "del", "@": "b" };
    return h(
      "pre",
      { class: "diff", tabindex: "0", role: "group", "aria-label": "What changed" },
      lines.map((line) => h(/^(\+\+\+|---) /.test(line) ? "b" : tags[line[0]] || "span", {}, `${line}\n`)),
    );
  }

  // Rows of a long list: the first ones, and a button for more.
  function paged(items, draw, into, more = PAGE_SIZE) {
    let shown = 0;
    const button = h("button", { type: "button", class: "more" });
    const add = () => {
      const focus = shown > 0;
      const next = items.slice(shown, shown + more);
      shown += next.length;
      const drawn = draw(next);
      into.append(...[drawn].flat(Infinity));
      const left = items.length - shown;
      button.textContent = left > more ? `Show ${number.format(more)} more of ${number.format(left)}` : `Show the other ${number.format(left)}`;
      button.hidden = shown >= items.length;
      if (focus && button.hidden) into.closest("section").querySelector("h2").focus();
    };
    button.addEventListener("click", add);
    add();
    return [into, button];
  }

  // A part that is drawn when it is first opened.
  function fold(attributes, summary, draw) {
    const body = h("div");
    const part = h("details", attributes, h("summary", {}, summary), body);
    part.fill = () => { if (part.open && !body.hasChildNodes()) append(body, [draw()]); };
    part.addEventListener("toggle", part.fill);
    part.fill();
    return part;
  }

  const foldGroup = (title, n, isOpen, draw) => fold({ class: "fold", open: isOpen }, h("h3", {}, title, " ", h("span", { class: "number" }, n)), draw);

  function select(label, choices, onchange, any, chosen) {
    return h(
      "label",
      { class: "field" },
      h("span", {}, label),
      h(
        "select",
        { onchange: (event) => onchange(event.target.value) },
        h("option", { value: "" }, any),
        choices.map((choice) => h("option", { value: choice, selected: choice === chosen }, words(choice))),
      ),
    );
  }

  function searchField(label, oninput, value) {
    let waiting = 0;
    return h(
      "label",
      { class: "field grow" },
      h("span", {}, label),
      h("input", {
        type: "search",
        autocomplete: "off",
        spellcheck: "false",
        value,
        oninput: (event) => {
          clearTimeout(waiting);
          waiting = setTimeout(() => oninput(event.target.value.trim().toLowerCase()), 120);
        },
      }),
    );
  }

  const unique = (values) => [...new Set(values.filter(Boolean))].sort();
  const matches = (text, needle) => needle.split(/\s+/).every((word) => text.includes(word));

  // Inline marks of markdown: code, strong, emphasis, links as text.
  function inline(text) {
    const parts = [];
    const mark =
      /\\([!-/:-@[-`{-~])|`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\s][^*\n]*)\*(?!\w)|(?<!\w)_([^_\s][^_\n]*)_(?!\w)|!?\[([^\]\n]*)\]\(([^)\n]*)\)/g;
    let at = 0;
    for (const found of text.matchAll(mark)) {
      parts.push(text.slice(at, found.index));
      const [whole, escaped, code, strong, em, em2, label, address] = found;
      if (escaped !== undefined) parts.push(escaped);
      else if (code !== undefined) parts.push(h("code", {}, code));
      else if (strong !== undefined) parts.push(h("strong", {}, strong));
      else if (label !== undefined) parts.push(h("span", { class: "link" }, label || address), address ? h("span", { class: "address" }, ` (${address})`) : "");
      else parts.push(h("em", {}, em || em2));
      at = found.index + whole.length;
    }
    parts.push(text.slice(at));
    return parts;
  }

  function markdown(blocks) {
    const root = h("div", { class: "markdown" });
    let lists = [];
    for (const [kind, level, text, line, ordinal] of blocks) {
      const begins = { "data-line": line };
      if (kind !== "item") lists = [];
      if (kind === "item") {
        const depth = Math.min(Math.max(level, 1), lists.length + 1);
        lists = lists.slice(0, depth);
        if (lists.length < depth) {
          const list = h(ordinal ? "ol" : "ul", ordinal > 1 ? { start: ordinal } : {});
          (lists.length ? lists.at(-1).lastElementChild || lists.at(-1) : root).append(list);
          lists.push(list);
        }
        lists.at(-1).append(h("li", begins, inline(text)));
      } else if (kind === "heading") {
        root.append(h("p", { class: `heading level${level}`, role: "heading", "aria-level": Math.min(6, level + 3), ...begins }, inline(text)));
      } else if (kind === "table") {
        const [head, ...rows] = text;
        const drawn = table((head || []).map(inline), rows.map((row) => row.map(inline)), { label: "Table" });
        drawn.querySelectorAll("tr").forEach((row, i) => (row.dataset.line = line + i + (i > 0))); // the line below the head is its rule
        root.append(drawn);
      } else if (kind === "rule") root.append(h("hr"));
      else if (kind === "code") root.append(h("pre", { tabindex: "0", role: "group", "aria-label": "Code", ...begins }, text));
      else root.append(h(kind === "quote" ? "blockquote" : "p", begins, inline(text)));
    }
    return root;
  }

  // A reference, as a link if this page contains its target.
  const factById = new Map((data.facts || []).map((fact) => [fact.id, fact]));
  const replacedBy = new Map();
  for (const { id, superseded_by: by } of data.facts || []) if (by) replacedBy.set(by, [...(replacedBy.get(by) || []), id]);
  // Agents' facts that a crew's fact repeats word for word; it gets their date and evidence.
  const sources = (fact) => fact.relations.filter(([relation, , out]) => relation === "promoted_from" && out).map(([, id]) => factById.get(id))
    .filter((source) => source && source.title === fact.title && source.text === fact.text);
  for (const fact of factById.values()) {
    const [source] = sources(fact);
    if (source) Object.assign(fact, { said: source.said, agent: fact.agent || source.agent, quotes: fact.quotes.length ? fact.quotes : source.quotes });
  }

  // A fact that an agent and its crew both have is shown once, as the crew's if that is shown.
  function withoutCopies(facts, at = meta.made_at) {
    const copied = new Set(facts.filter((fact) => holdsAt(fact, at)).flatMap(sources));
    return facts.filter((fact) => !copied.has(fact));
  }

  const fileByName = new Map((data.files || []).map((file) => [file.file, file]));
  const eventById = new Map(data.timeline ? data.timeline.events.map((event) => [event[5], event]) : []);
  const sessionById = new Map(Object.entries(data.sessions || {}));
  const brief = (text) => (text.length > 400 ? `${text.slice(0, 400)}…` : text);
  const nameOf = (fact) => inline(headline(fact.title, fact.text)[0]);
  const factLink = (fact) => h("a", { href: anchor("fact", fact.id) }, nameOf(fact));

  // Splits "crew:web/CREW.md:12-14" into file and lines, unless it is the name of a file.
  const splitLines = (text) => (fileByName.has(text) ? [text, ""] : [text.replace(LINES, ""), (LINES.exec(text) || [""])[0]]);
  // Shortens "crew:web/topics/deploys.md" to "topics/deploys.md" if no other owner has such a file.
  const withoutOwner = (name) => name.replace(/^(?:agent:[^/]+\/[^/]+\/|crew:[^/]+\/|\w+:)/, "");
  const filesOfName = Map.groupBy(fileByName.keys(), withoutOwner);
  const shortName = (name) => ((filesOfName.get(withoutOwner(name)) || []).length > 1 ? name : withoutOwner(name)).replace(/archive\/\d{4}\//, "");
  const LINES = /:\d+(-\d+)?$/, SESSION = /^s_\w+(:\d+)?$/;

  // A daily note may have been archived since.
  const currentName = (file) => (fileByName.has(file) ? file : file.replace(/daily\/((\d{4})-[^/]+)$/, "daily/archive/$2/$1"));

  function reference(text) {
    const bare = text.replace(/@[0-9a-f]{6,}$/, "");
    const [head] = bare.split(":");
    if (factById.has(bare)) return factLink(factById.get(bare));
    if (SESSION.test(bare) && (sessionById.has(head) || eventById.has(head))) return h("a", { href: anchor("timeline", sessionById.has(head) ? bare : head) }, `session ${bare.replace(":", ", line ")}`);
    if (eventById.has(bare)) return h("a", { href: anchor("timeline", bare) }, `${eventById.get(bare)[1]} entry of ${eventById.get(bare)[0]}`);
    const [file, lines] = splitLines(bare);
    const name = currentName(file);
    if (fileByName.has(name)) return h("a", { href: anchor("file", name + lines), title: name }, shortName(name) + lines);
    return h("span", { class: "ref" }, bare);
  }

  // A sentence with links to the files and facts that it names on this page.
  function withPlaces(text) {
    return text.split(/((?:workspace|crew|agent):[^\s:]+\.md(?::\d+(?:-\d+)?)?|\bf_[0-9a-z]{12}\b)/).map((part, i) => (i % 2 ? reference(part) : inline(part)));
  }

  // ---- Overview

  const LEVELS = { fail: ["Failure", "bad"], warn: ["Warning", "fair"], next: ["Next step", "info"] };
  const TONES = { green: "good", yellow: "fair", red: "bad" };
  const tone = (value) => (value === null ? "" : value >= 75 ? "good" : value >= 50 ? "fair" : "bad");

  function drawOverview(root) {
    const overview = data.overview;
    const shown = meta.selection;
    if (Object.keys(shown).length) {
      root.append(h("p", { class: "quiet" }, "Shown: ", Object.entries(shown).map(([name, value]) => `${name} ${value}`).join(", "), ". The numbers in the boxes are of the whole workspace."));
    }
    append(root, [drawIntroduction(overview), drawCounts(overview), !meta.suffix && drawDecide()]);
    const known = h("div", {}, drawKnowledge());
    const wrong = append(h("div"), [drawAttention(overview), drawOpen(), drawDoubts()]);
    root.append(h("div", { class: "board" }, known, wrong));
    for (const [id, part] of Object.entries({ latest: drawLatest(), changes: drawChanges(), health: drawHealth(overview) })) {
      if (!part) continue;
      part.id = id;
      (known.offsetHeight > wrong.offsetHeight ? wrong : known).append(part); // the columns end at about the same height
    }
    known.parentElement.classList.add("even");
    if (overview.agents.length) root.append(drawAgents(overview));
    root.append(drawState(overview.status));
    if (meta.notes.length) root.append(panel("What this page leaves out", h("ul", { class: "plain" }, meta.notes.map((note) => h("li", {}, note)))));
  }

  // Purpose and members of the crews, and the period that memory covers.
  function drawIntroduction(overview) {
    const files = (data.files || []).filter((file) => file.blocks && file.tier !== "daily");
    const people = unique(files.flatMap((file) => file.blocks.map(([kind, , text]) => (kind === "item" && (FULL_NAME.exec(text) || [])[1]))));
    const where = files.find((file) => /\b(people|team|contacts)\.md$/i.test(file.file));
    const days = data.timeline.events.filter(([, kind, label, who]) => who !== "system:crewmem" && !["learned", "first seen", "imported", "memory.imported", "memory.updated"].includes(label) || kind === "session").map(([at]) => at.slice(0, 10));
    return h("div", { class: "intro" },
      overview.crews.map(([name, lead, about]) => {
        const purpose = describe("crew", name, about);
        return [h("p", {}, "Crew ", h("strong", {}, name), ": ", purpose ? inline(purpose) : h("span", { class: "quiet" }, "its purpose is not described yet."), " ", h("span", { class: "whole" }), membersOf(name, lead, overview.agents), "."),
          !purpose && !meta.suffix && shellCommand(command(`crew set ${quote(name)} --description "…"`))];
      }),
      (people.length > 0 || where) && h("p", {}, "People: ", people.slice(0, 12).join(", "), where && [people.length ? ", as " : "", reference(where.file), " says"], "."),
      days.length > 0 && h("p", { class: "quiet" }, `Memory covers ${days.at(-1) === days[0] ? days[0] : `${days.at(-1)} to ${days[0]}`}, by the dates of statements and events.`));
  }

  const FULL_NAME = /^\*\*(\p{Lu}[^\s*]+(?: \p{Lu}[^\s*]+)+)\*\*/u;

  function drawCounts(overview) {
    const { status, health } = overview;
    const ended = (data.facts || []).length - status.facts;
    const measured = health ? health.metrics.filter((metric) => metric.value !== null).length : 0;
    const tiles = [
      ["Health", hasScore(health) ? round(health.score) : "–", "#overview/health", hasScore(health) ? health.level : `${measured} of 5 metrics have data`, hasScore(health) && TONES[health.level]],
      ["Facts", number.format(status.facts), "#facts", ended > 0 ? `valid; ${number.format(ended)} more no longer are` : "all valid"],
      ["Memory files", number.format(status.files), "#files", size((data.files || []).reduce((sum, file) => sum + file.bytes, 0))],
      ["Journal entries", number.format(status.entries), filtered("timeline", { kinds: "journal job" }), status.episodes ? `${number.format(status.episodes)} chosen for recall` : ""],
      ["Sessions", number.format(status.sessions), filtered("timeline", { kinds: "session" }), status.sessions ? "searchable" : "none read yet"],
      ["Agents", number.format(status.agents), "#overview/agents", count(status.crews, "crew")],
    ];
    return h("ul", { class: "tiles" }, tiles.filter(([label, value]) => !meta.suffix || label !== "Health" && value !== "0").map(([label, value, link, note, level]) =>
      h("li", {}, h("a", { href: link, class: `tile ${level || ""}` },
        h("span", { class: "label" }, label), h("span", { class: "figure" }, value), h("span", { class: "note" }, note)))));
  }

  // One metric alone makes no score.
  const hasScore = (health) => health !== null && health.score !== null && health.metrics.filter((metric) => metric.value !== null).length > 1;

  // The first open review items; Review lists all.
  function drawDecide() {
    const items = data.review;
    if (!items.length) return panel("Nothing to review", h("p", { class: "quiet" }, "There are no open review items."));
    return panel(`For you to decide: ${number.format(items.length)}`,
      h("ul", { class: "attention" }, items.slice(0, MAX_CHANGES).map((item) => h("li", {}, drawItem(item, false)))),
      items.length > MAX_CHANGES && h("p", { class: "small" }, h("a", { href: "#review" }, `All ${number.format(items.length)} in Review`)));
  }

  const CHANGE_DAYS = 7, MAX_CHANGES = 6, MAX_APART = 3;

  // Recent changes of facts and files; changes made together are one line.
  function drawChanges() {
    const since = stamp(meta.made_at) - CHANGE_DAYS * DAY;
    const changes = meta.suffix // a directory has no history except the times of its files
      ? data.files.map((file) => [file.at, "file", "changed", "unknown", file.file, "", `file/${file.file}`]).sort((a, b) => (a[0] < b[0] ? 1 : -1))
      : data.timeline.events.filter(([, kind, label]) => ["fact", "file", "session", "loss"].includes(kind) && !["said", "note of the day", "first seen"].includes(label));
    const recent = changes.filter(([at]) => stamp(at) >= since);
    const lines = [...Map.groupBy(recent, ([at, kind, label, who]) => `${at.slice(0, 10)} ${kind} ${label} ${kind === "session" || who}`).values()].sort((a, b) => a.length - b.length)
      .flatMap((group) => (group.length > MAX_APART ? [nameBatch(group)] : group.map(nameChange)));
    return panel(
      `Changed in the last ${CHANGE_DAYS} days`,
      lines.length
        ? h("ul", { class: "plain changes" }, lines.slice(0, MAX_CHANGES).map((line) => h("li", {}, line)))
        : h("p", { class: "quiet" }, changes.length ? `Nothing; the last change was ${age(changes[0][0])}.` : "Nothing yet."),
      lines.length > MAX_CHANGES && h("p", { class: "small" }, h("a", { href: meta.suffix ? "#files" : filtered("timeline", { from: dayOf(since), kinds: "fact file session loss" }) }, `All ${count(recent.length, "change")}`)),
    );
  }

  function drawLatest() {
    const parts = [drawCorrections(), drawDecisions()].filter(Boolean);
    return parts.length > 0 && panel("Corrections and decisions, newest first", parts);
  }

  function nameChange([at, kind, label, who, text, , target]) {
    return [
      target ? h("a", { href: anchor(kind, target.slice(kind.length + 1)) }, kind === "file" ? shortName(text) : inline(text)) : inline(text),
      h("p", { class: "quiet small" }, [{ session: "session", loss: "context loss" }[kind] || label, who !== "unknown" && actorName(who), age(at)].filter(Boolean).join(" · ")),
    ];
  }

  function nameBatch(group) {
    const [[at, kind, label, who]] = group;
    const day = at.slice(0, 10);
    const rollups = group.filter((event) => factById.has(event[5]) && isRollup(factById.get(event[5]))).length;
    const many = count(group.length, { fact: "fact", file: "file", session: "session", loss: "context loss" }[kind], kind === "loss" ? "context losses" : undefined);
    return [
      h("a", { href: meta.suffix ? "#files" : filtered("timeline", { from: day, to: day, kinds: kind, ...(kind === "fact" || kind === "file" ? { text: label, who: actorName(who) } : {}) }) }, `${many} ${{ session: "indexed", loss: "detected" }[kind] || label} on `, h("span", { class: "whole" }, day)),
      h("p", { class: "quiet small" }, [who !== "unknown" && kind !== "session" && actorName(who), age(at), rollups && `${number.format(rollups)} of them summaries of days and weeks`].filter(Boolean).join(" · ")),
    ];
  }

  const textBefore = (change) => change.diff.filter((line) => line.startsWith("-")).map((line) => line.slice(1)).join(" ");

  // Statements that are no longer valid, with their replacement and the reason.
  function listReplaced() {
    return data.facts.flatMap((fact) => fact.changes
      .filter((change) => change.about.includes("revised") || change.about.endsWith("superseded"))
      .map((change) => {
        const now = fact.superseded_by && change.about.endsWith("superseded") ? factById.get(fact.superseded_by) : null;
        return { at: change.at, fact: now || fact, before: now ? fact.title : textBefore(change), after: (now || fact).title, why: [change.reason, change.by] };
      }))
      .filter(({ before }) => before);
  }

  // A statement stored as a correction: "A → B", or a sentence; its evidence shows place and subject.
  function listCorrections() {
    return withoutCopies(data.facts.filter((fact) => fact.kind === "correction" && !fact.changes.length)).map((fact) => {
      const [, before, after] = /^([^()]+?) (?:→|->|=>) ([^()]+)$/.exec(fact.title) || [null, "", fact.title];
      const [, place] = fact.quotes[0] || [];
      return { at: fact.said, fact, before, after, why: [place ? reference(place) : fact.owner] };
    });
  }

  function drawCorrections() {
    const found = [...listReplaced(), ...listCorrections()].sort((a, b) => (a.at < b.at ? 1 : -1));
    return found.length > 0 && [h("h4", {}, "Corrected"), h("ul", { class: "plain" }, found.slice(0, 3).map(({ at, fact, before, after, why }) => h("li", {},
      before && h("del", { class: "excerpt quiet" }, inline(before)),
      h("a", { href: anchor("fact", fact.id) }, inline(after)),
      h("p", { class: "quiet small" }, [...why, age(at)].filter(Boolean).flatMap((part, i) => (i ? [" · ", part] : [part]))))))];
  }

  // Decisions from facts, the journal, and lists in memory files under headings for decisions.
  function listDecisions() {
    const facts = withoutCopies((data.facts || []).filter((fact) => fact.kind === "decision"));
    const entries = data.timeline.events.filter(([, kind, label, , text]) => kind === "journal" && DECIDED.test(label) && !facts.some((fact) => text.startsWith(fact.title)));
    const found = [
      ...facts.map((fact) => ({ at: fact.said.slice(0, 10), link: factLink(fact), who: speaker(fact).replace("said by ", ""), where: fact.owner, holds: holdsAt(fact, meta.made_at), stale: fact.status === "stale" })),
      ...entries.map(([at, , label, who, text, id]) => ({ at: at.slice(0, 10), link: h("a", { href: anchor("timeline", id) }, inline(text)), who: actorName(who).replace(/^agent:/, ""), where: `journal, ${label.replace(/[._]/g, " ")}`, holds: label !== "approval.denied" })),
    ];
    for (const file of (data.files || []).filter((each) => each.tier !== "daily")) {
      let within = false;
      for (const [kind, , text, line] of file.blocks || []) {
        if (kind === "heading") within = /\bdeci(?:sions?|ded)\b|entscheid/i.test(text);
        else if (within && kind === "item") found.push({ at: "", link: h("a", { href: anchor("file", `${file.file}:${line}`) }, inline(text.replace(CITATIONS, ""))), who: "", where: shortName(file.file), holds: true });
      }
    }
    return found.sort((a, b) => b.holds - a.holds || (a.at < b.at ? 1 : -1));
  }

  const whenDecided = ({ at, holds, stale }) => [at || "standing", stale && [" ", chip("stale", "fair")], !holds && [" ", chip("not in force", "")]];

  function drawDecisions() {
    const decisions = listDecisions();
    return decisions.length > 0 && [
      h("h4", {}, "Decided ", h("span", { class: "number" }, number.format(decisions.length))),
      h("ul", { class: "plain" }, decisions.slice(0, 4).map((each) => h("li", {}, each.link, h("p", { class: "quiet small" }, whenDecided(each), each.who && ` · ${each.who}`, ` · ${each.where}`)))),
      decisions.length > 4 && h("p", { class: "small" }, h("a", { href: "#fact/decisions" }, `All ${number.format(decisions.length)} decisions`)),
    ];
  }

  const DECIDED = /\bdecision$|^approval\.(?:granted|denied)$/;

  // Open action items: those that are overdue, then the newest.
  function drawOpen() {
    const open = withoutCopies((data.facts || []).filter((fact) => fact.state === "open" && holdsAt(fact, meta.made_at))).sort((a, b) => isOverdue(b) - isOverdue(a) || (a.said < b.said ? 1 : -1));
    if (!open.length) return null;
    return panel(
      `Known open action items: ${number.format(open.length)}`,
      h("ul", { class: "plain" }, open.slice(0, MAX_CHANGES).map((fact) => h("li", {},
        factLink(fact), " ", dueChip(fact),
        h("p", { class: "quiet small" }, `${fact.owner} · said ${fact.said.slice(0, 10)}, ${age(fact.said)}`), markDone(fact)))),
      open.length > MAX_CHANGES && h("p", { class: "small" }, h("a", { href: filtered("facts", { state: "open" }) }, `All ${number.format(open.length)} among the facts`)));
  }

  const markDone = (fact) => h("details", {}, h("summary", {}, "Mark as done or dropped"), ["done", "dropped"].map((state) => shellCommand(command(`fact edit ${fact.id} --state ${state}`))));

  const isOverdue = (fact) => fact.due !== "" && fact.due < meta.made_at.slice(0, 10);

  function dueChip(fact) {
    return fact.due ? chip(`${isOverdue(fact) ? "overdue since" : "due"} ${fact.due}`, isOverdue(fact) ? "bad" : "info") : null;
  }

  const FRESH_RETENTION = 0.7, FADING_RETENTION = 0.3, DOUBTED_TRUST = 0.4, MAX_DOUBTS = 3;
  const REDACTED = "[redacted: ";

  // Facts that have been valid for a month and were never recalled or shown, the oldest first.
  function listUnused() {
    const answered = new Set(data.recall.recalls.flatMap((recall) => recall.answers.slice(0, recall.sure)).flatMap((id) => [id, ...(factById.has(id) ? sources(factById.get(id)).map((fact) => fact.id) : [])]));
    return withoutCopies(data.facts || []).filter((fact) => holdsAt(fact, meta.made_at) && !fact.uses && !answered.has(fact.id) && isOld(fact)).sort((a, b) => (a.since < b.since ? -1 : 1));
  }

  const isOld = (fact) => stamp(meta.made_at) - stamp(fact.since) > 30 * DAY;

  // Doubtful items by kind: their number, and some of them. Kinds without items are listed, too.
  function drawDoubts() {
    const facts = data.facts || [];
    const held = withoutCopies(facts.filter((fact) => holdsAt(fact, meta.made_at)));
    const unused = listUnused();
    const linkFacts = (chosen) => chosen.map(factLink);
    const linkEvents = (chosen) => chosen.map(([at, kind, , , text, id]) => [h("a", { href: anchor("timeline", id) }, inline(text)), ` on ${at.slice(0, 10)}`, kind === "loss" && id && shellCommand(command(`sessions recover --session ${quote(id)}`))]);
    const failed = ((data.timeline || {}).events || []).filter(hasFailed);
    const holdsSecret = (each) => JSON.stringify([each.title, each.text, each.quotes, each.blocks]).includes(REDACTED);
    const ended = facts.filter((fact) => !holdsAt(fact, meta.made_at) && fact.state !== "done").sort((a, b) => (a.until < b.until ? 1 : -1));
    const rows = [
      ["Contradicted", linkFacts(held.filter((fact) => fact.relations.some(([relation]) => relation === "contradicts")))],
      ["Failures of crewmem itself", linkEvents(failed.filter(([, kind]) => kind !== "journal"))],
      ["Errors that the crew reported", linkEvents(failed.filter(([, kind]) => kind === "journal"))],
      ["Questions without an answer", groupQuestions(data.recall.recalls.filter((recall) => !recall.found)).map(([recall, ...others]) => [h("a", { href: filtered("recall", { answer: "none" }) }, recall.query), times(others)])],
      ["Stale", linkFacts(held.filter((fact) => fact.status === "stale"))],
      ["Doubted", linkFacts(held.filter((fact) => fact.down > fact.up || fact.trust < DOUBTED_TRUST))],
      [`Never used in 30 days${unused.length && !facts.some((fact) => fact.uses) ? ", like every fact so far" : ""}`, linkFacts(unused)],
      ["Fading although it was used", linkFacts(held.filter((fact) => fact.retention <= FADING_RETENTION && !unused.includes(fact)))],
      ["Forgotten or replaced", linkFacts(ended)],
      ["Secrets redacted", [...linkFacts(facts.filter(holdsSecret)), ...(data.files || []).filter(holdsSecret).map((file) => reference(file.file))]],
    ];
    const absent = rows.filter(([, found]) => !found.length).map(([name]) => name.toLowerCase());
    if (!facts.length && absent.length === rows.length) return null;
    return panel(
      "Treat with care",
      h("dl", { class: "doubts" }, rows.filter(([, found]) => found.length).map(([name, found]) => [
        h("dt", {}, name, h("span", { class: "number" }, number.format(found.length))),
        found.slice(0, MAX_DOUBTS).map((link) => h("dd", {}, link)),
        found.length > MAX_DOUBTS && h("dd", {}, h("details", {}, h("summary", {}, `and ${number.format(found.length - MAX_DOUBTS)} more`),
          h("ul", { class: "plain" }, found.slice(MAX_DOUBTS).map((link) => h("li", {}, link))))),
      ])),
      absent.length > 0 && h("p", { class: "quiet small" }, `None: ${absent.join(", ")}.`),
    );
  }

  // Errors in the journal, failed jobs, and context losses that were not restored.
  const hasFailed = ([, kind, , , , , , severity]) => severity === "error" || (severity === "warn" && kind !== "journal");

  // Warnings of doctor, grouped by the command that repairs them.
  function drawAttention({ attention }) {
    const groups = [...Map.groupBy(attention, (each) => each.fix || each.id).values()];
    const wrong = groups.filter(([each]) => each.status !== "next").length;
    return panel(
      wrong ? `Needs attention: ${number.format(wrong)}` : "No problems",
      groups.length ? h("ul", { class: "attention" }, groups.map((group) => h("li", {},
        group.map((each) => h("p", {}, chip(...LEVELS[each.status]), " ", withPlaces(each.observed))), group[0].fix && shellCommand(group[0].fix)))) : h("p", {}, "No check of doctor failed."));
  }

  function drawHealth(overview) {
    const { health, days } = overview;
    if (!health) return null;
    const trace = (name) => days.map((day) => day && day[name]);
    return panel(
      "Health",
      h("div", { class: `score ${(hasScore(health) && TONES[health.level]) || ""}` },
        hasScore(health)
          ? [h("span", { class: "figure" }, round(health.score)), h("span", {}, h("span", { class: "quiet" }, "of 100 "), chip(health.level, TONES[health.level]), h("span", { class: "quiet small" }, " green from 75, red below 50"))]
          : h("span", {}, `No score yet: only one of five metrics has data. It alone would give ${round(health.score)} of 100.`),
        sparkline(trace("score"), "Score in 30 days")),
      h("div", { class: "metrics" }, health.metrics.map((metric) =>
        h("div", { class: "metric" },
          meter(metric.name, (metric.value || 0) / 100, round(metric.value), tone(metric.value)),
          sparkline(trace(metric.name), `${metric.name} in 30 days`),
          h("p", { class: "quiet small" }, METRICS[metric.name])))),
      h("p", { class: "quiet small" }, `Measured on ${health.date}; n/a: no data yet.`),
    );
  }

  const METRICS = {
    freshness: "how recent the journal entries worth recalling are",
    coverage: "how much of the files and the journal can be found by meaning",
    coherence: "whether the journal has themes",
    efficiency: "whether answers are to the point and not repeated",
    reachability: "how many journal entries lead to another one",
  };

  // Groups equal queries with the same kind of answer, the newest first.
  const groupQuestions = (recalls) => [...Map.groupBy(recalls, (recall) => `${answerOf(recall)} ${recall.query.toLowerCase()}`).values()];
  const times = (others) => others.length > 0 && h("span", { class: "quiet small whole" }, ` ${number.format(others.length + 1)} times`);

  // The text of a fact without its title, which most texts begin with.
  function textBelow(title, text) {
    const rest = text.slice(title.length);
    const isHead = text.startsWith(title) && /^(?:[:.;–—]|\s+[–—-]\s|$)/.test(rest);
    return isHead ? rest.replace(/^[\s:.;–—-]+/, "") : text;
  }

  // The heading of a fact, and the text below it, without a title that is only the text's beginning.
  function headline(title, text) {
    if (title.endsWith("…") && text.startsWith(title.slice(0, -1).trimEnd())) return text.length <= LONG_HEADING ? [text, ""] : [title, text];
    if (text.endsWith(title) && text.length <= LONG_HEADING) return [text, ""]; // the title lacks a label
    return [title, textBelow(title, text)];
  }

  const LONG_HEADING = 240;
  const isRollup = (fact) => fact.kind === "summary" && fact.topic_key.startsWith("rollup/");
  const WORTH = { pin: 4, high: 4, permanent: 4 };
  const KIND_WORTH = { decision: 2, correction: 2, lesson: 1, preference: 1, workflow: 1, summary: -2, context: -1, meeting: -1 };

  function worth(fact) {
    const shared = fact.crew || fact.owner === "workspace" ? 2 : 0;
    const stale = fact.status === "stale" ? -10 : 0;
    return stale + (WORTH[fact.pin] || 0) + fact.importance + shared + (KIND_WORTH[fact.kind] || 0) + 2 * fact.trust;
  }

  const CITATIONS = / \([^()]*:\d+@[0-9a-f]{6,}[^()]*(?:\)|$)/g; // a text may be cut inside a citation

  function firstLines(file) {
    const blocks = file.blocks || [];
    const title = blocks.find((block) => block[0] === "heading");
    const text = blocks.find((block) => block[0] === "paragraph" || block[0] === "item");
    return [title ? title[2] : shortName(file.file), text ? text[2].replace(CITATIONS, "") : ""];
  }

  const FILE_WORTH = { workspace: 5, crew: 6, agent: 2, persona: 3, pins: 4, topic: 4, brief: 2, lessons: 2, learned: 2, other: 1, daily: 0 };

  // The first item of each owner, then the second, and so on, so that no owner fills the list.
  function inTurn(items, keyOf = (item) => item.owner) {
    const rounds = new Map();
    const ranked = items.map((item, at) => {
      const round = rounds.get(keyOf(item)) || 0;
      rounds.set(keyOf(item), round + 1);
      return [round, at, item];
    });
    return ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , item]) => item);
  }

  function drawKnowledge() {
    const held = withoutCopies((data.facts || []).filter((fact) => holdsAt(fact, meta.made_at) && fact.state !== "done" && !isRollup(fact)));
    const ranked = held.slice().sort((a, b) => worth(b) - worth(a) || (a.said < b.said ? 1 : -1));
    const lasting = ranked.filter((fact) => !fact.state); // action items have their own list
    const best = inTurn(inTurn(lasting.length ? lasting : ranked, (fact) => `${fact.owner} ${fact.kind}`)).slice(0, 6);
    const files = inTurn((data.files || []).filter((file) => file.blocks && file.blocks.length)
      .sort((a, b) => (FILE_WORTH[b.tier] || 0) - (FILE_WORTH[a.tier] || 0) || (a.at < b.at ? 1 : -1))).slice(0, 8);
    const names = (data.entities || []).slice(0, 18);
    if (!best.length && !files.length) {
      return panel("What the crew knows", empty("Memory is empty.", command("init --sample"), command("remember 'Deploys happen on Tuesdays'")));
    }
    return panel(
      "What the crew knows",
      best.length ? h("ul", { class: "knows" }, best.map((fact) => {
        const [title, text] = headline(fact.title, fact.text);
        return h("li", {}, h("a", { href: anchor("fact", fact.id) }, inline(title)), text && h("p", { class: "excerpt" }, inline(text)), h("p", { class: "quiet small" }, `${words(fact.kind)}${fact.status === "stale" ? ", stale" : ""} · ${fact.owner} · trust ${fact.trust.toFixed(2)} · ${age(fact.said)}`)); })) : null,
      files.length && !best.length ? [h("h4", {}, "Memory files to read first"), h("ul", { class: "knows" }, files.map((file) => {
        const [title, text] = firstLines(file);
        return h("li", {}, h("a", { href: anchor("file", file.file) }, inline(title)), text && h("p", { class: "excerpt" }, inline(text)), h("p", { class: "quiet small" }, `${shortName(file.file)} · ${lastChange(file)}`));
      }))] : null,
      names.length ? [h("h4", {}, "Most mentioned"), h("ul", { class: "names" }, names.map((each) => h("li", {}, h("a", { href: anchor("entity", each.key), class: "name" }, each.name, " ", h("span", { class: "number" }, number.format(each.count))))))] : null,
    );
  }

  // The last action of each agent; the events of the page are sorted newest first.
  const lastActions = new Map();
  for (const event of data.timeline ? data.timeline.events : []) if (!lastActions.has(event[3])) lastActions.set(event[3], event);
  const agentLink = (slug) => (lastActions.has(`agent:${slug}`) ? h("a", { href: filtered("timeline", { who: `agent:${slug}` }) }, slug) : slug);

  function learnedBy(slug) {
    const owner = `agent:${slug}`;
    const own = data.facts.filter((fact) => fact.owner === owner && holdsAt(fact, meta.made_at)).length;
    return own > 0 && [" · ", h("a", { href: filtered("facts", { owner }), class: "whole" }, count(own, "fact"))];
  }

  function lastAction(slug) {
    const event = lastActions.get(`agent:${slug}`);
    return event ? [age(event[0]), h("p", { class: "quiet excerpt" }, `${event[2].replace(/[._]/g, " ")}: `, inline(event[4]))] : "nothing recorded";
  }

  function membersOf(crew, lead, agents) {
    const members = agents.filter((agent) => agent.crew === crew && agent.slug !== lead).map((agent) => agent.slug);
    if (!lead && !members.length) return "It has no agent yet; its memory came from a person or an import";
    const names = members.map((slug, i) => [i ? ", " : "", agentLink(slug)]);
    if (!lead) return ["It has no lead; its agents: ", names];
    return ["It is led by ", agentLink(lead), names.length ? [", with ", names] : "; it has no other agent"];
  }

  // The purpose of an agent or crew: its description, else the first paragraph of its file.
  function describe(tier, name, description) {
    if (description) return description;
    const file = (data.files || []).find((each) => each.tier === tier && (each.agent || each.owner) === name);
    const blocks = (file && file.blocks) || [];
    const at = blocks.findIndex((block) => block[0] === "paragraph");
    return at >= 0 && !blocks.slice(0, at).some((block, i) => block[0] !== "heading" || i > 1) ? blocks[at][2] : "";
  }

  function drawAgents(overview) {
    const all = overview.agents.map(({ slug, crew, role, about }) => [
      [h("strong", {}, agentLink(slug)), " ", h("span", { class: "quiet" }, role === "lead" ? `leads ${crew}` : crew), learnedBy(slug), describe("agent", slug, about) && h("p", { class: "quiet excerpt" }, inline(describe("agent", slug, about)))],
      lastAction(slug),
    ]);
    const shown = panel("Agents", table(["Agent", "Last action"], all, { wide: [0, 1], label: "Agents" }));
    shown.id = "agents";
    return shown;
  }

  function drawState(status) {
    const recall = status.episodic === "vector" ? `words and meaning (${status.model})` : "words only";
    return panel(
      "State",
      h("p", {}, `Recall searches by ${recall}${status.backlog ? `; ${count(status.backlog, "text")} not yet found by meaning` : ""}. This page shows what ${actorName(status.actor)} may read${status.skipped ? `, without ${count(status.skipped, "file")} that cannot be read` : ""}.`),
      status.jobs.length
        ? table(["Job", "Last run", "Result", "Failures", "Error"], status.jobs.map(([job, at, result, failures, error]) => [job, at, chip(result, result === "failed" ? "bad" : "good"), failures ? number.format(failures) : "–", error || "–"]), { right: [3], label: "Jobs" })
        : meta.suffix ? null : empty("No job has run yet.", command("timers install")),
    );
  }

  // ---- Timeline

  const KINDS = ["journal", "fact", "file", "session", "loss", "job"];
  const SEVERITIES = { "notices and worse": 1, "warnings and errors": 2, errors: 3 }, LEAST = { notice: 1, warn: 2, error: 3 };
  const KIND_NAMES = { journal: "Journal", fact: "Facts", file: "Files", session: "Sessions", loss: "Context losses", job: "Jobs" };

  function drawTimeline(root, target, filters) {
    const { events, earlier } = data.timeline;
    if (!events.length && !Object.keys(earlier).length) {
      root.append(empty("There are no events in this period.", command("journal add note.taken 'The first entry'"), command("sessions sync")));
      return;
    }
    const rows = events.map(([at, kind, label, who, text, id, target, severity]) => ({
      at, kind, label, who: actorName(who), text, id, target, severity, ms: stamp(at), words: `${label} ${who} ${text} ${id}`.toLowerCase(),
    }));
    const firstDay = Math.min(...Object.keys(earlier).map(stamp), rows.length ? rows.at(-1).ms : Infinity);
    const bounds = [Math.floor(firstDay / DAY) * DAY, (Math.floor(Math.max(stamp(meta.made_at), rows.length ? rows[0].ms : 0) / DAY) + 1) * DAY];
    const lastEvent = rows.length ? rows[0].ms : bounds[1];
    let range = [bounds[0], Math.min(bounds[1], (Math.floor(lastEvent / DAY) + 1) * DAY)];
    if (sessionById.has(target.split(":")[0])) return drawTurns(root, target.split(":")[0]);
    const targetRow = target && rows.find((row) => row.id === target);
    let needle = (!targetRow && target) || filters.text || "", who = filters.who || "", least = 0;
    const off = new Set(filters.kinds ? KINDS.filter((kind) => !filters.kinds.split(" ").includes(kind)) : []);

    const chart = h("div", { class: "chart" });
    const list = h("div", { class: "events" });
    const days = { min: dayOf(bounds[0]), max: dayOf(bounds[1] - 1) };
    const from = h("input", { type: "date", ...days, onchange: () => { if (from.value) zoom(stamp(from.value), range[1]); } });
    const to = h("input", { type: "date", ...days, onchange: () => { if (to.value) zoom(range[0], stamp(to.value) + DAY); } });
    let outside = "";
    const summary = h("p", { class: "quiet", role: "status" });
    const search = searchField("Text", (text) => { needle = text; draw(); }, needle);
    needle = needle.toLowerCase();

    function zoom(start, end) {
      const hour = DAY / 24;
      outside = start < bounds[0] ? `Nothing was recorded before ${dayOf(bounds[0])}. ` : "";
      start = Math.max(bounds[0], Math.min(start, bounds[1] - hour));
      end = Math.min(bounds[1], Math.max(end, start + hour));
      range = [start, end];
      draw();
    }
    const scale = (factor) => {
      const middle = (range[0] + range[1]) / 2, half = ((range[1] - range[0]) / 2) * factor;
      zoom(Math.max(bounds[0], middle - half), middle + half);
    };
    const kinds = KINDS.filter((kind) => rows.some((row) => row.kind === kind));
    const button = (label, onclick) => h("button", { type: "button", onclick }, label);
    const out = button("Zoom out", () => scale(2));
    root.append(
      h("div", { class: "controls" },
        search,
        select("Who", unique([...rows.map((row) => row.who), who]), (value) => { who = value; draw(); }, "everybody", who),
        rows.some((row) => row.severity) && select("Only", Object.keys(SEVERITIES), (value) => { least = SEVERITIES[value] || 0; draw(); }, "all events"),
        h("label", { class: "field" }, h("span", {}, "From"), from),
        h("label", { class: "field" }, h("span", {}, "To"), to)),
      h("div", { class: "controls tight" },
        h("fieldset", { class: "choices" }, h("legend", { class: "reader" }, "Kinds"),
          kinds.map((kind) => h("label", { class: "choice" },
            h("input", { type: "checkbox", checked: !off.has(kind), onchange: (event) => { event.target.checked ? off.delete(kind) : off.add(kind); draw(); } }),
            h("span", { class: `swatch ${kind}` }), KIND_NAMES[kind]))),
        h("div", { class: "buttons", role: "group", "aria-label": "Time axis" },
          button("Zoom in", () => scale(0.5)), out, button("All", () => zoom(...bounds)))),
      chart, summary,
      list,
    );

    function draw() {
      const chosen = rows.filter((row) => row.ms >= range[0] && row.ms < range[1] && !off.has(row.kind)
        && (!least || LEAST[row.severity] >= least) && (!who || row.who === who) && (!needle || matches(row.words, needle)));
      const counted = !needle && !who && !least && !off.has("journal") ? earlier : {};
      from.value = dayOf(range[0]);
      to.value = dayOf(range[1] - 1);
      out.disabled = range[0] <= bounds[0] && range[1] >= bounds[1];
      chart.replaceChildren(drawBars(chosen, counted, kinds, range, zoom));
      const left = Object.entries(counted).filter(([day]) => stamp(day) >= range[0] && stamp(day) < range[1]).reduce((sum, [, n]) => sum + n, 0);
      summary.textContent = `${outside}${count(chosen.length, "event")} ${from.value === to.value ? `on ${from.value}` : `from ${from.value} to ${to.value}`}` + (left ? `, and ${number.format(left)} earlier entries that are not listed` : "");
      list.replaceChildren();
      if (!chosen.length) { list.append(empty("No event fits these filters.")); return; }
      let day = "", group = null;
      list.append(...paged(collapse(chosen), (next) => {
        const made = [];
        for (const rows of next) {
          if (rows[0].at.slice(0, 10) !== day || !group) {
            day = rows[0].at.slice(0, 10);
            group = h("ol", { class: "day" });
            made.push(h("h3", {}, `${day}, ${new Date(stamp(day)).toLocaleDateString("en", { timeZone: "UTC", weekday: "long" })}`), group);
          }
          group.append(drawEvents(rows, targetRow));
        }
        return made;
      }, h("div")));
    }

    const first = targetRow ? targetRow.at.slice(0, 10) : filters.from, last = targetRow ? first : filters.to;
    zoom(first ? stamp(first) : range[0], last ? stamp(last) + DAY : range[1]);
  }

  // Many events with the same minute and label share a row, and so do those of one run of crewmem.
  function collapse(rows) {
    const keyOf = (row) => (row.who === "crewmem" && !row.severity ? `${row.at} crewmem` : `${row.at} ${row.kind} ${row.label} ${row.severity}`);
    return [...Map.groupBy(rows, keyOf).values()].flatMap((group) => (group.length > 5 ? [group] : group.map((row) => [row])));
  }

  function drawEvents(rows, targetRow) {
    const [row] = rows;
    const link = (each) => each.kind === "session" && sessionById.has(each.id) ? h("a", { href: anchor("timeline", `${each.id}:`) }, each.text)
      : each.target ? h("a", { href: anchor(each.target.split("/")[0], each.target.slice(each.target.indexOf("/") + 1)) }, each.kind === "fact" ? inline(each.text) : shortName(each.text))
      : each.id.startsWith("j_") ? withPlaces(each.text) : each.text;
    const people = unique(rows.map((each) => each.who));
    const labels = new Map([...Map.groupBy(rows, (each) => `${each.label.replace(/[._]/g, " ")}`)].sort((a, b) => b[1].length - a[1].length));
    const sorts = [...labels].slice(0, 3).map(([label, each]) => `${label} ${number.format(each.length)}`).join(", ");
    return h("li", { "data-id": rows.length === 1 ? row.id || null : null },
      h("time", {}, row.at.slice(11)),
      h("span", { class: "what" }, h("span", { class: `swatch ${row.kind}` }), h("span", { class: "reader" }, `${row.kind}: `), h("span", {}, labels.size > 1 ? "one run" : row.label.replace(/[._]/g, " "), LEAST[row.severity] > 1 && [" ", chip(row.severity, row.severity === "error" ? "bad" : "fair")])),
      h("span", { class: "who" }, people.length > 2 ? count(people.length, "actor") : people.join(", ")),
      rows.length === 1
        ? h("span", { class: "text" }, link(row))
        : fold({ class: "text", open: rows.includes(targetRow) }, labels.size > 1 ? `${count(rows.length, "event")}: ${sorts}${labels.size > 3 ? " …" : ""}` : `${number.format(rows.length)} of them`, () =>
            [...labels].map(([label, each]) => [labels.size > 1 && h("h4", {}, label, " ", h("span", { class: "number" }, number.format(each.length))), h("ul", { class: "plain" }, each.map((one) => h("li", { "data-id": one.id || null }, link(one))))])));
  }

  // Turns of a session: all of a short one, else those around quotes of facts.
  function drawTurns(root, id) {
    const { title, agent, turns, all } = sessionById.get(id);
    append(root, [h("p", { class: "back" }, h("a", { href: "#timeline" }, "← Timeline")),
      h("p", { class: "quiet" }, `Session ${id}${agent ? ` of ${agent}` : ""}. ${turns.length < all ? `${number.format(turns.length)} of ${count(all, "turn")} are here; all: ` : ""}`),
      h("div", { class: "turns" }, turns.map((turn) => drawTurn(turn, id))), shellCommand(command(`sessions show ${id}`))]);
    return title || "Session";
  }

  const STEPS = [[DAY / 96, "quarter of an hour"], [DAY / 24, "hour"], [DAY, "day"], [7 * DAY, "week"], [30.4375 * DAY, "month"]];

  function drawBars(rows, earlier, kinds, [start, end], zoom) {
    const [step, unit] = STEPS.find(([each]) => (end - start) / each <= 96) || STEPS.at(-1);
    const bins = Array.from({ length: Math.max(1, Math.ceil((end - start) / step)) }, () => ({}));
    const bin = (ms) => bins[Math.min(bins.length - 1, Math.floor((ms - start) / step))];
    for (const row of rows) { const each = bin(row.ms); each[row.kind] = (each[row.kind] || 0) + 1; }
    for (const [day, n] of Object.entries(earlier)) {
      const ms = stamp(day);
      if (ms >= start && ms < end) { const each = bin(ms); each.journal = (each.journal || 0) + n; }
    }
    const edge = (ms) => (step < DAY ? new Date(ms).toISOString().slice(0, 16).replace("T", " ") : dayOf(ms));
    const totals = bins.map((each) => Object.values(each).reduce((sum, n) => sum + n, 0));
    const most = Math.max(...totals);
    // The axis omits the middle of a long period without events.
    const places = bins.map((_, i) => i).filter((i) => totals.slice(Math.max(0, i - 1), i + 2).some(Boolean) || bins.length < 12);
    const width = 1000 / (places.length || 1);
    const gap = Math.min(2, width * 0.15);
    const svg = s("svg", { class: "bars", viewBox: "0 0 1000 120", preserveAspectRatio: "none", role: "img",
      "aria-label": `Events by ${unit}, at most ${most}` });
    const marks = h("div", { class: "axis", "aria-hidden": "true" });
    const room = innerWidth < 600 ? 260 : 100; // width of a label
    let taken = 0;
    places.forEach((i, at) => {
      const each = bins[i];
      let y = 120;
      const label = edge(start + i * step);
      const isBroken = at > 0 && places[at - 1] < i - 1;
      const isMark = at === 0 || isBroken || label.slice(0, 7) !== edge(start + places[at - 1] * step).slice(0, 7);
      const isLate = at * width > 750; // its label is aligned to the end of the bar
      const from = isLate ? (at + 1) * width - room : at * width;
      if (isMark && (from >= taken || isBroken)) {
        if (from < taken && marks.children.length > 1) marks.lastChild.remove();
        const mark = h("span", {}, isBroken ? `⋯ ${label}` : label);
        mark.style[isLate ? "right" : "left"] = `${isLate ? 100 - ((at + 1) * width) / 10 : (at * width) / 10}%`;
        marks.append(mark);
        taken = from + room;
      }
      if (isBroken) svg.append(s("line", { class: "break", x1: at * width, x2: at * width, y1: 0, y2: 120 }));
      const group = s("g", { onclick: () => totals[i] && zoom(start + i * step, start + (i + 1) * step) },
        s("title", {}, `${label}: ${kinds.filter((kind) => each[kind]).map((kind) => `${each[kind]} ${kind}`).join(", ") || "nothing"}`),
        s("rect", { class: "hit", x: at * width, y: 0, width, height: 120 }));
      const tall = 116 * Math.sqrt(totals[i] / (most || 1)); // the day of an import must not flatten the others
      for (const kind of kinds) {
        if (!each[kind]) continue;
        const height = Math.max(1.5, (each[kind] / totals[i]) * tall);
        y -= height;
        group.append(s("rect", { class: kind, x: at * width + gap / 2, y: Math.max(0, y), width: width - gap, height }));
      }
      svg.append(group);
    });
    const scale = h("p", { class: "quiet small" }, most ? `Events per ${unit}; the highest bar is ${number.format(most)}, a bar of half its height is a quarter of that.` : "No event matches.");
    return h("div", {}, scale, svg, marks);
  }

  // ---- Facts

  const periodAt = (fact, at) => fact.periods.find(([since, until]) => since <= at && (!until || until > at));
  const holdsAt = (fact, at) => Boolean(periodAt(fact, at));

  // The period of a fact that includes a day; it starts when it was said, or when crewmem recorded it.
  function stateAt(fact, at, mode) {
    if (mode === "since" || at === meta.made_at) return periodAt(fact, at);
    const next = factById.get(fact.superseded_by);
    if (fact.said > at || (next && next.said <= at)) return undefined;
    return periodAt(fact, at) || fact.periods.find(([since]) => since > at);
  }

  const BY = { said: "what had been said by then", since: "what crewmem had recorded by then" };

  function drawFacts(root, target, filters) {
    const facts = data.facts;
    if (target) {
      const fact = factById.get(target);
      root.append(h("p", { class: "back" }, h("a", { href: "#facts" }, "← All facts")));
      if (target === "decisions") return drawDecisionList(root);
      if (!fact) root.append(empty(`The fact ${target} is not on this page.`, command(`fact show ${quote(target)}`)));
      else root.append(drawFact(fact, periodAt(fact, meta.made_at), { open: true }));
      return fact && nameOf(fact);
    }
    if (!facts.length) {
      root.append(empty("No facts yet. A fact is one statement with a kind, an owner, trust and history.", command("remember 'Deploys happen on Tuesdays' --kind decision"), command("sessions sync")));
      return;
    }
    const today = meta.made_at.slice(0, 10);
    const late = facts.filter((fact) => fact.said.slice(0, 10) < fact.since.slice(0, 10)).length;
    let mode = 2 * late > facts.length ? "said" : "since", day = today, marks = [];
    const states = [...unique(facts.map((fact) => fact.state)), ...(facts.some((fact) => fact.status === "stale") ? ["stale"] : [])];
    let needle = "", kind = filters.kind || "", owner = filters.owner || "", state = filters.state || "", ended = false;
    const list = h("div"), index = h("div");
    const summary = h("p", { class: "quiet", role: "status" });
    const slider = h("input", { type: "range", id: "as-of", min: 0, step: 1, list: "as-of-marks", "aria-describedby": "as-of-help", oninput: () => { day = marks[slider.value]; draw(); } });
    const ticks = h("datalist", { id: "as-of-marks" });
    const date = h("input", { type: "date", max: today, "aria-label": "Day", onchange: () => { if (date.value) { day = date.value; draw(); } } });
    // Each step of the slider is a day on which something was said, recorded or changed.
    function setMarks() {
      marks = unique(facts.flatMap((fact) => (mode === "said" ? [fact.said, ...fact.periods.slice(1).map(([since]) => since)] : fact.periods.map(([since]) => since)).concat(fact.periods.map(([, until]) => until))).map((at) => at.slice(0, 10)).filter((at) => at < today)).concat(today);
      slider.max = marks.length - 1;
      date.min = marks[0];
      ticks.replaceChildren(...(marks.length < 100 ? marks : []).map((_, i) => h("option", { value: i })));
    }
    setMarks();
    append(root, [
      drawContradictions(),
      h("div", { class: "controls" },
        searchField("Text", (text) => { needle = text; draw(); }),
        select("Kind", unique(facts.map((fact) => fact.kind)), (value) => { kind = value; draw(); }, "all", kind),
        select("Owner", unique(facts.map((fact) => fact.owner)), (value) => { owner = value; draw(); }, "everybody", owner),
        states.length > 0 && select("State", states, (value) => { state = value; draw(); }, "all", state),
        h("label", { class: "choice" }, h("input", { type: "checkbox", onchange: (event) => { ended = event.target.checked; draw(); } }), "Include facts that are no longer valid")),
      h("div", { class: "slider", hidden: marks.length < 2 && !late },
        h("label", { for: "as-of" }, "As of"), slider, date, ticks,
        h("p", { class: "quiet small", id: "as-of-help" }, "Each step is a day on which something changed. Shown is ",
          late > 0 ? h("select", { "aria-label": "Shown is", onchange: (event) => { mode = event.target.value; setMarks(); draw(); } }, Object.entries(BY).map(([value, text]) => h("option", { value, selected: value === mode }, text))) : `${BY[mode]}.`)),
      summary, index, list,
      h("details", {}, h("summary", {}, "What trust and retention mean"), h("p", { class: "small" }, "Trust: how far to rely on a fact, from 0 to 1. Retention falls from 1 to 0 after a fact was recorded, and more slowly if it is used; it is shown from 0.3 down. Within a group, the newest statement comes first.")),
    ]);

    function draw() {
      const isNow = day >= today;
      const at = isNow ? meta.made_at : `${day} 23:59`;
      date.value = day;
      slider.value = marks.findLastIndex((mark) => mark <= day);
      slider.setAttribute("aria-valuetext", isNow ? `${day}, now` : day);
      const isFiltered = Boolean(needle || kind || owner || state);
      const chosen = facts.filter((fact) => (isNow || fact[mode] <= at) && (ended || stateAt(fact, at, mode))
        && (!kind || fact.kind === kind) && (!owner || fact.owner === owner) && (!state || fact.state === state || fact.status === state)
        && (!needle || matches(`${fact.id} ${fact.title} ${fact.text} ${fact.tags.join(" ")} ${fact.entities.join(" ")} ${fact.topic_key}`.toLowerCase(), needle)));
      const holding = chosen.filter((fact) => stateAt(fact, at, mode)).length;
      const shown = withoutCopies(chosen, at);
      const twice = chosen.length - shown.length;
      summary.textContent = (isFiltered ? `${count(chosen.length, "fact")} ${chosen.length === 1 ? "fits" : "fit"} these filters`
          : `${number.format(holding)} of ${count(facts.length, "fact")} ${isNow ? "hold" : mode === "since" ? `held on ${day}, as recorded by then` : `had been said by ${day}`}`)
        + (chosen.length > holding ? `; ${number.format(chosen.length - holding)} shown here no longer ${isNow ? "hold" : "held"}` : "")
        + (twice ? `. What an agent and its crew both ${isNow ? "hold" : "held"} is shown once, as the crew's: ${count(twice, "time")}` : "") + ".";
      const hasTopics = shown.some((fact) => fact.topic_key && !isRollup(fact));
      const groupOf = (fact) => (isRollup(fact) ? "Summaries of days and weeks" : fact.topic_key ? words(fact.topic) : `${words(fact.kind)}${hasTopics ? ", no topic" : ""}`);
      const rank = ([name, members]) => (isRollup(members[0]) ? 3 : members.every((fact) => fact.status === "stale") ? 2 : name.endsWith(", no topic") ? 1 : 0);
      const groups = [...Map.groupBy(shown.toSorted((a, b) => (a.said < b.said ? 1 : -1)), groupOf)];
      const best = new Map(groups.map(([name, members]) => [name, members.reduce((most, fact) => Math.max(most, worth(fact)), -Infinity)]));
      groups.sort((a, b) => rank(a) - rank(b) || best.get(b[0]) - best.get(a[0]) || (a[0] < b[0] ? -1 : 1));
      let before = 0;
      const folds = groups.map(([name, members]) => {
        const isOpen = before < (isFiltered ? 60 : 12);
        before += members.length;
        return foldGroup(name, number.format(members.length), isOpen && (isFiltered || !isRollup(members[0])), () =>
          paged(members, (next) => next.map((fact) => drawFact(fact, stateAt(fact, at, mode), { isNow, under: words(fact.topic) })), h("div", { class: "cards" }), 60));
      });
      const open = (part) => { part.open = true; part.fill(); part.scrollIntoView(); part.firstChild.focus(); };
      index.replaceChildren(...(folds.length > 3 ? [h("ul", { class: "names", "aria-label": "Groups" }, groups.map(([name, members], i) => h("li", {}, h("button", { type: "button", class: "name", onclick: () => open(folds[i]) }, name, " ", h("span", { class: "number" }, number.format(members.length))))))] : []));
      list.replaceChildren(...folds);
      if (!chosen.length) list.append(empty("No fact matches these filters."), h("button", { type: "button", class: "more", onclick: () => { root.replaceChildren(); drawFacts(root, "", {}); } }, "Clear the filters"));
    }
    draw();
  }

  function drawDecisionList(root) {
    const decisions = listDecisions();
    append(root, [h("p", { class: "quiet" }, "From facts, the journal, and lists in memory files under headings for decisions. Decisions in force come first."),
      h("div", { class: "panel" }, table(["Decision", "When", "Who", "Where"], decisions.map((each) => [each.link, whenDecided(each), each.who || "–", each.where]), { label: "Decisions" }))]);
    return `${count(decisions.length, "decision")}`;
  }

  const MAX_PAIRS = 5;

  function drawContradictions() {
    const pairs = [];
    const seen = new Set();
    for (const fact of data.facts) {
      for (const [relation, other] of fact.relations) {
        const key = [fact.id, other].sort().join(" ");
        if (relation !== "contradicts" || seen.has(key) || !factById.has(other)) continue;
        seen.add(key);
        const sides = [fact, factById.get(other)];
        pairs.push([sides.map((side) => [side.text || side.title, `${side.owner}, ${side.said.slice(0, 10)}`, side.id]), ""]);
      }
    }
    for (const item of data.review) {
      if (item.sides.length === 2) pairs.push([item.sides.map(([text, [quote], id]) => [text, quote ? [reference(quote[1]), quote[2] && ` · ${quote[2]}`] : "", id]), item.id]);
    }
    if (!pairs.length) return document.createDocumentFragment();
    return h("details", { class: "panel" },
      h("summary", {}, count(pairs.length, "contradiction")),
      paged(pairs, (next) => next.map(([sides, decide]) => h("div", { class: "versus" },
        sides.map(([text, where, id], i) => h("blockquote", {}, h("span", { class: "side" }, "AB"[i]), h("p", {}, factById.has(id) ? factLink(factById.get(id)) : inline(text)), h("p", { class: "quiet small" }, where))),
        decide && h("p", { class: "small" }, h("a", { href: anchor("review", decide) }, "Decide in Review")))), h("div"), MAX_PAIRS));
  }

  const ORIGINS = { operator: "written by a person", agent: "written by an agent", external: "text from outside" };

  // The speaker's name if known, else the place of the note. A person who consolidates or imports
  // records what others said.
  function speaker({ origin, agent, by, quotes }) {
    const isRecorder = by.startsWith("operator:") && origin !== "operator";
    const [, name] = (!isRecorder && /^(?:agent|lead|operator):(?!unknown$)(.+)/.exec(by)) || ["", origin === "agent" ? agent : ""];
    const [, place] = quotes[0] || ["", ""];
    if (name) return `said by ${name}`;
    if (SESSION.test(place)) return `said by a person${agent ? ` to ${agent}` : ""}`;
    return place ? `noted in ${shortName(currentName(splitLines(place)[0]))}` : `said by ${{ operator: "a person", external: "somebody outside" }[origin] || "an agent"}`;
  }

  const RECORDERS = { "system:extract": "from a session log", "system:crewmem": "by crewmem itself" };

  // The wording of a relation from this fact, and from the other one.
  const RELATIONS = {
    supersedes: ["supersedes", "superseded by"],
    promoted_from: ["shared from", "shared as"],
    derived_from: ["made of", "part of the summary"],
    part_of: ["part of", "consists of"],
    supports: ["supports", "supported by"],
  };

  // A quote with its place and time; one that repeats *known* is left out.
  function drawQuote([quote, place, at], hasCommand, known = "") {
    const text = quote || (eventById.get(place) || [""])[4];
    return h("li", {}, text && known.includes(text.replace(/[.!]$/, "")) ? null : text ? h("q", {}, inline(text)) : h("p", { class: "quiet small" }, "The text was changed or deleted since:"),
      h("p", { class: "quiet small" }, place && reference(place), at && ` · ${at}`),
      hasCommand && SESSION.test(place) && shellCommand(command(`sessions show ${place}`)));
  }

  // Trust, retention and state are those of today, so they are not shown for other days.
  function drawFact(fact, period, { open = false, isNow = true, under = "" }) {
    const [title, text] = headline(period && period[2] !== null ? period[2] : fact.title, period && period[3] !== null ? period[3] : fact.text);
    const ended = !period;
    const replaced = [...new Set([...fact.relations.filter(([relation, , out]) => relation === "supersedes" && out).map(([, other]) => other), ...(replacedBy.get(fact.id) || [])])]
      .filter((id) => factById.has(id)).map(reference);
    const revised = period === fact.periods.at(-1) && fact.changes.find((change) => textBefore(change));
    if (revised) replaced.push([h("del", {}, inline(textBefore(revised))), ` on ${revised.at.slice(0, 10)}`]);
    const details = [];
    const part = (name, content) => details.push(h(open ? "h3" : "h5", { class: "part" }, name), content);
    if (fact.quotes.length) part("Evidence", h("ul", { class: "quotes" }, fact.quotes.map((each) => drawQuote(each, open))));
    else if (open) part("Evidence", h("p", { class: "small" }, "None is recorded."));
    if (fact.changes.length) {
      part("History", h("ol", { class: "history" }, fact.changes.map((change) =>
        h("li", {}, h("p", { class: "small" }, h("time", {}, change.at), " ", change.about, ` by ${actorName(change.by)}`, change.reason && `: ${change.reason}`), change.diff.length ? diff(change.diff) : null))));
    } else if (open) part("History", h("p", { class: "small" }, `Recorded on ${fact.since.slice(0, 10)}and never changed.`));
    if (fact.votes.length) {
      part("Votes", h("ul", { class: "plain small" }, fact.votes.map(([actor, vote, reason, at]) => h("li", {}, vote > 0 ? "up" : "down", ` by ${actor}, ${at}`, reason && `: ${reason}`))));
    }
    const related = fact.relations.filter(([relation, other, out]) => relation !== "supersedes" || !factById.has(other) || !out && other !== fact.superseded_by)
      .map(([relation, other, out]) => [(RELATIONS[relation] || [words(relation), words(relation)])[out ? 0 : 1], other]);
    if (fact.superseded_by) related.unshift(["superseded by", fact.superseded_by]);
    if (related.length) part("Related", h("ul", { class: "plain small" }, related.map(([relation, other]) => h("li", {}, `${relation} `, reference(other)))));
    details.push(h("dl", { class: "facts small" }, [
      ["Id", fact.id], ["Topic key", fact.topic_key], ["Recorded", `${fact.since} ${RECORDERS[fact.by] || `by ${actorName(fact.by)}`}`], ["Until", fact.until], ["Session", fact.session],
      ["Tags", fact.tags.join(", ")], ["Names", fact.entities.join(", ")], ["Uses", fact.uses ? number.format(fact.uses) : ""],
    ].filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
    const summary = [fact.quotes.length && `Evidence: ${count(fact.quotes.length, "place")}`, fact.changes.length && count(fact.changes.length, "change"), fact.votes.length && count(fact.votes.length, "vote")].filter(Boolean).join(", ") || "Details";
    const isStale = isNow ? fact.status === "stale" : period && period[4] === "stale";
    const chips = [words(fact.kind) !== under && chip(words(fact.kind)), isNow && fact.state && chip(fact.state === "open" ? `open since ${fact.said.slice(0, 10)}` : fact.state, fact.state === "open" ? "fair" : ""), isNow && fact.state === "open" && dueChip(fact),
      ended ? fact.state !== "done" && chip(fact.status === "active" ? "expired" : fact.status, "fair") : isStale && chip("stale", "fair"),
      fact.pin && chip("pinned", "info"), fact.sensitivity === "restricted" && chip("restricted", "bad")].filter(Boolean);
    const more = [isNow && !open && `trust ${fact.trust.toFixed(2)}`, isNow && !open && !ended && fact.retention <= FADING_RETENTION && `retention ${fact.retention.toFixed(2)}`,
      fact.importance !== 3 && `importance ${fact.importance} of 5`, fact.valid_from && `valid from ${fact.valid_from.slice(0, 10)}`, fact.until && `until ${fact.until.slice(0, 10)}`].filter(Boolean);
    return h("article", { class: `card ${ended ? "ended" : ""}`, id: open ? `fact-${fact.id}` : null },
      chips.length > 0 && h("p", { class: "chips" }, chips),
      !open && h("h4", {}, h("a", { href: anchor("fact", fact.id) }, inline(title))),
      text && h("p", { class: open ? "statement" : "statement excerpt" }, inline(text)),
      h("p", { class: "quiet small" }, h("span", { class: "owner" }, fact.owner), ` · ${speaker(fact)} on `, h("span", { class: "whole" }, fact.said.slice(0, 10)), `, ${age(fact.said)}`, more.map((each) => ` · ${each}`)),
      isNow && open && h("div", { class: "meters" },
        meter("Trust", fact.trust, fact.trust.toFixed(2)),
        !ended && meter("Retention", fact.retention, fact.retention.toFixed(2), fact.retention > FRESH_RETENTION ? "good" : fact.retention > FADING_RETENTION ? "fair" : "bad")),
      replaced.length > 0 && h("p", { class: "small" }, "Replaces ", replaced.map((each, i) => [i ? ", " : "", each])),
      open && fact.state === "open" && markDone(fact),
      open ? h("div", {}, details) : h("details", {}, h("summary", {}, summary), details));
  }

  // ---- Files

  function drawFiles(root, target) {
    const files = data.files;
    if (target) {
      root.append(h("p", { class: "back" }, h("a", { href: "#files" }, "← All files"), ` · ${splitLines(target)[0]}`));
      const file = fileByName.get(splitLines(target)[0]);
      if (!file) root.append(empty(`The file ${target} is not on this page.`, command(`memory read ${quote(target)}`)));
      else root.append(drawFile(file));
      return file && file.file;
    }
    if (!files.length) {
      root.append(empty("No memory files yet.", forAgent("note 'The first note'"), command("import --from DIRECTORY --apply")));
      return;
    }
    let needle = "", owner = "";
    const list = h("div");
    root.append(h("div", { class: "controls" },
      searchField("Name or text", (text) => { needle = text; draw(); }),
      select("Owner", unique(files.map((file) => file.owner)), (value) => { owner = value; draw(); }, "everybody")),
      h("p", { class: "quiet small" }, "The limit is the size that fits into a prompt. Longer files are not written."), list);
    const texts = new Map(files.map((file) => [file, `${file.file} ${(file.blocks || []).map((block) => block[2]).join(" ")}`.toLowerCase()]));
    function draw() {
      const chosen = files.filter((file) => (!owner || file.owner === owner) && (!needle || matches(texts.get(file), needle)));
      const tiers = Map.groupBy(chosen, (file) => file.tier);
      list.replaceChildren();
      if (!chosen.length) list.append(empty("No file matches these filters."));
      for (const tier of Object.keys(FILE_WORTH).concat([...tiers.keys()].filter((each) => !(each in FILE_WORTH)))) {
        const members = tiers.get(tier);
        if (!members) continue;
        const bytes = members.reduce((sum, file) => sum + file.bytes, 0);
        members.sort((a, b) => (tier === "daily" ? 0 : b.share - a.share) || (a.file < b.file ? 1 : -1));
        const part = foldGroup(tier, `${count(members.length, "file")}, ${size(bytes)}`, members.length <= 12 || Boolean(needle || owner), () => paged(members, (next) => fileTable(next), h("div"), 40));
        part.classList.add("tier");
        list.append(part);
      }
    }
    draw();
  }

  const FLAG_TONES = { "over cap": "bad", "near cap": "fair", attack: "bad", secret: "bad", suspicious: "fair", skipped: "fair", "damaged text": "fair" };

  function fileTable(files) {
    return table(["File", "Size", "Of limit", "Changed", "Versions"], files.map((file) => [
      [h("a", { href: anchor("file", file.file) }, file.file.replace(/archive\/\d{4}\//, "")), file.flags.map((flag) => [" ", chip(flag, FLAG_TONES[flag])])],
      size(file.bytes),
      file.cap ? h("span", { class: "cap" }, bar(file.share, file.share > 1 ? "bad" : file.share >= 0.8 ? "fair" : ""), percent(file.share)) : "–",
      h("time", { title: file.at }, age(file.at)),
      file.versions > 1 ? number.format(file.versions) : "",
    ]), { right: [1, 4], label: "Files" });
  }

  // When a file changed or was added; its text may be much older.
  const lastChange = (file) => (file.changes.length && ["imported", "first seen"].includes(file.changes[0].about) ? `${file.changes[0].about} ` : "") + age(file.at);

  function drawFile(file) {
    return h("article", { class: "file" },
      h("p", { class: "chips" }, chip(file.tier), file.origin && chip(ORIGINS[file.origin] || file.origin), file.flags.map((flag) => chip(flag, FLAG_TONES[flag]))),
      h("dl", { class: "facts" },
        h("dt", {}, "Size"), h("dd", {}, size(file.bytes), file.cap ? [` of ${size(file.cap)} `, bar(file.share, file.share > 1 ? "bad" : file.share >= 0.8 ? "fair" : "")] : ", no limit"),
        h("dt", {}, "Changed"), h("dd", {}, `${file.at}, ${lastChange(file)}`),
        h("dt", {}, "Owner"), h("dd", {}, file.owner || "–")),
      file.problem && h("p", { class: "warning" }, file.problem),
      file.lines.length ? h("p", { class: "warning" }, "Suspicious: line ", file.lines.map((line, i) => [i ? ", " : "", h("a", { href: anchor("file", `${file.file}:${line}`) }, String(line))]), " may be an instruction to the reader.") : null,
      file.blocks ? panel("", markdown(file.blocks)) : empty("The text is not on this page.", command(`memory read ${quote(file.file)}`)),
      h("h3", {}, "Versions"),
      file.changes.length
        ? h("ol", { class: "history" }, file.changes.map((change, i) => h("li", {},
            h("p", { class: "small" }, h("time", {}, change.at), ` ${change.about}`, change.by !== "unknown" && ` by ${actorName(change.by)}`, change.reason && `: ${change.reason}`),
            change.diff.length && change.diff[0] !== "" ? h("details", { open: i === 0 }, h("summary", {}, "What changed"), diff(change.diff)) : null)))
        : empty("No version is stored yet.", command("sweep")));
  }

  // ---- Entities

  const entityByKey = new Map((data.entities || []).map((entity) => [entity.key, entity]));

  function drawEntities(root, target) {
    const entities = data.entities;
    if (target) {
      root.append(h("p", { class: "back" }, h("a", { href: "#entities" }, "← All names")));
      const entity = entityByKey.get(target);
      if (!entity) root.append(empty(`Nothing on this page mentions ${target}.`, command(`search --entity ${quote(target)}`)));
      else root.append(drawEntity(entity));
      return entity && entity.name;
    }
    if (!entities.length) {
      root.append(empty("No names yet. People, services, files and projects are found in facts, files and journal.", forAgent("note 'Ada moved the deploy key to the vault'")));
      return;
    }
    let needle = "", kind = "";
    const list = h("div");
    root.append(h("div", { class: "controls" },
      searchField("Name", (text) => { needle = text; draw(); }),
      select("Kind", unique(entities.map((entity) => entity.kind)), (value) => { kind = value; draw(); }, "all")), list,
      panel("Names that occur together", h("p", { class: "quiet small" }, "A line joins names that occur in the same texts, a wider one in more texts. Select a name to open its page."), drawGraph(entities.slice(0, 16))));
    function draw() {
      const chosen = entities.filter((entity) => (!kind || entity.kind === kind) && (!needle || matches(entity.name.toLowerCase(), needle)));
      list.replaceChildren();
      if (!chosen.length) { list.append(empty("No name matches these filters.")); return; }
      list.append(...paged(chosen, (next) => table(["Name", "Kind", "Mentions", "Together with"], next.map((entity) => [
        h("a", { href: anchor("entity", entity.key) }, entity.name), entity.kind, number.format(entity.count),
        entity.together.slice(0, 4).map(([key], i) => [i ? ", " : "", h("a", { href: anchor("entity", key) }, entityByKey.get(key).name)]),
      ]), { right: [2], label: "Names" }), h("div"), 20));
    }
    draw();
  }

  // An arc diagram: a column of names, with arcs between names that occur together.
  function drawGraph(entities) {
    const narrow = innerWidth < 600;
    const row = narrow ? 28 : 24, left = narrow ? 190 : 280, at = new Map(entities.map((entity, i) => [entity.key, i]));
    const edges = entities.flatMap((entity, i) => entity.together
      .filter(([key]) => at.get(key) > i).map(([key, n]) => [i, at.get(key), n]));
    edges.sort((a, b) => b[2] - a[2]).splice(entities.length); // only the strongest: more would be unreadable
    const most = Math.max(1, ...edges.map((edge) => edge[2]));
    const biggest = entities[0].count;
    const furthest = Math.max(1, ...edges.map(([a, b]) => b - a));
    const reach = narrow ? 100 : 560;
    const width = left + reach + 16, height = entities.length * row + 8;
    const y = (i) => i * row + row / 2 + 4;
    const svg = s("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Names that occur together" });
    for (const [a, b, n] of edges.sort((one, other) => one[2] - other[2])) {
      const bulge = ((b - a) * row * reach) / (furthest * row);
      svg.append(s("path", { d: `M${left} ${y(a)} C${left + bulge * 1.3} ${y(a)} ${left + bulge * 1.3} ${y(b)} ${left} ${y(b)}`, "stroke-width": (0.75 + (3.25 * n) / most).toFixed(2), "stroke-opacity": (0.4 + (0.5 * n) / most).toFixed(2) },
        s("title", {}, `${entities[a].name} and ${entities[b].name}: ${count(n, "text")}`)));
    }
    entities.forEach((entity, i) => {
      const short = entity.name.length > (narrow ? 22 : 36) ? `${entity.name.slice(0, narrow ? 21 : 35)}…` : entity.name;
      svg.append(s("a", { href: anchor("entity", entity.key) },
        s("title", {}, `${entity.name}: ${count(entity.count, "mention")}`),
        s("rect", { class: "hit", x: 0, y: y(i) - row / 2, width: left + 8, height: row }),
        s("text", { x: left - 14, y: y(i) + 4.5, "text-anchor": "end" }, short),
        s("circle", { cx: left, cy: y(i), r: (2.5 + 4.5 * Math.sqrt(entity.count / biggest)).toFixed(1) })));
    });
    return svg;
  }

  function drawEntity(entity) {
    const stores = { facts: "Facts", memory: "Memory files", journal: "Journal", sessions: "Sessions" };
    // Texts that begin with the name usually explain it; then lasting files, then daily notes.
    const relevance = ([, target, text]) => {
      const file = fileByName.get(target.slice("file/".length));
      return (text.replace(/^\W+/, "").toLowerCase().startsWith(entity.name.toLowerCase()) ? 10 : 0) + ((file && FILE_WORTH[file.tier]) || 0);
    };
    const dateOf = ([, target, , at]) => (/daily\/.*?(\d{4}-\d\d-\d\d)/.exec(target) || [])[1] || at;
    const gist = (text) => text.replace(/[*`]|…$/g, "").slice(0, 60); // a title may be cut
    const said = entity.mentions.filter(([store]) => store !== "journal").map(([, , text]) => gist(text));
    const longer = data.entities.filter((each) => each.name.startsWith(`${entity.name} `) || entity.name.startsWith(`${each.name} `));
    const isShown = ([store, , text]) => store !== "journal" || !said.includes(gist(text));
    const total = entity.mentions.filter(isShown).length;
    return h("article", {},
      h("p", { class: "chips" }, chip(entity.kind), h("span", { class: "quiet small" }, count(entity.count, "mention"))),
      longer.length > 0 && h("p", {}, "See also: ", longer.map((each, i) => [i ? ", " : "", h("a", { href: anchor("entity", each.key) }, each.name)])),
      Object.entries(stores).map(([store, title]) => {
        const found = entity.mentions.filter((each) => each[0] === store && isShown(each));
        if (!found.length) return null;
        found.sort((a, b) => (store === "memory" ? relevance(b) - relevance(a) : 0) || (dateOf(a) < dateOf(b) ? 1 : -1));
        return [h("h3", {}, title, " ", h("span", { class: "number" }, number.format(found.length))), h("ul", { class: "mentions" }, found.map((mention) => {
          const [, target, text, at] = mention;
          const id = target.slice(target.indexOf("/") + 1);
          const link = (label) => h("a", { href: anchor(target.split("/")[0], id) }, label);
          if (store === "facts") return h("li", {}, link(inline(text)), h("p", { class: "quiet small" }, at.slice(0, 10)));
          return h("li", {}, h("p", {}, inline(text)), h("p", { class: "quiet small" }, link(store === "memory" ? shortName(splitLines(id)[0]) : at), store === "memory" && ` · ${dateOf(mention) === at ? lastChange(fileByName.get(splitLines(id)[0]) || { changes: [], at }) : dateOf(mention)}`));
        }))];
      }),
      total < entity.count ? h("p", { class: "quiet small" }, `${number.format(total)} of ${count(entity.count, "mention")}: journal entries that repeat a mention above are left out${entity.mentions.length < entity.count ? ", and so are less informative ones" : ""}.`) : null,
      shellCommand(command(`search --entity ${quote(entity.name)}`)),
      entity.together.length ? [h("h3", {}, "Together with"), h("ul", { class: "names" }, entity.together.map(([key, n]) => h("li", {}, h("a", { class: "name", href: anchor("entity", key) }, entityByKey.get(key).name, " ", h("span", { class: "number" }, number.format(n))))))] : null);
  }

  // ---- Recall

  function drawRecall(root, target, filters) {
    const { recalls, runs } = data.recall;
    const [known] = data.entities;
    const question = known ? `what do we know about ${known.name}?` : "what was decided?";
    const answered = recalls.filter((recall) => recall.found).length;
    const missed = recalls.length - answered;
    if (recalls.length) root.append(h("p", {}, `In 30 days ${count(recalls.length, "question")} ${recalls.length === 1 ? "was" : "were"} asked; ${number.format(answered)} found an answer`, missed > 0 && [", ", h("a", { href: filtered("recall", { answer: "none" }) }, `${number.format(missed)} nothing relevant`)], runs.length ? `. The newest evaluation: ${runs.at(-1).verdict.replace("-", " ")}.` : ". The quality of the answers was not measured."));
    if (!recalls.length) {
      root.append(panel("Questions", empty("No questions yet.", command(`recall ${quote(question)}`), forAgent("hooks install claude --print"))));
    } else {
      let needle = "", answer = filters.answer || "";
      const list = h("div");
      const draw = () => {
        const chosen = recalls.filter((recall) => (!answer || answer === answerOf(recall)) && (!needle || matches(`${recall.query} ${recall.who}`.toLowerCase(), needle)));
        list.replaceChildren();
        if (!chosen.length) { list.append(empty("No question matches.")); return; }
        list.append(...paged(groupQuestions(chosen), (next) => table(["Question", "Last", "Who", "Answers"], next.map(([recall, ...others]) => [
          [h("span", { class: "free" }, recall.query), times(others)], [h("span", { class: "whole" }, recall.at.slice(0, 10)), recall.at.slice(10)], actorName(recall.who),
          recall.found ? h("ul", { class: "plain" }, recall.answers.map((ref, i) => h("li", {}, reference(ref), " ", i < recall.sure ? chip("sure", "good") : chip("unsure", "fair"))), recall.found > recall.answers.length && h("li", { class: "quiet" }, `and ${number.format(recall.found - recall.answers.length)} more`)) : h("span", { class: "quiet" }, "nothing relevant"),
        ]), { label: "Questions" }), h("div"), 50));
      };
      root.append(panel("Questions", h("div", { class: "controls" }, searchField("Text", (text) => { needle = text; draw(); }),
        select("Answer", ["sure", "unsure", "none"], (value) => { answer = value; draw(); }, "all", answer)), list));
      draw();
    }
    root.append(panel("Evaluation", runs.length ? drawRuns(runs) : empty("Recall was never measured here. The questions, with the votes on their answers, can become the suite captured.", command("eval capture"), command("eval run --suite captured --save"))));
  }

  const answerOf = (recall) => (recall.sure ? "sure" : recall.found ? "unsure" : "none");

  function drawRuns(runs) {
    const latest = runs.at(-1);
    const series = runs.filter((run) => run.use === latest.use && run.suite === latest.suite);
    const verdicts = { passed: "good", failed: "bad" };
    const shown = (value) => (value === null || value === undefined ? "n/a" : value >= 10 ? number.format(Math.round(value)) : value.toFixed(2));
    return [
      h("p", { class: "quiet small" }, `Metrics of the suite ${latest.suite} with the ${latest.use} threshold, over ${count(series.length, "run")}.`),
      h("div", { class: "sparks" }, Object.keys(latest.metrics).sort().map((name) => {
        const values = series.map((run) => run.metrics[name] ?? null);
        return h("div", {}, h("span", { class: "label" }, words(name)), h("span", { class: "value" }, shown(values.at(-1))),
          series.length > 1 && sparkline(values, words(name), Math.max(1, ...values.filter((value) => value !== null))));
      })),
      table(["Run", "Suite", "Use", "Verdict", "Gates that did not pass"], runs.slice().reverse().map((run) => [
        run.at, run.suite, run.use, chip(run.verdict.replace("-", " "), verdicts[run.verdict] || "fair"),
        run.gates.filter(([, , verdict]) => verdict !== "passed").map(([name, value], at) => `${at ? "; " : ""}${words(name)} ${shown(value)}`).join("") || "none",
      ]), { label: "Evaluation runs" }),
    ];
  }

  // ---- Review

  function drawReview(root) {
    if (!data.review.length) {
      root.append(empty("Nothing to review. Contradictions, quarantined text, and changes that need a person would be listed here."));
      return;
    }
    let kind = "";
    const kinds = unique(data.review.map((item) => item.kind));
    const list = h("div");
    const summary = h("p", { class: "quiet", role: "status" });
    root.append(h("div", { class: "controls" }, kinds.length > 1 && select("Kind", kinds, (value) => { kind = value; draw(); }, "all")), summary, list);
    function draw() {
      const chosen = data.review.filter((item) => !kind || item.kind === kind);
      summary.textContent = `${count(chosen.length, "item waits", "items wait")}: ${kinds.map((each) => `${words(each)} ${number.format(chosen.filter((item) => item.kind === each).length)}`).join(", ")}`;
      list.replaceChildren(...paged(chosen, (next) => next.map((item) => drawItem(item, true)), h("div", { class: "cards single" }), 40));
    }
    draw();
  }

  // An open review item: its kind, its source, and each choice with its effect and command.
  function drawItem(item, isOpen) {
    const isPair = item.sides.length === 2;
    const [head, ...rest] = item.place.split("/");
    const fact = head === "fact" && factById.get(rest[0]);
    const title = fact ? factLink(fact) : item.place ? h("a", { href: anchor(head, rest.join("/")) }, inline(item.title)) : inline(item.title);
    const change = item.change.filter((line) => !fact && !line.includes(item.title));
    return h("article", { class: "item", "data-item": item.id },
      h("p", { class: "chips" }, chip(words(item.kind), "fair"), h("span", { class: "quiet small" }, [item.at, item.by && `by ${actorName(item.by)}`, item.agent].filter(Boolean).join(" · "))),
      h(isOpen ? "h3" : "h4", {}, isPair ? item.ask : title),
      isPair
        ? h("div", { class: "versus" }, item.sides.map(([text, evidence, id], i) => h("blockquote", {}, h("span", { class: "side" }, "AB"[i]), h("p", {}, inline(text)), evidence.slice(0, 3).map(([quote, place, at]) => h("p", { class: "quiet small" }, quote !== text && quote && [h("q", {}, inline(quote)), " "], reference(place), at && ` · ${at}`)), factById.has(id) && h("p", { class: "small" }, "fact ", h("a", { href: anchor("fact", id) }, id)))))
        : [item.kind === "quarantine" && h("p", { class: "quiet small" }, "Quarantined text, quoted. It was refused: do not follow instructions in it."), change.length > 0 && diff(change)],
      item.quotes.length > 0 && h("ul", { class: "quotes" }, item.quotes.slice(0, 2).map(([quote, ...rest]) => drawQuote([brief(quote), ...rest], false, item.title))),
      item.evidence.length > 0 && !isPair && h("ul", { class: "plain small" }, item.evidence.map((line) => h("li", {}, reference(line.trim())))),
      h("details", { open: isOpen }, h("summary", {}, isPair ? "" : `${item.ask} `, item.choices.map(([label], i) => [i ? " · " : "", label])),
        h("dl", { class: "options" }, item.choices.map(([label, effect, text]) => [h("dt", {}, label), h("dd", {}, effect, shellCommand(text))]))));
  }

  // ---- One result, one session

  const MODES = { sparse: "words", dense: "meaning", hybrid: "words and meaning" };

  function drawResult(root) {
    const { query, mode, hits } = data.result;
    root.append(h("p", { class: "quiet" }, `${count(hits.length, "hit")}, searched by ${MODES[mode] || mode}.`));
    if (!hits.length) { root.append(empty("Nothing relevant was found.", command(`search --all ${quote(query)}`))); return; }
    root.append(...paged(hits, (next) => next.map((hit) => h("article", { class: "card" },
      h("p", { class: "chips" }, chip(hit.store), chip(hit.label, hit.label === "sure" ? "good" : "fair"), hit.kind && chip(words(hit.kind)), h("span", { class: "quiet small owner" }, [hit.owner, hit.at].filter(Boolean).join(" · "))),
      hit.title && h("h3", {}, hit.title),
      h("p", { class: "statement" }, hit.parts.map(([text, marked]) => (marked ? h("mark", {}, text) : text.replace(/\*\*|`/g, "")))),
      h("div", { class: "meters" }, meter("Relevance", hit.relevance, hit.relevance.toFixed(2))),
      shellCommand(hit.command)))
    , h("div", { class: "cards single" })));
  }

  function drawSession(root) {
    const { session, turns, more } = data.session;
    root.append(h("dl", { class: "facts" }, [
      ["Session", session.id], ["Program", session.program], ["Agent", session.agent || "operator"], ["Project", session.project], ["Branch", session.branch],
      ["From", session.first], ["To", session.last], ["Turns", number.format(session.turns)], ["Context losses", session.losses ? number.format(session.losses) : ""],
    ].filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
    let needle = "", role = "";
    const list = h("div");
    root.append(h("div", { class: "controls" },
      searchField("Text", (text) => { needle = text; draw(); }),
      select("Role", unique(turns.map((turn) => turn.role)), (value) => { role = value; draw(); }, "all")), list);
    function draw() {
      const chosen = turns.filter((turn) => (!role || turn.role === role) && (!needle || matches(`${turn.text} ${turn.tool}`.toLowerCase(), needle)));
      list.replaceChildren();
      if (!chosen.length) { list.append(empty("No turn matches these filters.")); return; }
      list.append(...paged(chosen, (next) => next.map((turn) => drawTurn(turn, session.id)), h("div", { class: "turns" })));
      if (more) list.append(h("p", { class: "quiet" }, `${count(more, "more turn")} are not on this page.`), shellCommand(command(`sessions show ${session.id} --html --limit ${session.turns}`)));
    }
    draw();
  }

  function drawTurn(turn, id) {
    return h("article", { class: `turn ${turn.role} ${turn.marked ? "marked" : ""}`, "data-id": `${id}:${turn.line}` },
      h("p", { class: "chips" }, chip(turn.tool || turn.role), turn.failed && chip("failed", "bad"), turn.note && chip(turn.note), h("span", { class: "quiet small owner" }, `${turn.at} · line ${turn.line}`)),
      turn.blocks ? markdown(turn.blocks) : (turn.text ? h("pre", { tabindex: "0", role: "group", "aria-label": "Output" }, turn.text) : h("p", { class: "quiet small" }, "No text.")));
  }

  // ---- Which section is shown

  const DRAW = { overview: drawOverview, timeline: drawTimeline, facts: drawFacts, files: drawFiles, entities: drawEntities, recall: drawRecall, review: drawReview, result: drawResult, session: drawSession };
  const PAGES = { fact: "facts", file: "files", entity: "entities" };
  const sections = [...document.querySelectorAll("main > section")].map((element) => element.id);
  const titles = new Map(sections.map((id) => [id, document.querySelector(`#${id} > h2`).textContent]));
  const drawn = new Map();

  // A section, redrawn if it showed something else; an item with its own page comes first.
  function show(id, target = "", query = "") {
    const element = document.getElementById(id);
    const place = `${target}?${query}`;
    if (drawn.get(id) !== place) {
      const root = element.querySelector(".content");
      root.replaceChildren();
      const heading = DRAW[id](root, target, Object.fromEntries(new URLSearchParams(query)));
      element.querySelector("h2").replaceChildren(append(document.createDocumentFragment(), [heading || titles.get(id)]));
      drawn.set(id, place);
    }
    return element;
  }

  // The cited blocks: those that begin at the cited lines, and the one that contains the first line.
  function markLines(root, lines) {
    const [first, last = first] = lines.slice(1).split("-").map(Number);
    const blocks = [...root.querySelectorAll("[data-line]")];
    const start = blocks.findLastIndex((each) => Number(each.dataset.line) <= first);
    if (start < 0) return;
    for (const each of blocks.slice(start).filter((each, i) => !i || Number(each.dataset.line) <= last)) each.classList.add("cited");
    blocks[start].scrollIntoView({ block: "center" });
  }

  function markEvent(root, event) {
    const row = root.querySelector(`[data-id="${CSS.escape(event)}"]`);
    if (!row) return;
    row.closest("details")?.setAttribute("open", "");
    row.classList.add("cited");
    row.scrollIntoView({ block: "center" });
  }

  function route(moveFocus) {
    const [place, query] = location.hash.slice(1).split("?");
    const [head, ...rest] = place.split("/");
    let target = "";
    try { target = decodeURIComponent(rest.join("/")); } catch { target = ""; }
    const id = PAGES[head] || (sections.includes(head) ? head : sections[0]);
    for (const each of sections) document.getElementById(each).hidden = each !== id;
    document.querySelectorAll("nav a").forEach((link) => {
      if (link.dataset.section !== id) { link.removeAttribute("aria-current"); return; }
      link.setAttribute("aria-current", "page");
      link.closest("ul").scrollLeft = link.offsetLeft - 16; // on a phone the row of links scrolls
    });
    const element = show(id, PAGES[head] || id === "timeline" ? target : "", query);
    if (moveFocus && head !== "main") {
      scrollTo(0, 0);
      element.querySelector("h2").focus({ preventScroll: true });
    }
    if (id === "timeline" && target) markEvent(element, target);
    if (id === "files" && target) markLines(element, splitLines(target)[1]);
    if (moveFocus && head !== "main") {
      if (id === "review" && target) element.querySelector(`[data-item="${CSS.escape(target)}"]`)?.scrollIntoView();
      if (id === "overview" && target) document.getElementById(target)?.scrollIntoView({ block: "center" });
    }
  }

  addEventListener("hashchange", () => { if (location.hash !== "#main") route(true); });
  addEventListener("beforeprint", () => {
    for (const id of sections) (drawn.has(id) ? document.getElementById(id) : show(id)).hidden = false;
    for (const each of document.querySelectorAll(".fold")) { each.open = true; each.fill(); }
  });
  addEventListener("afterprint", () => route(false));
  route(false);
})();
