// `edit`: replaces one text by another in a file of the workspace. The old text must occur exactly once, unless all of
// its places are meant, so that an edit never changes an unexpected place. The file keeps its kind of line ends.

import { namedPaths, openContainedFile, openContainedTarget } from './contained-path.ts';
import { ToolEditMatchError, ToolFileUnusableError, ToolInputError } from './errors.ts';
import { MAX_TEXT_BYTES, readWholeText } from './file-text.ts';
import { replaceFile } from './replace-file.ts';
import type { Tool } from './tool.ts';
import type { WriteToolOptions } from './write.ts';

interface EditParams {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: boolean;
}

export function createEditTool({ writes, home, withheldOf }: WriteToolOptions): Tool {
  return {
    name: 'edit',
    description:
      'Replace a text in a file of the workspace by another. oldText must match exactly, blanks and line ends included, and occur once; set replaceAll to change every place.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the workspace.' },
        oldText: { type: 'string', minLength: 1, description: 'The text to find, exactly as it stands in the file.' },
        newText: { type: 'string', description: 'The text to put in its place; empty to remove it.' },
        replaceAll: { type: 'boolean', description: 'Change every place where oldText occurs. False by default.' },
      },
      required: ['path', 'oldText', 'newText'],
      additionalProperties: false,
    },
    idempotent: false,
    derivedPaths: (params) => namedPaths(params, home),
    async run(params, context) {
      const { workspaceDir, signal } = context;
      const edit = params as unknown as EditParams;
      const { path } = edit;
      if (edit.oldText === edit.newText) {
        throw new ToolInputError({
          tool: 'edit',
          problems: ['oldText and newText are the same, so that nothing would change.'],
        });
      }
      const place = { workspaceDir, home, withheld: await withheldOf?.(context) };
      const { replacements, line } = await writes.run(workspaceDir, async () => {
        signal.throwIfAborted();
        const file = await openContainedFile(place, path);
        const before = await readWholeText(path, file).finally(() => file.handle.close());
        const edited = editText(before, edit);
        const target = await openContainedTarget(place, path, { createFolders: false });
        try {
          await replaceFile(target, path, edited.text, { signal, expected: file.stats });
        } finally {
          await target.folder.close();
        }
        return edited;
      });
      const places = replacements === 1 ? `at line ${line}` : `in ${replacements} places, the first at line ${line}`;
      return { content: `Edited ${path} ${places}.`, details: { path, replacements, line } };
    },
  };
}

interface EditedText {
  readonly text: string;
  readonly replacements: number;
  /** Where the first replacement begins, counted from 1. */
  readonly line: number;
}

function editText(before: string, { path, oldText, newText, replaceAll = false }: EditParams): EditedText {
  // Models write bare line feeds whatever the file has, so a file that ends all its lines with both gets both.
  const hasBoth = before.includes('\r\n');
  const asWritten = { old: oldText, next: newText };
  const withBoth = { old: bothEnds(oldText), next: bothEnds(newText) };
  const candidates = !hasBoth ? [asWritten] : hasBareLineFeed(before) ? [asWritten, withBoth] : [withBoth];
  for (const { old, next } of candidates) {
    const pieces = before.split(old);
    const matches = pieces.length - 1;
    if (matches === 0) continue;
    const [head = ''] = pieces;
    // Places that overlap count as two: "aa" in "aaa" may mean either.
    const isAmbiguous = matches > 1 || before.indexOf(old, head.length + 1) !== -1;
    if (isAmbiguous && !replaceAll) throw new ToolEditMatchError({ path, matches: Math.max(2, matches) });
    // The size is computed first: a short text with many places and a long replacement would fill the memory.
    const size = Buffer.byteLength(before) + matches * (Buffer.byteLength(next) - Buffer.byteLength(old));
    if (size > MAX_TEXT_BYTES)
      throw new ToolFileUnusableError({ path, problem: `it would grow beyond ${MAX_TEXT_BYTES} bytes` });
    return { text: pieces.join(next), replacements: matches, line: head.split('\n').length };
  }
  throw new ToolEditMatchError({ path, matches: 0 });
}

function hasBareLineFeed(text: string): boolean {
  return /(?<!\r)\n/.test(text);
}

function bothEnds(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
