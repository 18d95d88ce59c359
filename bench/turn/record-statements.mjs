// Loaded into a gateway with `--import`: it then gets its SQLite from `recording-sqlite.mjs`. A build is CommonJS, so what
// it asks for by name goes through Node's loader of that kind.

import Module from 'node:module';
import * as recording from './recording-sqlite.mjs';

const load = Module._load;
Module._load = function loadRecording(request, ...rest) {
  return request === '@photostructure/sqlite' ? recording : load.call(this, request, ...rest);
};
