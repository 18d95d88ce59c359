// Kills a real gateway just before and just after each kind of commit, starts it again on the same home, and checks
// what a person, an API client and the model see of it. A commit site that no test here visits is a failure.

import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../src/protocol/json.ts';
import { COMMIT_SITES, type CommitSite } from '../src/store/commit-sites.ts';
import type { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { fail, reply } from '../src/testkit/model-server.ts';
import { killedAtDraft, writtenWhileDown } from './fixtures/crash-channels.ts';
import { childEnded, childrenAtWork, resultStored, resultsTogether, spawnAccepted } from './fixtures/crash-children.ts';
import { clientResult } from './fixtures/crash-client.ts';
import { compaction, compactionInRun } from './fixtures/crash-compaction.ts';
import { conversationsBrought } from './fixtures/crash-import.ts';
import { toolListing } from './fixtures/crash-mcp.ts';
import { MESSAGE_POINTS, messageSent } from './fixtures/crash-message.ts';
import { pairingAnswered, pairingAsked } from './fixtures/crash-pairing.ts';
import { pluginState } from './fixtures/crash-plugin.ts';
import { processBegins, processGoesOn } from './fixtures/crash-process.ts';
import { job, jobSlot } from './fixtures/crash-schedule.ts';
import { reservedAgain, SPEND_POINTS, spentAcross } from './fixtures/crash-spend.ts';
import {
  eventually,
  expectDeath,
  expectQuiet,
  expectToolsRanOnce,
  expectWellFormed,
  inTurn,
  isAbout,
  isInDatabase,
  lastUserText,
  type Moment,
  resultsOf,
  scripted,
  stage,
  visited,
} from './fixtures/crash-stage.ts';
import { talk } from './fixtures/crash-talk.ts';
import { allowRule, answered, suspend, waiting } from './fixtures/crash-waiting.ts';
import { waitBegins, waitEnds, waitGoesOn } from './fixtures/crash-waits.ts';
import { webhookAccepted } from './fixtures/crash-webhook.ts';

const allPoints = COMMIT_SITES.flatMap((site) => [`${site}:before`, `${site}:after`]).sort();
const TIMEOUT_MS = 120_000;

/** Commits of every conversation with tools; those that happen several times are visited more than once. */
const TALK_POINTS: readonly [CommitSite, ...number[]][] = [
  ['accept', 1],
  ['claim', 1, 3],
  ['request', 1],
  ['tool-start', 1],
  ['tool-result', 1, 2],
  ['next-request', 1],
  ['result', 1, 2],
  ['receipt', 1],
];

describe('a gateway that is killed', () => {
  describe.concurrent('in a conversation with tools', () => {
    for (const [site, ...hits] of TALK_POINTS) {
      for (const hit of hits) {
        for (const moment of ['before', 'after'] as const) {
          const point = hit === 1 ? `${site}:${moment}` : `${site}:${moment}@${hit}`;
          it(`answers everything once, at ${point}`, () => inTurn(() => talk(point)), TIMEOUT_MS);
        }
      }
    }
  });

  describe.concurrent('by a power cut', () => {
    for (const [site, ...hits] of TALK_POINTS) {
      for (const hit of hits) {
        const point = hit === 1 ? `${site}:power` : `${site}:power@${hit}`;
        it(`answers everything once, at ${point}`, () => inTurn(() => talk(point)), TIMEOUT_MS);
      }
    }
    for (const site of ['accept', 'request', 'result'])
      it(
        `leaves nothing half done of a call whose client waited, at ${site}`,
        () => inTurn(() => awaitedCall(site)),
        TIMEOUT_MS,
      );
  });

  describe.concurrent.each(['before', 'after'] as const)('%s', (moment) => {
    it('a command was answered, answers it once', () => inTurn(() => control(moment)), TIMEOUT_MS);
    it('a failure was kept, tells it once', () => inTurn(() => failure(moment)), TIMEOUT_MS);
    it('a message was blocked, tells it once and keeps nothing of it', () => inTurn(() => block(moment)), TIMEOUT_MS);
    it('observers were told, tells them all the same', () => inTurn(() => observed(moment)), TIMEOUT_MS);
    it('hook records were kept, answers all the same', () => inTurn(() => hookRecords(moment)), TIMEOUT_MS);
    it('a receipt was written, finds the run once', () => inTurn(() => promptReceipt(moment)), TIMEOUT_MS);
    it('words were indexed, finds what was said once', () => inTurn(() => wordIndex(moment)), TIMEOUT_MS);
    it('a session was given a title, keeps it or not', () => inTurn(() => sessionMark(moment)), TIMEOUT_MS);
    it('a file was uploaded, brings it with one message', () => inTurn(() => upload(moment)), TIMEOUT_MS);
    it('a session was given a model, answers with it', () => inTurn(() => sessionModel(moment)), TIMEOUT_MS);
    it('a bootstrap file is as it was, whatever was kept of it', () => inTurn(() => fileVersion(moment)), TIMEOUT_MS);
    it('a session was branched, has one branch and goes on in it', () => inTurn(() => branch(moment)), TIMEOUT_MS);
    it('an injection was queued, shows it in one run', () => inTurn(() => injection(moment)), TIMEOUT_MS);
    it('a session was reset, stops its run once and goes on', () => inTurn(() => session(moment)), TIMEOUT_MS);
    it('a person began a new session, ends the old one once', () => inTurn(() => rollOver(moment)), TIMEOUT_MS);
    it('the end of a session was told, tells it all the same', () => inTurn(() => toldEnd(moment)), TIMEOUT_MS);
    it('a deadly message was given up, gives it up once', () => inTurn(() => deadLetter(moment)), TIMEOUT_MS);
    it('a dead letter was sent again, answers it once', () => inTurn(() => deadLetterAnswer(moment)), TIMEOUT_MS);
    it('a long talk was made shorter, answers once', () => inTurn(() => compaction(moment)), TIMEOUT_MS);
    it('a long run was made shorter, answers once', () => inTurn(() => compactionInRun(moment)), TIMEOUT_MS);
    it('old requests made room, answers all the same', () => inTurn(() => prune(moment)), TIMEOUT_MS);
    it('a person was asked, asks once and goes on', () => inTurn(() => suspend(moment)), TIMEOUT_MS);
    it('an approval was answered, goes on once', () => inTurn(() => answered(moment)), TIMEOUT_MS);
    it('a client brought its result, goes on once', () => inTurn(() => clientResult(moment)), TIMEOUT_MS);
    it('a rule was taken back, asks again when it is gone', () => inTurn(() => allowRule(moment)), TIMEOUT_MS);
    it(
      'a command began in the background, runs it once at most',
      () => inTurn(() => processBegins(moment)),
      TIMEOUT_MS,
    );
    it('a webhook was accepted, runs it once', () => inTurn(() => webhookAccepted(moment)), TIMEOUT_MS);
    it('a job was added, has it once', () => inTurn(() => job(moment)), TIMEOUT_MS);
    it('a slot of a job fired, runs it once', () => inTurn(() => jobSlot(moment)), TIMEOUT_MS);
    it('the tools of a server were written down, answers once', () => inTurn(() => toolListing(moment)), TIMEOUT_MS);
    it('a task was accepted, does it once', () => inTurn(() => spawnAccepted(moment)), TIMEOUT_MS);
    it('a parent began to wait, gives it each result once', () => inTurn(() => waitBegins(moment)), TIMEOUT_MS);
    it('a parent was woken, gives it each result once', () => inTurn(() => waitEnds(moment)), TIMEOUT_MS);
    it('a child was to be ended, ends it or goes on with it', () => inTurn(() => childEnded(moment)), TIMEOUT_MS);
    it('an unknown person asked, tells them their code once', () => inTurn(() => pairingAsked(moment)), TIMEOUT_MS);
    it('a pairing was approved, tells the person once', () => inTurn(() => pairingAnswered(moment)), TIMEOUT_MS);
    it('a draft was noted, replaces it', () => inTurn(() => killedAtDraft('discord', `draft:${moment}@2`)), TIMEOUT_MS);
    it(
      'a channel noted how far it has read, answers everything once',
      () => inTurn(() => writtenWhileDown('slack', `channel-memory:${moment}`)),
      TIMEOUT_MS,
    );
    it('a conversation was brought along, has each once', () => inTurn(() => conversationsBrought(moment)), TIMEOUT_MS);
    it('a call was reserved again, counts it once', () => inTurn(() => reservedAgain(moment)), TIMEOUT_MS);
    it('what a plugin keeps was written down, has it or not', () => inTurn(() => pluginState(moment)), TIMEOUT_MS);
  });

  describe.concurrent('with a limit on spending', () => {
    it.each(SPEND_POINTS)('counts every call once, at %s', (point) => inTurn(() => spentAcross(point)), TIMEOUT_MS);
  });

  describe.concurrent('in the middle of a message into another conversation', () => {
    it.each(MESSAGE_POINTS)('sends it once, at %s', (point) => inTurn(() => messageSent(point)), TIMEOUT_MS);
  });

  describe.concurrent('with children, tells each result once', () => {
    // The first result is the parent's own answer. Then a child ends, which is announced, and the announcement is answered.
    for (const point of ['result:before@2', 'result:after@2', 'claim:after@3', 'result:before@3', 'result:after@3'])
      it(`at ${point} of one child`, () => inTurn(() => resultStored(point, ['c1'])), TIMEOUT_MS);
    for (const point of ['result:after@3', 'result:before@5'])
      it(`at ${point} of three children`, () => inTurn(() => resultStored(point, ['c1', 'c2', 'c3'])), TIMEOUT_MS);
    for (const point of ['result:after@2', 'result:after@3', 'result:before@4', 'result:after@4'])
      it(`at ${point} of a nested child`, () => inTurn(() => resultStored(point, ['outer'])), TIMEOUT_MS);
    // One run reads three results that waited; it is the sixth run.
    for (const site of ['claim', 'request', 'result'])
      for (const moment of ['before', 'after'])
        it(
          `at ${site}:${moment} of the run that reads three results`,
          () => inTurn(() => resultsTogether(`${site}:${moment}@6`)),
          TIMEOUT_MS,
        );
    it('while three children work', () => inTurn(childrenAtWork), TIMEOUT_MS);
  });

  describe.concurrent('while something goes on', () => {
    it('waits for the same person afterwards', () => inTurn(waiting), TIMEOUT_MS);
    it('gives a parent that waits each result once', () => inTurn(waitGoesOn), TIMEOUT_MS);
    it('finds a command in the background again', () => inTurn(processGoesOn), TIMEOUT_MS);
  });

  it('was killed before and after every kind of commit', () => {
    expect([...visited].filter((point) => !point.endsWith(':power')).sort()).toEqual(allPoints);
  });
});

/**
 * A client that waits on its connection, without a key under which it could ask again, loses the connection with the
 * power. Its message may be gone or given up, and then nobody was told anything of it; an answer that was given stays.
 */
async function awaitedCall(site: string): Promise<void> {
  const { gateway, close } = await stage();
  try {
    await gateway.start({ failpoints: [`${site}:power`] });
    const body = { model: 'atrium', user: 'ann', messages: [{ role: 'user', content: 'm1' }] };
    const asked = gateway.fetch('/v1/chat/completions', { body }).then(
      ({ status }) => status,
      () => 'no answer',
    );
    await expectDeath(gateway, `${site}:power`);
    expect(await asked).toBe('no answer');
    await gateway.start();
    await expectQuiet(gateway);
    const { runs } = await gateway.json<{ runs: { status: string }[] }>('/api/runs');
    // Before its first tool, nothing of it was synced. So a file has nothing of it, and a database a run that was given up.
    const unsynced = isInDatabase ? ['stopped'] : [];
    const kept = { accept: unsynced, request: unsynced, result: ['done'] }[site];
    expect(runs.map(({ status }) => status)).toEqual(kept);
    const again = await gateway.fetch('/v1/chat/completions', {
      body: { ...body, messages: [{ role: 'user', content: 'm2' }] },
    });
    expect(await again.text()).toContain('Answer to m2.');
    expectWellFormed(gateway);
  } finally {
    await close();
  }
}

async function control(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    await gateway.start({ failpoints: [`control:${moment}`] });
    web.say('1', '/status');
    await expectDeath(gateway, `control:${moment}`);
    await gateway.start();
    web.say('2', 'm1');
    await web.until(({ parts }) => parts.length >= 2, 'for the status and an answer');
    await expectQuiet(gateway);
    expect(web.texts.filter((text) => /main/.test(text) && !/Answer/.test(text))).toHaveLength(1);
    expect(web.texts.filter((text) => text === 'Answer to m1.')).toHaveLength(1);
    expect(web.parts).toHaveLength(2);
  } finally {
    await close();
  }
}

async function failure(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage((request) => (isAbout(request, 'bad') ? fail(400) : scripted(request)));
  try {
    await gateway.start({ failpoints: [`failure:${moment}`] });
    web.say('1', 'bad');
    web.say('2', 'm2');
    await expectDeath(gateway, `failure:${moment}`);
    await gateway.start();
    await web.until(({ parts }) => parts.length >= 2, 'for a failure and an answer');
    await expectQuiet(gateway);
    expect(web.texts).toEqual([expect.stringContaining('could not be answered'), 'Answer to m2.']);
    expect((await gateway.json<{ deadLetters: unknown[] }>('/api/deadletters')).deadLetters).toHaveLength(1);
  } finally {
    await close();
  }
}

async function block(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    await gateway.start({ failpoints: [`block:${moment}`], program: PROGRAM });
    web.say('1', 'forbidden words');
    web.say('2', 'm2');
    await expectDeath(gateway, `block:${moment}`);
    await gateway.start({ program: PROGRAM });
    await web.until(({ parts }) => parts.length >= 2, 'for a refusal and an answer');
    await expectQuiet(gateway);
    expect(web.texts).toEqual([expect.stringContaining('could not be sent'), 'Answer to m2.']);
    expect(gateway.model.requests.some(({ body }) => body.includes('forbidden'))).toBe(false);
    const [key] = [...web.accepted.values()].map(({ sessionKey }) => sessionKey);
    const transcript = await gateway.fetch(`/api/sessions/${encodeURIComponent(key ?? '')}/transcript`);
    expect(await transcript.text()).not.toContain('forbidden');
  } finally {
    await close();
  }
}

async function observed(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    await gateway.start({ failpoints: [`observed:${moment}`], program: PROGRAM });
    web.say('1', 'm1');
    await expectDeath(gateway, `observed:${moment}`);
    await gateway.start({ program: PROGRAM });
    web.say('2', 'm2');
    await web.until(({ parts }) => parts.length >= 2, 'for two answers');
    await gateway.stop();
    const told = await readEnds(gateway);
    const runs = ['1', '2'].map((id) => web.accepted.get(id)?.runId);
    expect([...new Set(told.map(({ runId }) => runId))].sort()).toEqual(runs.sort());
    expect(told.every(({ success }) => success)).toBe(true);
    // The end is told twice only where the record of the first time was lost, and then it is marked as recovered.
    const again = told.filter(({ recovered }) => recovered);
    expect(again).toHaveLength(moment === 'before' ? 1 : 0);
    await gateway.start();
    const { run } = await gateway.json<{ run: JsonObject }>(`/api/runs/${runs[0]}`);
    expect(run).toMatchObject({ status: 'done', observed: true });
  } finally {
    await close();
  }
}

/** The first commit of a receipt stores its texts, the second one the receipt itself. */
async function promptReceipt(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    await gateway.start({ failpoints: [`prompt-receipt:${moment}`] });
    web.say('1', 'm1');
    await web.until(({ parts }) => parts.length >= 1, 'for an answer');
    // Runs are gathered for a minute; a question has them indexed at once.
    gateway.fetch('/api/receipts?text=m1').catch(() => {});
    await expectDeath(gateway, `prompt-receipt:${moment}`);
    await gateway.start({ failpoints: [`prompt-receipt:${moment}@2`] });
    await expectDeath(gateway, `prompt-receipt:${moment}@2`);
    await gateway.start();
    await web.until(({ parts }) => parts.length >= 1, 'for an answer');
    const find = () => gateway.json<{ counts: object; runs: { runId: string }[] }>('/api/receipts?text=m1');
    const found = await find();
    expect(found.runs).toMatchObject([{ runId: web.accepted.get('1')?.runId, verdict: 'present' }]);
    expect(found.counts).toMatchObject({ present: 1, absent: 0, unseen: 0, unrecorded: 0 });
    await expectToolsRanOnce(gateway);
    await gateway.stop();
  } finally {
    await close();
  }
}

async function wordIndex(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    await gateway.start({ failpoints: [`word-index:${moment}`] });
    web.say('1', 'm1');
    await expectDeath(gateway, `word-index:${moment}`);
    await gateway.start();
    await web.until(({ parts }) => parts.length >= 1, 'for an answer');
    const find = () => gateway.json<{ found: { runId: string; role: string }[] }>('/api/search?text=m1');
    const said = async () => (await find()).found.filter(({ role }) => role === 'user');
    await vi.waitUntil(async () => (await said()).length > 0, { timeout: TIMEOUT_MS, interval: 100 });
    expect(await said()).toMatchObject([{ runId: web.accepted.get('1')?.runId }]);
    await gateway.stop();
  } finally {
    await close();
  }
}

/** The person says it before anything else, so the session begins with the choice. */
async function sessionModel(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    const point = `session-model:${moment}`;
    await gateway.start({ failpoints: [point] });
    web.say('1', '/model fake/large');
    await expectDeath(gateway, point);
    await gateway.start();
    await web.until(({ parts }) => parts.length >= 1, 'for the answer to the command');
    web.say('2', 'm1');
    await web.until(({ parts }) => parts.length >= 2, 'for an answer');
    await expectQuiet(gateway);
    expect(web.texts).toEqual([expect.stringContaining('uses fake/large'), 'Answer to m1.']);
    expect(gateway.model.requests.at(-1)?.json.model).toBe('large');
    const { sessions } = await gateway.json<{ sessions: JsonObject[] }>('/api/sessions');
    expect(sessions).toHaveLength(1);
    await gateway.stop();
  } finally {
    await close();
  }
}

async function sessionMark(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    await gateway.start({ failpoints: [`session-mark:${moment}`] });
    web.say('1', 'm1');
    await web.until(({ parts }) => parts.length >= 1, 'for an answer');
    const marks = `/api/sessions/${encodeURIComponent(web.accepted.get('1')?.sessionKey ?? '')}/marks`;
    const give = () => gateway.json<{ session: JsonObject }>(marks, { body: { title: 'A title' } });
    await expect(give()).rejects.toThrow();
    await expectDeath(gateway, `session-mark:${moment}`);
    await gateway.start();
    const { sessions } = await gateway.json<{ sessions: JsonObject[] }>('/api/sessions');
    expect(sessions).toMatchObject([{ title: moment === 'before' ? null : 'A title' }]);
    expect((await give()).session).toMatchObject({ title: 'A title' });
    await gateway.stop();
  } finally {
    await close();
  }
}

async function upload(moment: Moment): Promise<void> {
  const { gateway, close } = await stage(() => reply('Read.'));
  const body = { name: 'a.txt', data: Buffer.from('some words').toString('base64') };
  const send = () => gateway.json<{ id: string }>('/api/attachments', { body });
  try {
    await gateway.start({ failpoints: [`upload:${moment}`] });
    await expect(send()).rejects.toThrow();
    await expectDeath(gateway, `upload:${moment}`);
    await gateway.start();
    const { id } = await send();
    const say = (key: string) =>
      gateway.fetch('/api/messages', {
        body: { text: 'Read it', user: 'ann', attachments: [{ id }] },
        headers: { 'idempotency-key': key },
      });
    expect((await say('1')).status).toBeLessThan(300);
    expect((await say('1')).status).toBeLessThan(300);
    expect((await say('2')).status).toBe(409);
    await expectQuiet(gateway);
    expect(gateway.model.requests).toHaveLength(1);
    expect(gateway.model.requests[0]?.body).toContain('some words');
    await gateway.stop();
  } finally {
    await close();
  }
}

async function fileVersion(moment: Moment): Promise<void> {
  const { gateway, close } = await stage();
  try {
    await gateway.start({ failpoints: [`file-version:${moment}`] });
    type Answer = { readonly file: { readonly text: string | null; readonly version: string | null } };
    const address = '/api/agents/main/files/AGENTS.md';
    const read = async () => (await gateway.json<Answer>(address)).file;
    const before = await read();
    const write = async () =>
      gateway.json<Answer>(address, { body: { text: 'Be brief.', version: (await read()).version } });
    await expect(write()).rejects.toThrow();
    await expectDeath(gateway, `file-version:${moment}`);
    await gateway.start();
    // The text that was replaced is kept before the file is touched.
    expect(await read()).toEqual(before);
    expect((await write()).file.text).toBe('Be brief.');
    await gateway.stop();
  } finally {
    await close();
  }
}

async function branch(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage(() => reply('An answer.'));
  try {
    await gateway.start({ failpoints: [`branch:${moment}`] });
    web.say('1', 'm1');
    await web.until(({ parts }) => parts.length >= 1, 'for an answer');
    const key = web.accepted.get('1')?.sessionKey ?? '';
    const give = () =>
      gateway.json<{ session: JsonObject }>(`/api/sessions/${encodeURIComponent(key)}/branch`, {
        body: { name: 'another-way' },
      });
    await expect(give()).rejects.toThrow();
    await expectDeath(gateway, `branch:${moment}`);
    await gateway.start();
    const before = await gateway.json<{ sessions: JsonObject[] }>('/api/sessions');
    expect(before.sessions).toHaveLength(moment === 'before' ? 1 : 2);
    const { session } = await give();
    expect(session).toMatchObject({ title: 'Branch of m1', branchAt: 2 });
    const after = await gateway.json<{ sessions: JsonObject[] }>('/api/sessions');
    expect(after.sessions).toHaveLength(2);
    const said = await gateway.fetch('/v1/chat/completions', {
      body: { model: 'atrium', messages: [{ role: 'user', content: 'm2' }] },
      headers: { 'x-openclaw-session-key': String(session.sessionKey) },
    });
    expect(await said.text()).toContain('An answer.');
    const asked = gateway.model.requests.at(-1)?.json.messages as JsonObject[];
    expect(asked.filter(({ role }) => role === 'assistant')).toHaveLength(1);
    await gateway.stop();
  } finally {
    await close();
  }
}

async function hookRecords(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    await gateway.start({ failpoints: [`hook-records:${moment}`], program: PROGRAM });
    web.say('1', 'm1');
    await expectDeath(gateway, `hook-records:${moment}`);
    await gateway.start({ program: PROGRAM });
    web.say('2', 'm2');
    await web.until(({ parts }) => parts.length >= 2, 'for two answers');
    expect(web.texts).toEqual(['Answer to m1.', 'Answer to m2.']);
    await gateway.stop();
    await gateway.start();
    const { records } = await gateway.json<{ records: { hook: string }[] }>(
      `/api/runs/${web.accepted.get('2')?.runId}/hooks`,
    );
    expect(records.map(({ hook }) => hook)).toContain('before_agent_run');
    await expectToolsRanOnce(gateway);
  } finally {
    await close();
  }
}

async function injection(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  const milk = (name: string) =>
    gateway.model.requests.filter((request) => isAbout(request, name) && lastUserText(request).includes('the milk'));
  try {
    await gateway.start({ failpoints: [`injection:${moment}`], program: INJECTING_PROGRAM });
    await expectDeath(gateway, `injection:${moment}`);
    // The run that the injection is bound to dies as well, and the injection still belongs to that run.
    await gateway.start({ failpoints: ['result:before'], program: INJECTING_PROGRAM });
    await queued(gateway);
    web.say('1', 'm1');
    await expectDeath(gateway, 'result:before');
    await gateway.start({ program: INJECTING_PROGRAM });
    await web.until(({ parts }) => parts.length >= 1, 'for an answer');
    web.say('2', 'm2');
    await web.until(({ parts }) => parts.length >= 2, 'for another answer');
    expect(web.texts).toEqual(['Answer to m1.', 'Answer to m2.']);
    expect(milk('m1')).not.toHaveLength(0);
    expect(milk('m2')).toHaveLength(0);
  } finally {
    await close();
  }
}

/** An operator ends the session in the middle of a run, and the process dies during that commit. */
async function session(moment: Moment): Promise<void> {
  let isHeld = true;
  const { gateway, web, close } = await stage((request) =>
    isHeld && resultsOf(request).length > 0 ? { ...reply(''), ending: 'hang' } : scripted(request),
  );
  try {
    await gateway.start({ failpoints: [`session:${moment}`] });
    web.say('1', 'm1');
    await gateway.model.waitForRequests(2);
    const { sessionKey = '', runId = '' } = web.accepted.get('1') ?? {};
    const path = `/api/sessions/${encodeURIComponent(sessionKey)}`;
    gateway.fetch(`${path}/reset`, { body: {} }).catch(() => {});
    await expectDeath(gateway, `session:${moment}`);
    isHeld = false;
    await gateway.start();
    web.say('2', 'm2');
    await web.until(({ parts }) => parts.length >= 2, 'for two answers');
    expect(web.texts).toEqual(['Stopped.', 'Answer to m2.']);
    await expectToolsRanOnce(gateway);
    expectWellFormed(gateway);
    const { run } = await gateway.json<{ run: { status: string } }>(`/api/runs/${runId}`);
    expect(run.status).toBe('stopped');
    const { sessions } = await gateway.json<{ sessions: { endReason: string | null }[] }>('/api/sessions');
    expect(sessions.map(({ endReason }) => endReason)).toEqual(moment === 'before' ? [null] : [null, 'reset']);
    // Only a session that was not ended knows what was said in it.
    expect(JSON.stringify(gateway.model.requests.at(-1)?.json.messages).includes('m1')).toBe(moment === 'before');
  } finally {
    await close();
  }
}

/** A person starts over, and the process dies while it ends the old session. */
async function rollOver(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    await gateway.start({ failpoints: [`session:${moment}`], program: PROGRAM });
    web.say('1', 'm1');
    await web.until(({ parts }) => parts.length >= 1, 'for an answer');
    web.say('2', '/new m2');
    await expectDeath(gateway, `session:${moment}`);
    await gateway.start({ program: PROGRAM });
    await web.until(({ parts }) => parts.length >= 2, 'for two answers');
    expect(web.texts).toEqual(['Answer to m1.', 'Answer to m2.']);
    expect(gateway.model.requests.at(-1)?.body).not.toContain('Answer to m1.');
    await expectToolsRanOnce(gateway);
    expectWellFormed(gateway);
    const { sessionKey = '' } = web.accepted.get('1') ?? {};
    await eventually(async () => (await readSessionEnds(gateway)).length > 0);
    const { earlier } = await gateway.json<{ earlier: { endReason: string }[] }>(
      `/api/sessions/${encodeURIComponent(sessionKey)}`,
    );
    expect(earlier).toMatchObject([{ endReason: 'new' }]);
    await gateway.stop();
    expect(await readSessionEnds(gateway)).toEqual([
      { reason: 'new', messageCount: expect.any(Number), recovered: true },
    ]);
  } finally {
    await close();
  }
}

/** The process dies while it records that the end of a session was told. */
async function toldEnd(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    // The first such record belongs to the run before it.
    await gateway.start({ failpoints: [`observed:${moment}@2`], program: PROGRAM });
    web.say('1', 'm1');
    await web.until(({ parts }) => parts.length >= 1, 'for an answer');
    const run = `/api/runs/${web.accepted.get('1')?.runId}`;
    await eventually(async () => (await gateway.json<{ run: { observed: boolean } }>(run)).run.observed);
    web.say('2', '/new m2');
    await expectDeath(gateway, `observed:${moment}@2`);
    await gateway.start({ program: PROGRAM });
    await web.until(({ parts }) => parts.length >= 2, 'for two answers');
    expect(web.texts).toEqual(['Answer to m1.', 'Answer to m2.']);
    // The end is told twice only where the record of the first time was lost, and then it is marked as recovered.
    const expected = moment === 'before' ? [undefined, true] : [undefined];
    await eventually(async () => (await readSessionEnds(gateway)).length >= expected.length);
    await gateway.stop();
    expect((await readSessionEnds(gateway)).map(({ recovered }) => recovered)).toEqual(expected);
  } finally {
    await close();
  }
}

/** A message that kills the process each time that its request is about to be committed. */
async function deadLetter(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage();
  try {
    for (let claims = 1; claims <= 3; claims++) {
      await gateway.start({ failpoints: ['request:before'] });
      if (claims === 1) {
        web.say('1', 'm1');
        web.say('2', 'm2');
      }
      await expectDeath(gateway, 'request:before');
    }
    await gateway.start({ failpoints: [`dead-letter:${moment}`] });
    await expectDeath(gateway, `dead-letter:${moment}`);
    await gateway.start();
    await web.until(({ parts }) => parts.length >= 2, 'for a failure and an answer');
    await expectQuiet(gateway);
    expect(web.texts).toEqual([expect.stringContaining('could not be answered'), 'Answer to m2.']);
    expect((await gateway.json<{ deadLetters: unknown[] }>('/api/deadletters')).deadLetters).toHaveLength(1);
  } finally {
    await close();
  }
}

async function deadLetterAnswer(moment: Moment): Promise<void> {
  let isBroken = true;
  const { gateway, web, close } = await stage((request) => (isBroken ? fail(400) : scripted(request)));
  const letters = async () =>
    (await gateway.json<{ deadLetters: readonly { id: string }[] }>('/api/deadletters')).deadLetters;
  try {
    await gateway.start({ failpoints: [`dead-letter-answer:${moment}`] });
    web.say('1', 'm1');
    await web.until(({ parts }) => parts.length >= 1, 'for a failure');
    isBroken = false;
    const [letter] = await letters();
    const path = `/api/deadletters/${letter?.id}/replay`;
    gateway.fetch(path, { body: {} }).catch(() => {});
    await expectDeath(gateway, `dead-letter-answer:${moment}`);
    await gateway.start();
    expect((await letters()).length).toBe(moment === 'before' ? 1 : 0);
    if (moment === 'before') await gateway.fetch(path, { body: {} });
    await web.until(({ parts }) => parts.length >= 2, 'for the answer');
    await expectQuiet(gateway);
    expect(web.texts).toEqual([expect.stringContaining('could not be answered'), 'Answer to m1.']);
    expect(await letters()).toEqual([]);
    await expectToolsRanOnce(gateway);
  } finally {
    await close();
  }
}

async function prune(moment: Moment): Promise<void> {
  const { gateway, web, close } = await stage(scripted, { recorder: { captures: { maxBytes: 0 } } });
  try {
    await gateway.start();
    web.say('1', 'm1');
    await web.until(({ parts }) => parts.length >= 1, 'for an answer');
    await gateway.stop();
    await gateway.start({ failpoints: [`prune:${moment}`], program: TEN_MINUTES_LATER });
    await expectDeath(gateway, `prune:${moment}`);
    await gateway.start({ program: TEN_MINUTES_LATER });
    web.say('2', 'm2');
    await web.until(({ parts }) => parts.length >= 2, 'for another answer');
    expect(web.texts).toEqual(['Answer to m1.', 'Answer to m2.']);
    const request = () => gateway.fetch(`/api/runs/${web.accepted.get('1')?.runId}/requests/last`);
    await eventually(async () => (await request()).status === 404);
    await expectToolsRanOnce(gateway);
  } finally {
    await close();
  }
}

/** Blocks what is forbidden, and records which runs and sessions have ended. */
const PROGRAM = `
import { appendFileSync } from 'node:fs';
export function register(hooks) {
  hooks.register({ hook: 'before_agent_run', id: 'guard', owner: 'guard', handler: ({ prompt }) =>
    prompt.includes('forbidden') ? { outcome: 'block', reason: 'it is forbidden' } : { outcome: 'pass' } });
  hooks.register({ hook: 'agent_end', id: 'ends', owner: 'ends', handler: ({ runId, success, recovered }) =>
    appendFileSync('ends.jsonl', JSON.stringify({ runId, success, recovered }) + '\\n') });
  hooks.register({ hook: 'session_end', id: 'ends', owner: 'ends', handler: ({ reason, messageCount }, { recovered }) =>
    appendFileSync('session-ends.jsonl', JSON.stringify({ reason, messageCount, recovered }) + '\\n') });
}
`;

/** Queues the same text at every start. */
const INJECTING_PROGRAM = `
import { appendFileSync } from 'node:fs';
export async function ready({ services }) {
  const surface = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'page' } };
  const { sessionKey } = services.route({ surface, sender: { id: 'page' }, text: '', at: 0 });
  await services.injections.queue({ owner: 'reminder', sessionKey, text: 'Remember the milk.', idempotencyKey: 'milk' });
  appendFileSync('queued.txt', 'x');
}
`;

const TEN_MINUTES_LATER = 'export const now = () => Date.now() + 600_000;';

function queued(gateway: GatewayProcess): Promise<void> {
  return eventually(() => readFile(`${gateway.home.home}/queued.txt`, 'utf8').then(Boolean, () => false));
}

/** Only real ends of sessions; a process that stops also tells of its open sessions, which go on. */
async function readSessionEnds({ home }: GatewayProcess): Promise<{ reason: string; recovered?: boolean }[]> {
  const text = await readFile(`${home.home}/session-ends.jsonl`, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line)).filter(({ reason }) => reason !== 'shutdown');
}

async function readEnds({ home }: GatewayProcess): Promise<{ runId: string; success: boolean; recovered?: boolean }[]> {
  const lines = (await readFile(`${home.home}/ends.jsonl`, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}
