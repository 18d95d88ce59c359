// What is known of one plugin, as `atrium plugins inspect` and the API show it.

import type { PluginHookSettings } from '../protocol/plugin-settings.ts';
import type { FoundPlugin } from './discovery/discover-plugins.ts';
import type { InstallRecord } from './install/install-records.ts';
import type { PluginNote } from './loaded-plugin.ts';
import type { PluginOrigin } from './plugin-setup.ts';
import type { PluginRegistration, RegistrationKind } from './registration.ts';

export type PluginState = 'loaded' | 'disabled' | 'failed' | 'suspended' | 'pending';

export interface PluginStatus {
  readonly id: string;
  readonly name: string;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly origin: PluginOrigin;
  readonly rootDir: string;
  readonly entryPath: string | null;
  readonly state: PluginState;
  /** One sentence: why it is in that state, and what would change it. */
  readonly reason: string;
  readonly where: 'worker' | 'inline' | null;
  /** Why it runs there. */
  readonly whyThere: string | null;
  readonly generation: number;
  readonly permissions: { readonly conversation: boolean; readonly promptInjection: boolean };
  /** What it registered, by name. */
  readonly hooks: readonly PluginHookStatus[];
  readonly internalHooks: readonly string[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly services: readonly string[];
  readonly routes: readonly string[];
  readonly methods: readonly string[];
  readonly cli: readonly string[];
  readonly policies: readonly string[];
  readonly sessionExtensions: readonly string[];
  /** Whatever else it registered, such as `session action approve`. */
  readonly others: readonly string[];
  /** Folders with skills for agents, as its manifest names them. */
  readonly skills: readonly string[];
  /** Accepted and of no use here, such as `registerSpeechProvider kitchen-sink`. */
  readonly unused: readonly string[];
  readonly notes: readonly PluginNote[];
  /** Of an installed package: what it was then; `changed` when its files differ now. */
  readonly install?:
    | { readonly spec: string; readonly integrity: string; readonly installedAt: number; readonly changed: boolean }
    | undefined;
}

export interface PluginHookStatus {
  readonly hook: string;
  readonly id: string;
  readonly priority: number;
  readonly timeoutMs: number;
  /** `armed`, or `blocked` by a permission, or `pending` for a hook that is not called yet. */
  readonly state: 'armed' | 'blocked' | 'pending';
  readonly reason?: string | undefined;
}

/** What is not given is not known: the plugin has not been loaded. */
export type PluginFacts = Pick<PluginStatus, 'state' | 'reason'> &
  Partial<Pick<PluginStatus, 'generation' | 'where' | 'whyThere' | 'hooks' | 'notes'>> & {
    readonly found: FoundPlugin;
    readonly permitted: PluginHookSettings;
    readonly registrations?: readonly PluginRegistration[] | undefined;
    /** The files of an installed package are not what was installed. */
    readonly isChanged?: boolean | undefined;
  };

export function describePlugin(facts: PluginFacts): PluginStatus {
  const { found, permitted, registrations = [], hooks = [], notes = [], isChanged = false } = facts;
  const { state, reason, where = null, whyThere = null, generation = 0 } = facts;
  const { manifest, install } = found;
  const named = <Kind extends RegistrationKind>(
    kind: Kind,
    name: (registration: Extract<PluginRegistration, { readonly kind: Kind }>) => string | readonly string[],
  ): readonly string[] =>
    registrations.flatMap((registration) =>
      registration.kind === kind ? name(registration as Extract<PluginRegistration, { readonly kind: Kind }>) : [],
    );
  return {
    id: found.id,
    name: found.name,
    version: manifest.version,
    description: manifest.description,
    origin: found.origin,
    rootDir: found.rootDir,
    entryPath: found.entryPath,
    state,
    reason,
    where,
    whyThere,
    generation,
    permissions: {
      conversation:
        found.origin === 'bundled'
          ? permitted.allowConversationAccess !== false
          : permitted.allowConversationAccess === true,
      promptInjection: permitted.allowPromptInjection !== false,
    },
    hooks,
    internalHooks: named('internal-hook', ({ events, name }) => `${events.join(', ')} (${name})`),
    tools: named('tool', ({ names }) => (names.length > 0 ? names : ['(named when it is asked for)'])),
    commands: named('command', ({ name }) => name),
    services: named('service', ({ id }) => id),
    routes: named('route', ({ path }) => path),
    methods: named('method', ({ method }) => method),
    cli: named('cli', ({ commands, parentPath }) => commands.map((command) => [...parentPath, command].join(' '))),
    policies: named('trusted-policy', ({ id }) => id),
    sessionExtensions: named('session-extension', ({ namespace }) => namespace),
    others: [
      ...named('session-action', ({ id }) => `session action ${id}`),
      ...named('lifecycle', ({ id }) => `cleanup ${id}`),
      ...named('agent-event', ({ id }) => `listener of runs ${id}`),
      ...named('memory-corpus', () => 'search in its memory'),
    ],
    skills: manifest.skills,
    unused: named('unused', ({ registrar, id }) => (id === undefined ? registrar : `${registrar} ${id}`)),
    notes,
    ...(install && { install: installed(install, isChanged) }),
  };
}

function installed({ spec, integrity, installedAt }: InstallRecord, changed: boolean) {
  return { spec, integrity, installedAt, changed };
}
