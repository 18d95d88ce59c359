// Plugins: the state of each, reloading them, and asking them whether something may be installed. The command does the
// installing itself.

import type { BeforeInstallEvent } from '../../../hooks/lifecycle-hooks.ts';
import { type Route, route, type Zod } from '../route.ts';
import { at, id, nothing, wholeNumber } from './pieces.ts';

const plugin = (z: Zod) =>
  z.object({
    id: z.string(),
    name: z.string(),
    version: z.string().optional(),
    description: z.string().optional(),
    origin: z.enum(['bundled', 'config', 'extensions', 'installed', 'workspace']),
    rootDir: z.string(),
    entryPath: z.string().nullable(),
    state: z.enum(['loaded', 'disabled', 'failed', 'suspended', 'pending']),
    reason: z.string().describe('Why it is in that state, and what would change it.'),
    where: z.enum(['worker', 'inline']).nullable(),
    whyThere: z.string().nullable(),
    generation: wholeNumber(z).describe('How often it has been loaded since the gateway started.'),
    permissions: z.object({ conversation: z.boolean(), promptInjection: z.boolean() }),
    hooks: z.array(
      z.object({
        hook: z.string(),
        id: z.string(),
        priority: z.number(),
        timeoutMs: z.number(),
        state: z.enum(['armed', 'blocked', 'pending']),
        reason: z.string().optional(),
      }),
    ),
    internalHooks: z.array(z.string()),
    tools: z.array(z.string()),
    commands: z.array(z.string()),
    services: z.array(z.string()),
    routes: z.array(z.string()),
    methods: z.array(z.string()),
    cli: z.array(z.string()),
    policies: z.array(z.string()),
    sessionExtensions: z.array(z.string()),
    others: z.array(z.string()).describe('Its other registrations.'),
    skills: z.array(z.string()),
    unused: z.array(z.string()).describe('Accepted, and of no use here.'),
    notes: z.array(z.object({ level: z.enum(['info', 'warn', 'error']), code: z.string(), message: z.string() })),
    install: z.object({ spec: z.string(), integrity: z.string(), installedAt: at(z), changed: z.boolean() }).optional(),
  });
const onePlugin = (z: Zod) => z.object({ plugin: plugin(z) });
const allPlugins = (z: Zod) => z.object({ plugins: z.array(plugin(z)) });

const targetType = (z: Zod) => z.enum(['skill', 'plugin']);
const facts = (z: Zod) => z.record(z.string(), z.json());

export const PLUGIN_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/plugins',
    summary: 'The plugins, loaded or not, and why.',
    access: 'token',
    answer: allPlugins,
    handle: ({ services }) => ({ plugins: services.plugins.list() }),
  }),
  route({
    method: 'post',
    path: '/api/plugins/reload',
    summary: 'Reads the configuration again and loads every plugin again.',
    detail: 'Settings that changed meanwhile take effect.',
    access: 'token',
    body: nothing,
    answer: allPlugins,
    handle: async ({ services }) => ({ plugins: await services.plugins.reloadAll() }),
  }),
  route({
    method: 'get',
    path: '/api/plugins/{id}',
    summary: 'One plugin: state and reason, where it runs and why, permissions, and what it registered by name.',
    access: 'token',
    answer: onePlugin,
    handle: ({ services, params }) => ({ plugin: services.plugins.inspect(params.id) }),
  }),
  route({
    method: 'post',
    path: '/api/plugins/{id}/reload',
    summary: 'Reads the configuration again and loads one plugin again.',
    access: 'token',
    body: nothing,
    answer: onePlugin,
    handle: async ({ services, params }) => ({ plugin: await services.plugins.reload(params.id) }),
  }),
  route({
    method: 'post',
    path: '/api/installs/check',
    summary: 'Asks the `before_install` handlers of plugins whether something may be installed.',
    detail:
      'It is what `atrium plugins install` asks. A handler that blocks, fails or takes too long is the `refusal`.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        event: z
          .strictObject({
            targetType: targetType(z),
            targetName: id(z),
            sourcePath: z.string().min(1).max(4_096),
            sourcePathKind: z.enum(['file', 'directory']),
            origin: z.string().max(64).optional(),
            request: facts(z),
            builtinScan: facts(z),
            skill: facts(z).optional(),
            plugin: facts(z).optional(),
          })
          .describe('As handlers of before_install are told it.'),
        context: z.strictObject({
          targetType: targetType(z),
          requestKind: z.string().max(64),
          origin: z.string().max(64).optional(),
        }),
      }),
    answer: (z) =>
      z.object({
        refusal: z.object({ by: z.string(), reason: z.string() }).nullable(),
        findings: z.array(
          z.object({
            ruleId: z.string().max(200),
            severity: z.enum(['info', 'warn', 'critical']),
            file: z.string().max(4_096),
            line: wholeNumber(z),
            message: z.string().max(4_096),
          }),
        ),
        asked: wholeNumber(z),
      }),
    handle: ({ services, body }) => services.installs.check(body.event as BeforeInstallEvent, body.context),
  }),
];
