import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { COMMAND_CATALOG } from '../../commands/catalog.ts';
import { StoreFullError } from '../../store/errors.ts';
import { gate } from '../../testkit/gate.ts';
import { after, fail, hang, reply, toolCall } from '../../testkit/model-server.ts';
import { fillStore } from '../http/fixtures/filled-store.ts';
import { echo, lastSaid, TEST_TOKEN, TestApi } from '../http/fixtures/test-api.ts';
import type { Listening } from '../http/listen.ts';
import { readPage, readPageFile } from './page.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

describe('the page', () => {
  it('names files of its own and nothing else', async () => {
    const html = (await readPage())?.document([]) ?? '';
    expect(html).toContain('<div id="page">');
    const named = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(named).toHaveLength(4);
    for (const address of named) {
      expect(address).toMatch(/^\/assets\/[\w.-]+$/);
      expect(await readPageFile(address.replace('/assets/', '')), address).toBeDefined();
    }
    expect(html).not.toContain(TEST_TOKEN);
  });

  it('is held to a policy', async () => {
    const page = await readPage();
    const policy = page?.securityPolicy('localhost:18790', []);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("trusted-types 'none'");
    expect(policy).toContain('ws://localhost:18790');
    expect(policy).not.toContain('unsafe');
    expect(page?.securityPolicy("x; script-src 'unsafe-inline'", [])).not.toContain('unsafe');
  });

  it('lets pictures of other hosts through only where the operator has allowed them', async () => {
    const page = await readPage();
    const pictures = (policy = '') => policy.split('; ').find((rule) => rule.startsWith('img-src'));
    expect(pictures(page?.securityPolicy('x', []))).toBe("img-src 'self' data: blob:");
    const hosts = ['pictures.example.org', "x; script-src 'unsafe-inline'", '"><script>'];
    expect(pictures(page?.securityPolicy('x', hosts))).toBe("img-src 'self' data: blob: https://pictures.example.org");
    expect(page?.document(hosts)).toContain('<meta name="picture-hosts" content="pictures.example.org">');
    expect(page?.document([])).not.toContain('picture-hosts');
  });

  it('loads less than 120 KB before it can be used', async () => {
    const html = (await readPage())?.document([]) ?? '';
    const named = [...html.matchAll(/\/assets\/([\w.-]+\.(?:js|css))"/g)].map(([, name = '']) => name);
    expect(named).toHaveLength(2);
    const files = await Promise.all(named.map((name) => readPageFile(name)));
    const bytes = files.reduce((sum, file) => sum + (file?.bytes.length ?? 0), gzipSync(html).length);
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(120_000);
  });

  it.each([
    '../index.html',
    '..%2findex.html',
    'index.html',
    '.hidden.js',
    'nothing-12345678.js',
    'x.exe',
    '',
  ])('has no file %j', async (name) => {
    expect(await readPageFile(name)).toBeUndefined();
  });
});

// The page can be tested only where a browser is installed; continuous integration installs one.
describe.skipIf(!executablePath)('the page in a browser (skipped where there is no Chromium)', () => {
  let browser: Browser;
  let page: Page;
  let api: TestApi;
  let server: Listening;
  let faults: string[];
  let refuse: Error | undefined;
  let refuseAfter: Promise<unknown> | undefined;

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  }, 60_000);
  afterAll(() => browser?.close());

  beforeEach(async () => {
    api = await TestApi.open();
    const { inbox } = api.options().services;
    await api.scratch.opened.sockets.web.open({
      keep: (file) => inbox.keep(file),
      findUpload: (id) => inbox.findUpload(id),
      readAttachment: (hash) => inbox.readAttachment(hash),
      receive: async (inbound) => {
        await refuseAfter;
        if (refuse) throw refuse;
        return inbox.receive(inbound);
      },
      receiveChange: () => Promise.reject(new Error('no changes')),
    });
    await startServer(0);
    faults = [];
    refuse = undefined;
    refuseAfter = undefined;
    const context = await browser.newContext();
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
    });
  });
  afterEach(async () => {
    await page.context().close();
    await server.close(50);
    await api.close();
    expect(faults).toEqual([]);
  });

  async function startServer(port: number): Promise<void> {
    server = await api.listen(port);
  }

  async function openPage(): Promise<void> {
    await page.goto(`${server.url}/#token=${TEST_TOKEN}`);
    await page.getByText('Connected', { exact: true }).waitFor();
  }

  async function say(text: string): Promise<void> {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.keyboard.press('Enter');
  }

  const words = () => page.locator('.words').allInnerTexts();
  const said = () => page.locator('.said').allInnerTexts();

  it('talks to an agent, and forgets the token from its address', async () => {
    await openPage();
    expect(page.url()).not.toContain('token');
    await say('hi <b>there</b>');
    await page.getByText('You said: hi <b>there</b>').waitFor();
    await page.getByRole('button', { name: 'What was it given?' }).waitFor();
    const [session] = await api.store.select('sessions');
    expect(decodeURIComponent(page.url())).toBe(`${server.url}/sessions/${session?.sessionKey}`);
    expect(await said()).toEqual(['hi <b>there</b>']);
    expect(await words()).toEqual(['You said: hi <b>there</b>']);
    expect(await page.locator('.words b').count()).toBe(0);
  });

  it('lets no text become markup, not even by a mistake in its own code', async () => {
    await openPage();
    const outcome = await page.evaluate(
      "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'markup'; } catch (error) { return error.name; } })()",
    );
    expect(outcome).toBe('TypeError');
    // The browser reports the attempt, because the policy forbids it.
    faults.length = 0;
  });

  it('gives words back that the gateway did not take', async () => {
    await openPage();
    refuse = new StoreFullError({ store: '/somewhere/store.db' });
    await say('keep this');
    await page.locator('#problem').getByText(refuse.message).waitFor();
    expect(await said()).toEqual([]);
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('keep this');
    refuse = undefined;
    await page.keyboard.press('Enter');
    await page.getByText('You said: keep this').waitFor();
  });

  const field = () => page.getByLabel('Message', { exact: true });

  it.each([
    ['just over the limit', 1_048_576],
    ['so long that the connection breaks', 17 * 1_048_576],
  ])('gives a message back that is too long, and sends the next ones (%s)', async (_, length) => {
    await openPage();
    const long = 'x'.repeat(length);
    await field().fill('a');
    // Typing so much takes a browser minutes, so the text is pasted.
    await page.evaluate(`(() => {
      const field = document.querySelector('#text');
      field.value = 'x'.repeat(${length});
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await page.keyboard.press('Enter');
    await page
      .locator('#problem')
      .getByText(/This message is too long/)
      .waitFor();
    expect((await field().inputValue()) === long).toBe(true);
    expect(await said()).toEqual([]);
    await say('short');
    await page.getByText('You said: short').waitFor();

    await page.reload();
    await page.getByText('You said: short').waitFor();
    await say('after it');
    await page.getByText('You said: after it').waitFor();
    expect(await said()).toEqual(['short', 'after it']);
  });

  it('gives back what a page of an earlier version kept on sending', async () => {
    await openPage();
    await say('hello');
    await page.getByText('You said: hello').waitFor();
    await page.evaluate(`(() => {
      const key = Object.keys(localStorage).find((name) => name.startsWith('atrium.waiting.'));
      localStorage.setItem(key, JSON.stringify([{ id: 'stuck', text: 'x'.repeat(1200000) }]));
    })()`);
    await page.reload();
    const problem = page.locator('#problem').getByText(/This message is too long/);
    await problem.waitFor();
    expect(await field().inputValue()).toHaveLength(1_200_000);
    await say('short');
    await page.getByText('You said: short').waitFor();
  });

  it('gives words back in front of those that are being written', async () => {
    await openPage();
    const held = gate();
    refuseAfter = held.opened;
    refuse = new StoreFullError({ store: '/somewhere/store.db' });
    await say('first');
    await field().fill('second');
    held.open();
    await page.locator('#problem').getByText(refuse.message).waitFor();
    expect(await field().inputValue()).toBe('first\n\nsecond');
  });

  it('offers the commands that can be typed, as the gateway lists them, and completes one with a key', async () => {
    await openPage();
    await field().fill('/');
    const offered = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
    expect(await offered.locator('code').allInnerTexts()).toEqual(COMMAND_CATALOG.map(({ name }) => `/${name}`));
    expect(await offered.first().innerText()).toContain(COMMAND_CATALOG[0]?.help);
    await field().fill('/stat');
    await page.keyboard.press('Enter');
    expect(await field().inputValue()).toBe('/status');
    await page.keyboard.press('Enter');
    await page.locator('.said').getByText('/status', { exact: true }).waitFor();
  });

  it('asks for the token when it has none, and again when it is wrong', async () => {
    await page.goto(server.url);
    await page.getByText('This gateway asks for its token').waitFor();
    await page.getByLabel('Token', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('This is not the token').waitFor();
    await page.getByLabel('Token', { exact: true }).fill(TEST_TOKEN);
    await page.keyboard.press('Enter');
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Connected', { exact: true }).waitFor();
  });

  it('shows the draft as it grows, the tools, and then the answer once', async () => {
    const hold = gate();
    api.model.script([
      toolCall('read', { path: 'AGENTS.md' }, 'Let me look.'),
      after(hold.opened, reply('It says hello.')),
    ]);
    await openPage();
    await say('what does it say?');
    await page.getByText('Let me look.', { exact: true }).waitFor();
    await page.locator('.tool .name').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    expect(await page.locator('.tool .name').innerText()).toBe('read');
    hold.open();
    await page.locator('.part').waitFor();
    expect(await words()).toEqual(['Let me look.', 'It says hello.']);
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(false);
  });

  it('comes back by itself after the gateway was away, and shows what it missed once', async () => {
    const hold = gate();
    api.model.script((request) =>
      lastSaid(request).includes('go on') ? after(hold.opened, reply('Half and half.')) : echo(request),
    );
    await openPage();
    await say('go on');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await api.model.waitForRequests(1);
    const { port } = server;
    await server.close(20);
    await page.getByText('Reconnecting').waitFor();
    hold.open();
    const [run] = await api.store.select('runs');
    await api.scratch.services.runs.wait(run?.runId ?? '');
    await say('said while nobody heard it');
    await startServer(port);
    await page.getByText('You said: said while nobody heard it').waitFor();
    expect(await said()).toEqual(['go on', 'said while nobody heard it']);
    expect(await words()).toEqual(['Half and half.', 'You said: said while nobody heard it']);
    expect(await api.store.count('inbox')).toBe(2);
  });

  it('shows the talk again after a reload, and in a second tab', async () => {
    await openPage();
    await say('one');
    await page.getByText('You said: one').waitFor();
    const second = await page.context().newPage();
    await second.goto(server.url);
    await second.getByText('You said: one').waitFor();
    await say('two');
    await second.getByText('You said: two').waitFor();
    expect(await second.locator('.said').allInnerTexts()).toEqual(['one', 'two']);
    await second.close();
    await page.reload();
    await page.getByText('You said: two').waitFor();
    expect(await words()).toEqual(['You said: one', 'You said: two']);
  });

  it('keeps what a job said here, at its place in the talk, although it was said in another session', async () => {
    await openPage();
    await say('one');
    await page.getByText('You said: one').waitFor();
    const [{ inbound } = { inbound: undefined }] = api.received;
    const deliver = `web:${inbound?.surface.peer.id}`;
    for (const said of ['The tea is ready.', 'Two cups of it.']) {
      api.model.script((request) => (lastSaid(request).includes('tea time') ? reply(said) : echo(request)));
      const { jobs } = api.scratch.services;
      const job = { name: said, message: 'tea time', schedule: { every: '1h' }, deliver, createdBy: 'test' };
      await jobs.run((await jobs.add(job)).id);
      await page.getByText(said).waitFor();
    }
    await page.getByText('Two cups of it.').waitFor();
    await page.reload();
    await page.getByText('Two cups of it.').waitFor();
    await say('two');
    await page.getByText('You said: two').waitFor();
    await page.reload();
    await page.getByText('You said: two').waitFor();
    expect(await words()).toEqual(['You said: one', 'The tea is ready.', 'Two cups of it.', 'You said: two']);
  });

  it('stops a run with the Escape key', async () => {
    api.model.script([hang('On and on')]);
    await openPage();
    await say('go');
    await page.getByText('On and on').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Stopped.', { exact: true }).waitFor();
    expect(await api.store.select('runs')).toMatchObject([{ status: 'stopped' }]);
    expect(await words()).toEqual(['On and on']);
    await page.reload();
    await page.getByText('Stopped.', { exact: true }).waitFor();
    expect(await words()).toEqual(['On and on']);
  });

  it('shows what the agent was given: layers, cuts, absences and the exact request', async () => {
    await fillStore(api.store);
    await openPage();
    await page.locator('.session-link').click();
    await page.getByText('hello there').waitFor();
    await page.getByText('What it was given').waitFor();
    expect(await page.locator('.map i').count()).toBe(4);
    for (const text of ['AGENTS.md (time-context)', 'lines 210–388, per-file-limit', 'The file does not exist.']) {
      expect(await page.getByText(text).count(), text).toBeGreaterThan(0);
    }
    await page.getByText('The exact request').click();
    await page.getByText('You are än agent.').waitFor();
  });

  it('accounts for the whole request, in the tokens that the provider counted', async () => {
    api.model.script(({ body }) => reply('Good morning.', { usage: { input: Math.round(body.length / 4) } }));
    await openPage();
    await say('good morning');
    const whole = page.getByRole('region', { name: 'The whole request' });
    await whole.waitFor();
    const counted = Math.round((api.model.requests.at(-1)?.body.length ?? 0) / 4);
    const sizes = (await whole.locator('.size').allTextContents()).map((text) =>
      Number(text.replace(/ token.*|,/g, '')),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(counted);
    const shown = (await whole.textContent()) ?? '';
    for (const text of [
      'System prompt',
      'Tools',
      'The message',
      `${counted.toLocaleString('en-US')} tokens`,
      ' used; ',
    ])
      expect(shown, text).toContain(text);
    await page.getByText(`${counted.toLocaleString('en-US')} tokens in`).waitFor();
  });

  it('says what went wrong, once in the talk', async () => {
    api.model.script(() => fail(400, { message: 'The provider said no.' }));
    await openPage();
    await say('go');
    const told = page.locator('.turn').getByText('The provider said no.');
    await told.waitFor();
    await page.locator('.fault').getByText('The provider said no.').waitFor();
    expect(await told.count()).toBe(1);
    await page.reload();
    await page.locator('.fault').getByText('The provider said no.').waitFor();
    expect(await told.count()).toBe(1);
    expect(await said()).toEqual(['go']);
  });

  it('can be used on a telephone', async () => {
    await page.setViewportSize({ width: 380, height: 720 });
    await fillStore(api.store);
    await openPage();
    await say('hi');
    await page.getByText('You said: hi').waitFor();
    await page.getByRole('button', { name: 'What it was given', exact: true }).click();
    await page.getByText('What it was given').waitFor();
    const wider = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
    expect(wider).toBe(false);
  });
});
