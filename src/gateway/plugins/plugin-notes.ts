// Notes about registrations that are not in use: names that were refused, and services that did not start. The operator is
// told once, and the notes are shown with the plugin.

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

  /** The status with these notes added. */
  shown(status: PluginStatus): PluginStatus {
    if (status.state !== 'loaded') return status;
    const notes = this.#notesOf(status.id);
    return notes.length === 0 ? status : { ...status, notes: [...status.notes, ...notes] };
  }

  /** Warns of names that were refused since the last call. Services have warned by themselves. */
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
