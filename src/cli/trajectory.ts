// `atrium export-trajectory` writes what is recorded about a session into a folder, and `atrium trajectory open` reads
// such a folder, on any machine.

import { resolve } from 'node:path';
import { trajectoryPlaceOf } from '../config/debug-logs.ts';
import { loadConfig } from '../config/load-config.ts';
import { storePlaceOf } from '../config/store-place.ts';
import { peekTokenFile } from '../config/token-file.ts';
import type { BundledRun } from '../gateway/bundle/bundle-format.ts';
import type { ExportedBundle, ExportRequest } from '../gateway/bundle/export-session.ts';
import { exportsDir } from '../gateway/bundle/exports-dir.ts';
import type { OpenedBundle } from '../gateway/bundle/open-bundle.ts';
import { BadFlagError } from '../gateway/errors.ts';
import { countOf } from '../protocol/count-of.ts';
import type { CliIo } from './cli-io.ts';
import { type Answer, type CliCommand, command } from './command.ts';
import { BundledRunUnknownError, BundledRunUnreadableError, FlagCombinationError } from './errors.ts';
import { askRunning, path } from './gateway/gateway-client.ts';
import { type Columns, formatFacts, formatTable } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { formatList, line } from './output/text.ts';
import { parseBundledRun } from './parse-bundled-run.ts';
import { checkSession } from './replay/check-session.ts';
import { failedHook, formatRun } from './run.ts';
import { suggestId } from './suggest-id.ts';

export const TRAJECTORY_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'export-trajectory',
    printsTimes: true,
    summary: 'write everything that is recorded about a session into a folder',
    options: {
      '--session <key>': 'the key of the session',
      '--sessionKey <key>': 'the same, as OpenClaw spells it',
      '--out <dir>': 'make the folder in this one (default: <state>/exports)',
      '--no-redact': 'keep what looks like a secret, and every request byte for byte',
    },
    examples: ['export-trajectory --session agent:main:main', 'export-trajectory --session agent:main:main --out .'],
    notes: 'Works while the gateway is down. The folder is private; look through it before you hand it on.',
    async run({ session, sessionKey, out, redact }, { io }) {
      const key = keyOf(session, sessionKey);
      const { cwd } = io.environment;
      const asked = { isRedacted: redact, ...(out !== undefined && { parent: resolve(cwd, out) }) };
      const running = await askRunning(io, (client) =>
        client.post<ExportedBundle>(path`/api/sessions/${key}/export`, asked).catch(async (error) => {
          throw await suggestId(error, [key], client);
        }),
      );
      const made = running ?? (await exportFromStore({ ...asked, sessionKey: key }, io));
      return { json: made, text: formatExport(made) };
    },
  }),
  command({
    path: 'trajectory open',
    printsTimes: true,
    summary: 'read a folder that export-trajectory wrote: check its files, list its runs, show one',
    args: { '<bundle>': 'a folder that "atrium export-trajectory" has written' },
    options: { '--run <id>': 'show this run, or the "last" one, as "atrium run show" does' },
    examples: [
      'trajectory open trajectory-agent_main_main-…',
      'trajectory open ./bundle --run run_0mh3k9q2x4f8c1d07a5be',
    ],
    notes:
      'Needs neither a gateway nor a configuration. Exit code: 0 when every file is as it was written, 1 when one is not.',
    async run({ bundle: given, run }, { io }) {
      const { openBundle } = await import('../gateway/bundle/open-bundle.ts');
      const bundle = await openBundle(resolve(io.environment.cwd, given));
      return run === undefined ? showBundle(bundle, io) : showRun(bundle, run, io);
    },
  }),
];

function keyOf(session: string | undefined, sessionKey: string | undefined): string {
  const key = session ?? sessionKey;
  if (session !== undefined && sessionKey !== undefined && session !== sessionKey)
    throw new FlagCombinationError({ problem: '--session and --sessionKey name two sessions. Give one of them.' });
  if (key === undefined)
    throw new FlagCombinationError({
      problem: 'Say which session with --session KEY. "atrium sessions list" shows the keys.',
    });
  if (key.trim() === '') throw new BadFlagError({ flag: '--session', value: key, expected: 'the key of a session' });
  return key;
}

/** While no gateway runs, no other process writes, so the store can be read as it is. */
async function exportFromStore(
  request: Omit<ExportRequest, 'parent'> & { readonly parent?: string },
  io: CliIo,
): Promise<ExportedBundle> {
  const { environment } = io;
  const { stateDir } = environment;
  const [{ openStore }, { exportSession }, { createRedactor }] = await Promise.all([
    import('../store/open-store.ts'),
    import('../gateway/bundle/export-session.ts'),
    import('../gateway/parts/create-redactor.ts'),
  ]);
  // A configuration that cannot be read must not keep a person from their records.
  const loaded = await loadConfig({ environment }).catch(() => {
    if (request.isRedacted)
      io.err(
        'atrium: The configuration cannot be read, so keys that stand in it and what logging.redactPatterns means are not hidden.\n',
      );
    return { config: {}, added: [] };
  });
  const { config } = loaded;
  const store = await openStore(storePlaceOf(environment, config), { readOnly: true });
  try {
    await checkSession(store, request.sessionKey);
    const trajectoryDir = trajectoryPlaceOf(environment, config).dir;
    const redactor = await createRedactor(environment, loaded);
    redactor.know([(await peekTokenFile(stateDir)) ?? '']);
    const parts = { store, trajectoryDir, redactor, now: () => io.now().getTime() };
    return await exportSession(parts, { parent: exportsDir(stateDir), ...request });
  } finally {
    await store.close();
  }
}

function formatExport({ dir, runs, isRedacted, missing }: ExportedBundle): string {
  const secrets = isRedacted ? 'What looks like a secret was removed.' : 'Nothing was removed: it may hold secrets.';
  return [
    line(`${countOf(runs, 'run')} written to ${dir}`),
    line(`${secrets} Read it with: atrium trajectory open ${dir}`),
    formatList('Not kept any more', missing),
  ].join('');
}

function showBundle({ dir, manifest, problems }: OpenedBundle, io: CliIo): Answer {
  const { timezone } = io.environment;
  const { versions, runs, files } = manifest;
  const columns: Columns<BundledRun> = {
    run: ({ runId }) => runId,
    status: ({ status }) => status,
    began: ({ startedAt }) => timeOf(startedAt, timezone),
    seconds: ({ startedAt, endedAt }) => (endedAt === null ? '-' : ((endedAt - startedAt) / 1_000).toFixed(1)),
  };
  const facts = formatFacts([
    ['session', manifest.sessionKey],
    [
      'made',
      `${manifest.createdAt} by Atrium ${versions.atrium} (Node ${versions.node}, ${versions.platform} ${versions.arch})`,
    ],
    ['secrets', manifest.isRedacted ? 'removed where they were recognised' : 'NOT removed'],
    [
      'files',
      `${countOf(files.length, 'file')}, ${problems.length === 0 ? 'all as they were written' : `${problems.length} with a problem`}`,
    ],
  ]);
  const wrong = problems.map(({ path: name, problem }) => `${name}: ${problem}`);
  return {
    json: { dir, ...manifest, problems },
    text: (width) =>
      `${facts}${runs.length === 0 ? '' : `\n${formatTable(runs, columns, width)}`}${formatList('Missing or changed', wrong)}${formatList('Not kept any more when it was made', manifest.missing)}`,
    ok: problems.length === 0,
  };
}

async function showRun(bundle: OpenedBundle, runId: string, io: CliIo): Promise<Answer> {
  const { manifest, problems, read } = bundle;
  const run = runId === 'last' ? manifest.runs.at(-1) : manifest.runs.find((each) => each.runId === runId);
  if (!run) throw new BundledRunUnknownError({ run: runId });
  const file = `${run.dir}/run.json`;
  const text = await read(file);
  const told = text === undefined ? undefined : await parseBundledRun(text);
  if (!told) throw new BundledRunUnreadableError({ run: runId, file });
  const failures = told.hooks.filter(({ outcome }) => outcome !== 'done').map(failedHook);
  const wrong = problems.filter((each) => each.path.startsWith(`${run.dir}/`));
  const files = manifest.files.map(({ path: name }) => name).filter((name) => name.startsWith(`${run.dir}/`));
  return {
    json: { ...told, files, problems: wrong },
    text: (width) =>
      [
        formatRun(told, told.spent, io.environment.timezone, width),
        formatList('Handlers that failed', failures),
        formatList('Files', files),
        formatList(
          'Missing or changed',
          wrong.map(({ path: name, problem }) => `${name}: ${problem}`),
        ),
      ].join(''),
    ok: wrong.length === 0,
  };
}

/** A time from a bundle may be any number. */
function timeOf(ms: number, timezone: string): string {
  return Math.abs(ms) <= 8.64e15 ? formatTime(ms, timezone) : '-';
}
