import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withdrawEntries } from '../../../agent/withdraw-entries.ts';
import { openSqliteStore } from '../../../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../../store/store.ts';
import { folderForTest } from '../../../testkit/folder-for-test.ts';
import { GrowingTranscripts } from './growing-transcripts.ts';

let store: Store;
let transcripts: GrowingTranscripts;
beforeEach(async () => {
  store = await openSqliteStore({ file: join(await folderForTest(), 'store.db') });
  transcripts = new GrowingTranscripts(store);
});
afterEach(() => store.close());

async function says(position: number, runId: string, text: string): Promise<void> {
  const message = { role: 'user', content: text } as const;
  const row = {
    sessionId: 's',
    position,
    runId,
    at: position,
    kind: 'message',
    message,
    shown: null,
    meta: {},
  } as const;
  await store.commit([{ insert: 'transcript', row }], { site: 'result' });
}

/** As a pass of the index reads it, and as the store has it. */
async function read(): Promise<readonly unknown[]> {
  const rows = await transcripts.reader()('s');
  expect(rows).toEqual(await store.select('transcript', { where: { sessionId: 's' }, orderBy: [['position', 'asc']] }));
  return rows.map(({ message }) => message.content);
}

it('reads what was added to a session that it knows', async () => {
  await says(1, 'one', 'Hello.');
  await says(2, 'two', 'Where is it?');
  expect(await read()).toEqual(['Hello.', 'Where is it?']);
  await says(3, 'two', 'In the shed.');
  await says(4, 'three', 'Thanks.');
  expect(await read()).toEqual(['Hello.', 'Where is it?', 'In the shed.', 'Thanks.']);
  expect(await read()).toHaveLength(4);
});

it('reads the place of a heartbeat again that was withdrawn while the session was read', async () => {
  await says(1, 'one', 'Hello.');
  await says(2, 'beat', 'Look whether there is anything to do.');
  await says(3, 'beat', 'Nothing.');
  expect(await read()).toHaveLength(3);
  await store.commit([withdrawEntries({ runId: 'beat', session: { sessionId: 's' } }, 0)], { site: 'result' });
  expect(await read()).toEqual(['Hello.']);
  await says(2, 'two', 'Where is it?');
  expect(await read()).toEqual(['Hello.', 'Where is it?']);
});
