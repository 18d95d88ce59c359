// A tool call that waits for a person, as a card in the talk: what would run as plain text, how long there is to decide,
// one button per decision that is offered, and afterwards what became of it. The gateway has the last word: a button only
// asks, and the card ends when the gateway says so.

export const APPROVAL_SCRIPT = `
const DECISIONS = { 'allow-once': 'Allow once', 'allow-always': 'Always allow', deny: 'Deny' };
const OUTCOMES = {
  'allow-once': 'Allowed once', 'allow-always': 'Allowed for good', deny: 'Denied', timeout: 'Nobody answered in time',
  cancelled: 'Cancelled: the run was stopped', void: 'Void: what it asked for has changed',
};

class ApprovalCard {
  constructor({ approvalId, title, description, severity, allowedDecisions, expiresAt }) {
    this.id = approvalId;
    this.expiresAt = expiresAt;
    this.left = make('span', { class: 'left' });
    this.outcome = make('p', { class: 'outcome', role: 'status' });
    this.choices = make('div', { class: 'choices' },
      ...allowedDecisions.filter((each) => DECISIONS[each]).map((each) =>
        make('button', { type: 'button', class: each === 'allow-once' ? '' : 'quiet', click: () => this.answer(each) }, DECISIONS[each])));
    const heading = 'approval-' + approvalId;
    this.root = make('section', { class: 'approval', 'data-severity': severity, 'aria-labelledby': heading },
      make('header', {}, make('h3', { id: heading }, title), make('span', { class: 'severity' }, severity), this.left),
      make('pre', { tabindex: '0', 'aria-label': 'What would run' }, description),
      this.choices, this.outcome);
    this.tick();
    this.timer = setInterval(() => this.tick(), 1000);
  }

  tick() {
    const seconds = Math.max(0, Math.ceil((this.expiresAt - Date.now()) / 1000));
    this.left.textContent = seconds >= 90 ? Math.round(seconds / 60) + ' min left' : seconds + ' s left';
  }

  async answer(decision) {
    this.disable(true);
    this.outcome.textContent = 'Sending…';
    try {
      await ask('/api/approvals/' + encodeURIComponent(this.id), false, { decision, from: 'web' });
      this.end(decision, 'web');
    } catch (error) {
      if (this.isOver) return;
      this.outcome.textContent = error.status ? error.message : 'The gateway cannot be reached. Try again.';
      // Whatever does not wait any more has an end, and the gateway knows which.
      if (error.status === 404 || error.status === 409) this.close();
      else this.disable(false);
    }
  }

  disable(isDisabled) {
    for (const button of this.choices.children) button.disabled = isDisabled;
  }

  end(decision, by) {
    this.close();
    const who = by && ['allow-once', 'allow-always', 'deny'].includes(decision) ? ' by ' + by : '';
    this.outcome.textContent = (OUTCOMES[decision] || 'It does not wait any more') + who + '.';
    this.root.classList.toggle('allowed', decision === 'allow-once' || decision === 'allow-always');
  }

  close() {
    this.isOver = true;
    clearInterval(this.timer);
    this.choices.remove();
    this.left.textContent = '';
    this.root.classList.add('over');
  }
}

/** Every card on the page, by the approval's name. */
const cards = new Map();

function startApproval(approval) {
  const turn = view.turn(approval.runId);
  turn.live(false);
  turn.isSuspended = true;
  setRunning(approval.runId);
  if (cards.has(approval.approvalId)) return;
  const card = new ApprovalCard(approval);
  cards.set(card.id, card);
  turn.addCard(card);
  dropNotes(isTold);
  view.follow();
}

function endApproval({ approvalId, decision, by }) {
  const card = cards.get(approvalId);
  if (card) card.end(decision, by);
  // Nothing waits behind it any more.
  dropNotes((text) => text.startsWith('This waits behind an approval') && text.includes('/approve ' + approvalId + ' '));
}

function dropNotes(isOver) {
  for (const [runId, { root, flow }] of view.turns) if (isNote(runId) && isOver(flow.textContent)) root.remove();
}

function clearApprovals() {
  for (const card of cards.values()) clearInterval(card.timer);
  cards.clear();
}

/** What waits may have been asked for before this page, or this gateway, was there. */
async function loadApprovals(sessionKey) {
  const { connection } = state;
  let approvals = [];
  try {
    ({ approvals } = await ask('/api/approvals?status=waiting&limit=100&session=' + encodeURIComponent(sessionKey)));
  } catch (error) {
    return error.status && tell(error.message);
  }
  if (connection !== state.connection) return;
  for (const { id, ...approval } of approvals.reverse()) startApproval({ ...approval, approvalId: id });
  const waiting = new Set(approvals.map(({ id }) => id));
  for (const card of cards.values()) if (!card.isOver && !waiting.has(card.id)) card.end();
}

/** Messages of the gateway itself, which belong to no run. */
const isNote = (runId) => runId.startsWith('note_');

/** A note that says what a card says already. */
function isTold(text) {
  return [...cards.keys()].some((id) =>
    (text.startsWith('Approval needed: ') && text.includes('/approve ' + id + ' ')) || text.startsWith('Approval ' + id + ' ('));
}
`;
