// What composition did, as a typed and versioned object: sizes, authors, cuts, reasons, the cache boundary. Consoles,
// commands and tests read only this. Everything that is not in the prompt has an entry that says why.

import { createHash } from 'node:crypto';
import { type HandlerInfo, STABILITIES } from '../../protocol/handler.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import type { Composition, Prompt } from '../compose.ts';
import type { Absence, CompositionState, Cut, HandlerRecord, Layer } from '../composition.ts';
import { type Rope, ropeLength } from '../provenance/rope.ts';
import { countTokens } from './count-tokens.ts';
import { type ContextChange, findChange } from './find-change.ts';
import { type LocatedOrigin, originOf } from './located-origin.ts';
import { describeRefusal, refusedFiles } from './refused-files.ts';

const REPORT_VERSION = 1;

export interface ContextReport {
  readonly version: typeof REPORT_VERSION;
  readonly situation: {
    readonly agentId?: string | undefined;
    readonly sessionKey?: string | undefined;
    readonly sessionType: string;
    readonly channel?: string | undefined;
    readonly at: string;
    readonly timezone: string;
    readonly workspaceDir: string;
    readonly taxonomy: string;
  };
  readonly prompt: {
    readonly chars: number;
    readonly tokens: number;
    readonly hash: string;
    /** The part that is the same for every session, so that a provider can cache it. */
    readonly stable: { readonly chars: number; readonly tokens: number; readonly hash: string };
  };
  readonly budget: {
    readonly maxChars: number;
    readonly totalMaxChars: number;
    readonly maxTokens?: number | undefined;
    readonly usedChars: number;
  };
  readonly layers: readonly LayerReport[];
  readonly files: readonly FileReport[];
  readonly handlers: readonly HandlerReport[];
  readonly absences: readonly Absence[];
  readonly cuts: readonly Cut[];
  readonly warnings: readonly string[];
  readonly spans: readonly SpanReport[];
  /** Present when a previous composition was given. */
  readonly change?: ContextChange | undefined;
}

export interface LayerReport {
  readonly id: string;
  readonly title: string;
  readonly stability: Layer['stability'];
  /** Where the layer's text stands in the prompt, its heading not counted. */
  readonly start: number;
  readonly end: number;
  readonly chars: number;
  readonly tokens: number;
}

export interface FileReport {
  readonly name: string;
  readonly path: string;
  readonly status: 'injected' | 'trimmed' | 'absent';
  /** Why it is absent, or which limits trimmed it. */
  readonly reason?: string | undefined;
  /** The length on disk. It is absent for files that a handler made. */
  readonly diskChars?: number | undefined;
  /**
   * The hash of what was read, of a file that was trimmed or left out: the report of a run keeps no such text, and this
   * tells later whether the file still says the same.
   */
  readonly textHash?: string | undefined;
  /** The length after handlers and rules, before any trimming. */
  readonly rawChars: number;
  readonly injectedChars: number;
  readonly injectedTokens: number;
}

export interface HandlerReport extends HandlerRecord {
  readonly priority: number;
  readonly stability?: string | undefined;
  readonly authorship: 'handler' | 'rule';
}

export interface SpanReport {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly origin: LocatedOrigin;
}

export function buildReport(state: CompositionState, prompt: Prompt, previous: Composition | undefined): ContextReport {
  const { input } = state;
  const { situation, policy } = input;
  const { layers, spans, tokens, stableTokens, hashes } = factsOf(state, prompt);
  const infos = new Map(input.handlers.list().map((handler): [string, HandlerInfo] => [handler.id, handler]));
  return {
    version: REPORT_VERSION,
    situation: {
      agentId: situation.agentId,
      sessionKey: situation.sessionKey ?? situation.sessionId,
      sessionType: situation.sessionType,
      channel: situation.channel?.provider,
      at: situation.at.toISOString(),
      timezone: situation.timezone,
      workspaceDir: input.workspaceDir,
      taxonomy: input.taxonomy.id,
    },
    prompt: {
      chars: prompt.text.length,
      tokens,
      hash: hashes.whole,
      stable: { chars: prompt.cacheBoundary, tokens: stableTokens, hash: hashes.stable },
    },
    budget: {
      maxChars: policy.maxChars,
      totalMaxChars: policy.totalMaxChars,
      maxTokens: policy.maxTokens,
      usedChars: layers.reduce((sum, layer) => sum + layer.chars, 0),
    },
    layers,
    files: reportFiles(state),
    handlers: state.handlers.map((record) => reportHandler(record, infos.get(record.id))),
    absences: state.absences,
    cuts: state.cuts,
    warnings: [...state.warnings, ...refusedFiles(state.absences).map(describeRefusal)],
    spans,
    ...(previous ? { change: findChange(prompt, hashes.whole, previous, input.handlers.list()) } : {}),
  };
}

/** What a prompt says about itself. */
interface PromptFacts {
  readonly layers: readonly LayerReport[];
  readonly spans: readonly SpanReport[];
  readonly tokens: number;
  readonly stableTokens: number;
  readonly hashes: { readonly whole: string; readonly stable: string };
}

/** A remembered prompt is the same object, so everything that is known about it is the same too. */
const knownFacts = new WeakMap<Prompt, PromptFacts>();

function factsOf({ blocks, layers }: CompositionState, prompt: Prompt): PromptFacts {
  let facts = knownFacts.get(prompt);
  if (!facts) {
    const isStable = ({ stability }: { stability: string }) => stability === 'static';
    const stableTokens = countTokens(blocks.filter(isStable).flatMap((block) => block.rope));
    const changing = blocks.filter((block) => !isStable(block)).flatMap((block) => block.rope);
    facts = {
      layers: reportLayers(layers, prompt.rope),
      spans: reportSpans(prompt.rope),
      tokens: stableTokens + countTokens(changing),
      stableTokens,
      hashes: hashPrompt(prompt),
    };
    knownFacts.set(prompt, facts);
  }
  return facts;
}

/** One pass over the text gives both hashes. */
function hashPrompt(prompt: Prompt): { whole: string; stable: string } {
  const hash = createHash('sha256').update(prompt.text.slice(0, prompt.cacheBoundary));
  const stable = hash.copy().digest('hex');
  return { stable, whole: hash.update(prompt.text.slice(prompt.cacheBoundary)).digest('hex') };
}

/** Lists the layers in the order of the prompt. Rendering announces each layer with its title, so walking from heading to heading finds them all. */
function reportLayers(layers: readonly Layer[], rope: Rope): LayerReport[] {
  let span = 0;
  let at = 0;
  const skipHeading = (title: string): number => {
    for (; span < rope.length; span++) {
      const { text = '', origin } = rope[span] ?? {};
      at += text.length;
      if (origin?.kind === 'product' && origin.part === 'heading' && text.endsWith(`\n## ${title}\n\n`)) break;
    }
    span++;
    return at;
  };
  const inOrder = STABILITIES.flatMap((stability) => layers.filter((layer) => layer.stability === stability));
  return inOrder.map(({ id, title, stability, rope: own }) => {
    const start = skipHeading(title);
    const chars = ropeLength(own);
    return { id, title, stability, start, end: start + chars, chars, tokens: countTokens(own) };
  });
}

/** Files in prompt order, then those of which nothing is left. */
function reportFiles(state: CompositionState): FileReport[] {
  const lifted = liftedLayers(state.layers);
  const causes = cutCauses(state.cuts);
  const present = state.layers
    .filter((layer) => layer.file)
    .map((layer): FileReport => {
      const { name = '', path = '', content, missing, absence, source } = layer.file ?? {};
      const parts = [layer, ...(lifted.get(layer.title) ?? [])];
      const limits = [...new Set([...(causes.get(path) ?? []), ...(causes.get(layer.title) ?? [])])].join(', ');
      return {
        name,
        path,
        status: missing ? 'absent' : limits === '' ? 'injected' : 'trimmed',
        reason: missing ? (absence?.reason ?? 'missing') : limits === '' ? undefined : limits,
        diskChars: source?.text.length,
        ...(limits === '' || missing || !source ? {} : { textHash: hashOfText(source.text) }),
        rawChars: content?.length ?? 0,
        injectedChars: parts.reduce((sum, part) => sum + ropeLength(part.rope), 0),
        injectedTokens: parts.reduce((sum, part) => sum + countTokens(part.rope), 0),
      };
    });
  return [...present, ...absentFiles(state, new Set(present.map((file) => file.path)))];
}

function absentFiles({ absences, input }: CompositionState, seen: Set<string>): FileReport[] {
  // What was left out before composing began is a handler or a hook, even if it has a path.
  const settings = new Set(input.absences);
  const absent: FileReport[] = [];
  for (const absence of absences) {
    const { what, path, reason, text = '' } = absence;
    if (path === undefined || seen.has(path) || settings.has(absence)) continue;
    seen.add(path);
    absent.push({
      name: what,
      path,
      status: 'absent',
      reason,
      ...(text === '' ? {} : { textHash: hashOfText(text) }),
      rawChars: text.length,
      injectedChars: 0,
      injectedTokens: 0,
    });
  }
  return absent;
}

export function hashOfText(text: string): string {
  return sha256Of(text).slice(0, 32);
}

/** By the title of the file that they were lifted out of. */
function liftedLayers(layers: readonly Layer[]): ReadonlyMap<string, readonly Layer[]> {
  const lifted = new Map<string, Layer[]>();
  for (const layer of layers) {
    if (!layer.liftedFrom) continue;
    const others = lifted.get(layer.liftedFrom.file);
    if (others) others.push(layer);
    else lifted.set(layer.liftedFrom.file, [layer]);
  }
  return lifted;
}

/**
 * The causes of the cuts, by the path of the file. A cut in lifted text, which has no path of its own, is found by the title of
 * the file that it was lifted out of.
 */
function cutCauses(cuts: readonly Cut[]): ReadonlyMap<string, ReadonlySet<string>> {
  const causes = new Map<string, Set<string>>();
  for (const { file, path, cause } of cuts) {
    const key = path === file ? file.slice(0, file.lastIndexOf(' (')) : path;
    const known = causes.get(key);
    if (known) known.add(cause);
    else causes.set(key, new Set([cause]));
  }
  return causes;
}

function reportHandler(record: HandlerRecord, info: HandlerInfo | undefined): HandlerReport {
  return {
    ...record,
    priority: info?.priority ?? 0,
    stability: info?.stability,
    authorship: info?.authorship ?? 'handler',
  };
}

function reportSpans(rope: Rope): SpanReport[] {
  let start = 0;
  return rope.map((span) => {
    const end = start + span.text.length;
    const report = { text: span.text, start, end, origin: originOf(span) };
    start = end;
    return report;
  });
}
