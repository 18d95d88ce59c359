// Bad hook packs and handler files in the real process. Whatever their code does, when it is imported or when it is
// called, the gateway answers people and /healthz, the pack is named and no longer called, and the packs beside it go on.

import { expect, it, onTestFinished, vi } from 'vitest';
import { runAtrium } from '../src/testkit/atrium-process.ts';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { reply } from '../src/testkit/model-server.ts';
import { pluginFiles } from '../src/testkit/plugin-files.ts';

// A worker that does not answer is given up after ten seconds of its own time, which a busy machine makes longer.
vi.setConfig({ testTimeout: 180_000 });

/** A pack; `deed` is what its handler does, `atImport` what the file does when it is loaded. */
function packFiles(
  dir: string,
  { events = ['message:received'], deed = '', atImport = '', exportName = 'default', more = {} },
): Record<string, string> {
  const name = dir.split('/').at(-1);
  const section = { openclaw: { events, ...(exportName === 'default' ? {} : { export: exportName }), ...more } };
  const declared = exportName === 'default' ? 'export default async' : 'export const';
  const handler = exportName === 'default' ? `(event) => {${deed}}` : `${exportName} = async (event) => {${deed}}`;
  return {
    [`${dir}/HOOK.md`]: `---\nname: ${name}\ndescription: A pack\nmetadata: ${JSON.stringify(section)}\n---\n`,
    [`${dir}/handler.ts`]: `${atImport}\n${declared} ${handler};\n`,
  };
}

/** Adds its line to AGENTS.md and says hello after /new, so that it can be seen that it still works. */
const NICE = packFiles('hooks/nice', {
  events: ['agent:bootstrap', 'command:new'],
  exportName: 'listen',
  deed: `
    if (event.type === 'command') { event.messages.push('The nice pack says hello.'); return; }
    const agents = event.context.bootstrapFiles.find(({ name }) => name === 'AGENTS.md');
    agents.content += '\\nA nice line.';
  `,
});

const WORKER = { worker: { heartbeatMs: 500 } };

async function startGateway(files: Record<string, string>, config: Record<string, unknown> = {}) {
  const gateway = await GatewayProcess.create({
    files: { 'workspace/AGENTS.md': 'Be kind.', ...NICE, ...files },
    config: { plugins: WORKER, hooks: { internal: { enabled: true } }, ...config },
  });
  onTestFinished(() => gateway.close());
  gateway.model.script(() => reply('Hello.'));
  expect(await gateway.start()).toBe('ready');
  return gateway;
}

async function says(gateway: GatewayProcess, text: string): Promise<string> {
  const body = { model: 'atrium', messages: [{ role: 'user', content: text }] };
  const answer = await gateway.json<{ choices?: { message: { content: string } }[] }>('/v1/chat/completions', { body });
  return answer.choices?.[0]?.message.content ?? JSON.stringify(answer);
}

/** It still runs, people get answers, and the pack beside the bad one works. */
async function expectItGoesOn(gateway: GatewayProcess) {
  expect((await gateway.fetch('/healthz')).status).toBe(200);
  expect(await says(gateway, 'Are you there?')).toBe('Hello.');
  expect(gateway.model.requests.at(-1)?.body).toContain('A nice line.');
  expect(await says(gateway, '/new')).toContain('The nice pack says hello.');
}

const DEEDS: readonly (readonly [string, string])[] = [
  ['ends the process', 'process.exit(0);'],
  ['changes built-ins', 'Array.prototype.map = () => [];'],
  ['spins', 'for (;;) {}'],
];

it.each(DEEDS)('a pack whose handler %s is stopped, named and not called again', async (_, deed) => {
  const gateway = await startGateway(packFiles('hooks/bad', { deed }));
  expect(await says(gateway, 'Hi')).toBe('Hello.');
  await expect.poll(() => gateway.err).toMatch(/The hook "bad" (ended|kept|changed) (the plugin worker|built-ins)/);
  await expectItGoesOn(gateway);
  const { out } = await runAtrium(['hooks', 'status'], { home: gateway.home.home });
  expect(out).toMatch(/hook:bad.*suspended/);
  expect(gateway.err.match(/The hook "bad"/g)?.length).toBeLessThan(4);
  expect((await gateway.stop()).code).toBe(0);
});

it.each([
  ...DEEDS,
  ['throws', "throw new Error('no ink');"],
] as const)('a pack that %s when it is imported is named, and the gateway starts without it', async (_, atImport) => {
  const gateway = await startGateway(packFiles('hooks/bad', { atImport }));
  await expectItGoesOn(gateway);
  const { out } = await runAtrium(['hooks', 'status'], { home: gateway.home.home });
  expect(out).toMatch(/hook:bad[\s\S]*failed/);
  expect((await gateway.stop()).code).toBe(0);
});

const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  ['does not parse', 'export default (( => {};', /cannot be loaded: .*(Unexpected|Expected|SyntaxError)/],
  ['exports no function', 'export const other = 1;', /exports no function/],
  ['ends the process when it is imported', 'process.exit(0);', /ended the plugin worker/],
  ['spins when it is imported', 'for (;;) {}', /kept the plugin worker busy/],
];
const sentencesWith = (text: string, part: string) => text.split('\n').filter((line) => line.includes(part));

it.each(
  BROKEN.flatMap((fault) => ['message:received', 'agent:bootstrap'].map((event) => [...fault, event] as const)),
)('a pack that %s is named at the start, before there is a message', async (_, code, sentence, event) => {
  const pack = { ...packFiles('hooks/bad', { events: [event] }), 'hooks/bad/handler.ts': code };
  const gateway = await startGateway(pack);
  await expect.poll(() => gateway.err, { timeout: 90_000 }).toMatch(/hook "bad"/);
  expect(sentencesWith(gateway.err, 'bad')).toEqual([expect.stringMatching(sentence)]);
  const status = await runAtrium(['status'], { home: gateway.home.home });
  expect(sentencesWith(status.out, 'hook "bad"')).toEqual([expect.stringMatching(sentence)]);
  // A message does not make a second line of it.
  expect(await says(gateway, 'Hi')).toBe('Hello.');
  expect(sentencesWith(gateway.err, 'hook "bad"')).toHaveLength(1);
});

it('a handler file that does not parse is named at the start, and a mended one is not named any more', async () => {
  const gateway = await startGateway(
    { 'bad.mjs': 'export const edit = (( => {};' },
    { bootstrap: { handlers: [{ id: 'bad', path: 'bad.mjs', export: 'edit' }] } },
  );
  await expect.poll(() => gateway.err, { timeout: 90_000 }).toMatch(/hook "bad" .*cannot be loaded/);
  const status = async () => (await runAtrium(['status'], { home: gateway.home.home })).out;
  expect(await status()).toMatch(/hook "bad" .*cannot be loaded/);
  await gateway.home.write('bad.mjs', 'export const edit = () => {};');
  await expect.poll(status, { timeout: 90_000 }).not.toContain('hook "bad"');
  await gateway.home.write('bad.mjs', 'export const edit = 1;');
  // No message is needed for this one either.
  await expect.poll(() => gateway.err, { timeout: 90_000 }).toMatch(/exports no function/);
});

it.each([
  ['the workspace', packFiles('workspace/hooks/bad', { deed: 'process.exit(0);' }), {}],
  [
    'a folder that the operator named',
    packFiles('more/bad', { deed: 'process.exit(0);' }),
    { load: { extraDirs: ['~/.openclaw/more'] } },
  ],
  [
    'a file that the configuration names',
    { 'workspace/bad.ts': 'export default () => process.exit(0);' },
    { handlers: [{ event: 'message:received', module: 'bad.ts' }] },
  ],
])('a handler from %s is contained as well', async (_, files, internal) => {
  const gateway = await startGateway(files as Record<string, string>, {
    hooks: { internal: { enabled: true, entries: { bad: { enabled: true } }, ...internal } },
  });
  expect(await says(gateway, 'Hi')).toBe('Hello.');
  await expect.poll(() => gateway.err).toMatch(/ended the plugin worker/);
  await expectItGoesOn(gateway);
});

it('a pack that a plugin brings is contained as well', async () => {
  const gateway = await startGateway({
    ...pluginFiles('carrier', '', { manifest: { hooks: ['packs'] } }),
    ...packFiles('extensions/carrier/packs/bad', { deed: 'process.exit(0);' }),
  });
  expect(await says(gateway, 'Hi')).toBe('Hello.');
  await expect.poll(() => gateway.err).toMatch(/The hook "bad" ended the plugin worker/);
  await expectItGoesOn(gateway);
});

it.each(DEEDS)('a bootstrap handler file that %s costs its own text only', async (_, deed) => {
  const gateway = await startGateway(
    { 'bad.mjs': `export const edit = () => { ${deed} };` },
    { bootstrap: { handlers: [{ id: 'bad', path: 'bad.mjs', export: 'edit' }] } },
  );
  expect(await says(gateway, 'Hi')).toBe('Hello.');
  await expect.poll(() => gateway.err).toMatch(/The handler "bad" (ended|kept|changed) (the plugin worker|built-ins)/);
  await expectItGoesOn(gateway);
});

it('a preview without a gateway is protected too, and names the culprit', async () => {
  const gateway = await GatewayProcess.create({
    files: {
      'workspace/AGENTS.md': 'Be kind.',
      ...NICE,
      ...packFiles('hooks/bad', { events: ['agent:bootstrap'], deed: 'process.exit(0);' }),
    },
    config: { plugins: WORKER, hooks: { internal: { enabled: true } } },
  });
  onTestFinished(() => gateway.close());
  const { out, err, code } = await runAtrium(['context', 'preview'], { home: gateway.home.home });
  expect(out).toContain('A nice line.');
  expect(code).toBe(0);
  expect(err).toContain('hook:bad');
});

it('only what the operator sets to inline runs in the gateway; status says so, and an end that nobody asked for is said', async () => {
  const gateway = await startGateway(
    packFiles('hooks/bad', { deed: "if (event.context.content === 'die') process.exit(0);" }),
    {
      hooks: { internal: { enabled: true, entries: { bad: { isolation: 'inline' } } } },
    },
  );
  await expectItGoesOn(gateway);
  const { out } = await runAtrium(['status'], { home: gateway.home.home });
  expect(out).toContain('The hook "bad" (its isolation is "inline") runs in the gateway itself');
  expect(out).not.toContain('The hook "nice"');
  await says(gateway, 'die').catch(() => {});
  expect((await gateway.ended()).code).toBe(1);
  expect(gateway.err).toMatch(
    /although nothing asked it to stop: process\.exit\(0\) was called at .*hooks\/bad\/handler\.ts/,
  );
});

it('a pack that was mended is called again after "hooks rearm", and until then it is not', async () => {
  const gateway = await startGateway(packFiles('hooks/bad', { events: ['command:new'], deed: 'process.exit(0);' }));
  await says(gateway, '/new');
  await expect.poll(() => gateway.err).toMatch(/The hook "bad" ended the plugin worker/);
  const mended = packFiles('hooks/bad', { events: ['command:new'], deed: "event.messages.push('Mended.');" });
  await gateway.home.write('hooks/bad/handler.ts', mended['hooks/bad/handler.ts'] ?? '');
  const { out, code } = await runAtrium(['hooks', 'rearm', 'bad'], { home: gateway.home.home });
  expect(code).toBe(0);
  expect(out).toContain('bad');
  expect(await says(gateway, '/new')).toContain('Mended.');
});

it('a pack that changes the built-ins is named and suspended like a plugin', async () => {
  const gateway = await startGateway(packFiles('hooks/bad', { deed: 'Array.prototype.map = () => [];' }));
  expect(await says(gateway, 'Hi')).toBe('Hello.');
  await expect.poll(() => gateway.err).toMatch(/The hook "bad" changed built-ins/);
  await expectItGoesOn(gateway);
});

it('with onError abort, nothing is composed without the pack that had to be stopped', async () => {
  const gateway = await startGateway(
    packFiles('hooks/bad', { events: ['agent:bootstrap'], deed: 'process.exit(0);', more: { onError: 'abort' } }),
  );
  for (const text of ['Hi', 'And now?']) expect(await says(gateway, text)).not.toBe('Hello.');
  expect(gateway.model.requests).toEqual([]);
  expect((await gateway.fetch('/healthz')).status).toBe(200);
});
