// What every channel must do, as tests against the channel and the platform behind it. The test file of an adapter
// makes both and calls this suite; it tests by itself what is special about its platform. A capability is tested when
// the channel declares it, and then the rig must be able to play the people's side of it.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AttachmentRef, Upload } from '../protocol/attachment.ts';
import { type Inbound, parentSurface, type Surface, surfaceId } from '../protocol/inbound.ts';
import type { InboundChange } from '../protocol/inbound-change.ts';
import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import { sha256Of } from '../protocol/sha256-of.ts';
import type { ChangeResult, Channel, ChannelPort, OutboundPart, ReceiveResult, SendOutcome } from './channel.ts';
import type { ActionOutcome } from './channel-capabilities.ts';

export interface RigFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A channel that is not open yet, and the platform that it talks to, which is real or simulated down to the wire. */
/** The gateway as a rig sees it. Clients of some channels upload a file before the message that names it. */
export interface RigPort extends ChannelPort {
  upload(file: RigFile): Promise<Upload>;
}

export interface ChannelRig {
  readonly channel: Channel;
  /** The place on the platform where `says` writes and `shown` reads. */
  readonly surface: Surface;
  /**
   * A person writes a message. Resolves with true when the platform was told "got it". The same event id means the same
   * event.
   */
  says(text: string, eventId: string): Promise<boolean>;
  /** A person writes a message with a file. Needed for attachments. */
  sends?(text: string, file: RigFile, eventId: string, port: RigPort): Promise<boolean>;
  /** Returns the files that people see there, in order. Needed for attachments. */
  filesShown?(port: ChannelPort): Promise<readonly RigFile[]>;
  /** Returns the texts that people see there, in order. */
  shown(): Promise<readonly string[]>;
  /** Set for a place that has no threads on a platform that has them, such as a direct conversation. */
  readonly hasNoThreads?: true | undefined;
  /** The same for another surface. Needed for threads. */
  shownAt?(surface: Surface): Promise<readonly string[]>;
  /** A person edits a message. Needed for edits; resolves as `says` does, like the three below. */
  edits?(messageId: string, text: string, eventId: string): Promise<boolean>;
  /** Needed for deletes, unless they are one-way. */
  deletes?(messageId: string, eventId: string): Promise<boolean>;
  /** Needed for reactions. */
  reacts?(messageId: string, emoji: string, eventId: string): Promise<boolean>;
  /** A person presses the button with this label. Needed for buttons. */
  presses?(messageId: string, label: string, eventId: string): Promise<boolean>;
  /** Returns the reactions of the channel's account to a message. Needed for reactions. */
  reactionsTo?(messageId: string): Promise<readonly string[]>;
  /** Returns whether people see that somebody is typing there. Needed for typing. */
  typingShown?(): Promise<boolean>;
  /** Called after the channel was opened, so that people can connect. */
  ready?(): Promise<void>;
  /** Called after the channel was closed. */
  remove(): Promise<void>;
}

export function describeChannel(name: string, make: () => Promise<ChannelRig>): void {
  describe(`the channel contract: ${name}`, () => {
    let rig: ChannelRig;
    let port: RecordingPort;
    const signal = new AbortController().signal;

    beforeEach(async () => {
      rig = await make();
      port = new RecordingPort();
      await rig.channel.open(port);
      await rig.ready?.();
    });

    afterEach(async () => {
      await rig.channel.close();
      await rig.remove();
    });

    it('says who it is and what it promises', () => {
      expect(rig.channel.id).toBe(rig.surface.channel);
      expect(rig.channel.maxTextLength).toBeGreaterThan(1);
      expect(['exactly-once', 'at-least-once', 'at-most-once']).toContain(rig.channel.guarantee.level);
      expect(rig.channel.guarantee.because).not.toBe('');
    });

    it('shows what it says is sent, in order', async () => {
      for (const part of [1, 2, 3]) {
        const outcome = await rig.channel.send(partNumber(part), signal);
        expect(outcome.outcome).toBe('sent');
      }
      expect(await rig.shown()).toEqual(['part 1', 'part 2', 'part 3']);
    });

    it('takes the longest text that it allows', async () => {
      const text = 'x'.repeat(Math.min(rig.channel.maxTextLength, 200_000));
      expect(await rig.channel.send({ ...partNumber(1), text }, signal)).toMatchObject({ outcome: 'sent' });
      expect(await rig.shown()).toEqual([text]);
    });

    it('shows a part once however often it is sent, if that is its promise', async () => {
      await rig.channel.send(partNumber(1), signal);
      const again = await rig.channel.send({ ...partNumber(1), attempt: 2 }, signal);
      if (rig.channel.guarantee.level !== 'exactly-once') return;
      expect(again.outcome).toBe('sent');
      expect(await rig.shown()).toEqual(['part 1']);
    });

    it('finds what has arrived and nothing else, if it can look', async () => {
      await rig.channel.send(partNumber(1), signal);
      if (!rig.channel.find) return;
      expect(await rig.channel.find(partNumber(1), signal)).toBeDefined();
      expect(await rig.channel.find(partNumber(2), signal)).toBeUndefined();
    });

    it('answers with a value when it cannot send', async () => {
      const elsewhere = { ...partNumber(1), surface: { ...rig.surface, channel: 'another-channel' } };
      expect(await rig.channel.send(elsewhere, signal)).toMatchObject({
        outcome: 'failed',
        reason: expect.stringMatching(/./),
      });
      expect(['sent', 'retry', 'failed']).toContain(
        (await rig.channel.send(partNumber(1), AbortSignal.abort())).outcome,
      );
      await rig.channel.close();
      expect(['retry', 'failed']).toContain((await rig.channel.send(partNumber(2), signal)).outcome);
    });

    it('hands over what people say, with the place and the event that it came from', async () => {
      expect(await rig.says('hello', 'e1')).toBe(true);
      expect(await rig.says('more', 'e2')).toBe(true);
      const [first, second] = port.received;
      expect(first).toMatchObject({ text: 'hello', surface: rig.surface });
      expect(surfaceId(first?.surface ?? rig.surface)).toBe(surfaceId(rig.surface));
      expect(second?.text).toBe('more');
      expect(nameOf(first)).toBeDefined();
      expect(nameOf(first)).not.toBe(nameOf(second));
    });

    it('says "got it" only when the message is safe', async () => {
      const safe = port.holdNext();
      let told = false;
      const said = rig.says('hello', 'e1').then((answer) => {
        told = true;
        return answer;
      });
      await port.reached;
      expect(told).toBe(false);
      safe();
      expect(await said).toBe(true);
    });

    it('lets the platform send again what could not be taken', async () => {
      port.refuseNext();
      expect(await rig.says('hello', 'e1')).toBe(false);
      expect(await rig.says('hello', 'e1')).toBe(true);
      expect(port.received.map(({ text }) => text)).toEqual(['hello', 'hello']);
      expect(nameOf(port.received[0])).toBe(nameOf(port.received[1]));
    });

    it('opens a thread once under a key, and talks in it, if it has threads', async () => {
      const { threads } = rig.channel;
      if (!threads) return;
      const shownAt = needed(rig.shownAt, 'shownAt');
      const place = parentSurface(rig.surface) ?? rig.surface;
      const request = { surface: place, name: 'A matter', key: 'run_1:call_1' };
      if (rig.hasNoThreads) {
        expect(await threads.create(request, signal)).toMatchObject({ outcome: 'failed' });
        return;
      }
      const thread = doneWith(await threads.create(request, signal));
      expect(thread.threadId).toMatch(/./);
      expect(parentSurface(thread)).toEqual(place);
      expect(doneWith(await threads.create(request, signal))).toEqual(thread);
      expect(doneWith(await threads.create({ ...request, key: 'run_1:call_2' }, signal))).not.toEqual(thread);
      await rig.channel.send({ ...partNumber(1), surface: thread }, signal);
      expect(await shownAt.call(rig, thread)).toEqual(['part 1']);
      expect(await shownAt.call(rig, place)).toEqual([]);
      const within = await threads.create({ ...request, surface: thread, key: 'run_1:call_3' }, signal);
      expect(within).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(/./) });
    });

    it('reacts, and hands over the reactions of people, if it has reactions', async () => {
      const { reactions } = rig.channel;
      if (!reactions) return;
      const reactionsTo = needed(rig.reactionsTo, 'reactionsTo');
      const messageId = await sentMessage();
      const reaction = { surface: rig.surface, messageId, emoji: '👍' };
      for (const _ of ['once', 'again']) doneWith(await reactions.react(reaction, signal));
      expect(await reactionsTo.call(rig, messageId)).toEqual(['👍']);
      for (const _ of ['once', 'again']) doneWith(await reactions.react({ ...reaction, isRemoved: true }, signal));
      expect(await reactionsTo.call(rig, messageId)).toEqual([]);
      await expectFailure(reactions.react({ ...reaction, messageId: 'unknown' }, signal));
      expect(await needed(rig.reacts, 'reacts').call(rig, messageId, '🎉', 'e9')).toBe(true);
      expect(port.changes).toMatchObject([{ kind: 'reaction', messageId, emoji: '🎉', surface: rig.surface }]);
    });

    it('edits its messages, and hands over the edits of people, if it has edits', async () => {
      const { edits } = rig.channel;
      if (!edits) return;
      const messageId = await sentMessage();
      const edit = { surface: rig.surface, messageId, text: 'better' };
      for (const _ of ['once', 'again']) doneWith(await edits.edit(edit, signal));
      expect(await rig.shown()).toEqual(['better']);
      await expectFailure(edits.edit({ ...edit, messageId: 'unknown' }, signal));
      const written = await writtenMessage();
      expect(await needed(rig.edits, 'edits').call(rig, written, 'hello again', 'e9')).toBe(true);
      expect(port.changes).toMatchObject([
        { kind: 'edit', messageId: written, text: 'hello again', surface: rig.surface },
      ]);
      expect(port.changes[0]?.sender.id).toMatch(/./);
    });

    it('deletes messages, and hands over the deletions of people, if it has deletes', async () => {
      const { deletes } = rig.channel;
      if (!deletes) return;
      const messageId = await sentMessage();
      for (const _ of ['once', 'again']) doneWith(await deletes.delete({ surface: rig.surface, messageId }, signal));
      expect(await rig.shown()).toEqual([]);
      if (deletes.isOneWay) return;
      const written = await writtenMessage();
      expect(await needed(rig.deletes, 'deletes').call(rig, written, 'e9')).toBe(true);
      expect(port.changes).toMatchObject([{ kind: 'delete', messageId: written, surface: rig.surface }]);
    });

    it('lets the platform repeat a change that could not be taken', async () => {
      if (!rig.channel.edits || !rig.edits) return;
      const written = await writtenMessage();
      port.refuseNext();
      expect(await rig.edits(written, 'better', 'e9')).toBe(false);
      expect(await rig.edits(written, 'better', 'e9')).toBe(true);
      expect(port.changes.map(({ eventId }) => eventId)).toEqual([port.changes[0]?.eventId, port.changes[0]?.eventId]);
    });

    it('keeps the files of people and shows the files of a part, if it has attachments', async () => {
      if (!rig.channel.attachments) return;
      expect(rig.channel.attachments.maxBytes).toBeGreaterThan(0);
      const file = { name: 'notes.bin', bytes: Buffer.from([1, 2, 3, 255]) };
      expect(await needed(rig.sends, 'sends').call(rig, 'look', file, 'e9', port)).toBe(true);
      const [ref] = port.received[0]?.attachments ?? [];
      expect(port.received).toMatchObject([{ text: 'look', attachments: [{ name: 'notes.bin', size: 4 }] }]);
      expect(await port.readAttachment(ref?.hash ?? '')).toEqual(file.bytes);
      const sent = await port.keep({ name: 'answer.bin', bytes: Buffer.from([7, 8]) });
      expect(await rig.channel.send({ ...partNumber(1), attachments: [sent] }, signal)).toMatchObject({
        outcome: 'sent',
      });
      expect(await rig.shown()).toEqual(['part 1']);
      expect(await needed(rig.filesShown, 'filesShown').call(rig, port)).toEqual([
        { name: 'answer.bin', bytes: Buffer.from([7, 8]) },
      ]);
    });

    it('shows buttons, and a press is what the person would have typed, if it has buttons', async () => {
      if (!rig.channel.buttons) return;
      expect(rig.channel.buttons.maxButtons).toBeGreaterThan(1);
      const buttons = [
        { label: 'Yes', value: '/approve a1 allow-once' },
        { label: 'No', value: '/approve a1 deny' },
      ];
      const messageId = messageIdOf(await rig.channel.send({ ...partNumber(1), buttons }, signal));
      expect(await rig.shown()).toEqual(['part 1']);
      expect(await needed(rig.presses, 'presses').call(rig, messageId, 'No', 'e9')).toBe(true);
      expect(port.received).toMatchObject([{ text: '/approve a1 deny', surface: rig.surface }]);
      expect(port.received[0]?.sender.id).toMatch(/./);
      expect(nameOf(port.received[0])).toBeDefined();
    });

    it('shows that somebody is typing, if it can', async () => {
      if (!rig.channel.typing) return;
      expect(rig.channel.typing.everyMs).toBeGreaterThan(0);
      rig.channel.typing.show(rig.surface);
      expect(await needed(rig.typingShown, 'typingShown').call(rig)).toBe(true);
    });

    it('reads what was said, oldest first, if it has history', async () => {
      const { history } = rig.channel;
      if (!history) return;
      const written = await writtenMessage();
      const messageId = await sentMessage();
      const read = { surface: rig.surface, limit: 10 };
      expect(doneWith(await history.readHistory(read, signal))).toMatchObject([
        { messageId: written, text: 'hello', sender: { id: port.received[0]?.sender.id } },
        { messageId, text: 'part 1', isOwn: true },
      ]);
      expect(doneWith(await history.readHistory({ ...read, limit: 1 }, signal))).toMatchObject([{ messageId }]);
      const earlier = doneWith(await history.readHistory({ ...read, before: messageId }, signal));
      expect(earlier.map((message) => message.messageId)).toEqual([written]);
    });

    it('lists the peers that it could write to, if it has a directory', async () => {
      const { directory } = rig.channel;
      if (!directory) return;
      const { accountId, peer } = rig.surface;
      await writtenMessage();
      const all = doneWith(await directory.listPeers({ accountId, limit: 100 }, signal));
      expect(all.map((entry) => entry.peer)).toContainEqual(peer);
      const found = doneWith(await directory.listPeers({ accountId, query: peer.id, limit: 1 }, signal));
      expect(found).toMatchObject([{ peer }]);
      expect(doneWith(await directory.listPeers({ accountId, query: 'no such name', limit: 5 }, signal))).toEqual([]);
    });

    it('says how its accounts are, if it has accounts', async () => {
      if (!rig.channel.accounts) return;
      const { accounts } = rig.channel;
      const connected = expect.objectContaining({ accountId: rig.surface.accountId, state: 'connected' });
      // A channel opens without waiting for its connection.
      await vi.waitFor(() => expect(accounts.list()).toContainEqual(connected), { timeout: 30_000 });
      await rig.channel.close();
      expect(rig.channel.accounts.list().map(({ state }) => state)).not.toContain('connected');
    });

    it('shows a draft as one message, which the sent part replaces, if it has drafts', async () => {
      const { drafts } = rig.channel;
      if (!drafts) return;
      expect(drafts.everyMs).toBeGreaterThan(0);
      const draft = { surface: rig.surface, runId: 'run_1' };
      const handle = doneWith(await drafts.show({ ...draft, text: 'hel' }, signal));
      if (drafts.find) expect(doneWith(await drafts.find(draft, signal))).toEqual(handle);
      const same = doneWith(await drafts.show({ ...draft, text: 'hello', handle }, signal));
      expect(await rig.shown()).toEqual(['hello']);
      for (const attempt of [1, 2]) {
        const sent = await rig.channel.send({ ...partNumber(1), replaces: same, attempt }, signal);
        expect(sent.outcome).toBe('sent');
      }
      await rig.channel.send(partNumber(2), signal);
      expect(await rig.shown()).toEqual(['part 1', 'part 2']);
    });

    it('withdraws a draft, and shows a part whose draft is gone, if it has drafts', async () => {
      const { drafts } = rig.channel;
      if (!drafts) return;
      const draft = { surface: rig.surface, runId: 'run_1' };
      const handle = doneWith(await drafts.show({ ...draft, text: 'hel' }, signal));
      for (const _ of ['once', 'again']) doneWith(await drafts.withdraw({ surface: rig.surface, handle }, signal));
      expect(await rig.shown()).toEqual([]);
      await rig.channel.send({ ...partNumber(1), replaces: handle }, signal);
      expect(await rig.shown()).toEqual(['part 1']);
      const another = doneWith(await drafts.show({ ...draft, runId: 'run_2', text: 'good', handle }, signal));
      expect(another).not.toEqual(handle);
    });

    it('answers with a value when an action cannot be done', async () => {
      await rig.channel.close();
      const message = { surface: rig.surface, messageId: 'm1' };
      const { threads, reactions, edits, deletes, history, directory, drafts } = rig.channel;
      const { accountId } = rig.surface;
      const outcomes = await Promise.all([
        threads?.create({ surface: rig.surface, name: 'A matter', key: 'k' }, signal),
        reactions?.react({ ...message, emoji: '👍' }, signal),
        edits?.edit({ ...message, text: 'better' }, signal),
        deletes?.delete(message, signal),
        history?.readHistory({ surface: rig.surface, limit: 1 }, signal),
        directory?.listPeers({ accountId, limit: 1 }, signal),
        drafts?.show({ surface: rig.surface, runId: 'run_1', text: 'hel' }, signal),
        drafts?.find?.({ surface: rig.surface, runId: 'run_1' }, signal),
      ]);
      rig.channel.typing?.show(rig.surface);
      for (const each of outcomes) if (each) expect(['failed', 'retry']).toContain(each.outcome);
    });

    it('receives nothing after it was closed, and can be closed twice', async () => {
      await rig.channel.close();
      await rig.channel.close();
      expect(await rig.says('too late', 'e1')).toBe(false);
      expect(port.received).toEqual([]);
    });

    function partNumber(part: number): OutboundPart {
      const text = `part ${part}`;
      return {
        key: `run_1:${part}`,
        seq: part,
        runId: 'run_1',
        part,
        surface: rig.surface,
        text,
        options: {},
        attempt: 1,
      };
    }

    /** Sends a part, and gives the platform's id of it. */
    async function sentMessage(): Promise<string> {
      return messageIdOf(await rig.channel.send(partNumber(1), signal));
    }

    /** A person writes a message, and the platform's id of it is given. */
    async function writtenMessage(): Promise<string> {
      await rig.says('hello', 'e1');
      const { messageId } = port.received.at(-1) ?? {};
      expect(messageId, 'a channel with this capability names each message by its id').toBeDefined();
      return messageId ?? '';
    }
  });
}

/** The rig of a channel that declares a capability can play the people's side of it. */
function needed<Member>(member: Member | undefined, name: string): Member {
  if (member === undefined) throw new Error(`The channel declares a capability for which its rig has no "${name}".`);
  return member;
}

function doneWith<Value>(outcome: ActionOutcome<Value>): Value {
  if (outcome.outcome !== 'done') throw new Error(`It was not done: ${outcome.reason}`);
  return outcome.value;
}

async function expectFailure(action: Promise<ActionOutcome>): Promise<void> {
  expect(await action).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(/./) });
}

function messageIdOf(outcome: SendOutcome): string {
  const receipt: JsonValue = outcome.outcome === 'sent' ? outcome.receipt : null;
  const messageId = isJsonObject(receipt) ? receipt.messageId : undefined;
  expect(messageId, 'a channel with this capability names each message in its receipt').toEqual(expect.any(String));
  return String(messageId);
}

function nameOf(inbound: Inbound | undefined): string | undefined {
  return inbound?.eventId ?? inbound?.messageId;
}

/** Plays the gateway: it keeps what it is given, and can be slow or refuse. */
class RecordingPort implements RigPort {
  readonly received: Inbound[] = [];
  readonly changes: InboundChange[] = [];
  /** The files by their hash. */
  readonly files = new Map<string, Uint8Array>();
  /** Resolves when a message has reached the port. */
  readonly reached: Promise<void>;
  readonly #uploads = new Map<string, Upload>();
  #reach: () => void = () => {};
  #hold: Promise<void> | undefined;
  #refuse = false;

  constructor() {
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
  }

  async receive(inbound: Inbound): Promise<ReceiveResult> {
    this.received.push(inbound);
    this.#reach();
    await this.#hold;
    this.#answer();
    return { outcome: 'accepted', runId: `run_${this.received.length}`, sessionKey: 'agent:main:main' };
  }

  async receiveChange(change: InboundChange): Promise<ChangeResult> {
    this.changes.push(change);
    this.#answer();
    return { outcome: 'noted' };
  }

  async keep({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }): Promise<AttachmentRef> {
    const hash = sha256Of(bytes);
    this.files.set(hash, bytes);
    return { hash, name, mime: 'application/octet-stream', size: bytes.length };
  }

  async upload(file: { readonly name: string; readonly bytes: Uint8Array }): Promise<Upload> {
    const upload = { id: `upload-${this.#uploads.size + 1}`, ...(await this.keep(file)) };
    this.#uploads.set(upload.id, upload);
    return upload;
  }

  async findUpload(id: string): Promise<AttachmentRef> {
    const upload = this.#uploads.get(id);
    if (!upload) throw new Error(`there is no upload ${id}`);
    const { id: _, ...ref } = upload;
    return ref;
  }

  async readAttachment(hash: string): Promise<Uint8Array | undefined> {
    return this.files.get(hash);
  }

  holdNext(): () => void {
    let release = () => {};
    this.#hold = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  refuseNext(): void {
    this.#refuse = true;
  }

  #answer(): void {
    if (!this.#refuse) return;
    this.#refuse = false;
    throw new Error('the store is full');
  }
}
