import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunningGateway } from './fixtures/running-gateway.ts';

const key = 'agent:main:web:direct:tab-1';

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
});
afterEach(() => running.remove());

describe.each(['up', 'down'])('with the gateway %s', (state) => {
  beforeEach(async () => {
    if (state === 'up') await running.start();
  });

  it('atrium sessions list shows the conversations', async () => {
    const { code, out } = await running.home.run(['sessions', 'list']);
    expect(code).toBe(0);
    expect(out).toMatch(/^agent:main:web:direct:tab-1 +hi +main +2023-11-14 22:13:20 +2023-11-14 22:13:20 +open$/m);
    expect(await running.home.runJson(['sessions', 'list', '--agent', 'coder'])).toEqual({ sessions: [] });
    expect((await running.home.run(['sessions', 'list', '--agent', 'coder'])).out).toContain('no sessions yet');
    expect(await running.home.runJson(['sessions', 'list', '--all'])).toMatchObject({
      sessions: [{ sessionKey: key }],
    });
  });

  it('atrium sessions search finds what was said, once it is indexed', async () => {
    await running.store.commit(
      [
        {
          insert: 'entryWords',
          row: {
            sessionId: running.filled.sessionId,
            position: 4,
            agentId: 'main',
            at: 1_700_000_000_004,
            words: 'hello there',
          },
        },
        { insert: 'entriesToIndex', row: { sessionId: 'ses_x', position: 1 } },
      ],
      { site: 'word-index' },
    );
    const { code, out } = await running.home.run(['sessions', 'search', 'HELLO', 'th']);
    expect(code).toBe(0);
    expect(out).toMatch(/^2023-11-14 22:13:20 +agent:main:web:direct:tab-1 +main +hello there$/m);
    // A gateway would have looked after the entry that is not there.
    if (state === 'down') expect(out).toMatch(/^1 message said just now cannot be found yet\.$/m);
    expect((await running.home.run(['sessions', 'search', 'nowhere'])).out).toContain(
      'Nothing that was said has these words.',
    );
  });

  it('atrium sessions show tells what was said, and nothing moves the cursor', async () => {
    const { out } = await running.home.run(['sessions', 'show', key]);
    expect(out).toContain(`-- ${running.filled.runId}, 2023-11-14`);
    expect(out).toMatch(/^user {4}hi$/m);
    expect(out).toMatch(/^agent {3}Let me look\.$/m);
    expect(out).toMatch(/^calls {3}read \{"path":"AGENTS\.md"\}$/m);
    expect(out).toMatch(/^read {4}# Agents\n {8} \[31mred$/m);
    expect(out).toMatch(/^agent {3}hello there$/m);
    expect(out).not.toContain('\u001b');
    const short = await running.home.run(['sessions', 'show', running.filled.sessionId, '--limit', '1']);
    expect(short.out).toContain('4, the last 1 of them here');
    expect(short.out).not.toContain('Let me look.');
  });

  it('atrium sessions show says when there is no such session', async () => {
    const { code, err } = await running.home.run(['sessions', 'show', 'agent:main:nobody']);
    expect(code).toBe(2);
    expect(err).toContain('There is no session "agent:main:nobody"');
    expect((await running.home.run(['sessions', 'show', key, '--limit', 'many'])).err).toContain('from 1 to 500');
  });
});

describe('changing a session', () => {
  it('needs a running gateway, and says so', async () => {
    for (const command of ['reset', 'delete', 'rename', 'archive']) {
      const { code, err } = await running.home.run(['sessions', command, key]);
      expect(code).toBe(2);
      expect(err).toMatch(/No gateway is running.*atrium start/);
    }
  });

  it('gives it a title, puts it away and takes it out again', async () => {
    await running.start();
    const list = async (...flags: string[]) => (await running.home.run(['sessions', 'list', ...flags])).out;
    const renamed = await running.home.run(['sessions', 'rename', key, 'Holiday', '\u001b[31mplans\nfor', 'June']);
    expect(renamed.out).toBe(`${key} is now called "Holiday plans for June".\n`);
    expect(await list()).toMatch(/tab-1 +Holiday plans for June +main/);
    expect((await running.home.run(['sessions', 'archive', key])).out).toBe(`${key} is put away.\n`);
    expect(await list()).toContain('no sessions yet');
    expect(await list('--archived')).toMatch(/Holiday plans.* put away$/m);
    expect(await list('--archived')).not.toMatch(/ open$/m);
    expect(await list('--all')).toContain('Holiday plans');
    expect((await running.home.run(['sessions', 'archive', key, '--undo'])).out).toBe(`${key} is listed again.\n`);
    expect((await running.home.run(['sessions', 'rename', key])).out).toBe(`${key} has no title any more.\n`);
    expect(await list()).toMatch(/tab-1 +hi +main/);
    const { code, err } = await running.home.run(['sessions', 'rename', 'agent:main:nobody', 'x']);
    expect([code, err]).toEqual([2, expect.stringContaining('There is no session "agent:main:nobody"')]);
  });

  it('ends or deletes it', async () => {
    await running.start();
    expect((await running.home.run(['sessions', 'reset', key])).out).toBe(
      `${key} has ended. The next message begins a new session.\n`,
    );
    expect((await running.home.run(['sessions', 'list'])).out).toContain('no sessions yet');
    expect((await running.home.run(['sessions', 'list', '--all'])).out).toContain('ended (reset)');
    expect(await running.home.runJson(['sessions', 'delete', key])).toEqual({ sessionKey: key, deleted: true });
    expect((await running.home.run(['sessions', 'show', key])).out).not.toContain('hello there');
  });
});

describe('a home without a store', () => {
  it('has nothing to read while the gateway is down', async () => {
    const { home } = running;
    const { err } = await home.run(['sessions', 'list'], { env: { OPENCLAW_STATE_DIR: `${home.home}/empty` } });
    expect(err).toContain('No gateway is running');
  });
});
