// `atrium store show`: where everything is stored, and how much of it there is.

import { withConfigVariables } from '../../config/config-variables.ts';
import { loadConfig } from '../../config/load-config.ts';
import { storePlaceOf } from '../../config/store-place.ts';
import type { TableFacts } from '../../gateway/move-installation.ts';
import { formatBytes } from '../../protocol/attachment.ts';
import { command } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { type Columns, formatFacts, formatTable } from '../output/format-table.ts';
import { line } from '../output/text.ts';

export const storeShow = command({
  path: 'store show',
  summary: 'say where everything is stored, in which version, and how much there is',
  options: CONFIG_OPTION,
  examples: ['store show', 'store show --json | jq .tables'],
  notes: 'It reads beside a gateway that may run. Exit code: 1 when there is no store yet.',
  async run({ config: configPath }, { io }) {
    const loaded = await loadConfig({ environment: io.environment, configPath });
    const environment = withConfigVariables(io.environment, loaded);
    const place = storePlaceOf(environment, loaded.config);
    const { lookAtPlace } = await import('../../gateway/move-installation.ts');
    const found = await lookAtPlace(environment, place);
    if (!found || found.version === 0) {
      const where = found?.place ?? (place.kind === 'sqlite' ? `sqlite ${place.file}` : 'the database');
      const text = `There is no store at ${where} yet. "atrium start" makes it.`;
      return { json: { place: where, version: 0 }, text: line(text), ok: false };
    }
    const rows = found.tables.reduce((sum, table) => sum + table.rows, 0);
    const facts = formatFacts([
      ['store', found.place],
      ['kind', found.kind],
      ['version', `${found.version} of its tables`],
      ['rows', rows.toLocaleString('en-US')],
      ['bytes', formatBytes(found.bytes)],
      [
        'files',
        `${found.files.count.toLocaleString('en-US')}, ${formatBytes(found.files.bytes)}, in ${found.files.place}`,
      ],
    ]);
    const filled = found.tables.filter((table) => table.rows > 0);
    return {
      json: { ...found, rows },
      text: (width) => (filled.length === 0 ? facts : `${facts}\n${formatTable(filled, COLUMNS, width)}`),
    };
  },
});

const COLUMNS: Columns<TableFacts> = { table: (row) => row.table, rows: (row) => row.rows };
