// The command `npm run chaos -- --rounds N [--seed S]`: several people talk to a gateway that is killed and started again
// at random moments. Their conversations outgrow the model's window, some calls wait for a person, who also answers while
// no gateway is there, jobs are due all the time, tasks are handed to children, of which some are stopped and some take
// too long, and a plugin takes part. In the end everything that was accepted is counted. Exits 0 when
// nothing was lost, nothing came or ran twice, every answer was kept to and every run gives the same bytes when it is
// composed again; 1 when something did; 2 when it could not be
// found out.
//
// With `--nodes 3` it is another trial: `nodes.ts` says which.
//
// The seed decides who says what and when the process dies; how far it has come by then is up to the machine.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type ApiAnswer, askOnce, askOverApi } from '../src/testkit/api-client.ts';
import type { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { type ShownPart, WebClient } from '../src/testkit/web-client.ts';
import { withStoreOf } from '../src/testkit/with-store-of.ts';
import { ApprovingPerson } from './approving-person.ts';
import { type ApiMessage, countApi, countKept, countTools, countWeb, type WebTalk } from './count-outcomes.ts';
import { countReplays, formatReplays } from './count-replays.ts';
import { countPlugin } from './counting-plugin.ts';
import { formatCounts } from './format-counts.ts';
import { addJob } from './job-clerk.ts';
import { markOf } from './scripted-model.ts';
import { seededRandom } from './seeded-random.ts';
import { StoppingPerson } from './stopping-person.ts';
import { runTrial, seedOf, wholeNumberOf } from './trial.ts';
import { countOwed, createTriedGateway, eventually, PATIENCE_MS } from './tried-gateway.ts';

const PAGES = ['page-1', 'page-2', 'page-3'];
const CALLERS = ['caller-1', 'caller-2'];
/** Where jobs answer. */
const JOB_PAGE = 'jobs';
/** Each round has a job, which is due so long after it was added at the latest. */
const LATEST_JOB_SECONDS = 3;
/** With every message, so that a few of them are too much for the window. */
const CHATTER = 'There is more to say about that. '.repeat(40);
/** How long after its start a process lives at most, in milliseconds. */
const LONGEST_LIFE_MS = 1_000;

async function main(): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { rounds: text, seed: text, nodes: text, pause: text } });
  const rounds = wholeNumberOf(values.rounds ?? '50', '--rounds');
  const seed = seedOf(values.seed);
  const nodes = wholeNumberOf(values.nodes ?? '1', '--nodes');
  if (nodes > 1) {
    const pauseSeconds = wholeNumberOf(values.pause ?? '30', '--pause');
    return (await import('./nodes.ts')).tryNodes({ nodes, rounds, seed, pauseSeconds });
  }
  process.stdout.write(`${rounds} rounds with seed ${seed}\n`);
  const random = seededRandom(seed);

  const names = [...PAGES, ...CALLERS, JOB_PAGE].flatMap((who) =>
    Array.from({ length: rounds }, (_, round) => `${who}.${round}`),
  );
  const gateway = await createTriedGateway({
    random,
    files: { 'workspace/tally.txt': names.map((name) => `${markOf(name)}\n`).join('') },
  });
  const talks = PAGES.map((page): WebTalk => ({ client: new WebClient(gateway, page), said: [] }));
  const asked: (ApiMessage & { answer: Promise<ApiAnswer> })[] = [];
  const jobPage = new WebClient(gateway, JOB_PAGE);
  const jobs: ReturnType<typeof addJob>[] = [];
  const person = new ApprovingPerson(gateway, seededRandom(seed + 1));
  const stopper = new StoppingPerson(gateway, seededRandom(seed + 2));
  try {
    const ends: Record<string, number> = { SIGKILL: 0, SIGTERM: 0, 'SIGTERM twice': 0 };
    for (let round = 0; round < rounds; round++) {
      const starting = gateway.start();
      for (const { client, said } of talks) {
        const name = `${client.surface}.${round}`;
        said.push(name);
        client.say(name, `This is ${name}. ${CHATTER}`);
      }
      const job = {
        name: `${JOB_PAGE}.${round}`,
        schedule: { at: `in ${1 + Math.floor(random() * LATEST_JOB_SECONDS)}s` },
        deliver: `web:${JOB_PAGE}`,
      };
      jobs.push(addJob(gateway, { ...job, message: `This is ${job.name}.` }, PATIENCE_MS));
      for (const user of CALLERS) {
        const message = { text: `This is ${user}.${round}. ${CHATTER}`, user, key: `key-${user}.${round}` };
        asked.push({ ...message, answer: askOverApi(gateway, message, PATIENCE_MS + rounds * 10_000) });
      }
      // Some die while they are still starting.
      if (random() < 0.9) await starting;
      await live(gateway, random);
      const how = await end(gateway, random);
      ends[how] = (ends[how] ?? 0) + 1;
      await starting;
      if (random() < 0.3) await person.answerInStore();
    }
    await gateway.start();
    for (const { client, said } of talks) {
      await client
        .until(
          ({ accepted, parts }) => said.every((name) => isTold(parts, accepted.get(name)?.runId)),
          'for the rest',
          PATIENCE_MS,
        )
        .catch((error: Error) => process.stderr.write(`${error.message}\n`));
    }
    const answers = await Promise.all(
      asked.map(async ({ answer, ...message }) => ({ message, answer: await answer.catch(() => undefined) })),
    );
    const web = countWeb(talks);
    const api = await countApi(answers, (message) => askOnce(gateway, message));
    const added = (await Promise.all(jobs)).filter((job) => job !== undefined).length;
    await eventually(async () => {
      const { jobs: left } = await gateway.json<{ jobs: readonly { enabled: boolean }[] }>('/api/cron/jobs');
      return (await countOwed(gateway)) === 0 && left.every(({ enabled }) => !enabled);
    });
    await jobPage.until(({ parts }) => parts.length >= added, 'for the jobs', PATIENCE_MS).catch(() => {});
    await person.close();
    await stopper.close();
    await gateway.stop();
    const { requests } = gateway.model;
    const tools = countTools(await gateway.home.read('workspace/tally.txt'), requests);
    const signed = await gateway.home.read('workspace/signed.txt').catch(() => '');
    const clients = [...talks.map(({ client }) => client), jobPage];
    const kept = await withStoreOf(gateway.home, (store) => countKept(store, { signed, requests, clients }));
    const traces = await gateway.home.read('traces.txt').catch(() => '');
    const plugin = await withStoreOf(gateway.home, (store) => countPlugin(store, traces));
    process.stdout.write(formatCounts({ web, api, tools, kept, plugin, ends }));
    const replays = await withStoreOf(gateway.home, countReplays);
    process.stdout.write(formatReplays(replays));
    const isWell = [web, api].every(({ lost, duplicates, outOfOrder }) => lost + duplicates + outOfOrder === 0);
    const { askedTwice, disobeyed, slots, slotsWrong, childrenWrong, usageWrong, leftOver } = kept;
    const isKept =
      askedTwice + disobeyed + slotsWrong + childrenWrong + usageWrong + leftOver === 0 &&
      slots === added &&
      added === rounds;
    const isCounted = plugin.repeated + plugin.endsMissed + plugin.shownTwice === 0;
    const isReplayed = replays.differing.length === 0;
    if (isWell && isKept && isCounted && tools.repeated + tools.missing === 0 && isReplayed) return 0;
    process.stderr.write(`\nWhat the gateway said:\n${gateway.err.split('\n').slice(-100).join('\n')}\n`);
    return 1;
  } finally {
    await person.close();
    await stopper.close();
    for (const { client } of talks) await client.close();
    await jobPage.close();
    await gateway.close();
  }
}

function isTold(parts: readonly ShownPart[], runId: string | undefined): boolean {
  return parts.some((part) => part.runId === runId);
}

/** Half of the time until about when the model has just answered, because that is when most happens. */
async function live({ model }: GatewayProcess, random: () => number): Promise<void> {
  const life = sleep(random() * LONGEST_LIFE_MS);
  if (random() < 0.5) return life;
  const requests = model.requests.length + 1 + Math.floor(random() * 8);
  await Promise.race([life, model.waitForRequests(requests)]);
  await sleep(random() * 20);
}

/** Mostly as a power cut does, sometimes as an operator does, sometimes as one without patience. */
async function end(gateway: GatewayProcess, random: () => number): Promise<string> {
  const chance = random();
  if (chance < 0.8) {
    await gateway.kill();
    return 'SIGKILL';
  }
  gateway.signal('SIGTERM');
  if (chance < 0.9) {
    await gateway.ended();
    return 'SIGTERM';
  }
  await sleep(random() * 100);
  gateway.signal('SIGTERM');
  await gateway.ended();
  return 'SIGTERM twice';
}

await runTrial(main);
