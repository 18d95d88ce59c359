// People on a chat platform who ask to talk, on the page: the operator approves one and refuses another. A real gateway,
// a real browser.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessRules } from '../../channels/access.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply } from '../../testkit/model-server.ts';
import { browserPath, launchBrowser, openPageOf } from './fixtures/browser-page.ts';

const PAIRING: AccessRules = {
  kind: 'direct',
  policy: 'pairing',
  allowFrom: { entries: [], matchesNames: false },
  setting: 'channels.test.dmPolicy',
};

describe.skipIf(!browserPath)('the page (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  it('shows who asks to talk, also while it is open, and answers them', async () => {
    const scratch = await gatewayForTest({ channel: { can: ['access'], access: () => PAIRING } });
    const { channel } = scratch;
    await channel.says({ sender: '11' }, 'Hello', { sender: { id: '11', name: '<b>Ann</b> the owner' } });
    const told = await channel.expectDelivered(/Your code/);
    const page = await openPageOf(scratch, browser);
    const requests = page.getByRole('region', { name: 'Requests to talk' });
    await requests.getByText('A person asks to talk to the agent').waitFor();
    const [row = ''] = await requests.locator('li').allInnerTexts();
    expect(row).toContain('<b>Ann</b> the owner 11 on test');
    expect(told.text).toContain(/code (\w{8})/.exec(row)?.[1]);

    await channel.says({ sender: '22' }, 'Me too');
    await channel.expectDelivered(/Your code/);
    await requests.getByText('2 people ask to talk to the agent').waitFor();
    await page.setViewportSize({ width: 380, height: 720 });
    expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).toBe(false);

    const rowOf = (id: string) => requests.locator('li', { hasText: `${id} on test` });
    await rowOf('22').getByRole('button', { name: 'Refuse' }).click();
    await rowOf('22').waitFor({ state: 'detached' });
    await rowOf('11').getByRole('button', { name: 'Approve' }).click();
    await requests.waitFor({ state: 'detached' });
    await channel.expectDelivered(/approved you/, { sender: '11' });
    expect(await scratch.store.select('pairings')).toMatchObject([{ senderId: '11', approvedBy: 'web' }]);
    scratch.model.script([reply('Welcome.')]);
    await channel.asks({ sender: '11' }, 'Hello', 'Welcome.');
  });

  it('shows nothing of it where no person asks', async () => {
    const scratch = await gatewayForTest();
    const page = await openPageOf(scratch, browser);
    expect(await page.locator('.pairings').count()).toBe(0);
  });
});
