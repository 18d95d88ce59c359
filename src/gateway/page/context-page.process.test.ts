// The context of a run on the page, and what hostile words can do there and in the talk: nothing. One gateway and one
// browser for all tests, because they only look at what the first conversation left.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reply, toolCall } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { TEST_TOKEN } from '../http/fixtures/test-api.ts';
import type { Listening } from '../http/listen.ts';
import { browserPath, launchBrowser, say, serve } from './fixtures/browser-page.ts';

/** If any of it became markup, the page would say so in a variable. */
const HOSTILE = '<img src=x onerror="globalThis.hit = 1"><script>globalThis.hit = 2</script>';
const WORDS = `Hello ${HOSTILE} [a link](javascript:globalThis.hit=3)`;
const ANSWER = `${HOSTILE}\n\n| a | b |\n| - | - |\n| ${HOSTILE} | 2 |\n\n[run](javascript:globalThis.hit=4) ![picture](https://example.org/leak.png)\n\n\`\`\`html\n${HOSTILE}\n\`\`\``;

describe.skipIf(!browserPath)('the context of a run on the page (skipped where there is no Chromium)', () => {
  let browser: Browser;
  let scratch: ScratchGateway;
  let server: Listening;
  let page: Page;
  let runId: string;
  let session: string;
  const faults: string[] = [];
  const asked: string[] = [];

  beforeAll(async () => {
    scratch = await ScratchGateway.open({
      files: {
        'workspace/AGENTS.md': `# Rules\n\nBe kind. ${HOSTILE}\n`,
        'workspace/TOOLS.md': 'Use tools with care.\n'.repeat(200),
        'workspace/notes.txt': `In the file: ${HOSTILE}`,
      },
      config: { agents: { defaults: { model: 'fake/small', bootstrapMaxChars: 1_000 } }, tools: { profile: 'full' } },
      register: (hooks) =>
        on(hooks, 'before_prompt_build', `decor${HOSTILE}`, () => ({ prependContext: `From the plugin. ${HOSTILE}` })),
    });
    scratch.model.script([
      toolCall('read', { path: 'notes.txt' }, 'Let me look.'),
      reply(ANSWER, { usage: { input: 900, output: 20 } }),
    ]);
    server = await serve(scratch);
    browser = await launchBrowser();
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => asked.push(new URL(request.url()).host));
    await page.goto(`${server.url}/#token=${TEST_TOKEN}`);
    await page.getByText('Connected', { exact: true }).waitFor();
    await page
      .locator('#pick-files')
      .setInputFiles([
        { name: '<img src=x onerror=globalThis.hit=5>.txt', mimeType: 'text/plain', buffer: Buffer.from(HOSTILE) },
      ]);
    await page.locator('#files .state').getByText(/B$/).waitFor();
    await say(page, WORDS);
    await page.getByRole('button', { name: 'What was it given?' }).waitFor();
    const [run] = await scratch.store.select('runs');
    runId = run?.runId ?? '';
    session = run?.sessionKey ?? '';
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close(50);
    await scratch?.close();
    expect(faults).toEqual([]);
    // Nothing but the gateway was asked, not even for the picture.
    expect(new Set(asked)).toEqual(new Set([new URL(server.url).host]));
  });

  const contextAddress = () => `${server.url}/sessions/${encodeURIComponent(session)}/runs/${runId}/context`;
  const expectHarmless = async () => {
    expect(await page.evaluate('globalThis.hit')).toBeUndefined();
    expect(await page.locator('script:not([src]), img[src="x"], a[href^="javascript"]').count()).toBe(0);
  };

  it('shows hostile words of people, models, tools, files and plugins as words', async () => {
    await expectHarmless();
    expect(await page.locator('.said').innerText()).toContain(HOSTILE);
    expect(await page.locator('.words td').first().innerText()).toBe(HOSTILE);
    await page.locator('.tool summary').click();
    await page.getByRole('group', { name: 'Result' }).getByText('In the file: <img src=x').waitFor();
    await page.locator('.session-link .title').getByText('Hello <img src=x').waitFor();
    await page.getByText('Picture on example.org: picture').waitFor();
    await page.locator('.hljs-name').first().waitFor();
    await expectHarmless();
  });

  it('shows every byte of the request with its author, and they add up', async () => {
    await page.goto(contextAddress());
    const document = page.locator('#request');
    await document.getByText('Be kind.').waitFor();
    await expectHarmless();
    const body = scratch.model.requests.at(-1)?.body ?? '';
    await page.getByRole('button', { name: 'As it is sent' }).click();
    expect((await page.locator('#sent-body').textContent()) === body).toBe(true);
    const size = Buffer.byteLength(body).toLocaleString('en-US');
    expect(await page.locator('#request-bytes').innerText()).toBe(`${size} bytes`);
    // What has no author is the form of the provider and none of its words.
    const form = (await page.locator('#sent-body .form').allTextContents()).join('');
    for (const words of ['Be kind', 'From the plugin', 'In the file', 'Let me look', 'Use tools'])
      expect(form).not.toContain(words);
    await page.getByRole('button', { name: 'As it is read' }).click();
    await expectHarmless();
  });

  it('says of a piece who wrote it, with the mouse and with the keyboard', async () => {
    const card = page.locator('#piece-card');
    await page.locator('.piece.file', { hasText: 'Be kind.' }).hover();
    await card.getByText(/AGENTS\.md$/).waitFor();
    expect(await card.innerText()).toMatch(/Lines\s+1-3|Lines\s+\d/);
    await page.locator('.piece.plugin').first().focus();
    await card.getByText(`decor${HOSTILE}`).waitFor();
    await page.locator('.piece.model').first().focus();
    await card.getByText('what the model said before').waitFor();
    await expectHarmless();
  });

  it('answers why something is not there, and shows the cut', async () => {
    await page.getByLabel('Why is this not here?').last().fill('time-context');
    const findings = page.getByRole('region', { name: 'Why is this not here?' }).locator('li');
    await findings.first().waitFor();
    expect(await findings.first().innerText()).toMatch(/handler time-context\s+disabled\s+switched off/);
    const cuts = page.getByRole('region', { name: 'Cuts' });
    expect(await cuts.innerText()).toMatch(/TOOLS\.md[\s\S]*per-file-limit[\s\S]*lines/);
    await cuts.getByRole('button', { name: 'Show' }).click();
    await page.locator('.piece.on', { hasText: 'Use tools' }).first().waitFor();
  });

  it('follows the question what would be read in another situation', async () => {
    await page.getByRole('link', { name: 'And now?' }).click();
    await page.getByText('What the agent would read now').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Would this be read?');
    await page.locator('.piece.message', { hasText: 'Would this be read?' }).waitFor();
    await page.locator('.piece.model').first().waitFor({ state: 'attached' });
    await page.getByLabel('Session type').selectOption('subagent');
    await page.getByRole('region', { name: 'Absent' }).getByText('filtered-session').first().waitFor();
    await expectHarmless();
  });

  it.each([
    'light',
    'dark',
  ] as const)('has no serious faults for people who use it otherwise (%s)', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const address of [
      contextAddress(),
      `${server.url}/sessions/${encodeURIComponent(session)}`,
      `${server.url}/new`,
    ]) {
      await page.goto(address);
      await page.waitForLoadState('networkidle');
      await page.evaluate(axe);
      const { violations } = (await page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] })")) as {
        violations: readonly { id: string; impact: string; nodes: readonly { html: string }[] }[];
      };
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    }
  });

  it('fits a telephone, where the conversations are behind a button', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const address of [contextAddress(), `${server.url}/new`]) {
      await page.goto(address);
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth'), address).toBe(false);
    }
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('.session-link').click();
    await page.locator('.said').getByText('Hello').waitFor();
    await page.locator('#sidebar').waitFor({ state: 'hidden' });
  });
});
