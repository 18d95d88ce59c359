import { describe, expect, it } from 'vitest';
import { findSdkImports } from './find-sdk-imports.ts';

const names = (code: string) => findSdkImports(code).map(({ specifier, name }) => `${specifier}#${name}`);

describe('the names that a compiled file imports from the SDK', () => {
  it('are found however it was compiled', () => {
    const core = 'openclaw/plugin-sdk/core';
    expect(names(`var _core = await jitiImport("${core}"); const f = () => (0, _core.later)(_core.now);`)).toEqual([
      `${core}#later`,
      `${core}#now`,
    ]);
    expect(names(`const core_1 = require("${core}"); (0, core_1.called)();`)).toEqual([`${core}#called`]);
    expect(names(`module.exports=(0,require("${core}").made)({id:1});`)).toEqual([`${core}#made`]);
    expect(names(`var import_core = require('${core}'); import_core.used;`)).toEqual([`${core}#used`]);
    expect(
      names(
        `Object.defineProperty(exports, "x", { get: () => _sdk.x }); var _sdk = await jitiImport("atrium/plugin-sdk");`,
      ),
    ).toEqual(['atrium/plugin-sdk#x']);
  });

  it('are found in what people write for CommonJS', () => {
    const code = `const { a, b: renamed, c = 1 } = require('openclaw/plugin-sdk');`;
    expect(names(code)).toEqual(['openclaw/plugin-sdk#a', 'openclaw/plugin-sdk#b']);
  });

  it('are not those that are looked for on the whole module, or after the start', () => {
    expect(names(`var all = _core; var sdk = await jitiImport("openclaw/plugin-sdk"); sdk.maybe?.();`)).toEqual([]);
    expect(names(`const { q } = await Promise.resolve().then(() => jitiImport('openclaw/plugin-sdk/dyn'));`)).toEqual(
      [],
    );
    expect(
      names(`var _core = await jitiImport("openclaw/plugin-sdk/core"); _core.default; other._core.nothing; my_core.x;`),
    ).toEqual([]);
    expect(names(`require("openclaw/plugin-sdk/core").maybe?.();`)).toEqual([]);
    expect(names(`var _other = require("some-package"); _other.thing;`)).toEqual([]);
  });

  it('are found quickly in a long file', () => {
    const long = `var _core = await jitiImport("openclaw/plugin-sdk/core");${'const { a, b } = thing;'.repeat(20_000)}_core.end;`;
    expect(names(long)).toEqual(['openclaw/plugin-sdk/core#end']);
  });
});
