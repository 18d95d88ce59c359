// Turns a rule into a handler, so that rules are ordered, recorded and reported like every other contribution.

import { type InternalHookHandler, isAgentBootstrapEvent } from '../../../protocol/bootstrap-event.ts';
import { type EditPart, editBootstrapFile, filesIn, noteAbsence } from '../../bootstrap-edits.ts';
import { BootstrapFileHelper } from '../../bootstrap-file-helper.ts';
import { type FileSource, whyAbsent } from '../../sources/file-source.ts';
import { unmetCondition, type Variables } from './match-conditions.ts';
import type { Rule } from './rule.ts';

export interface RuleSettings {
  readonly rule: Rule;
  readonly variables: Variables;
  /** The folders that a rule's `from` may lie in. */
  readonly roots: readonly string[];
}

export function createRuleHandler({ rule, variables, roots }: RuleSettings): InternalHookHandler {
  return async (event) => {
    if (!isAgentBootstrapEvent(event)) return;
    const unmet = unmetCondition(rule.when, event.context, variables);
    if (unmet !== undefined) {
      const what = `rule ${rule.id}`;
      noteAbsence(event.context, { reason: 'rule-condition-false', what, detail: unmet, text: rule.text });
      return;
    }
    if (rule.mode === 'remove') {
      new BootstrapFileHelper(event.context).removeFile(rule.file);
      return;
    }
    const part = await readText(rule, filesIn(event.context), roots);
    if ('reason' in part) noteAbsence(event.context, part);
    else editBootstrapFile(event.context, rule.mode, rule.file, [part]);
  };
}

async function readText(
  rule: Rule,
  files: FileSource,
  roots: readonly string[],
): Promise<EditPart | Parameters<typeof noteAbsence>[1]> {
  if (rule.from === undefined) {
    const { text = '', mode } = rule;
    if (text.trim() !== '' || mode === 'replace') return { text };
    return { reason: 'empty', what: `rule ${rule.id}`, detail: 'its text says nothing' };
  }
  const reads = await Promise.all(rule.from.map((path) => files.read(path, roots)));
  const read = reads.find((each) => each.kind === 'text' || each.entryExists) ?? reads[0];
  if (!read) return { reason: 'missing', what: `rule ${rule.id}`, detail: 'it names no file' };
  const what = `rule ${rule.id} (${read.path})`;
  if (read.kind === 'absent') return { ...whyAbsent(read), what };
  // An empty text must not leave a separator behind, and must not empty a file that it should replace.
  if (read.text.trim() === '') return { reason: 'empty', what, detail: 'the file says nothing' };
  return { text: read.text, from: { path: read.path, source: read, start: 0 } };
}
