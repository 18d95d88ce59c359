// Where the figures of this folder come from. Written by scripts/collect-models.ts.

export const CATALOG_DATE = '2026-11-02';
export const CATALOG_SOURCE = '@earendil-works/pi-ai 1.5.0';
