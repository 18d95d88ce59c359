// `atrium completion`: a script for a shell that completes commands, sub-commands, flags and the words that a flag takes. It is
// made from the list of commands, so a new command is in it by itself, and the shell never has to run atrium.

import { type CliCommand, command } from '../command.ts';
import { bashScript } from './bash-script.ts';
import { listPlaces, type Place } from './completion-places.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

export const COMPLETION_COMMANDS: readonly CliCommand[] = [
  completionFor('bash', bashScript, 'completion bash > ~/.local/share/bash-completion/completions/atrium'),
  completionFor('zsh', zshScript, 'completion zsh > ~/.zfunc/_atrium'),
  completionFor('fish', fishScript, 'completion fish > ~/.config/fish/completions/atrium.fish'),
];

function completionFor(shell: string, script: (places: readonly Place[]) => string, example: string): CliCommand {
  return command({
    path: `completion ${shell}`,
    summary: `print the completion script for ${shell}`,
    examples: [example],
    notes: 'Print it again after an update. In a shell that runs, read it with: source <(atrium completion …)',
    json: false,
    async run() {
      const [{ COMMANDS }, { GROUPS }] = await Promise.all([import('../commands.ts'), import('../command-groups.ts')]);
      return { text: script(listPlaces(COMMANDS, GROUPS)) };
    },
  });
}
