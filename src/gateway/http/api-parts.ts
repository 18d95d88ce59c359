// What every route may use, handed in once.

import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Services } from '../services/services.ts';

export interface ApiParts {
  readonly services: Services;
  /** Every agent by id, the default one first. */
  readonly agentIds: () => readonly string[];
  readonly now: () => number;
}

/** Bindings are absent when a test calls the app without a server. */
export interface HttpEnv {
  readonly Bindings: Partial<HttpBindings> & { readonly isUpgrade?: boolean };
}

export type HttpApp = Hono<HttpEnv>;

/** Most bodies are short; a chat client sends its whole history. */
export const BODY_LIMIT = 1_048_576;
export const CHAT_BODY_LIMIT = 20 * 1_048_576;
