// The door to the benchmarks that are asked for most: what a turn costs, or with `--compare` what it costs here and in another
// revision beside each other. Everything else is handed on.
//
//   npm run bench -- [flags of bench:turn]
//   npm run bench -- --compare REVISION [flags of bench:compare]

const at = process.argv.indexOf('--compare');
if (at === -1) await import('./turn.mjs');
else {
  process.argv[at] = '--rev';
  await import('./compare.mjs');
}
