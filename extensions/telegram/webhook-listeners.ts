// The small HTTP server that Telegram posts updates to. Accounts with the same address share a server and are told apart
// by their secrets. A request without a known secret gets no further than its head; the answer 200 comes after the update
// is stored, and any other answer makes Telegram send it again.

import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Update } from 'grammy/types';
import type { TelegramWebhook } from './account.ts';

export interface WebhookRoute extends Pick<TelegramWebhook, 'host' | 'port' | 'path' | 'secret'> {
  /** Rejects when Telegram must send the update again. */
  readonly take: (update: Update) => Promise<void>;
}

interface Listener {
  readonly server: Server;
  readonly routes: Set<WebhookRoute>;
}

const LONGEST_BODY = 1024 * 1024;

export class WebhookListeners {
  readonly #listeners = new Map<string, Promise<Listener>>();

  /** Begins to listen, and gives the undo. Rejects when the address cannot be listened at. */
  async add(route: WebhookRoute): Promise<() => Promise<void>> {
    const address = `${route.host} ${route.port}`;
    const opening = this.#listeners.get(address) ?? listen(route);
    this.#listeners.set(address, opening);
    try {
      const { routes } = await opening;
      routes.add(route);
    } catch (error) {
      if (this.#listeners.get(address) === opening) this.#listeners.delete(address);
      throw error;
    }
    return () => this.#remove(address, route);
  }

  async #remove(address: string, route: WebhookRoute): Promise<void> {
    const listener = await this.#listeners.get(address);
    listener?.routes.delete(route);
    if (!listener || listener.routes.size > 0) return;
    this.#listeners.delete(address);
    const closed = new Promise((resolve) => listener.server.close(resolve));
    listener.server.closeAllConnections();
    await closed;
  }
}

async function listen({ host, port }: WebhookRoute): Promise<Listener> {
  const routes = new Set<WebhookRoute>();
  const server = createServer((request, response) => {
    serve(request, response, routes).catch(() => answer(response, 500));
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  return { server, routes };
}

async function serve(request: IncomingMessage, response: ServerResponse, routes: Set<WebhookRoute>): Promise<void> {
  const path = (request.url ?? '').split('?')[0];
  const there = [...routes].filter((route) => route.path === path);
  if (there.length === 0) return answer(response, 404);
  if (request.method !== 'POST') return answer(response, 405);
  const secret = request.headers['x-telegram-bot-api-secret-token'];
  const route = there.find((each) => isSame(each.secret, String(secret ?? '')));
  if (!route) return answer(response, 401);
  const update = await readUpdate(request);
  if (!update) return answer(response, 400);
  const isTaken = await route.take(update).then(
    () => true,
    () => false,
  );
  answer(response, isTaken ? 200 : 503);
}

async function readUpdate(request: IncomingMessage): Promise<Update | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LONGEST_BODY) return undefined;
    chunks.push(chunk);
  }
  try {
    const update: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const isUpdate =
      typeof update === 'object' && update !== null && Number.isSafeInteger((update as Update).update_id);
    return isUpdate ? (update as Update) : undefined;
  } catch {
    return undefined;
  }
}

/** Hashes have one length, so the comparison takes the same time for every guess. */
function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

function answer(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return;
  // What was not read of the request is not waited for.
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).end();
}
