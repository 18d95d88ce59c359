// The parts of a request beside the composed prompt that are the same for every message: what plugins add to the system
// prompt, and each tool with its parameters. Snapshots and comparisons treat each of them as a section.

import type { Composition } from '../compose.ts';

export interface RequestSection {
  readonly title: string;
  readonly author: string;
  readonly text: string;
}

/** A piece of a request with its author, as far as its words are known. */
export interface RequestPiece {
  readonly where: 'system' | 'tools' | 'messages';
  readonly index: number;
  readonly origin: string;
  readonly text?: string | undefined;
}

export function requestSections(
  pieces: readonly RequestPiece[],
  { report }: Pick<Composition, 'report'>,
): readonly RequestSection[] {
  // The composed prompt stands in the system blocks in one piece, so its pieces follow each other.
  const composed = report.spans.map(({ text }) => text).join('');
  const system = pieces.filter(({ where }) => where === 'system');
  const start = system
    .map(({ text = '' }) => text)
    .join('')
    .indexOf(composed);
  const end = start === -1 ? -1 : start + composed.length;
  let at = 0;
  const added = system.filter(({ text = '' }) => {
    at += text.length;
    return at - text.length < start || at - text.length >= end;
  });
  return [
    ...added
      .filter(({ text = '' }) => text.trim() !== '')
      .map(
        ({ origin, text = '' }): RequestSection => ({
          title: `System: ${origin}`,
          author: origin,
          text: withBreak(text),
        }),
      ),
    ...toolSections(pieces.filter(({ where }) => where === 'tools')),
  ];
}

/** Tells these sections from those of the prompt by their titles. */
export function isRequestSection({ title }: { readonly title: string }): boolean {
  return title.startsWith('System: ') || title.startsWith('Tool: ');
}

/** The pieces of a tool are its name, its description and its parameters. */
function toolSections(pieces: readonly RequestPiece[]): readonly RequestSection[] {
  return [...new Set(pieces.map(({ index }) => index))].map((index) => {
    const own = pieces.filter((piece) => piece.index === index);
    const [name = '', description = '', parameters = ''] = own.map(({ text = '' }) => text);
    const text = `${description}\n\n${indented(parameters)}`;
    return { title: `Tool: ${name}`, author: own[0]?.origin ?? `tool ${name}`, text: withBreak(text) };
  });
}

/** One parameter a line, so that a difference shows which one changed. */
function indented(parameters: string): string {
  try {
    return JSON.stringify(JSON.parse(parameters), null, 2);
  } catch {
    return parameters;
  }
}

function withBreak(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
