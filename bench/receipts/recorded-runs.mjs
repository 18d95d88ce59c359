// Runs as a gateway records them, made without one: two agents, direct talks, groups and subagents. AGENTS.md is edited now
// and then, and the rule that the benchmark looks for is not in every version of it; in groups MEMORY.md is withheld.
// Everything depends on the number of the run alone, so that two measurements have the same store.

/** The text that is looked for. It stands in two thirds of the versions of AGENTS.md. */
export const RULE = 'never push to main';

const SHARE_OF_SUBAGENTS = 5;
const SESSIONS = 300;
/** After so many runs, a conversation begins anew. */
const RUNS_PER_SESSION = 40;
const RUNS_PER_EDIT = 700;
const MINUTE_MS = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');

/** The rows of one run: what its commits wrote. `talks` remembers the conversations. */
export function recordedRun(number, talks, captureRequest) {
  const at = START + number * MINUTE_MS;
  const runId = `run_${at.toString(36).padStart(9, '0')}${String(number).padStart(12, '0')}`;
  const who = speakerOf(number);
  const talk = talkOf(talks, who, number, at);
  const asked = words(number, 40);
  const answered = words(number + 7_000_000, 90);
  const frame = frameOf(number, who, talk, asked, runId);
  const messages = [...talk.said, { role: 'user', content: asked }];
  const body = JSON.stringify({ model: 'large', system: frame.system, messages, tools: frame.tools });
  const position = talk.said.length + 1;
  const entry = (offset, message) => ({
    insert: 'transcript',
    row: {
      sessionId: talk.sessionId,
      position: position + offset,
      runId,
      at,
      kind: 'message',
      message,
      shown: null,
      meta: {},
    },
  });
  const reply = { role: 'assistant', content: [{ type: 'text', text: answered }] };
  const capture = (call, url, text) =>
    captureRequest({ runId, call, at, provider: 'bench', model: 'large', wire: { url, headers: {}, body: text } });
  const writes = [
    {
      insert: 'runs',
      row: {
        runId,
        sessionKey: who.sessionKey,
        agentId: who.agentId,
        sessionId: talk.sessionId,
        status: 'done',
        claim: 1,
        progressClaim: 1,
        startedAt: at,
        endedAt: at + 1,
        outcome: { reply: answered, modelCalls: 1 },
        observed: true,
        node: null,
        stopReason: null,
      },
    },
    entry(0, { role: 'user', content: asked }),
    entry(1, reply),
    ...capture(0, 'atrium:frame', JSON.stringify(frame)),
    ...capture(1, 'http://127.0.0.1/v1/messages', body),
  ];
  talk.said.push({ role: 'user', content: asked }, reply);
  talk.runs.push(runId, runId);
  return writes;
}

function speakerOf(number) {
  const agentId = number % 3 === 0 ? 'coder' : 'main';
  if (number % SHARE_OF_SUBAGENTS === 4) {
    return { agentId, kind: 'subagent', sessionKey: `agent:${agentId}:subagent:${number}` };
  }
  const session = Math.floor(random(number) * SESSIONS);
  const kind = session % 4 === 0 ? 'group' : 'direct';
  return { agentId, kind, sessionKey: `agent:${agentId}:telegram:${kind}:${session}` };
}

function talkOf(talks, { sessionKey, kind }, number) {
  const known = talks.get(sessionKey);
  if (known && known.said.length < 2 * RUNS_PER_SESSION) return known;
  const talk = { sessionId: `ses_${number}`, said: [], runs: [] };
  if (kind !== 'subagent') talks.set(sessionKey, talk);
  return talk;
}

function frameOf(number, { agentId, kind, sessionKey }, talk, asked, runId) {
  const dir = `/home/somebody/.openclaw/workspace-${agentId}`;
  const files = filesOf(number, agentId).map((file) => ({ ...file, path: `${dir}/${file.name}` }));
  const isLeft = ({ name }) => name === 'MEMORY.md' && kind !== 'direct';
  const stable = [];
  for (const { name, path, text, isCut } of files) {
    if (isLeft({ name })) continue;
    stable.push(['atrium: heading', `\n## ${name}\n\n`]);
    const shown = isCut ? text.slice(0, 11_000) : text;
    stable.push([`${path}, lines 1-${shown.trimEnd().split('\n').length}`, shown]);
  }
  const changing = [
    ['handler time-context', `It is ${new Date(START + number * MINUTE_MS).toISOString().slice(0, 13)}.\n`],
  ];
  const tools = TOOLS;
  const spans = [
    ...stable.map(([origin, text]) => ({ where: 'system', index: 0, origin, chars: text.length })),
    ...changing.map(([origin, text]) => ({ where: 'system', index: 1, origin, chars: text.length })),
    ...tools.flatMap(({ name, description, parameters }, index) =>
      [name, description, JSON.stringify(parameters)].map((piece) => ({
        where: 'tools',
        index,
        origin: `tool ${name}`,
        chars: piece.length,
      })),
    ),
    ...talk.said.map(({ role, content }, index) => ({
      where: 'messages',
      index,
      origin: role === 'user' ? 'message' : 'model',
      chars: role === 'user' ? content.length : content[0].text.length,
      runId: talk.runs[index],
      entry: index + 1,
    })),
    { where: 'messages', index: talk.said.length, origin: 'message', chars: asked.length },
  ];
  const join = (pieces) => pieces.map(([, text]) => text).join('');
  const texts = files.map(({ text }) => text);
  return {
    system: [{ text: join(stable), cacheBoundary: true }, { text: join(changing) }],
    tools,
    spans,
    report: {
      version: 1,
      situation: { agentId, sessionKey, at: new Date(START + number * MINUTE_MS).toISOString(), workspaceDir: dir },
      budget: { maxChars: 12_000, totalMaxChars: 60_000 },
      files: files.map(({ name, path, text }) => ({ name, path, status: 'injected', rawChars: text.length })),
      handlers: [{ id: 'time-context', hook: 'agent:bootstrap', outcome: 'done', ms: 0.1, changes: [] }],
      absences: files.filter(isLeft).map(({ name, path }) => ({
        what: name,
        path,
        reason: kind === 'group' ? 'private-surface' : 'filtered-session',
        detail: kind === 'group' ? 'several people read this surface' : 'a subagent does not read it',
      })),
      cuts: files
        .filter(({ isCut }) => isCut)
        .map(({ name, path, text }) => ({
          file: name,
          path,
          stability: 'static',
          lines: [text.slice(0, 11_000).split('\n').length, text.trimEnd().split('\n').length],
          chars: text.length - 11_000,
          cause: 'per-file-limit',
          text: '',
        })),
      warnings: [],
      spans: [],
      runId,
    },
    inputs: {
      version: 1,
      composition: {
        workspaceDir: dir,
        files: files.map(({ name, path }, text) => ({ name, path, text })),
        handlers: [],
      },
    },
    texts,
  };
}

const KNOWN_FILES = new Map();

/** AGENTS.md, SOUL.md, TOOLS.md and MEMORY.md as they were at that time. */
function filesOf(number, agentId) {
  const version = Math.floor(number / RUNS_PER_EDIT);
  const key = `${agentId} ${version}`;
  const known = KNOWN_FILES.get(key);
  if (known) return known;
  const has = version % 3 !== 2;
  const lines = Array.from({ length: 120 }, (_, index) => `- ${words(version * 1_000 + index, 12)}`);
  if (has) lines.splice(60, 0, `- You ${RULE} without a review.`);
  const seed = agentId === 'main' ? 1 : 2;
  const prose = (offset, count) =>
    Array.from({ length: count }, (_, index) => words(seed * 1_000_000 + offset + index, 14)).join('\n');
  const files = [
    { name: 'AGENTS.md', text: `# Rules of ${agentId}\n\n${lines.join('\n')}\n` },
    { name: 'SOUL.md', text: `${prose(0, 60)}\n` },
    { name: 'TOOLS.md', text: `${prose(100, 160)}\n`, isCut: true },
    { name: 'MEMORY.md', text: `${prose(300 + version * 7, 40)}\n` },
  ];
  KNOWN_FILES.set(key, files);
  return files;
}

const SYLLABLES =
  'ba be bi bo da de di do fa fe ga go ka ke ki la le li lo ma me mi mo na ne no pa pe ra re ri ro sa se so ta te ti to'.split(
    ' ',
  );

function words(seed, count) {
  let state = (seed * 2_654_435_761) >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 2 + Math.floor(next() * 3) }, () => SYLLABLES[Math.floor(next() * SYLLABLES.length)]).join(''),
  ).join(' ');
}

function random(seed) {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  state = Math.imul(state ^ (state >>> 15), 2_246_822_519) >>> 0;
  return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
}

const TOOLS = Array.from({ length: 20 }, (_, index) => ({
  name: `tool_${index}`,
  description: words(index, 60),
  parameters: { type: 'object', properties: { path: { type: 'string', description: words(index + 500, 20) } } },
}));
