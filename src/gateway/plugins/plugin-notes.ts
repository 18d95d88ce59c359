// What became of what plugins registered, as far as it did not come true: names that were refused, services that did not
// start. Told to the operator once, and shown with the plugin.

import type { PluginNote } from '../../plugins/loaded-plugin.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import type { RefusedName } from './claim-names.ts';
import type { ServiceStatus } from './plugin-services.ts';

export interface PluginNotesParts {
  readonly refused: () => readonly (RefusedName & { readonly what: string })[];
  readonly services: () => readonly ServiceStatus[];
  readonly warn: (sentence: string) => void;
}

export class PluginNotes {
  readonly #parts: PluginNotesParts;
  readonly #told = new Set<string>();

  constructor(parts: PluginNotesParts) {
    this.#parts = parts;
  }

  /** With what this place knows of the plugin. */
  shown(status: PluginStatus): PluginStatus {
    if (status.state !== 'loaded') return status;
    const notes = this.#notesOf(status.id);
    return notes.length === 0 ? status : { ...status, notes: [...status.notes, ...notes] };
  }

  /** Names that were refused since this was asked last; services have told of themselves. */
  tellNew(): void {
    for (const refused of this.#parts.refused()) {
      const sentence = sentenceOf(refused);
      if (this.#told.has(sentence)) continue;
      this.#told.add(sentence);
      this.#parts.warn(sentence);
    }
  }

  #notesOf(pluginId: string): readonly PluginNote[] {
    const refused = this.#parts.refused().filter((each) => each.pluginId === pluginId);
    const services = this.#parts
      .services()
      .filter((each) => each.pluginId === pluginId)
      .flatMap(({ id, state, error }): readonly PluginNote[] => {
        if (state === 'running') return [];
        const message =
          state === 'failed' ? `The service ${id} did not start: ${error}` : `The service ${id} has not started yet.`;
        return [{ level: 'warn', code: 'service', message }];
      });
    return [
      ...refused.map((each): PluginNote => ({ level: 'warn', code: 'refused', message: sentenceOf(each) })),
      ...services,
    ];
  }
}

function sentenceOf({ what, name, pluginId, because }: RefusedName & { readonly what: string }): string {
  return `The ${what} "${name}" of the plugin "${pluginId}" is refused: ${because}.`;
}
