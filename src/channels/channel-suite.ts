// What every channel must do, as tests against the channel and the platform behind it. The test file of an adapter
// makes both and calls this suite; it tests by itself what is special about its platform.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Inbound, type Surface, surfaceId } from '../protocol/inbound.ts';
import type { Channel, ChannelPort, OutboundPart, ReceiveResult } from './channel.ts';

/** A channel that is not open yet, and the platform that it talks to, which is real or simulated down to the wire. */
export interface ChannelRig {
  readonly channel: Channel;
  /** The place on the platform where `says` writes and `shown` reads. */
  readonly surface: Surface;
  /**
   * A person writes a message. Resolves with true when the platform was told "got it". The same event id means the same
   * event.
   */
  says(text: string, eventId: string): Promise<boolean>;
  /** Returns the texts that people see there, in order. */
  shown(): Promise<readonly string[]>;
  /** Returns the draft that people see there. Only channels that show drafts have it. */
  draftShown?(): Promise<string | undefined>;
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

    it('replaces a draft by what is sent, if it shows drafts', async () => {
      if (!rig.channel.draft || !rig.draftShown) return;
      rig.channel.draft(rig.surface, { runId: 'run_1', attempt: 1, text: 'hel' });
      rig.channel.draft(rig.surface, { runId: 'run_1', attempt: 1, text: 'hello' });
      expect(await rig.draftShown()).toBe('hello');
      rig.channel.draft(rig.surface, { runId: 'run_1', attempt: 2, text: 'good' });
      expect(await rig.draftShown()).toBe('good');
      await rig.channel.send(partNumber(1), signal);
      expect(await rig.draftShown()).toBeUndefined();
      expect(await rig.shown()).toEqual(['part 1']);
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
  });
}

function nameOf(inbound: Inbound | undefined): string | undefined {
  return inbound?.eventId ?? inbound?.messageId;
}

/** Plays the gateway: it keeps what it is given, and can be slow or refuse. */
class RecordingPort implements ChannelPort {
  readonly received: Inbound[] = [];
  /** Resolves when a message has reached the port. */
  readonly reached: Promise<void>;
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
    if (this.#refuse) {
      this.#refuse = false;
      throw new Error('the store is full');
    }
    return { outcome: 'accepted', runId: `run_${this.received.length}`, sessionKey: 'agent:main:main' };
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
}
