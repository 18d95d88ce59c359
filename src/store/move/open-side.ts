// Opens a place as one side of a move. Only the backend of that place is loaded.

import type { StorePlace } from '../../protocol/store-place.ts';
import type { MoveSide } from './move-side.ts';
import type { SideUse } from './sqlite-side.ts';

export async function openSide(place: StorePlace, use: SideUse): Promise<MoveSide> {
  if (place.kind === 'postgres') {
    const { openPostgresSide } = await import('./postgres-side.ts');
    return openPostgresSide(place, use);
  }
  const { openSqliteSide } = await import('./sqlite-side.ts');
  return openSqliteSide(place.file, use);
}
