// `atrium context preview`: the prompt, byte for byte as a model would get it; with a message, the whole request.

import { BadFlagError } from '../../gateway/errors.ts';
import { command } from '../command.ts';
import { warningLines } from '../output/warnings.ts';
import { PREVIEW_OPTIONS, previewMessage } from './preview-message.ts';
import { openContext } from './situation-options.ts';

export const contextPreview = command({
  path: 'context preview',
  summary: 'print the prompt that the agent would read, or the whole request for a message, byte for byte',
  options: PREVIEW_OPTIONS,
  examples: [
    'context preview                                  the default agent, now',
    'context preview --at 23:30 --tz Europe/Berlin    the same at night',
    'context preview --session agent:main:subagent:x  what a subagent would read',
    'context preview --session agent:main:main --message "hello"',
  ],
  async run(flags, { io }) {
    const { engine, request, loaded } = await openContext(flags, io);
    const { message } = flags;
    if (message !== undefined) return previewMessage({ ...flags, message }, request, io);
    const flag = flags.runHooks ? '--run-hooks' : flags.body ? '--body' : undefined;
    if (flag) throw new BadFlagError({ flag, value: '', expected: 'used with --message' });
    const { prompt, report } = await engine.compose(request);
    const { text, blocks, cacheBoundary } = prompt;
    const json = { text, blocks, cacheBoundary, hash: report.prompt.hash };
    return { json, text, warnings: warningLines(loaded, report.warnings) };
  },
});
