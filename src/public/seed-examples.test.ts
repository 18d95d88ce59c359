// Tests the bootstrap contract's own example handlers, with nothing changed but their import paths: handlers that were
// written for the contract work here too.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import { type ComposeOptions, compose, registerBootstrapHandler } from './context.ts';
import agentOverrideHandler from './fixtures/seed-examples/agent-overrides.ts';
import ciModeHandler from './fixtures/seed-examples/ci-mode.ts';
import timeContextHandler from './fixtures/seed-examples/time-context.ts';

const undo: (() => void)[] = [];

const scratch = workspaceForEachTest({
  'AGENTS.md': 'agents',
  'TOOLS.md': 'tools',
  'USER.md': 'user',
  'HEARTBEAT.md': 'beat',
});
beforeEach(async () => {
  vi.stubEnv('HOME', scratch.root);
  for (const name of ['CI', 'OPENCLAW_SESSION_TYPE', 'OPENCLAW_HOME', 'OPENCLAW_STATE_DIR', 'OPENCLAW_CONFIG_PATH'])
    vi.stubEnv(name, undefined);
});
afterEach(async () => {
  for (const each of undo.splice(0)) each();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** The bundled handlers of the same purpose are switched off, so that only the examples act. */
const OFF = { bootstrap: { hooks: { 'agent-overrides': { enabled: false }, 'ci-mode': { enabled: false } } } };

function composeScratch(options: ComposeOptions = {}) {
  return compose({ workspaceDir: scratch.workspaceDir, config: OFF, ...options });
}

async function agentsFile(options?: ComposeOptions): Promise<string | undefined> {
  const { files } = await composeScratch(options);
  return files.find(({ name }) => name === 'AGENTS.md')?.content;
}

/** Local time, because the example asks the clock itself. */
function setHour(hour: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 4, 6, hour, 30) });
}

describe('the time-of-day example', () => {
  beforeEach(() => {
    undo.push(registerBootstrapHandler({ id: 'example-time', handler: timeContextHandler, priority: 100 }));
  });

  it.each([22, 23, 0, 5])('speaks of the night at %i', async (hour) => {
    setHour(hour);
    expect(await agentsFile()).toMatch(/^agents\n\n---\n\n## 🌙 Overnight Mode Active\n\n.*reasoning$/s);
  });

  it.each([6, 8])('speaks of the morning at %i', async (hour) => {
    setHour(hour);
    expect(await agentsFile()).toMatch(/^agents\n\n---\n\n## ☀️ Morning Mode\n\n.*overnight$/s);
  });

  it.each([9, 12, 21])('says nothing at %i', async (hour) => {
    setHour(hour);
    expect(await agentsFile()).toBe('agents');
  });
});

describe('the per-agent override example', () => {
  beforeEach(() => {
    undo.push(registerBootstrapHandler({ id: 'example-overrides', handler: agentOverrideHandler, priority: 50 }));
  });

  it('appends what the agent’s folder holds, and makes files that are missing', async () => {
    await scratch.write('../.openclaw/agents/ana/AGENTS.md', 'be brief');
    await scratch.write('../.openclaw/agents/ana/SOUL.md', 'be warm');
    const { files } = await composeScratch({ agentId: 'ana' });
    const contents = files.filter(({ missing }) => !missing).map(({ name, content }) => [name, content]);
    expect(contents).toContainEqual(['AGENTS.md', 'agents\n\n---\n\n\n## Agent-Specific: ana\n\nbe brief']);
    expect(contents).toContainEqual(['SOUL.md', '\n## Agent-Specific: ana\n\nbe warm']);
  });

  it('leaves other agents alone', async () => {
    await scratch.write('../.openclaw/agents/ana/AGENTS.md', 'be brief');
    expect(await agentsFile({ agentId: 'bob' })).toBe('agents');
  });
});

describe('the pipeline example', () => {
  beforeEach(() => {
    undo.push(registerBootstrapHandler({ id: 'example-ci', handler: ciModeHandler, priority: 200 }));
  });

  it.each([
    ['CI', 'true'],
    ['OPENCLAW_SESSION_TYPE', 'ci'],
  ])('takes out what needs a person and says so, with %s=%s', async (name, value) => {
    vi.stubEnv(name, value);
    const { files, report } = await composeScratch();
    expect(files.filter(({ missing }) => !missing).map((file) => file.name)).toEqual(['AGENTS.md', 'TOOLS.md']);
    expect(files[0]?.content).toMatch(/^agents\n\n---\n\n## 🤖 CI Mode\n\n.*complete$/s);
    expect(report.absences).toContainEqual(
      expect.objectContaining({ what: 'USER.md', reason: 'removed-by-handler', by: 'example-ci' }),
    );
  });

  it.each([undefined, 'false', '1'])('does nothing with CI=%s', async (value) => {
    vi.stubEnv('CI', value);
    expect(await agentsFile()).toBe('agents');
  });
});

it('runs the three together, in the order of their priorities, each named in the report', async () => {
  vi.stubEnv('CI', 'true');
  setHour(23);
  await scratch.write('../.openclaw/agents/main/AGENTS.md', 'be brief');
  undo.push(
    registerBootstrapHandler({ id: 'example-ci', handler: ciModeHandler, priority: 200 }),
    registerBootstrapHandler({ id: 'example-time', handler: timeContextHandler }),
    registerBootstrapHandler({ id: 'example-overrides', handler: agentOverrideHandler, priority: 50 }),
  );
  const { files, report } = await composeScratch();
  const headings = files[0]?.content?.match(/^## .*$/gm);
  expect(headings).toEqual(['## Agent-Specific: main', '## 🌙 Overnight Mode Active', '## 🤖 CI Mode']);
  expect(report.handlers.filter(({ owner }) => owner === 'program').map(({ id, outcome }) => [id, outcome])).toEqual([
    ['example-overrides', 'done'],
    ['example-time', 'done'],
    ['example-ci', 'done'],
  ]);
});
