// The configuration over the API: read with secrets hidden, changed with comments kept, one secret for who asks.

import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { gatewayForTest } from '../../../testkit/gateway-for-test.ts';
import type { ScratchGateway } from '../../../testkit/scratch-gateway.ts';
import { serve } from '../../page/fixtures/browser-page.ts';
import { TEST_TOKEN } from '../fixtures/test-api.ts';

/** As much of the answers as the tests read. */
interface Answer {
  readonly hidden: string;
  readonly schema: { readonly properties: Readonly<Record<string, unknown>> };
  readonly values: {
    readonly agents: { readonly defaults: { readonly model: string } };
    readonly models: { readonly providers: { readonly fake: { readonly apiKey: string } } };
  };
}

async function clientOf(scratch: ScratchGateway) {
  const server = await serve(scratch);
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${TEST_TOKEN}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as Answer };
  };
}

it('shows what is set without secrets, and gives one for who asks', async () => {
  const ask = await clientOf(await gatewayForTest());
  const { json } = await ask('GET', '/api/settings');
  expect(json.values.agents.defaults.model).toBe('fake/small');
  expect(json.values.models.providers.fake.apiKey).toBe(json.hidden);
  expect(JSON.stringify(json)).not.toContain('test-key');
  expect(json.schema.properties.limits).toBeDefined();
  const asked = await ask('POST', '/api/settings/reveal', { setting: 'models.providers.fake.apiKey' });
  expect(asked.json).toEqual({ setting: 'models.providers.fake.apiKey', value: 'test-key' });
});

it('changes one setting as the command does: comments stay, and it says what waits for the next start', async () => {
  const scratch = await gatewayForTest();
  const file = scratch.home.path('openclaw.json');
  const text = await readFile(file, 'utf8');
  await writeFile(file, `// Ours.\n${text}`);
  const ask = await clientOf(scratch);
  const at = 'limits.spend';
  const changed = await ask('POST', '/api/settings', { setting: at, value: [{ per: 'day', tokens: 1000 }] });
  expect(changed).toMatchObject({ status: 200, json: { setting: at, file, needsRestart: false } });
  expect(await readFile(file, 'utf8')).toMatch(/^\/\/ Ours\./);
  const later = await ask('POST', '/api/settings', { setting: 'gateway.port', value: 18999 });
  expect(later.json).toMatchObject({ needsRestart: true });
  const gone = await ask('DELETE', '/api/settings?setting=gateway.port');
  expect(gone.json).toMatchObject({ needsRestart: false });
  expect(await readFile(file, 'utf8')).not.toContain('18999');
});

it('writes nothing that no gateway could use, and never the word for a hidden secret', async () => {
  const scratch = await gatewayForTest();
  const ask = await clientOf(scratch);
  const before = await readFile(scratch.home.path('openclaw.json'), 'utf8');
  const refused = [
    { setting: 'gateway.port', value: 'a door' },
    { setting: 'gateway.prot', value: 1 },
    { setting: 'a..b', value: 1 },
    { setting: 'models.providers.fake.apiKey', value: (await ask('GET', '/api/settings')).json.hidden },
  ];
  for (const body of refused) expect((await ask('POST', '/api/settings', body)).status).toBe(400);
  expect((await ask('DELETE', '/api/settings?setting=gateway.port')).status).toBe(404);
  expect(await readFile(scratch.home.path('openclaw.json'), 'utf8')).toBe(before);
});
