// The form of a bundle: a folder of plain files about one session, with a manifest that names every file and its hash.
// The writer and the reader share it.

export const BUNDLE_SCHEMA = 'atrium-bundle';
export const BUNDLE_VERSION = 1;
export const MANIFEST_FILE = 'manifest.json';

/** The end of the name of a folder whose writing has not ended. */
export const INCOMPLETE_SUFFIX = '.incomplete';

export interface BundleManifest extends BundleFacts {
  readonly schema: typeof BUNDLE_SCHEMA;
  readonly schemaVersion: typeof BUNDLE_VERSION;
  readonly files: readonly BundleFile[];
}

export interface BundleFacts {
  readonly createdAt: string;
  readonly sessionKey: string;
  readonly sessionIds: readonly string[];
  /** Whether what looks like a secret was removed. */
  readonly isRedacted: boolean;
  readonly versions: {
    readonly atrium: string;
    readonly node: string;
    readonly platform: string;
    readonly arch: string;
  };
  readonly runs: readonly BundledRun[];
  /** What should be here and was gone already when the bundle was made, one sentence each. */
  readonly missing: readonly string[];
}

export interface BundledRun {
  readonly runId: string;
  /** The folder of its files. */
  readonly dir: string;
  readonly status: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

export interface BundleFile {
  /** The path relative to the bundle's folder, with forward slashes. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** A reader accepts no more than this, because a bundle may come from anybody. */
export const BUNDLE_LIMITS = {
  manifestBytes: 32 * 1024 * 1024,
  fileBytes: 512 * 1024 * 1024,
  /** What is read into memory to be shown. */
  shownBytes: 64 * 1024 * 1024,
  files: 200_000,
  pathLength: 300,
} as const;

/** A path that stays inside the bundle on every system. */
export function isBundlePath(path: string): boolean {
  return (
    path.length <= BUNDLE_LIMITS.pathLength &&
    /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(path)
  );
}
