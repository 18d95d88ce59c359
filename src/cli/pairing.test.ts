import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PairingRow } from '../store/tables.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeEach(async () => {
  running = await RunningGateway.create();
  const at = Date.now();
  const common = { channel: 'telegram', accountId: 'default', requestedAt: at, timesTold: 1 };
  const surface = (id: string) => ({
    channel: 'telegram',
    accountId: 'default',
    peer: { kind: 'direct' as const, id },
  });
  const rows: readonly PairingRow[] = [
    {
      ...{ ...common, senderId: '11', senderName: 'An\u001b[2Jn', surface: surface('11'), code: 'ABCD2345' },
      ...{ status: 'waiting', expiresAt: at + 3_600_000, approvedAt: null, approvedBy: null },
    },
    {
      ...{ ...common, senderId: '22', senderName: null, surface: surface('22'), code: null },
      ...{ status: 'approved', expiresAt: null, approvedAt: at, approvedBy: 'web' },
    },
    {
      ...{ ...common, senderId: '33', senderName: 'Late', surface: surface('33'), code: 'LATE2345' },
      ...{ status: 'waiting', expiresAt: 1, approvedAt: null, approvedBy: null },
    },
  ];
  await running.store.commit(
    rows.map((row) => ({ insert: 'pairings', row }) as const),
    { site: 'pairing' },
  );
});
afterEach(() => running.remove());

describe.each(['up', 'down'])('with the gateway %s', (state) => {
  beforeEach(async () => {
    if (state === 'up') await running.start();
  });

  it('atrium pairing list shows who waits and who may talk, and nothing moves the cursor', async () => {
    const { code, out } = await running.home.run(['pairing', 'list']);
    expect(code).toBe(0);
    expect(out).toMatch(/telegram +default +11 +An \[2Jn +ABCD2345 +waits, /);
    expect(out).toMatch(/telegram +default +22 .*may talk since .*, approved by web/);
    expect(out).not.toContain('LATE2345');
    expect(out).not.toContain('\u001b');
    expect((await running.home.run(['pairing', 'list', 'slack'])).out).toBe(
      'No person waits for an answer, and none was approved.\n',
    );
  });
});

it('atrium pairing approve and revoke act through the gateway, and atrium status counts who waits', async () => {
  await running.start();
  expect((await running.home.run(['status'])).out).toMatch(/^pairing +1 waiting \(atrium pairing list\)$/m);
  expect((await running.home.run(['pairing', 'approve', 'telegram', 'abcd2345'])).out).toBe(
    '11 (An [2Jn) may talk on telegram now, and is told so.\n',
  );
  expect(await running.store.select('pairings', { where: { senderId: '11' } })).toMatchObject([
    { status: 'approved', approvedBy: 'cli' },
  ]);
  expect((await running.home.run(['pairing', 'revoke', 'telegram', '22'])).out).toBe(
    '22 may not talk on telegram any more.\n',
  );
  const again = await running.home.run(['pairing', 'approve', 'telegram', 'LATE2345']);
  expect(again.code).not.toBe(0);
  expect(again.err).toContain('atrium pairing list');
});

it('atrium pairing revoke says that a request is refused when the person only waited', async () => {
  await running.start();
  expect((await running.home.run(['pairing', 'revoke', 'telegram', '11'])).out).toBe(
    'The request of 11 on telegram is refused.\n',
  );
  expect(await running.store.count('pairings', { senderId: '11' })).toBe(0);
});

it('atrium pairing approve says that it needs a gateway', async () => {
  const { code, err } = await running.home.run(['pairing', 'approve', 'telegram', 'ABCD2345']);
  expect(code).not.toBe(0);
  expect(err).toContain('atrium start');
});
