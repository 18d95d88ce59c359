// One bot on the Telegram of the tests: its token, and the updates that it has not confirmed. Updates are handed out by
// getUpdates and stay until a later offset confirms them, or they are posted to the webhook until it answers 200.

import type { JsonObject } from '../../protocol/json.ts';

export interface TelegramUpdate {
  readonly updateId: number;
  readonly body: JsonObject;
  /** Updates of one chat are posted to a webhook one after the other. */
  readonly queue: number;
}

export interface NewTelegramBot {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  /** Whether direct chats with it have topics. */
  readonly hasTopics: boolean;
}

export interface Webhook {
  readonly url: string;
  readonly secret: string;
}

interface Poll {
  readonly offset: number;
  readonly limit: number;
  readonly answer: (updates: readonly JsonObject[]) => void;
  readonly conflict: () => void;
}

/** Telegram leaves these out unless they are asked for by name. */
const ONLY_WHEN_ASKED = new Set(['message_reaction', 'message_reaction_count', 'chat_member']);

/** How long a webhook that refused an update is left alone. */
const POST_AGAIN_MS = 100;

/** A webhook that refuses for ever ends a test and does not fill the machine. */
const MOST_POSTS = 200;

export class TelegramBot {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly hasTopics: boolean;
  /** What setMyCommands was last given. */
  commands: readonly { readonly command: string; readonly description: string }[] = [];
  webhook: Webhook | undefined;
  /** What Telegram last heard from the webhook that refused. */
  webhookError: string | undefined;
  isRevoked = false;
  /** With these names only such updates are handed out. */
  allowedUpdates: readonly string[] | undefined;
  /** Hands out each batch of updates in the wrong order. */
  reorders = false;
  #secret = 'AAtest-token_of-a-bot';
  #updates: TelegramUpdate[] = [];
  readonly #handedOut = new Set<number>();
  readonly #confirmed = new Set<number>();
  /** Who waits to hear what becomes of an update. */
  readonly #waiting = new Map<number, ((isTaken: boolean) => void)[]>();
  readonly #posting = new Set<number>();
  #poll: Poll | undefined;
  #nextUpdate: number;
  #isStopped = false;

  constructor({ id, username, name, hasTopics }: NewTelegramBot) {
    this.id = id;
    this.username = username;
    this.name = name;
    this.hasTopics = hasTopics;
    this.#nextUpdate = id * 1_000;
  }

  get token(): string {
    return `${this.id}:${this.#secret}`;
  }

  get raw(): JsonObject {
    return { id: this.id, is_bot: true, first_name: this.name, username: this.username };
  }

  /** Whether a getUpdates of this bot waits for updates. */
  get isPolling(): boolean {
    return this.#poll !== undefined;
  }

  /** How many updates are not confirmed. */
  get pending(): number {
    return this.#updates.length;
  }

  /** The operator has made a new token: the old one is refused from now on. */
  revoke(): void {
    this.isRevoked = true;
    this.#poll?.conflict();
    this.#poll = undefined;
  }

  /** Queues an update of a chat and gives its id; undefined when the bot does not ask for this kind. */
  push(kind: string, content: JsonObject, queue: number): number | undefined {
    const isAsked = this.allowedUpdates ? this.allowedUpdates.includes(kind) : !ONLY_WHEN_ASKED.has(kind);
    if (!isAsked) return undefined;
    const updateId = this.#nextUpdate++;
    this.#updates.push({ updateId, body: { update_id: updateId, [kind]: content }, queue });
    this.#serve();
    return updateId;
  }

  /** Telegram sends an update again, although the bot may have confirmed it. */
  repeat(update: TelegramUpdate): void {
    this.#updates = [...this.#updates.filter(({ updateId }) => updateId !== update.updateId), update].sort(
      (a, b) => a.updateId - b.updateId,
    );
    this.#confirmed.delete(update.updateId);
    this.#serve();
  }

  /** The update that waits to be confirmed. */
  update(updateId: number): TelegramUpdate | undefined {
    return this.#updates.find((update) => update.updateId === updateId);
  }

  /** True when the update is confirmed; false when the bot asks for it again, or its webhook refuses it. */
  isTaken(updateId: number): Promise<boolean> {
    if (this.#confirmed.has(updateId)) return Promise.resolve(true);
    return new Promise((resolve) => this.#waiting.set(updateId, [...(this.#waiting.get(updateId) ?? []), resolve]));
  }

  /** Resolves when the update is confirmed, however often it is asked for before. */
  async confirmed(updateId: number): Promise<void> {
    for (;;) if (await this.isTaken(updateId)) return;
  }

  /** A call of getUpdates. `timeoutMs` is how long it waits for something to come. */
  poll(offset: number, limit: number, timeoutMs: number): { readonly result: Promise<PollResult>; cancel(): void } {
    this.#poll?.conflict();
    this.#confirm((updateId) => updateId < offset);
    for (const { updateId } of this.#updates) if (this.#handedOut.has(updateId)) this.#tell(updateId, false);
    let cancel = () => {};
    const result = new Promise<PollResult>((resolve) => {
      const end = (outcome: PollResult) => {
        clearTimeout(timer);
        if (this.#poll === poll) this.#poll = undefined;
        resolve(outcome);
      };
      const poll: Poll = {
        offset,
        limit,
        answer: (updates) => end({ updates }),
        conflict: () => end('conflict'),
      };
      const timer = setTimeout(() => poll.answer([]), timeoutMs);
      cancel = () => end({ updates: [] });
      this.#poll = poll;
      this.#serve();
    });
    return { result, cancel: () => cancel() };
  }

  setWebhook(webhook: Webhook | undefined): void {
    this.webhook = webhook;
    this.webhookError = undefined;
    this.#serve();
  }

  stop(): void {
    this.#isStopped = true;
    this.#poll?.answer([]);
  }

  start(): void {
    this.#isStopped = false;
    this.#serve();
  }

  #serve(): void {
    if (this.#isStopped || this.isRevoked || this.#updates.length === 0) return;
    if (this.webhook) {
      for (const queue of new Set(this.#updates.map((update) => update.queue))) void this.#post(queue);
      return;
    }
    const poll = this.#poll;
    if (!poll) return;
    const due = this.#updates.slice(0, poll.limit);
    for (const { updateId } of due) this.#handedOut.add(updateId);
    poll.answer((this.reorders ? [...due].reverse() : due).map(({ body }) => body));
  }

  /** Posts the updates of one chat, each until it is taken. */
  async #post(queue: number): Promise<void> {
    if (this.#posting.has(queue)) return;
    this.#posting.add(queue);
    for (let posts = 0; posts < MOST_POSTS; posts++) {
      const update = this.#updates.find((each) => each.queue === queue);
      const webhook = this.webhook;
      if (!update || !webhook || this.#isStopped || this.isRevoked) break;
      const status = await post(webhook, update.body);
      if (status === 200) {
        this.#confirm((updateId) => updateId === update.updateId);
        continue;
      }
      this.webhookError = status === undefined ? 'Connection refused' : `Wrong response from the webhook: ${status}`;
      this.#tell(update.updateId, false);
      await new Promise((resolve) => setTimeout(resolve, POST_AGAIN_MS).unref());
    }
    this.#posting.delete(queue);
  }

  #confirm(isMeant: (updateId: number) => boolean): void {
    const done = this.#updates.filter(({ updateId }) => isMeant(updateId));
    this.#updates = this.#updates.filter((update) => !done.includes(update));
    for (const { updateId } of done) {
      this.#handedOut.delete(updateId);
      this.#confirmed.add(updateId);
      this.#tell(updateId, true);
    }
  }

  #tell(updateId: number, isTaken: boolean): void {
    const waiting = this.#waiting.get(updateId) ?? [];
    this.#waiting.delete(updateId);
    for (const tell of waiting) tell(isTaken);
  }
}

export type PollResult = { readonly updates: readonly JsonObject[] } | 'conflict';

/** The status of the webhook's answer; undefined when there is none. */
async function post({ url, secret }: Webhook, body: JsonObject): Promise<number | undefined> {
  try {
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}
