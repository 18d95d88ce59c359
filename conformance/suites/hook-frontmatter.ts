// Suite hook-frontmatter: hook packs from the text of HOOK.md to the handlers that fire. The machine of the cases has
// one program (`toolA`), one file on its path that is none (`noexec`), and two environment variables.

import { chmod } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { HookName } from '../../src/hooks/catalog.ts';
import { discoverHooks } from '../../src/hooks/packs/discover-hooks.ts';
import { resolveHookCollisions } from '../../src/hooks/packs/hook-collisions.ts';
import { decideHookEligibility } from '../../src/hooks/packs/hook-eligibility.ts';
import type { HookMetadata } from '../../src/hooks/packs/hook-metadata.ts';
import type { HookSource } from '../../src/hooks/packs/hook-pack.ts';
import { internalHooksConfigured } from '../../src/hooks/packs/internal-hooks-configured.ts';
import { type HookConfig, readInternalHooksSection } from '../../src/hooks/packs/internal-hooks-section.ts';
import { loadHookHandler } from '../../src/hooks/packs/load-hook-handler.ts';
import { loadInternalHooks } from '../../src/hooks/packs/load-internal-hooks.ts';
import { type InternalHookRegistration, packHandlers } from '../../src/hooks/packs/pack-registration.ts';
import { parseHookMd } from '../../src/hooks/packs/parse-hook-md.ts';
import { isPackEvent } from '../../src/hooks/packs/unknown-events.ts';
import { HookRunner } from '../../src/hooks/runner.ts';
import type { InternalHookEvent } from '../../src/protocol/bootstrap-event.ts';
import type { SuiteAdapter } from '../adapter.ts';
import { type TreeSpec, withScratchTree } from '../scratch-tree.ts';

export const hookFrontmatter: SuiteAdapter = {
  parseHookMd: async (input) => {
    const { frontmatter, metadata, invocation } = await parseHookMd(input as string);
    return { frontmatter, metadata: metadata ?? null, invocation };
  },
  shouldIncludeHook: (input) => decide(input as EligibilityInput),
  internalHooksConfigured: (input) => internalHooksConfigured(input as HookConfig),
  resolveHookEntries: (input) => {
    const { packs, ignored } = resolveHookCollisions(input as TaggedPack[]);
    return {
      order: packs.map(({ tag }) => tag),
      ignored: ignored.map((collision) => ({ kept: collision.kept.tag, ignored: collision.ignored.tag })),
    };
  },
  loadWorkspaceHookEntries: (input) => discover(input as DiscoveryInput),
  loadInternalHooks: (input) => load(input as LoadInput),
  triggerInternalHook: (input) => trigger(input as TriggerInput),
};

interface TaggedPack {
  readonly name: string;
  readonly source: HookSource;
  readonly tag: string;
}

interface EligibilityInput {
  readonly source: HookSource;
  readonly name: string;
  readonly metadata?: HookMetadata;
  readonly config?: HookConfig;
}

function decide({ source, name, metadata, config }: EligibilityInput): Promise<unknown> {
  return withScratchTree({}, async (scratch) => {
    await scratch.write(scratch.root, { toolA: '#!/bin/sh\n', noexec: '' });
    await chmod(join(scratch.root, 'toolA'), 0o755);
    const machine = { platform: 'linux', env: { CF_SET: '1', CF_EMPTY: '' }, path: scratch.root };
    const { include, enableState } = await decideHookEligibility({ source, name, metadata }, config, machine);
    return { include, enableState };
  });
}

interface DiscoveryInput {
  readonly tree: TreeSpec;
  readonly workspaceDir: string;
  readonly managedHooksDir?: string;
  readonly bundledHooksDir?: string;
  readonly config?: HookConfig;
}

function discover(input: DiscoveryInput): Promise<unknown> {
  return withScratchTree({ $ROOT: '.' }, async (scratch) => {
    await scratch.write(scratch.root, input.tree);
    const { workspaceDir, managedHooksDir, bundledHooksDir, config } = scratch.toReal(input);
    const { packs } = await discoverHooks({
      extraDirs: readInternalHooksSection(config).extraDirs,
      bundledDir: bundledHooksDir,
      managedDir: managedHooksDir,
      workspaceDir,
    });
    return packs.map((pack) => ({
      name: pack.name,
      source: pack.source,
      handler: relative(scratch.root, pack.handlerPath),
      md: relative(scratch.root, pack.hookMdPath),
      events: pack.metadata?.events,
    }));
  });
}

interface LoadInput {
  readonly tree: TreeSpec;
  readonly workspaceDir: string;
  readonly config: HookConfig;
  /** Type and action of the event that is triggered once everything is loaded. */
  readonly trigger: readonly [string, string];
}

function load(input: LoadInput): Promise<unknown> {
  return withScratchTree({ $ROOT: '.' }, async (scratch) => {
    await scratch.write(scratch.root, input.tree);
    const { workspaceDir, config } = scratch.toReal(input);
    const { registrations } = await loadInternalHooks({
      config,
      policy: 'configured-only',
      directories: { workspaceDir, extraDirs: readInternalHooksSection(config).extraDirs },
      machine: { platform: 'linux', env: {}, path: '' },
      loadHandler: loadHookHandler,
    });
    const log: string[] = [];
    await announce(runnerOf(registrations, { log }), internalEvent(input.trigger, {}));
    return {
      loaded: registrations.length,
      registeredKeys: [...new Set(registrations.flatMap(({ events }) => events))].sort(),
      callsOnCommandNew: log,
    };
  });
}

interface TriggerInput {
  /** Event, the handler's name, and the error that it throws, if it does. */
  readonly registrations: readonly (readonly [string, string, string?])[];
  readonly event: readonly [string, string];
}

async function trigger(input: TriggerInput): Promise<unknown> {
  const calls: string[] = [];
  const registrations = input.registrations.map(([event, name, error]) => ({
    events: [event],
    owner: name,
    source: 'openclaw-managed' as const,
    description: '',
    bootstrap: { priority: 100 },
    handler: (triggered: InternalHookEvent) => {
      calls.push(name);
      triggered.messages.push(name);
      if (error !== undefined) throw new Error(error);
    },
  }));
  const event = internalEvent(input.event, {});
  const runner = runnerOf(registrations);
  const messages = await announce(runner, event);
  return {
    calls,
    messages,
    hasListeners: runner.has(nameOf(event)),
    eventKeys: Object.keys(event).sort(),
  };
}

/** With these handlers, those of agent:bootstrap included. */
function runnerOf(registrations: readonly InternalHookRegistration[], context: object = {}): HookRunner {
  const runner = new HookRunner();
  for (const handler of packHandlers(registrations, () => context)) runner.register(handler);
  for (const [index, { events, owner, handler }] of registrations.entries()) {
    const hook = 'agent:bootstrap';
    if (events.includes(hook)) runner.register({ hook, id: `${owner} ${index}`, owner, handler });
  }
  return runner;
}

async function announce(runner: HookRunner, event: InternalHookEvent): Promise<readonly string[]> {
  const name = nameOf(event);
  if (isPackEvent(name)) return (await runner.announce(name, event)).messages;
  const { value } = await runner.chain('agent:bootstrap', [] as readonly string[], async ({ handler }, said) => {
    const own = { ...event, messages: [] };
    await handler(own);
    return [...said, ...own.messages];
  });
  return value;
}

function nameOf({ type, action }: InternalHookEvent): HookName {
  return `${type}:${action}` as HookName;
}

function internalEvent(name: readonly [string, string], context: Record<string, unknown>): InternalHookEvent {
  const [type, action] = name;
  return { type, action, sessionKey: 'agent:main:main', context, timestamp: new Date(), messages: [] };
}
