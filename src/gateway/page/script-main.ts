// The page itself: who is asked, what is waiting, and what each frame of the socket means. What must survive a reload is
// kept in the browser: the token, the name of the surface, the last part that was shown, and words not yet accepted.

export const MAIN_SCRIPT = String.raw`
const state = { token: undefined, agents: [], place: undefined, connection: undefined, lastSeq: 0, waiting: [], running: undefined };

function start() {
  const given = /^#token=(.+)$/.exec(location.hash);
  if (given) {
    memory.set('token', decodeURIComponent(given[1]));
    history.replaceState(null, '', location.pathname);
  }
  state.token = memory.get('token');
  byId('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    submit(byId('text').value);
  });
  byId('text').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit(byId('text').value);
  });
  byId('text').addEventListener('input', fitText);
  byId('stop').addEventListener('click', stop);
  byId('log').addEventListener('scroll', () => view.scrolled(), { passive: true });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || byId('gate').open) return;
    if (byId('panel').classList.contains('open')) openPanel(false);
    else stop();
  });
  byId('fresh').addEventListener('click', () => submit('/new'));
  byId('place').addEventListener('change', () => open(places.get(byId('place').value)));
  byId('panel-toggle').addEventListener('click', () => openPanel(!byId('panel').classList.contains('open')));
  byId('gate').addEventListener('cancel', (event) => event.preventDefault());
  byId('gate-form').addEventListener('submit', (event) => {
    event.preventDefault();
    state.token = byId('gate-token').value.trim();
    enter();
  });
  enter();
}

/** Shows the gate until the gateway knows the token. */
async function enter() {
  if (!state.token) return showGate();
  try {
    const [{ agents }, { sessions }] = await Promise.all([ask('/api/agents'), ask('/api/sessions?open=true&limit=50')]);
    memory.set('token', state.token);
    state.agents = agents;
    if (byId('gate').open) byId('gate').close();
    listPlaces(agents, sessions);
  } catch (error) {
    if (error.status === 401) {
      memory.remove('token');
      return showGate(error.message);
    }
    if (error.status === 429) return showGate(error.message);
    tell(error.status ? error.message : 'The gateway cannot be reached. This page tries again by itself.');
    setTimeout(enter, 2000);
  }
}

function showGate(problem) {
  byId('gate-problem').hidden = !problem;
  byId('gate-problem').textContent = problem || '';
  if (!byId('gate').open) byId('gate').showModal();
}

const places = new Map();

/** Every agent has a conversation of its own in this browser; other sessions can be looked into and joined. */
function listPlaces(agents, sessions) {
  let browser = memory.get('browser');
  if (!browser) {
    browser = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
    memory.set('browser', browser);
  }
  places.clear();
  for (const { agentId } of agents) {
    places.set('agent:' + agentId, { id: 'agent:' + agentId, agent: agentId, surface: (browser + '.' + agentId).replace(/[^\w.-]/g, '_').slice(0, 64) });
  }
  const own = new Set([...places.values()].map(({ surface }) => surface.toLowerCase()));
  const others = sessions.filter(({ surface }) => !(surface && surface.channel === 'web' && own.has(surface.peer.id.toLowerCase())));
  for (const { sessionKey, agentId } of others) {
    places.set('session:' + sessionKey, { id: 'session:' + sessionKey, agent: agentId, session: sessionKey, surface: browser + '.s' + hash(sessionKey) });
  }
  const option = ({ id, agent, session }) => make('option', { value: id }, session || agent);
  const all = [...places.values()];
  const groups = [make('optgroup', { label: 'Agents' }, ...all.filter(({ session }) => !session).map(option))];
  const rest = all.filter(({ session }) => session).map(option);
  if (rest.length > 0) groups.push(make('optgroup', { label: 'Other sessions' }, ...rest));
  byId('place').replaceChildren(...groups);
  const first = agents.find(({ isDefault }) => isDefault) || agents[0];
  const place = places.get(memory.get('place')) || places.get('agent:' + (first ? first.agentId : ''));
  if (!place) return tell('This gateway has no agents. Add one with "atrium agents add".');
  for (const id of ['place', 'fresh', 'text', 'send']) byId(id).disabled = false;
  open(place);
}

function hash(text) {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ char.codePointAt(0), 0x01000193) >>> 0;
  return value.toString(16).padStart(8, '0');
}

function open(place) {
  if (state.connection) state.connection.close();
  state.place = place;
  memory.set('place', place.id);
  byId('place').value = place.id;
  state.lastSeq = Number(memory.get('seq.' + place.surface) || 0);
  state.waiting = [];
  try { state.waiting = JSON.parse(memory.get('waiting.' + place.surface) || '[]'); } catch {}
  state.held = [];
  setRunning(undefined);
  view.clear();
  reportOf = undefined;
  tell('');
  state.connection = new Connection({
    hello: () => ({ type: 'hello', surface: place.surface, agent: place.session ? undefined : place.agent, session: place.session, after: state.lastSeq }),
    frame: (frame) => (state.held && frame.type !== 'ready' ? state.held.push(frame) : receive(frame)),
    link: (name, text) => {
      byId('link').dataset.state = name;
      byId('link').textContent = text;
    },
  });
  byId('text').focus();
}

/** The first time it is ready the past is shown before anything that happens meanwhile. */
async function ready({ sessionKey, last }) {
  const { connection, place } = state;
  if (state.held) {
    if (sessionKey) {
      try {
        const path = '/api/sessions/' + encodeURIComponent(sessionKey) + '/transcript?order=desc&limit=100';
        const { entries } = await ask(path);
        if (connection === state.connection) showTranscript(entries.reverse());
      } catch (error) {
        if (error.status !== 404) tell(error.message);
      }
    }
    if (connection !== state.connection) return;
    visits.show(place.surface);
    const held = state.held;
    state.held = undefined;
    for (const frame of held) receive(frame);
    for (const message of state.waiting) showWaiting(message);
    view.welcome(place.agent);
    const told = [...view.turns].reverse().find(([, turn]) => turn.isOver);
    if (told) showReport(told[0], true);
    // A store that was replaced counts from the beginning again.
    if (last < state.lastSeq) remember(last);
  }
  if (sessionKey) void loadApprovals(sessionKey);
  for (const { id, text } of state.waiting) connection.send({ type: 'message', id, text });
}

function remember(seq) {
  state.lastSeq = seq;
  memory.set('seq.' + state.place.surface, String(seq));
}

function receive(frame) {
  switch (frame.type) {
    case 'ready': return void ready(frame);
    case 'accepted': return accepted(frame);
    case 'message-accepted': return overheard(frame);
    case 'run-start': {
      const turn = view.turn(frame.runId);
      if (turn.isOver) return;
      // After an answer it goes on where it was.
      if (!turn.isSuspended) turn.begin();
      turn.isSuspended = false;
      turn.live(true);
      return setRunning(frame.runId);
    }
    case 'text-delta': {
      const turn = view.turn(frame.runId);
      turn.addText(frame.call, frame.text);
      return turn.live(true);
    }
    case 'text-reset': return view.turn(frame.runId).resetText(frame.call);
    case 'tool-start': {
      const turn = view.turn(frame.runId);
      turn.startTool(frame.toolCallId, frame.name, frame.params);
      turn.live(true);
      return view.follow();
    }
    case 'tool-end':
      view.turn(frame.runId).endTool(frame.toolCallId, frame.name, frame.isError, frame.content, frame.ms);
      return view.follow();
    case 'approval-start': return startApproval(frame);
    case 'approval-end': return endApproval(frame);
    case 'run-end':
      view.turn(frame.runId).end(frame.status, frame.error, frame.runId);
      if (state.running === frame.runId) setRunning(undefined);
      view.follow();
      return void showReport(frame.runId, true);
    case 'part': return part(frame);
    case 'error': return refused(frame);
  }
}

function part({ seq, runId, text }) {
  if (seq <= state.lastSeq) return;
  remember(seq);
  state.connection.send({ type: 'ack', seq });
  if (isNote(runId)) return note(runId, text);
  const isAsked = view.turns.has(runId);
  const turn = view.turn(runId);
  if (!isAsked) turn.isVisit = true;
  if (turn.isVisit) visits.keep(state.place.surface, { seq, runId, text, at: Date.now() });
  if (!turn.isTold) turn.addPart(text);
  if (!turn.isOver && state.running !== runId) turn.end('done', undefined, runId);
  view.follow();
}

function note(runId, text) {
  if (!isTold(text)) view.turn(runId).notice(text);
  view.follow();
}

function submit(text) {
  if (text.trim() === '' || byId('send').disabled) return;
  const id = Date.now().toString(36) + '-' + hash(text + Math.random());
  const message = { id, text };
  state.waiting.push(message);
  saveWaiting();
  showWaiting(message);
  if (state.connection && !state.held) state.connection.send({ type: 'message', id, text });
  byId('text').value = '';
  fitText();
  byId('text').focus();
  tell('');
}

/** Shown at once; its run has no name yet. */
function showWaiting(message) {
  if (view.turns.has('waiting:' + message.id)) return;
  view.turn('waiting:' + message.id).say(message.text, true);
  view.follow(true);
}

function accepted({ id, runId }) {
  settle(state.waiting.find((message) => message.id === id), runId);
}

/** Told for every message of the session: one of ours, whose acceptance follows, or one from another tab. */
function overheard({ runId, text }) {
  if (text === '') return;
  const mine = state.waiting.find((message) => message.text === text && !message.isBound);
  if (mine) return settle(mine, runId, true);
  const known = view.turns.get(runId);
  if (!known || known.said.hidden) view.turn(runId).say(text);
}

function settle(message, runId, isEarly) {
  if (!message) return;
  const key = 'waiting:' + message.id;
  const turn = view.turns.get(key);
  view.turns.delete(key);
  if (!isEarly || turn) {
    const known = view.turns.get(runId);
    if (known && known !== turn) {
      known.say(message.text);
      if (turn) turn.root.remove();
    } else if (turn) {
      turn.say(message.text);
      view.turns.set(runId, turn);
      if (!turn.isOver && state.running !== runId) turn.live(true);
    }
  }
  if (isEarly) {
    message.isBound = true;
    return;
  }
  state.waiting = state.waiting.filter((each) => each !== message);
  saveWaiting();
}

function saveWaiting() {
  memory.set('waiting.' + state.place.surface, JSON.stringify(state.waiting.map(({ id, text }) => ({ id, text }))));
}

function refused({ id, message }) {
  tell(message);
  const mine = state.waiting.find((each) => each.id === id);
  if (!mine) return;
  state.waiting = state.waiting.filter((each) => each !== mine);
  saveWaiting();
  const turn = view.turns.get('waiting:' + id);
  view.turns.delete('waiting:' + id);
  if (turn) turn.root.remove();
  if (byId('text').value === '') byId('text').value = mine.text;
}

function stop() {
  if (state.running && state.connection) state.connection.send({ type: 'stop' });
}

function setRunning(runId) {
  state.running = runId;
  byId('stop').hidden = !runId;
}

function tell(problem) {
  byId('problem').textContent = problem;
  byId('problem').hidden = problem === '';
}

function fitText() {
  const text = byId('text');
  text.style.height = 'auto';
  text.style.height = Math.min(text.scrollHeight + 2, window.innerHeight * 0.4) + 'px';
}

start();
`;
