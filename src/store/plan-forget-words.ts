// Plans the writes that make the search forget entries of transcripts. They belong into the commit that removes the entries.

import type { Where, Write } from './store.ts';

export function planForgetWords(where: Pick<Where<'entryWords'>, 'sessionId' | 'position'>): readonly Write[] {
  return [
    { remove: 'entryWords', where },
    { remove: 'entriesToIndex', where },
  ];
}
