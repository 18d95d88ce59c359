// What a person does with the context of now when the request has 5 MB: three bootstrap files of almost 2 MB each, with
// limits that let them in. The files are written through the API, and the limits are settings of "What if".

const SETTINGS = '{"agents":{"defaults":{"bootstrapMaxChars":3000000,"bootstrapTotalMaxChars":9000000}}}';
const FILES = ['AGENTS.md', 'SOUL.md', 'TOOLS.md'];
const LINES = 26_000;

export const CONTEXT_MEASURES = [
  {
    name: 'a request of 5 MB: forms, map, keys',
    run: async (place) => {
      await fillFiles(place);
      const { page, url } = place;
      await page.goto(`${url}/context`);
      await page.getByText('Other settings').click();
      await page.getByLabel('Merged over the configuration').fill(SETTINGS);
      await page.locator('.unit .size', { hasText: /[4-9],\d{3},\d{3} characters/ }).waitFor({ timeout: 120_000 });
      for (let times = 0; times < 3; times += 1) {
        await page.getByRole('button', { name: 'As it is sent' }).click();
        await page.locator('#sent-body').waitFor();
        await page.getByRole('button', { name: 'As it is read' }).click();
        await page.locator('#piece-0').focus();
        await page.keyboard.press('End');
        await page.keyboard.press('Home');
        await page.locator('.area').first().click();
      }
    },
  },
  {
    name: 'a request of 5 MB: scrolling',
    run: async ({ page }) => {
      await page.mouse.move(600, 600);
      for (let times = 0; times < 30; times += 1) {
        await page.mouse.wheel(0, 1_500);
        await page.waitForTimeout(30);
      }
    },
  },
  {
    name: 'a request of 5 MB: why is this not here?',
    run: async ({ page }) => {
      await page
        .getByLabel('Why is this not here?')
        .last()
        .pressSequentially(`line ${LINES - 1}`, { delay: 30 });
    },
  },
];

async function fillFiles({ url, token }) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (const name of FILES) {
    const address = `${url}/api/agents/main/files/${name}`;
    const { file } = await (await fetch(address, { headers })).json();
    const line = (_, index) => `${name} line ${index}: always say what you are not sure about, and why.`;
    const text = Array.from({ length: LINES }, line).join('\n');
    const body = JSON.stringify({ text, version: file.version });
    const answer = await fetch(address, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  }
}
