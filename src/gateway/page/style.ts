// How the page looks: the system's own font and colour scheme, one accent, room to read.

export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f5f2; --paper: #ffffff; --ink: #1f2421; --soft: #626b66; --line: #dedcd5; --accent: #2f6f62;
  --accent-ink: #ffffff; --said: #e6efec; --code: #f1efe9; --bad: #a3352b; --bad-ground: #fbeae7; --warn: #8a5a00;
  --static: #2f6f62; --session: #b98a2f; --run: #8a5fa8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #161918; --paper: #1e2221; --ink: #e7e9e6; --soft: #9aa39e; --line: #323836; --accent: #6fb8a6;
    --accent-ink: #10201c; --said: #24332f; --code: #171a19; --bad: #ef8d82; --bad-ground: #3a2320; --warn: #e0b25c;
    --static: #5aa695; --session: #d0a24c; --run: #ab85c6;
  }
}
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body {
  display: flex; flex-direction: column; background: var(--ground); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
button, select, textarea, input { font: inherit; color: inherit; }
button {
  border: 1px solid transparent; border-radius: 8px; padding: 7px 14px; background: var(--accent); color: var(--accent-ink);
  cursor: pointer; font-weight: 550;
}
button:disabled { opacity: .45; cursor: default; }
button.quiet { background: transparent; color: var(--ink); border-color: var(--line); font-weight: 450; }
button.quiet:hover:not(:disabled) { border-color: var(--soft); }
button.plain { background: none; border: 0; padding: 0; color: var(--soft); font-weight: 450; font-size: 13px; }
button.plain:hover { color: var(--ink); text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.grow { flex: 1; }
.bar {
  display: flex; align-items: center; gap: 12px; padding: 10px 18px; background: var(--paper);
  border-bottom: 1px solid var(--line);
}
.brand { display: flex; align-items: center; gap: 8px; margin: 0 8px 0 0; font-size: 16px; font-weight: 650; }
.brand svg { color: var(--accent); }
.pick select {
  width: 260px; max-width: 46vw; padding: 6px 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper);
}
.link { display: inline-flex; align-items: center; gap: 7px; color: var(--soft); font-size: 13px; white-space: nowrap; }
.link::before { content: ""; width: 8px; height: 8px; border-radius: 50%; background: var(--soft); }
.link[data-state="on"]::before { background: var(--static); }
.link[data-state="wait"]::before { background: var(--session); }
.columns { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(0, 1fr) minmax(320px, 400px); }
.chat { display: flex; flex-direction: column; min-height: 0; min-width: 0; }
.log { flex: 1; overflow-y: auto; padding: 24px 24px 8px; }
.turns { max-width: 760px; margin: 0 auto; display: flex; flex-direction: column; gap: 28px; }
.welcome { margin: 12vh auto 0; max-width: 460px; text-align: center; color: var(--soft); }
.welcome h2 { margin: 0 0 6px; color: var(--ink); font-size: 20px; font-weight: 600; }
.welcome ul { list-style: none; margin: 18px 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 8px; justify-content: center; }
.turn { display: flex; flex-direction: column; gap: 12px; }
.said {
  align-self: flex-end; max-width: 85%; padding: 9px 14px; border-radius: 14px 14px 4px 14px; background: var(--said);
  white-space: pre-wrap; overflow-wrap: anywhere;
}
.said.waiting { opacity: .6; }
.flow { display: flex; flex-direction: column; gap: 10px; min-width: 0; }
.words { overflow-wrap: anywhere; }
.words p { margin: 0 0 .7em; white-space: pre-wrap; }
.words p:last-child { margin-bottom: 0; }
.words h3 { margin: .9em 0 .3em; font-size: 1.02em; }
.words code { padding: 1px 5px; border-radius: 5px; background: var(--code); border: 1px solid var(--line); }
.words pre { margin: .5em 0; padding: 12px 14px; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--code); }
.words pre code { padding: 0; border: 0; background: none; }
.words a { color: var(--accent); }
.flow.live > .words:last-child > p:last-child::after {
  content: ""; display: inline-block; width: 7px; height: 1em; margin-left: 4px; vertical-align: -2px; background: var(--accent);
  animation: blink 1.1s steps(2) infinite;
}
.thinking { color: var(--soft); font-size: 13px; }
@keyframes blink { 50% { opacity: 0; } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; } }
.tool { border: 1px solid var(--line); border-radius: 8px; background: var(--paper); font-size: 13px; overflow: hidden; }
.tool summary { display: flex; gap: 8px; align-items: baseline; padding: 6px 12px; cursor: pointer; list-style: none; }
.tool summary::-webkit-details-marker { display: none; }
.tool summary::before { content: "\\203A"; color: var(--soft); }
.tool[open] summary::before { transform: rotate(90deg); }
.tool .name { font-weight: 600; }
.tool .brief { flex: 1; min-width: 0; color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tool .time { color: var(--soft); white-space: nowrap; }
.tool.failed .name, .tool.failed .time { color: var(--bad); }
.tool pre { margin: 0; padding: 10px 12px; max-height: 260px; overflow: auto; border-top: 1px solid var(--line); background: var(--code); white-space: pre-wrap; overflow-wrap: anywhere; }
.approval { padding: 12px 14px; border: 1px solid var(--line); border-left: 4px solid var(--warn); border-radius: 8px; background: var(--paper); min-width: 0; }
.approval[data-severity="info"] { border-left-color: var(--accent); }
.approval[data-severity="critical"] { border-left-color: var(--bad); }
.approval header { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; }
.approval h3 { flex: 1 1 200px; margin: 0; font-size: 15px; font-weight: 600; overflow-wrap: anywhere; }
.approval .severity, .approval .left { color: var(--soft); font-size: 13px; white-space: nowrap; font-variant-numeric: tabular-nums; }
.approval[data-severity="critical"] .severity { color: var(--bad); }
.approval pre { margin: 10px 0; padding: 10px 12px; max-height: 320px; overflow: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--code); white-space: pre-wrap; overflow-wrap: anywhere; }
.approval .choices { display: flex; flex-wrap: wrap; gap: 8px; }
.approval .outcome { margin: 8px 0 0; color: var(--soft); font-size: 13px; }
.approval .outcome:empty { display: none; }
.approval.over { border-left-color: var(--line); } .approval.over.allowed { border-left-color: var(--accent); }
.foot { display: flex; gap: 14px; color: var(--soft); font-size: 13px; }
.notice { color: var(--soft); font-size: 13px; font-style: italic; white-space: pre-wrap; overflow-wrap: anywhere; }
.problem { margin: 0; color: var(--bad); overflow-wrap: anywhere; }
.chat > .problem { max-width: 760px; width: calc(100% - 48px); margin: 8px auto 0; padding: 8px 14px; border-radius: 8px; background: var(--bad-ground); }
.composer { display: flex; gap: 10px; align-items: flex-end; width: calc(100% - 48px); max-width: 760px; margin: 12px auto 0; }
.composer textarea {
  flex: 1; min-width: 0; max-height: 40vh; padding: 10px 14px; border: 1px solid var(--line); border-radius: 12px;
  background: var(--paper); resize: none;
}
textarea:focus-visible, input:focus-visible { outline-offset: -1px; }
.composer button { height: 44px; padding: 0 18px; border-radius: 12px; }
.composer .stop { background: transparent; color: var(--bad); border-color: var(--bad); }
.hint { width: calc(100% - 48px); max-width: 760px; margin: 8px auto 12px; color: var(--soft); font-size: 12px; }
.panel { min-height: 0; overflow-y: auto; padding: 20px; border-left: 1px solid var(--line); background: var(--paper); }
.panel .empty { color: var(--soft); }
.report h2 { margin: 0 0 2px; font-size: 15px; }
.report h3 { display: flex; justify-content: space-between; gap: 8px; margin: 22px 0 6px; font-size: 13px; font-weight: 600; }
.report h3 span { text-align: right; color: var(--soft); font-weight: 450; }
.report .facts { margin: 0; color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.map { display: flex; height: 26px; margin-top: 14px; border-radius: 6px; overflow: hidden; background: var(--code); }
.map i { display: block; min-width: 3px; border-right: 1px solid var(--paper); }
.map i:last-child { border-right: 0; }
.map i.on { box-shadow: inset 0 0 0 2px var(--ink); }
.static { background: var(--static); } .session { background: var(--session); } .run { background: var(--run); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 8px 0 0; padding: 0; list-style: none; color: var(--soft); font-size: 12px; }
.legend li { display: flex; align-items: center; gap: 6px; }
.legend i, .rows i { flex: none; width: 9px; height: 9px; border-radius: 3px; }
.rows { margin: 0; padding: 0; list-style: none; font-size: 13px; }
.rows li { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 2px 8px; align-items: center; padding: 5px 0; border-top: 1px solid var(--line); }
.rows li:first-child { border-top: 0; }
.rows .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; grid-column: 2; }
.rows .size { color: var(--soft); font-variant-numeric: tabular-nums; white-space: nowrap; }
.rows .why { grid-column: 2 / -1; color: var(--soft); font-size: 12px; overflow-wrap: anywhere; }
.rows .tag { color: var(--soft); } .rows .tag.trimmed, .rows .tag.absent { color: var(--warn); } .rows .tag.bad { color: var(--bad); }
.exact { margin-top: 22px; border-top: 1px solid var(--line); padding-top: 12px; font-size: 13px; }
.exact summary { cursor: pointer; font-weight: 600; }
.exact .tools { display: flex; gap: 12px; margin: 8px 0; color: var(--soft); align-items: center; }
.exact .tools select { padding: 2px 6px; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); }
.exact pre { margin: 0; max-height: 50vh; overflow: auto; padding: 10px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--code); white-space: pre-wrap; overflow-wrap: anywhere; }
.gate { border: 1px solid var(--line); border-radius: 14px; padding: 24px; max-width: 420px; background: var(--paper); color: var(--ink); }
.gate::backdrop { background: rgb(0 0 0 / .4); }
.gate h2 { margin: 0 0 8px; font-size: 18px; }
.gate form { display: flex; flex-direction: column; gap: 10px; }
.gate p { margin: 0; color: var(--soft); }
.gate .problem { color: var(--bad); }
.gate input { padding: 9px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); }
.narrow-only { display: none; }
@media (max-width: 900px) {
  .narrow-only { display: inline-block; }
  .columns { grid-template-columns: minmax(0, 1fr); position: relative; }
  .panel { display: none; }
  .panel.open { display: block; position: absolute; inset: 0; border-left: 0; z-index: 1; }
  .log { padding: 18px 16px 8px; }
  .composer, .hint, .chat > .problem { width: calc(100% - 32px); }
}
@media (max-width: 560px) {
  .bar { gap: 8px; padding: 8px 12px; }
  .brand { font-size: 0; gap: 0; margin: 0; }
  .pick { min-width: 0; flex: 1; } .pick select { width: 100%; max-width: none; }
  .link { font-size: 0; gap: 0; } .hint { display: none; } .composer { margin-bottom: 12px; }
  .bar .grow { display: none; }
}
`;
