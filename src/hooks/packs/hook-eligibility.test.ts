import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decideHookEligibility, formatUnmetNeed, type HookMachine } from './hook-eligibility.ts';
import type { HookMetadata } from './hook-metadata.ts';

let bin: string;
let machine: HookMachine;

beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), 'atrium-bin-'));
  await writeFile(join(bin, 'tool'), '');
  await chmod(join(bin, 'tool'), 0o755);
  await mkdir(join(bin, 'folder'));
  machine = { platform: 'linux', env: { SET: '1' }, path: `:${join(bin, 'nowhere')}:${bin}` };
});
afterAll(() => rm(bin, { recursive: true, force: true }));

function decide(metadata: Partial<HookMetadata>, config = {}, on: HookMachine = machine) {
  const pack = { name: 'h', source: 'openclaw-managed', metadata: { events: [], ...metadata } } as const;
  return decideHookEligibility(pack, config, on);
}

function needs(requires: Partial<HookMetadata['requires'] & {}>): Partial<HookMetadata> {
  return { requires: { bins: [], anyBins: [], env: [], config: [], ...requires } };
}

describe('whether a hook may run here', () => {
  it('names everything that is missing at once', async () => {
    const { include, unmet } = await decide(
      {
        os: ['darwin'],
        ...needs({ bins: ['tool', 'nope'], anyBins: ['x', 'y'], env: ['SET', 'UNSET'], config: ['a.b'] }),
      },
      { hooks: { internal: { entries: { h: { enabled: false } } } } },
    );
    expect(include).toBe(false);
    expect(unmet.map(formatUnmetNeed)).toEqual([
      'Disabled in the configuration: hooks.internal.entries["h"].enabled is false.',
      'Runs on darwin only; this machine is linux.',
      'Needs on the PATH: nope.',
      'Needs one of these on the PATH: x, y.',
      'Needs these environment variables to be set: UNSET.',
      'Needs these configuration values to be set: a.b.',
    ]);
  });

  it('does not take a directory for a program', async () => {
    expect((await decide(needs({ bins: ['folder'] }))).include).toBe(false);
    expect((await decide(needs({ bins: ['tool'] }))).include).toBe(true);
  });

  it('counts a connected machine of the right platform', async () => {
    const remote = { ...machine, remotePlatforms: ['darwin'] };
    expect((await decide({ os: ['darwin'] }, {}, remote)).include).toBe(true);
  });

  it('holds `always` hooks to their platform', async () => {
    const { unmet } = await decide({ always: true, os: ['darwin'], ...needs({ bins: ['nope'] }) });
    expect(unmet.map((need) => need.code)).toEqual(['os']);
  });

  it('finds nothing in the prototypes of objects', async () => {
    const inherited = needs({ env: ['constructor'], config: ['hooks.constructor', 'toString'] });
    const { unmet } = await decide(inherited, { hooks: {} });
    expect(unmet.map((need) => need.code)).toEqual(['env', 'config']);
  });

  it('tells how to allow a workspace hook, by its key', async () => {
    const pack = { name: 'h', source: 'openclaw-workspace', metadata: { events: [], hookKey: 'k' } } as const;
    const { unmet } = await decideHookEligibility(pack, {}, machine);
    expect(unmet.map(formatUnmetNeed)).toEqual([
      'Workspace hooks are off until you allow them: set hooks.internal.entries["k"].enabled to true.',
    ]);
  });
});
