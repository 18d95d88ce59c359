// The talk at one place: its turns, the messages that wait to be accepted, and what each frame of the socket means. A
// part is shown once, also when the connection breaks: its number is stored in the browser, and parts with lower
// numbers are dropped.

import type { ClientFrame } from '../../src/channels/client-frame.ts';
import type { ServerFrame } from '../../src/channels/server-frame.ts';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { Message } from '../../src/protocol/message.ts';
import { browserMemory } from '../browser-memory.ts';
import { Connection, type Link } from '../client/connection.ts';
import { type GatewayClient, RefusedError, type TranscriptEntry } from '../client/gateway-client.ts';
import type { Place } from '../place.ts';
import { shortHash } from '../short-hash.ts';
import { type Approval, type ApprovalFacts, endedApproval } from './approval.ts';
import { Turn } from './turn.ts';
import { keepVisit, readVisits } from './visits.ts';

export interface TalkPorts {
  readonly client: GatewayClient;
  /** Called when something visible has changed; the drawing of a draft may wait for the next frame of the screen. */
  changed(isDraft: boolean): void;
  /** Shows one sentence to the person; an empty one removes the last one. */
  tell(problem: string): void;
  showLink(link: Link): void;
  /** Called when a run is over, so that its report can be shown. */
  runEnded(runId: string): void;
  /** Called when the gateway did not accept a message, so that the person gets their text back. */
  giveBack(text: string): void;
}

export class Talk {
  readonly place: Place;
  readonly #ports: TalkPorts;
  readonly #connection: Connection;
  /** The turns as they are shown. A turn that was removed here may still be in `#named`. */
  #turns: readonly Turn[] = [];
  /** Turns by run id, or by the id of a message that waits, in the order in which they were named. */
  readonly #named = new Map<string, Turn>();
  /** The turn in which each approval is shown. */
  readonly #approvals = new Map<string, Turn>();
  #lastKey = 0;
  #lastSeq: number;
  #waiting: readonly WaitingMessage[];
  /** The most bytes of a frame, once the gateway has told it. */
  #largestFrame = Number.POSITIVE_INFINITY;
  /** Frames that arrived before the transcript was shown; undefined after that. */
  #held: ServerFrame[] | undefined = [];
  #past: Promise<void> | undefined;
  #running: string | undefined;
  #isWelcoming = false;
  #isFollowing = true;
  #isClosed = false;

  constructor(place: Place, ports: TalkPorts) {
    this.place = place;
    this.#ports = ports;
    this.#lastSeq = Number(browserMemory.get(`seq.${place.surface}`) ?? 0);
    this.#waiting = browserMemory.getList<WaitingMessage>(`waiting.${place.surface}`);
    this.#connection = new Connection({
      openSocket: () => ports.client.openSocket(),
      hello: () => ({
        type: 'hello',
        surface: place.surface,
        agent: place.sessionKey ? undefined : place.agentId,
        session: place.sessionKey,
        after: this.#lastSeq,
      }),
      receive: (frame) => this.#hear(frame),
      showLink: ports.showLink,
    });
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** No message was said here yet. */
  get isWelcoming(): boolean {
    return this.#isWelcoming;
  }

  /** True until the reader scrolls away from the end. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  scrolled(isAtEnd: boolean): void {
    this.#isFollowing = isAtEnd;
  }

  /** Shows the message at once, and sends it again until the gateway has accepted it. */
  submit(text: string): void {
    const id = `${Date.now().toString(36)}-${shortHash(text + Math.random())}`;
    this.#setWaiting([...this.#waiting, { id, text }]);
    this.#showWaiting({ id, text });
    if (!this.#held) this.#sendMessage({ id, text });
    this.#ports.changed(false);
  }

  stop(): void {
    if (this.#running !== undefined) this.#send({ type: 'stop' });
  }

  async answer(approvalId: string, decision: ApprovalDecision): Promise<void> {
    this.#changeApproval(approvalId, (each) => ({ ...each, state: 'sending', outcome: 'Sending…' }));
    try {
      await this.#ports.client.answerApproval(approvalId, decision);
      this.#changeApproval(approvalId, (each) => endedApproval(each, decision, 'web'));
    } catch (error) {
      const outcome = error instanceof RefusedError ? error.message : 'The gateway cannot be reached. Try again.';
      // An approval that does not wait any more has ended, and the gateway knows how.
      const isOver = error instanceof RefusedError && [404, 409].includes(error.status);
      this.#changeApproval(approvalId, (each) =>
        each.state === 'over' ? each : { ...each, state: isOver ? 'over' : 'waiting', outcome },
      );
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#connection.close();
  }

  /** A message that the gateway would never take is given back at once, because it would be sent again for ever. */
  #sendMessage({ id, text }: WaitingMessage): void {
    const frame = { type: 'message', id, text } as const;
    if (bytesOf(JSON.stringify(frame)) <= this.#largestFrame) {
      this.#send(frame);
      return;
    }
    const most = this.#largestFrame.toLocaleString('en');
    const message = `This message is too long: it may have at most ${most} bytes. Shorten it, or put the text into a file and name the file.`;
    this.#refused({ type: 'error', id, message });
  }

  #send(frame: ClientFrame): void {
    this.#connection.send(frame);
  }

  #hear(frame: ServerFrame): void {
    if (this.#held && frame.type !== 'ready') this.#held.push(frame);
    else this.#receive(frame);
  }

  #receive(frame: ServerFrame): void {
    this.#show(frame);
    this.#ports.changed(frame.type === 'text-delta');
  }

  #show(frame: ServerFrame): void {
    switch (frame.type) {
      case 'ready':
        void this.#ready(frame);
        break;
      case 'accepted':
        this.#accepted(frame);
        break;
      case 'message-accepted':
        this.#overheard(frame);
        break;
      case 'run-start':
        this.#startRun(frame.runId);
        break;
      case 'text-delta':
        this.#turn(frame.runId).addDraft(frame.call, frame.text);
        this.#turn(frame.runId).setLive(true);
        break;
      case 'text-reset':
        this.#turn(frame.runId).resetDraft(frame.call);
        break;
      case 'tool-start':
        this.#turn(frame.runId).startTool(frame.toolCallId, frame.name, frame.params);
        this.#turn(frame.runId).setLive(true);
        break;
      case 'tool-end':
        this.#turn(frame.runId).endTool(frame.toolCallId, frame.name, frame);
        break;
      case 'approval-start':
        this.#startApproval(frame);
        break;
      case 'approval-end':
        this.#endApproval(frame);
        break;
      case 'run-end':
        this.#turn(frame.runId).end(frame.status, frame.error);
        if (this.#running === frame.runId) this.#running = undefined;
        this.#ports.runEnded(frame.runId);
        break;
      case 'part':
        this.#showPart(frame);
        break;
      case 'error':
        this.#refused(frame);
        break;
      case 'pong':
      case 'result':
        break;
      default:
        // A new kind of frame is a type error here until the page knows what it means.
        frame satisfies never;
    }
  }

  /**
   * When the connection is ready for the first time, the transcript is shown before anything that happens meanwhile.
   */
  async #ready({ sessionKey, last, largestFrame }: FrameOf<'ready'>): Promise<void> {
    this.#largestFrame = largestFrame ?? Number.POSITIVE_INFINITY;
    // A connection that broke meanwhile is ready a second time before the transcript has been loaded.
    if (this.#held && sessionKey) {
      this.#past ??= this.#showPast(sessionKey);
      await this.#past;
    }
    if (this.#isClosed) return;
    if (this.#held) {
      this.#showVisits();
      const held = this.#held;
      this.#held = undefined;
      for (const frame of held) this.#receive(frame);
      for (const message of this.#waiting) this.#showWaiting(message);
      this.#isWelcoming = this.#turns.length === 0;
      const told = [...this.#named.values()].reverse().find((turn) => turn.isOver);
      if (told) this.#ports.runEnded(told.runId);
      // A store that was replaced starts counting from the beginning.
      if (last < this.#lastSeq) this.#remember(last);
      this.#ports.changed(false);
    }
    if (sessionKey) void this.#loadApprovals(sessionKey);
    for (const message of this.#waiting) this.#sendMessage(message);
  }

  async #showPast(sessionKey: string): Promise<void> {
    try {
      const entries = await this.#ports.client.transcript(sessionKey);
      if (this.#isClosed) return;
      for (const entry of entries) this.#showEntry(entry);
    } catch (error) {
      const isUnknown = error instanceof RefusedError && error.status === 404;
      if (!isUnknown && !this.#isClosed) this.#ports.tell(messageOf(error));
    }
  }

  #showEntry({ runId, kind, message, shown, at }: TranscriptEntry): void {
    const turn = this.#turn(runId);
    turn.at ??= at;
    const text = shown || textOf(message);
    if (kind !== 'message') turn.addNotice(text);
    else if (message.role === 'user') turn.say(text);
    else if (message.role === 'tool') {
      const { toolCallId, toolName, isError = false, content } = message;
      turn.endTool(toolCallId, toolName, { isError, content });
    } else {
      const calls = message.content.filter((part) => part.type === 'tool-call');
      if (text !== '') turn.addWords(text);
      for (const { id, name, params } of calls) turn.startTool(id, name, params);
      if (calls.length === 0) {
        // The answer is in the transcript, so its parts are not needed any more.
        turn.isTold = true;
        turn.end('done');
      }
    }
  }

  /** Visits stand between the turns of the talk, at their times. */
  #showVisits(): void {
    const past = this.#turns;
    for (const { runId, text, at } of readVisits(this.place.surface)) {
      const known = this.#named.get(runId);
      if (at < (past[0]?.at ?? 0) || (known && !known.isVisit)) continue;
      const turn = this.#turn(runId);
      turn.isVisit = true;
      turn.addPart(text);
      turn.end('done');
      const later = past.find((each) => each.at !== undefined && each.at > at);
      if (later)
        this.#turns = this.#turns.flatMap((each) => (each === later ? [turn, later] : each === turn ? [] : [each]));
    }
  }

  #startRun(runId: string): void {
    const turn = this.#turn(runId);
    if (turn.isOver) return;
    if (!turn.isSuspended) turn.begin();
    turn.isSuspended = false;
    turn.setLive(true);
    this.#running = runId;
  }

  #showPart({ seq, runId, text }: FrameOf<'part'>): void {
    if (seq <= this.#lastSeq) return;
    this.#remember(seq);
    this.#send({ type: 'ack', seq });
    if (isNote(runId)) {
      if (!this.#isToldByApproval(text)) this.#turn(runId).addNotice(text);
      return;
    }
    const isAsked = this.#named.has(runId);
    const turn = this.#turn(runId);
    if (!isAsked) turn.isVisit = true;
    if (turn.isVisit) keepVisit(this.place.surface, { seq, runId, text, at: Date.now() });
    if (!turn.isTold) turn.addPart(text);
    if (!turn.isOver && this.#running !== runId) turn.end('done');
  }

  #remember(seq: number): void {
    this.#lastSeq = seq;
    browserMemory.set(`seq.${this.place.surface}`, String(seq));
  }

  #showWaiting({ id, text }: WaitingMessage): void {
    if (this.#named.has(waitingName(id))) return;
    this.#turn(waitingName(id)).say(text, true);
    this.#isFollowing = true;
  }

  #accepted({ id, runId }: FrameOf<'accepted'>): void {
    const message = this.#waiting.find((each) => each.id === id);
    if (!message) return;
    const turn = this.#takeWaiting(message);
    const known = this.#named.get(runId);
    if (turn) this.#nameRun(turn, runId, message.text);
    else known?.say(message.text);
    this.#setWaiting(this.#waiting.filter((each) => each !== message));
  }

  /** Sent for every message of the session: one of this page, whose acceptance follows, or one from another tab. */
  #overheard({ runId, text }: FrameOf<'message-accepted'>): void {
    if (text === '') return;
    const mine = this.#waiting.find((each) => each.text === text && !each.isBound);
    if (mine) {
      const turn = this.#takeWaiting(mine);
      if (turn) this.#nameRun(turn, runId, text);
      this.#waiting = this.#waiting.map((each) => (each === mine ? { ...each, isBound: true } : each));
    } else if (!this.#named.get(runId)?.said) this.#turn(runId).say(text);
  }

  /** Finds the turn of a message whose run was not known yet. */
  #takeWaiting({ id }: WaitingMessage): Turn | undefined {
    const turn = this.#named.get(waitingName(id));
    this.#named.delete(waitingName(id));
    return turn;
  }

  /**
   * The run may have been reported before its message was accepted; then the run's turn takes over the message's words.
   */
  #nameRun(turn: Turn, runId: string, text: string): void {
    const known = this.#named.get(runId);
    if (known) {
      known.say(text);
      this.#remove(turn);
      return;
    }
    turn.say(text);
    turn.runId = runId;
    this.#named.set(runId, turn);
    if (!turn.isOver && this.#running !== runId) turn.setLive(true);
  }

  #refused({ id, message }: FrameOf<'error'>): void {
    this.#ports.tell(message);
    const mine = this.#waiting.find((each) => each.id === id);
    if (!mine) return;
    this.#setWaiting(this.#waiting.filter((each) => each !== mine));
    const turn = this.#takeWaiting(mine);
    if (turn) this.#remove(turn);
    this.#ports.giveBack(mine.text);
  }

  #setWaiting(waiting: readonly WaitingMessage[]): void {
    this.#waiting = waiting;
    const kept = waiting.map(({ id, text }) => ({ id, text }));
    browserMemory.set(`waiting.${this.place.surface}`, JSON.stringify(kept));
  }

  #startApproval(facts: ApprovalFacts): void {
    const turn = this.#turn(facts.runId);
    turn.setLive(false);
    turn.isSuspended = true;
    this.#running = facts.runId;
    if (this.#approvals.has(facts.approvalId)) return;
    this.#approvals.set(facts.approvalId, turn);
    turn.addApproval(facts);
    this.#dropNotes((text) => this.#isToldByApproval(text));
  }

  #endApproval({ approvalId, decision, by }: FrameOf<'approval-end'>): void {
    this.#changeApproval(approvalId, (each) => endedApproval(each, decision, by));
    // The notes about messages that waited for this approval are removed.
    const asks = `/approve ${approvalId} `;
    this.#dropNotes((text) => text.startsWith('This waits behind an approval') && text.includes(asks));
  }

  /** An approval may have been requested before this page was opened, or before this gateway process started. */
  async #loadApprovals(sessionKey: string): Promise<void> {
    try {
      const approvals = await this.#ports.client.waitingApprovals(sessionKey);
      if (this.#isClosed) return;
      for (const { id, ...facts } of approvals) this.#startApproval({ ...facts, approvalId: id });
      const waiting = new Set(approvals.map(({ id }) => id));
      for (const [id, turn] of this.#approvals) {
        if (!waiting.has(id) && turn.approval(id)?.state !== 'over')
          this.#changeApproval(id, (each) => endedApproval(each));
      }
      this.#ports.changed(false);
    } catch (error) {
      // The link shows that the gateway cannot be reached, so only a refusal is shown here.
      if (error instanceof RefusedError && !this.#isClosed) this.#ports.tell(error.message);
    }
  }

  #changeApproval(approvalId: string, change: (approval: Approval) => Approval): void {
    this.#approvals.get(approvalId)?.changeApproval(approvalId, change);
    this.#ports.changed(false);
  }

  /** Whether a note repeats what an approval on the page says already. */
  #isToldByApproval(text: string): boolean {
    return [...this.#approvals.keys()].some(
      (id) =>
        (text.startsWith('Approval needed: ') && text.includes(`/approve ${id} `)) ||
        text.startsWith(`Approval ${id} (`),
    );
  }

  #dropNotes(isOver: (text: string) => boolean): void {
    for (const turn of this.#turns) if (isNote(turn.runId) && isOver(noticesOf(turn))) this.#remove(turn);
  }

  #turn(name: string): Turn {
    const known = this.#named.get(name);
    if (known) return known;
    const turn = new Turn(++this.#lastKey, name);
    this.#named.set(name, turn);
    this.#turns = [...this.#turns, turn];
    this.#isWelcoming = false;
    this.#isFollowing = true;
    return turn;
  }

  #remove(turn: Turn): void {
    this.#turns = this.#turns.filter((each) => each !== turn);
  }
}

type FrameOf<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>;

/** A message that the gateway has not accepted yet. */
interface WaitingMessage {
  readonly id: string;
  readonly text: string;
  /**
   * The run of this message is known already, so that the run of another message with the same words is not taken for
   * it.
   */
  readonly isBound?: true | undefined;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function waitingName(id: string): string {
  return `waiting:${id}`;
}

/** Messages of the gateway itself, which belong to no run. */
function isNote(runId: string): boolean {
  return runId.startsWith('note_');
}

function noticesOf(turn: Turn): string {
  return turn.flow.map((item) => (item.kind === 'notice' ? item.text : '')).join('');
}

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
