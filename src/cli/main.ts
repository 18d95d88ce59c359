#!/usr/bin/env node
// The `atrium` command. One file per command; this one only lists them and turns errors into one clear sentence.

import { processIo } from './cli-io.ts';
import { runCli } from './run-cli.ts';

process.exitCode = await runCli(process.argv.slice(2), processIo());
