// The command behind `npm run screenshots`: pictures of every page with realistic data, light, dark and on a telephone, in
// docs/images/. A whole gateway answers with a scripted model; nothing is sent anywhere else.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createHttpApp } from '../src/gateway/http/create-http-app.ts';
import { listen } from '../src/gateway/http/listen.ts';
import { fail, type ModelScript, reply, toolCall } from '../src/testkit/model-server.ts';
import { pluginFiles } from '../src/testkit/plugin-files.ts';
import { ScratchGateway } from '../src/testkit/scratch-gateway.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = process.argv[2] ?? join(root, 'docs/images');
/** The name of the one page that is wanted; without it, all. */
const only = process.argv[3];
const TOKEN = 'screenshots-token-0123456789';

const ANSWER = `The release is ready, with **two** things to decide first.

| service | p50 | p95 | change |
| --- | ---: | ---: | ---: |
| search | 41 ms | 120 ms | −18 % |
| checkout | 88 ms | 310 ms | +4 % |
| mail | 12 ms | 35 ms | 0 % |

1. The migration takes about four minutes. Run it *before* the deploy.
2. \`checkout\` is slower since the last change of the retry rule:

\`\`\`ts
export async function charge(order: Order, tries = 3): Promise<Receipt> {
  for (let attempt = 1; ; attempt++) {
    const receipt = await provider.charge(order.total, { key: order.id });
    if (receipt.ok || attempt === tries) return receipt;
    await pause(200 * attempt); // waits longer each time
  }
}
\`\`\`

- [x] tests are green
- [ ] someone says yes to the migration

> The provider answers within 2 s in the 99th percentile, so one retry is enough.`;

const answer: ModelScript = ({ json }) => {
  const messages = (json.messages ?? []) as readonly { role: string; content: unknown }[];
  const last = messages.at(-1);
  const said = messages.findLast(({ role }) => role === 'user');
  const words = JSON.stringify(said?.content ?? '');
  const usage = { usage: { input: 6_412, output: 388, cacheRead: 5_100 } };
  if (last?.role === 'tool') return reply(ANSWER, usage);
  if (words.includes('release'))
    return toolCall('read', { path: 'notes/release.md' }, 'Let me look at the notes first.');
  if (words.includes('deploy'))
    return toolCall('exec', { command: 'npm run migrate -- --only 2026-04-orders' }, 'The migration comes first.');
  if (words.includes('invoice')) return fail(401, { message: 'The key of the provider was refused.' });
  return reply(
    'Good morning! Three things are on for today: the release at 11:00, a call with the printer, and the invoices.',
    usage,
  );
};

const FILES = {
  'workspace/AGENTS.md':
    '# How we work\n\nYou help a small team that runs a shop.\n\n- Answer in short sentences.\n- Say what you are not sure about.\n- Ask before anything costs money.\n\n## Releases\n\nRead notes/release.md before you say that a release is ready.\n',
  'workspace/SOUL.md': '# Who you are\n\nCalm, exact, friendly. You like tables better than paragraphs.\n',
  'workspace/USER.md': '# The person\n\nWorks from nine to five, Europe/Berlin. Prefers figures with units.\n',
  'workspace/TOOLS.md': `# Tools\n\n${'Use the tools with care, and name what you used.\n'.repeat(60)}`,
  'workspace/MEMORY.md': '# Memory\n\n- The printer is called Oak.\n- Releases are on Tuesdays.\n',
  ...pluginFiles(
    'house-style',
    `api.on('before_prompt_build', () => ({ appendSystemContext: 'Prices are in euros, with two decimals.' }));
     api.on('agent_end', () => {});`,
    { manifest: { name: 'House style', description: 'Tells every agent how the shop writes prices and dates.' } },
  ),
  ...pluginFiles(
    'opening-hours',
    `api.on('before_tool_call', () => {});
     api.on('llm_output', () => {});
     api.registerCommand({ name: 'open', description: 'Says whether the shop is open.', handler: () => ({ text: 'Until six.' }) });`,
    { manifest: { name: 'Opening hours', description: 'Holds back what would reach customers at night.' } },
  ),
  'workspace/notes/release.md': '# Release 4.2\n\nMigration: four minutes.\nOpen: retry rule of checkout.\n',
};

const VARIANTS = {
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark', reducedMotion: 'reduce' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', reducedMotion: 'reduce' },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark', reducedMotion: 'reduce' },
} as const;

interface Shot {
  readonly name: string;
  /** The other variants, besides the light one. */
  readonly also: readonly (keyof typeof VARIANTS)[];
  prepare(page: Page, url: string): Promise<void>;
}

const gateway = await ScratchGateway.open({
  files: FILES,
  provider: { models: [{ id: 'small', cost: { input: 1, output: 4 } }] },
  config: {
    agents: {
      defaults: { model: 'fake/small', bootstrapMaxChars: 2_000 },
      list: [{ id: 'main', default: true }, { id: 'coder' }],
    },
    plugins: { entries: { 'opening-hours': { hooks: { allowConversationAccess: true } } } },
    limits: {
      spend: [
        { per: 'day', money: 0.5 },
        { agent: 'coder', per: 'month', tokens: 2_000_000 },
        { sender: '*', per: 'day', money: 0.2 },
      ],
    },
  },
});
gateway.model.script(answer);
const server = await listen({
  app: () =>
    createHttpApp({
      services: gateway.services,
      agentIds: () => ['main', 'coder'],
      now: Date.now,
      token: TOKEN,
      allowedHosts: [],
      allowedOrigins: [],
      state: () => 'ready',
      warn: () => {},
    }),
  host: '127.0.0.1',
  port: 0,
  attach: (socket, client) => gateway.opened.sockets.web.attach(socket, client),
});
const browser: Browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
mkdirSync(folder, { recursive: true });
try {
  await talk();
  await plan();
  for (const shot of await shots()) if (only === undefined || shot.name === only) await take(shot);
} finally {
  await browser.close();
  await server.close(50);
  await gateway.close();
}

/** Fills the gateway with conversations, as people would. */
async function talk(): Promise<void> {
  const send = async (user: string, text: string, agentId = 'main') => {
    const surface = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: user } } as const;
    const { runId } = await gateway.services.inbox.receive({
      surface,
      sender: { id: user },
      text,
      at: Date.now(),
      eventId: `${user}:${text}`,
      messageId: text,
      agentId,
    });
    await gateway.services.runs.wait(runId);
  };
  await send('coder-1', 'Which tests fail on the branch of the new search?', 'coder');
  await send('invoices', 'Write the invoice for the printer');
  await send('morning', 'Which parcels went out yesterday?');
  await send('release', 'Good morning, is everything set for Tuesday?');
  await send('release', 'Is the release of the shop ready? Compare it with last week.');
  // This one waits for a person, so its run does not end.
  void send('deploy', 'Please deploy 4.2 when the tests are green.').catch(() => {});
  await waitForApproval();
}

/** Jobs as a shop has them; the first has run once. */
async function plan(): Promise<void> {
  const { jobs } = gateway.services;
  const standup = await jobs.add({
    name: 'standup',
    schedule: { cron: '0 9 * * 1-5', tz: 'Europe/Berlin' },
    message: 'Prepare the stand-up: what was done, what is stuck.',
    createdBy: 'cli',
  });
  await jobs.add({
    name: 'stock',
    schedule: { every: '6h' },
    message: 'Look for articles that run out.',
    createdBy: 'agent:main:main',
  });
  await jobs.add({
    name: 'tests',
    agentId: 'coder',
    schedule: { cron: '30 6 * * *', tz: 'Europe/Berlin' },
    message: 'Run the slow tests and say what is red.',
    createdBy: 'api',
  });
  const { runId } = await jobs.run(standup.id);
  await gateway.services.runs.wait(runId);
}

async function shots(): Promise<readonly Shot[]> {
  const { sessions } = await gateway.services.sessions.list({ limit: 10 });
  const key = sessions.find(({ surface }) => surface?.peer.id === 'release')?.sessionKey ?? '';
  const [run, before] = await gateway.store.select('runs', {
    where: { sessionKey: key },
    orderBy: [['runId', 'desc']],
    limit: 2,
  });
  const at = (path: string) => async (page: Page, url: string) => {
    await page.goto(`${url}${path}#token=${TOKEN}`);
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(300);
  };
  const session = `/sessions/${encodeURIComponent(key)}`;
  return [
    {
      name: 'chat',
      also: ['dark', 'phone', 'phone-dark'],
      prepare: async (page: Page, url: string) => {
        await at(session)(page, url);
        // One of the other conversations has failed; whoever has read that puts the warning aside.
        await page.getByRole('button', { name: 'Hide', exact: true }).click();
        await page.mouse.move(0, 0);
      },
    },
    { name: 'context', also: ['dark', 'phone'], prepare: at(`${session}/runs/${run?.runId}/context`) },
    { name: 'what-if', also: [], prepare: at(`${session}/context`) },
    {
      name: 'edit',
      also: ['dark', 'phone'],
      prepare: async (page: Page, url: string) => {
        await at(`${session}/context?file=AGENTS.md`)(page, url);
        const text = page.getByLabel('Text of AGENTS.md');
        await text.fill(`${await text.inputValue()}- No release on a Friday.\n`);
        await page.getByRole('button', { name: 'Difference' }).click();
        await page.locator('.diff-row.added').first().waitFor();
      },
    },
    { name: 'run', also: ['dark', 'phone'], prepare: at(`/runs/${run?.runId}`) },
    { name: 'compare', also: ['dark'], prepare: at(`/runs/${run?.runId}?beside=${before?.runId}`) },
    { name: 'hooks', also: ['dark'], prepare: at('/hooks') },
    { name: 'operations', also: ['dark', 'phone', 'phone-dark'], prepare: at('/operations') },
    { name: 'schedule', also: [], prepare: at('/operations/schedule') },
    { name: 'settings', also: ['dark', 'phone'], prepare: at('/operations/settings') },
    {
      name: 'new',
      also: ['dark'],
      prepare: async (page: Page, url: string) => {
        await at('/new')(page, url);
        await page.getByLabel('Message', { exact: true }).fill('/');
        await page.getByRole('listbox').waitFor();
      },
    },
  ];
}

async function take({ name, also, prepare }: Shot): Promise<void> {
  for (const variant of ['light', ...also] as const) {
    const context = await browser.newContext(VARIANTS[variant]);
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    await prepare(page, server.url);
    await page.mouse.move(0, 0);
    await hideHome(page);
    await page.screenshot({ path: join(folder, `${name}-${variant}.png`) });
    await context.close();
  }
}

/** The scratch home has another name each time; in the pictures it has one that a reader may have too. */
async function hideHome(page: Page): Promise<void> {
  await page.evaluate(`{
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      text.nodeValue = text.nodeValue.replaceAll(${JSON.stringify(gateway.home.home)}, '/srv/shop');
    }
  }`);
}

async function waitForApproval(): Promise<void> {
  for (let tries = 0; (await gateway.store.count('approvals')) === 0; tries++) {
    if (tries === 600) throw new Error('no tool asked for an approval');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
