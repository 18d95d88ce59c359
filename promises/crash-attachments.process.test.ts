// Kills a real gateway around the commits of a message that brings an image, and starts it again on the same home. The
// image is never lost between the message and the model, and what no message names does not stay.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { reply } from '../src/testkit/model-server.ts';
import { pixel } from '../src/testkit/test-images.ts';
import { expectDeath, isInDatabase } from './fixtures/crash-stage.ts';

const TIMEOUT_MS = 120_000;
const base64 = pixel().toString('base64');

it.each(['accept:before', 'accept:after', 'claim:after', 'request:before', 'request:after', 'result:before'])(
  'a message with an image is answered once with its image, at %s',
  async (point) => {
    const gateway = await GatewayProcess.create({
      models: [{ id: 'small', input: ['text', 'image'] }],
    });
    try {
      gateway.model.script(() => reply('A dot.'));
      await gateway.start({ failpoints: [point] });
      const first = ask(gateway).catch(() => undefined);
      await expectDeath(gateway, point);
      await first;
      await gateway.start();
      const answer = await ask(gateway);
      expect(await answer?.json()).toMatchObject({ choices: [{ message: { content: 'A dot.' } }] });
      const sent = gateway.model.requests.map(({ body }) => body);
      expect(sent.length).toBeGreaterThan(0);
      for (const body of sent) expect(body).toBe(sent[0]);
      expect(sent[0]).toContain(base64);
      const files = await readdir(join(gateway.home.stateDir, 'atrium', 'attachments')).catch(() => []);
      // In a database the file is beside the rows; src/gateway/attachments-in-database.process.test.ts looks there.
      expect(files.filter((name) => !name.startsWith('.'))).toHaveLength(isInDatabase ? 0 : 1);
    } finally {
      await gateway.close();
    }
  },
  TIMEOUT_MS,
);

function ask(gateway: GatewayProcess): Promise<Response> {
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
  ];
  return gateway.fetch('/v1/chat/completions', {
    body: { model: 'atrium', user: 'ann', messages: [{ role: 'user', content }] },
    headers: { 'idempotency-key': 'k1' },
    signal: AbortSignal.timeout(60_000),
  });
}
