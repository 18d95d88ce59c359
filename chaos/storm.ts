// The command `npm run storm -- [--messages N] [--seed S] [--only telegram,slack]`: fifty conversations on three chat
// platforms at once, with the real client libraries. Some events are delivered twice, connections are cut, platforms
// answer 429 and 5xx or keep a receipt back, and the gateway is killed twice. In the end every message must be answered
// once, in order, at its place. Exits 0 when that holds; 1 when not; 2 when it could not be found out.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { GatewayStatus } from '../src/gateway/services/gateway-status.ts';
import type { FakeFault, FakePlace, FakePlatform } from '../src/testkit/fake-platform.ts';
import { FAKE_PLATFORMS } from '../src/testkit/fake-platforms.ts';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { type RecordedRequest, reply } from '../src/testkit/model-server.ts';
import { addCounts, type Counts } from './count-outcomes.ts';
import { formatTable } from './format-counts.ts';
import { seededRandom } from './seeded-random.ts';
import { runTrial, seedOf, wholeNumberOf } from './trial.ts';
import { countOwed, eventually } from './tried-gateway.ts';

const PEOPLE_OF_EACH = 16;
/** So many messages wait for their answers at the same time. */
const MOST_AT_ONCE = 60;
const REPEATED = 0.05;
const FAULTY = 0.02;
const KILLS = 2;

interface Said {
  readonly platform: FakePlatform;
  readonly place: FakePlace;
  readonly mark: string;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { messages: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } },
  });
  const messages = wholeNumberOf(values.messages ?? '2000', '--messages');
  const seed = seedOf(values.seed);
  const random = seededRandom(seed);
  const names = Array.from({ length: PEOPLE_OF_EACH }, (_, index) => `Person${index + 1}`);
  const wanted = values.only?.split(',');
  const openers = Object.entries(FAKE_PLATFORMS).filter(([id]) => wanted === undefined || wanted.includes(id));
  const platforms = await Promise.all(openers.map(async ([, load]) => (await load())(names)));
  const gateway = await GatewayProcess.create({ recordsRequests: false, config: configOf(platforms) });
  gateway.model.script((request) => reply(`Answer to ${markIn(request)}.`));
  const places = platforms.flatMap((platform) => platform.places().map((place) => ({ platform, place })));
  process.stdout.write(`${messages} messages in ${places.length} conversations with seed ${seed}\n`);
  const said: Said[] = [];
  const faults: Record<FakeFault | 'kill', number> = {
    disconnect: 0,
    limit: 0,
    break: 0,
    withhold: 0,
    repeat: 0,
    kill: 0,
  };
  try {
    await gateway.start();
    // What is said before a bot was ever there is not for it.
    await eventually(async () => {
      const { channels } = await gateway.json<GatewayStatus>('/api/status');
      const accounts = channels.flatMap((channel) => channel.accounts ?? []);
      return accounts.length === platforms.length && accounts.every(({ state }) => state === 'connected');
    });
    for (let number = 1; number <= messages; number++) {
      const where = places[Math.floor(random() * places.length)];
      if (!where) throw new Error('There is no place to write in.');
      const { platform, place } = where;
      const person = place.people[Math.floor(random() * place.people.length)];
      const mark = `m${number}x`;
      said.push({ platform, place, mark });
      await platform.says(place.id, `This is ${mark}.`, { person });
      const suffer = (fault: FakeFault) => {
        platform.suffer(fault);
        faults[fault]++;
      };
      if (random() < REPEATED) suffer('repeat');
      if (random() < FAULTY) suffer(FAULTS[Math.floor(random() * FAULTS.length)] ?? 'disconnect');
      if (number % Math.ceil(messages / (KILLS + 1)) === 0 && faults.kill < KILLS) {
        faults.kill++;
        await gateway.kill();
        await gateway.start();
      }
      for (const waited = Date.now() + PATIENCE_MS; unanswered(said) > MOST_AT_ONCE && Date.now() < waited; ) {
        await sleep(20);
      }
    }
    await eventually(async () => unanswered(said) === 0 && (await countOwed(gateway)) === 0);
    // A second answer to the same message would come now.
    await sleep(SETTLE_MS);
    const rows = platforms.map((platform) => [platform.name, countPlatform(platform, said)] as const);
    process.stdout.write(
      `\n${Object.entries(faults)
        .map(([fault, count]) => `${fault}: ${count}`)
        .join(', ')}\n\n`,
    );
    const all = rows.map(([, counts]) => counts).reduce(addCounts);
    process.stdout.write(formatTable([...rows, ['all', all]]));
    const isWell = platforms.every((platform) => {
      const { lost, duplicates, outOfOrder } = countPlatform(platform, said);
      // Telegram knows no keys, so what was in the air when the process died or the receipt was kept back may come twice.
      const allowed = platform.id === 'telegram' ? faults.kill * places.length + faults.withhold : 0;
      return lost + outOfOrder === 0 && duplicates <= allowed;
    });
    if (isWell) return 0;
    process.stderr.write(`\nWhat the gateway said:\n${gateway.err.split('\n').slice(-60).join('\n')}\n`);
    return 1;
  } finally {
    await gateway.close();
    await Promise.all(platforms.map((platform) => platform.stop()));
  }
}

const FAULTS: readonly FakeFault[] = ['disconnect', 'limit', 'break', 'withhold'];
const PATIENCE_MS = 120_000;
const SETTLE_MS = 1_500;

function configOf(platforms: readonly FakePlatform[]): Record<string, unknown> {
  const open = { dmPolicy: 'open', allowFrom: ['*'], groupPolicy: 'open' };
  return {
    gateway: { auth: { token: 'a-token-for-tests-only' } },
    agents: { defaults: { model: 'fake/small', skipBootstrap: true } },
    session: { dmScope: 'per-channel-peer' },
    channels: Object.fromEntries(platforms.map(({ id, section }) => [id, { ...open, ...section }])),
  };
}

function markIn({ body }: RecordedRequest): string {
  return [...body.matchAll(/This is (m\d+x)\./g)].at(-1)?.[1] ?? 'nothing';
}

/** The marks that were answered at a place, in the order in which people see them. */
function answersAt(platform: FakePlatform, place: FakePlace): readonly string[] {
  return platform
    .shown(place.id)
    .filter(({ isBot }) => isBot)
    .flatMap(({ text }) => /^Answer to (m\d+x)\.$/.exec(text.trim())?.[1] ?? []);
}

function unanswered(said: readonly Said[]): number {
  const answered = new Map<FakePlace, Set<string>>();
  return said.filter(({ platform, place, mark }) => {
    const here = answered.get(place) ?? new Set(answersAt(platform, place));
    answered.set(place, here);
    return !here.has(mark);
  }).length;
}

function countPlatform(platform: FakePlatform, all: readonly Said[]): Counts {
  const said = all.filter((each) => each.platform === platform);
  const counts = {
    said: said.length,
    accepted: said.length,
    answered: 0,
    failed: 0,
    lost: 0,
    duplicates: 0,
    outOfOrder: 0,
  };
  for (const place of platform.places()) {
    const marks = said.filter((each) => each.place.id === place.id).map(({ mark }) => mark);
    const answers = answersAt(platform, place);
    const first = [...new Set(answers)];
    counts.answered += first.length;
    counts.duplicates += answers.length - first.length;
    counts.lost += marks.filter((mark) => !first.includes(mark)).length;
    counts.outOfOrder += first.filter(
      (mark, index) => mark !== marks.filter((each) => first.includes(each))[index],
    ).length;
  }
  return counts;
}

await runTrial(main);
