// Answers the paths of webhooks. Their base path, token and body limit are settings that may change while the gateway runs,
// so a path is looked up when it is asked for. It comes before the check of the gateway's token, which is of no use here: a
// program that may start a run by a webhook may do nothing else.

import type { MiddlewareHandler } from 'hono';
import { UnknownPathError, WebhookTokenInAddressError, WrongMethodError } from '../errors.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { answererOf } from './add-routes.ts';
import type { ApiParts, HttpEnv } from './route.ts';
import { AGENT_WEBHOOK, MAPPED_WEBHOOK, WAKE_WEBHOOK } from './routes/webhooks.ts';
import { bearerOf } from './token-guard.ts';

export type WebhookPaths = Pick<Webhooks, 'subpath' | 'check' | 'settings'>;

export function answerWebhookPaths(webhooks: WebhookPaths, parts: ApiParts): MiddlewareHandler<HttpEnv> {
  const wake = answererOf(WAKE_WEBHOOK, parts);
  const agent = answererOf(AGENT_WEBHOOK, parts);
  const mapped = answererOf(MAPPED_WEBHOOK, parts);
  return async (c, next) => {
    const name = webhooks.subpath(c.req.path)?.replace(/^\/+|\/+$/g, '');
    if (name === undefined) return next();
    const { method, path } = c.req;
    if (method !== 'POST') throw new WrongMethodError({ method, path: path.slice(0, 200), allowed: ['POST'] });
    if (c.req.query('token') !== undefined) throw new WebhookTokenInAddressError();
    const token = bearerOf(c.req.header('authorization')) ?? c.req.header('x-openclaw-token')?.trim();
    webhooks.check(token, c.env?.incoming?.socket.remoteAddress ?? 'unknown');
    if (name === '') throw new UnknownPathError({ method, path: path.slice(0, 200) });
    const limit = webhooks.settings?.maxBodyBytes;
    if (name === 'wake') return wake(c, {}, limit);
    if (name === 'agent') return agent(c, {}, limit);
    return mapped(c, { name }, limit);
  };
}
