// Why a request does not begin with the bytes of an earlier one: who changed the first byte that differs, whether an input
// of the request explains it, and what can be done. The words at the place say who wrote them; what was recorded with both
// requests says whether that input really changed. It is pure.

import { isAbsolute, relative } from 'node:path';
import type { RequestSpan } from '../../../agent/request-draft.ts';
import type { RequestFrame } from '../../../agent/request-frame.ts';
import type { CompositionRecord } from '../../../context/replay/composition-record.ts';
import type { PromptText } from '../../../recorder/cache-prefix.ts';
import { authorOfSpan, isSystemPiece, type PromptAuthor, promptAuthorAt } from './prompt-author.ts';
import type { Parting } from './shared-prefix.ts';

export const BREAK_CAUSES = [
  'file',
  'handler',
  'rule',
  'plugin',
  'tool',
  'tool-order',
  'session-kind',
  'settings',
  'compaction',
  'withdrawn',
  'images',
  'message',
  'model',
  'atrium',
  'unknown',
] as const;
export type BreakCause = (typeof BREAK_CAUSES)[number];

export interface BreakVerdict {
  readonly cause: BreakCause;
  /** Names the author for people: `AGENTS.md`, `handler time-context`, `tool exec added`. */
  readonly author: string;
  /** The line of the file that was changed. */
  readonly line?: number | undefined;
  /** True when an input changed, so that no request could have shared more; false when the break was needless. */
  readonly isInput: boolean;
  /** What an operator can do about it. */
  readonly next?: string | undefined;
}

/** A request, with what was recorded about it. */
export interface KnownRequest {
  readonly pieces: readonly PromptText[];
  /** Undefined when what was recorded with it is gone. */
  readonly frame?: RequestFrame | undefined;
  readonly spans: readonly RequestSpan[];
}

/** What happened to the conversation between the two requests. */
export interface ConversationFacts {
  readonly wasCompacted: boolean;
  /** The messages of the earlier run were taken out of the conversation when it had ended. */
  readonly wasWithdrawn: boolean;
  /** The provider had refused the images of the earlier request. */
  readonly wereImagesHidden: boolean;
}

export function judgeBreak(
  before: KnownRequest,
  now: KnownRequest,
  parting: Parting,
  facts: ConversationFacts,
): BreakVerdict {
  if (parting.path.startsWith('tools')) return judgeTools(before, now, parting);
  const place = authorsAt(before, now, parting);
  const piece = (parting.foundIn === 'before' ? before : now).pieces[parting.piece];
  return piece && isSystemPiece(piece) ? judgeSystem(before, now, parting, place) : judgeTalk(place, facts);
}

interface Place {
  readonly was: PromptAuthor | undefined;
  readonly is: PromptAuthor | undefined;
  /** The one of the two who is behind the change. */
  readonly author: PromptAuthor | undefined;
}

function authorsAt(before: KnownRequest, now: KnownRequest, { piece, char, foundIn }: Parting): Place {
  const was = foundIn === 'now' ? undefined : promptAuthorAt(before.pieces, before.spans, { piece, char });
  const is = foundIn === 'before' ? undefined : promptAuthorAt(now.pieces, now.spans, { piece, char });
  return { was, is, author: whoChanged(before, now, { was, is, piece, char }) };
}

/**
 * The writer of the words that are there now, unless these are only there because the words of another writer are gone.
 * Where Atrium's own words are there now (a heading, a separator), a text before them has ended earlier, or a text behind
 * them is new or gone.
 */
function whoChanged(
  before: KnownRequest,
  now: KnownRequest,
  { was, is, piece, char }: Omit<Place, 'author'> & { readonly piece: number; readonly char: number },
): PromptAuthor | undefined {
  if (was && was.kind !== 'atrium' && !isIn(now, was)) return was;
  if (is && is.kind !== 'atrium') return is;
  if (was && was.kind !== 'atrium') return was;
  const [gone, here] = [nextAuthor(before, piece, char), nextAuthor(now, piece, char)];
  if (gone && !isIn(now, gone)) return gone;
  return here ?? gone ?? is ?? was;
}

/** The first author behind a place whose words are not Atrium's own. */
function nextAuthor(request: KnownRequest, piece: number, char: number): PromptAuthor | undefined {
  const { text = '' } = request.pieces[piece] ?? {};
  for (let at = char; at < text.length; at += STEP) {
    const author = promptAuthorAt(request.pieces, request.spans, { piece, char: at });
    if (author?.kind !== 'atrium') return author;
  }
  return undefined;
}

/** Headings are short, so a few places behind the first are enough to leave them. */
const STEP = 8;

/** Whether any words of this author are in the request. */
function isIn({ spans }: KnownRequest, { kind, name, of }: PromptAuthor): boolean {
  return spans.some((span) => {
    const author = authorOfSpan(span);
    return author.kind === kind && author.name === name && author.of === of;
  });
}

function judgeTools(before: KnownRequest, now: KnownRequest, { piece }: Parting): BreakVerdict {
  const [old, fresh] = [toolsOf(before), toolsOf(now)];
  const [gone, here] = [old[piece], fresh[piece]];
  const isNew = here && !old.some(({ name }) => name === here.name);
  const isGone = gone && !fresh.some(({ name }) => name === gone.name);
  const told = (tool: ToolPiece, what: string): BreakVerdict => ({
    cause: 'tool',
    author: `tool ${tool.name}${ownerOf(isGone ? before : now, tool.name)} ${what}`,
    isInput: true,
  });
  if (isNew) return told(here, 'added');
  if (isGone) return told(gone, 'removed');
  if (here && here.name === gone?.name) return told(here, 'changed');
  return {
    cause: 'tool-order',
    author: 'atrium: the order of the tools',
    isInput: false,
    next: 'The same tools were written down in another order. This is a fault of Atrium: please report it.',
  };
}

interface ToolPiece {
  readonly name: string;
}

function toolsOf({ pieces }: KnownRequest): readonly ToolPiece[] {
  return pieces
    .filter(({ path }) => path.startsWith('tools'))
    .map(({ text }) => {
      const tool = JSON.parse(text) as { readonly name?: string; readonly function?: { readonly name?: string } };
      return { name: tool.name ?? tool.function?.name ?? '' };
    });
}

function ownerOf({ spans }: KnownRequest, name: string): string {
  const origin = spans.find(({ where, origin: by }) => where === 'tools' && by.startsWith(`tool ${name} of `))?.origin;
  return origin ? origin.slice(`tool ${name}`.length) : '';
}

function judgeTalk({ was, is, author }: Place, facts: ConversationFacts): BreakVerdict {
  if (facts.wasCompacted) {
    return {
      cause: 'compaction',
      author: 'compaction',
      isInput: true,
      next: 'A compaction tells the conversation anew once. If it happens often, give compaction more room, or a model with a larger window.',
    };
  }
  if (facts.wereImagesHidden) return { cause: 'images', author: 'images that the provider refused', isInput: true };
  // Words that a plugin shows in one run only are gone in the next one.
  const plugin = [was, is].find((each) => each?.kind === 'plugin');
  if (plugin) {
    return {
      cause: 'plugin',
      author: describeAuthor(plugin),
      isInput: false,
      next: 'It changes words of a message that was sent before. Words that a plugin puts at the end of the newest message break nothing.',
    };
  }
  if (facts.wasWithdrawn)
    return { cause: 'withdrawn', author: 'a run without news, taken out of the conversation', isInput: true };
  if (!author) return UNKNOWN;
  const isOfClient = [was, is].some((each) => each?.name.endsWith('as the client told it'));
  return { cause: 'message', author: describeAuthor(author), isInput: isOfClient };
}

function judgeSystem(before: KnownRequest, now: KnownRequest, parting: Parting, { author }: Place): BreakVerdict {
  if (!author) return UNKNOWN;
  const old = before.frame?.inputs?.composition;
  const fresh = now.frame?.inputs?.composition;
  const name = describeAuthor(author, now.frame?.report.situation.workspaceDir);
  const line = author.line === undefined ? {} : { line: author.line };
  switch (author.kind) {
    case 'file':
      return judgeFile(before, now, author, name);
    case 'handler':
    case 'rule':
      if (author.of !== undefined) return { cause: 'file', author: name, ...line, isInput: true };
      return judgeHandler(now.frame ?? before.frame, author, name, isBehindBoundary(before, parting));
    case 'plugin':
      return {
        cause: 'plugin',
        author: name,
        isInput: false,
        next: 'It writes other words into the system prompt from run to run, so that the conversation behind them is read anew. Words for one run belong to the message: prependContext or appendContext.',
      };
    default:
      if (old && fresh && JSON.stringify(old.policy) !== JSON.stringify(fresh.policy))
        return { cause: 'settings', author: 'the settings of the context', isInput: true };
      return {
        cause: 'atrium',
        author: name,
        isInput: false,
        next: 'These are words of Atrium. They change when Atrium is updated; otherwise, please report it.',
      };
  }
}

function judgeFile(before: KnownRequest, now: KnownRequest, author: PromptAuthor, name: string): BreakVerdict {
  const [old, fresh] = [before.frame, now.frame];
  const { line } = author;
  const isEdited: BreakVerdict = {
    cause: 'file',
    author: name,
    ...(line === undefined ? {} : { line }),
    isInput: true,
  };
  if (!old?.inputs || !fresh?.inputs) return isEdited;
  const changed = changedFiles(old, fresh);
  if (changed.includes(author.name)) return isEdited;
  const policies = [old, fresh].map(({ inputs }) => JSON.stringify(inputs?.composition.policy));
  if (policies[0] !== policies[1]) return { cause: 'settings', author: 'the settings of the context', isInput: true };
  const absent = [old, fresh]
    .flatMap(({ report }) => report.absences)
    .find(({ path, reason }) => path === author.name && BY_SESSION.has(reason));
  if (absent) return { cause: 'session-kind', author: `${name} (${absent.reason})`, isInput: true };
  const workspaceDir = fresh.report.situation.workspaceDir;
  const isCut = [old, fresh].some(({ report }) => report.cuts.length > 0);
  const [other] = isCut ? changed : [];
  // The words of one file may be cut to make room for another.
  if (other !== undefined)
    return { cause: 'file', author: describeAuthor({ kind: 'file', name: other }, workspaceDir), isInput: true };
  return { cause: 'atrium', author: `${name}, although the file was not changed`, isInput: false };
}

const BY_SESSION: ReadonlySet<string> = new Set(['filtered-session', 'private-surface', 'disabled']);

/** The paths of files that did not say the same, or were in one of the two only. */
function changedFiles(old: RequestFrame, fresh: RequestFrame): readonly string[] {
  const [was, is] = [textsOf(old), textsOf(fresh)];
  return [...new Set([...was.keys(), ...is.keys()])].filter((path) => was.get(path) !== is.get(path));
}

function textsOf({ inputs, texts = [] }: RequestFrame): ReadonlyMap<string, string> {
  const { files = [], skills = [] }: Partial<CompositionRecord> = inputs?.composition ?? {};
  return new Map<string, string>([
    ...files.flatMap(({ path, text }) => (text === undefined ? [] : [[path, texts[text] ?? ''] as const])),
    ...skills.map((skill) => [skill.path, JSON.stringify(skill)] as const),
  ]);
}

function judgeHandler(
  frame: RequestFrame | undefined,
  { kind, name: id }: PromptAuthor,
  name: string,
  isBehind: boolean,
): BreakVerdict {
  const cause = kind === 'rule' ? 'rule' : 'handler';
  if (isBehind) {
    return {
      cause,
      author: name,
      isInput: true,
      next:
        id === 'time-context'
          ? undefined
          : 'It stands behind the cache boundary, as it should, but the conversation behind it is read anew each time it changes.',
    };
  }
  const stability = frame?.report.handlers.find(({ id: each }) => each === id || each === `rule:${id}`)?.stability;
  return { cause, author: name, isInput: false, next: nextForHandler(id, stability) };
}

function nextForHandler(id: string, stability: string | undefined): string {
  if (id === 'time-context')
    return 'It is set to inline, before the cache boundary. Without bootstrap.hooks.time-context.inline it stands behind it.';
  if (stability === 'static')
    return 'It declares itself static and writes other words from run to run. Declare stability "session" or "run", and append or prepend the words whole.';
  if (stability === undefined)
    return 'It does not say how often its words change. Declare stability "session" or "run", and they are put behind the cache boundary.';
  return `It declares stability "${stability}", but weaves its words into a file, where they have to stay. Append or prepend them whole.`;
}

/** Whether the place is behind the part of the system prompt that is the same for every session. */
function isBehindBoundary({ frame, pieces }: KnownRequest, { piece, char }: Parting): boolean {
  const system = pieces.findIndex(isSystemPiece);
  if (!frame || system === -1) return false;
  return piece > system || char >= boundaryChar(pieces[system]?.text ?? '', frame);
}

/** Where in the JSON of the first system block the stable part ends. */
export function boundaryChar(text: string, { system }: Pick<RequestFrame, 'system'>): number {
  const stable = system.find(({ cacheBoundary }) => cacheBoundary)?.text;
  if (stable === undefined) return 0;
  const written = JSON.stringify(stable).slice(1, -1);
  const start = text.indexOf(written);
  return start === -1 ? text.length : start + written.length;
}

export function describeAuthor(author: PromptAuthor, workspaceDir?: string | undefined): string {
  const { kind, name, of } = author;
  switch (kind) {
    case 'file':
      return shortPath(name, workspaceDir);
    case 'handler':
    case 'rule':
      return of === undefined ? `${kind} ${name}` : `${kind} ${name}, ${shortPath(of, workspaceDir)}`;
    case 'plugin':
      return `plugin ${of}, ${name}`;
    case 'tool':
    case 'tool-result':
      return `tool ${name}${of === undefined ? '' : ` of ${of}`}`;
    case 'atrium':
      return `atrium: ${name}`;
    default:
      return name;
  }
}

function shortPath(path: string, workspaceDir: string | undefined): string {
  if (workspaceDir === undefined || !isAbsolute(path)) return path;
  const way = relative(workspaceDir, path);
  return way === '' || way.startsWith('..') || isAbsolute(way) ? path : way;
}

const UNKNOWN: BreakVerdict = {
  cause: 'unknown',
  author: 'unknown',
  isInput: false,
  next: 'What was recorded with one of the two requests is not kept any more, or an older version of Atrium recorded it.',
};
