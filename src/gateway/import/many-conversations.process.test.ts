// Many long conversations are brought along in bounded memory: together they are several times as large as the heap that the
// process has.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runAtrium } from '../../testkit/atrium-process.ts';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { assistant, OpenClawHomeFixture, talk, user } from './fixtures/openclaw-home.ts';

const CONVERSATIONS = 150;
const HEAP_MB = 64;

it('needs no more memory for a home that is larger than the heap', async () => {
  const home = await folderForTest();
  const fixture = new OpenClawHomeFixture(join(home, '.openclaw'));
  // About 1.5 MB each.
  const words = 'Something that was said. '.repeat(600);
  const events = talk(...Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? user(words) : assistant(words))));
  const entries: Record<string, object> = {};
  for (let number = 0; number < CONVERSATIONS; number++) {
    await fixture.transcript(`s${number}`, events);
    entries[`agent:main:telegram:direct:${number}`] = { sessionId: `s${number}`, updatedAt: 1_779_264_000_000 };
  }
  await fixture.sessions(entries);
  const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
  const { code, out, err } = await runAtrium(['import', 'openclaw', '--json'], { home, env });
  expect(code, err).toBe(0);
  expect(JSON.parse(out).rows[0]).toMatchObject({ brought: CONVERSATIONS, left: 0 });
}, 180_000);
