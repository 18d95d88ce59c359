// Everything that a page shows of a conversation while it happens is what every other device shows, and what the page
// shows after a reload: word for word, with tools, approvals, subagents, failures, commands, and what jobs and other
// conversations send there. Nothing of it is kept in the browser.

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { toldLast } from '../../agent/subagents/fixtures/children-talk.ts';
import type { ApprovalRequest } from '../../hooks/tool-hooks.ts';
import type { Surface } from '../../protocol/inbound.ts';
import { pageSurface } from '../../protocol/page-surface.ts';
import { gate } from '../../testkit/gate.ts';
import { fail, hang, reply, thought, toolCall, toolCalls } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { toolForTest } from '../../testkit/tool-for-test.ts';
import { browserPath, say } from './fixtures/browser-page.ts';
import { Devices, echo, heard, isQuiet, keyOf, pathOf } from './fixtures/devices.ts';

/** One white dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsVW1nwAAAABJRU5ErkJggg==',
  'base64',
);
const STAMP: ApprovalRequest = { title: 'Use the stamp', description: 'It leaves a mark.' };

describe.skipIf(!browserPath)('the whole record of a conversation (skipped where there is no Chromium)', () => {
  const devices = new Devices({
    tools: [
      toolForTest('stamp', async () => ({ content: 'stamped' }), { idempotent: false }),
      toolForTest('slow', async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return { content: 'It took its time.' };
      }),
      toolForTest('broken', async () => ({ content: 'It broke.', isError: true })),
    ],
    config: {
      agents: { defaults: { model: 'fake/small' } },
      tools: { alsoAllow: ['message', 'sessions_spawn'] },
    },
    register: (hooks) =>
      on(hooks, 'before_tool_call', 'careful', ({ toolName }) =>
        toolName === 'stamp' ? { requireApproval: STAMP } : undefined,
      ),
  });

  const texts = (page: Page) => page.locator('.turn:not([hidden])').allTextContents();
  const surfaceOf = async (page: Page): Promise<Surface> => {
    const [session] = await devices.scratch.store.select('sessions', { where: { sessionKey: keyOf(page) }, limit: 1 });
    if (!session?.surface) throw new Error('The conversation has no surface.');
    return session.surface;
  };
  /** Runs a job whose answer goes to the conversation. */
  const runJob = async (page: Page, message: string) => {
    const { peer } = await surfaceOf(page);
    const job = await devices.scratch.services.jobs.add({
      name: message,
      message,
      schedule: { every: '1h' },
      deliver: `web:direct:${peer.id}`,
      createdBy: 'api',
    });
    await devices.scratch.services.jobs.run(job.id);
  };
  /** A page that was there, one that was opened now, and the first one after a reload show the same words. */
  const expectOneRecord = async (page: Page): Promise<readonly string[]> => {
    const fresh = await devices.open(pathOf(page));
    const isSame = async () => {
      const [shown, record] = [await texts(page), await texts(fresh)];
      return shown.length > 0 && shown.join('\n') === record.join('\n');
    };
    await expect
      .poll(isSame)
      .toBe(true)
      .catch(async () => expect(await texts(page)).toEqual(await texts(fresh)));
    const record = await texts(fresh);
    await page.reload();
    await expect.poll(() => texts(page)).toEqual(record);
    return record;
  };

  it('has what jobs and other conversations send there, in order, on every device and once', async () => {
    const page = await devices.open();
    await say(page, 'first');
    await heard(page, 'Heard: first');
    const other = await devices.open(pathOf(page));
    await heard(other, 'Heard: first');
    await runJob(page, 'the morning report');
    for (const each of [page, other])
      await each
        .locator('.words')
        .getByText(/the morning report$/)
        .waitFor();
    await say(other, 'second');
    for (const each of [page, other]) await heard(each, 'Heard: second');
    const elsewhere = await devices.open();
    const target = `direct:${(await surfaceOf(page)).peer.id}`;
    devices.scratch.model.script([
      toolCall('message', { action: 'send', target, text: 'A word from elsewhere.' }),
      reply('I told them.'),
    ]);
    await say(elsewhere, 'tell the others');
    await heard(elsewhere, 'I told them.');
    for (const each of [page, other]) await heard(each, 'A word from elsewhere.');
    devices.scratch.model.script(echo);
    await say(page, 'third');
    for (const each of [page, other]) await heard(each, 'Heard: third');
    const record = await expectOneRecord(page);
    const ends = [/first/, /the morning report/, /second/, /A word from elsewhere\./, /third/];
    expect(record).toHaveLength(ends.length);
    for (const [index, end] of ends.entries()) expect(record[index]).toMatch(end);
    await expect.poll(() => texts(other)).toEqual(record);
    const kept = await page.evaluate<string>('JSON.stringify(localStorage)');
    expect(kept).not.toContain('morning report');
    expect(kept).not.toContain('elsewhere');
  });

  it('has what is sent to it from elsewhere where it did not begin on a page, in the same session', async () => {
    const { sessionKey, runId } = await devices.scratch.services.inbox.receive({
      surface: { channel: 'cli', accountId: 'default', peer: { kind: 'direct', id: 'terminal' } },
      sender: { id: 'terminal' },
      text: 'from the terminal',
      at: Date.now(),
      eventId: 'terminal-1',
    });
    await devices.scratch.services.runs.wait(runId);
    const page = await devices.open(`/sessions/${sessionKey}`);
    await heard(page, 'Heard: from the terminal');
    const elsewhere = await devices.open();
    const sessions = () => devices.scratch.store.count('sessions', {});
    const target = `direct:${pageSurface(sessionKey)}`;
    devices.scratch.model.script([
      toolCall('message', { action: 'send', target, text: 'A word to the terminal.' }),
      reply('I told it.'),
    ]);
    await say(elsewhere, 'tell the one at the terminal');
    await heard(elsewhere, 'I told it.');
    await heard(page, 'A word to the terminal.');
    const before = await sessions();
    devices.scratch.model.script((request) =>
      reply(`It is known: ${request.body.includes('A word to the terminal.')}`),
    );
    await say(page, 'what did they say?');
    await heard(page, 'It is known: true');
    expect(await sessions()).toBe(before);
    expect(await expectOneRecord(page)).toHaveLength(3);
  });

  it('has what came while every page was closed', async () => {
    const page = await devices.open();
    await say(page, 'good night');
    await heard(page, 'Heard: good night');
    const path = pathOf(page);
    const { peer } = await surfaceOf(page);
    await page.goto('about:blank');
    const job = await devices.scratch.services.jobs.add({
      name: 'night',
      message: 'the night report',
      schedule: { every: '1h' },
      deliver: `web:direct:${peer.id}`,
      createdBy: 'api',
    });
    await devices.scratch.services.jobs.run(job.id);
    await expect
      .poll(() => devices.scratch.store.select('outbox', { where: { text: { contains: 'the night report' } } }))
      .toHaveLength(1);
    await page.goto(`${devices.server.url}${path}`);
    await page
      .locator('.words')
      .getByText(/the night report$/)
      .waitFor();
    expect(await page.locator('.turn').count()).toBe(2);
  });

  it('has commands and their answers', async () => {
    const page = await devices.open();
    await say(page, 'hello');
    await heard(page, 'Heard: hello');
    await say(page, '/status');
    await page.locator('.said').getByText('/status').waitFor();
    await expect.poll(() => page.locator('.turn').last().locator('.part').count()).toBe(1);
    await say(page, 'go on');
    await heard(page, 'Heard: go on');
    const record = await expectOneRecord(page);
    expect(record).toHaveLength(3);
    expect(record[1]).toMatch(/^\/status/);
  });

  it('has tools, approvals, thoughts, images, failures and what was stopped', async () => {
    const page = await devices.open();
    devices.scratch.model.script([
      {
        ...thought('I think of it.', 'Let me try.'),
        ...toolCalls([{ name: 'slow', params: { a: 1 } }, { name: 'broken' }], 'Let me try.'),
      },
      toolCall('stamp', { what: 'it' }, 'Now the stamp.'),
      reply('It is **done**.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |'),
    ]);
    await say(page, 'do it');
    await page.locator('.approval').getByRole('button', { name: 'Allow once' }).click();
    await page.locator('.words').getByText('It is done.').waitFor();
    devices.scratch.model.script([toolCall('stamp', { what: 'that' }), reply('Then not.')]);
    await say(page, 'and that');
    await page.locator('.approval').last().getByRole('button', { name: 'Deny' }).click();
    await heard(page, 'Then not.');
    devices.scratch.model.script(echo);
    await page.locator('#pick-files').setInputFiles([{ name: 'dot.png', mimeType: 'image/png', buffer: PNG }]);
    await page.locator('#files .file:not(.waiting)').waitFor();
    await say(page, 'look at this');
    await page
      .locator('.words')
      .getByText(/look at this/)
      .waitFor();
    devices.scratch.model.script(() => fail(400, { message: 'This model is not for you.' }));
    await say(page, 'fail');
    await page.locator('.fault').waitFor();
    await isQuiet(page);
    devices.scratch.model.script(() => hang('I begin to'));
    await say(page, 'and stop');
    await page.locator('.flow.live .words').waitFor();
    await page.locator('#stop').click();
    await isQuiet(page);
    await page.getByText('Stopped.', { exact: true }).waitFor();
    const record = await expectOneRecord(page);
    expect(record).toHaveLength(5);
    expect(record[0]).toMatch(/slow.*\d+ ms/);
    expect(record[4]).toMatch(/I begin to[\s\S]*Stopped\./);
  });

  it('has each call of one answer behind its own question', async () => {
    const page = await devices.open();
    devices.scratch.model.script([
      toolCalls([{ name: 'slow' }, { name: 'stamp', params: { n: 1 } }, { name: 'stamp', params: { n: 2 } }], 'I try.'),
      reply('All three.'),
    ]);
    await say(page, 'do all three');
    await page.locator('.approval').nth(1).waitFor();
    for (const decision of ['Allow once', 'Deny'])
      await page.locator('.approval').getByRole('button', { name: decision }).first().click();
    await heard(page, 'All three.');
    const order = () => page.locator('.approval, details.tool').evaluateAll((all) => all.map(({ tagName }) => tagName));
    await expect.poll(order).toEqual(['DETAILS', 'SECTION', 'DETAILS', 'SECTION', 'DETAILS']);
    await expectOneRecord(page);
    expect(await order()).toEqual(['DETAILS', 'SECTION', 'DETAILS', 'SECTION', 'DETAILS']);
  });

  it('has the note that it was made shorter', async () => {
    const page = await devices.open();
    for (const number of [1, 2, 3]) {
      devices.scratch.model.script(() => reply(`Noted ${number}.`));
      await say(page, `Number ${number}. ${'It is a long story. '.repeat(500)}`);
      await heard(page, `Noted ${number}.`);
    }
    devices.scratch.model.script([
      fail(400, { message: 'prompt is too long: 9 tokens > 8 maximum' }),
      reply('They counted to three.'),
      reply('Now it fits.'),
    ]);
    await say(page, 'and four');
    await heard(page, 'Now it fits.');
    await page.locator('.notice').getByText('The conversation was shortened').waitFor();
    await expectOneRecord(page);
  });

  it('has subagents, edited messages and branches', async () => {
    const page = await devices.open();
    const isOver = gate();
    devices.scratch.model.script((request) => {
      const said = toldLast(request);
      if (said.includes('Internal task completion')) return reply('The child is done.');
      if (said.includes('Count the birds')) return { ...reply('Three birds.'), rest: isOver.opened };
      if (said.includes('accepted')) return reply('I have asked another one.');
      if (said.startsWith('ask another')) return toolCall('sessions_spawn', { task: 'Count the birds.' });
      return echo(request);
    });
    await say(page, 'ask another');
    await heard(page, 'I have asked another one.');
    isOver.open();
    await heard(page, 'The child is done.');
    await say(page, 'a mistke');
    await heard(page, 'Heard: a mistke');
    await expectOneRecord(page);
    const wrong = page.locator('.turn').last();
    await wrong.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edit the message').fill('a mistake');
    await page.keyboard.press('Enter');
    await heard(page, 'Heard: a mistake');
    const record = await expectOneRecord(page);
    expect(record.at(-1)).toMatch(/2 of 2/);
  });
});
