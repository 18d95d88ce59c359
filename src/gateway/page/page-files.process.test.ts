// Files on the page: chosen, pasted or dropped, shown before and after they are sent, and refused in a sentence.

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reply, toolCall } from '../../testkit/model-server.ts';
import { pixel } from '../../testkit/test-images.ts';
import { TEST_TOKEN, TestApi } from '../http/fixtures/test-api.ts';
import type { Listening } from '../http/listen.ts';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const base64 = pixel().toString('base64');

describe.skipIf(!executablePath)('files on the page (skipped where there is no Chromium)', () => {
  let browser: Browser;
  let page: Page;
  let api: TestApi;
  let server: Listening;
  let faults: string[];

  beforeAll(async () => {
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: executablePath ?? '', args });
  }, 60_000);
  afterAll(() => browser?.close());

  beforeEach(async () => {
    api = await TestApi.open({
      provider: { models: [{ id: 'small', input: ['text', 'image'] }] },
      config: { agents: { defaults: { model: 'fake/small', mediaMaxMb: 0.1 } }, tools: { profile: 'full' } },
    });
    api.model.script(() => reply('I see it.'));
    server = await api.listen(0);
    faults = [];
    page = await (await browser.newContext()).newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
    });
    await page.goto(`${server.url}/#token=${TEST_TOKEN}`);
    await page.getByText('Connected', { exact: true }).waitFor();
  });
  afterEach(async () => {
    await page.context().close();
    await server.close(50);
    await api.close();
    expect(faults).toEqual([]);
  });

  const chosen = () => page.locator('#files .file');
  /** Waits until the browser has drawn the picture. */
  const isDrawn = (selector: string) =>
    expect
      .poll(
        () =>
          page.evaluate(
            `(() => { const image = document.querySelector(${JSON.stringify(selector)}); return Boolean(image?.complete && image.naturalWidth > 0); })()`,
          ),
        { timeout: 30_000 },
      )
      .toBe(true);
  /** Hands files to the page as a browser does when a person pastes or drops them. */
  const hand = (event: 'paste' | 'drop', selector: string) =>
    page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(base64)}), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'handed.png', { type: 'image/png' }));
      const target = document.querySelector(${JSON.stringify(selector)});
      target.dispatchEvent(
        ${JSON.stringify(event)} === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    })()`);

  it('are chosen, shown, sent with the message, and shown again after a reload', async () => {
    await page.locator('#pick-files').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: pixel() },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('bring bread') },
    ]);
    await chosen().nth(1).getByText('11 B').waitFor();
    await isDrawn('#files img');
    await page.getByLabel('Message', { exact: true }).fill('What is this?');
    await page.keyboard.press('Enter');
    await page.getByText('I see it.').waitFor();
    expect(await chosen().count()).toBe(0);
    await isDrawn('.said .picture img');
    expect(await page.locator('.said .file').innerText()).toContain('notes.txt');
    const body = api.model.requests[0]?.body ?? '';
    expect(body).toContain(`data:image/png;base64,${base64}`);
    expect(body).toContain('> bring bread');

    await page.reload();
    await page.getByText('I see it.').waitFor();
    await isDrawn('.said .picture img');
    expect(await page.locator('.said').innerText()).toContain('What is this?');
    expect(await page.locator('.said').innerText()).not.toContain('[Image');
  });

  it.each(['paste', 'drop'] as const)('come by %s, and need no words', async (event) => {
    await hand(event, event === 'paste' ? '#text' : '.chat');
    await chosen().getByText(/\d+ B/).waitFor();
    await page.locator('#send').click();
    await page.getByText('I see it.').waitFor();
    await isDrawn('.said .picture img');
    expect(api.model.requests[0]?.body).toContain(base64);
  });

  it('that an agent sends are shown, also after a reload', async () => {
    await writeFile(join(api.scratch.workspaceDir, 'dot.png'), pixel(5));
    await page.getByLabel('Message', { exact: true }).fill('Show me');
    api.model.script([
      toolCall('message', { action: 'send', text: 'Look:', attachments: ['dot.png'] }),
      reply('There.'),
    ]);
    await page.keyboard.press('Enter');
    await page.getByText('There.').waitFor();
    await page.getByText('Look:', { exact: true }).waitFor();
    await isDrawn('.flow .picture img');
    await page.reload();
    await page.getByText('Look:', { exact: true }).waitFor();
    await isDrawn('.flow .picture img');
  });

  it('that are too large are refused in a sentence, and can be taken back', async () => {
    const buffer = Buffer.alloc(200_000, 'x');
    await page.locator('#pick-files').setInputFiles([{ name: 'large.txt', mimeType: 'text/plain', buffer }]);
    await page
      .locator('#problem')
      .getByText(/"large\.txt" is larger than/)
      .waitFor();
    await chosen().getByText('not taken').waitFor();
    await page.getByLabel('Remove large.txt').click();
    expect(await chosen().count()).toBe(0);
    await page.getByLabel('Message', { exact: true }).fill('Hello');
    await page.keyboard.press('Enter');
    await page.getByText('I see it.').waitFor();
  });
});
