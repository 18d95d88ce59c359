// What calling hooks costs: the same handlers through the runner, through two libraries that only call, and through a
// bare awaited loop, which is the floor. All in one process and in turns, so that a busy machine slows all sides alike;
// ratios tell more than times. One file in hooks/ per measurement.
//
//   npm run bench:hooks -- [--json] [--short]
//
// With --short, each measurement takes one round and the gateways with plugins are left out.

import { measureCopies } from './hooks/copies.mjs';
import { measureDispatch } from './hooks/dispatch.mjs';
import { isShort } from './hooks/in-turns.mjs';
import { measurePlugins } from './hooks/plugins.mjs';
import { measureRecords } from './hooks/records.mjs';
import { measureWorker } from './hooks/worker-round-trip.mjs';

const MEASUREMENTS = [
  {
    name: 'dispatch',
    title: 'Asking the handlers of one hook, in µs. The floor is a bare awaited loop over the same handlers.',
    measure: measureDispatch,
  },
  {
    name: 'records',
    title: 'The same ten handlers, by what becomes of the records of their calls, in µs.',
    measure: measureRecords,
  },
  {
    name: 'copies',
    title: 'What it costs to give a handler an event of its own, in µs. The floor is a structured clone.',
    measure: measureCopies,
  },
  {
    name: 'worker',
    title: 'What it costs that third-party plugins run in a worker.',
    measure: measureWorker,
  },
  {
    name: 'plugins',
    title:
      'What fifty plugins in the worker add to a turn. The floor is a gateway without plugins; a minute and a half.',
    measure: measurePlugins,
  },
];

const isJson = process.argv.includes('--json');
const answer = {};
for (const { name, title, measure } of MEASUREMENTS) {
  if (isShort && measure === measurePlugins) continue;
  answer[name] = await measure();
  if (isJson) continue;
  console.log(title);
  console.table(answer[name]);
}
if (isJson) console.log(JSON.stringify(answer, null, 2));
