// The conversation on the page: one turn per run, with what the person said, the draft while it grows, the tools as they
// run, and at last the parts that were delivered, each shown once.

export const CHAT_SCRIPT = `
class Turn {
  constructor(inspect) {
    this.said = make('div', { class: 'said' });
    this.flow = make('div', { class: 'flow' });
    this.foot = make('div', { class: 'foot' });
    this.root = make('article', { class: 'turn', hidden: true }, this.said, this.flow, this.foot);
    this.said.hidden = true;
    this.inspect = inspect;
    this.cards = [];
    this.begin();
  }

  /** A run that is taken up again starts its draft over; what was asked of people stays. */
  begin() {
    this.flow.replaceChildren(...this.cards.map(({ root }) => root));
    this.texts = [];
    this.tools = new Map();
    this.parts = 0;
  }

  say(text, isWaiting) {
    this.said.textContent = text;
    this.said.hidden = false;
    this.said.classList.toggle('waiting', Boolean(isWaiting));
    this.root.hidden = false;
  }

  live(isLive) {
    this.root.hidden = false;
    this.flow.classList.toggle('live', isLive);
    const thinking = this.flow.querySelector('.thinking');
    if (isLive && this.flow.childElementCount === 0) this.flow.append(make('div', { class: 'thinking' }, 'Working…'));
    else if (thinking && (!isLive || this.flow.childElementCount > 1)) thinking.remove();
  }

  addText(call, text) {
    let last = this.texts[this.texts.length - 1];
    if (!last || last.call !== call || last.node !== this.flow.lastElementChild) {
      last = { call, text: '', node: make('div', { class: 'words' }) };
      this.texts.push(last);
      this.flow.append(last.node);
    }
    last.text += text;
    if (last.isQueued) return;
    last.isQueued = true;
    requestAnimationFrame(() => {
      last.isQueued = false;
      last.node.replaceChildren(renderText(last.text));
      view.follow();
    });
  }

  resetText(call) {
    this.texts = this.texts.filter((each) => {
      if (each.call === call) each.node.remove();
      return each.call !== call;
    });
  }

  startTool(id, name, params) {
    const text = typeof params === 'string' ? params : JSON.stringify(params);
    const time = make('span', { class: 'time' }, 'running');
    const body = make('pre', { tabindex: '0' }, typeof params === 'string' ? params : JSON.stringify(params, null, 2));
    const node = make('details', { class: 'tool' },
      make('summary', {},
        make('span', { class: 'name' }, name), make('span', { class: 'brief' }, brief(text || '', 200)), time),
      body);
    this.tools.set(id, { node, time });
    this.flow.append(node);
  }

  endTool(id, name, isError, content, ms) {
    if (!this.tools.has(id)) this.startTool(id, name, {});
    const { node, time } = this.tools.get(id);
    time.textContent = isError ? 'failed' : ms === undefined ? 'done' : duration(ms);
    node.classList.toggle('failed', Boolean(isError));
    node.append(make('pre', { tabindex: '0' }, content || '(nothing)'));
  }

  /** What was delivered takes the place of the draft that it grew from. */
  addPart(text) {
    this.live(false);
    if (this.parts === 0) {
      // Words before a tool are no draft of the answer.
      const last = this.texts[this.texts.length - 1];
      if (last && last.node === this.flow.lastElementChild) this.resetText(last.call);
    }
    this.parts++;
    // A failure is delivered like an answer; once is enough.
    const problem = this.flow.querySelector('.problem');
    if (problem && text.includes(problem.textContent)) problem.remove();
    this.flow.append(make('div', { class: 'words part' }, renderText(text)));
    this.root.hidden = false;
  }

  addCard(card) {
    this.cards.push(card);
    this.flow.append(card.root);
    this.root.hidden = false;
  }

  notice(text) {
    this.flow.append(make('p', { class: 'notice' }, text));
    this.root.hidden = false;
  }

  end(status, error, runId) {
    this.live(false);
    for (const card of this.cards) if (!card.isOver) card.end(status === 'stopped' ? 'cancelled' : undefined);
    const isTold = error && [...this.flow.querySelectorAll('.part')].some((part) => part.textContent.includes(error));
    if (error && !isTold) this.flow.append(make('p', { class: 'problem' }, error));
    else if (!error && status === 'stopped') this.notice('Stopped.');
    this.isOver = true;
    if (this.foot.childElementCount === 0) {
      this.foot.append(make('button', { type: 'button', class: 'plain', click: () => this.inspect(runId) }, 'What was it given?'));
    }
  }
}

/** The list of turns, which follows its end as long as the reader does. */
const view = {
  turns: new Map(),

  clear() {
    clearApprovals();
    this.turns.clear();
    byId('turns').replaceChildren();
  },

  turn(runId) {
    let turn = this.turns.get(runId);
    if (!turn) {
      turn = new Turn(showReport);
      this.turns.set(runId, turn);
      this.append(turn);
    }
    return turn;
  },

  append(turn) {
    const welcome = byId('turns').querySelector('.welcome');
    if (welcome) welcome.remove();
    byId('turns').append(turn.root);
    this.follow(true);
  },

  welcome(agent) {
    if (this.turns.size > 0 || byId('turns').childElementCount > 0) return;
    const offer = (text) => make('li', {}, make('button', { type: 'button', class: 'quiet', click: () => submit(text) }, text));
    byId('turns').append(make('div', { class: 'welcome' },
      make('h2', {}, 'Talk to ' + agent),
      make('p', {}, 'Whatever the agent is given for an answer is shown beside it, with its author and its size.'),
      make('ul', {}, offer('Hello, who are you?'), offer('/status'), offer('/help'))));
  },

  /** True until the reader scrolls away from the end. */
  isFollowing: true,

  follow(always) {
    if (always) this.isFollowing = true;
    if (this.isFollowing) byId('log').scrollTop = byId('log').scrollHeight;
  },

  scrolled() {
    const log = byId('log');
    this.isFollowing = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  },
};

/** What was said before the page was opened. Runs whose answer is in there need no parts any more. */
function showTranscript(entries) {
  for (const { runId, kind, message, shown, at } of entries) {
    const turn = view.turn(runId);
    turn.at = turn.at || at;
    if (kind !== 'message') turn.notice(shown || textOfMessage(message));
    else if (message.role === 'user') turn.say(shown || message.content);
    else if (message.role === 'tool') turn.endTool(message.toolCallId, message.toolName, message.isError, message.content);
    else {
      const text = shown || textOfMessage(message);
      const calls = message.content.filter((part) => part.type === 'tool-call');
      if (text !== '') turn.flow.append(make('div', { class: 'words' }, renderText(text)));
      for (const call of calls) turn.startTool(call.id, call.name, call.params);
      if (calls.length === 0) {
        turn.isTold = true;
        turn.end('done', undefined, runId);
      }
    }
    turn.root.hidden = false;
  }
  view.follow(true);
}

/**
 * Jobs and heartbeats answer here out of sessions of their own, whose talk this page does not load. What they said is kept
 * in the browser, so that a reload does not take it away.
 */
const visits = {
  most: 20,

  all(surface) {
    try { return JSON.parse(memory.get('visits.' + surface) || '[]'); } catch { return []; }
  },

  keep(surface, visit) {
    // Another tab of the same browser is told as well.
    const others = this.all(surface).filter(({ seq }) => seq !== visit.seq);
    memory.set('visits.' + surface, JSON.stringify([...others, visit].slice(-this.most)));
  },

  /** Between the turns of the talk, at their times. */
  show(surface) {
    const turns = [...view.turns.values()];
    const oldest = turns.length === 0 ? 0 : turns[0].at;
    for (const { runId, text, at } of this.all(surface)) {
      const known = view.turns.get(runId);
      if (at < oldest || (known && !known.isVisit)) continue;
      const turn = view.turn(runId);
      turn.isVisit = true;
      turn.addPart(text);
      turn.end('done', undefined, runId);
      const later = turns.find((each) => each.at > at);
      if (later) later.root.before(turn.root);
    }
    view.follow(true);
  },
};

function textOfMessage({ content }) {
  if (typeof content === 'string') return content;
  return content.map((part) => part.text || '').join('');
}
`;
