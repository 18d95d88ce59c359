// What `atrium doctor` finds about the limits on spending: those that are reached, so that calls are refused, and those that
// nearly are. Without limits there is no section.

import type { LoadedConfig } from '../../config/load-config.ts';
import {
  type CounterStatus,
  describeWho,
  type LimitStatus,
  type SpendReport,
} from '../../gateway/services/spending.ts';
import { countOf } from '../../protocol/count-of.ts';
import type { CliIo } from '../cli-io.ts';
import { formatTime } from '../output/format-time.ts';
import type { Section } from './doctor-section.ts';
import { openReadingClient } from './gateway-client.ts';

export async function examineSpending({ config }: LoadedConfig, io: CliIo): Promise<readonly Section[]> {
  if ((config.limits?.spend ?? []).length === 0) return [];
  const report = await readLimits(io);
  // Nothing was ever spent in a home without a store.
  const limits = report?.limits ?? [];
  const counters = limits.flatMap((limit) => limit.counters.map((counter) => ({ limit, counter })));
  const full = counters.filter(({ counter: { share } }) => share >= 1);
  const near = counters.filter(({ limit, counter: { share } }) => share < 1 && share >= limit.warnAt);
  const unpriced = counters.reduce((sum, { counter }) => Math.max(sum, counter.unpriced), 0);
  const tell = (each: { limit: LimitStatus; counter: CounterStatus }) => describe(each, report?.timezone ?? 'UTC');
  return [
    {
      name: 'spending',
      finding: `${countOf(config.limits?.spend?.length ?? 0, 'limit')}, ${full.length === 0 ? 'none reached' : `${full.length} reached`}`,
      problems: full
        .filter(({ limit }) => limit.cheaper === null)
        .map((each) => `${tell(each)}, so calls are refused. Raise the limit, or wait.`),
      remarks: [
        ...full
          .filter(({ limit }) => limit.cheaper !== null)
          .map((each) => `${tell(each)}, so ${each.limit.cheaper} answers, where there is room for it.`),
        ...near.map(
          (each) => `${tell(each)}. Calls are refused when it is reached, or a cheaper model answers if one is set.`,
        ),
        ...(unpriced === 0
          ? []
          : [
              `${countOf(unpriced, 'call')} of unknown cost ${unpriced === 1 ? 'is' : 'are'} not in these sums. Write the prices of the model under models.providers.`,
            ]),
      ],
    },
  ];
}

async function readLimits(io: CliIo): Promise<SpendReport | undefined> {
  const client = await openReadingClient(io).catch(() => undefined);
  try {
    return await client?.get<SpendReport>('/api/usage/limits');
  } catch {
    return undefined;
  } finally {
    await client?.close();
  }
}

/** `limits.spend[0] (agent main, day 2026-05-06) has come to 103 % and begins anew at 2026-05-07 00:00:00`. */
function describe({ limit, counter }: { limit: LimitStatus; counter: CounterStatus }, timezone: string): string {
  const anew = limit.until === null ? 'with a new session' : `at ${formatTime(limit.until, timezone)}`;
  const period = limit.per === 'session' ? 'session' : `${limit.per} ${counter.period}`;
  return `${limit.setting} (${describeWho(counter)}, ${period}) has come to ${Math.floor(counter.share * 100)} % and begins anew ${anew}`;
}
