// Removes what a command installed: its folder and its entry in the list, together or not at all. Settings stay; they
// are the operator's.
//
// Errors: NotInstalledError; what the operator put into the state directory by hand is never touched.

import { nearMatch } from '../../protocol/near-match.ts';
import { NotInstalledError } from '../errors.ts';
import { installDirOf } from './install-package.ts';
import { type InstallRecord, isSameInstall, readInstallRecords, writeInstallRecords } from './install-records.ts';
import type { InstallKind } from './installable.ts';
import { withStaging } from './staging.ts';

/** What was removed. `kinds` are those that the command speaks of. */
export async function uninstallPackage(
  stateDir: string,
  id: string,
  kinds: readonly InstallKind[],
): Promise<InstallRecord> {
  return withStaging(stateDir, async ({ takeAway }) => {
    const records = await readInstallRecords(stateDir);
    const candidates = records.filter(({ kind }) => kinds.includes(kind));
    const record = candidates.find((each) => each.id === id);
    if (!record) {
      const names = candidates.map((each) => each.id);
      throw new NotInstalledError({ id, suggestion: nearMatch(id, names) });
    }
    // The path is made from the name and not read from the list: a list that was tampered with must not lead elsewhere.
    const taken = await takeAway(installDirOf(stateDir, record.kind, record.id));
    try {
      const others = records.filter((each) => !isSameInstall(each, record));
      await writeInstallRecords(stateDir, others);
    } catch (error) {
      await taken.undo();
      throw error;
    }
    return record;
  });
}
