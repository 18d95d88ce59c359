// A configuration that is changed while the gateway runs: what the commands say is what the gateway does.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunningGateway } from './fixtures/running-gateway.ts';

let gateway: RunningGateway;
beforeEach(async () => {
  gateway = await RunningGateway.create({ 'workspace/AGENTS.md': '# Rules\n\nBe brief.\n' });
  await gateway.start();
});
afterEach(() => gateway.remove());

const AGENTS = { agents: { list: [{ id: 'main', default: true }, { id: 'coder' }] } };
const run = (...argv: string[]) => gateway.home.run(argv);
const write = (more: object) => gateway.home.write('openclaw.json', JSON.stringify({ ...AGENTS, ...more }));

/** What the gateway itself would send. */
async function sent(): Promise<string> {
  const { out } = await run('context', 'preview', '--message', 'hello', '--body');
  return out;
}

const rule = { id: 'quiet', file: 'AGENTS.md', text: 'Whisper after ten.' };

describe('a changed configuration and a running gateway', () => {
  it('agree on a new rule', async () => {
    expect(await sent()).not.toContain('Whisper after ten.');
    await write({ bootstrap: { rules: [rule] } });
    const { out, err } = await run('context', 'explain', 'Whisper after ten.');
    expect(out).toContain('is in the prompt, once');
    expect(await sent()).toContain('Whisper after ten.');
    expect(err).toBe('');
  });

  it('agree on what is switched off', async () => {
    await write({ bootstrap: { rules: [rule] } });
    expect(await sent()).toContain('Whisper after ten.');
    const { out } = await run('hooks', 'disable', 'rule:quiet');
    expect(out).toMatch(/rule:quiet is disabled now\.\nThe running gateway has taken it up\.\n$/);
    expect(await sent()).not.toContain('Whisper after ten.');
    expect((await run('hooks', 'list')).out).toContain('rule:quiet (off)');
  });

  it('agree on a new hook pack and on one that is gone', async () => {
    await gateway.home.write('hooks/greeter/HOOK.md', HOOK_MD);
    await gateway.home.write('hooks/greeter/handler.js', HANDLER);
    expect((await run('hooks', 'list')).out).toContain('hook:greeter');
    expect(await sent()).toContain('Say good day.');
    await gateway.home.write('hooks/greeter/handler.js', HANDLER.replace('good day', 'good evening'));
    expect(await sent()).toContain('Say good evening.');
    await run('hooks', 'disable', 'greeter');
    expect(await sent()).not.toContain('Say good');
  });

  it('is said of an agent as people write it, with both values, where it needs a restart', async () => {
    const set = await run('config', 'set', 'agents.list[1].workspace', '/elsewhere');
    expect(set.out).toContain('The running gateway takes it up at its next start: agents.list[1].workspace.');
    await run('config', 'set', 'agents.list[1].default', 'true');
    await run('config', 'set', 'agents.list[0].default', 'false');
    expect((await run('status')).out).toContain(
      '  agents.list[0].default: true is in use, the file says false\n' +
        '  agents.list[1].default: (not set) is in use, the file says true\n' +
        '  agents.list[1].workspace: (not set) is in use, the file says "/elsewhere"\n',
    );
  });

  it('is said of a variable in a .env file by its name, and never with its value', async () => {
    await gateway.home.write('.env', 'FIRST_KEY=one-secret\nSECOND_KEY=two-secret\nTHIRD_KEY=three-secret\n');
    await gateway.stop();
    await gateway.start();
    expect((await run('status')).out).not.toContain('changed since start');
    await gateway.home.write('.env', 'FIRST_KEY=one-secret\nSECOND_KEY=other-secret\nGROQ_API_KEY=four-secret\n');
    const file = gateway.home.path('.env');
    const names = ['GROQ_API_KEY', 'SECOND_KEY', 'THIRD_KEY'].map((name) => `${name} in ${file}`);
    expect((await run('tools', 'list')).err).toContain(`The configuration was changed in ${names.join(', ')}.`);
    const { out } = await run('status');
    expect(out).toContain(
      `  GROQ_API_KEY in ${file}: (not set) is in use, the file says "[redacted]"\n` +
        `  SECOND_KEY in ${file}: the file says another value; both are hidden\n` +
        `  THIRD_KEY in ${file}: "[redacted]" is in use, the file says (not set)\n`,
    );
    expect(out).not.toContain('-secret');
    await gateway.home.write('.env', 'FIRST_KEY=one-secret\nSECOND_KEY=two-secret\nTHIRD_KEY=three-secret\n');
    await run('tools', 'list');
    expect((await run('status')).out).not.toContain('changed since start');
  });

  it('is said by every command, and by status, where it needs a restart', async () => {
    await write({ session: { idleMinutes: 7, mainKey: 'home' }, gateway: { port: 4321 } });
    const sentence =
      'note: The configuration was changed in gateway.port, session.mainKey. That is taken up at the next start. This answer is about the gateway as it runs.\n';
    for (const argv of [
      ['context', 'preview'],
      ['context', 'preview', '--message', 'hello'],
      ['context', 'report'],
      ['context', 'explain', 'Be brief.'],
      ['context', 'diff', '--at', '10:00', '--at', '23:00'],
      ['context', 'check', '--update'],
      ['hooks', 'list'],
      ['hooks', 'info', 'time-context'],
      ['hooks', 'check'],
      ['hooks', 'status'],
      ['hooks', 'enable', 'time-context'],
      ['tools', 'list'],
      ['tools', 'explain'],
      ['plugins', 'list'],
    ])
      expect([argv, (await run(...argv)).err]).toEqual([argv, sentence]);
    const { out } = await run('status');
    expect(out).toContain(
      'changed since start (restart to use it: atrium restart):\n' +
        '  gateway.port: (not set) is in use, the file says 4321\n' +
        '  session.mainKey: (not set) is in use, the file says "home"\n',
    );
    const told = JSON.parse((await run('status', '--json')).out);
    expect(told.changedSinceStart).toEqual([
      { path: 'gateway.port', inUse: null, inFile: 4321 },
      { path: 'session.mainKey', inUse: null, inFile: 'home' },
    ]);
    expect(told.warnings.join('\n')).not.toContain('was changed');
    await write({ session: { idleMinutes: 7 } });
    await run('hooks', 'list');
    expect((await run('status')).out).not.toContain('changed since start');
  });

  it('is said to be unusable where it is', async () => {
    await gateway.home.write('openclaw.json', '{ bootstrap: { rules: "all" } }');
    const { err } = await run('hooks', 'list');
    expect(err).toMatch(/^note: The configuration was changed and cannot be used.*bootstrap\.rules/);
    expect((await run('status')).out).toMatch(/The configuration was changed and cannot be used/);
  });

  it('is not asked about when a command names a configuration of its own', async () => {
    await gateway.home.write('other.json', JSON.stringify({ bootstrap: { rules: [rule] } }));
    const { out, err } = await run(
      'context',
      'explain',
      'Whisper after ten.',
      '--config',
      gateway.home.path('other.json'),
    );
    expect(out).toContain('is in the prompt, once');
    expect(err).toBe('');
  });
});

const HOOK_MD = `---
name: greeter
description: Greets.
metadata: { "openclaw": { "events": ["agent:bootstrap"] } }
---
`;
const HANDLER = `export default ({ context }) => {
  context.bootstrapFiles[0].content += '\\nSay good day.\\n';
};
`;
