// A situation in one line: who, what kind of session, when, where.

import type { ContextReport } from '../../context/report/build-report.ts';
import { oneLine } from '../output/text.ts';

export function describeSituation({ situation }: ContextReport): string {
  const { agentId, sessionType, sessionKey, channel, at, timezone } = situation;
  return oneLine(
    [
      `agent ${agentId ?? 'none'}`,
      sessionType,
      describeTime(new Date(at), timezone),
      ...(sessionKey ? [`session ${sessionKey}`] : []),
      ...(channel ? [`channel ${channel}`] : []),
    ].join(', '),
  );
}

function describeTime(at: Date, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? '';
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')} ${timezone}`;
}
