// How the gateway does over time: the series behind the small plots of the console, and whether every message is accounted
// for.

import { readConservation } from '../../services/conservation.ts';
import { type Route, route } from '../route.ts';
import { at, wholeNumber } from './pieces.ts';

export const PULSE_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/pulse',
    summary: 'Turns a second, memory and the size of the store over the last hour, every five seconds.',
    detail:
      'It is kept in memory and begins with the start of the gateway. A client that sends `watch` over `/ws` gets each new sample; [observability.md](observability.md#metrics) has metrics that last.',
    access: 'token',
    answer: (z) =>
      z.object({
        samples: z
          .array(
            z.object({
              at: at(z),
              turnsPerSecond: z.number().describe('Runs that ended since the sample before, for each second.'),
              running: wholeNumber(z),
              memoryBytes: wholeNumber(z).describe('The memory of the process.'),
              storeBytes: wholeNumber(z),
            }),
          )
          .describe('The oldest one first.'),
      }),
    handle: ({ services }) => ({ samples: services.pulse() }),
  }),
  route({
    method: 'get',
    path: '/api/conservation',
    summary: 'What became of the messages and answers of the last day: each is accounted for, or it is said.',
    access: 'token',
    answer: (z) =>
      z.object({
        since: at(z),
        accepted: wholeNumber(z).describe('Messages and other triggers that start a run.'),
        waiting: wholeNumber(z),
        running: wholeNumber(z),
        suspended: wholeNumber(z).describe('Runs that wait for a person, for subagents or for their client.'),
        done: wholeNumber(z),
        failed: wholeNumber(z),
        stopped: wholeNumber(z),
        blocked: wholeNumber(z),
        unaccounted: wholeNumber(z).describe('Accepted, and neither waiting nor at work nor ended. It should be 0.'),
        deliveries: z
          .object({
            queued: wholeNumber(z),
            sent: wholeNumber(z),
            suppressed: wholeNumber(z),
            failed: wholeNumber(z),
            dead: wholeNumber(z),
          })
          .describe('The parts of answers.'),
      }),
    handle: ({ services, now }) => readConservation(services.store, now()),
  }),
];
