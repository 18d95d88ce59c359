// How AGENTS.md is trimmed: beside its start and its end, the lines that bind (headings, list items, and lines that speak
// of duties, secrets or the way work is handed in) survive as a digest, the strictest first and in the order of the file.
// Pure text work; whether a file gets this treatment is the caller's choice.

import { pairBoundaryAfter, pairBoundaryBefore } from './pair-boundary.ts';
import { renderPieces, type TrimmedText, type TrimPiece } from './trim-piece.ts';

const POLICY_FILE = 'AGENTS.md';

export function isPolicyFile(name: string): boolean {
  return name.length === POLICY_FILE.length && name.toLowerCase() === POLICY_FILE.toLowerCase();
}

const HEAD_SHARE = 0.45;
const TAIL_SHARE = 0.15;
const DIGEST_SHARE = 0.35;

/**
 * `text` is right-trimmed and longer than `cap`. The end gives way first, then the start, then the digest. What a short
 * digest does not need goes to the start and the end.
 */
export function trimWithPolicyDigest(text: string, cap: number): TrimmedText {
  const candidates = findPolicyLines(text);
  let digestRoom = Math.floor(cap * DIGEST_SHARE);
  let digest = selectDigest(candidates, digestRoom);
  let head = Math.floor(cap * HEAD_SHARE);
  let tail = Math.floor(cap * TAIL_SHARE);
  if (digest.omitted === 0) {
    const unused = Math.max(0, cap - lengthOf(arrangePieces(text, head, digest, tail)));
    const forTail = Math.floor((unused * TAIL_SHARE) / (HEAD_SHARE + TAIL_SHARE));
    head += unused - forTail;
    tail += forTail;
  }
  for (;;) {
    const pieces = arrangePieces(text, head, digest, tail);
    const over = lengthOf(pieces) - cap;
    if (over <= 0 || (tail === 0 && head <= 1 && digestRoom === 0)) return renderPieces(text, pieces, cap);
    if (tail > 0) {
      tail = Math.max(0, tail - over);
    } else if (head > 1) {
      head = Math.max(1, head - over);
    } else {
      digestRoom = Math.max(0, digestRoom - over);
      digest = selectDigest(candidates, digestRoom);
    }
  }
}

interface PolicyLine {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly strict: boolean;
}

interface Digest {
  readonly lines: readonly PolicyLine[];
  readonly length: number;
  readonly omitted: number;
}

const LONGEST_DIGEST_LINE = 240;
const STRICT_WORDS = [
  'AGENTS\\.md',
  'scoped',
  'required',
  'must',
  'never',
  'do not',
  'before subtree',
  'read scoped',
  'security',
  'secret',
  'credential',
];
const WORKING_WORDS = ['owner', 'test', 'validation', 'command', 'commit', 'push', 'github', 'pr'];
const STRICT = wholeWords(STRICT_WORDS);
const BINDING = wholeWords([...STRICT_WORDS, ...WORKING_WORDS]);
const HEADING_OR_ITEM = /^(?:#{1,6}|[-*+]|\d+[.)]) \S/;

function wholeWords(words: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${words.join('|')})\\b`, 'i');
}

function findPolicyLines(text: string): readonly PolicyLine[] {
  const found: PolicyLine[] = [];
  for (let start = 0; start <= text.length; ) {
    const lineBreak = text.indexOf('\n', start);
    const next = lineBreak === -1 ? text.length + 1 : lineBreak + 1;
    const end = lineBreak > start && text.charCodeAt(lineBreak - 1) === 13 ? lineBreak - 1 : next - 1;
    const line = clipLine(collapseBlanks(text.slice(start, end).trim()));
    const binding = BINDING.test(line);
    if (binding || HEADING_OR_ITEM.test(line)) {
      found.push({ start, end, text: line, strict: binding && STRICT.test(line) });
    }
    start = next;
  }
  return found;
}

/** Most lines have nothing to collapse, and looking is far cheaper than replacing. */
function collapseBlanks(line: string): string {
  return /[^\S ]| {2}/.test(line) ? line.replace(/\s+/g, ' ') : line;
}

function clipLine(line: string): string {
  if (line.length <= LONGEST_DIGEST_LINE) return line;
  return `${line.slice(0, pairBoundaryBefore(line, LONGEST_DIGEST_LINE - 1))}…`;
}

/** A line is taken when it still fits, so a short one may come in after a long one was passed over. */
function selectDigest(candidates: readonly PolicyLine[], room: number): Digest {
  if (room <= 0) return { lines: [], length: 0, omitted: 0 };
  const chosen = new Set<PolicyLine>();
  let length = 0;
  for (const strict of [true, false]) {
    for (const line of candidates) {
      const cost = line.text.length + (chosen.size > 0 ? 1 : 0);
      if (line.strict !== strict || length + cost > room) continue;
      chosen.add(line);
      length += cost;
    }
  }
  return { lines: candidates.filter((line) => chosen.has(line)), length, omitted: candidates.length - chosen.size };
}

function arrangePieces(text: string, head: number, digest: Digest, tail: number): readonly TrimPiece[] {
  const headEnd = pairBoundaryBefore(text, head);
  const tailStart = pairBoundaryAfter(text, text.length - tail);
  const counts = `${headEnd}+policy ${digest.length}+${text.length - tailStart}`;
  const parts: TrimPiece[] = [
    { kind: 'kept', start: 0, end: headEnd },
    { kind: 'marker', text: `[...truncated, read ${POLICY_FILE} for full content...]` },
    ...(digest.lines.length > 0 ? [{ kind: 'marker', text: `[Policy digest from ${POLICY_FILE}]` } as const] : []),
    ...digest.lines.map(({ start, end, text: line }) => ({ kind: 'digest', start, end, text: line }) as const),
    ...(digest.omitted > 0
      ? [{ kind: 'marker', text: `[...${digest.omitted} more policy lines omitted...]` } as const]
      : []),
    { kind: 'marker', text: `…(truncated ${POLICY_FILE}: kept ${counts} chars of ${text.length})…` },
    { kind: 'kept', start: tailStart, end: text.length },
  ];
  const present = parts.filter((part) => part.kind !== 'kept' || part.end > part.start);
  return present.flatMap((part, i) => (i === 0 ? [part] : [{ kind: 'marker', text: '\n' } as const, part]));
}

function lengthOf(pieces: readonly TrimPiece[]): number {
  return pieces.reduce((sum, piece) => sum + (piece.kind === 'kept' ? piece.end - piece.start : piece.text.length), 0);
}
