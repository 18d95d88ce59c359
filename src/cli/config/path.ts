// `atrium config path`: the files that make up the configuration.

import { listConfigPaths } from '../../config/config-files.ts';
import { loadConfig } from '../../config/load-config.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { command } from '../command.ts';
import { CONFIG_OPTION } from '../common-options.ts';
import { line } from '../output/text.ts';

export const configPath = command({
  path: 'config path',
  summary: 'print the files that make up the configuration, the weakest first',
  options: CONFIG_OPTION,
  examples: ['config path', 'config path --json    with the file that commands write to'],
  notes: 'Where there is none yet, it prints the file that commands would write. Exit code: 1 then, 0 otherwise.',
  async run({ config }, { io: { environment } }) {
    const location = { environment, configPath: config };
    const files = await namesOf(location);
    const [first = environment.configPath] = listConfigPaths(location);
    const shown = files.length === 0 ? [first] : files;
    return { json: { files, write: shown.at(-1) }, text: shown.map(line).join(''), ok: files.length > 0 };
  },
});

/** A file that cannot be used is still a file that somebody wants to find. */
async function namesOf(location: Parameters<typeof loadConfig>[0]): Promise<readonly string[]> {
  try {
    return (await loadConfig(location)).files.map(({ path }) => path);
  } catch (error) {
    if (!isAtriumError(error)) throw error;
    const { access } = await import('node:fs/promises');
    const found = await Promise.all(
      listConfigPaths(location).map((file) =>
        access(file).then(
          () => [file],
          () => [],
        ),
      ),
    );
    return found.flat();
  }
}
