// Turns a rule into a handler, so that rules are ordered, recorded and reported like every other contribution.

import { type InternalHookHandler, isAgentBootstrapEvent } from '../../../protocol/bootstrap-event.ts';
import { type EditPart, editBootstrapFile, filesIn, noteAbsence } from '../../bootstrap-edits.ts';
import { BootstrapFileHelper } from '../../bootstrap-file-helper.ts';
import type { FileSource } from '../../sources/file-source.ts';
import { unmetCondition, type Variables } from './match-conditions.ts';
import type { Rule } from './rule.ts';

export interface RuleSettings {
  readonly rule: Rule;
  readonly variables: Variables;
  /** Where a rule's `from` may lie. */
  readonly roots: readonly string[];
}

export function createRuleHandler({ rule, variables, roots }: RuleSettings): InternalHookHandler {
  return async (event) => {
    if (!isAgentBootstrapEvent(event)) return;
    const unmet = unmetCondition(rule.when, event.context, variables);
    if (unmet !== undefined) {
      noteAbsence(event.context, { reason: 'rule-condition-false', what: `rule ${rule.id}`, detail: unmet });
      return;
    }
    if (rule.mode === 'remove') {
      new BootstrapFileHelper(event.context).removeFile(rule.file);
      return;
    }
    const part = await readText(rule, filesIn(event.context), roots);
    if ('text' in part) editBootstrapFile(event.context, rule.mode, rule.file, [part]);
    else noteAbsence(event.context, part);
  };
}

async function readText(
  rule: Rule,
  files: FileSource,
  roots: readonly string[],
): Promise<EditPart | Parameters<typeof noteAbsence>[1]> {
  if (rule.from === undefined) return { text: rule.text ?? '' };
  const read = await files.read(rule.from, roots);
  if (read.kind === 'text') return { text: read.text, from: { path: rule.from, source: read, start: 0 } };
  return { reason: read.reason, what: `rule ${rule.id} (${rule.from})`, detail: read.detail };
}
