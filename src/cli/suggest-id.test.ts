import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
});
afterEach(() => running.remove());

const errorOf = async (...argv: readonly string[]) => (await running.home.run(argv)).err;

describe.each(['up', 'down'])('an id that the gateway does not know, with the gateway %s', (state) => {
  beforeEach(async () => {
    if (state === 'up') await running.start();
  });

  it('gets the one that was probably meant', async () => {
    const { runId, sessionId } = running.filled;
    expect(await errorOf('sessions', 'show', 'agent:main:web:direct:tap-1')).toMatch(
      /There is no session "agent:main:web:direct:tap-1"\..* Did you mean "agent:main:web:direct:tab-1"\?\n$/,
    );
    expect(await errorOf('sessions', 'show', `${sessionId}x`)).toContain(`Did you mean "${sessionId}"?`);
    expect(await errorOf('run', 'show', `${runId}0`)).toContain(`Did you mean "${runId}"?`);
  });

  it('gets the only one that a piece was copied from', async () => {
    const { runId } = running.filled;
    expect(await errorOf('run', 'show', runId.slice(6, 14))).toContain(`Did you mean "${runId}"?`);
    expect(await errorOf('run', 'show', 'run')).not.toContain('Did you mean');
  });

  it('gets no suggestion when none is near', async () => {
    const err = await errorOf('sessions', 'show', 'agent:coder:nothing-of-the-kind');
    expect(err).toContain('There is no session');
    expect(err).not.toContain('Did you mean');
  });
});

describe('a running gateway', () => {
  beforeEach(() => running.start());

  it('is asked for jobs in the same way', async () => {
    const { out } = await running.home.run([
      'cron',
      'add',
      '--name',
      'standup',
      '--message',
      'Prepare it.',
      '--every',
      '1h',
      '--json',
    ]);
    const { id } = JSON.parse(out).job as { id: string };
    expect(await errorOf('cron', 'rm', id.slice(0, -1))).toContain(`Did you mean "${id}"?`);
  });
});

it('a chat platform is suggested, too', async () => {
  expect(await errorOf('channels', 'add', 'telegrm')).toContain(
    'There is no channel "telegrm". Did you mean "telegram"?',
  );
  expect(await errorOf('channels', 'try', 'slak')).toContain('Did you mean "slack"?');
  expect(await errorOf('channels', 'add', 'carrier-pigeon')).toContain('Atrium has discord, slack, telegram.');
});
