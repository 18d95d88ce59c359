// What a person does in the chat, for the benchmark of the page: one measure each, in this order.

export const CHAT_MEASURES = [
  {
    name: 'typing, with 10,000 conversations',
    async run({ page }) {
      await page.getByLabel('Message', { exact: true }).click();
      await page.keyboard.type('What should we do next, and what can wait until tomorrow?', { delay: 30 });
    },
  },
  {
    name: 'going from one conversation to another',
    async run({ page }) {
      for (let index = 0; index < 12; index++) {
        await page.locator('.session-link').nth(index).click();
        await page.locator('.session-link').nth(index).and(page.locator('[aria-current]')).waitFor();
        await page.locator('.turn').first().waitFor();
      }
    },
  },
  {
    name: 'scrolling the list of conversations',
    async run({ page }) {
      await page.locator('.session-list').hover();
      for (let step = 0; step < 40; step++) {
        await page.mouse.wheel(0, 1_500);
        await page.waitForTimeout(30);
      }
      await page.locator('.session-link').first().click();
    },
  },
  {
    name: 'reading back in 2,000 messages',
    async run({ page, url, longTalk }) {
      await page.goto(`${url}/sessions/${longTalk}`);
      await page.locator('.turn').first().waitFor();
      await page.locator('.log').hover();
      for (let step = 0; step < 120; step++) {
        await page.mouse.wheel(0, -2_500);
        await page.waitForTimeout(25);
      }
    },
  },
  {
    name: 'typing in a long conversation',
    async run({ page }) {
      await page.getByLabel('Message', { exact: true }).click();
      await page.keyboard.type('And what did we say about the migration last time?', { delay: 30 });
      await page.keyboard.press('Enter');
      await page.locator('.turn').last().locator('.foot').waitFor();
    },
  },
  {
    name: 'searching all that was said',
    async run({ page }) {
      await page.getByLabel('Search all that was said').click();
      await page.keyboard.type('open points', { delay: 60 });
      await page.locator('.found li').first().waitFor();
      for (let index = 0; index < 3; index++) await page.keyboard.press('Tab');
    },
  },
];
