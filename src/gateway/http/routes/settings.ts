// The configuration as a form needs it: what may be set, what is set, one change, and one secret for who asks.

import type { JsonValue } from '../../../protocol/json.ts';
import { type Route, route, type Zod } from '../route.ts';

const address = (z: Zod) =>
  z.string().min(1).max(1_000).describe('Its address, such as `agents.defaults.model` or `agents.list[0].workspace`.');
const change = (z: Zod) =>
  z.object({
    setting: z.string(),
    file: z.string().describe('The file that was written.'),
    remarks: z.array(z.string()),
    needsRestart: z.boolean().describe('Whether it is taken up at the next start only.'),
  });

export const SETTING_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/settings',
    summary: 'What may be set, as JSON Schema, and what the configuration files say. Secrets are hidden.',
    access: 'token',
    answer: (z) =>
      z.object({
        files: z.array(z.string()),
        values: z.record(z.string(), z.unknown()).describe('What the files say, together.'),
        hidden: z.string().describe('The text that stands for a hidden secret.'),
        schema: z.record(z.string(), z.unknown()),
        waiting: z.array(z.string()).describe('What the files say differently; it is taken up at the next start.'),
        problem: z.string().nullable().describe('Why the files cannot be used as they are now.'),
        isManaged: z.boolean().describe('Another program writes the configuration, so nothing can be changed here.'),
      }),
    handle: ({ services }) => services.settings.read(),
  }),
  route({
    method: 'post',
    path: '/api/settings',
    summary: 'Changes one setting in the file where it takes effect; comments in the file survive.',
    detail:
      'It does what `atrium config set` does: nothing is written when no gateway could use the configuration, or the setting is not known.',
    access: 'token',
    body: (z) => z.strictObject({ setting: address(z), value: z.json() }),
    answer: change,
    handle: ({ services, body }) => services.settings.set(body.setting, body.value as JsonValue),
  }),
  route({
    method: 'delete',
    path: '/api/settings',
    summary: 'Takes one setting out of the configuration, so that its default holds again.',
    detail: '404 when it is not set.',
    access: 'token',
    query: (z) => z.strictObject({ setting: address(z) }),
    answer: change,
    handle: ({ services, query }) => services.settings.unset(query.setting),
  }),
  route({
    method: 'post',
    path: '/api/settings/reveal',
    summary: 'One setting as its file has it, a secret too.',
    detail: 'It is a request of its own, so that no list of settings ever has a secret in it. 404 when it is not set.',
    access: 'token',
    body: (z) => z.strictObject({ setting: address(z) }),
    answer: (z) => z.object({ setting: z.string(), value: z.json() }),
    handle: async ({ services, body }) => ({
      setting: body.setting,
      value: await services.settings.reveal(body.setting),
    }),
  }),
];
