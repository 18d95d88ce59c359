// The channel for every client that talks over a WebSocket: browser tabs and terminals. A surface is a name that the
// client keeps; several clients may show the same surface. The outbox is the surface's mailbox: a part counts as sent
// when it is in the outbox. Connected clients receive it at once, and clients that reconnect ask for what they missed.
// This file does not contain the server that accepts sockets, and it does not know which clients may connect.
//
// Where several nodes share the mailbox, a part may be written on one node while its client is connected to another, and parts
// of one surface may come from two nodes at once. There a client is shown everything behind the last part that it
// was shown, read from the mailbox, whenever somebody says that there is more, and from time to time.
//
// Errors: what a client does wrong is told to that client. A message that cannot be taken is refused with an `error`
// frame that names it, and the client may send it again under the same id.

import { isAtriumError } from '../protocol/errors.ts';
import { type Surface, surfaceId } from '../protocol/inbound.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { LiveEvent } from '../protocol/live-event.ts';
import type { Channel, ChannelPort, DeliveryGuarantee, OutboundPart, SendOutcome } from './channel.ts';
import type { Attachments } from './channel-capabilities.ts';
import type { ClientFrame } from './client-frame.ts';
import { ChannelClosedError, HelloMissingError, UnknownMethodError } from './errors.ts';
import { LiveDrafts } from './live-drafts.ts';
import type { Mailbox, MailboxPart } from './mailbox.ts';
import { LARGEST_FRAME } from './parse-client-frame.ts';
import { liveFrameOf, type ServerFrame, sessionNewsOf, type WatchFrame } from './server-frame.ts';
import { SocketConnection, type WebSocketLike } from './socket-connection.ts';

/** What the gateway hands to every socket channel. */
export interface SocketChannelPorts {
  readonly mailbox: Mailbox;
  /** Ends the active run of this session, if there is one. */
  readonly stop: (sessionKey: string) => void;
  /** Calls a method by name. Without this function there are no methods. */
  readonly call?:
    | ((method: string, params: JsonObject, caller: SocketClient) => Promise<JsonValue | undefined>)
    | undefined;
  /**
   * The session of a message from this place that asks for a session or an agent. Throws an AtriumError for names that
   * a message would be refused with. Without this function the name of the session is taken for its key.
   */
  readonly sessionKeyOf?:
    | ((place: {
        readonly surface: Surface;
        readonly session?: string | undefined;
        readonly agent?: string | undefined;
      }) => string)
    | undefined;
  readonly now: () => number;
  /** How many bytes may wait for one client to read them. The default is 4 MiB. */
  readonly maxBufferedBytes?: number | undefined;
  /** Set where other nodes write into the same mailbox: how often it is looked at, even if no node says that there is more. */
  readonly lookEveryMs?: number | undefined;
}

/** What makes one socket channel differ from another. */
export interface SocketChannelKind {
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  readonly maxTextLength: number;
  /** Set when the clients show files, whose bytes they fetch themselves. */
  readonly attachments?: Attachments | undefined;
  /** The surface of a client that names none. */
  readonly defaultSurface: () => string;
  /** The name under which every client shows a session, where they share one. */
  readonly sharedSurface?: ((sessionKey: string) => string) | undefined;
}

export interface SocketClient {
  /** Identifies the connection in the messages that it sends. */
  readonly clientId: string;
}

export class SocketChannel implements Channel {
  readonly id: string;
  readonly guarantee: DeliveryGuarantee;
  readonly maxTextLength: number;
  readonly attachments?: Attachments | undefined;
  readonly #kind: SocketChannelKind;
  readonly #ports: SocketChannelPorts;
  readonly #viewers = new Set<Viewer>();
  readonly #drafts = new LiveDrafts();
  /** The session that a surface last talked to, so that a client that reconnects sees its run continue. */
  readonly #sessions = new Map<string, string>();
  /** The last part that clients of a surface have acknowledged. */
  readonly #acks = new Map<string, number>();
  #port: ChannelPort | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(kind: SocketChannelKind, ports: SocketChannelPorts) {
    this.id = kind.id;
    this.guarantee = kind.guarantee;
    this.maxTextLength = kind.maxTextLength;
    this.attachments = kind.attachments;
    this.#kind = kind;
    this.#ports = ports;
  }

  async open(port: ChannelPort): Promise<void> {
    this.#port = port;
    const { lookEveryMs } = this.#ports;
    if (lookEveryMs === undefined) return;
    this.#looking = setInterval(() => void this.#lookAtAll().catch(() => {}), lookEveryMs);
    this.#looking.unref();
  }

  async send(part: OutboundPart): Promise<SendOutcome> {
    const { surface, seq, runId, part: number, text, attachments } = part;
    if (surface.channel !== this.id) return { outcome: 'failed', reason: `this is ${this.id}, not ${surface.channel}` };
    if (!this.#port) return { outcome: 'retry', reason: `the channel ${this.id} is closed` };
    const id = surfaceId(surface);
    if (this.#isShared) this.arrived([id]);
    else
      for (const viewer of this.#viewers) {
        if (viewer.surfaceId === id) viewer.show({ type: 'part', seq, runId, part: number, text, attachments });
      }
    return { outcome: 'sent', receipt: { mailbox: seq } };
  }

  /** There are new parts for these surfaces in a mailbox that other nodes write into, too. */
  arrived(surfaceIds: readonly string[]): void {
    const ids = new Set(surfaceIds);
    for (const viewer of this.#viewers) if (viewer.surfaceId && ids.has(viewer.surfaceId)) this.#showMissed(viewer);
  }

  /** Takes over the socket of a client that is allowed to talk to this gateway. */
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

  /** Shows an event of a session to every client that watches the session. */
  watch(event: LiveEvent): void {
    const news = sessionNewsOf(event);
    if (news) this.tellWatchers(news);
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

  /** Whether a client watches the gateway. */
  get isWatched(): boolean {
    for (const viewer of this.#viewers) if (viewer.isWatching) return true;
    return false;
  }

  /** Shows something about the gateway to every client that watches it. */
  tellWatchers(frame: WatchFrame): void {
    let text: string | undefined;
    for (const viewer of this.#viewers) {
      if (!viewer.isWatching) continue;
      text ??= JSON.stringify(frame);
      viewer.connection.sendText(text);
    }
  }

  /** How many clients are connected. */
  get clients(): number {
    return this.#viewers.size;
  }

  async close(): Promise<void> {
    this.#port = undefined;
    clearInterval(this.#looking);
    const viewers = [...this.#viewers];
    // Messages that are being accepted are still confirmed, so that no client sends them again without need.
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
        // This is not awaited, because a slow method must not delay the client's next frames.
        void this.#call(viewer, frame);
        return;
      case 'watch':
        viewer.isWatching = true;
        viewer.connection.send({ type: 'watching' });
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
    // From here on the viewer receives every part of the surface; parts are only held back until the earlier ones are
    // sent.
    const { session, agent } = hello;
    viewer.begin({
      surface,
      surfaceId: id,
      session,
      agent,
      sessionKey: this.#sessionKeyOf({ surface, session, agent }),
    });
    try {
      await this.#catchUp(viewer, id, name, hello.after);
    } catch (error) {
      // A client that stayed connected would hold parts back for ever. A client that reconnects asks again.
      viewer.connection.end(1011, 'what was said before cannot be read now: come back');
      throw error;
    }
  }

  /** A name that makes no sense is refused with the first message. */
  #sessionKeyOf(place: {
    surface: Surface;
    session: string | undefined;
    agent: string | undefined;
  }): string | undefined {
    const { sessionKeyOf } = this.#ports;
    if (!sessionKeyOf) return place.session;
    try {
      return sessionKeyOf(place);
    } catch (error) {
      if (isAtriumError(error)) return place.session;
      throw error;
    }
  }

  async #catchUp(viewer: Viewer, id: string, name: string, after: number | undefined): Promise<void> {
    const last = await this.#ports.mailbox.last(id);
    viewer.sessionKey ??= this.#sessions.get(id) ?? last?.sessionKey;
    const { sessionKey, connection } = viewer;
    const end = last?.seq ?? 0;
    const acked = this.#acks.get(id);
    const pageSurface = sessionKey === undefined ? undefined : this.#kind.sharedSurface?.(sessionKey);
    const place = { surface: name, sessionKey, pageSurface };
    connection.send({ type: 'ready', ...place, last: end, acked, largestFrame: LARGEST_FRAME });
    // A client may remember a higher number than the last one, when the gateway has got a new store.
    if (after !== undefined) await this.#replay(viewer, id, Math.min(after, end));
    else if (this.#isShared) viewer.beginAfter(end);
    viewer.goLive(viewer.sessionKey === undefined ? [] : this.#drafts.replay(viewer.sessionKey));
    if (this.#isShared) this.#showMissed(viewer);
  }

  get #isShared(): boolean {
    return this.#ports.lookEveryMs !== undefined;
  }

  /** A client that cannot be shown its parts now comes back and asks for them. */
  #showMissed(viewer: Viewer): void {
    const read = (id: string, after: number) => this.#ports.mailbox.history(id, after, PARTS_A_READ);
    viewer.showMissed(read).catch(() => viewer.connection.end(1011, 'the mailbox cannot be read now: come back'));
  }

  /** Looks for parts of which no node has told. */
  async #lookAtAll(): Promise<void> {
    const lowest = new Map<string, number>();
    for (const { surfaceId: id, shown } of this.#viewers) {
      if (id !== undefined && shown !== undefined) lowest.set(id, Math.min(shown, lowest.get(id) ?? shown));
    }
    if (lowest.size === 0) return;
    const places = [...lowest].map(([id, after]) => ({ surfaceId: id, after }));
    this.arrived(await this.#ports.mailbox.withMore(places));
  }

  async #replay(viewer: Viewer, id: string, after: number): Promise<void> {
    viewer.beginAfter(after);
    for (let from = after; ; ) {
      const parts = await this.#ports.mailbox.history(id, from, PARTS_A_READ);
      for (const { seq, runId, part, text, attachments } of parts) {
        // Old parts are sent no faster than the client reads them.
        if (!(await viewer.connection.caughtUp(REPLAY_PATIENCE_MS))) return viewer.connection.end(1013, TOO_SLOW);
        viewer.showNow({ type: 'part', seq, runId, part, text, attachments });
        from = seq;
      }
      if (parts.length < PARTS_A_READ) return;
    }
  }

  async #receive(viewer: Viewer, frame: ClientFrame & { type: 'message' }): Promise<void> {
    const { id, text, attachments: named = [], model, metadata } = frame;
    const { connection, surface, session, agent } = viewer;
    if (!surface) throw new HelloMissingError();
    if (!this.#port) throw new ChannelClosedError({ channel: this.id });
    const name = surface.peer.id;
    const port = this.#port;
    const attachments = await Promise.all(named.map(({ id: upload }) => port.findUpload(upload)));
    const { outcome, runId, sessionKey } = await port.receive({
      surface,
      sender: { id: name },
      text,
      ...(attachments.length > 0 && { attachments }),
      at: this.#ports.now(),
      // Two clients may choose the same id. Two tabs on one surface that do so mean the same message.
      eventId: `${name}:${id}`,
      messageId: id,
      sessionKey: session,
      agentId: agent,
      ...(model !== undefined && { wishes: { model, fallbacks: [] } }),
      metadata: { ...metadata, clientId: viewer.clientId },
    });
    this.#learnSession(surfaceId(surface), sessionKey);
    // Clients that asked for the same watch the same; one that named another session stays there.
    for (const each of this.#viewers) {
      if (each.surfaceId === viewer.surfaceId && each.session === session && each.agent === agent)
        each.sessionKey = sessionKey;
    }
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
      if (viewer.surfaceId === id) viewer.sessionKey ??= sessionKey;
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

/** One client, and the surface and session that it shows. */
class Viewer {
  readonly clientId: string;
  readonly connection: SocketConnection;
  /** The number of calls that are not answered yet. */
  calls = 0;
  /** Whether the client wants to be told what changes in the gateway. */
  isWatching = false;
  surface: Surface | undefined;
  surfaceId: string | undefined;
  /** The session that the client asked for. The session that it really watches may be another one. */
  session: string | undefined;
  agent: string | undefined;
  sessionKey: string | undefined;
  /**
   * The number of the last part that was shown. Parts come in the order of their numbers, so a part whose number is not
   * higher was shown before.
   */
  #shown = 0;
  /** While earlier parts are sent, this holds the parts and the ends of runs that came in the meantime. */
  #heldBack: ServerFrame[] | undefined;
  #isLooking = false;
  #mustLook = false;

  constructor(clientId: string, connection: SocketConnection) {
    this.clientId = clientId;
    this.connection = connection;
  }

  begin(place: Pick<Viewer, 'session' | 'agent' | 'sessionKey'> & { surface: Surface; surfaceId: string }): void {
    this.surface = place.surface;
    this.surfaceId = place.surfaceId;
    this.session = place.session;
    this.agent = place.agent;
    this.sessionKey = place.sessionKey;
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
    // The events of a running run are also in its draft, which is sent after the earlier parts. Only its end is not.
    if (!this.#heldBack) this.connection.sendText(text);
    else if (type === 'run-end' || type === 'approval-end') this.#heldBack.push(JSON.parse(text));
  }

  /** The number of the last part that was shown; undefined while the past is being told. */
  get shown(): number | undefined {
    return this.#heldBack || this.surfaceId === undefined ? undefined : this.#shown;
  }

  /** Shows every part behind the last one, as `read` gives them. One look at a time; another one is made after it. */
  async showMissed(read: (surfaceId: string, after: number) => Promise<readonly MailboxPart[]>): Promise<void> {
    this.#mustLook = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (this.#mustLook && !this.#heldBack && this.surfaceId !== undefined) {
        this.#mustLook = false;
        const id = this.surfaceId;
        const parts = await read(id, this.#shown);
        // The client may have moved elsewhere meanwhile, and then it is told the past there first.
        if (this.surfaceId !== id || this.#heldBack) return;
        for (const { seq, runId, part, text, attachments } of parts)
          this.showNow({ type: 'part', seq, runId, part, text, attachments });
        this.#mustLook ||= parts.length === PARTS_A_READ;
      }
    } finally {
      this.#isLooking = false;
    }
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

/** Keeps only the latest entries, so that no client can fill the memory with names. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_REMEMBERED) map.delete(map.keys().next().value ?? '');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
