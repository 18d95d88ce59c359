// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such texts are what people write into the configuration.

// `atrium store migrate`: moves everything that is stored, with the files of messages, to a database or to a file.

import { withConfigVariables } from '../../config/config-variables.ts';
import { loadConfig } from '../../config/load-config.ts';
import { parseConfigPath } from '../../config/parse-config-path.ts';
import { storePlaceOf } from '../../config/store-place.ts';
import type { FoundTarget, MovedInstallation, PlaceFacts } from '../../gateway/move-installation.ts';
import { formatBytes } from '../../protocol/attachment.ts';
import { countOf } from '../../protocol/count-of.ts';
import { docsCommand } from '../../protocol/documents.ts';
import type { CliIo } from '../cli-io.ts';
import { type Answer, command } from '../command.ts';
import { EDITED_CONFIG_OPTION } from '../common-options.ts';
import { FlagCombinationError } from '../errors.ts';
import { type Columns, formatTable } from '../output/format-table.ts';
import { createProgress } from '../output/progress.ts';
import { line } from '../output/text.ts';
import { commandFor, type SettingForPlace, targetPlaceOf } from './target-place.ts';

export const storeMigrate = command({
  path: 'store migrate',
  summary: 'move everything that is stored to a database, or back to a file',
  options: {
    '--to <place>': {
      text: 'postgres://…, sqlite (the file of the state directory), or the path of a file',
      isRequired: true,
    },
    '--schema <name>': 'the schema of the tables in the database; without it, atrium',
    '--dry-run': 'say what would be moved, and change nothing',
    '--use': 'when all is there, set the configuration so that the next start uses it',
    ...EDITED_CONFIG_OPTION,
  },
  examples: [
    "store migrate --to 'postgres://atrium:${ATRIUM_DB_PASSWORD}@db.internal/atrium' --dry-run",
    "store migrate --to 'postgres://atrium:${ATRIUM_DB_PASSWORD}@db.internal/atrium' --use",
    'store migrate --to sqlite --use',
  ],
  notes: `Stop the gateway first, on both sides. The old store is only read, and stays as it is. A move that was interrupted goes on where it stopped
when the same command is run again. Nothing is called done before both sides were compared by counts and hashes. "${docsCommand('scale')}" has more.

Exit code: 0 when everything is there, 1 when a file of a message was damaged before and is therefore not there, 2 when it was not done.`,
  async run({ to, schema, dryRun = false, use = false, config: configPath, json }, { io }) {
    if (use && dryRun) throw new FlagCombinationError({ problem: '--use and --dry-run do not go together.' });
    const loaded = await loadConfig({ environment: io.environment, configPath });
    const environment = withConfigVariables(io.environment, loaded);
    const from = storePlaceOf(environment, loaded.config);
    const { place, setting } = targetPlaceOf({ to, schema }, environment, loaded.config);
    const moving = await import('../../gateway/move-installation.ts');
    if (use && 'stateDirFile' in setting)
      throw new FlagCombinationError({
        problem: `--use goes with the file ${setting.stateDirFile} or a database; no setting names another file.`,
      });
    if (dryRun) {
      const found = await moving.lookAtPlace(environment, from);
      const target = await moving.lookAtMove({ environment, from, to: place });
      return dryAnswer(found, target);
    }
    const progress = createProgress(io);
    const report = await moving
      .moveInstallation({
        environment,
        from,
        to: place,
        progress: ({ doing, what, done, all }) => json || progress.tell({ what: `${doing} ${what}`, done, all }),
      })
      .finally(() => progress.end());
    const wrote = use ? await writePlace(io, configPath, setting) : undefined;
    return answerOf(report, setting, wrote);
  },
});

const MOVED: Columns<{ readonly table: string; readonly rows: number; readonly hash: string }> = {
  table: (row) => row.table,
  rows: (row) => row.rows,
  'hash on both sides': (row) => row.hash.slice(0, 16),
};

function answerOf(report: MovedInstallation, setting: SettingForPlace, wrote: string | undefined): Answer {
  const { tables, files, from, to } = report;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const { line: next, note } = commandFor(setting);
  const sentences = [
    `Moved ${countOf(rows, 'row')} and ${countOf(files.moved, 'file')} from ${from} to ${to}. Both sides have the same counts and hashes.`,
    ...files.damaged.map((hash) => `The file ${hash} was damaged before, and is not there.`),
    `The old store is unchanged. Remove it yourself when you do not need it any more.`,
    ...(wrote === undefined
      ? [`Nothing uses the new place yet.${next ? ' A gateway does after:' : ''}`, ...(next ? [`  ${next}`] : [])]
      : [wrote]),
    ...(wrote === undefined && note ? [note] : []),
  ];
  return {
    json: { from, to, tables, files, ...(wrote === undefined ? { next: next ?? note } : { wrote }) },
    text: (width) =>
      `${formatTable(
        tables.filter((table) => table.rows > 0),
        MOVED,
        width,
      )}\n${sentences.map((each) => (each.startsWith('  ') ? `${each}\n` : line(each))).join('')}`,
    ok: files.damaged.length === 0,
  };
}

const PLANNED: Columns<{ readonly what: string; readonly number: number }> = {
  'would be moved': (row) => row.what,
  number: (row) => row.number,
};

function dryAnswer(found: PlaceFacts | undefined, target: FoundTarget): Answer {
  const tables = (found?.tables ?? []).filter(({ rows }) => rows > 0);
  const rows = [
    ...tables.map(({ table, rows: number }) => ({ what: `rows of ${table}`, number })),
    ...((found?.files.count ?? 0) > 0 ? [{ what: 'files of messages', number: found?.files.count ?? 0 }] : []),
  ];
  const size = found
    ? `${found.place} takes ${formatBytes(found.bytes)}, its files ${formatBytes(found.files.bytes)}.`
    : 'There is no store yet.';
  const verdict = {
    empty: 'The other place is empty.',
    begun: 'The other place has a part of this store already; the move would go on there.',
    'not empty': 'The other place has rows of its own, so nothing could be moved there.',
    'the same place': 'That is the place where the store is, so there is nothing to move.',
  }[target.is];
  return {
    json: { from: found ?? null, target },
    text: (width) =>
      `${rows.length === 0 ? '' : `${formatTable(rows, PLANNED, width)}\n`}${line(size)}${line(`${verdict} Nothing was moved.`)}`,
    ok: target.is === 'empty' || target.is === 'begun',
  };
}

/** Sets what makes a gateway use the place. Returns the sentence that says so. */
async function writePlace(io: CliIo, configPath: string | undefined, setting: SettingForPlace): Promise<string> {
  const { writeSetting, removeSetting } = await import('../../gateway/settings/change-setting.ts');
  const location = { environment: io.environment, configPath };
  if ('set' in setting) {
    const at = parseConfigPath(setting.set) ?? [];
    const { file } = await writeSetting({ location, at }, setting.value);
    return `Wrote ${setting.set} to ${file}. The next start uses the new place.`;
  }
  const { file } = await removeSetting({ location, at: parseConfigPath('store.url') ?? [] });
  return `Took store.url out of ${file}. The next start uses the new place.`;
}
