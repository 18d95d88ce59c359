import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
});
afterEach(() => running.remove());

describe('atrium deadletters', () => {
  it('lists and shows them, with the gateway down too', async () => {
    const list = await running.home.run(['deadletters', 'list']);
    expect(list.out).toMatch(/^dead_out +out +\S+ \S+ +agent:main:web:direct:tab-1 +The platform refused it\.$/m);
    expect(list.out).toMatch(/^dead_in +in /m);
    const { out } = await running.home.run(['deadletters', 'show', 'dead_in']);
    expect(out).toContain('a message that was not answered');
    expect(out).toContain('"text": "do it"');
    expect((await running.home.run(['deadletters', 'show', 'dead_x'])).err).toContain('no dead letter "dead_x"');
  });

  it('sends one again', async () => {
    await running.start();
    const { out } = await running.home.run(['deadletters', 'replay', 'dead_out']);
    expect(out).toBe(`dead_out is sent again as ${running.filled.runId}.\n`);
    const again = await running.home.run(['deadletters', 'replay', 'dead_out']);
    expect(again.code).toBe(2);
  });

  it('removes some, or all when asked to in so many words', async () => {
    await running.start();
    expect((await running.home.run(['deadletters', 'purge'])).err).toContain('either ids or --all');
    expect((await running.home.run(['deadletters', 'purge', 'dead_in', '--all'])).code).toBe(2);
    expect((await running.home.run(['deadletters', 'purge', 'dead_in'])).out).toBe('1 dead letter removed.\n');
    expect(await running.home.runJson(['deadletters', 'purge', '--all'])).toEqual({ purged: 1 });
    expect((await running.home.run(['deadletters', 'list'])).out).toBe('There are no dead letters.\n');
  });

  it('changes nothing while the gateway is down', async () => {
    for (const argv of [
      ['replay', 'dead_in'],
      ['purge', '--all'],
    ]) {
      expect((await running.home.run(['deadletters', ...argv])).err).toContain('No gateway is running');
    }
    expect(await running.store.count('deadLetters')).toBe(2);
  });
});
