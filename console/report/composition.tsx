// What composition did for a run: the layers as a map, the files, what was cut, which handlers made changes, and what
// is absent and why.

import { useState } from 'preact/hooks';
import type { ContextReport } from '../client/gateway-client.ts';
import { formatCount, formatDuration, formatPlural } from '../view/format.ts';
import { Row, Section } from './rows.tsx';

export function Composition({ report }: { report: ContextReport }) {
  const { layers, files, cuts, handlers, absences, warnings } = report;
  const [pointedAt, pointAt] = useState<number | undefined>(undefined);
  const stabilities = [...new Set(layers.map(({ stability }) => stability))];
  return (
    <>
      <div class="map" role="img" aria-label="Layers of the prompt by size">
        {layers.map(({ id, title, stability, chars }, index) => (
          <i
            key={id}
            class={index === pointedAt ? `${stability} on` : stability}
            title={`${title}: ${formatPlural(chars, 'character')}`}
            style={{ flexGrow: String(Math.max(1, chars)) }}
          />
        ))}
      </div>
      <ul class="legend">
        {stabilities.map((stability) => (
          <li key={stability}>
            <i class={stability} />
            {STABILITY_LABELS[stability]}
          </li>
        ))}
      </ul>
      <Section title="Layers of the system prompt" aside={describeSize(report)}>
        {layers.map(({ id, title, stability, chars }, index) => (
          <li key={id} onMouseEnter={() => pointAt(index)} onMouseLeave={() => pointAt(undefined)}>
            <i class={stability} />
            <span class="what" title={title}>
              {title}
            </span>
            <span class="size">{formatCount(chars)}</span>
          </li>
        ))}
      </Section>
      <Section title="Warnings" aside={warnings.length}>
        {warnings.map((text) => (
          <Row key={text} tag="bad" why={text} />
        ))}
      </Section>
      <Section title="Cuts" aside={cuts.length}>
        {cuts.map(({ file, chars, lines, cause }) => (
          <Row
            key={`${file} ${lines.join('–')}`}
            tag="bad"
            what={file}
            size={`−${formatCount(chars)}`}
            why={`lines ${lines.join('–')}, ${cause}`}
          />
        ))}
      </Section>
      <Section title="Files" aside={files.length}>
        {files.map(({ name, path, status, reason, injectedChars }) => (
          <Row
            key={path}
            tag={status === 'injected' ? '' : status}
            what={name}
            size={status === 'absent' ? 'absent' : formatCount(injectedChars)}
            why={status === 'injected' ? '' : status + (reason ? `: ${reason}` : '')}
          />
        ))}
      </Section>
      <Section title="Handlers" aside={handlers.length}>
        {handlers.map(({ id, outcome, ms, changes, error }) => (
          <Row
            key={id}
            tag={outcome === 'done' ? '' : 'bad'}
            what={id}
            size={formatDuration(ms)}
            why={`${outcome}, ${changes.length > 0 ? formatPlural(changes.length, 'change') : 'nothing changed'}${error ? `: ${error}` : ''}`}
          />
        ))}
      </Section>
      <Section title="Absent" aside={absences.length}>
        {absences.map(({ what, reason, detail }) => (
          <Row
            key={`${what} ${reason} ${detail}`}
            tag={reason === 'disabled' ? '' : 'absent'}
            what={what}
            size={reason}
            why={detail}
          />
        ))}
      </Section>
    </>
  );
}

type Stability = ContextReport['layers'][number]['stability'];

const STABILITY_LABELS: Readonly<Record<Stability, string>> = {
  static: 'same every time',
  session: 'this session',
  run: 'this turn',
};

function describeSize({ prompt, budget }: ContextReport): string {
  const size = `${formatCount(prompt.chars)} characters`;
  if (!budget.totalMaxChars) return size;
  return `${size}, ${Math.round((100 * budget.usedChars) / budget.totalMaxChars)} % of the budget`;
}
