// The context of a turn on the page: the layers as a map, the files, what was cut, who stepped in, what is absent and
// why, and the request itself, byte for byte.

export const REPORT_SCRIPT = `
const STABILITY = { static: 'same every time', session: 'this session', run: 'this turn' };
const LONGEST_SHOWN = 400000;
let reportOf;

/** Quietly means that nobody asked: what has nothing to show, such as a command, leaves the last report where it is. */
async function showReport(runId, isQuiet) {
  reportOf = runId;
  if (!isQuiet) openPanel(true);
  try {
    const { run, calls } = await ask('/api/runs/' + encodeURIComponent(runId));
    const report = calls.length === 0 ? undefined : await ask('/api/runs/' + encodeURIComponent(runId) + '/report').catch((error) => {
      if (error.status === 404) return undefined;
      throw error;
    });
    if (reportOf === runId && (report || calls.length > 0 || !isQuiet)) byId('report').replaceChildren(...drawReport(run, calls, report));
  } catch (error) {
    if (!isQuiet && reportOf === runId) byId('report').replaceChildren(make('p', { class: 'problem' }, error.message));
  }
}

function drawReport(run, calls, report) {
  const outcome = run.outcome || {};
  const usage = outcome.usage;
  const facts = [
    outcome.model ? outcome.provider + '/' + outcome.model : undefined,
    outcome.modelCalls ? plural(outcome.modelCalls, 'model call') : undefined,
    outcome.toolCalls ? plural(outcome.toolCalls, 'tool call') : undefined,
    run.endedAt ? duration(run.endedAt - run.startedAt) : undefined,
  ];
  const tokens = usage
    ? count(usage.input) + ' tokens in' + (usage.cacheRead ? ' (' + count(usage.cacheRead) + ' from the cache)' : '') +
      ', ' + count(usage.output) + ' out'
    : undefined;
  const nodes = [
    make('h2', {}, 'What it was given'),
    make('p', { class: 'facts' }, facts.filter(Boolean).join(' · ') || run.status),
    tokens && make('p', { class: 'facts' }, tokens),
    make('p', { class: 'facts' }, make('code', {}, run.runId)),
  ];
  if (report) nodes.push(...drawComposition(report));
  else nodes.push(make('p', { class: 'facts' }, 'There is no report for this one: nothing was composed.'));
  if (calls.length > 0) nodes.push(drawRequest(run.runId, calls));
  return nodes.filter(Boolean);
}

function drawComposition(report) {
  const { layers = [], files = [], cuts = [], handlers = [], absences = [], warnings = [], prompt = {}, budget = {} } = report;
  const map = make('div', { class: 'map', role: 'img', 'aria-label': 'Layers of the prompt by size' });
  const stabilities = [...new Set(layers.map((layer) => layer.stability))];
  const rows = layers.map((layer) => {
    const piece = make('i', { class: layer.stability, title: layer.title + ': ' + plural(layer.chars, 'character') });
    piece.style.flexGrow = Math.max(1, layer.chars);
    map.append(piece);
    const light = (isOn) => () => piece.classList.toggle('on', isOn);
    return make('li', { mouseenter: light(true), mouseleave: light(false) },
      make('i', { class: layer.stability }), make('span', { class: 'what', title: layer.title }, layer.title),
      make('span', { class: 'size' }, count(layer.chars)));
  });
  const legend = stabilities.map((name) => make('li', {}, make('i', { class: name }), STABILITY[name] || name));
  const used = budget.totalMaxChars ? Math.round((100 * (budget.usedChars || 0)) / budget.totalMaxChars) : undefined;
  return [
    map,
    make('ul', { class: 'legend' }, ...legend),
    section('Layers', count(prompt.chars) + ' characters, about ' + count(prompt.tokens) + ' tokens' +
      (used === undefined ? '' : ', ' + used + ' % of the budget'), rows),
    section('Warnings', warnings.length, warnings.map((text) => row('bad', undefined, undefined, text))),
    section('Cuts', cuts.length, cuts.map((cut) =>
      row('bad', cut.file, '−' + count(cut.chars), 'lines ' + cut.lines.join('–') + ', ' + cut.cause))),
    section('Files', files.length, files.map((file) =>
      row(file.status === 'injected' ? '' : file.status, file.name, file.status === 'absent' ? 'absent' : count(file.injectedChars),
        file.status === 'injected' ? undefined : file.status + (file.reason ? ': ' + file.reason : '')))),
    section('Handlers', handlers.length, handlers.map((handler) =>
      row(handler.outcome === 'done' ? '' : 'bad', handler.id, duration(handler.ms || 0),
        [handler.outcome, handler.changes && handler.changes.length ? plural(handler.changes.length, 'change') : 'nothing changed'].join(', ')))),
    section('Absent', absences.length, absences.map((absence) =>
      row(absence.reason === 'disabled' ? '' : 'absent', absence.what, absence.reason, absence.detail))),
  ].filter(Boolean);
}

function section(title, aside, rows) {
  if (rows.length === 0) return undefined;
  return make('section', { 'aria-label': title },
    make('h3', {}, title, make('span', {}, String(aside))), make('ul', { class: 'rows' }, ...rows));
}

function row(tag, what, size, why) {
  return make('li', {}, make('span', { class: 'tag ' + tag, 'aria-hidden': true }, tag === '' ? '·' : '!'),
    what === undefined ? undefined : make('span', { class: 'what', title: what }, what),
    size === undefined ? undefined : make('span', { class: 'size' }, size),
    why ? make('span', { class: 'why' }, why) : undefined);
}

function drawRequest(runId, calls) {
  const text = make('pre', { tabindex: '0', 'aria-label': 'Request' }, 'Loading…');
  const note = make('span', {}, '');
  const choose = make('select', { 'aria-label': 'Which request', change: () => load() },
    ...calls.map(({ call }) => make('option', { value: call }, 'Request ' + call)));
  let body = '';
  const load = async () => {
    try {
      body = await ask('/api/runs/' + encodeURIComponent(runId) + '/requests/' + choose.value, true);
      text.textContent = body.slice(0, LONGEST_SHOWN);
      note.textContent = plural(new TextEncoder().encode(body).length, 'byte') + (body.length > LONGEST_SHOWN ? ', the beginning of it here' : '');
    } catch (error) {
      text.textContent = error.message;
    }
  };
  const copy = make('button', { type: 'button', class: 'plain', click: async () => {
    await navigator.clipboard.writeText(body);
    copy.textContent = 'Copied';
  } }, 'Copy');
  const node = make('details', { class: 'exact' },
    make('summary', {}, 'The exact request'), make('div', { class: 'tools' }, choose, note, copy), text);
  node.addEventListener('toggle', () => { if (node.open && body === '') load(); });
  return node;
}

function openPanel(isOpen) {
  byId('panel').classList.toggle('open', isOpen);
  byId('panel-toggle').setAttribute('aria-expanded', String(isOpen));
}
`;
