// The talk at one place: its turns, the messages that wait to be accepted, and what each frame of the socket means. What
// was said comes from the gateway: the transcript, and the asides that stand between its turns. A part is shown once, also
// when the connection breaks: parts with lower numbers are dropped.

import type { ClientFrame } from '../../src/channels/client-frame.ts';
import type { ServerFrame } from '../../src/channels/server-frame.ts';
import type { ApprovalDecision } from '../../src/protocol/approval-decision.ts';
import type { Upload } from '../../src/protocol/attachment.ts';
import type { ChildView } from '../../src/protocol/child-view.ts';
import { browserMemory } from '../browser-memory.ts';
import { Connection, type Link } from '../client/connection.ts';
import type { FilePictures } from '../client/file-pictures.ts';
import {
  type Aside,
  type GatewayClient,
  type QueuedMessage,
  RefusedError,
  type ToldApproval,
  type TranscriptEntry,
  type TranscriptPage,
} from '../client/gateway-client.ts';
import type { Place } from '../place.ts';
import { shortHash } from '../short-hash.ts';
import { type Approval, type ApprovalFacts, endedApproval } from './approval.ts';
import type { SentFile } from './sent-file.ts';
import { showEntry } from './show-entry.ts';
import { Turn } from './turn.ts';
import { wholeRuns } from './whole-runs.ts';

export interface TalkPorts {
  readonly client: GatewayClient;
  readonly pictures: FilePictures;
  /** Called when something visible has changed; the drawing of a draft may wait for the next frame of the screen. */
  changed(isDraft: boolean): void;
  /** Shows one sentence to the person; an empty one removes the last one. */
  tell(problem: string): void;
  showLink(link: Link): void;
  /** Called when a run is over, so that its report can be shown. */
  runEnded(runId: string): void;
  /** Called when the gateway did not accept a message, so that the person gets their text back. */
  giveBack(text: string, files: readonly Upload[]): void;
  /** Called when the gateway has told which session this place talks to. */
  sessionKnown(sessionKey: string): void;
}

export class Talk {
  readonly place: Place;
  readonly #ports: TalkPorts;
  /** Undefined for a session that has ended: nothing more happens there. */
  readonly #connection: Connection | undefined;
  /** The turns as they are shown. A turn that was removed here may still be in `#named`. */
  #turns: readonly Turn[] = [];
  /** Turns by run id, or by the id of a message that waits, in the order in which they were named. */
  readonly #named = new Map<string, Turn>();
  /** The turn in which each approval is shown. */
  readonly #approvals = new Map<string, Turn>();
  #lastKey = 0;
  /** The number of the last part that is shown or in the record; undefined until the gateway has told it. */
  #lastSeq: number | undefined;
  /** The numbers of the parts that are shown, and the one up to which asides were read. */
  readonly #asides = new Set<number>();
  #asidesTo = 0;
  /** The sessions that files of asides belong to, by the hash of the file. */
  readonly #filesFrom = new Map<string, string>();
  #surface: string;
  #isMoved = false;
  #waiting: readonly WaitingMessage[];
  /** The most bytes of a frame, once the gateway has told it. */
  #largestFrame = Number.POSITIVE_INFINITY;
  /** Frames that arrived before the transcript was shown; undefined after that. */
  #held: ServerFrame[] | undefined = [];
  #past: Promise<void> | undefined;
  /** Where the part of the transcript ends that was not shown yet; null when all of it was shown. */
  #earlier: number | null = null;
  #running: string | undefined;
  #isWelcoming = false;
  #isFollowing = true;
  #isClosed = false;
  /** The number of the last look at the subagents; the answer to an earlier look comes too late and is ignored. */
  #looks = 0;
  #areSubagentsAtWork = false;
  /** The keys of the subagents that the person has stopped here. */
  readonly #stopped = new Set<string>();
  /** The session of this talk, once the gateway has told it. */
  #sessionKey: string | undefined;
  /** The session whose transcript is shown, and the position behind which it was not read yet. */
  #transcriptOf: string | undefined;
  #readTo = 0;
  #isCatchingUp = false;
  /** Something happened while the page was catching up, so it does so once more. */
  #isBehind = false;
  #catchUpTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(place: Place, ports: TalkPorts) {
    this.place = place;
    this.#sessionKey = place.sessionKey;
    this.#ports = ports;
    this.#surface = place.surface;
    this.#waiting = browserMemory.getList<WaitingMessage>(`waiting.${place.surface}`);
    if (place.sessionId !== undefined) {
      void this.#showEnded(place.sessionId);
      return;
    }
    this.#connection = new Connection({
      openSocket: () => ports.client.openSocket(),
      mayTryAgain: () => ports.client.isTokenGood(),
      hello: () => ({
        type: 'hello',
        surface: this.#surface,
        ...(this.#isMoved
          ? { session: this.#sessionKey }
          : { agent: place.sessionKey ? undefined : place.agentId, session: place.sessionKey }),
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

  /** The name under which the gateway stores what is sent here. */
  get surface(): string {
    return this.#surface;
  }

  /** The session of this talk, once the gateway has told it. */
  get sessionKey(): string | undefined {
    return this.#sessionKey;
  }

  /** Something was said before the first turn that is shown. */
  get hasEarlier(): boolean {
    return this.#earlier !== null;
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
  submit(text: string, files: readonly Upload[] = [], model?: string): void {
    const id = `${Date.now().toString(36)}-${shortHash(text + Math.random())}`;
    const message: WaitingMessage = { id, text, ...(files.length > 0 && { files }), model };
    this.#setWaiting([...this.#waiting, message]);
    this.#showWaiting(message);
    if (!this.#held) this.#sendMessage(message);
    this.#ports.changed(false);
  }

  /** The address at which the page can show a file of this talk. */
  readonly loadFile = (hash: string): Promise<string | undefined> =>
    this.#ports.pictures.addressOf(this.#filesFrom.get(hash) ?? this.#sessionKey, hash);

  /** What was said in the session of a subagent: its latest turns. They are read only. */
  readonly loadThread = async (sessionKey: string): Promise<readonly Turn[]> => {
    const page = await unlessUnknown(this.#ports.client.transcript(sessionKey));
    const turns = new Map<string, Turn>();
    for (const entry of page ? wholeRuns(page).entries : []) {
      const turn = turns.get(entry.runId) ?? new Turn(turns.size, entry.runId);
      turns.set(entry.runId, turn);
      showEntry(turn, entry);
    }
    return [...turns.values()];
  };

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
    clearTimeout(this.#catchUpTimer);
    this.#connection?.close();
  }

  /** Stops a subagent with all that came from it. */
  async stopSubagent(sessionKey: string): Promise<void> {
    this.#stopped.add(sessionKey);
    this.#ports.changed(false);
    try {
      await this.#ports.client.stopSubagent(sessionKey);
    } catch (error) {
      this.#stopped.delete(sessionKey);
      this.#ports.tell(error instanceof RefusedError ? error.message : 'The gateway cannot be reached. Try again.');
    }
    void this.#lookAtSubagents();
  }

  /** A message that the gateway would never take is given back at once, because it would be sent again for ever. */
  #sendMessage({ id, text, files = [], model }: WaitingMessage): void {
    const attachments = files.map((file) => ({ id: file.id }));
    const frame = { type: 'message', id, text, ...(attachments.length > 0 && { attachments }), model } as const;
    if (bytesOf(JSON.stringify(frame)) <= this.#largestFrame) {
      this.#send(frame);
      return;
    }
    const most = this.#largestFrame.toLocaleString('en');
    const message = `This message is too long: it may have at most ${most} bytes. Shorten it, or put the text into a file and name the file.`;
    this.#refused({ type: 'error', id, message });
  }

  #send(frame: ClientFrame): void {
    this.#connection?.send(frame);
  }

  #hear(frame: ServerFrame): void {
    if (this.#held && frame.type !== 'ready') this.#held.push(frame);
    else this.#receive(frame);
  }

  #receive(frame: ServerFrame): void {
    this.#show(frame);
    this.#ports.changed(frame.type === 'text-delta' || frame.type === 'thought-delta');
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
      case 'thought-delta':
        this.#turn(frame.runId).addThought(frame.call, frame.text);
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
      case 'wait-start':
        this.#startWait(frame.runId, frame.awaited.length);
        void this.#lookAtSubagents();
        break;
      case 'wait-end':
        this.#turn(frame.runId).setAwaited(0);
        void this.#lookAtSubagents();
        break;
      case 'child-start':
      case 'child-end':
        void this.#lookAtSubagents();
        break;
      case 'limit-near':
        this.#turn(frame.runId).addNotice(frame.text);
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
        this.#catchUpSoon();
        break;
      case 'part':
        this.#showPart(frame);
        break;
      case 'error':
        this.#refused(frame);
        break;
      case 'pong':
      case 'result':
      case 'watching':
      case 'changed':
      case 'sample':
      case 'session-news':
        break;
      default:
        // A new kind of frame is a type error here until the page knows what it means.
        frame satisfies never;
    }
  }

  /**
   * When the connection is ready for the first time, the transcript is shown before anything that happens meanwhile.
   */
  async #ready({ sessionKey, pageSurface, last, largestFrame }: FrameOf<'ready'>): Promise<void> {
    const isMoving = sessionKey !== undefined && this.#move(sessionKey, pageSurface);
    if (sessionKey) this.#learnSession(sessionKey);
    if (isMoving) return;
    // What was sent up to now is read from the record. A store that was replaced starts counting from the beginning.
    this.#lastSeq = Math.min(this.#lastSeq ?? last, last);
    this.#largestFrame = largestFrame ?? Number.POSITIVE_INFINITY;
    // A connection that broke meanwhile is ready a second time before the transcript has been loaded.
    if (this.#held && sessionKey) {
      this.#past ??= this.#showPast(sessionKey);
      await this.#past;
    }
    if (this.#isClosed) return;
    // What happened while the connection was broken was told to others only.
    if (!this.#held) void this.#catchUp();
    if (this.#held) {
      const held = this.#held;
      this.#held = undefined;
      for (const frame of held) this.#receive(frame);
      for (const message of this.#waiting) this.#showWaiting(message);
      this.#isWelcoming = this.#turns.length === 0;
      const told = [...this.#named.values()].reverse().find((turn) => turn.isOver);
      if (told) this.#ports.runEnded(told.runId);
      this.#ports.changed(false);
    }
    if (sessionKey) {
      void this.#loadApprovals(sessionKey);
      void this.#lookAtSubagents();
    }
    for (const message of this.#waiting) this.#sendMessage(message);
  }

  /**
   * All devices show a conversation under one name. One that has just begun may have been opened under another name, where
   * the gateway joins conversations; then this page goes where the others are.
   */
  #move(sessionKey: string, surface: string | undefined): boolean {
    if (this.place.sessionKey !== undefined || surface === undefined || surface === this.#surface) return false;
    this.#surface = surface;
    this.#isMoved = true;
    this.#waiting = [...browserMemory.getList<WaitingMessage>(`waiting.${surface}`), ...this.#waiting];
    this.#setWaiting(this.#waiting);
    this.#connection?.send({ type: 'hello', surface, session: sessionKey, after: this.#lastSeq });
    return true;
  }

  /** Shows the part of the transcript before the first turn that is shown. `before` is called just before it is shown. */
  async loadEarlier(before: () => void = () => {}): Promise<void> {
    const session = this.place.sessionId ?? this.#sessionKey;
    if (this.#earlier === null || session === undefined) return;
    try {
      const page = wholeRuns(await this.#ports.client.transcript(session, this.#earlier));
      const asides = await this.#ports.client.asides(session, { since: sinceOf(page), until: this.#firstAt() });
      if (this.#isClosed) return;
      const shown = this.#turns;
      this.#turns = [];
      for (const entry of page.entries) showEntry(this.#turn(entry.runId), entry);
      this.#turns = [...this.#turns, ...shown];
      this.#showAsides(asides);
      this.#earlier = page.before;
      this.#isFollowing = false;
      before();
      this.#ports.changed(false);
    } catch (error) {
      this.#ports.tell(messageOf(error));
    }
  }

  async #showEnded(sessionId: string): Promise<void> {
    await this.#showPast(sessionId);
    this.#held = undefined;
    if (this.#isClosed) return;
    this.#isWelcoming = this.#turns.length === 0;
    const told = this.#turns.at(-1);
    if (told) this.#ports.runEnded(told.runId);
    this.#ports.changed(false);
  }

  async #showPast(session: string): Promise<void> {
    try {
      // First the queue: a message that leaves it meanwhile is in the transcript then.
      const queue = this.place.sessionId === undefined ? await this.#ports.client.queue(session) : [];
      const told = await unlessUnknown(this.#ports.client.transcript(session));
      const past = told && wholeRuns(told);
      const asides = await this.#ports.client.asides(session, { since: past && sinceOf(past) });
      if (this.#isClosed) return;
      // What was said while the past was loaded stands behind it.
      const waiting = this.#turns;
      this.#turns = [];
      if (past) {
        const { sessionId, entries, before } = past;
        this.#earlier = before;
        for (const entry of entries) showEntry(this.#turn(entry.runId), entry);
        this.#noteRead(sessionId, entries);
      }
      this.#showAsides(asides);
      this.#showQueue(queue);
      this.#turns = [...this.#turns, ...waiting];
    } catch (error) {
      if (!this.#isClosed) this.#ports.tell(messageOf(error));
    }
  }

  /** The time of the first turn of the transcript that is shown. */
  #firstAt(): number | undefined {
    return this.#turns.find(({ position }) => position !== undefined)?.at;
  }

  /** The end of a run is told before its answer; a moment later both are there, and nothing is drawn twice. */
  #catchUpSoon(): void {
    clearTimeout(this.#catchUpTimer);
    this.#catchUpTimer = setTimeout(() => void this.#catchUp(), CATCH_UP_MS);
  }

  /** Reads what the transcript and the queue have and the page has not, so that it shows what it would after a reload. */
  async #catchUp(): Promise<void> {
    const { client } = this.#ports;
    const session = this.#sessionKey;
    if (session === undefined || this.#isClosed || this.#held) return;
    this.#isBehind = this.#isCatchingUp;
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    try {
      const queue = await client.queue(session);
      let told = await unlessUnknown(client.transcriptAfter(session, this.#readTo));
      // A session that was reset meanwhile has another transcript.
      if (told && this.#transcriptOf !== undefined && told.sessionId !== this.#transcriptOf && this.#readTo > 0)
        told = await unlessUnknown(client.transcriptAfter(session, 0));
      const upTo = (this.#lastSeq ?? 0) - SEQS_BACK;
      const asides = await client.asides(session, { after: this.#asidesTo });
      if (this.#isClosed) return;
      this.#asidesTo = Math.max(this.#asidesTo, upTo);
      if (told) this.#settle(told.sessionId, told.entries);
      this.#showAsides(asides);
      this.#showQueue(queue);
      this.#ports.changed(false);
    } catch {
      // The link shows that the gateway cannot be reached; the next connection catches up.
    } finally {
      this.#isCatchingUp = false;
    }
    if (this.#isBehind) await this.#catchUp();
  }

  #settle(sessionId: string, entries: readonly TranscriptEntry[]): void {
    const told = new Map<string, Turn>();
    for (const entry of entries) {
      const turn = told.get(entry.runId) ?? new Turn(++this.#lastKey, entry.runId);
      told.set(entry.runId, turn);
      showEntry(turn, entry);
    }
    for (const [runId, turn] of told) {
      const known = this.#named.get(runId);
      if (known) known.settle(turn);
      else {
        this.#named.set(runId, turn);
        this.#turns = [...this.#turns, turn];
      }
    }
    this.#isWelcoming &&= this.#turns.length === 0;
    this.#noteRead(sessionId, entries);
    this.#order();
  }

  /** Turns stand as the transcript has them, asides at their times. Another turn stays behind the one before it. */
  #order(): void {
    const settled = this.#turns.filter(({ position }) => position !== undefined);
    const places = new Map<Turn, number>();
    let last = 0;
    for (const turn of this.#turns) {
      if (turn.position !== undefined) last = turn.position;
      else if (turn.said?.isWaiting) last = Number.POSITIVE_INFINITY;
      else if (turn.isAside && turn.at !== undefined) last = positionAt(settled, turn.at);
      places.set(turn, last);
    }
    this.#turns = this.#turns.toSorted((one, other) => {
      const [a = 0, b = 0] = [places.get(one), places.get(other)];
      return a === b ? Number(other.position !== undefined) - Number(one.position !== undefined) : a - b;
    });
  }

  /** The last run may still go on, so it is read again. */
  #noteRead(sessionId: string, entries: readonly TranscriptEntry[]): void {
    if (this.#transcriptOf !== sessionId) this.#readTo = 0;
    this.#transcriptOf = sessionId;
    const last = entries.at(-1);
    const isOver = last === undefined || this.#named.get(last.runId)?.isOver === true;
    const read = isOver ? last : entries.findLast(({ runId }) => runId !== last.runId);
    this.#readTo = Math.max(this.#readTo, read?.position ?? 0);
  }

  /** Messages that were accepted and are not answered yet. */
  #showQueue(queue: readonly QueuedMessage[]): void {
    for (const { runId, text, attachments, at } of queue) {
      const known = this.#named.get(runId);
      if (known?.said || (text === null && known)) continue;
      const isMine = this.#waiting.some((each) => each.text === text && !each.isBound);
      // The page's own message is sent once more, and then the gateway says which run it is.
      if (isMine) continue;
      const turn = this.#turn(runId);
      turn.at ??= at;
      if (text !== null) turn.say(text, attachments);
      if (!turn.isOver && !turn.isSuspended) turn.setLive(true);
    }
  }

  #learnSession(sessionKey: string): void {
    const isNew = this.#sessionKey !== sessionKey;
    this.#sessionKey = sessionKey;
    if (isNew) this.#ports.sessionKnown(sessionKey);
  }

  /** What is not in the transcript stands between its turns, at its time. */
  #showAsides(asides: readonly Aside[]): void {
    for (const { seq, runId, at, sessionKey, said, text, attachments: files } of asides) {
      this.#asidesTo = Math.max(this.#asidesTo, seq);
      const known = this.#named.get(runId);
      if (known) known.isAside = true;
      if (known) known.at ??= at;
      // The answer to a command of this page has come by itself.
      if (this.#asides.has(seq)) continue;
      this.#asides.add(seq);
      if (isNote(runId) && this.#isToldByApproval(text)) continue;
      const turn = this.#turn(runId);
      turn.isAside = true;
      turn.at ??= at;
      if (isNote(runId)) turn.addNotice(text);
      else {
        for (const { hash } of files) this.#filesFrom.set(hash, sessionKey);
        if (said !== null && !turn.said) turn.say(said);
        if (said === null && sessionKey !== this.#sessionKey) turn.from = sessionKey;
        turn.addPart(text, files);
        turn.end('done');
      }
    }
    this.#order();
  }

  #startRun(runId: string): void {
    const turn = this.#turn(runId);
    if (turn.isOver) return;
    if (!turn.isSuspended) turn.begin();
    turn.isSuspended = false;
    turn.setLive(true);
    this.#running = runId;
  }

  #showPart({ seq, runId, text, attachments: files }: FrameOf<'part'>): void {
    if (seq <= (this.#lastSeq ?? 0)) return;
    this.#lastSeq = seq;
    this.#send({ type: 'ack', seq });
    const turn = this.#named.get(runId);
    // What comes from elsewhere is read as every other device reads it, and so is the answer of a run that was not seen.
    if (!turn || turn.isAside) {
      void this.#catchUp();
      return;
    }
    this.#asides.add(seq);
    if (!turn.isTold) turn.addPart(text, files);
    if (!turn.isOver && this.#running !== runId) turn.end('done');
  }

  #showWaiting({ id, text, files }: WaitingMessage): void {
    if (this.#named.has(waitingName(id))) return;
    this.#turn(waitingName(id)).say(text, files, true);
    this.#isFollowing = true;
  }

  #accepted({ id, runId, sessionKey }: FrameOf<'accepted'>): void {
    this.#learnSession(sessionKey);
    const message = this.#waiting.find((each) => each.id === id);
    if (!message) return;
    const turn = this.#takeWaiting(message);
    const known = this.#named.get(runId);
    if (turn) this.#nameRun(turn, runId, message);
    else known?.say(message.text, message.files);
    this.#setWaiting(this.#waiting.filter((each) => each !== message));
  }

  /** Sent for every message of the session: one of this page, whose acceptance follows, or one from another tab. */
  #overheard({ runId, sessionKey, text, attachments: files = [] }: FrameOf<'message-accepted'>): void {
    if (text === '' && files.length === 0) return;
    this.#learnSession(sessionKey);
    const isSame = (each: WaitingMessage) => each.text === text && (each.files?.length ?? 0) === files.length;
    const mine = this.#waiting.find((each) => isSame(each) && !each.isBound);
    if (mine) {
      const turn = this.#takeWaiting(mine);
      if (turn) this.#nameRun(turn, runId, { text, files });
      this.#waiting = this.#waiting.map((each) => (each === mine ? { ...each, isBound: true } : each));
    } else if (!this.#named.get(runId)?.said) this.#turn(runId).say(text, files);
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
  #nameRun(turn: Turn, runId: string, { text, files }: Said): void {
    const known = this.#named.get(runId);
    if (known) {
      known.say(text, files);
      this.#remove(turn);
      return;
    }
    turn.say(text, files);
    turn.runId = runId;
    this.#named.set(runId, turn);
    // Messages are answered in the order in which they were accepted, which others may have been before this one.
    const others = this.#turns.filter((each) => each !== turn);
    const isWaiting = (each: Turn) => each.said?.isWaiting === true;
    this.#turns = [...others.filter((each) => !isWaiting(each)), turn, ...others.filter(isWaiting)];
    if (!turn.isOver && this.#running !== runId) turn.setLive(true);
  }

  #refused({ id, message }: FrameOf<'error'>): void {
    this.#ports.tell(message);
    const mine = this.#waiting.find((each) => each.id === id);
    if (!mine) return;
    this.#setWaiting(this.#waiting.filter((each) => each !== mine));
    const turn = this.#takeWaiting(mine);
    if (turn) this.#remove(turn);
    this.#ports.giveBack(mine.text, mine.files ?? []);
  }

  #setWaiting(waiting: readonly WaitingMessage[]): void {
    this.#waiting = waiting;
    const kept = waiting.map(({ id, text, files, model }) => ({ id, text, files, model }));
    browserMemory.set(`waiting.${this.#surface}`, JSON.stringify(kept));
  }

  #startApproval(facts: ApprovalFacts): void {
    const turn = this.#turn(facts.runId);
    turn.setLive(false);
    turn.isSuspended = true;
    this.#running = facts.runId;
    if (this.#approvals.has(facts.approvalId)) return;
    this.#approvals.set(facts.approvalId, turn);
    turn.addApproval(facts);
    this.#dropNotes();
  }

  #endApproval({ approvalId, decision, by }: FrameOf<'approval-end'>): void {
    this.#changeApproval(approvalId, (each) => endedApproval(each, decision, by));
    this.#dropNotes();
  }

  /** An approval may have been requested before this page was opened, or before this gateway process started. */
  async #loadApprovals(sessionKey: string): Promise<void> {
    try {
      const all = await this.#ports.client.approvals(sessionKey);
      if (this.#isClosed) return;
      const approvals = all.filter(({ status }) => status === 'waiting');
      for (const { id, ...facts } of approvals) this.#startApproval({ ...facts, approvalId: id });
      for (const approval of all) if (approval.status !== 'waiting') this.#recallApproval(approval);
      const waiting = new Set(approvals.map(({ id }) => id));
      for (const [id, turn] of this.#approvals) {
        if (!waiting.has(id) && turn.approval(id)?.state !== 'over')
          this.#changeApproval(id, (each) => endedApproval(each));
      }
      this.#dropNotes();
      this.#ports.changed(false);
    } catch (error) {
      // The link shows that the gateway cannot be reached, so only a refusal is shown here.
      if (error instanceof RefusedError && !this.#isClosed) this.#ports.tell(error.message);
    }
  }

  /** An approval that was answered before is part of the record of its turn. */
  #recallApproval({ id, ...facts }: ToldApproval): void {
    const turn = this.#named.get(facts.runId);
    if (!turn || this.#approvals.has(id)) return;
    this.#approvals.set(id, turn);
    turn.addApproval({ ...facts, approvalId: id });
    const decision = facts.status === 'void' ? 'void' : (facts.decision ?? undefined);
    turn.changeApproval(id, (each) => endedApproval(each, decision, facts.decidedBy ?? undefined));
  }

  #startWait(runId: string, count: number): void {
    const turn = this.#turn(runId);
    turn.setLive(false);
    turn.setAwaited(count);
    turn.isSuspended = true;
    this.#running = runId;
  }

  /** Called when the gateway says that subagents or what they used have changed, in any session. */
  async subagentsChanged(): Promise<void> {
    if (this.#areSubagentsAtWork) await this.#lookAtSubagents();
  }

  /** Frames say that something has changed; how the subagents stand is read from the gateway. */
  async #lookAtSubagents(): Promise<void> {
    if (this.#sessionKey === undefined || this.#isClosed) return;
    const look = ++this.#looks;
    try {
      const { subagents, waits } = await this.#ports.client.subagents(this.#sessionKey);
      if (this.#isClosed || look !== this.#looks) return;
      for (const turn of this.#named.values()) {
        const own = subagents.filter(({ parentRunId }) => parentRunId === turn.runId).map((each) => this.#shown(each));
        if (own.length > 0 || turn.subagents.length > 0) turn.setSubagents(own);
        const wait = waits.find(({ runId }) => runId === turn.runId);
        if (wait && !turn.isOver) this.#startWait(turn.runId, wait.awaited.length);
        else if (turn.awaited > 0) turn.setAwaited(0);
      }
      this.#areSubagentsAtWork = subagents.some(isAtWork);
      this.#ports.changed(false);
    } catch (error) {
      // The link shows that the gateway cannot be reached, and the next look follows when it can.
      if (error instanceof RefusedError && !this.#isClosed) this.#ports.tell(error.message);
    }
  }

  /** A subagent that the person has stopped is shown so at once. */
  #shown(child: ChildView): ChildView {
    const isStopping = this.#stopped.has(child.sessionKey) && child.endedAt === null;
    const children = child.children.map((each) => this.#shown(each));
    return { ...child, children, ...(isStopping && { state: 'stopping' }) };
  }

  #changeApproval(approvalId: string, change: (approval: Approval) => Approval): void {
    this.#approvals.get(approvalId)?.changeApproval(approvalId, change);
    this.#ports.changed(false);
  }

  /** Whether a note repeats what an approval on the page says already, or is about one that is over. */
  #isToldByApproval(text: string): boolean {
    return [...this.#approvals].some(([id, turn]) => {
      const asks = text.includes(`/approve ${id} `);
      if (asks && text.startsWith('This waits behind an approval')) return turn.approval(id)?.state === 'over';
      return (asks && text.startsWith('Approval needed: ')) || text.startsWith(`Approval ${id} (`);
    });
  }

  #dropNotes(): void {
    for (const turn of this.#turns)
      if (isNote(turn.runId) && this.#isToldByApproval(noticesOf(turn))) this.#remove(turn);
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

/** The position of the last turn that had begun at a time. */
function positionAt(settled: readonly Turn[], time: number): number {
  return Math.max(0, ...settled.filter(({ at = 0 }) => at <= time).map(({ position = 0 }) => position));
}

/** Numbers of parts are given in the order of time, except for some that are written at the same moment. */
const SEQS_BACK = 100;

/** How long after the end of a run its answer is there. */
const CATCH_UP_MS = 400;

/** Undefined when the page is the first one: then everything before it belongs to it too. */
function sinceOf({ before, entries }: TranscriptPage): number | undefined {
  return before === null ? undefined : entries[0]?.at;
}

/** A subagent works until it and all that it has spawned have ended. */
function isAtWork({ endedAt, children }: ChildView): boolean {
  return endedAt === null || children.some(isAtWork);
}

/** Undefined where there is no such session yet; it begins with the first answer. */
async function unlessUnknown<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  }
}

type FrameOf<Type extends ServerFrame['type']> = Extract<ServerFrame, { type: Type }>;

interface Said {
  readonly text: string;
  readonly files?: readonly SentFile[] | undefined;
}

/** A message that the gateway has not accepted yet. */
interface WaitingMessage {
  readonly id: string;
  readonly text: string;
  /** Files that the gateway has already. */
  readonly files?: readonly Upload[] | undefined;
  /** The model that should answer, where the person chose one before the conversation began. */
  readonly model?: string | undefined;
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
