// Checks one package in a process of its own, whose home is a scratch folder, and writes the cells to a file. The
// command `npm run compat` starts one of these per package.

import { writeFile } from 'node:fs/promises';
import { type Cell, cell } from './package-check.ts';
import { PACKAGES } from './packages.ts';
import { CompatRig } from './rig.ts';

const [spec = '', home = '', resultPath = ''] = process.argv.slice(2);
const published = PACKAGES.find((each) => each.spec === spec);
if (!published) throw new Error(`There is no package ${spec}.`);

let cells: readonly Cell[];
let rig: CompatRig | undefined;
try {
  rig = await CompatRig.open(home, published);
  cells = await published.check(rig);
} catch (error) {
  cells = [cell('is installed, loaded and checked', false, error instanceof Error ? error.message : String(error))];
}
await writeFile(resultPath, JSON.stringify({ cells, warnings: rig?.warnings ?? [] }));
await rig?.close().catch(() => {});
// A plugin may hold timers and sockets; what it had to show was shown.
process.exit(0);
