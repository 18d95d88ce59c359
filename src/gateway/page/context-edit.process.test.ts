// The context of now on the page: it follows files, situations and settings, says in what it differs and who did it, and
// lets a bootstrap file be edited, saved, undone and put back. One gateway and one browser for all tests.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reply } from '../../testkit/model-server.ts';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { TEST_TOKEN } from '../http/fixtures/test-api.ts';
import type { Listening } from '../http/listen.ts';
import { browserPath, launchBrowser, say, serve } from './fixtures/browser-page.ts';

const HOSTILE = '<img src=x onerror="globalThis.hit = 1">';

describe.skipIf(!browserPath)('the context of now on the page (skipped where there is no Chromium)', () => {
  let browser: Browser;
  let scratch: ScratchGateway;
  let server: Listening;
  let page: Page;
  let session: string;
  const faults: string[] = [];

  beforeAll(async () => {
    scratch = await ScratchGateway.open({
      files: {
        'workspace/AGENTS.md': `# Rules\n\nBe kind. ${HOSTILE}\nBe brief.\n`,
        'workspace/MEMORY.md': 'The cellar key hangs behind the clock.\n',
        'workspace/notes.md': 'nothing',
      },
      config: {
        agents: { defaults: { model: 'fake/small' }, list: [{ id: 'main', default: true }, { id: 'coder' }] },
        tools: { profile: 'minimal' },
      },
    });
    scratch.model.script(() => reply('Well.', { usage: { input: 700, output: 5 } }));
    server = await serve(scratch);
    browser = await launchBrowser();
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(`${server.url}/#token=${TEST_TOKEN}`);
    await page.getByText('Connected', { exact: true }).waitFor();
    await say(page, 'How are you?');
    await page.getByText('Well.', { exact: true }).waitFor();
    session = (await scratch.store.select('runs'))[0]?.sessionKey ?? '';
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close(50);
    await scratch?.close();
    expect(faults).toEqual([]);
  });

  const agentsFile = () => join(scratch.workspaceDir, 'AGENTS.md');
  const onDisk = () => readFile(agentsFile(), 'utf8');
  const nowAddress = () => `${server.url}/sessions/${encodeURIComponent(session)}/context`;
  const editor = () => page.getByRole('region', { name: 'Edit a file' });
  const text = () => editor().getByLabel('Text of AGENTS.md');
  const document = () => page.locator('#request');
  const difference = async () => {
    await page.getByRole('button', { name: 'Difference' }).click();
    return page.locator('.request-diff');
  };

  it('follows a file that another program changes', async () => {
    await page.goto(nowAddress());
    await document().getByText('Be kind.').waitFor();
    const before = await onDisk();
    // The gateway begins to look a moment after the page has opened, so the first change may come too early.
    await expect
      .poll(
        async () => {
          await writeFile(agentsFile(), `${before}From the disk.\n`);
          return document().getByText('From the disk.').isVisible();
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe(true);
  });

  it('follows every letter of an editor, says who differs, and saves nothing by itself', async () => {
    await page.getByRole('button', { name: 'Edit files' }).click();
    expect(new URL(page.url()).search).toBe('?file=AGENTS.md');
    const before = await onDisk();
    await text().fill(`${before}Never shout. ${HOSTILE}\n`);
    await document().getByText('Never shout.').waitFor();
    const changed = await difference();
    await changed.locator('.diff-row.added ins').getByText(`Never shout. ${HOSTILE}`).waitFor();
    expect(await changed.locator('.diff-authors li').allInnerTexts()).toEqual([
      expect.stringMatching(/AGENTS\.md\s*\+1/),
    ]);
    expect(await onDisk()).toBe(before);
    expect(await page.evaluate('globalThis.hit')).toBeUndefined();
  });

  it('saves with a key, and the next run reads it', async () => {
    await text().press('Control+s');
    await editor().getByText('Saved. The next run reads it.').waitFor();
    expect(await onDisk()).toContain('Never shout.');
    await page.goto(`${server.url}/sessions/${encodeURIComponent(session)}`);
    await say(page, 'And now?');
    await expect.poll(() => scratch.model.requests.length, { timeout: 20_000 }).toBe(2);
    expect(scratch.model.requests.at(-1)?.body).toContain('Never shout.');
    await page.getByText('Well.', { exact: true }).nth(1).waitFor();
  });

  it('marks where the prefix broke since the last run, with the first changed byte and its author', async () => {
    const runs = await scratch.store.select('runs', { orderBy: [['runId', 'asc']] });
    const { runId } = runs.at(-1) ?? { runId: '' };
    await page.goto(`${server.url}/sessions/${encodeURIComponent(session)}/runs/${runId}/context`);
    const mark = document().locator('#new-mark');
    await mark.waitFor();
    expect(await mark.getAttribute('class')).toContain('break');
    const cache = page.getByRole('region', { name: 'Cache' });
    expect(await cache.innerText()).toMatch(/AGENTS\.md, line 5/);
    // The words behind the mark are the first that the request before did not have.
    const around = await mark.evaluate((element) => [
      element.previousElementSibling?.textContent ?? '',
      element.nextElementSibling?.textContent ?? '',
    ]);
    expect(around[0]?.endsWith('Be brief.\n')).toBe(true);
    expect(around[1]?.startsWith('From the disk.')).toBe(true);
    const [before, now] = scratch.model.requests.map(({ body }) => Buffer.from(body)) as [Buffer, Buffer];
    const first = now.findIndex((byte, index) => byte !== before[index]);
    expect(await cache.locator('#new-byte').innerText()).toContain(first.toLocaleString('en-US'));
    await page.getByRole('button', { name: 'As it is sent' }).click();
    const sent = await page.locator('#sent-body .text-mark').evaluate((element) => {
      const walker = [...(element.parentElement?.children ?? [])];
      return walker
        .slice(0, walker.indexOf(element))
        .map((each) => each.textContent)
        .join('');
    });
    expect(Buffer.byteLength(sent)).toBe(first);
    // What stands before the mark can be cached, what stands behind it cannot.
    await page.getByRole('button', { name: 'As it is read' }).click();
    await page.locator('.unit summary', { hasText: 'Tool:' }).first().click();
    await page.locator('.piece.tool').first().focus();
    await page.locator('#piece-card').getByText('so it can be cached').waitFor();
    await page.locator('.piece.message').last().focus();
    await page.locator('#piece-card').getByText('not cached').waitFor();
  });

  it('leads from a piece to its file, and undoes the last edit', async () => {
    await page.locator('.piece.file', { hasText: 'Be kind.' }).first().hover();
    await page.locator('#piece-card').getByRole('button', { name: 'Edit this file' }).click();
    await text().waitFor();
    await editor().getByRole('button', { name: 'Undo the last edit' }).click();
    await editor().getByText('Put back. The next run reads it.').waitFor();
    expect(await onDisk()).not.toContain('Never shout.');
    await editor().getByText('History').click();
    const versions = editor().locator('.versions li');
    expect(await versions.count()).toBeGreaterThanOrEqual(3);
    expect(await versions.allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/found on the disk/)]),
    );
    await versions.nth(1).getByRole('button', { name: 'Try it' }).click();
    await document().getByText('Never shout.').waitFor();
    expect(await onDisk()).not.toContain('Never shout.');
    await versions.nth(1).getByRole('button', { name: 'Put it back' }).click();
    await expect.poll(onDisk, { timeout: 20_000 }).toContain('Never shout.');
    // The page has the answer by now, and shows the text that was put back.
    await expect.poll(() => text().inputValue(), { timeout: 20_000 }).toContain('Never shout.');
  });

  it('keeps what is typed while an answer is on its way', async () => {
    await page.route('**/files/AGENTS.md', async (route) => {
      if (route.request().method() !== 'GET') await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await text().fill('First.\n');
    await editor().getByRole('button', { name: 'Save' }).click();
    await text().fill('First, and more.\n');
    await expect.poll(onDisk, { timeout: 20_000 }).toBe('First.\n');
    // The answer is there when the history has the text that was saved.
    await editor().locator('.versions').getByText('7 characters').first().waitFor();
    await editor().getByText('Not saved. The request follows what you write.').waitFor();
    expect(await text().inputValue()).toBe('First, and more.\n');
    await page.unroute('**/files/AGENTS.md');
    await editor().getByRole('button', { name: 'Discard' }).click();
    expect(await text().inputValue()).toBe('First.\n');
  });

  it('does not overwrite what somebody else has written meanwhile', async () => {
    await text().fill('Mine.\n');
    // In one step, so that nothing reads it half written.
    await writeFile(`${agentsFile()}.new`, 'Theirs.\n');
    await rename(`${agentsFile()}.new`, agentsFile());
    await editor().getByText('was changed elsewhere in the meantime').waitFor();
    expect(await onDisk()).toBe('Theirs.\n');
    await editor().getByRole('button', { name: 'Write mine over it' }).click();
    await editor().getByText('Saved. The next run reads it.').waitFor();
    expect(await onDisk()).toBe('Mine.\n');
    await editor().getByRole('button', { name: 'Close' }).click();
    await editor().waitFor({ state: 'detached' });
  });

  it('answers what if: agent, session type, channel, time, settings, with the difference', async () => {
    await page.getByLabel('Session type').selectOption('subagent');
    const files = page.getByRole('region', { name: 'Absent' });
    await files.getByText('filtered-session').first().waitFor();
    const rows = (await difference()).locator('.diff-row.removed del');
    await rows.getByText('The cellar key hangs behind the clock.').waitFor();
    // The question about words that only the file has is answered with the reason code.
    await page.getByLabel('Why is this not here?').last().fill('cellar key');
    const findings = page.getByRole('region', { name: 'Why is this not here?' }).locator('li');
    await findings.getByText('filtered-session').waitFor();
    await page.getByRole('button', { name: 'As it is', exact: true }).click();
    await page.getByText('Other settings').click();
    const settings = page.getByLabel('Merged over the configuration');
    await settings.fill('{"agents": {');
    await page.getByText('This is not JSON yet').first().waitFor();
    await settings.fill('{"agents": {"defaults": {"model": "fake/large"}}}');
    await page.getByText('fake/large, as it would be sent').waitFor();
    await settings.fill('{"plugins": {"enabled": false}}');
    await page.getByText('A look cannot have another value for plugins').first().waitFor();
    await page.getByRole('button', { name: 'As it is', exact: true }).click();
    await page.getByRole('combobox', { name: 'Agent', exact: true }).last().selectOption('coder');
    await page.getByRole('button', { name: 'Difference' }).waitFor();
    await page.getByRole('combobox', { name: 'Agent', exact: true }).last().selectOption('');
    await page.getByLabel('Channel').selectOption('web');
    await page.getByLabel('Time').fill('2026-01-01T23:30');
    await page.getByText('fake/small, as it would be sent').waitFor();
    await page.getByRole('button', { name: 'As it is', exact: true }).click();
  });

  it('shows the estimate, the provider’s number and what remains', async () => {
    const runs = await scratch.store.select('runs', { orderBy: [['runId', 'asc']] });
    await page.goto(`${server.url}/sessions/${encodeURIComponent(session)}/runs/${runs[0]?.runId}/context`);
    const sizes = page.getByRole('region', { name: 'Sizes' });
    await sizes.getByText('As the provider counted').waitFor();
    const told = Object.fromEntries(
      (await sizes.locator('.sizes > div').allInnerTexts()).map((row) => row.split(/\n+/) as [string, string]),
    );
    const number = (name: string) => Number(told[name]?.replace(/[,+]/g, '').replace('−', '-'));
    expect(number('As the provider counted')).toBe(700);
    expect(number('Tokens, estimated') + number('Remainder')).toBe(700);
    expect(
      parseInt(told['Words of authors']?.replace(/,/g, '') ?? '', 10) +
        parseInt(told['Form of the provider']?.replace(/,/g, '') ?? '', 10),
    ).toBe(Buffer.byteLength(scratch.model.requests[0]?.body ?? ''));
    await page.getByRole('group', { name: 'Tokens by author' }).locator('button', { hasText: 'AGENTS.md' }).click();
    await page.locator('.piece.message.pale').first().waitFor();
    expect(await page.locator('.piece.file.pale', { hasText: 'Be kind.' }).count()).toBe(0);
  });

  it('is used with the keyboard alone', async () => {
    await page.goto(`${nowAddress()}?file=AGENTS.md`);
    await text().focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('By keys.');
    await document().getByText('By keys.').waitFor();
    await page.keyboard.press('Control+s');
    await editor().getByText('Saved. The next run reads it.').waitFor();
    // One Tab reaches the document; the arrow keys move in it.
    await page.locator('#piece-0').focus();
    const name = page.locator('#piece-card .name');
    const first = await name.innerText();
    await page.keyboard.press('End');
    await expect.poll(() => name.innerText()).not.toBe(first);
    await page.locator('#piece-card').getByText('what was said').waitFor();
    await page.keyboard.press('Home');
    await expect.poll(() => name.innerText()).toBe(first);
    expect(await page.locator('[data-piece][tabindex="0"]').count()).toBe(1);
  });

  it('compares two runs side by side, with the author of every changed line', async () => {
    const runs = await scratch.store.select('runs', { orderBy: [['runId', 'asc']] });
    await page.goto(`${server.url}/runs/${runs[1]?.runId}?beside=${runs[0]?.runId}`);
    await page.getByRole('region', { name: 'Waterfall', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Waterfall of the other run' }).getByText('Model call 1').waitFor();
    const row = page.locator('.diff-row.added', { hasText: 'Never shout.' });
    await row.locator('.by').getByText('AGENTS.md').waitFor();
    expect(await page.evaluate('globalThis.hit')).toBeUndefined();
  });

  it.each(['light', 'dark'] as const)('has no serious faults, and fits a telephone (%s)', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const check = async () => {
      await page.evaluate(axe);
      const { violations } = (await page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] })")) as {
        violations: readonly { id: string; impact: string; nodes: readonly { html: string }[] }[];
      };
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
      await page.setViewportSize({ width: 1440, height: 900 });
    };
    await page.goto(`${nowAddress()}?file=AGENTS.md`);
    await text().fill('Another text.\n');
    await (await difference()).locator('.diff-row.added').first().waitFor();
    await editor().getByText('History').click();
    await page.getByText('Other settings').click();
    await check();
    const runs = await scratch.store.select('runs', { orderBy: [['runId', 'asc']] });
    await page.goto(`${server.url}/runs/${runs[1]?.runId}?beside=${runs[0]?.runId}`);
    await page.locator('.diff-row.added').first().waitFor();
    await check();
  });
});
