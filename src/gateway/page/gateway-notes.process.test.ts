// What is wrong with the gateway, on the page: settings that are not used, runs that fail, handlers that fail. A real
// gateway, a real browser.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { fail, reply } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { browserPath, launchBrowser, openPageOf, say } from './fixtures/browser-page.ts';

describe.skipIf(!browserPath)('the page (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  it('names the settings that were found and are not used, the most dangerous first', async () => {
    const scratch = await gatewayForTest({
      config: {
        browser: { headless: true },
        ui: { seamColor: '#ff0000' },
        agents: { defaults: { model: 'fake/small', sandbox: { mode: 'all' } } },
        channels: { whatsapp: { name: '<b>x</b>' } },
        talk: { provider: 'x' },
        acceptUnused: ['talk'],
      },
    });
    const page = await openPageOf(scratch, browser);
    await page.getByText('The gateway: 3 settings found and not used').click();
    const rows = page.getByRole('region', { name: 'Found and not used' }).locator('li');
    await rows.first().waitFor();
    const texts = await rows.allInnerTexts();
    expect(texts.map((text) => text.split(' ').slice(0, 2).join(' ').replace(/:$/, ''))).toEqual([
      'danger agents.defaults.sandbox.mode',
      expect.stringMatching(/^missing (browser|channels\.whatsapp)$/),
      expect.stringMatching(/^missing (browser|channels\.whatsapp)$/),
      'harmless ui',
      'accepted talk',
    ]);
    expect(texts[0]).toContain('Atrium has no sandbox');
    expect(texts[0]).toContain('named in acceptUnused');
    await page.setViewportSize({ width: 380, height: 720 });
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);
  });

  it('shows nothing of it where everything is used', async () => {
    const scratch = await gatewayForTest();
    const page = await openPageOf(scratch, browser);
    scratch.model.script([reply('Good day.')]);
    await say(page, 'hi');
    await page.getByText('Good day.').waitFor();
    expect(await page.locator('.notes').count()).toBe(0);
  });

  it('lists what was changed since the start and needs a restart, with both values', async () => {
    const scratch = await gatewayForTest();
    const file = 'openclaw.json';
    const written = await scratch.home.read(file);
    await scratch.home.write(file, JSON.stringify({ ...JSON.parse(written), cron: { enabled: false } }));
    await expect.poll(async () => (await scratch.services.status()).changedSinceStart.length).toBe(1);
    const page = await openPageOf(scratch, browser);
    await page.getByText('The gateway: 1 setting changed since start').click();
    const changed = page.getByRole('region', { name: 'Changed since start' });
    expect(await changed.innerText()).toContain('cron.enabled: (not set) is in use, the file says false');
  });

  it('shows why a run failed: in the talk, beside it and among the warnings, until one ends well', async () => {
    const scratch = await gatewayForTest();
    const page = await openPageOf(scratch, browser);
    scratch.model.script([fail(401, { message: 'The key <b>expired</b> on Monday.' })]);
    await say(page, 'hi');
    const sentence = 'The key <b>expired</b> on Monday.';
    await page.locator('.turn').getByText(sentence).waitFor();
    await page.locator('#report').getByText(sentence).waitFor();
    await page.getByText('The gateway: 1 warning').click();
    const warnings = page.getByRole('region', { name: 'Warnings of the gateway' });
    expect(await warnings.innerText()).toContain(`The last run of the agent "main" failed: `);
    expect(await warnings.innerText()).toContain(sentence);
    expect(await page.locator('.notes b, .turn b, #report b').count()).toBe(0);
    scratch.model.script([reply('It works.')]);
    await say(page, 'again');
    await page.getByText('It works.').waitFor();
    await page.locator('.notes').waitFor({ state: 'detached' });
  });

  it('names a handler that fails, with its error, for the run and for the gateway', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) => {
        on(hooks, 'before_prompt_build', 'decorator', () => {
          throw new Error('the paint is <i>dry</i>');
        });
        on(hooks, 'before_tool_call', 'guard', () => {
          throw new Error('no licence');
        });
      },
    });
    const page = await openPageOf(scratch, browser);
    scratch.model.script([reply('Plain.')]);
    await say(page, 'decorate it');
    const failed = page.getByRole('region', { name: 'Handlers that failed' });
    await failed.waitFor();
    expect(await failed.innerText()).toContain('decorator');
    expect(await failed.innerText()).toContain('before_prompt_build');
    expect(await failed.innerText()).toContain('threw: the paint is <i>dry</i>');
  });

  it('names a gate that fails among the warnings, because it refuses everything', async () => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'before_agent_run', 'guard', () => {
          throw new Error('no licence');
        }),
    });
    const page = await openPageOf(scratch, browser);
    await say(page, 'let me in');
    await page.getByRole('log').getByText('could not be sent').waitFor();
    await page.getByText('The gateway: 1 warning').click();
    const warnings = page.getByRole('region', { name: 'Warnings of the gateway' });
    expect(await warnings.innerText()).toMatch(
      /on before_agent_run failed: it threw: no licence\. What it guards stays closed\./,
    );
    await page.getByRole('button', { name: 'What was it given?' }).click();
    const failed = page.getByRole('region', { name: 'Handlers that failed' });
    await failed.waitFor();
    expect(await failed.innerText()).toContain('no licence');
  });
});
