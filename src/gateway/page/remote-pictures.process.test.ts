// Pictures of other servers in the words of a model: nothing is fetched until the person asks for it, and then only that
// one. A real server on loopback counts who asks.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import { browserPath, launchBrowser, openPageOf, say } from './fixtures/browser-page.ts';

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsVW1nwAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(!browserPath)('pictures of other servers (skipped where there is no Chromium)', () => {
  let browser: Browser;
  let pictures: Server;
  let host: string;
  const asked: { readonly path: string; readonly referer: string | undefined }[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
    pictures = createServer(({ url = '', headers }, response) => {
      asked.push({ path: url, referer: headers.referer });
      if (url.startsWith('/moved')) response.writeHead(302, { location: `http://localhost:1/elsewhere.png` }).end();
      else response.writeHead(200, { 'content-type': 'image/png' }).end(DOT);
    });
    await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => pictures.close(resolve));
  });

  it('are fetched when the person asks for one, and only that one', async () => {
    const scratch = await gatewayForTest();
    const page = await openPageOf(scratch, browser);
    const base = `http://${host}`;
    scratch.model.script(() =>
      reply(
        `![a chart](${base}/a.png?who=me)\n\n![a map](${base}/b.png)\n\n![gone](${base}/moved.png)\n\nThat is all.`,
      ),
    );
    await say(page, 'show me');
    await page.getByText('That is all.').waitFor();
    await page.getByText(`Picture on ${host}: a chart`).waitFor();
    expect(asked).toEqual([]);
    // By keyboard, because a person without a mouse asks too.
    await page
      .getByRole('button', { name: `Load it from ${host}` })
      .first()
      .focus();
    await page.keyboard.press('Enter');
    const frame = page.locator('iframe[title="a chart"]');
    await expect.poll(() => frame.getAttribute('style')).toContain('width: 1px');
    expect(asked.splice(0)).toEqual([{ path: '/a.png?who=me', referer: undefined }]);
    // A server that sends the browser on to another one is not followed there.
    await page
      .getByRole('button', { name: `Load it from ${host}` })
      .last()
      .click();
    await page.getByText(`The picture on ${host} could not be loaded: gone`).waitFor();
    // Browsers look ahead in a document, and ask again for what that look could not load.
    const tries = asked.splice(0);
    expect(tries.length).toBeGreaterThan(0);
    for (const each of tries) expect(each).toEqual({ path: '/moved.png', referer: undefined });
    await page.reload();
    await page.getByText(`Picture on ${host}: a chart`).waitFor();
    expect(asked).toEqual([]);
  });

  it('are not let through by the policy of the page itself', async () => {
    const scratch = await gatewayForTest();
    const page = await openPageOf(scratch, browser);
    const isLoaded = await page.evaluate<boolean>(`new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve(true);
      image.onerror = () => resolve(false);
      image.src = 'http://${host}/forced.png';
    })`);
    expect(isLoaded).toBe(false);
    expect(asked).toEqual([]);
  });
});
