import { describe, expect, it } from 'vitest';
import { fileLongCode } from './code-files.ts';

const LONG = 'x = 1\n'.repeat(50);
const read = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

describe('long code', () => {
  it('becomes a file with the ending of its language, and the text says so', () => {
    const { text, files } = fileLongCode(`Here:\n\n\`\`\`python\n${LONG}\`\`\`\n\nDone.`, 100);
    expect(text).toBe('Here:\n\n[The code is in the file code-1.py.]\n\nDone.');
    expect(files.map(({ name }) => name)).toEqual(['code-1.py']);
    expect(read(files[0]?.bytes)).toBe(LONG);
  });

  it.each([
    ['short code', `${'word '.repeat(40)}\n\n\`\`\`js\na()\n\`\`\``],
    ['long text without code', 'word '.repeat(100)],
    ['a fence that is never closed', `\`\`\`js\n${LONG}`],
  ])('%s stays as it is', (_, text) => {
    expect(fileLongCode(text, 100)).toEqual({ text, files: [] });
  });

  it('never takes a name from the text but its ending', () => {
    const { files } = fileLongCode(`~~~../../etc/passwd\n${LONG}~~~`, 100);
    expect(files.map(({ name }) => name)).toEqual(['code-1.txt']);
  });
});
