// One run as the talk shows it: the person's message, the draft while it grows, the tools as they run, and in the end
// the delivered parts, each shown once. It knows no gateway and no elements of the page.

import type { ChildView } from '../../src/protocol/child-view.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import type { RunStatus } from '../../src/protocol/live-event.ts';
import { type Approval, type ApprovalFacts, endedApproval } from './approval.ts';
import type { SentFile } from './sent-file.ts';

/** The items below the person's words, in order. The key of an item stays the same as long as the item is shown. */
export type FlowItem = { readonly key: number } & FlowContent;

type FlowContent =
  /** The text that the model is writing, before it is delivered. */
  | { readonly kind: 'draft'; readonly call: number; readonly text: string }
  /** What the model thinks before it answers. */
  | { readonly kind: 'thoughts'; readonly call: number; readonly text: string }
  /** What the agent said before the page was opened. */
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'part'; readonly text: string; readonly files?: readonly SentFile[] | undefined }
  | ToolContent
  | { readonly kind: 'approval'; readonly approval: Approval }
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'problem'; readonly text: string };

export interface ToolContent {
  readonly kind: 'tool';
  readonly toolCallId: string;
  readonly name: string;
  readonly params: JsonValue;
  /** Undefined while the tool runs. */
  readonly outcome?: ToolOutcome | undefined;
}

export interface ToolOutcome {
  readonly isError: boolean;
  readonly content: string;
  /** Unknown for tools of the past. */
  readonly ms?: number | undefined;
}

/** What the person said, and the files that came with it. */
export interface SaidWords {
  readonly text: string;
  readonly files: readonly SentFile[];
  readonly isWaiting: boolean;
}

export class Turn {
  readonly key: number;
  /** Empty until the gateway has reported the run's id. */
  runId: string;
  /** The position of its first entry in the transcript; unknown for a turn that was not in it yet. */
  position: number | undefined;
  /** The time of the message; set when the past is shown. */
  at: number | undefined;
  /** The turn is not part of the transcript: a command, a note, or what a job or a heartbeat has sent. */
  isAside = false;
  /** The key of the session that sent it here, for what no person asked for in this conversation. */
  from: string | undefined;
  /** The answer is in the transcript, so the delivered parts add nothing. */
  isTold = false;
  /** The run waits for a person; after the answer it continues. */
  isSuspended = false;
  #subagents: readonly ChildView[] = [];
  #awaited = 0;
  #version = 0;
  #said: SaidWords | undefined;
  #flow: readonly FlowItem[] = [];
  #lastKey = 0;
  #parts = 0;
  #isShown = false;
  #isLive = false;
  #isOver = false;

  constructor(key: number, runId: string) {
    this.key = key;
    this.runId = runId;
  }

  /** Increases with every visible change. */
  get version(): number {
    return this.#version;
  }

  get said(): SaidWords | undefined {
    return this.#said;
  }

  get flow(): readonly FlowItem[] {
    return this.#flow;
  }

  /** The subagents that the run has spawned. */
  get subagents(): readonly ChildView[] {
    return this.#subagents;
  }

  /** How many subagents the run waits for; 0 when it does not wait. */
  get awaited(): number {
    return this.#awaited;
  }

  /** False until there is something to show. */
  get isShown(): boolean {
    return this.#isShown;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** A run that is taken up again starts its draft over; the approvals stay. */
  begin(): void {
    this.#setFlow(this.#flow.filter(({ kind }) => kind === 'approval'));
    this.#parts = 0;
  }

  say(text: string, files: readonly SentFile[] = [], isWaiting = false): void {
    this.#said = { text, files, isWaiting };
    this.#show();
  }

  setLive(isLive: boolean): void {
    this.#isLive = isLive;
    this.#show();
  }

  addDraft(call: number, text: string): void {
    const last = this.#flow.at(-1);
    if (last?.kind === 'draft' && last.call === call) {
      this.#setFlow([...this.#flow.slice(0, -1), { ...last, text: last.text + text }]);
    } else this.#add({ kind: 'draft', call, text });
  }

  resetDraft(call: number): void {
    this.#setFlow(
      this.#flow.filter((item) => (item.kind !== 'draft' && item.kind !== 'thoughts') || item.call !== call),
    );
  }

  /** `call` is 0 for thoughts of the past, which are whole. */
  addThought(call: number, text: string): void {
    const last = this.#flow.at(-1);
    if (last?.kind === 'thoughts' && last.call === call) {
      this.#setFlow([...this.#flow.slice(0, -1), { ...last, text: last.text + text }]);
    } else this.#add({ kind: 'thoughts', call, text });
  }

  addWords(text: string): void {
    this.#add({ kind: 'words', text });
  }

  /** It stands behind the question that was asked about it, where there was one. */
  startTool(toolCallId: string, name: string, params: JsonValue): void {
    const asked = this.#flow.findLastIndex((each) => isAbout(each, toolCallId));
    const at = asked === -1 ? this.#flow.length : asked + 1;
    const item: FlowItem = { key: ++this.#lastKey, kind: 'tool', toolCallId, name, params };
    this.#setFlow([...this.#flow.slice(0, at), item, ...this.#flow.slice(at)]);
    this.#show();
  }

  endTool(toolCallId: string, name: string, outcome: ToolOutcome): void {
    const isIt = (item: FlowItem) => item.kind === 'tool' && item.toolCallId === toolCallId;
    if (!this.#flow.some(isIt)) this.startTool(toolCallId, name, {});
    const at = this.#flow.findLastIndex(isIt);
    this.#setFlow(this.#flow.map((item, index) => (index === at ? { ...item, outcome } : item)));
  }

  /** A delivered part replaces the draft that it grew from. What was written before a stop stays. */
  addPart(text: string, files?: readonly SentFile[]): void {
    this.setLive(false);
    // Text before a tool call is not a draft of the answer.
    const last = this.#flow.at(-1);
    const isReplaced = last?.kind === 'draft' && (text !== STOPPED || last.text.trim() === STOPPED);
    if (this.#parts === 0 && isReplaced) this.#setFlow(this.#flow.slice(0, -1));
    this.#parts++;
    // A failure is delivered like an answer, with a sentence before it; it is shown once, as the record has it.
    if (this.#flow.some((item) => item.kind === 'problem' && text.includes(item.text))) return;
    if (this.#flow.some((item) => item.kind === 'notice' && item.text === STOPPED && text === STOPPED)) return;
    this.#add({ kind: 'part', text, ...(files && files.length > 0 && { files }) });
  }

  setSubagents(subagents: readonly ChildView[]): void {
    this.#subagents = subagents;
    this.#show();
  }

  setAwaited(count: number): void {
    this.#awaited = count;
    this.#show();
  }

  addNotice(text: string): void {
    this.#add({ kind: 'notice', text });
  }

  addProblem(text: string): void {
    this.#add({ kind: 'problem', text });
  }

  /**
   * Takes over what the transcript says about this run and the frames did not: what was said, words that were held back,
   * the whole results of tools, notes, and the answer of a run that has ended unseen. Its calls stand in the order in which
   * the model has made them. What is shown already stays otherwise as it is.
   */
  settle(told: Turn): void {
    this.position = told.position;
    this.at ??= told.at;
    this.#version++;
    if (told.said && !this.#said) this.say(told.said.text, told.said.files);
    if (told.isOver && !this.#isOver) {
      const approvals = this.#flow.filter((item) => item.kind === 'approval');
      this.#setFlow(told.flow.map((item) => ({ ...item, key: ++this.#lastKey })));
      for (const item of approvals) this.#place(item, item.approval.toolCallId);
      this.isTold = told.isTold;
      this.end('done');
      return;
    }
    const flow = [...inOrderOf(told.flow, this.#flow)];
    /** Where the next item of the transcript belongs. */
    let at = 0;
    for (const item of told.flow) {
      const known = flow.findIndex((each, index) => index >= at && isSame(each, item));
      const whole = known === -1 ? undefined : withWholeResult(flow[known], item);
      if (whole) flow[known] = whole;
      if (known !== -1) at = known + 1;
      else if (item.kind === 'notice') {
        // A note that was also delivered is shown once.
        if (flow.some((each) => 'text' in each && each.text.includes(item.text))) continue;
        flow.splice(at, 0, { ...item, key: ++this.#lastKey });
        at++;
      } else if (item.kind === 'words' || item.kind === 'thoughts') {
        // The answer itself is not told twice: it is here as a draft that grows, or in parts.
        if (isAnswerOf(told, item) && (!this.#isOver || flow.slice(at).some(isWords))) continue;
        flow.splice(at, 0, { ...item, key: ++this.#lastKey });
        at++;
        if (isAnswerOf(told, item)) this.isTold = true;
      }
    }
    if (flow.length === this.#flow.length && flow.every((item, index) => item === this.#flow[index])) return;
    this.#setFlow(flow);
    this.#show();
  }

  /** It stands before the tool that it is about, where that is known. */
  addApproval(facts: ApprovalFacts): void {
    const approval: Approval = { ...facts, state: 'waiting', outcome: '', isAllowed: false };
    this.#place({ key: ++this.#lastKey, kind: 'approval', approval }, facts.toolCallId);
    this.#show();
  }

  #place(item: FlowItem, toolCallId: string): void {
    const at = this.#flow.findIndex((each) => each.kind === 'tool' && each.toolCallId === toolCallId);
    this.#setFlow(at === -1 ? [...this.#flow, item] : [...this.#flow.slice(0, at), item, ...this.#flow.slice(at)]);
  }

  changeApproval(approvalId: string, change: (approval: Approval) => Approval): void {
    this.#setFlow(
      this.#flow.map((item) =>
        item.kind === 'approval' && item.approval.approvalId === approvalId
          ? { ...item, approval: change(item.approval) }
          : item,
      ),
    );
  }

  /** Undefined for an approval that does not belong to this turn. */
  approval(approvalId: string): Approval | undefined {
    return this.#approvals().find((each) => each.approvalId === approvalId);
  }

  end(status: RunStatus, error?: string): void {
    this.setLive(false);
    for (const { approvalId, state } of this.#approvals()) {
      if (state === 'over') continue;
      this.changeApproval(approvalId, (each) => endedApproval(each, status === 'stopped' ? 'cancelled' : undefined));
    }
    // That it was stopped is delivered like an answer; a person has asked for it, so it is no failure.
    if (status === 'stopped') this.#setFlow(this.#flow.filter((item) => item.kind !== 'part' || item.text !== STOPPED));
    const told = error ? this.#flow.find((item) => item.kind === 'part' && item.text.includes(error)) : undefined;
    if (status === 'stopped') this.addNotice(STOPPED);
    else if (told?.kind === 'part') {
      const { key } = told;
      this.#setFlow(this.#flow.map((item) => (item === told ? { key, kind: 'problem', text: error ?? '' } : item)));
    } else if (error) this.addProblem(error);
    this.#awaited = 0;
    this.#isOver = true;
  }

  #approvals(): readonly Approval[] {
    return this.#flow.flatMap((item) => (item.kind === 'approval' ? [item.approval] : []));
  }

  #add(content: FlowContent): void {
    this.#setFlow([...this.#flow, { key: ++this.#lastKey, ...content }]);
    this.#show();
  }

  #setFlow(flow: readonly FlowItem[]): void {
    this.#flow = flow;
    this.#version++;
  }

  #show(): void {
    this.#isShown = true;
    this.#version++;
  }
}

/** What the gateway says of a run that a person has stopped. */
const STOPPED = 'Stopped.';

function isAbout(item: FlowItem, toolCallId: string): boolean {
  return item.kind === 'approval' && item.approval.toolCallId === toolCallId;
}

/**
 * Tools begin when all questions of one answer are decided, and some at the same time. In the transcript they stand as the
 * model has called them, each behind its questions; here they get the same order, in the places that they have.
 */
function inOrderOf(told: readonly FlowItem[], flow: readonly FlowItem[]): readonly FlowItem[] {
  const order = told.flatMap((item) => (item.kind === 'tool' ? [item.toolCallId] : []));
  const placeOf = (item: FlowItem) =>
    item.kind === 'tool'
      ? order.indexOf(item.toolCallId)
      : item.kind === 'approval'
        ? order.indexOf(item.approval.toolCallId)
        : -1;
  const sorted = flow
    .filter((item) => placeOf(item) !== -1)
    .toSorted(
      (one, other) => placeOf(one) - placeOf(other) || Number(one.kind === 'tool') - Number(other.kind === 'tool'),
    );
  let next = 0;
  return flow.map((item) => (placeOf(item) === -1 ? item : (sorted[next++] ?? item)));
}

/** Whether both are the same item, one as a frame has told it and one from the transcript. */
function isSame(shown: FlowItem, told: FlowItem): boolean {
  if (shown.kind === 'tool' || told.kind === 'tool')
    return shown.kind === 'tool' && told.kind === 'tool' && shown.toolCallId === told.toolCallId;
  if (shown.kind === 'thoughts' || told.kind === 'thoughts')
    return shown.kind === told.kind && 'text' in shown && 'text' in told && shown.text.trim() === told.text.trim();
  return isWords(shown) && isWords(told) && shown.text.trim() === told.text.trim();
}

function isWords(item: FlowItem): item is FlowItem & { readonly kind: 'draft' | 'words' | 'part' } {
  return item.kind === 'draft' || item.kind === 'words' || item.kind === 'part';
}

/** The last words of a run that has answered; those before a tool call are no answer. */
function isAnswerOf(told: Turn, item: FlowItem): boolean {
  return told.isTold && item === told.flow.at(-1) && item.kind === 'words';
}

/** Frames have only the beginning of a long result. */
function withWholeResult(shown: FlowItem | undefined, told: FlowItem): FlowItem | undefined {
  if (shown?.kind !== 'tool' || told.kind !== 'tool' || !shown.outcome || !told.outcome) return undefined;
  if (shown.outcome.content === told.outcome.content) return undefined;
  return { ...shown, params: told.params, outcome: { ...shown.outcome, content: told.outcome.content } };
}
