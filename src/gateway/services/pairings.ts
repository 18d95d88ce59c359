// The people on chat platforms whom the operator lets talk to the agent, and those who asked. A person who is not known is
// told a code, a few times at most; the operator approves the code, and the person is told so where they asked.
//
// Errors: `approve` and `revoke` reject with UnknownPairingError, and then nothing has changed.
// Rules: a request and the message with its code are one commit, and so are an approval and its message, so a crash
// neither loses such a message nor sends it twice. Of the message that led to a request nothing is kept.

import type { DeliveryPort } from '../../agent/run-parts.ts';
import { hookContextOf } from '../../hooks/hook-context-of.ts';
import { rootTrace } from '../../hooks/hook-trace.ts';
import { dedupeKeyOf, type Inbound, type Surface } from '../../protocol/inbound.ts';
import { newId, newPairingCode } from '../../protocol/new-id.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import type { Store, Where, Write } from '../../store/store.ts';
import type { PairingRow } from '../../store/tables.ts';
import { UnknownPairingError } from '../errors.ts';

export interface PairingsParts {
  readonly store: Store;
  readonly delivery: DeliveryPort;
  /** The session that a message of the person would go to. Hooks that see outgoing messages are told it. */
  readonly route: (inbound: Inbound) => { readonly agentId: string; readonly sessionKey: string };
  /** Called when something about the list has changed. */
  readonly changed?: (() => void) | undefined;
  readonly now: () => number;
}

/** How long a code is valid. */
const VALID_MS = 60 * 60_000;
/** How often one person is told their code while it is valid. */
const MOST_TOLD = 3;
/** How many people may wait on one account of a channel. */
const MOST_WAITING = 3;
const LONGEST_NAME = 100;
const LONGEST_ID = 100;

export type PersonOnChannel = Pick<PairingRow, 'channel' | 'accountId' | 'senderId'>;

export class Pairings {
  readonly #parts: PairingsParts;
  /** Settles with the last request. Requests are made one after the other, so that their number is never exceeded. */
  #asking: Promise<unknown> = Promise.resolve();

  constructor(parts: PairingsParts) {
    this.#parts = parts;
  }

  async isPaired(person: PersonOnChannel): Promise<boolean> {
    const { channel, accountId, senderId } = person;
    return (await this.#parts.store.count('pairings', { channel, accountId, senderId, status: 'approved' })) > 0;
  }

  /**
   * A person who is not known wrote a direct message. `told`: they get the code now. `quiet`: they know it, or this event
   * came before. `full`: too many others wait.
   */
  request(inbound: Inbound): Promise<'told' | 'quiet' | 'full'> {
    const asked = this.#asking.then(() => this.#request(inbound));
    this.#asking = asked.catch(() => {});
    return asked;
  }

  async approve({ channel, code, by }: { channel: string; code: string; by: string }): Promise<PairingRow> {
    const { store, now } = this.#parts;
    const written = code.trim().toUpperCase().slice(0, LONGEST_ID);
    const where = { channel, code: written, status: 'waiting', expiresAt: { gt: now() } };
    const [asked] = await store.select('pairings', { where, limit: 1 });
    if (!asked) throw new UnknownPairingError({ what: `code ${JSON.stringify(written)}`, channel });
    const approved: PairingRow = {
      ...asked,
      status: 'approved',
      code: null,
      expiresAt: null,
      approvedAt: now(),
      approvedBy: by,
    };
    const { status, approvedAt, approvedBy } = approved;
    const { accountId, senderId } = asked;
    await this.#answer(
      [
        {
          update: 'pairings',
          where: { channel, accountId, senderId, code: written, status: 'waiting' },
          set: { status, code: null, expiresAt: null, approvedAt, approvedBy },
          expect: 1,
        },
        ...(await this.#tell(approved.surface, approved, newId('note', now()), APPROVED)),
      ],
      () => new UnknownPairingError({ what: `code ${JSON.stringify(written)}`, channel }),
    );
    return approved;
  }

  /** Takes an approval back, or refuses a request. The person is not told. Without an account it means all of them. */
  async revoke(person: {
    readonly channel: string;
    readonly senderId: string;
    readonly accountId?: string | undefined;
  }): Promise<number> {
    const { channel, senderId, accountId } = person;
    const where: Where<'pairings'> = { channel, senderId, ...(accountId !== undefined && { accountId }) };
    const count = await this.#parts.store.count('pairings', where);
    const unknown = () =>
      new UnknownPairingError({ what: `person ${JSON.stringify(senderId.slice(0, LONGEST_ID))}`, channel });
    if (count === 0) throw unknown();
    await this.#answer([{ remove: 'pairings', where, expect: count }], unknown);
    return count;
  }

  async #answer(writes: readonly Write[], unknown: () => Error): Promise<void> {
    const { store, delivery, changed } = this.#parts;
    try {
      await store.commit(writes, { site: 'pairing-answer', waits: true });
    } catch (error) {
      // Another client answered it at the same moment.
      throw error instanceof PreconditionFailedError ? unknown() : error;
    }
    delivery.wake();
    changed?.();
  }

  async #request(inbound: Inbound): Promise<'told' | 'quiet' | 'full'> {
    const { store, delivery, now, changed } = this.#parts;
    const { surface, sender } = inbound;
    const { channel, accountId } = surface;
    const person: PersonOnChannel = { channel, accountId, senderId: sender.id };
    const [known] = await store.select('pairings', { where: { ...person }, limit: 1 });
    // It was approved while this message waited for its turn. The person has been told, and will write again.
    if (known?.status === 'approved') return 'quiet';
    const at = now();
    const isWaiting = known?.expiresAt != null && known.expiresAt > at;
    if (isWaiting && known.timesTold >= MOST_TOLD) return 'quiet';
    const runId = noteIdOf(inbound, at);
    if ((await store.count('outbox', { runId })) > 0) return 'quiet';
    if (!isWaiting) {
      const place = { channel, accountId, status: 'waiting', expiresAt: { gt: at } } as const;
      if ((await store.count('pairings', place)) >= MOST_WAITING) return 'full';
    }
    const code = (isWaiting ? known.code : null) ?? newPairingCode();
    const senderName = oneLine(sender.name ?? sender.username ?? '', LONGEST_NAME) || null;
    const writes: readonly Write[] = isWaiting
      ? [
          {
            update: 'pairings',
            where: { ...person, status: 'waiting', timesTold: known.timesTold },
            set: { timesTold: known.timesTold + 1, senderName, surface },
            expect: 1,
          },
        ]
      : [
          { remove: 'pairings', where: { channel, accountId, status: 'waiting', expiresAt: { lte: at } } },
          {
            insert: 'pairings',
            row: {
              ...person,
              senderName,
              surface,
              code,
              status: 'waiting',
              requestedAt: at,
              expiresAt: at + VALID_MS,
              timesTold: 1,
              approvedAt: null,
              approvedBy: null,
            },
          },
        ];
    const told = await this.#tell(surface, person, runId, codeMessage(person, code), inbound.messageId);
    try {
      await store.commit([...writes, ...told], { site: 'pairing', waits: true });
    } catch (error) {
      // The same event came twice at once, or the operator has answered meanwhile.
      if (error instanceof PreconditionFailedError) return 'quiet';
      throw error;
    }
    delivery.wake();
    changed?.();
    return 'told';
  }

  async #tell(
    surface: Surface,
    { senderId }: PersonOnChannel,
    runId: string,
    text: string,
    replyToId?: string | undefined,
  ): Promise<readonly Write[]> {
    const { delivery, route, now } = this.#parts;
    const sender = { id: senderId };
    const { agentId, sessionKey } = route({ surface, sender, text: '', at: now() });
    const context = hookContextOf('message', { agentId, sessionKey, runId, trace: rootTrace(runId), surface, sender });
    const { rows } = await delivery.plan({ runId, sessionKey, surface, text, replyToId, context });
    return rows.map((row): Write => ({ insert: 'outbox', row }));
  }
}

/** Those who wait, the latest first, then those who were approved. Requests whose time is over are left out. */
export async function listPairings(
  store: Store,
  { channel, now }: { readonly channel?: string | undefined; readonly now: number },
): Promise<readonly PairingRow[]> {
  const place = channel === undefined ? {} : { channel };
  const waiting = await store.select('pairings', {
    where: { ...place, status: 'waiting', expiresAt: { gt: now } },
    orderBy: [['requestedAt', 'desc']],
  });
  const approved = await store.select('pairings', {
    where: { ...place, status: 'approved' },
    orderBy: [['approvedAt', 'desc']],
  });
  return [...waiting, ...approved];
}

const APPROVED = 'The operator has approved you. Write a message to begin.';

function codeMessage({ channel, senderId }: PersonOnChannel, code: string): string {
  return [
    'This agent talks only to people whom its operator has approved.',
    `Your code: ${code}`,
    `Give it to the operator, who approves it with: atrium pairing approve ${channel} ${code}`,
    `The code is valid for one hour. Your id here is ${oneLine(senderId, LONGEST_ID)}. What you wrote was not read.`,
  ].join('\n');
}

/** The same event gives the same id, so that the outbox takes its message only once, also after a crash. */
function noteIdOf(inbound: Inbound, now: number): string {
  const key = dedupeKeyOf(inbound);
  if (key === undefined) return newId('note', now);
  return `note_${sha256Of(key).slice(0, 32)}`;
}
