import { expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { hang } from '../testkit/model-server.ts';
import { RunLedger } from './run-ledger.ts';

it('throws the error of a commit that the run did not wait for at the next commit, and once', async () => {
  const { ledger, scratch, runId } = await ledgerOfAnOpenRun();
  const unwritable = { details: 10n } as never;
  ledger.commitLater('next-request', [ledger.step('request', unwritable)]);
  const end = { update: 'runs', where: { runId }, set: { endedAt: 7 } } as const;
  await expect(ledger.commit('result', [end])).rejects.toThrow(/cannot be written as JSON/);
  expect(await scratch.store.select('runs', { where: { runId } })).toMatchObject([{ endedAt: null }]);
  await ledger.commit('failure', [end]);
  expect(await scratch.store.select('runs', { where: { runId } })).toMatchObject([{ endedAt: 7 }]);
});

it('opens the session with the first commit that succeeds', async () => {
  const { ledger, scratch } = await ledgerOfAnOpenRun();
  await expect(ledger.commit('request', [ledger.step('request', { n: 10n } as never)])).rejects.toThrow();
  expect(await scratch.store.select('sessions')).toMatchObject([{ resumedFrom: null }]);
  await ledger.commit('failure', []);
  expect(await scratch.store.select('sessions')).toMatchObject([{ resumedFrom: 'opened' }]);
});

async function ledgerOfAnOpenRun() {
  const scratch = await gatewayForTest();
  scratch.model.script([hang()]);
  const { runId } = await scratch.channel.says({}, 'Hi');
  await scratch.model.waitForRequests(1);
  const [run] = await scratch.store.select('runs', { where: { runId } });
  const sessionId = run?.sessionId ?? '';
  const ledger = new RunLedger({
    store: scratch.store,
    claim: { runId, claim: run?.claim ?? 0 },
    sessionId,
    now: () => 0,
    opening: [{ update: 'sessions', where: { sessionId }, set: { resumedFrom: 'opened' } }],
    lastEntry: 100,
    lastStep: 100,
  });
  return { ledger, scratch, runId };
}
