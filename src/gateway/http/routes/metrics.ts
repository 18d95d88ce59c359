// The metrics for Prometheus.

import { METRICS_PATH } from '../endpoint-paths.ts';
import { type Route, route } from '../route.ts';

const TEXT_FOR_PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

export const METRIC_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: METRICS_PATH,
    summary: 'The metrics of the gateway, as text for Prometheus.',
    detail:
      'Only with `diagnostics.prometheus.enabled`; [observability.md](observability.md#metrics) names them. Prometheus sends the token with `authorization: { credentials_file: … }`.',
    access: 'token',
    answer: (z) => z.string(),
    handle: async ({ services }) =>
      new Response(await services.metrics(), { headers: { 'content-type': TEXT_FOR_PROMETHEUS } }),
  }),
];
