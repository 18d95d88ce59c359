// Suite hook-frontmatter: hook packs from the text of HOOK.md to the handlers that fire. The machine of the cases has
// one program (`toolA`), one file on its path that is none (`noexec`), and two environment variables.

import { chmod } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { discoverHooks } from '../../src/hooks/packs/discover-hooks.ts';
import { resolveHookCollisions } from '../../src/hooks/packs/hook-collisions.ts';
import { decideHookEligibility } from '../../src/hooks/packs/hook-eligibility.ts';
import type { HookMetadata } from '../../src/hooks/packs/hook-metadata.ts';
import type { HookSource } from '../../src/hooks/packs/hook-pack.ts';
import { internalHooksConfigured } from '../../src/hooks/packs/internal-hooks-configured.ts';
import { type HookConfig, readInternalHooksSection } from '../../src/hooks/packs/internal-hooks-section.ts';
import { loadHookHandler } from '../../src/hooks/packs/load-hook-handler.ts';
import { loadInternalHooks } from '../../src/hooks/packs/load-internal-hooks.ts';
import { parseHookMd } from '../../src/hooks/packs/parse-hook-md.ts';
import { orderInternalHookListeners, triggerInternalHook } from '../../src/hooks/packs/trigger-internal-hook.ts';
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
    await triggerInternalHook(registrations, internalEvent(input.trigger, {}), { contextFor: () => ({ log }) });
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
    handler: (triggered: InternalHookEvent) => {
      calls.push(name);
      triggered.messages.push(name);
      if (error !== undefined) throw new Error(error);
    },
  }));
  const event = internalEvent(input.event, {});
  const { messages } = await triggerInternalHook(registrations, event);
  return {
    calls,
    messages,
    hasListeners: orderInternalHookListeners(registrations, event).length > 0,
    eventKeys: Object.keys(event).sort(),
  };
}

function internalEvent(name: readonly [string, string], context: Record<string, unknown>): InternalHookEvent {
  const [type, action] = name;
  return { type, action, sessionKey: 'agent:main:main', context, timestamp: new Date(), messages: [] };
}
