import { describe, expect, it } from 'vitest';
import type { Channel } from '../channels/channel.ts';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply } from '../testkit/model-server.ts';
import { type GatewayPart, openParts } from './gateway-part.ts';

const STOP = { reason: 'shutdown', left: () => 0 } as const;

function recorded() {
  const log: string[] = [];
  const part = (name: string, trouble: { open?: string; close?: string } = {}): GatewayPart => ({
    name,
    open: () => {
      if (trouble.open) throw new Error(trouble.open);
      log.push(`open ${name}`);
    },
    close: async () => {
      if (trouble.close) throw new Error(trouble.close);
      log.push(`close ${name}`);
    },
  });
  const warnings: string[] = [];
  return { log, part, warnings, warn: (sentence: string) => void warnings.push(sentence) };
}

describe('the parts of a gateway', () => {
  it('are opened in their order and closed in the reverse one, once', async () => {
    const { log, part, warn } = recorded();
    const close = await openParts([part('a'), part('b'), { name: 'neither' }, part('c')], warn);
    await Promise.all([close(STOP), close(STOP)]);
    expect(log).toEqual(['open a', 'open b', 'open c', 'close c', 'close b', 'close a']);
  });

  it('that were opened are closed again when one cannot be opened, and that one is named', async () => {
    const { log, part, warn } = recorded();
    const opening = openParts([part('the store'), part('the lanes'), part('the outbox', { open: 'no room' })], warn);
    await expect(opening).rejects.toMatchObject({
      code: 'ATRIUM_GATEWAY_PART',
      message: 'The gateway could not open the outbox: no room. Everything that was open was closed again.',
    });
    expect(log).toEqual(['open the store', 'open the lanes', 'close the lanes', 'close the store']);
  });

  it('that cannot be closed keep no other one open', async () => {
    const { log, part, warnings, warn } = recorded();
    const close = await openParts([part('a'), part('b', { close: 'stuck' }), part('c')], warn);
    await close(STOP);
    expect(log.slice(3)).toEqual(['close c', 'close a']);
    expect(warnings).toEqual(['b could not be closed: stuck']);
  });
});

it('a gateway whose channel cannot be opened releases its state directory, and can be started when that is mended', async () => {
  let isBroken = false;
  const broken = {
    id: 'broken',
    guarantee: { level: 'at-most-once', because: 'it is a test' },
    maxTextLength: 100,
    open: async () => {
      if (isBroken) throw new Error('the platform is down');
    },
    send: async () => ({ outcome: 'sent', receipt: null }),
    close: async () => {},
  } as unknown as Channel;
  const scratch = await gatewayForTest({ channels: [broken] });
  await scratch.stop();
  isBroken = true;
  await expect(scratch.start()).rejects.toThrow('could not open the channels: the platform is down.');
  isBroken = false;
  await scratch.start();
  scratch.model.script([reply('Here.')]);
  await scratch.channel.says({}, 'hello');
  await scratch.channel.expectDelivered('Here.');
});

it('a changed setting that needs a restart is named, and one that does not is not', async () => {
  const scratch = await gatewayForTest({});
  const config = JSON.parse(await scratch.home.read('openclaw.json'));
  await scratch.home.write(
    'openclaw.json',
    JSON.stringify({ ...config, plugins: { deny: ['x'] }, cron: { enabled: false } }),
  );
  await expect
    .poll(() => scratch.warnings.filter((each) => each.includes('changed')))
    .toEqual(['The configuration was changed in cron.enabled. That is taken up at the next start.']);
});
