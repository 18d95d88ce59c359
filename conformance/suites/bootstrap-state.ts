// Suite bootstrap-state: first runs, from seeding a workspace to knowing that it is over, and the two switches that
// decide whether bootstrap files and heartbeat guidance are in a prompt at all.

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveContextInjectionMode } from '../../src/config/context-injection.ts';
import { type HeartbeatGuidanceFacts, shouldIncludeHeartbeatGuidance } from '../../src/config/heartbeat-guidance.ts';
import type { Config } from '../../src/config/schema.ts';
import { type BootstrapModeFacts, resolveBootstrapMode } from '../../src/context/workspace/bootstrap-mode.ts';
import {
  FULL_BOOTSTRAP_MARKER,
  hasCompletedBootstrapTurn,
} from '../../src/context/workspace/completed-bootstrap-turn.ts';
import { ensureAgentWorkspace } from '../../src/context/workspace/ensure-workspace.ts';
import { loadFirstRunStatus } from '../../src/context/workspace/workspace-state.ts';
import type { SuiteAdapter } from '../adapter.ts';
import { type ContentSpec, expandContent } from '../content-spec.ts';
import { type TreeSpec, withScratchTree } from '../scratch-tree.ts';

export const bootstrapState: SuiteAdapter = {
  resolveBootstrapMode: (input) => resolveBootstrapMode(input as BootstrapModeFacts),
  resolveContextInjectionMode: (input) => {
    const { cfg, agentId } = input as { cfg?: Config; agentId?: string };
    return resolveContextInjectionMode(cfg, agentId);
  },
  shouldIncludeHeartbeatGuidance: (input) => shouldIncludeHeartbeatGuidance(input as HeartbeatGuidanceFacts),
  hasCompletedBootstrapTurn: (input) => askSessionFile(input as SessionFileInput),
  ensureAgentWorkspace: (input) => seed(input as SeedInput),
};

interface SessionFileInput {
  readonly lines?: string | readonly unknown[];
  readonly missing?: boolean;
  readonly symlink?: boolean;
}

function askSessionFile({ lines = [], missing, symlink: isLink }: SessionFileInput): Promise<boolean> {
  return withScratchTree({}, async ({ root }) => {
    const file = join(root, 'session.jsonl');
    const target = isLink ? join(root, 'elsewhere.jsonl') : file;
    if (!missing) await writeFile(target, `${sessionLines(lines).join('\n')}\n`);
    if (isLink) await symlink(target, file);
    return hasCompletedBootstrapTurn(file);
  });
}

/** Records stand as they are; only the very long ones are described in words. */
function sessionLines(lines: string | readonly unknown[]): string[] {
  if (typeof lines !== 'string') return lines.map(sessionLine);
  const count = Number(/^marker \+ (\d+) message records$/.exec(lines)?.[1]);
  if (Number.isNaN(count)) throw new Error(`cannot build the session file that is described as "${lines}"`);
  return [
    JSON.stringify({ type: 'custom', customType: FULL_BOOTSTRAP_MARKER }),
    ...Array(count).fill(messageLine('hi')),
  ];
}

function sessionLine(line: unknown): string {
  if (typeof line !== 'string') return JSON.stringify(line);
  const length = /^<(\d+)-char message record>$/.exec(line)?.[1];
  return length === undefined ? line : messageLine('x'.repeat(Number(length)));
}

function messageLine(content: string): string {
  return JSON.stringify({ type: 'message', message: { role: 'assistant', content } });
}

interface SeedInput {
  readonly tree: TreeSpec;
  readonly opts: Record<string, unknown>;
  /** On every run after the first, BOOTSTRAP.md has been deleted before. */
  readonly times: number;
}

function seed({ tree, opts, times }: SeedInput): Promise<unknown> {
  return withScratchTree({ $WS: 'ws' }, async (scratch) => {
    const dir = scratch.path('$WS');
    if (Object.keys(tree).length > 0) await scratch.write(dir, tree);
    // Whether a repository is asked for is the question here, not whether this machine has git.
    const initRepository = async (at: string) => void (await mkdir(join(at, '.git')));
    const ensure = () =>
      ensureAgentWorkspace({ ensureBootstrapFiles: true, ...opts, dir, now: new Date(), initRepository });
    let workspace = await ensure();
    for (let run = 1; run < times; run++) {
      await rm(join(dir, 'BOOTSTRAP.md'), { force: true });
      workspace = await ensure();
    }
    const names = await readdir(dir);
    return {
      files: names.filter((name) => name !== '.git').sort(),
      gitInit: names.includes('.git'),
      state: await readState(dir),
      identityPathCreated: workspace.identityPathCreated,
      keys: Object.keys(workspace).sort(),
      status: await loadFirstRunStatus(dir),
      kept: await listKept(dir, tree),
    };
  });
}

async function readState(dir: string): Promise<unknown> {
  const path = join(dir, '.openclaw', 'workspace-state.json');
  return existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : null;
}

/** File -> whether it still says what it said before. */
async function listKept(dir: string, tree: TreeSpec): Promise<Record<string, boolean>> {
  const kept: Record<string, boolean> = {};
  for (const [name, content] of Object.entries(tree)) {
    const text = await readFile(join(dir, name), 'utf8').catch(() => undefined);
    kept[name] = text === expandContent(content as ContentSpec);
  }
  return kept;
}
