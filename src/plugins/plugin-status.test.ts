import { expect, it } from 'vitest';
import { describePlugin, type PluginFacts } from './plugin-status.ts';
import type { PluginRegistration, RegistrationKind } from './registration.ts';

const nothing = async () => undefined;

/** One registration of every kind, each with a word in it that must be found again. */
const REGISTERED: { readonly [Kind in RegistrationKind]: readonly [shown: string, registration: PluginRegistration] } =
  {
    hook: ['message_sent', { kind: 'hook', hook: 'message_sent', id: 'nice', handler: nothing }],
    'internal-hook': [
      'command:new',
      { kind: 'internal-hook', events: ['command:new'], name: 'diary', handler: async () => ({ messages: [] }) },
    ],
    tool: ['greet', { kind: 'tool', names: ['greet'], optional: false, isDeclared: true, make: () => [] }],
    command: [
      'hello',
      { kind: 'command', name: 'hello', description: '', acceptsArgs: false, requireAuth: true, handler: nothing },
    ],
    service: ['tunnel', { kind: 'service', id: 'tunnel', start: async () => {} }],
    cli: ['nice-cli', { kind: 'cli', commands: ['nice-cli'], parentPath: [], registrar: nothing }],
    method: ['nice.echo', { kind: 'method', method: 'nice.echo' } as never],
    route: ['/nice', { kind: 'route', path: '/nice', match: 'exact', auth: 'gateway', handler: nothing }],
    'trusted-policy': ['guard', { kind: 'trusted-policy', id: 'guard', description: '', evaluate: nothing }],
    'session-extension': ['mood', { kind: 'session-extension', namespace: 'mood', description: '' }],
    'session-action': ['cheer-up', { kind: 'session-action', id: 'cheer-up', handler: nothing }],
    lifecycle: ['let-go', { kind: 'lifecycle', id: 'let-go' }],
    'agent-event': ['listener', { kind: 'agent-event', id: 'listener', handle: nothing }],
    'memory-corpus': ['memory', { kind: 'memory-corpus', search: async () => [] }],
    unused: ['registerSpeechProvider loud', { kind: 'unused', registrar: 'registerSpeechProvider', id: 'loud' }],
  };

it('names whatever a plugin registered, of every kind', () => {
  const all = Object.values(REGISTERED);
  const { notes: _notes, ...status } = describePlugin({
    found: { id: 'x', name: 'x', origin: 'config', rootDir: '/x', entryPath: null, manifest: { skills: [] } },
    permitted: {},
    registrations: all.map(([, registration]) => registration),
    hooks: [{ hook: 'message_sent', id: 'nice', priority: 0, timeoutMs: 1, state: 'armed' }],
    notes: [],
  } as unknown as PluginFacts);
  const shown = JSON.stringify(status);
  expect(all.map(([word]) => word).filter((word) => !shown.includes(word))).toEqual([]);
});
