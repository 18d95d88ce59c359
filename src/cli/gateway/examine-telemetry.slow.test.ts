import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { OtlpCollector } from '../../testkit/otlp-collector.ts';
import { CliHome } from '../fixtures/cli-home.ts';
import { RunningGateway } from '../fixtures/running-gateway.ts';

async function homeWith(config: object): Promise<CliHome> {
  const home = await CliHome.create({ 'openclaw.json': JSON.stringify(config) });
  onTestFinished(() => home.remove());
  return home;
}

const doctor = (home: CliHome) => home.run(['doctor']);

it('names the log file and says when it cannot be written', async () => {
  const home = await homeWith({});
  const fine = await doctor(home);
  expect(fine.out).toMatch(/^log +ok +\S+\/logs\/atrium\.log, level info$/m);
  await mkdir(join(home.stateDir, 'logs'), { recursive: true });
  await writeFile(join(home.stateDir, 'elsewhere'), '');
  await symlink(join(home.stateDir, 'elsewhere'), join(home.stateDir, 'logs', 'atrium.log'));
  const link = await doctor(home);
  expect(link.out).toMatch(/^log +1 wrong/m);
  expect(link.out).toContain('is a link, which is not followed. Remove it, or name the target in logging.file.');
  expect(link.code).toBe(1);
});

it('asks the collector only when one is configured, and says what to do when it does not answer', async () => {
  const collector = await OtlpCollector.start();
  onTestFinished(() => collector.close());
  expect((await doctor(await homeWith({ diagnostics: { otel: { endpoint: collector.url } } }))).out).not.toContain(
    'collector',
  );
  expect(collector.requests).toEqual([]);
  const home = await homeWith({ diagnostics: { otel: { enabled: true, endpoint: collector.url } } });
  expect((await doctor(home)).out).toMatch(/^collector +ok +http:\/\/127\.0\.0\.1:\d+$/m);
  expect(collector.problems).toEqual([]);
  collector.answer = 401;
  const refused = await doctor(home);
  expect(refused.out).toMatch(
    /wrong: Traces cannot be sent to \S+: the collector answers with status 401 \(not now\)\. Start the collector, or/,
  );
  expect(refused.code).toBe(1);
  await collector.close();
  expect((await doctor(home)).out).toMatch(/Traces cannot be sent to \S+: ECONNREFUSED\. Start the collector/);
  const grpc = await doctor(await homeWith({ diagnostics: { otel: { enabled: true, protocol: 'grpc' } } }));
  expect(grpc.out).toMatch(/^collector +1 wrong +nothing is sent$/m);
});

it('says that trajectories are larger than their limit', async () => {
  const home = await homeWith({ recorder: { trajectory: { maxTotalBytes: 1_048_576 } } });
  const dir = join(home.stateDir, 'logs', 'trajectory');
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'x.jsonl'), 'x'.repeat(2_000_000));
  expect((await doctor(home)).out).toMatch(
    /wrong: The trajectories take [\d.]+ \w+, and recorder\.trajectory\.maxTotalBytes is/,
  );
});

it('finds a request in the store that is no longer what was sent', async () => {
  const running = await RunningGateway.create({});
  onTestFinished(() => running.remove());
  await running.start();
  expect((await running.home.run(['doctor'])).out).toMatch(/^records +ok/m);
  const [part] = await running.store.select('parts', { limit: 1 });
  await running.store.commit([{ update: 'parts', where: { hash: part?.hash ?? '' }, set: { text: 'changed' } }], {
    site: 'prune',
  });
  const { out, code } = await running.home.run(['doctor']);
  expect(out).toMatch(/wrong: \d+ of \d+ kept requests that were looked at are damaged, the first one in the run \S+:/);
  expect(code).toBe(1);
});

it('says which variable keeps a debug log on for ever', async () => {
  const running = await RunningGateway.create({
    'openclaw.json': '{ diagnostics: { cacheTrace: { enabled: true } } }',
  });
  onTestFinished(() => running.remove());
  await running.start();
  expect((await running.home.run(['doctor'])).out).toMatch(
    /note: A debug log is on: cache-trace always\. .* until diagnostics\.cacheTrace\.enabled is switched off and the gateway is restarted\./,
  );
});

it('checks that the metrics are closed to callers without the token', async () => {
  const running = await RunningGateway.create({
    'openclaw.json': '{ diagnostics: { prometheus: { enabled: true } } }',
  });
  onTestFinished(() => running.remove());
  expect((await running.home.run(['doctor'])).out).toMatch(/^metrics +ok +GET \/metrics, when a gateway runs$/m);
  await running.start();
  expect((await running.home.run(['doctor'])).out).toMatch(/^metrics +ok +http:\S+\/metrics, with the token$/m);
});
