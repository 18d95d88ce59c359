// The command `npm run soak -- --minutes N [--seed S]`: twenty people talk to one gateway for that long, while plugins
// misbehave at random and the process is killed, stopped, frozen and left without room on its disk. In the last third
// the process lives on, so that its memory can be watched. Exits 0 when everything that was accepted was answered or
// failed visibly, once and in order, when the memory stayed flat, and when each fault is in the log, but not again and
// again; 1 when not; 2 when it could not be found out.

import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { WebClient } from '../src/testkit/web-client.ts';
import { withStoreOf } from '../src/testkit/with-store-of.ts';
import { ApprovingPerson } from './approving-person.ts';
import { countKept, countWeb, type WebTalk } from './count-outcomes.ts';
import { formatTable } from './format-counts.ts';
import { type LoggedSentence, readLog } from './read-log.ts';
import { ROWDY_ENTRIES, ROWDY_IDS, rowdyPluginFiles } from './rowdy-plugins.ts';
import { seededRandom } from './seeded-random.ts';
import { type Fault, suffer } from './soak-faults.ts';
import { StoppingPerson } from './stopping-person.ts';
import { numberOf, runTrial, seedOf } from './trial.ts';
import { countOwed, createTriedGateway, eventually, PATIENCE_MS } from './tried-gateway.ts';

const SESSIONS = 20;
const CHATTER = 'There is more to say about that. '.repeat(10);
/** The longest pause between two messages of a person. */
const LONGEST_PAUSE_MS = 4_000;
/** The longest time between two faults. */
const LONGEST_PEACE_MS = 15_000;
const LOOK_MS = 1_000;
/**
 * How often one sentence may stand in the log of one process beyond once for each fault that it met: plugins misbehave
 * besides. A fault that is told with each retry is in it far more often.
 */
const MOST_REPEATS = 30;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
  const minutes = numberOf(values.minutes ?? '60', '--minutes');
  const seed = seedOf(values.seed);
  process.stdout.write(`${SESSIONS} sessions for ${minutes} minutes with seed ${seed}\n`);
  const random = seededRandom(seed);
  const gateway = await createTriedGateway({
    random,
    files: rowdyPluginFiles(),
    entries: ROWDY_ENTRIES,
    recordsRequests: false,
  });
  const talks = Array.from({ length: SESSIONS }, (_, index): WebTalk => {
    return { client: new WebClient(gateway, `person-${index + 1}`), said: [] };
  });
  const person = new ApprovingPerson(gateway, seededRandom(seed + 1));
  const stopper = new StoppingPerson(gateway, seededRandom(seed + 2));
  const memory: number[] = [];
  const logs: ProcessLog[] = [];
  let heard = 0;
  let met = 0;
  const endLog = () => {
    logs.push({ text: gateway.err.slice(heard), faults: met });
    heard = gateway.err.length;
    met = 0;
  };
  const faults: Record<Fault, number> = { kill: 0, stop: 0, freeze: 0, 'full disk': 0 };
  try {
    if ((await gateway.start()) !== 'ready') throw new Error(gateway.err);
    const begin = Date.now();
    const end = begin + minutes * 60_000;
    const lastThird = begin + minutes * 40_000;
    const talking = talks.map((talk, index) => converse(talk, seededRandom(seed + 2 + index), end));
    const watching = watchMemory(gateway, memory, lastThird, end);
    while (Date.now() < end) {
      await sleep(Math.min(end - Date.now(), 2_000 + random() * LONGEST_PEACE_MS));
      const fault = nextFault(random, Date.now() < lastThird);
      if (Date.now() >= end) break;
      faults[fault] += 1;
      met += 1;
      await suffer(gateway, fault, random);
      if (fault === 'kill' || fault === 'stop') endLog();
    }
    await Promise.all(talking);
    await watching;
    await eventually(async () => (await countOwed(gateway)) === 0);
    await person.close();
    await stopper.close();
    await gateway.stop();
    endLog();

    const web = countWeb(talks);
    const clients = talks.map(({ client }) => client);
    const kept = await withStoreOf(gateway.home, (store) => countKept(store, { signed: '', requests: [], clients }));
    const { first, last, isFlat } = judgeMemory(memory);
    const { worst, unnamed, innocent } = judgeLogs(logs, faults, web.failed);
    const told = Object.entries(faults).map(([name, count]) => `${name}: ${count}`);
    process.stdout.write(
      [
        `faults: ${told.join(', ')}; plugins that misbehave: ${ROWDY_IDS.join(', ')}\n\n`,
        formatTable([['web', web]]),
        `approvals: ${kept.asked} asked, ${kept.askedTwice} asked twice; conversations: ${kept.compactions} times made shorter\n`,
        `usage: ${kept.usageWrong} runs do not add up; left over: ${kept.leftOver}\n`,
        `memory: ${first} MB, and ${last} MB at the end, ${isFlat ? 'which is flat' : 'WHICH IS NOT FLAT'}\n`,
        `log: ${gateway.err.split('\n').length} lines of ${logs.length} processes; most often in one, ${worst.count} times: ${worst.sentence}\n`,
        ...unnamed.map((name) => `NOT IN THE LOG: ${name}\n`),
        ...innocent.map((sentence) => `AN INNOCENT PLUGIN IS BLAMED: ${sentence}\n`),
      ].join(''),
    );
    const isClean =
      web.lost + web.duplicates + web.outOfOrder + kept.askedTwice + kept.usageWrong + kept.leftOver === 0;
    const isTold = !worst.isTooOften && unnamed.length + innocent.length === 0;
    if (isClean && isFlat && isTold) return 0;
    process.stderr.write(`\nThe log, its last lines:\n${gateway.err.split('\n').slice(-60).join('\n')}\n`);
    return 1;
  } finally {
    await person.close();
    await stopper.close();
    await Promise.all(talks.map(({ client }) => client.close()));
    gateway.signal('SIGCONT');
    await gateway.close();
  }
}

/** One message after the other. A message that was refused is said again under its id, as a person would do. */
async function converse({ client, said }: WebTalk, random: () => number, end: number): Promise<void> {
  for (let number = 1; Date.now() < end; number++) {
    const name = `${client.surface}.${number}`;
    said.push(name);
    const runId = () => client.accepted.get(name)?.runId;
    const isTold = () => runId() !== undefined && client.parts.some((part) => part.runId === runId());
    while (!isTold() && Date.now() < end + PATIENCE_MS) {
      if (runId() === undefined) client.say(name, `This is ${name}. ${CHATTER}`);
      await client.until(isTold, 'for an answer', LOOK_MS).catch(() => {});
    }
    // Drafts and other frames would use up the memory of the soak itself.
    client.frames.length = 0;
    await sleep(random() * LONGEST_PAUSE_MS);
  }
}

function nextFault(random: () => number, mayEnd: boolean): Fault {
  const chance = random();
  if (mayEnd && chance < 0.3) return 'kill';
  if (mayEnd && chance < 0.4) return 'stop';
  return chance < 0.7 ? 'freeze' : 'full disk';
}

/** In megabytes, every second while the process is not ended any more. */
async function watchMemory(gateway: GatewayProcess, memory: number[], from: number, end: number): Promise<void> {
  for (; Date.now() < end; await sleep(LOOK_MS)) {
    if (Date.now() < from) continue;
    const status = await readFile(`/proc/${gateway.pid}/status`, 'utf8').catch(() => '');
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(status) ?? [];
    if (kilobytes !== undefined) memory.push(Number(kilobytes) / 1024);
  }
}

/** Compares the second quarter, when everything has been loaded, with the last one. */
function judgeMemory(memory: readonly number[]): { first: number; last: number; isFlat: boolean } {
  const quarter = Math.floor(memory.length / 4);
  const first = median(memory.slice(quarter, 2 * quarter));
  const last = median(memory.slice(-quarter));
  return { first: Math.round(first), last: Math.round(last), isFlat: quarter > 0 && last <= first * 1.2 + 20 };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** What one process said, and how many faults it met. */
interface ProcessLog {
  readonly text: string;
  readonly faults: number;
}

function judgeLogs(
  logs: readonly ProcessLog[],
  faults: Readonly<Record<Fault, number>>,
  /** Every message that the model refuses is a fault of its own. */
  failed: number,
): {
  worst: LoggedSentence & { isTooOften: boolean };
  unnamed: readonly string[];
  innocent: readonly string[];
} {
  const sentences = logs.flatMap(({ text, faults: met }) =>
    readLog(text).map((each) => ({ ...each, isTooOften: each.count > met + failed + MOST_REPEATS })),
  );
  const worst = [...sentences].sort((a, b) => Number(b.isTooOften) - Number(a.isTooOften) || b.count - a.count)[0] ?? {
    sentence: 'nothing',
    count: 0,
    isTooOften: false,
  };
  const isNamed = (word: string) => sentences.some(({ sentence }) => sentence.includes(word));
  const unnamed = [
    ...ROWDY_IDS.filter((id) => !isNamed(id)),
    ...(faults['full disk'] > 0 && !isNamed('no space left') ? ['the full disk'] : []),
    ...(faults.freeze > 0 && !isNamed('did not run for') ? ['the frozen process'] : []),
  ];
  const innocent = sentences.flatMap(({ sentence }) => (/\bcounting\b.*suspend/.test(sentence) ? [sentence] : []));
  return { worst, unnamed, innocent };
}

await runTrial(main);
