// The context of a run beside the talk: the model that answered, time and cost, the composition, and the request
// itself.

import type { ToldRun } from '../client/gateway-client.ts';
import { formatCount, formatDuration, formatPlural } from '../view/format.ts';
import { Icon } from '../view/icon.tsx';
import { Link } from '../view/link.tsx';
import { Composition } from './composition.tsx';
import { ExactRequest } from './exact-request.tsx';
import { Row, Section } from './rows.tsx';
import type { RunReport } from './run-report.ts';
import { WholeRequest } from './whole-request.tsx';

/** The key changes each time that a report is shown, so that the panel starts fresh even for the same report. */
export type ShownReport = { readonly key: number } & (RunReport | { readonly problem: string });

export interface ReportPanelProps {
  readonly shown: ShownReport | undefined;
  readonly session: string | undefined;
  readonly isOpen: boolean;
  onClose(): void;
  readRequest(runId: string, call: number): Promise<string>;
}

export function ReportPanel({ shown, session, isOpen, onClose, readRequest }: ReportPanelProps) {
  return (
    <aside id="panel" class={isOpen ? 'panel open' : 'panel'} aria-label="Context of a turn">
      <div id="report" class="report">
        <button type="button" class="ghost round" aria-label="Close the context" onClick={onClose}>
          <Icon name="close" />
        </button>
        {!shown ? (
          <p class="empty">
            What the agent was given for a turn appears here after its answer: every layer with its size, what was cut,
            and the exact request.
          </p>
        ) : 'problem' in shown ? (
          <p class="problem">{shown.problem}</p>
        ) : (
          <Report key={shown.key} shown={shown} session={session} readRequest={readRequest} />
        )}
      </div>
    </aside>
  );
}

function Report({
  shown,
  session,
  readRequest,
}: { shown: RunReport } & Pick<ReportPanelProps, 'session' | 'readRequest'>) {
  const { run, calls, report, failedHooks } = shown;
  const tokens = tokensOf(run);
  return (
    <>
      <h2>What it was given</h2>
      <p class="facts">{factsOf(run)}</p>
      {tokens && <p class="facts">{tokens}</p>}
      <p class="facts">
        <code>{run.runId}</code>
      </p>
      {session !== undefined && calls.length > 0 && (
        <Link class="button quiet wide" to={{ page: 'context', session, runId: run.runId }}>
          Read it with its authors
        </Link>
      )}
      {/* A person who stops a run knows why it ended. */}
      {run.status !== 'stopped' && run.outcome?.error && <p class="problem">{run.outcome.error}</p>}
      <Section title="Handlers that failed" aside={failedHooks.length}>
        {failedHooks.map(({ seq, hook, handler, owner, outcome, error }) => (
          <Row
            key={seq}
            tag="bad"
            what={owner === handler ? owner : `${handler} of ${owner}`}
            size={hook}
            why={`${outcome}${error ? `: ${error}` : ''}`}
          />
        ))}
      </Section>
      {report?.request && <WholeRequest request={report.request} />}
      {report ? (
        <Composition report={report} />
      ) : (
        <p class="facts">There is no report for this one: nothing was composed.</p>
      )}
      {calls.length > 0 && <ExactRequest runId={run.runId} calls={calls} readRequest={readRequest} />}
    </>
  );
}

function factsOf({ outcome, startedAt, endedAt, status }: ToldRun): string {
  const facts = [
    outcome?.model && `${outcome.provider}/${outcome.model}`,
    outcome?.modelCalls && formatPlural(outcome.modelCalls, 'model call'),
    outcome?.toolCalls && formatPlural(outcome.toolCalls, 'tool call'),
    endedAt && formatDuration(endedAt - startedAt),
  ];
  return facts.filter(Boolean).join(' · ') || status;
}

function tokensOf({ outcome }: ToldRun): string | undefined {
  if (!outcome?.usage) return undefined;
  const { input, cacheRead, output } = outcome.usage;
  const cached = cacheRead ? ` (${formatCount(cacheRead)} from the cache)` : '';
  return `${formatCount(input)} tokens in${cached}, ${formatCount(output)} out`;
}
