// Long code in an answer becomes a file where the platform shows files: a message that is cut in the middle of a program
// helps no reader. It is pure: the caller keeps the bytes. The text says where the code went.

export interface CodeFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface FiledCode {
  readonly text: string;
  readonly files: readonly CodeFile[];
}

/** A fenced block whose code is longer than `limit` characters becomes a file; everything else stays as it is. */
export function fileLongCode(text: string, limit: number): FiledCode {
  if (text.length <= limit) return { text, files: [] };
  const files: CodeFile[] = [];
  const shortened = text.replace(FENCED, (block, _marker: string, info: string, code: string) => {
    if (code.length <= limit || files.length === MOST_FILES) return block;
    const name = `code-${files.length + 1}.${endingOf(info)}`;
    files.push({ name, bytes: new TextEncoder().encode(code) });
    return `[The code is in the file ${name}.]`;
  });
  return { text: shortened, files };
}

const MOST_FILES = 5;
/** A fence that is closed by the same marker. One that is never closed stays text. */
const FENCED = /^(`{3,}|~{3,})[ \t]*([^\n`]*)\n([\s\S]*?\n)\1[ \t]*$/gm;

const ENDINGS: ReadonlyMap<string, string> = new Map([
  ['typescript', 'ts'],
  ['javascript', 'js'],
  ['python', 'py'],
  ['bash', 'sh'],
  ['shell', 'sh'],
  ['markdown', 'md'],
  ['rust', 'rs'],
  ['ruby', 'rb'],
  ['yaml', 'yml'],
]);

function endingOf(info: string): string {
  const [language = ''] = info.trim().toLowerCase().split(/\s/);
  const known = ENDINGS.get(language);
  return known ?? (/^[a-z0-9]{1,6}$/.test(language) ? language : 'txt');
}
