// Loaded into a gateway with `--import`: the signal SIGUSR2 begins a sampling profile of the process, and the next one ends
// it and writes it to the file that `ATRIUM_BENCH_PROFILE` names. The file is there when it is complete.

import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

const file = process.env.ATRIUM_BENCH_PROFILE;
const MICROSECONDS = 250;
let session;

process.on('SIGUSR2', () => {
  if (session === undefined) begin();
  else end();
});

function begin() {
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: MICROSECONDS });
  session.post('Profiler.start');
}

function end() {
  session.post('Profiler.stop', (error, result) => {
    if (error) throw new Error(error.message);
    writeFileSync(`${file}.part`, JSON.stringify(result.profile));
    renameSync(`${file}.part`, file);
  });
  session.disconnect();
  session = undefined;
}
