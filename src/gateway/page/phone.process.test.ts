// A telephone on a slow line: something is seen before the page has been loaded, a message says that it is being sent, and
// the end of the conversation stays above the keyboard.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import { TEST_TOKEN } from '../http/fixtures/test-api.ts';
import { browserPath, launchBrowser, say, serve } from './fixtures/browser-page.ts';

const LONG_ANSWER = Array.from({ length: 60 }, (_, index) => `Line ${index} of the answer.`).join('\n\n');

describe.skipIf(!browserPath)('a telephone (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  async function telephone() {
    const scratch = await gatewayForTest();
    scratch.model.script(() => reply(LONG_ANSWER));
    const server = await serve(scratch);
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
      hasTouch: true,
      isMobile: true,
    });
    onTestFinished(async () => {
      await context.close();
      await server.close(50);
    });
    const page = await context.newPage();
    const protocol = await context.newCDPSession(page);
    await protocol.send('Network.enable');
    const slowDown = (latency: number) =>
      protocol.send('Network.emulateNetworkConditions', {
        offline: false,
        latency,
        downloadThroughput: latency === 0 ? -1 : 60_000,
        uploadThroughput: latency === 0 ? -1 : 20_000,
      });
    return { page, slowDown, address: `${server.url}/new#token=${TEST_TOKEN}` };
  }

  it('shows that the page is loading, and sends a message once over a slow line', async () => {
    const { page, slowDown, address } = await telephone();
    await slowDown(400);
    await page.goto(address, { waitUntil: 'commit' });
    await page.getByText('Atrium is loading…').waitFor();
    await page.getByLabel('Message', { exact: true }).waitFor();
    expect(await page.getByText('Atrium is loading…').count()).toBe(0);
    await say(page, 'over a slow line');
    await page.getByText('Sending…').waitFor();
    await page.getByText('Line 59 of the answer.').waitFor();
    expect(await page.locator('.said').allTextContents()).toEqual(['over a slow line']);
    expect(await page.getByText('Sending…').count()).toBe(0);
  });

  it('keeps the end of the conversation and the field above the keyboard', async () => {
    const { page, address } = await telephone();
    await page.goto(address);
    await say(page, 'a long answer');
    await page.getByText('Line 59 of the answer.').waitFor();
    const fromEnd = () =>
      page.evaluate<number>(
        `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.getElementById('log'))`,
      );
    await expect.poll(fromEnd).toBeLessThan(4);
    await page.setViewportSize({ width: 390, height: 420 });
    await expect.poll(fromEnd).toBeLessThan(4);
    const field = await page.getByLabel('Message', { exact: true }).boundingBox();
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThan(420);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    // A person who reads further up stays there.
    const scrollUp = async () => {
      await page.evaluate(`document.getElementById('log').scrollTop = 200`);
      return fromEnd();
    };
    await expect.poll(scrollUp).toBeGreaterThan(400);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForFunction('innerHeight === 844');
    expect(await page.evaluate(`document.getElementById('log').scrollTop`)).toBe(200);
  });
});
