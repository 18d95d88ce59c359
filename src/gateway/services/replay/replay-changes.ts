// What a person asks to be different in a replay, as changes of a request: authors that are left out, other texts for
// files, another configuration. A name is looked for among the handlers, rules, plugins and files of the run.

import { isAbsolute, join } from 'node:path';
import type { RequestChanges } from '../../../agent/replay-request.ts';
import type { RequestFrame } from '../../../agent/request-frame.ts';
import type { Environment } from '../../../config/environment.ts';
import type { Config } from '../../../config/schema.ts';
import type { BootstrapHandler } from '../../../context/bootstrap-handlers.ts';
import type { CompositionRecord } from '../../../context/replay/composition-record.ts';
import type { CalledHandlers } from '../../../context/replay/replay-composition.ts';
import { CachedFileSource } from '../../../context/sources/file-source.ts';
import { canonicalFileName, TAXONOMIES } from '../../../context/taxonomy.ts';
import type { BootstrapRegistration } from '../../composer/bootstrap-registry.ts';
import { BUNDLED_OWNER, bundledHandlers } from '../../composer/bundled-handlers.ts';
import { contextPolicyOf } from '../../composer/context-policy.ts';
import { ruleHandlers } from '../../composer/rule-handlers.ts';

export interface AskedChanges {
  /** Names of handlers, rules, plugins and files. */
  readonly without: readonly string[];
  /** New texts by the name or path of a file. */
  readonly files: ReadonlyMap<string, string>;
  readonly config?: OtherConfig | undefined;
}

export interface OtherConfig {
  readonly config: Config;
  /** Relative paths in the configuration start here. */
  readonly configDir: string;
  readonly environment: Environment;
}

export function isUnchanged({ without, files, config }: AskedChanges): boolean {
  return without.length === 0 && files.size === 0 && config === undefined;
}

export function replayChanges(asked: AskedChanges, record: CompositionRecord): RequestChanges {
  const names = new Set(asked.without);
  const left = new Set(asked.without.map((name) => pathOf(name, record)));
  const texts = new Map([...asked.files].map(([name, text]) => [pathOf(name, record), text]));
  return {
    composition: {
      isLeftOut: (handler) => namesOf(handler).some((name) => names.has(name)),
      fileTexts: (path) => texts.get(path) ?? (left.has(path) ? null : undefined),
      ...(asked.config && configured(asked.config, record)),
    },
    isLeftOut: (origin) => ownersOf(origin).some((owner) => names.has(owner)),
  };
}

/** The names of files that this run neither had nor missed, so that a new text for them changes nothing. */
export function unknownFiles(names: Iterable<string>, { inputs }: RequestFrame): readonly string[] {
  if (!inputs) return [];
  const { composition: record } = inputs;
  const paths = new Set([
    ...record.files.map(({ path }) => path),
    ...record.skills.map(({ path }) => path),
    ...record.handlers.flatMap(pathsOf),
  ]);
  return [...names].filter((name) => !paths.has(pathOf(name, record)));
}

/** The names that match no author of this run's request. */
export function unknownNames(names: readonly string[], { inputs, spans }: RequestFrame): readonly string[] {
  if (!inputs) return [];
  const { composition: record } = inputs;
  const paths = new Set([
    ...record.files.filter(({ text }) => text !== undefined).map(({ path }) => path),
    ...record.skills.map(({ path }) => path),
    ...record.handlers.flatMap(pathsOf),
  ]);
  const known = new Set([...record.handlers.flatMap(namesOf), ...spans.flatMap(({ origin }) => ownersOf(origin))]);
  return names.filter((name) => !known.has(name) && !paths.has(pathOf(name, record)));
}

/** The plugins that have written something in this run, so that one of them can be left out. */
export function pluginsIn({ spans }: Pick<RequestFrame, 'spans'>): readonly string[] {
  return [...new Set(spans.flatMap(({ origin }) => ownersOf(origin)))];
}

function pathsOf({ left = [] }: CompositionRecord['handlers'][number]): readonly string[] {
  return left.flatMap((file) =>
    typeof file === 'number'
      ? []
      : (file.edits ?? []).flatMap(({ parts }) => parts.flatMap(({ from }) => from?.path ?? [])),
  );
}

/** `rule:quiet` is also called `quiet`, and `hook:greeter` is also called `greeter`. */
function namesOf({ id, owner }: { readonly id: string; readonly owner: string }): readonly string[] {
  return [id, id.replace(/^(?:rule|hook):/, ''), owner];
}

/** The plugins in the name of an author: `before_prompt_build of guard`, `tool weather of skies`. */
function ownersOf(origin: string): readonly string[] {
  const owners = /^(?:injection|tool \S+|[a-z_]+) of (.+)$/.exec(origin)?.[1];
  return owners === undefined ? [] : owners.split(', ');
}

/** A name alone is a file of the workspace. */
function pathOf(name: string, { workspaceDir, home, taxonomy }: CompositionRecord): string {
  if (isAbsolute(name)) return name;
  if (name.startsWith('~/')) return join(home, name.slice(2));
  return join(workspaceDir, name.includes('/') ? name : canonicalFileName(TAXONOMIES[taxonomy], name));
}

/**
 * Atrium's own handlers and the rules are called again with the other settings; what others did is done again as it was.
 */
function configured(
  { config, configDir, environment }: OtherConfig,
  { situation, taxonomy, workspaceDir }: CompositionRecord,
): Pick<RequestChanges['composition'], 'policy' | 'called'> {
  const ci = situation.sessionType === 'ci';
  const switchable = [
    ...bundledHandlers({ config, environment, ci }),
    ...ruleHandlers({ config, configDir, environment, workspaceDir }),
  ];
  const called: CalledHandlers = {
    handlers: switchable.filter(({ enabled }) => enabled).map(({ registration }) => handlerOf(registration)),
    replaces: ({ owner, authorship }) => owner === BUNDLED_OWNER || authorship === 'rule',
    disk: new CachedFileSource(),
  };
  return { policy: contextPolicyOf(config, situation.agentId ?? '', TAXONOMIES[taxonomy], environment), called };
}

function handlerOf(registration: BootstrapRegistration): BootstrapHandler {
  const { id, owner, priority = 0, stability, authorship = 'handler', handler } = registration;
  return { id, owner, priority, stability, authorship, onError: 'skip', timeoutMs: 0, handler };
}
