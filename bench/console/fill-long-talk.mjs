// One conversation with many messages, written with the store's own library, without a gateway.

import { DatabaseSync } from '@photostructure/sqlite';

const KEY = 'agent:main:webchat:direct:long-talk';
const ANSWER = `Here is what I found, with **two** things to decide.

| service | p50 | p95 |
| --- | ---: | ---: |
| search | 41 ms | 120 ms |
| mail | 12 ms | 35 ms |

1. The migration takes about four minutes.
2. The retry rule is slower since the last change:

\`\`\`ts
export const tries = 3;
\`\`\`
`;

/** Returns the key of the conversation. */
export function fillLongTalk(file, messages) {
  const database = new DatabaseSync(file);
  const at = Date.now() - messages * 1_000;
  const id = at.toString(36).padStart(9, '0');
  const sessionId = `ses_${id}longtalk0000000`;
  database.exec('BEGIN');
  database
    .prepare(
      `INSERT INTO sessions (session_id, session_key, agent_id, started_at, active_at, surface, state, end_to_tell, title)
       VALUES (?, ?, 'main', ?, ?, NULL, '{}', 0, 'The long talk')`,
    )
    .run(sessionId, KEY, at, Date.now());
  const add = database.prepare(
    `INSERT INTO transcript (session_id, position, run_id, at, kind, message, shown, meta)
     VALUES (?, ?, ?, ?, 'message', ?, NULL, '{}')`,
  );
  for (let position = 1; position <= messages; position++) {
    const run = `run_${id}${String(Math.ceil(position / 2)).padStart(15, '0')}`;
    const message =
      position % 2 === 1
        ? { role: 'user', content: `Question ${position}: what is next?` }
        : { role: 'assistant', content: [{ type: 'text', text: ANSWER }] };
    add.run(sessionId, position, run, at + position * 1_000, JSON.stringify(message));
  }
  database.exec('COMMIT');
  database.close();
  return KEY;
}
