// The first message of a child: a few lines about who asks, and then the task in the words of the parent.

import { SUBAGENT_TASK_MARK } from '../../protocol/subagent-task-mark.ts';

export interface TaskFacts {
  readonly parentKey: string;
  readonly depth: number;
  readonly maxSpawnDepth: number;
  readonly task: string;
  /** The folder with attached files, relative to the child's workspace, and their names. */
  readonly files?: { readonly folder: string; readonly names: readonly string[] } | undefined;
}

export function formatTask({ parentKey, depth, maxSpawnDepth, task, files }: TaskFacts): string {
  const lines = [
    `[Subagent Context] You work for the session ${JSON.stringify(parentKey)}, at depth ${depth} of ${maxSpawnDepth}. Your last answer is handed back to it by itself.`,
  ];
  if (files) {
    const names = files.names.map((name) => JSON.stringify(name)).join(', ');
    lines.push(
      `[Subagent Context] These files were attached, in the folder ${JSON.stringify(files.folder)}: ${names}.`,
    );
  }
  return `${lines.join('\n')}\n\n${SUBAGENT_TASK_MARK}${task}`;
}
