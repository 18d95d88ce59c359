// The channel of everything that talks over a WebSocket: browser tabs and terminals. A surface is a name that the client
// keeps; several clients may show the same one. The outbox is the surface's mailbox: a part counts as sent when it is in
// there, clients that are connected get it pushed, and those that come back ask for what they missed. The server that
// accepts sockets is not here, and neither is the knowledge who may connect.
//
// Errors: what a client does wrong is told to that client. A message that cannot be taken is refused with an `error`
// frame that names it, and the client may send it again under the same id.

import { isAtriumError } from '../protocol/errors.ts';
import { type Surface, surfaceId } from '../protocol/inbound.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import type { Channel, ChannelPort, DeliveryGuarantee, OutboundPart, SendOutcome } from './channel.ts';
import type { ClientFrame } from './client-frame.ts';
import { ChannelClosedError, HelloMissingError, UnknownMethodError } from './errors.ts';
import { LiveDrafts } from './live-drafts.ts';
import type { Mailbox } from './mailbox.ts';
import { liveFrameOf, type ServerFrame } from './server-frame.ts';
import { SocketConnection, type WebSocketLike } from './socket-connection.ts';

/** What the gateway hands to every socket channel. */
export interface SocketChannelPorts {
  readonly mailbox: Mailbox;
  /** Ends the run that is going on in this session, if there is one. */
  readonly stop: (sessionKey: string) => void;
  /** Calls a method by name. Without it there is none. */
  readonly call?:
    | ((method: string, params: JsonObject, caller: SocketClient) => Promise<JsonValue | undefined>)
    | undefined;
  readonly now: () => number;
  /** What may wait to be read by one client, in bytes. Default 4 MiB. */
  readonly maxBufferedBytes?: number | undefined;
}

/** What makes one socket channel differ from another. */
export interface SocketChannelKind {
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  readonly maxTextLength: number;
  /** The surface of a client that names none. */
  readonly defaultSurface: () => string;
}

export interface SocketClient {
  /** Names the connection in what it sends. */
  readonly clientId: string;
}

export class SocketChannel implements Channel {
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  readonly maxTextLength: number;
  readonly #kind: SocketChannelKind;
  readonly #ports: SocketChannelPorts;
  readonly #viewers = new Set<Viewer>();
  readonly #drafts = new LiveDrafts();
  /** The session that a surface last spoke to, so that a client that comes back sees its run go on. */
  readonly #sessions = new Map<string, string>();
  /** How far clients said that they have shown a surface. */
  readonly #acks = new Map<string, number>();
  #port: ChannelPort | undefined;

  constructor(kind: SocketChannelKind, ports: SocketChannelPorts) {
    this.id = kind.id;
    this.guarantee = kind.guarantee;
    this.maxTextLength = kind.maxTextLength;
    this.#kind = kind;
    this.#ports = ports;
  }

  async open(port: ChannelPort): Promise<void> {
    this.#port = port;
  }

  async send(part: OutboundPart): Promise<SendOutcome> {
    const { surface, seq, runId, part: number, text } = part;
    if (surface.channel !== this.id) return { outcome: 'failed', reason: `this is ${this.id}, not ${surface.channel}` };
    if (!this.#port) return { outcome: 'retry', reason: `the channel ${this.id} is closed` };
    const id = surfaceId(surface);
    for (const viewer of this.#viewers) {
      if (viewer.surfaceId === id) viewer.show({ type: 'part', seq, runId, part: number, text });
    }
    return { outcome: 'sent', receipt: { mailbox: seq } };
  }

  /** Takes over a socket whose client may talk to this gateway. */
  attach(socket: WebSocketLike, { clientId }: SocketClient): void {
    const viewer: Viewer = new Viewer(
      clientId,
      new SocketConnection({
        socket,
        maxBufferedBytes: this.#ports.maxBufferedBytes ?? MOST_BUFFERED,
        handle: (frame) => this.#handle(viewer, frame),
        gone: () => this.#viewers.delete(viewer),
      }),
    );
    if (this.#port) this.#viewers.add(viewer);
    else viewer.connection.end(1001, 'the gateway is not open');
  }

  /** Shows what happens in a session to everybody who watches it. */
  watch(event: LiveEvent): void {
    const frame = liveFrameOf(event);
    if (!frame) return;
    this.#drafts.watch(frame);
    if (frame.type === 'message-accepted' && frame.surface.channel === this.id) {
      this.#learnSession(surfaceId(frame.surface), frame.sessionKey);
    }
    let text: string | undefined;
    for (const viewer of this.#viewers) {
      if (viewer.sessionKey !== frame.sessionKey) continue;
      text ??= JSON.stringify(frame);
      viewer.showLive(frame.type, text);
    }
  }

  /** How many clients are connected. */
  get clients(): number {
    return this.#viewers.size;
  }

  async close(): Promise<void> {
    this.#port = undefined;
    const viewers = [...this.#viewers];
    // What was being accepted is still told, so that nobody sends it a second time for nothing.
    await Promise.race([Promise.all(viewers.map(({ connection }) => connection.settled)), pause(LAST_WORDS_MS)]);
    for (const { connection } of viewers) connection.end(1001, 'the gateway is stopping');
  }

  #handle(viewer: Viewer, frame: ClientFrame): void | Promise<void> {
    switch (frame.type) {
      case 'hello':
        return this.#welcome(viewer, frame);
      case 'message':
        return this.#receive(viewer, frame);
      case 'ack':
        if (viewer.surfaceId) this.#acknowledge(viewer.surfaceId, frame.seq);
        return;
      case 'stop':
        if (viewer.sessionKey) this.#ports.stop(viewer.sessionKey);
        return;
      case 'call':
        // Not waited for: what a method takes its time for must not hold up what is said meanwhile.
        void this.#call(viewer, frame);
        return;
      case 'ping':
        viewer.connection.send({ type: 'pong' });
        return;
    }
  }

  async #welcome(viewer: Viewer, hello: ClientFrame & { type: 'hello' }): Promise<void> {
    const name = hello.surface ?? this.#kind.defaultSurface();
    const surface: Surface = { channel: this.id, accountId: 'default', peer: { kind: 'direct', id: name } };
    const id = surfaceId(surface);
    // From here on nothing of the surface passes by unseen; it is only held back until the past is told.
    viewer.begin({ surface, surfaceId: id, session: hello.session, agent: hello.agent });
    try {
      await this.#catchUp(viewer, id, name, hello.after);
    } catch (error) {
      // Whoever stayed would hold everything back for ever; whoever comes back asks again.
      viewer.connection.end(1011, 'what was said before cannot be read now: come back');
      throw error;
    }
  }

  async #catchUp(viewer: Viewer, id: string, name: string, after: number | undefined): Promise<void> {
    const last = await this.#ports.mailbox.last(id);
    viewer.sessionKey ??= this.#sessions.get(id) ?? last?.sessionKey;
    const { sessionKey, connection } = viewer;
    const end = last?.seq ?? 0;
    connection.send({ type: 'ready', surface: name, sessionKey, last: end, acked: this.#acks.get(id) });
    // A client may remember more than there is, when the store behind the gateway is a new one.
    if (after !== undefined) await this.#replay(viewer, id, Math.min(after, end));
    viewer.goLive(viewer.sessionKey === undefined ? [] : this.#drafts.replay(viewer.sessionKey));
  }

  async #replay(viewer: Viewer, id: string, after: number): Promise<void> {
    viewer.beginAfter(after);
    for (let from = after; ; ) {
      const parts = await this.#ports.mailbox.history(id, from, PARTS_A_READ);
      for (const { seq, runId, part, text } of parts) {
        // A long past is told no faster than it is read.
        if (!(await viewer.connection.caughtUp(REPLAY_PATIENCE_MS))) return viewer.connection.end(1013, TOO_SLOW);
        viewer.showNow({ type: 'part', seq, runId, part, text });
        from = seq;
      }
      if (parts.length < PARTS_A_READ) return;
    }
  }

  async #receive(viewer: Viewer, { id, text }: ClientFrame & { type: 'message' }): Promise<void> {
    const { connection, surface, session, agent } = viewer;
    if (!surface) throw new HelloMissingError();
    if (!this.#port) throw new ChannelClosedError({ channel: this.id });
    const name = surface.peer.id;
    const { outcome, runId, sessionKey } = await this.#port.receive({
      surface,
      sender: { id: name },
      text,
      at: this.#ports.now(),
      // Two clients may well choose the same id; two tabs on one surface that do so mean the same message.
      eventId: `${name}:${id}`,
      sessionKey: session,
      agentId: agent,
      metadata: { clientId: viewer.clientId },
    });
    this.#learnSession(surfaceId(surface), sessionKey);
    const duplicate = outcome === 'duplicate' ? true : undefined;
    connection.send({ type: 'accepted', id, runId, sessionKey, duplicate });
  }

  async #call(viewer: Viewer, { id, method, params }: ClientFrame & { type: 'call' }): Promise<void> {
    const { connection, clientId } = viewer;
    const refuse = (code: string, message: string) =>
      connection.send({ type: 'result', id, ok: false, error: { code, message } });
    if (viewer.calls >= MOST_CALLS) return refuse('too_many_calls', 'Wait for the answers to earlier calls.');
    viewer.calls += 1;
    try {
      if (!this.#ports.call) throw new UnknownMethodError({ method, suggestion: undefined });
      const payload = (await this.#ports.call(method, params, { clientId })) ?? null;
      connection.send({ type: 'result', id, ok: true, payload });
    } catch (error) {
      if (isAtriumError(error)) refuse(error.code, error.message);
      else refuse('internal_error', 'Something unexpected happened. The log of the gateway has the details.');
    } finally {
      viewer.calls -= 1;
    }
  }

  #acknowledge(id: string, seq: number): void {
    remember(this.#acks, id, Math.max(seq, this.#acks.get(id) ?? 0));
  }

  #learnSession(id: string, sessionKey: string): void {
    remember(this.#sessions, id, sessionKey);
    for (const viewer of this.#viewers) {
      if (viewer.surfaceId === id) viewer.sessionKey = sessionKey;
    }
  }
}

const MOST_BUFFERED = 4 * 1024 * 1024;
const PARTS_A_READ = 50;
const REPLAY_PATIENCE_MS = 10_000;
const LAST_WORDS_MS = 1_000;
const MOST_REMEMBERED = 10_000;
const MOST_HELD_BACK = 1_000;
const MOST_CALLS = 16;
const TOO_SLOW = 'too slow: come back and catch up';

/** A client and where it looks. */
class Viewer {
  readonly clientId: string;
  readonly connection: SocketConnection;
  /** Calls that are not answered yet. */
  calls = 0;
  surface: Surface | undefined;
  surfaceId: string | undefined;
  /** What the client asked for, as opposed to the session that it turned out to watch. */
  session: string | undefined;
  agent: string | undefined;
  sessionKey: string | undefined;
  /** The number of the last part. They come in the order of their numbers, so one that is not higher was seen. */
  #shown = 0;
  /** While the past is told: parts, and ends of runs, that came meanwhile. */
  #heldBack: ServerFrame[] | undefined;

  constructor(clientId: string, connection: SocketConnection) {
    this.clientId = clientId;
    this.connection = connection;
  }

  begin(place: { surface: Surface; surfaceId: string; session: string | undefined; agent: string | undefined }): void {
    this.surface = place.surface;
    this.surfaceId = place.surfaceId;
    this.session = place.session;
    this.agent = place.agent;
    this.sessionKey = place.session;
    this.#shown = 0;
    this.#heldBack = [];
  }

  beginAfter(seq: number): void {
    this.#shown = seq;
  }

  showNow(frame: PartFrame): void {
    if (frame.seq <= this.#shown) return;
    this.#shown = frame.seq;
    this.connection.send(frame);
  }

  show(frame: PartFrame): void {
    if (!this.#heldBack) this.showNow(frame);
    else if (this.#heldBack.push(frame) > MOST_HELD_BACK) this.connection.end(1013, TOO_SLOW);
  }

  showLive(type: ServerFrame['type'], text: string): void {
    // What is held back of a running run is in its draft, which follows the past; only ends are not.
    if (!this.#heldBack) this.connection.sendText(text);
    else if (type === 'run-end' || type === 'approval-end') this.#heldBack.push(JSON.parse(text));
  }

  goLive(draft: readonly ServerFrame[]): void {
    const heldBack = this.#heldBack ?? [];
    this.#heldBack = undefined;
    for (const frame of heldBack) {
      if (frame.type === 'part') this.showNow(frame);
      else this.connection.send(frame);
    }
    for (const frame of draft) this.connection.send(frame);
  }
}

type PartFrame = ServerFrame & { readonly type: 'part' };

/** Keeps the latest, so that no client can fill the memory with names. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_REMEMBERED) map.delete(map.keys().next().value ?? '');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
