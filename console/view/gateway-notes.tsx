// What the operator should know about the gateway itself: its warnings, such as runs and handlers that fail, what was
// changed and waits for a restart, and the settings of OpenClaw that were found and are not used as they were meant, the most dangerous first. Without any there is nothing to see.

import { useState } from 'preact/hooks';
import type { WaitingSetting } from '../../src/gateway/settings/config-state.ts';
import type { UnusedSetting } from '../../src/protocol/unused-setting.ts';
import { browserMemory } from '../browser-memory.ts';
import { shortHash } from '../short-hash.ts';
import { formatPlural } from './format.ts';
import { Icon } from './icon.tsx';

export interface GatewayNotesProps {
  readonly warnings: readonly string[];
  /** What the gateway uses only when it is started again. */
  readonly changedSinceStart?: readonly WaitingSetting[] | undefined;
  /** The most dangerous setting is first. */
  readonly unused: readonly UnusedSetting[];
  /** Shows all of it at once, what does no harm too. */
  readonly isOpen?: boolean | undefined;
  /** Adds a button that hides the notes until there are others. */
  readonly canHide?: boolean | undefined;
}

export function GatewayNotes(props: GatewayNotesProps) {
  const { warnings, changedSinceStart: changed = [], unused, isOpen = false, canHide = false } = props;
  const [hidden, setHidden] = useState(() => browserMemory.get(HIDDEN));
  const open = unused.filter(({ isAccepted }) => !isAccepted);
  const grave = groupByConsequence(open.filter(({ danger }) => danger !== 'harmless'));
  const harmless = namesOf(open.filter(({ danger }) => danger === 'harmless'));
  const accepted = namesOf(unused.filter(({ isAccepted }) => isAccepted));
  // What does no harm is not worth a line above every talk.
  const isQuiet = warnings.length === 0 && changed.length === 0 && grave.length === 0;
  if (isQuiet && !(isOpen && unused.length > 0)) return null;
  const state = shortHash(JSON.stringify([warnings, grave.map(({ names }) => names), ...changed]));
  if (canHide && hidden === state) return null;
  const hide = () => {
    browserMemory.set(HIDDEN, state);
    setHidden(state);
  };
  const isBad = warnings.length > 0 || grave.some(({ danger }) => danger === 'protects');
  return (
    <div class={isBad ? 'notes bad' : 'notes'}>
      {canHide && (
        <button type="button" class="ghost" title="Hide this until something else is wrong" onClick={hide}>
          Hide
        </button>
      )}
      <details open={isOpen}>
        <summary>
          <Icon name="chevron" size={14} />
          <span>{summaryOf(warnings.length, changed.length, isOpen ? unused : open.filter(isGrave))}</span>
        </summary>
        {warnings.length > 0 && (
          <section aria-label="Warnings of the gateway">
            <h3>Warnings</h3>
            <ul>
              {warnings.map((text) => (
                <li key={text} class="bad">
                  {text}
                </li>
              ))}
            </ul>
          </section>
        )}
        {changed.length > 0 && (
          <section aria-label="Changed since start">
            <h3>Changed since start: restart the gateway to use it</h3>
            <ul>
              {changed.map(({ path, inUse, inFile }) => (
                <li key={path}>
                  <code>{path}</code>: {shown(inUse)} is in use, the file says {shown(inFile)}
                </li>
              ))}
            </ul>
          </section>
        )}
        {unused.length > 0 && (
          <section aria-label="Found and not used, or used differently">
            <h3>Found in the configuration and not used, or used differently</h3>
            <ul>
              {grave.map(({ danger, names, text }) => (
                <li key={names} class={danger === 'protects' ? 'bad' : ''}>
                  <b>{danger === 'protects' ? 'danger' : danger}</b> <code>{names}</code>: {text}
                </li>
              ))}
              {harmless && (
                <li>
                  <b>harmless</b> <code>{harmless}</code>
                </li>
              )}
              {accepted && (
                <li>
                  <b>accepted</b> <code>{accepted}</code>
                </li>
              )}
            </ul>
          </section>
        )}
      </details>
    </div>
  );
}

/** The name under which this browser keeps what was hidden last. */
const HIDDEN = 'hidden-notes';

function isGrave({ danger }: UnusedSetting): boolean {
  return danger !== 'harmless';
}

function shown(value: WaitingSetting['inUse']): string {
  return value === null ? '(not set)' : JSON.stringify(value).slice(0, 120);
}

function summaryOf(warnings: number, changed: number, settings: readonly UnusedSetting[]): string {
  const differing = settings.filter(({ danger }) => danger === 'differs').length;
  const others = settings.length - differing;
  const parts = [
    warnings > 0 && formatPlural(warnings, 'warning'),
    changed > 0 && `${formatPlural(changed, 'setting')} changed since start`,
    others > 0 && `${formatPlural(others, 'setting')} found and not used`,
    differing > 0 && `${formatPlural(differing, 'setting')} used differently`,
  ];
  return `The gateway: ${parts.filter(Boolean).join(', ')}`;
}

interface Consequence {
  readonly danger: UnusedSetting['danger'];
  readonly names: string;
  readonly text: string;
}

/** Settings with the same consequence share a line. */
function groupByConsequence(settings: readonly UnusedSetting[]): readonly Consequence[] {
  const groups = new Map<string, UnusedSetting[]>();
  for (const setting of settings) {
    const key = `${setting.danger} ${setting.refuses} ${setting.sentence}`;
    groups.set(key, [...(groups.get(key) ?? []), setting]);
  }
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ danger, sentence, refuses }) => ({
      danger,
      names: namesOf(group),
      text: refuses === null ? sentence : `${sentence} ${REFUSED}`,
    })),
  );
}

const REFUSED = 'Such tools are refused until the setting is taken back, or named in acceptUnused.';

function namesOf(settings: readonly UnusedSetting[]): string {
  return settings.map(({ path }) => path).join(', ');
}
