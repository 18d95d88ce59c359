// One step of a tool policy, as data: two lists, and for each entry the words by which an operator finds it again.

export interface PolicyStep {
  /** The part of the configuration, or the rule of the product, that this step is. */
  readonly source: string;
  /** Absent or without entries: everything passes. */
  readonly allow?: PolicyList | undefined;
  readonly deny?: PolicyList | undefined;
}

export interface PolicyList {
  /** Completes "not in …". */
  readonly name: string;
  readonly entries: readonly PolicyEntry[];
}

export interface PolicyEntry {
  /** As it is written: a name, a glob such as `sessions_*`, a group such as `group:fs`, or an owner of tools. */
  readonly pattern: string;
  /** Such as `tools.deny "exec"`; absent when the configuration does not have it, so that it explains nothing. */
  readonly rule?: string | undefined;
}

/** A list from its patterns; blank ones are no entries. */
export function policyList(
  name: string,
  patterns: readonly string[] | undefined,
  ruleOf: (pattern: string) => string | undefined,
): PolicyList | undefined {
  if (patterns === undefined) return undefined;
  const written = patterns.filter((pattern) => pattern.trim() !== '');
  return { name, entries: written.map((pattern) => ({ pattern, rule: ruleOf(pattern) })) };
}
