// Every recorded case of how OpenClaw treats hook packs, through the functions of this folder.

import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import { discoverHooks, type HookDirectories } from './discover-hooks.ts';
import { resolveHookCollisions } from './hook-collisions.ts';
import { decideHookEligibility, type HookMachine } from './hook-eligibility.ts';
import type { HookMetadata } from './hook-metadata.ts';
import type { HookPack, HookSource } from './hook-pack.ts';
import { internalHooksConfigured } from './internal-hooks-configured.ts';
import { type HookConfig, readInternalHooksSection } from './internal-hooks-section.ts';
import { loadHookHandler } from './load-hook-handler.ts';
import { loadInternalHooks } from './load-internal-hooks.ts';
import { parseHookMd } from './parse-hook-md.ts';
import { orderInternalHookListeners, triggerInternalHook } from './trigger-internal-hook.ts';

interface Case {
  readonly id: string;
  readonly fn: keyof typeof adapter;
  readonly note?: string;
  readonly input: never;
  readonly output: unknown;
}

const vectors = new URL('../../../conformance/vectors/hook-frontmatter.json', import.meta.url);
const { cases } = JSON.parse(await readFile(vectors, 'utf8')) as { cases: Case[] };
const roots: string[] = [];
afterAll(() => Promise.all(roots.map((root) => rm(root, { recursive: true, force: true }))));

describe('recorded hook pack cases', () => {
  for (const { id, fn, note, input, output } of cases) {
    it(`${id} ${fn}: ${note}`, async () => {
      expect(await adapter[fn](input)).toEqual(output);
    });
  }
});

const adapter = {
  async parseHookMd(text: string) {
    const { frontmatter, metadata, invocation } = await parseHookMd(text);
    return { frontmatter, metadata: metadata ?? null, invocation };
  },

  async shouldIncludeHook(input: { source: HookSource; name: string; metadata?: HookMetadata; config?: HookConfig }) {
    const pack = { name: input.name, source: input.source, metadata: input.metadata };
    const { include, enableState } = await decideHookEligibility(pack, input.config, await makeMachine());
    return { include, enableState };
  },

  internalHooksConfigured: (config: HookConfig) => internalHooksConfigured(config),

  resolveHookEntries(entries: { name: string; source: HookSource; tag: string }[]) {
    const { packs, ignored } = resolveHookCollisions(entries);
    return {
      order: packs.map((pack) => pack.tag),
      ignored: ignored.map((collision) => ({ kept: collision.kept.tag, ignored: collision.ignored.tag })),
    };
  },

  async loadWorkspaceHookEntries(input: TreeInput) {
    const root = await plant(input.tree);
    const { packs } = await discoverHooks(directoriesOf(input, root));
    return packs.map((pack) => summarize(pack, root)).sort((a, b) => (a.name < b.name ? -1 : 1));
  },

  async loadInternalHooks(input: TreeInput & { trigger: [string, string] }) {
    const root = await plant(input.tree);
    const { registrations } = await loadInternalHooks({
      config: resolveRoot(input.config, root),
      policy: 'configured-only',
      directories: directoriesOf(input, root),
      machine: await makeMachine(),
      loadHandler: (file) => loadHookHandler(file),
    });
    const [type, action] = input.trigger;
    const log: string[] = [];
    const event: InternalHookEvent = makeEvent(type, action, { log });
    await triggerInternalHook(registrations, event, () => {});
    return {
      loaded: registrations.length,
      registeredKeys: [...new Set(registrations.flatMap((registration) => registration.events))].sort(),
      callsOnCommandNew: log,
    };
  },

  async triggerInternalHook(input: { registrations: [string, string, string?][]; event: [string, string] }) {
    const calls: string[] = [];
    const registrations = input.registrations.map(([key, tag, fails]) => ({
      events: [key],
      owner: tag,
      handler: (event: InternalHookEvent) => {
        calls.push(tag);
        event.messages.push(tag);
        if (fails) throw new Error(fails);
      },
    }));
    const event = makeEvent(...input.event, {});
    await triggerInternalHook(registrations, event, () => {});
    const hasListeners = orderInternalHookListeners(registrations, event).length > 0;
    return { calls, messages: event.messages, hasListeners, eventKeys: Object.keys(event).sort() };
  },
};

interface TreeInput {
  readonly tree: Readonly<Record<string, string | { symlink: string }>>;
  readonly workspaceDir: string;
  readonly managedHooksDir?: string;
  readonly bundledHooksDir?: string;
  readonly config: HookConfig;
}

async function makeRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'atrium-hooks-'));
  roots.push(root);
  return root;
}

async function plant(tree: TreeInput['tree']): Promise<string> {
  const root = await makeRoot();
  for (const [name, content] of Object.entries(tree)) {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    if (typeof content === 'string') await writeFile(path, content);
    else await symlink(content.symlink.replace('$ROOT', root), path);
  }
  return root;
}

function resolveRoot<Value>(value: Value, root: string): Value {
  return value === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll('$ROOT', root));
}

function directoriesOf(input: TreeInput, root: string): HookDirectories {
  const { workspaceDir, managedHooksDir, bundledHooksDir, config } = resolveRoot({ ...input, tree: {} }, root);
  const { extraDirs } = readInternalHooksSection(config);
  return { extraDirs, bundledDir: bundledHooksDir, managedDir: managedHooksDir, workspaceDir };
}

function summarize(pack: HookPack, root: string) {
  return {
    name: pack.name,
    source: pack.source,
    handler: relative(root, pack.handlerPath),
    md: relative(root, pack.hookMdPath),
    events: pack.metadata?.events,
  };
}

let machine: Promise<HookMachine> | undefined;

function makeMachine(): Promise<HookMachine> {
  machine ??= (async () => {
    const bin = await makeRoot();
    await writeFile(join(bin, 'toolA'), '#!/bin/sh\n');
    await chmod(join(bin, 'toolA'), 0o755);
    await writeFile(join(bin, 'noexec'), '');
    await chmod(join(bin, 'noexec'), 0o644);
    return { platform: 'linux', env: { CF_SET: '1', CF_EMPTY: '' }, path: bin };
  })();
  return machine;
}

function makeEvent(type: string, action: string, context: Record<string, unknown>): InternalHookEvent {
  return { type, action, sessionKey: 'agent:main:main', context, timestamp: new Date(0), messages: [] };
}
