// Plugins: the state of each, what the operator decides about them, reloading them, and installing one after a look at
// what it is.

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
const severity = (z: Zod) => z.enum(['info', 'warn', 'critical']);
const finding = (z: Zod) =>
  z.object({
    ruleId: z.string().max(200),
    severity: severity(z),
    file: z.string().max(4_096),
    line: wholeNumber(z),
    message: z.string().max(4_096),
  });
const review = (z: Zod) =>
  z.object({
    id: z.string(),
    kind: z.enum(['plugin', 'hook-pack', 'skill']),
    name: z.string(),
    packageName: z.string().nullable(),
    version: z.string().nullable(),
    description: z.string().nullable(),
    from: z.string(),
    to: z.string(),
    needs: z.array(z.string()).describe('Packages that come with it and were not looked through.'),
    replaces: z.string().nullable(),
    scannedFiles: wholeNumber(z),
    findings: z
      .array(
        z.object({
          kind: z.string(),
          meaning: z.string(),
          severity: severity(z),
          places: z.array(z.object({ file: z.string(), line: wholeNumber(z), message: z.string() })),
          more: wholeNumber(z).describe('Places that are left out.'),
        }),
      )
      .describe('What the scan knows, by the words in the files. Nothing found does not mean that it is safe.'),
    pluginFindings: z.array(finding(z)),
    refusal: z
      .object({ by: z.string(), reason: z.string() })
      .nullable()
      .describe('Which plugin refused it; then it cannot be confirmed.'),
    expiresAt: at(z),
  });
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
    path: '/api/plugins/{id}/decide',
    summary: 'Switches a plugin on or off, or says what it may do, in the configuration; then loads it again.',
    detail:
      'Comments in the file survive. `enabled` does what `atrium plugins enable` and `disable` do; what is left out stays as it is.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        enabled: z.boolean().optional(),
        allowConversationAccess: z.boolean().optional().describe('Whether its handlers may read conversations.'),
        allowPromptInjection: z.boolean().optional().describe('Whether its handlers may add to prompts.'),
      }),
    answer: (z) =>
      onePlugin(z).extend({
        written: z.array(
          z.object({
            setting: z.string(),
            value: z.union([z.boolean(), z.string()]),
            file: z.string(),
            how: z.enum(['set', 'added']),
          }),
        ),
      }),
    handle: ({ services, params, body }) => services.plugins.decide(params.id, body),
  }),
  route({
    method: 'post',
    path: '/api/installs',
    summary:
      'Fetches a plugin, a hook pack or a skill, looks through it and asks the plugins. Nothing is installed yet.',
    detail:
      'The answer is what a person reads before `POST /api/installs/{id}/confirm`. One waits at a time, for ten minutes; the checks are those of `atrium plugins install`.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        source: z
          .string()
          .min(1)
          .max(4_096)
          .describe('A package of the npm registry, or the path of a folder or archive on the machine of the gateway.'),
        kind: targetType(z).default('plugin'),
        force: z.boolean().default(false).describe('Replaces what stands in its place, whatever it is.'),
      }),
    answer: (z) => z.object({ review: review(z) }),
    status: 201,
    handle: async ({ services, body }) => ({ review: await services.installs.begin(body) }),
  }),
  route({
    method: 'post',
    path: '/api/installs/{id}/confirm',
    summary: 'Installs what was looked at, and loads it.',
    detail: '404 when it does not wait any more.',
    access: 'token',
    body: nothing,
    answer: (z) =>
      z.object({
        installed: z.object({
          id: z.string(),
          dir: z.string(),
          version: z.string().nullable(),
          withScripts: z.array(z.string()).describe('Packages whose install scripts were not run.'),
          plugin: plugin(z).nullable().describe('Null for what is no plugin.'),
        }),
      }),
    handle: async ({ services, params }) => ({ installed: await services.installs.confirm(params.id) }),
  }),
  route({
    method: 'delete',
    path: '/api/installs/{id}',
    summary: 'Drops what was looked at; nothing of it stays.',
    access: 'token',
    answer: (z) => z.object({ dropped: z.string() }),
    handle: async ({ services, params }) => {
      await services.installs.cancel(params.id);
      return { dropped: params.id };
    },
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
        findings: z.array(finding(z)),
        asked: wholeNumber(z),
      }),
    handle: ({ services, body }) => services.installs.check(body.event as BeforeInstallEvent, body.context),
  }),
];
