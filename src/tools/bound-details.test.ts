import { expect, test } from 'vitest';
import { boundDetails, MAX_DETAILS_BYTES } from './bound-details.ts';

test('small details are kept as plain data, large ones as a summary that says so', () => {
  const date = new Date(0);
  expect(boundDetails({ date })).toEqual({ date: date.toJSON() });
  expect(boundDetails({ rows: 'é'.repeat(5_000) })).toEqual({
    summary: `{"rows":"${'é'.repeat(491)}`,
    bytes: 10_011,
    persistedDetailsTruncated: true,
  });
  expect(JSON.stringify(boundDetails({ rows: 'é'.repeat(500_000) })).length).toBeLessThan(MAX_DETAILS_BYTES);
});

test('details that cannot be written down are said to be there', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const told = { summary: 'The details cannot be written down.', persistedDetailsTruncated: true };
  expect(boundDetails(circle)).toEqual(told);
  expect(boundDetails(() => 1)).toEqual(told);
});
