// `atrium doctor --hooks`: tries every hook handler of the operator's configuration and says of each whether it fired.

import { loadConfig } from '../../config/load-config.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import type { HookTrial, TriedHandler } from '../../gateway/doctor/try-hooks.ts';
import { countOf } from '../../protocol/count-of.ts';
import { OWN_MODULES } from '../../public/own-modules.ts';
import type { CliIo } from '../cli-io.ts';
import type { Answer } from '../command.ts';
import { type Columns, listText } from '../output/format-table.ts';
import { formatList } from '../output/text.ts';

/** The answer is negative when a handler failed or did not fire, or a plugin could not be loaded. */
export async function doctorHooks(config: string | undefined, io: CliIo): Promise<Answer> {
  const { environment } = io;
  const configPath = config === undefined ? undefined : resolveUserPath(config, environment.home, environment.cwd);
  const loaded = await loadConfig({ environment, configPath });
  const { tryHooks } = await import('../../gateway/doctor/try-hooks.ts');
  const trial = await tryHooks({
    environment,
    loaded,
    configPath,
    modules: OWN_MODULES,
  });
  const isEveryPluginThere = trial.absent.every(({ state }) => state !== 'failed');
  const ok = trial.handlers.every(isFine) && isEveryPluginThere && trial.faults.length === 0;
  const text = (width: number) => formatTrial(trial, width);
  return { json: { ok, ...trial }, text, ok };
}

/**
 * A handler that would fire only at a time that the trial does not reach is fine. One that will never be called is not:
 * its author believes that it works.
 */
function isFine({ verdict, state, isExpected, canFire }: TriedHandler): boolean {
  return verdict === 'fired' || (verdict === 'silent' && state === 'armed' && !isExpected && canFire);
}

function formatTrial({ absent, faults, paths, notes, ...trial }: HookTrial, width: number): string {
  const owners = [...new Set(trial.handlers.map(({ owner }) => owner))];
  const handlers = owners.flatMap((owner) => trial.handlers.filter((each) => each.owner === owner));
  const isOnly = ({ hook, owner }: TriedHandler) =>
    handlers.filter((each) => each.hook === hook && each.owner === owner).length === 1;
  const columns: Columns<TriedHandler> = {
    owner: ({ owner }) => owner,
    hook: (each) => (isOnly(each) ? each.hook : `${each.hook} (${each.id})`),
    calls: ({ calls }) => calls,
    verdict: verdictOf,
  };
  const table = listText(handlers, columns, 'No handler is registered.')(width);
  const parts = [`Tried: ${paths.join(', ')}.\n\n`, table];
  const reasons = [
    ...handlers.flatMap(({ hook, owner, reason }) => (reason === null ? [] : [`${hook} of ${owner}: ${reason}`])),
    ...absent.map(({ owner, state, reason }) => `the plugin ${owner} is ${state}: ${reason}`),
    ...faults,
  ];
  parts.push(formatList('Why not', reasons), formatList('Notes', notes));
  const wrong = handlers.filter((each) => !isFine(each)).length;
  const failed = absent.filter(({ state }) => state === 'failed').length;
  parts.push(
    wrong + failed + faults.length === 0
      ? '\nEvery handler that should fire does.\n'
      : `\n${countOf(wrong + faults.length, 'handler')} and ${countOf(failed, 'plugin')} need a look.\n`,
  );
  return parts.join('');
}

function verdictOf({ verdict, state }: TriedHandler): string {
  return verdict === 'silent' ? `did not fire (${state})` : verdict;
}
