// The test's own home on a real disk, removed after the test. Paths are relative to its state directory.

import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export class ScratchHome {
  readonly home: string;
  readonly stateDir: string;

  constructor(home: string) {
    this.home = home;
    this.stateDir = join(home, '.openclaw');
  }

  /** Of the class that it is called on. */
  static async create<Home extends ScratchHome>(
    this: new (
      home: string,
    ) => Home,
    files: Readonly<Record<string, string>> = {},
  ): Promise<Home> {
    const scratch = new this(await realpath(await mkdtemp(join(tmpdir(), 'atrium-home-'))));
    for (const [path, text] of Object.entries(files)) await scratch.write(path, text);
    return scratch;
  }

  path(path: string): string {
    return join(this.stateDir, path);
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(this.path(path)), { recursive: true });
    // As a careful person does: a configuration may hold keys.
    await writeFile(this.path(path), text, { mode: 0o600 });
  }

  /** A hook pack; `section` is what HOOK.md says under `metadata.openclaw`. */
  async writePack(dir: string, section: object, handler = 'export default () => {}'): Promise<void> {
    await this.write(
      `${dir}/HOOK.md`,
      `---\ndescription: A pack\nmetadata: ${JSON.stringify({ openclaw: section })}\n---\n`,
    );
    await this.write(`${dir}/handler.ts`, handler);
  }

  read(path: string): Promise<string> {
    return readFile(this.path(path), 'utf8');
  }

  remove(): Promise<void> {
    // A git that a killed gateway has begun may still write into a new workspace.
    return rm(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
