// `atrium context preview`: the prompt, byte for byte as a model would get it; with a message, the whole request.

import { BadFlagError } from '../../gateway/errors.ts';
import type { AddCommand } from '../commands.ts';
import { contextGroup } from '../context-group.ts';
import { writeWarnings } from '../output/warnings.ts';
import { type PreviewFlags, previewMessage } from './preview-message.ts';
import { addSituationOptions, openContext } from './situation-options.ts';

export const addContextPreview: AddCommand = (program, io) => {
  const command = contextGroup(program)
    .command('preview')
    .description('print the prompt that the agent would read, or the whole request for a message, byte for byte')
    .option('--message <text>', 'show the next request for this message: system, tools and messages')
    .option('--run-hooks', 'with --message: also call prompt hooks that may have effects')
    .option('--body', 'with --message: print the exact bytes of the request and nothing else')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium context preview                                  the default agent, now
  $ atrium context preview --at 23:30 --tz Europe/Berlin    the same at night
  $ atrium context preview --session agent:main:subagent:x  what a subagent would read
  $ atrium context preview --session agent:main:main --message "hello"`,
    );
  addSituationOptions(command).action(async (flags: PreviewFlags) => {
    const { engine, request, loaded } = await openContext(flags, io);
    const { message } = flags;
    if (message !== undefined) return previewMessage({ ...flags, message }, request, io);
    for (const flag of ['runHooks', 'body'] as const) {
      if (flags[flag])
        throw new BadFlagError({
          flag: flag === 'body' ? '--body' : '--run-hooks',
          value: '',
          expected: 'used with --message',
        });
    }
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
