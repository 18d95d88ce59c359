// A home in which much has happened: many agents, many files in a workspace, and a store with many sessions and what was said
// in them. The rows are written with the store's own library, without a gateway, because a million of them would take hours.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { makeAtriumHome, startAtrium } from '../turn/atrium.mjs';
import { stopProcess, untilReady } from '../turn/processes.mjs';

const READY_LIMIT_MS = 120_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const WORDS =
  'Please look at the list of open points from this morning, and tell me in one sentence which of them is next.';

/** `size`: how many sessions, transcript rows in all of them, files and agents there are. */
export async function makeFilledHome(root, modelUrl, dist, { sessions, rows, files, agents }) {
  const home = await makeAtriumHome(root, modelUrl, settingsOf(agents));
  // The first start makes the store and the workspace.
  const gateway = await startAtrium(home, dist);
  await untilReady(gateway.readyUrl, gateway, READY_LIMIT_MS);
  await stopProcess(gateway);
  const state = join(home, '.openclaw');
  const notes = join(state, 'workspace', 'memory');
  await mkdir(notes, { recursive: true });
  for (let file = 0; file < files; file++)
    await writeFile(join(notes, `note-${file}.md`), `# Note ${file}\n\n${WORDS}\n`);
  fillStore(join(state, 'atrium', 'atrium.db'), { sessions, rows, agents });
  return home;
}

function settingsOf(agents) {
  const list = Array.from({ length: agents }, (_, index) => ({ id: agentOf(index), default: index === 0 }));
  return {
    agents: { defaults: { model: 'bench/instant', maxConcurrent: 32 }, ...(agents > 0 && { list }) },
  };
}

function agentOf(index) {
  return index === 0 ? 'main' : `agent-${index}`;
}

function fillStore(file, { sessions, rows, agents }) {
  const database = new DatabaseSync(file);
  const each = Math.floor(rows / Math.max(1, sessions));
  const addSession = database.prepare(
    `INSERT INTO sessions (session_id, session_key, agent_id, started_at, active_at, surface, state, end_to_tell)
     VALUES (?, ?, ?, ?, ?, NULL, '{}', 0)`,
  );
  const addRun = database.prepare(
    `INSERT INTO runs (run_id, session_key, agent_id, session_id, status, claim, progress_claim, started_at, ended_at, outcome, observed)
     VALUES (?, ?, ?, ?, 'done', 1, 1, ?, ?, '{"reply":"Yes.","modelCalls":1}', 1)`,
  );
  const addEntries = database.prepare(
    `WITH RECURSIVE place(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM place WHERE at < ?)
     INSERT INTO transcript (session_id, position, run_id, at, kind, message, shown, meta)
     SELECT ?, at, ?, ? + at, 'message', CASE at % 2 WHEN 1 THEN ? ELSE ? END, NULL, '{}' FROM place`,
  );
  const asked = JSON.stringify({ role: 'user', content: WORDS });
  const answered = JSON.stringify({ role: 'assistant', content: [{ type: 'text', text: WORDS }] });
  database.exec('BEGIN');
  for (let session = 0; session < sessions; session++) {
    const at = START + session * 60_000;
    const number = String(session).padStart(9, '0');
    const sessionId = `ses_${at.toString(36).padStart(9, '0')}${number}`;
    const runId = `run_${at.toString(36).padStart(9, '0')}${number}`;
    const agentId = agentOf(session % Math.max(1, agents));
    const key = `agent:${agentId}:webchat:direct:person-${session}`;
    addSession.run(sessionId, key, agentId, at, at + each);
    addRun.run(runId, key, agentId, sessionId, at, at + each);
    if (each > 0) addEntries.run(each, sessionId, runId, at, asked, answered);
  }
  database.exec('COMMIT');
  database.close();
}
