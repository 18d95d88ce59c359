// `atrium import openclaw`: conversations, jobs and approved people of an OpenClaw home, brought into the store. It needs
// the state directory for itself, so a running gateway has to be stopped; a dry run only reads beside it.

import { stat } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import { loadConfig } from '../config/load-config.ts';
import { storePlaceOf } from '../config/store-place.ts';
import { resolveUserPath } from '../config/user-path.ts';
import { BadFlagError } from '../gateway/errors.ts';
import type { FoundRow, ImportReport, ImportRow } from '../gateway/import/import-openclaw.ts';
import { countOf } from '../protocol/count-of.ts';
import type { StorePlace } from '../protocol/store-place.ts';
import type { CliIo } from './cli-io.ts';
import { command } from './command.ts';
import { CONFIG_OPTION } from './common-options.ts';
import { type Columns, formatTable, outputWidth } from './output/format-table.ts';
import { line } from './output/text.ts';

export const importOpenClawCommand = command({
  path: 'import openclaw',
  summary: 'bring along conversations, jobs and approved people of OpenClaw',
  options: {
    '--from <dir>': 'the home of OpenClaw; without it, the state directory',
    '--dry-run': 'read everything and say what would be brought, and write nothing',
    ...CONFIG_OPTION,
  },
  examples: ['import openclaw --dry-run', 'import openclaw', 'import openclaw --from /mnt/old/.openclaw'],
  notes: `Nothing of OpenClaw is changed. It can be run again: what was brought is not brought twice, and conversations that have
grown are continued. Stop the gateway first, and OpenClaw, whose jobs would otherwise run in both.

Exit code: 0 when everything that was found is here, 1 when something was left or could not be read; the notes say what and why. 2 when the folder is no
home of OpenClaw.`,
  async run({ from, dryRun = false, config: configPath, json }, { io }) {
    const { environment } = io;
    const dir = from === undefined ? environment.stateDir : resolveUserPath(from, environment.home, environment.cwd);
    const isFolder = await stat(dir).then(
      (facts) => facts.isDirectory(),
      () => false,
    );
    if (!isFolder) throw new BadFlagError({ flag: '--from', value: dir, expected: 'a folder that exists' });
    const { config } = await loadConfig({ environment, configPath });
    const { isOpenClawHome } = await import('../gateway/import/has-openclaw-state.ts');
    if (!(await isOpenClawHome({ dir, environment, config }))) {
      const expected = 'a home of OpenClaw, which holds openclaw.json or the folder agents (often ~/.openclaw)';
      throw new BadFlagError({ flag: '--from', value: dir, expected });
    }
    const { findRunningOpenClaw } = await import('../gateway/import/find-running-openclaw.ts');
    const { importOpenClaw } = await import('../gateway/import/import-openclaw.ts');
    const { store, close } = await openTarget(io, storePlaceOf(environment, config), dryRun);
    try {
      const running = await findRunningOpenClaw(config, environment.variables);
      const warnings =
        running === undefined
          ? []
          : [
              `warning: OpenClaw is running at ${running}. Stop it before you start the gateway: both would answer on the same chat accounts and run the same jobs, and what is said there from now on is not here.`,
            ];
      const report = await importOpenClaw({
        store,
        config,
        environment,
        from: dir,
        isDryRun: dryRun,
        now: () => io.now().getTime(),
        mostChars: getHeapStatistics().heap_size_limit / HEAP_FOR_EACH_CHARACTER,
        found: (rows) => {
          if (!json) io.out(`${line(dir)}${formatTable(rows, FOUND, outputWidth(io))}\n`);
        },
        progress: progressLine(io),
      });
      return {
        json: report,
        text: (width) => formatReport(report, width),
        warnings,
        ok: report.unread === 0 && report.rows.every(({ left }) => left === 0),
      };
    } finally {
      await close();
    }
  },
});

async function openTarget(io: CliIo, place: StorePlace, isDryRun: boolean) {
  if (isDryRun) {
    const { openForReading } = await import('../gateway/composer/open-for-reading.ts');
    const store = await openForReading(place);
    return { store, close: () => store.close() };
  }
  const { openState } = await import('../gateway/parts/open-state.ts');
  const { store, lock } = await openState(io.environment, place);
  const close = async () => {
    await store.close();
    await lock.release();
  };
  return { store, close };
}

const FOUND: Columns<FoundRow> = { found: (row) => row.what, number: (row) => row.found, plan: (row) => row.plan };

const DONE: Columns<ImportRow> = {
  what: (row) => row.what,
  brought: (row) => row.brought,
  continued: (row) => row.grown,
  'here already': (row) => row.unchanged,
  left: (row) => row.left,
};

function formatReport({ rows, notes, furtherNotes, isDryRun }: ImportReport, width: number): string {
  const told = notes.map(({ place, sentence }) => `  ${line(`${place}: ${sentence}`)}`).join('');
  const further = furtherNotes === 0 ? '' : `  and ${countOf(furtherNotes, 'further note')}\n`;
  const verdict = isDryRun
    ? 'Nothing was written. Without --dry-run it is done.'
    : 'Done. Nothing of OpenClaw was changed.';
  return `${formatTable(rows, DONE, width)}${told === '' ? '' : `\nnotes:\n${told}${further}`}\n${line(verdict)}`;
}

/** A bar on the error stream of a terminal; a log is spared it. */
function progressLine({ err, isTerminal }: CliIo): ((done: number, all: number) => void) | undefined {
  if (!isTerminal) return undefined;
  return (done, all) => {
    if (all < PROGRESS_STEP || (done % PROGRESS_STEP !== 0 && done !== all)) return;
    const filled = Math.round((done / all) * BAR_WIDTH);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
    err(`\r${bar} ${done} of ${all} conversations${done === all ? '\n' : ''}`);
  };
}

/** What a character of a conversation takes while its rows are made, measured at four bytes, with room for other alphabets. */
const HEAP_FOR_EACH_CHARACTER = 8;
const PROGRESS_STEP = 50;
const BAR_WIDTH = 24;
