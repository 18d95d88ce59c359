// The pages of the operator in a real browser: hooks and plugins, operations, schedule, settings. One gateway with real
// plugins in the worker, and one browser for all tests. What plugins and jobs call themselves is hostile throughout.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountStatus } from '../../channels/channel-capabilities.ts';
import { fail, reply, toolCall } from '../../testkit/model-server.ts';
import { pluginFiles } from '../../testkit/plugin-files.ts';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { recordingTool } from '../../testkit/tool-for-test.ts';
import { TEST_TOKEN } from '../http/fixtures/test-api.ts';
import type { Listening } from '../http/listen.ts';
import { browserPath, launchBrowser, serve } from './fixtures/browser-page.ts';

const HOSTILE = '<img src=x onerror="globalThis.hit = 1">';

const FILES = {
  ...pluginFiles(
    'guard',
    `api.on('before_tool_call', (event) => event.toolName !== 'stamp' ? undefined :
       { requireApproval: { title: 'Use the stamp ${HOSTILE}', description: 'stamp once', severity: 'warning' } });
     api.on('before_prompt_build', () => { throw new Error('the paint ${HOSTILE} is dry'); });
     api.on('llm_output', () => {});`,
    { manifest: { name: `Guard ${HOSTILE}`, description: `Careful ${HOSTILE}` } },
  ),
  ...pluginFiles('quiet', `api.on('message_sending', () => {});`),
};

describe.skipIf(!browserPath)('the pages of the operator (skipped where there is no Chromium)', () => {
  let browser: Browser;
  let scratch: ScratchGateway;
  let server: Listening;
  let page: Page;
  let packages: string;
  let account: AccountStatus = { accountId: 'default', state: 'connected', since: 0 };
  const stamp = recordingTool('stamp', 'stamped');
  const faults: string[] = [];

  beforeAll(async () => {
    packages = await mkdtemp(join(tmpdir(), 'atrium-packages-'));
    await Promise.all(
      Object.entries(pluginFiles('helper', `process.env.HOME; fetch('http://127.0.0.1:9');`)).map(([path, text]) =>
        writeFile(join(packages, path.split('/').at(-1) ?? ''), text),
      ),
    );
    scratch = await ScratchGateway.open({
      tools: [stamp],
      files: FILES,
      provider: { models: [{ id: 'small', cost: { input: 1, output: 4 } }] },
      config: {
        agents: { defaults: { model: 'fake/small' } },
        limits: { spend: [{ per: 'day', money: 10 }] },
        browser: { enabled: true },
      },
    });
    // A platform that says how its account is, as the test wants it.
    Object.assign(scratch.channel, { accounts: { list: () => [account] } });
    scratch.model.script(({ json }) => {
      const messages = json.messages as readonly { readonly role: string; readonly content: unknown }[];
      const words = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content);
      if (words.includes('invoice')) return fail(401, { message: `The key ${HOSTILE} was refused.` });
      if (messages.at(-1)?.role !== 'tool' && words.includes('stamp')) return toolCall('stamp', { n: 1 });
      return reply('Good.', { usage: { input: 1_000, output: 100 } });
    });
    server = await serve(scratch);
    browser = await launchBrowser();
    page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${server.url}/hooks#token=${TEST_TOKEN}`);
    await page.getByText('Connected', { exact: true }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close(50);
    await scratch?.close();
    await rm(packages, { recursive: true, force: true });
    expect(faults).toEqual([]);
  });

  const says = (text: string) => scratch.channel.says({ sender: 'ann' }, text);
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const follow = (name: string) => page.getByRole('link', { name, exact: true }).click();
  const isHit = () => page.evaluate('globalThis.hit');
  const onOff = async (control: Locator, wanted: boolean) => {
    await control.click();
    await expect.poll(() => control.getAttribute('aria-checked'), { timeout: 20_000 }).toBe(String(wanted));
  };

  it('draws the life of a message with every handler at its place, and follows what happens', async () => {
    const prepare = page.locator('.station', { has: page.getByRole('heading', { name: 'Prepare', exact: true }) });
    const handler = prepare
      .getByRole('region', { name: 'before_prompt_build' })
      .locator('.handler', { hasText: 'guard' });
    await handler.getByText('never called').waitFor();
    // Nobody reloads the page: the gateway says that something has changed.
    await says('hello');
    await handler.getByText('1 call', { exact: true }).waitFor();
    expect(await handler.locator('.problem').innerText()).toContain(`the paint ${HOSTILE} is dry`);
    await handler.locator('summary').click();
    expect(await handler.locator('.facts').innerText()).toMatch(/p50, p95\n[\d.]+ ms · [\d.]+ ms/);
    const blocked = page.getByRole('region', { name: 'llm_output' }).locator('.handler');
    expect(await blocked.innerText()).toMatch(/blocked[\s\S]*allowConversationAccess to true/);
    const gate = page.locator('.station', { has: page.getByRole('heading', { name: 'Gate', exact: true }) });
    expect(await gate.innerText()).toContain('before_agent_run');
    expect(await isHit()).toBeUndefined();
  });

  it('lets the operator decide what a plugin may do, switch it off and on, and load it again', async () => {
    const card = page.locator('.plugin', { hasText: 'Guard' });
    await onOff(card.getByRole('switch', { name: 'May read conversations' }), true);
    const llmOutput = page.getByRole('region', { name: 'llm_output' }).locator('.handler');
    await llmOutput.getByText('armed').waitFor();
    const config = JSON.parse(await scratch.home.read('openclaw.json'));
    expect(config.plugins.entries.guard.hooks).toEqual({ allowConversationAccess: true });
    const quiet = page.locator('.plugin', { has: page.getByText('quiet', { exact: true }) });
    await onOff(quiet.getByRole('switch', { name: 'On', exact: true }), false);
    expect(scratch.services.plugins.inspect('quiet').state).toBe('disabled');
    await page.getByRole('region', { name: 'message_sending' }).waitFor({ state: 'detached' });
    await onOff(quiet.getByRole('switch', { name: 'On', exact: true }), true);
    const { generation } = scratch.services.plugins.inspect('guard');
    await card.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => scratch.services.plugins.inspect('guard').generation).toBe(generation + 1);
    expect(await isHit()).toBeUndefined();
  });

  it('switches a handler, and says why it is not called', async () => {
    const list = region('Handlers, rules and hook packs');
    await onOff(list.getByRole('switch', { name: 'time-context' }), true);
    await page.getByRole('region', { name: 'agent:bootstrap' }).getByText('time-context').waitFor();
    await onOff(list.getByRole('switch', { name: 'time-context' }), false);
    await list.locator('li', { hasText: 'time-context' }).getByText('bootstrap.hooks.time-context.enabled').waitFor();
  });

  it('shows what the scan found before it installs anything', async () => {
    const plugins = region('Plugins');
    const field = plugins.getByLabel('Install', { exact: true });
    const look = async (source: string) => {
      await field.fill(source);
      await field.press('Enter');
    };
    await look('https://example.com/x');
    await plugins.getByText('addresses and other protocols are not fetched').waitFor();
    await look(packages);
    const review = region('Before it is installed');
    await review.getByText('It talks to the network').waitFor();
    expect(scratch.services.plugins.list().map(({ id }) => id)).not.toContain('helper');
    await review.getByRole('button', { name: 'Leave it' }).click();
    await review.waitFor({ state: 'detached' });
    await look(packages);
    await review.getByRole('button', { name: 'Install it' }).click();
    await plugins.getByText('Installed helper 1.0.0').waitFor();
    await page.locator('.plugin', { hasText: 'helper' }).getByText('installed').waitFor();
    expect(scratch.services.plugins.inspect('helper').origin).toBe('installed');
  });

  it('shows what waits, what was given up and what was spent, while it happens', async () => {
    await follow('Operations');
    await region('Approvals that wait').getByText('No tool waits for you.').waitFor();
    await says('stamp it');
    const approvals = region('Approvals that wait');
    await approvals.getByText(`Use the stamp ${HOSTILE}`).waitFor();
    await approvals.getByRole('button', { name: 'Allow once' }).click();
    await approvals.getByText('No tool waits for you.').waitFor();
    await expect.poll(() => stamp.ran.length, { timeout: 20_000 }).toBe(1);
    await says('the invoice');
    const letters = region('Dead letters');
    await letters.getByText(`The key ${HOSTILE} was refused.`).first().waitFor();
    await letters.getByText('Show it').click();
    expect(await letters.locator('pre').innerText()).toContain('the invoice');
    await letters.getByRole('button', { name: 'Remove', exact: true }).click();
    await letters.getByText('Nothing was given up.').waitFor();
    const day = region('Messages of the last day');
    await day.getByText('every one accounted for').waitFor();
    await expect
      .poll(() => day.locator('.sums').innerText(), { timeout: 20_000 })
      .toMatch(/accepted\n3\n[\s\S]*failed\n1\n/);
    await region('Spend against limits').getByText('10.00 per day').waitFor();
    await region('Tokens by day').locator('tbody tr').first().waitFor();
    expect(await isHit()).toBeUndefined();
  });

  it('shows the health of channels as it changes, and opens one again', async () => {
    const channels = region('Channels');
    await channels.getByText('connected', { exact: true }).waitFor();
    account = {
      accountId: 'default',
      state: 'failed',
      since: 0,
      detail: `refused ${HOSTILE}`,
      nextStep: 'Get a new token.',
    };
    await channels.getByText(`refused ${HOSTILE}`).waitFor();
    await channels.getByText('Get a new token.').waitFor();
    // This channel is part of the test, and none that the configuration could open.
    await channels.getByRole('button', { name: 'Open again' }).click();
    await page.getByRole('alert').waitFor();
    expect(await isHit()).toBeUndefined();
  });

  it('draws the pulse, and adds a sample when the gateway sends one', async () => {
    const pulse = region('Pulse');
    await pulse.locator('canvas').first().waitFor();
    expect(await pulse.locator('canvas').count()).toBe(4);
    expect(await pulse.innerText()).toMatch(/Memory\n[\d.]+ MB/);
    const drawn = () => page.evaluate("document.querySelector('.pulse canvas').toDataURL()");
    const before = await drawn();
    await expect.poll(drawn, { timeout: 30_000 }).not.toBe(before);
  });

  it('plans a job, changes it, pauses it, runs it and shows its history', async () => {
    await follow('Schedule');
    await page.getByText('No job is planned.').waitFor();
    await page.getByRole('button', { name: 'New job' }).click();
    const form = page.getByRole('form', { name: 'New job' });
    await form.getByLabel('Name').fill(`Report ${HOSTILE}`);
    await form.getByLabel('such as 30m, 2h or 1d').fill('soon');
    await form.getByLabel('What the agent is told').fill('Say hello.');
    await page.keyboard.press('Tab');
    await form.getByRole('button', { name: 'Add the job' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('such as 30m, 2h or 1d').fill('2h');
    await form.getByRole('button', { name: 'Add the job' }).click();
    const job = page.locator('.jobs > li', { hasText: `Report ${HOSTILE}` });
    await job.getByText('every 2h').waitFor();
    await job.getByRole('button', { name: 'Run now' }).click();
    await job.getByText('History').click();
    await job.locator('.history li').getByText('done').waitFor();
    await job.getByRole('button', { name: 'Change' }).click();
    const change = page.getByRole('form', { name: /^Change/ });
    await change.getByLabel('What the agent is told').fill('Say goodbye.');
    await change.getByRole('button', { name: 'Save' }).click();
    // The form closes when the change is stored.
    await change.waitFor({ state: 'detached' });
    await job.getByText('Say goodbye.').waitFor();
    await onOff(job.getByRole('switch'), false);
    await job.getByText('paused').waitFor();
    expect(await scratch.store.select('jobs')).toMatchObject([{ enabled: false, message: 'Say goodbye.' }]);
    await job.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No job is planned.').waitFor();
    expect(await isHit()).toBeUndefined();
  });

  it('changes a setting with its comment kept, says what waits for the next start, and shows a secret once', async () => {
    const file = scratch.home.path('openclaw.json');
    await writeFile(file, `// Written by hand.\n${await readFile(file, 'utf8')}`);
    await follow('Settings');
    const settings = region('Settings');
    await page.getByText('Atrium has no browser.').waitFor();
    const find = settings.getByLabel('Find a setting');
    const field = (name: string) => settings.locator('.field', { has: page.getByLabel(name, { exact: true }) });
    await find.fill('gateway.port');
    await settings.getByLabel('gateway.port', { exact: true }).fill('a door');
    await page.keyboard.press('Enter');
    await field('gateway.port').getByText('This is not a number.').waitFor();
    await settings.getByLabel('gateway.port', { exact: true }).fill('18999');
    await page.keyboard.press('Enter');
    await field('gateway.port').getByText('It is taken up at the next start.').waitFor();
    expect(await readFile(file, 'utf8')).toMatch(/^\/\/ Written by hand\.[\s\S]*18999/);
    await field('gateway.port').getByRole('button', { name: 'Take out' }).click();
    await expect.poll(() => readFile(file, 'utf8'), { timeout: 20_000 }).not.toContain('18999');

    await find.fill('apiKey');
    const key = field('models.providers.fake.apiKey');
    await key.waitFor();
    expect(await page.content()).not.toContain('test-key');
    expect(await key.locator('input').inputValue()).toBe('');
    await key.getByRole('button', { name: 'Show once' }).click();
    await key.getByText('test-key').waitFor();
    await key.getByRole('button', { name: 'Hide' }).click();
    expect(await page.content()).not.toContain('test-key');
    await page.reload();
    await settings.waitFor();
    expect(await page.content()).not.toContain('test-key');
  });

  it('can be used without a mouse', async () => {
    await page.goto(`${server.url}/hooks`);
    await page.locator('.handler').first().waitFor();
    const reach = async (wanted: string, most = 120) => {
      for (let count = 0; count < most; count++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(wanted)})`)) return;
      }
      throw new Error(`${wanted} cannot be reached with the Tab key`);
    };
    await reach('.handler summary');
    await page.keyboard.press('Enter');
    expect(await page.locator('.handler details[open]').count()).toBe(1);
    await reach('.plugin [role="switch"]');
    await page.goto(`${server.url}/operations/schedule`);
    await page.getByRole('button', { name: 'New job' }).waitFor();
    await reach('.block-head button');
    await page.keyboard.press('Enter');
    const form = 'document.activeElement.closest("form")?.getAttribute("aria-label")';
    await expect.poll(() => page.evaluate(form), { timeout: 20_000 }).toBe('New job');
  });

  it('has no serious faults for people who use it otherwise, in light and dark, and fits a telephone', async () => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const address of ['/hooks', '/operations', '/operations/schedule', '/operations/settings']) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.goto(`${server.url}${address}`);
        await page.locator('.operator .block').first().waitFor();
        await page.evaluate(axe);
        const { violations } = (await page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] })")) as {
          violations: readonly { id: string; impact: string; nodes: readonly { html: string }[] }[];
        };
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        expect(serious.map(({ id, nodes }) => `${address} ${id}: ${nodes[0]?.html}`)).toEqual([]);
      }
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth'), address).toBe(false);
      expect(
        await page.evaluate(
          "(() => { const c = document.querySelector('#content'); return c.scrollWidth > c.clientWidth; })()",
        ),
        address,
      ).toBe(false);
    }
  });
});
