// `atrium context preview`: the prompt, byte for byte as a model would get it.

import type { AddCommand } from './commands.ts';
import { contextGroup } from './context-group.ts';
import { addSituationOptions, openContext, type SituationFlags } from './situation-options.ts';
import { writeWarnings } from './write-warnings.ts';

export const addContextPreview: AddCommand = (program, io) => {
  const command = contextGroup(program)
    .command('preview')
    .description('print the prompt that the agent would read, byte for byte')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium context preview                                  the default agent, now
  $ atrium context preview --at 23:30 --tz Europe/Berlin    the same at night
  $ atrium context preview --session agent:main:subagent:x  what a subagent would read`,
    );
  addSituationOptions(command).action(async (flags: SituationFlags) => {
    const { engine, request, loaded } = await openContext(flags, io);
    const { prompt, report } = await engine.compose(request);
    if (flags.json) {
      const { text, blocks, cacheBoundary } = prompt;
      io.out(`${JSON.stringify({ text, blocks, cacheBoundary, hash: report.prompt.hash }, null, 2)}\n`);
      return;
    }
    io.out(prompt.text);
    writeWarnings(loaded, report, io);
  });
};
