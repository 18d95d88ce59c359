import { describe, expect, it } from 'vitest';
import { ListingReader, readStoredTools } from './listed-tool.ts';

function readListing(written: readonly unknown[]) {
  const reader = new ListingReader();
  reader.add(written);
  return reader.listing();
}

describe('a listing', () => {
  it('keeps what a tool says of itself, by name', () => {
    const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    const { tools, remarks } = readListing([
      { name: 'write', description: 'Writes.\x1b[2J', inputSchema },
      { name: 'look', title: 'Looks', inputSchema: { type: 'string' }, annotations: { readOnlyHint: true } },
      { name: 'read', inputSchema, annotations: { readOnlyHint: true, idempotentHint: true } },
    ]);
    expect(tools).toEqual([
      { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} }, idempotent: false },
      { name: 'read', description: '', parameters: inputSchema, idempotent: true },
      { name: 'write', description: 'Writes. [2J', parameters: inputSchema, idempotent: false },
    ]);
    expect(remarks).toEqual([]);
    expect(readStoredTools(JSON.parse(JSON.stringify(tools)))).toEqual(tools);
  });

  it('leaves out what cannot be offered, and says why', () => {
    const nest = (levels: number): object => (levels === 0 ? {} : { a: nest(levels - 1) });
    const { tools, remarks } = readListing([
      null,
      'tool',
      { name: '' },
      { name: 'n'.repeat(129) },
      { name: 'task', execution: { taskSupport: 'required' } },
      { name: 'deep', inputSchema: { type: 'object', properties: nest(40) } },
      { name: 'wide', inputSchema: { type: 'object', description: 'x'.repeat(40_000) } },
      { name: 'twice' },
      { name: 'twice' },
    ]);
    expect(tools.map(({ name }) => name)).toEqual(['twice']);
    expect(remarks).toHaveLength(7);
    expect(remarks[0]).toBe('2 of its tools cannot be offered: they are no objects.');
  });

  it('is bounded as a whole', () => {
    const wide = { type: 'object', description: 'x'.repeat(30_000) };
    const { tools } = readListing(
      Array.from({ length: 500 }, (_, index) => ({ name: `t${index}`, inputSchema: wide })),
    );
    expect(JSON.stringify(tools).length).toBeLessThan(2_100_000);
    const wordy = readListing([{ name: 'wordy', description: 'w'.repeat(100_000) }]).tools[0];
    expect(wordy?.description).toHaveLength(4_000);
  });

  it('in pages is one listing, and full when more would be left out', () => {
    const page = (from: number) => Array.from({ length: 300 }, (_, index) => ({ name: `t${from + index}` }));
    const reader = new ListingReader();
    reader.add(page(0));
    expect(reader.isFull).toBe(false);
    reader.add(page(299));
    expect(reader.isFull).toBe(true);
    const { tools, remarks } = reader.listing();
    expect(tools).toHaveLength(512);
    expect(remarks).toEqual([
      '1 of its tools cannot be offered: their name came up before.',
      '87 of its tools cannot be offered: there are more than 512.',
    ]);
  });

  it('that was kept in another form is not there', () => {
    expect(readStoredTools([{ name: 'read' }, { name: 1, description: '', parameters: {}, idempotent: true }])).toEqual(
      [],
    );
  });
});
