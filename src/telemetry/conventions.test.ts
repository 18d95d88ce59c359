import { readFile } from 'node:fs/promises';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect, it } from 'vitest';
import { METRICS } from './metric-catalog.ts';

const published = new Set(Object.values(conventions).filter((value) => typeof value === 'string'));

it('the names of the GenAI conventions that we use are those that OpenTelemetry has published', async () => {
  const source = await readFile(new URL('run-spans.ts', import.meta.url), 'utf8');
  const used = [...source.matchAll(/'((?:gen_ai|error)\.[a-z_.]+)'/g)].map(([, name]) => name);
  expect(used.length).toBeGreaterThan(15);
  for (const name of used) expect(published, name).toContain(name);
  for (const [name, { labels }] of Object.entries(METRICS)) {
    if (!name.startsWith('atrium.')) expect(published, name).toContain(name);
    for (const label of labels) if (label.includes('.')) expect(published, label).toContain(label);
  }
});

it('the operations are those of the conventions', () => {
  expect([
    conventions.GEN_AI_OPERATION_NAME_VALUE_CHAT,
    conventions.GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
    conventions.GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
  ]).toEqual(['chat', 'execute_tool', 'invoke_agent']);
});
