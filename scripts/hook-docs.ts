// The parts of docs/hooks.md and docs/lifecycle.md that are made from the code: the catalog's rows, the fields of each
// hook as the types have them, and what fires when. `npm run docs:hooks` writes them between their marks; a test keeps
// the files and this equal. The prose around them is written by hand.

import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { FACT_CATALOG, type FactRow } from '../src/facts/catalog.ts';
import { HOOK_PATHS, type HookPath } from '../src/gateway/doctor/hook-paths.ts';
import { HOOK_CATALOG, HOOK_PLACES, type HookName, type HookRow } from '../src/hooks/catalog.ts';

export interface GeneratedPart {
  readonly file: string;
  /** The name in its marks. */
  readonly mark: string;
  /** What writes it. Default `docs:hooks`. */
  readonly command?: string;
  readonly text: string;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export function generateHookDocs(): readonly GeneratedPart[] {
  const [hooks, lifecycle] = [here('../docs/hooks.md'), here('../docs/lifecycle.md')];
  return [
    { file: hooks, mark: 'hook tables', text: hookTables() },
    { file: hooks, mark: 'hook fields', text: hookFields() },
    { file: lifecycle, mark: 'fact table', text: factTable() },
    { file: lifecycle, mark: 'hook paths', text: hookPaths() },
  ];
}

/** The document with the text between the marks replaced. Throws where the marks are missing. */
export function replacePart(document: string, { file, mark, command = 'docs:hooks', text }: GeneratedPart): string {
  const [from, to] = [`<!-- ${mark}: npm run ${command} -->\n`, `\n<!-- end of ${mark} -->`];
  const [start, end] = [document.indexOf(from), document.indexOf(to)];
  if (start < 0 || end < start) throw new Error(`${file} has no part between "${from.trim()}" and "${to.trim()}".`);
  return `${document.slice(0, start + from.length)}\n${text}${document.slice(end)}`;
}

function hookTables(): string {
  const rows = pluginRows();
  return HOOK_PLACES.map((place) => {
    const own = rows.filter(([, row]) => row.place === place).map(([name, row]) => rowOf(name, row));
    const titles = [
      'hook',
      'what its handlers do',
      'kind',
      'event',
      'result',
      'time limit',
      'when a handler fails',
      'permission',
    ];
    return `### ${place}\n\n${tableOf(titles, own)}`;
  }).join('\n');
}

/** Events of hook packs have a table of their own, which is written by hand. */
function pluginRows(): readonly (readonly [string, HookRow])[] {
  return Object.entries<HookRow>(HOOK_CATALOG).filter(([, { audience }]) => audience === undefined);
}

function rowOf(name: string, row: HookRow): readonly string[] {
  const kind = row.awaited ? `${row.kind}, awaited` : row.sync ? `${row.kind}, plain values` : row.kind;
  const fields = Object.entries(row.combine).map(([field, combinator]) => `\`${field}\`: ${combinator}`);
  const failure = {
    skip: row.kind === 'observe' ? 'recorded' : 'its change is dropped',
    refuse: 'the gate stays closed',
    'refuse-if-policy': 'its change is dropped; a policy refuses',
  }[row.onFailure];
  const limit = `${row.deadlineMs / 1_000} s`;
  const result = fields.join(', ') || 'nothing';
  return [`\`${name}\``, row.summary, kind, `\`${row.event}\``, result, limit, failure, row.permission];
}

function hookFields(): string {
  const types = readHookTypes();
  const common = new Set(types.common);
  const rows = types.hooks.map(({ hook, event, context, result }) => [
    `\`${hook}\``,
    listOf(event),
    contextFields(
      hook,
      context.filter((field) => !common.has(field)),
    ),
    listOf(result),
  ]);
  const intro = `Every context has ${listOf(types.common.map((field) => field.replace('?', '')))}, each where it is known.`;
  return `${intro}\n\n${tableOf(['hook', 'in the event', 'in the context besides', 'in the answer'], rows)}`;
}

/** `channelId` means two things, and the row of the hook says which. */
function contextFields(hook: string, fields: readonly string[]): string {
  const { channelId }: HookRow = HOOK_CATALOG[hook as HookName];
  return listOf(fields).replace('`channelId?`', `\`channelId?\` (the ${channelId})`);
}

interface FieldsOfHook {
  readonly hook: string;
  readonly event: readonly string[];
  readonly context: readonly string[];
  readonly result: readonly string[];
}

/** Fields with a question mark behind those that may be missing, in the order in which the types name them. */
function readHookTypes(): { readonly common: readonly string[]; readonly hooks: readonly FieldsOfHook[] } {
  const files = [here('../src/hooks/hook-types.ts'), here('../src/hooks/hook-context.ts')];
  const program = ts.createProgram(files, {
    strict: true,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    lib: ['lib.es5.d.ts'],
    types: [],
  });
  const checker = program.getTypeChecker();
  const typeOf = (file: string, name: string): ts.Type => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const found = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
    if (!found) throw new Error(`${file} exports no ${name}.`);
    return checker.getDeclaredTypeOfSymbol(found);
  };
  const fieldsOf = (type: ts.Type): readonly string[] =>
    type.isUnion() && type.types.every((each) => each.getProperties().length > 0)
      ? [...new Set(type.types.flatMap((each) => fieldsOf(each)))]
      : type
          .getProperties()
          // Of what only the compiler sees, handlers see nothing.
          .filter(({ name }) => !name.startsWith('__@'))
          .map((property) => `${property.name}${property.flags & ts.SymbolFlags.Optional ? '?' : ''}`);
  const [types = '', context = ''] = files;
  const byHook = new Map(
    typeOf(types, 'HookTypes')
      .getProperties()
      .map((hook) => [hook.name, checker.getTypeOfSymbol(hook)]),
  );
  const partOf = (hook: string, part: string): readonly string[] => {
    const property = byHook.get(hook)?.getProperty(part);
    return property ? fieldsOf(checker.getNonNullableType(checker.getTypeOfSymbol(property))) : [];
  };
  return {
    common: fieldsOf(typeOf(context, 'HookContext')),
    hooks: pluginRows().map(([hook, { combine }]) => ({
      hook,
      event: partOf(hook, 'event'),
      context: partOf(hook, 'context'),
      // What else a result has is filled in by the runner, and not a handler's to say.
      result: partOf(hook, 'result').filter((field) => Object.hasOwn(combine, field.replace('?', ''))),
    })),
  };
}

function factTable(): string {
  const isAwaited = (hook: HookName) => (HOOK_CATALOG[hook] as HookRow).awaited === true;
  const named = (hook: HookName, waits = isAwaited(hook)) => `\`${hook}\`${waits ? ' \\*' : ''}`;
  const sites = (word: string, list: readonly string[] = []) =>
    list.length === 0 ? [] : [`${word} ${list.map((site) => `\`${site}\``).join(', ')}`];
  const rows = Object.entries<FactRow<never>>(FACT_CATALOG).map(
    ([fact, { summary, when, hook, pack, live, record }]) => [
      `\`${fact}\``,
      summary,
      [...sites('after', when.after), ...sites('before', when.before)].join('; ') || 'at any time',
      record ? `\`${record.type}\`` : '',
      live ? `\`${live.type}\`` : '',
      hook ? named(hook.name, isAwaited(hook.name) || hook.isAwaited === true) : '',
      (pack?.names ?? []).map((name) => named(name)).join(', '),
    ],
  );
  return tableOf(['fact', 'what happened', 'told', 'record', 'live frame', 'hook', 'event of hook packs'], rows);
}

function hookPaths(): string {
  const order = Object.keys(HOOK_CATALOG);
  const rows = Object.entries<HookPath>(HOOK_PATHS).map(([path, { what, hooks, events }]) => {
    const inOrder = Object.entries(hooks).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
    return [path, what, timesOf(inOrder), timesOf(Object.entries(events))];
  });
  return tableOf(['path', 'what happens', 'hooks', 'events of hook packs'], rows);
}

function timesOf(counts: readonly (readonly [string, number])[]): string {
  return counts.map(([name, times]) => `\`${name}\`${times === 1 ? '' : ` ×${times}`}`).join(', ') || 'none';
}

function listOf(fields: readonly string[]): string {
  return fields.map((field) => `\`${field}\``).join(', ') || 'nothing';
}

function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, titles.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
