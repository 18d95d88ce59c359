// What a pack declares about itself under `metadata.openclaw`: its events, what it needs from the machine, and how its
// bootstrap handler is to be run. Unusable declarations are left out and reported; the reader never guesses.

import { type OnError, STABILITIES, type Stability } from '../../protocol/handler.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { errorText } from '../../protocol/one-line.ts';

/** What a pack or a skill needs from the machine. */
export interface MachineNeeds {
  /** Ignores `requires`, but never `os`. */
  readonly always?: boolean | undefined;
  readonly os?: readonly string[] | undefined;
  readonly requires?: HookRequirements | undefined;
}

export interface HookMetadata extends MachineNeeds {
  readonly emoji?: string;
  readonly homepage?: string;
  readonly hookKey?: string;
  /** The named export that is the handler, instead of the default one. */
  readonly export?: string;
  readonly events: readonly string[];
  readonly install?: readonly HookInstall[];
  /**
   * The following fields are for handlers of agent:bootstrap, except `timeoutMs`, which holds for all. A field that is
   * not declared stays undefined, because the code that registers the handler knows the defaults.
   */
  readonly priority?: number;
  readonly stability?: Stability;
  readonly onError?: OnError;
  readonly timeoutMs?: number;
}

export interface HookRequirements {
  readonly bins: readonly string[];
  readonly anyBins: readonly string[];
  readonly env: readonly string[];
  readonly config: readonly string[];
}

export interface HookInstall {
  readonly kind: 'bundled' | 'npm' | 'git';
  readonly id?: string;
  readonly label?: string;
  readonly bins?: readonly string[];
  readonly package?: string;
  readonly repository?: string;
}

export interface MetadataProblem {
  readonly code:
    | 'metadata-unreadable'
    | 'metadata-section-missing'
    | 'metadata-field-invalid'
    | 'metadata-field-unknown';
  readonly message: string;
}

export interface ParsedHookMetadata {
  readonly metadata: HookMetadata | undefined;
  readonly problems: readonly MetadataProblem[];
}

/** Takes the text of the front matter's `metadata` value. */
export async function parseHookMetadata(text: string | undefined): Promise<ParsedHookMetadata> {
  if (text === undefined || text === '') return { metadata: undefined, problems: [] };
  let root: unknown;
  try {
    root = await parseJson5(text);
  } catch (error) {
    const reason = errorText(error);
    const message = `metadata is not valid JSON5 (${reason}), so this hook listens to nothing`;
    return { metadata: undefined, problems: [{ code: 'metadata-unreadable', message }] };
  }
  const section = findSection(root);
  if (!section) {
    const message = 'metadata has no object "openclaw", so this hook listens to nothing';
    return { metadata: undefined, problems: [{ code: 'metadata-section-missing', message }] };
  }
  const problems: MetadataProblem[] = [];
  return { metadata: readMetadata(section, problems), problems };
}

/** `openclaw`, or the name that the oldest packs use. */
const SECTION_NAMES = ['openclaw', 'clawdbot'];
const INSTALL_KINDS = ['bundled', 'npm', 'git'] as const;
const ON_ERROR = ['skip', 'abort'] as const;
const FIELDS = [
  'always',
  'emoji',
  'homepage',
  'hookKey',
  'export',
  'os',
  'events',
  'requires',
  'install',
  'priority',
  'stability',
  'onError',
  'timeoutMs',
];

/** Plain JSON is the common case, and then the other parser need not be loaded. */
export async function parseJson5(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const { default: json5 } = await import('json5');
    return json5.parse(text);
  }
}

/** The part of a front matter's `metadata` that speaks of OpenClaw. */
export function findSection(root: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof root !== 'object' || root === null) return undefined;
  for (const name of SECTION_NAMES) {
    const section: unknown = Object.hasOwn(root, name) ? (root as Record<string, unknown>)[name] : undefined;
    if (typeof section === 'object' && section !== null) return section as Record<string, unknown>;
  }
  return undefined;
}

function readMetadata(section: Readonly<Record<string, unknown>>, problems: MetadataProblem[]): HookMetadata {
  const install = readInstalls(section.install);
  for (const field of Object.keys(section)) {
    const meant = FIELDS.includes(field) ? undefined : nearMatch(field, FIELDS);
    if (meant === undefined) continue;
    problems.push({ code: 'metadata-field-unknown', message: `unknown field "${field}"; did you mean "${meant}"?` });
  }
  return withoutUndefined({
    ...readMachineNeeds(section),
    emoji: readString(section.emoji),
    homepage: readString(section.homepage),
    hookKey: readString(section.hookKey),
    export: readString(section.export),
    events: readList(section.events),
    install: install.length > 0 ? install : undefined,
    priority: readDeclared(section, 'priority', isFiniteNumber, 'a number', problems),
    stability: readDeclared(section, 'stability', isOneOf(STABILITIES), `one of ${STABILITIES.join(', ')}`, problems),
    onError: readDeclared(section, 'onError', isOneOf(ON_ERROR), `one of ${ON_ERROR.join(', ')}`, problems),
    timeoutMs: readDeclared(section, 'timeoutMs', isPositiveNumber, 'a number of milliseconds above 0', problems),
  });
}

export function readMachineNeeds(section: Readonly<Record<string, unknown>>): MachineNeeds {
  const os = readList(section.os);
  const { always, requires } = section;
  return {
    always: typeof always === 'boolean' ? always : undefined,
    os: os.length > 0 ? os : undefined,
    requires: typeof requires === 'object' && requires !== null ? readRequirements({ ...requires }) : undefined,
  };
}

function readRequirements(requires: Readonly<Record<string, unknown>>): HookRequirements {
  return {
    bins: readList(requires.bins),
    anyBins: readList(requires.anyBins),
    env: readList(requires.env),
    config: readList(requires.config),
  };
}

function readInstalls(value: unknown): HookInstall[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null) return [];
    const raw = item as Record<string, unknown>;
    const word = (readString(raw.kind) ?? readString(raw.type) ?? '').trim().toLowerCase();
    const kind = INSTALL_KINDS.find((known) => known === word);
    if (!kind) return [];
    const bins = readList(raw.bins);
    return [
      withoutUndefined({
        kind,
        id: readString(raw.id),
        label: readString(raw.label),
        bins: bins.length > 0 ? bins : undefined,
        package: readString(raw.package),
        repository: readString(raw.repository),
      }),
    ];
  });
}

/** A list of any values, or a text with commas. */
function readList(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return items.map((item) => toText(item).trim()).filter((item) => item !== '');
}

/** `String` throws on an object that has an unusable toString of its own. */
function toText(item: unknown): string {
  try {
    return String(item);
  } catch {
    return Object.prototype.toString.call(item);
  }
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readDeclared<Value>(
  section: Readonly<Record<string, unknown>>,
  field: string,
  accepts: (value: unknown) => value is Value,
  expected: string,
  problems: MetadataProblem[],
): Value | undefined {
  const value = section[field];
  if (value === undefined || accepts(value)) return value;
  const message = `"${field}" must be ${expected}, found ${JSON.stringify(value)}; the default applies`;
  problems.push({ code: 'metadata-field-invalid', message });
  return undefined;
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isPositiveNumber(value: unknown): value is number {
  return isFiniteNumber(value) && value > 0;
}

function isOneOf<Word extends string>(words: readonly Word[]): (value: unknown) => value is Word {
  return (value): value is Word => words.some((word) => word === value);
}

/** Keys without a value are left out, so that two readings of the same declaration are equal. */
function withoutUndefined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
