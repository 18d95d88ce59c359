import { expect, it } from 'vitest';
import { findCulprit } from './worker-plugins.ts';

const evidence = { running: 0, lastRan: 0, busy: [], present: [1, 2, 3] };

it('is whose code ran', () => {
  expect(findCulprit({ ...evidence, running: 2, busy: [1] })).toEqual({ slot: 2, suspects: [] });
});

it('is the only one that was busy, when nobody is seen', () => {
  expect(findCulprit({ ...evidence, busy: [3], lastRan: 1 })).toEqual({ slot: 3, suspects: [] });
});

it('is taken from those that were busy, the one that ran last first', () => {
  expect(findCulprit({ ...evidence, busy: [1, 3], lastRan: 3 })).toEqual({ slot: 3, suspects: [1, 3] });
  expect(findCulprit({ ...evidence, busy: [1, 3], lastRan: 2 })).toEqual({ slot: 1, suspects: [1, 3] });
});

it('is one of all, when nothing is known, and nobody where there is nobody', () => {
  expect(findCulprit({ ...evidence, lastRan: 2 })).toEqual({ slot: 2, suspects: [1, 2, 3] });
  expect(findCulprit({ ...evidence, present: [] })).toBeUndefined();
});
