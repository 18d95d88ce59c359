// What composition did, as a typed and versioned object: sizes, authors, cuts, reasons, the cache boundary. Consoles,
// commands and tests read this and nothing else; whatever is not in the prompt has an entry that says why.

import { createHash } from 'node:crypto';
import type { HandlerInfo } from '../../protocol/handler.ts';
import type { Composition, Prompt } from '../compose.ts';
import type { Absence, CompositionState, Cut, HandlerRecord, Layer } from '../composition.ts';
import { linesOf } from '../provenance/line-index.ts';
import type { Origin } from '../provenance/origin.ts';
import { type Rope, ropeLength } from '../provenance/rope.ts';
import { countTokens } from './count-tokens.ts';
import { type ContextChange, findChange } from './find-change.ts';

export const REPORT_VERSION = 1;

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
    /** The part that is the same for every session, which is what a provider can cache. */
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
  readonly stability: string;
  readonly chars: number;
  readonly tokens: number;
}

export interface FileReport {
  readonly name: string;
  readonly path: string;
  readonly status: 'injected' | 'trimmed' | 'absent';
  readonly reason?: string | undefined;
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
  readonly origin: Origin & { readonly lines?: readonly [number, number] };
}

export function buildReport(state: CompositionState, prompt: Prompt, previous: Composition | undefined): ContextReport {
  const { input } = state;
  const { situation, policy } = input;
  const stableRope = state.blocks.filter((block) => block.stability === 'static').flatMap((block) => block.rope);
  const changingRope = state.blocks.filter((block) => block.stability !== 'static').flatMap((block) => block.rope);
  const stableTokens = countTokens(stableRope);
  const hashes = hashPrompt(prompt);
  const infos = new Map(input.handlers.list().map((handler): [string, HandlerInfo] => [handler.id, handler]));
  const files = reportFiles(state);
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
      tokens: stableTokens + countTokens(changingRope),
      hash: hashes.whole,
      stable: { chars: prompt.cacheBoundary, tokens: stableTokens, hash: hashes.stable },
    },
    budget: {
      maxChars: policy.maxChars,
      totalMaxChars: policy.totalMaxChars,
      maxTokens: policy.maxTokens,
      usedChars: files.reduce((sum, file) => sum + file.injectedChars, 0),
    },
    layers: state.layers.map(reportLayer),
    files,
    handlers: state.handlers.map((record) => reportHandler(record, infos.get(record.id))),
    absences: state.absences,
    cuts: state.cuts,
    warnings: state.warnings,
    spans: reportSpans(prompt.rope),
    ...(previous ? { change: findChange(prompt, hashes.whole, previous, state) } : {}),
  };
}

/** One pass over the text gives both hashes. */
function hashPrompt(prompt: Prompt): { whole: string; stable: string } {
  const hash = createHash('sha256').update(prompt.text.slice(0, prompt.cacheBoundary));
  const stable = hash.copy().digest('hex');
  return { stable, whole: hash.update(prompt.text.slice(prompt.cacheBoundary)).digest('hex') };
}

function reportLayer(layer: Layer): LayerReport {
  return {
    id: layer.id,
    title: layer.title,
    stability: layer.stability,
    chars: ropeLength(layer.rope),
    tokens: countTokens(layer.rope),
  };
}

/** Files in prompt order, then those of which nothing is left. */
function reportFiles(state: CompositionState): FileReport[] {
  const cutFiles = new Set(state.cuts.map((cut) => cut.path));
  const present = state.layers
    .filter((layer) => layer.file)
    .map((layer): FileReport => {
      const { name = '', path = '', content, missing, absence } = layer.file ?? {};
      const parts = state.layers.filter((other) => other === layer || other.liftedFrom?.file === layer.title);
      return {
        name,
        path,
        status: missing ? 'absent' : cutFiles.has(path) ? 'trimmed' : 'injected',
        reason: missing ? (absence?.reason ?? 'missing') : undefined,
        rawChars: content?.length ?? 0,
        injectedChars: parts.reduce((sum, part) => sum + ropeLength(part.rope), 0),
        injectedTokens: parts.reduce((sum, part) => sum + countTokens(part.rope), 0),
      };
    });
  const shown = new Set(present.map((file) => file.path));
  const absent = state.absences
    .filter((absence) => absence.path !== undefined && !shown.has(absence.path))
    .map((absence): FileReport => {
      const { what, path = '', reason, text = '' } = absence;
      return { name: what, path, status: 'absent', reason, rawChars: text.length, injectedChars: 0, injectedTokens: 0 };
    });
  return [...present, ...absent];
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
    const lines = linesOf(span);
    const report = { text: span.text, start, end, origin: lines ? { ...span.origin, lines } : span.origin };
    start = end;
    return report;
  });
}
