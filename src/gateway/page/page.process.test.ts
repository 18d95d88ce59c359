import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebChannel } from '../../channels/web/web-channel.ts';
import { COMMAND_CATALOG } from '../../commands/catalog.ts';
import { StoreFullError } from '../../store/errors.ts';
import { createHttpApp } from '../http/create-http-app.ts';
import { delta, FakeGateway, type Script, TEST_TOKEN } from '../http/fixtures/fake-gateway.ts';
import { type Listening, listen } from '../http/listen.ts';
import { outboxMailbox } from '../outbox-mailbox.ts';
import { readPage } from './page.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

describe('the page', () => {
  it('brings everything along and asks nobody else', async () => {
    const html = (await readPage())?.html ?? '';
    expect(html).toContain('<div id="page"></div>');
    expect(html).not.toMatch(/(?:src|href)="(?!data:)/);
    expect(html).not.toContain(TEST_TOKEN);
  });

  it('is held to a policy', async () => {
    const page = await readPage();
    const policy = page?.securityPolicy('localhost:18790');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('ws://localhost:18790');
    expect(policy).not.toContain('unsafe');
    expect(page?.securityPolicy("x; script-src 'unsafe-inline'")).not.toContain('unsafe');
  });

  it('is light', async () => {
    const html = (await readPage())?.html ?? '';
    expect(gzipSync(html).length).toBeLessThan(40_000);
  });
});

// Without a browser on the machine there is nothing to try the page in; continuous integration installs one.
describe.skipIf(!executablePath)('the page in a browser (skipped where there is no Chromium)', () => {
  let browser: Browser;
  let page: Page;
  let gateway: FakeGateway;
  let channel: WebChannel;
  let server: Listening;
  let faults: string[];
  let refuse: Error | undefined;

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
    gateway = await FakeGateway.create();
    channel = new WebChannel({
      mailbox: outboxMailbox(gateway.store),
      stop: () => void gateway.stopRun(gateway.runs.at(-1) ?? '', 'somebody pressed stop'),
      now: Date.now,
    });
    await channel.open({
      receive: async (inbound) => {
        if (refuse) throw refuse;
        return gateway.receive(inbound);
      },
    });
    gateway.send = (part) => void channel.send(part);
    gateway.subscribe((event) => channel.watch(event));
    await startServer(0);
    faults = [];
    refuse = undefined;
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
    await channel.close();
    await gateway.remove();
    expect(faults).toEqual([]);
  });

  async function startServer(port: number): Promise<void> {
    server = await listen({
      app: createHttpApp(gateway.appOptions()),
      host: '127.0.0.1',
      port,
      attach: (socket, client) => channel.attach(socket, client),
    });
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
    expect(page.url()).toBe(`${server.url}/`);
    await say('hi <b>there</b>');
    await page.getByText('You said: hi <b>there</b>').waitFor();
    await page.getByText('What was it given?').waitFor();
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
    // The browser reports the attempt, which is what the policy is for.
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

  it('names the commands that can be typed, as the gateway lists them', async () => {
    await openPage();
    const shown = page.locator('.hint span');
    expect(await shown.allInnerTexts()).toEqual(COMMAND_CATALOG.map(({ name }) => `/${name}`));
    expect(await shown.first().getAttribute('title')).toBe(COMMAND_CATALOG[0]?.help);
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
    const tool = { toolCallId: 'c1', name: 'read' } as const;
    gateway.scripts.push({
      steps: [
        delta('Let me look.'),
        { type: 'tool-start', ...tool, params: { path: 'AGENTS.md' } },
        { type: 'tool-end', ...tool, isError: false, ms: 12, content: '# Agents' },
        delta('It says', 2),
        { type: 'wait', until: hold.promise },
        delta(' hello.', 2),
      ],
      outcome: { reply: 'It says hello.' },
    });
    await openPage();
    await say('what does it say?');
    await page.getByText('It says', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    expect(await page.locator('.tool .name').innerText()).toBe('read');
    hold.open();
    await page.locator('.part').waitFor();
    expect(await words()).toEqual(['Let me look.', 'It says hello.']);
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(false);
  });

  it('comes back by itself after the gateway was away, and shows what it missed once', async () => {
    const hold = gate();
    gateway.scripts.push({
      steps: [delta('Half'), { type: 'wait', until: hold.promise }],
      outcome: { reply: 'Half and half.' },
    });
    await openPage();
    await say('go on');
    await page.getByText('Half', { exact: true }).waitFor();
    const { port } = server;
    await server.close(20);
    await page.getByText('Reconnecting').waitFor();
    hold.open();
    await gateway.waitForRun(gateway.runs.at(-1) ?? '');
    await say('said while nobody heard it');
    await startServer(port);
    await page.getByText('You said: said while nobody heard it').waitFor();
    expect(await said()).toEqual(['go on', 'said while nobody heard it']);
    expect(await words()).toEqual(['Half and half.', 'You said: said while nobody heard it']);
    expect(gateway.received).toHaveLength(2);
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
    const surface = gateway.received.at(-1)?.inbound.surface;
    if (!surface) throw new Error('Nothing was received.');
    const job = { runId: 'run_job', surface, options: {}, attempt: 1 };
    gateway.send({ ...job, key: 'run_job:1', seq: 1_000, part: 1, text: 'The tea is ready.' });
    gateway.send({ ...job, key: 'run_job:2', seq: 1_001, part: 2, text: 'Two cups of it.' });
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
    gateway.scripts.push({ steps: [delta('On and on'), { type: 'wait', until: new Promise(() => {}) }] });
    await openPage();
    await say('go');
    await page.getByText('On and on').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('The run was stopped.').waitFor();
    expect(gateway.stopped).toHaveLength(1);
  });

  it('shows what the agent was given: layers, cuts, absences and the exact request', async () => {
    await gateway.fill();
    await openPage();
    await page.getByLabel('Conversation').first().selectOption('session:agent:main:web:direct:tab-1');
    await page.getByText('hello there').waitFor();
    await page.getByText('What it was given').waitFor();
    expect(await page.locator('.map i').count()).toBe(4);
    for (const text of ['AGENTS.md (time-context)', 'lines 210–388, per-file-limit', 'The file does not exist.']) {
      expect(await page.getByText(text).count(), text).toBeGreaterThan(0);
    }
    await page.getByText('The exact request').click();
    await page.getByText('You are än agent.').waitFor();
  });

  it('says what went wrong, once', async () => {
    const failing: Script = { status: 'failed', outcome: { error: 'The provider said no.' } };
    gateway.scripts.push(failing);
    await openPage();
    await say('go');
    await page.getByText('The provider said no.').waitFor();
    await page.locator('.part').waitFor();
    expect(await page.getByText('The provider said no.').count()).toBe(1);
  });

  it('can be used on a telephone', async () => {
    await page.setViewportSize({ width: 380, height: 720 });
    await gateway.fill();
    await openPage();
    await say('hi');
    await page.getByText('You said: hi').waitFor();
    await page.getByRole('button', { name: 'Context', exact: true }).click();
    await page.getByText('What it was given').waitFor();
    const wider = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
    expect(wider).toBe(false);
  });
});

function gate(): { promise: Promise<void>; open: () => void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
