// `write`: puts a text into a file of the workspace, whole or not at all. Folders on the way are made.

import { namedPaths, openContainedTarget } from './contained-path.ts';
import { ToolFileUnusableError, ToolInputError } from './errors.ts';
import { MAX_TEXT_BYTES } from './file-text.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import type { WithheldOf } from './read.ts';
import { replaceFile } from './replace-file.ts';
import type { Tool } from './tool.ts';

interface WriteParams {
  readonly path: string;
  readonly content: string;
}

export interface WriteToolOptions {
  /** Shared by all tools that change files, by workspace. */
  readonly writes: OneAtATime;
  readonly home?: string | undefined;
  readonly withheldOf?: WithheldOf | undefined;
}

export function createWriteTool({ writes, home, withheldOf }: WriteToolOptions): Tool {
  return {
    name: 'write',
    description:
      'Write a text file in the workspace. Makes the file and its folders, or replaces the whole text that is there.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the workspace.' },
        content: { type: 'string', description: 'The whole text of the file.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    // A second write after a crash could undo later changes.
    idempotent: false,
    derivedPaths: (params) => namedPaths(params, home),
    async run(params, context) {
      const { workspaceDir, signal } = context;
      const { path, content } = params as unknown as WriteParams;
      const bytes = Buffer.byteLength(content);
      if (bytes > MAX_TEXT_BYTES) {
        throw new ToolInputError({
          tool: 'write',
          problems: [`content has ${bytes} bytes, and at most ${MAX_TEXT_BYTES} are written.`],
        });
      }
      if (path.endsWith('/'))
        throw new ToolFileUnusableError({ path, problem: 'it names a directory; add the name of a file' });
      const created = await writes.run(workspaceDir, async () => {
        signal.throwIfAborted();
        const target = await openContainedTarget({ workspaceDir, home, withheld: await withheldOf?.(context) }, path, {
          createFolders: true,
        });
        try {
          await replaceFile(target, path, content, { signal });
          return target.stats === undefined;
        } finally {
          await target.folder.close();
        }
      });
      return {
        content: `${created ? 'Created' : 'Replaced'} ${path} (${bytes} bytes).`,
        details: { path, bytes, created },
      };
    },
  };
}
