import { describe, expect, it } from 'vitest';
import {
  analyzeBootstrapBudget,
  appendBootstrapPromptWarning,
  type BootstrapInjectionStat,
  buildBootstrapInjectionStats,
  buildBootstrapPromptWarning,
  buildBootstrapPromptWarningNotice,
  buildBootstrapTruncationSignature,
  formatBootstrapTruncationWarningLines,
  resolveBootstrapWarningSignaturesSeen,
} from './budget-analysis.ts';

const stat = (name: string, rawChars: number, injectedChars: number, path = `/ws/${name}`): BootstrapInjectionStat => ({
  name,
  path,
  missing: false,
  rawChars,
  injectedChars,
  truncated: injectedChars < rawChars,
});

const analyze = (...files: BootstrapInjectionStat[]) =>
  analyzeBootstrapBudget({ files, bootstrapMaxChars: 12_000, bootstrapTotalMaxChars: 60_000 });

describe('the sizes of what was injected', () => {
  it('are found by path, by name, or by the last part of a moved path', () => {
    const bootstrapFiles = [{ name: 'A.md', path: '/ws/A.md', missing: false, content: 'hello\n' }];
    for (const path of ['/ws/A.md', 'A.md', '/sandbox/A.md', 'C:\\ws\\A.md']) {
      expect(buildBootstrapInjectionStats({ bootstrapFiles, injectedFiles: [{ path, content: 'he' }] })).toEqual([
        { name: 'A.md', path: '/ws/A.md', missing: false, rawChars: 5, injectedChars: 2, truncated: true },
      ]);
    }
  });

  it('count a missing file as nothing raw and never truncated', () => {
    const bootstrapFiles = [{ name: 'A.md', path: ' ', missing: true }];
    expect(buildBootstrapInjectionStats({ bootstrapFiles, injectedFiles: [] })).toEqual([
      { name: 'A.md', path: 'A.md', missing: true, rawChars: 0, injectedChars: 0, truncated: false },
    ]);
  });
});

describe('the analysis', () => {
  it('names the limits that were reached', () => {
    const { files, totals } = analyzeBootstrapBudget({
      files: [stat('SOUL.md', 20_000, 12_000), stat('USER.md', 5000, 3000), stat('OK.md', 10, 10)],
      bootstrapMaxChars: 12_000,
      bootstrapTotalMaxChars: 15_000,
    });
    expect(files.map((file) => file.causes)).toEqual([['per-file-limit', 'total-limit'], ['total-limit'], []]);
    expect(totals).toMatchObject({ rawChars: 25_010, injectedChars: 15_010, truncatedChars: 10_000 });
  });

  it('calls a file near its limit from 85 percent of it on', () => {
    const { files, nearLimitFiles } = analyze(stat('A.md', 10_200, 10_200), stat('B.md', 10_199, 10_199));
    expect(nearLimitFiles).toEqual([files[0]]);
  });

  it('reads senseless limits as one character', () => {
    const { totals } = analyzeBootstrapBudget({ files: [], bootstrapMaxChars: 0, bootstrapTotalMaxChars: Number.NaN });
    expect(totals).toMatchObject({ bootstrapMaxChars: 1, bootstrapTotalMaxChars: 1 });
  });
});

describe('the lines of the warning', () => {
  it('name three files, count the rest, single out AGENTS.md and say what to do', () => {
    const names = ['SOUL.md', 'USER.md', 'MEMORY.md', 'agents.md'];
    const analysis = analyze(...names.map((name) => stat(name, 20_000, 12_000)));
    expect(formatBootstrapTruncationWarningLines({ analysis })).toEqual([
      'SOUL.md: 20000 raw -> 12000 injected (~40% removed; max/file).',
      'USER.md: 20000 raw -> 12000 injected (~40% removed; max/file).',
      'MEMORY.md: 20000 raw -> 12000 injected (~40% removed; max/file).',
      '+1 more truncated file(s).',
      'AGENTS.md was truncated; read the full AGENTS.md before relying on scoped policy.',
      'If unintentional, raise agents.defaults.bootstrapMaxChars and/or agents.defaults.bootstrapTotalMaxChars.',
    ]);
    expect(formatBootstrapTruncationWarningLines({ analysis, maxFiles: 1, policyDigest: false })).toHaveLength(3);
  });

  it('tell files of the same name apart by their path', () => {
    const analysis = analyze(stat('TOOLS.md', 100, 50, '/ws/TOOLS.md'), stat('TOOLS.md', 100, 50, '/ws/sub/TOOLS.md'));
    expect(formatBootstrapTruncationWarningLines({ analysis })[0]).toBe(
      'TOOLS.md (/ws/TOOLS.md): 100 raw -> 50 injected (~50% removed).',
    );
  });

  it('are none when nothing is truncated', () => {
    expect(formatBootstrapTruncationWarningLines({ analysis: analyze(stat('A.md', 1, 1)) })).toEqual([]);
  });
});

describe('the signature', () => {
  it('is the same for the same truncation in any order', () => {
    const a = stat('A.md', 20_000, 12_000);
    const b = stat('B.md', 20_000, 12_000);
    const signature = buildBootstrapTruncationSignature(analyze(b, a));
    expect(signature).toBe(buildBootstrapTruncationSignature(analyze(a, b)));
    expect(signature).toBe(
      '{"bootstrapMaxChars":12000,"bootstrapTotalMaxChars":60000,"files":[' +
        '{"path":"/ws/A.md","rawChars":20000,"injectedChars":12000,"causes":["per-file-limit"]},' +
        '{"path":"/ws/B.md","rawChars":20000,"injectedChars":12000,"causes":["per-file-limit"]}]}',
    );
  });

  it('decides whether a warning is news', () => {
    const analysis = analyze(stat('A.md', 20_000, 12_000));
    const signature = buildBootstrapTruncationSignature(analysis) ?? '';
    expect(buildBootstrapPromptWarning({ analysis, mode: 'once' })).toMatchObject({
      warningShown: true,
      warningSignaturesSeen: [signature],
    });
    expect(buildBootstrapPromptWarning({ analysis, mode: 'once', seenSignatures: [signature] }).warningShown).toBe(
      false,
    );
    expect(buildBootstrapPromptWarning({ analysis, mode: 'once', previousSignature: signature }).lines).toEqual([]);
    expect(buildBootstrapPromptWarning({ analysis, mode: 'always', seenSignatures: [signature] }).warningShown).toBe(
      true,
    );
    expect(buildBootstrapPromptWarning({ analysis, mode: 'off', seenSignatures: ['a'] })).toMatchObject({
      warningShown: false,
      warningSignaturesSeen: ['a'],
    });
  });

  it('is remembered for the last 32 truncations', () => {
    const seenSignatures = Array.from({ length: 32 }, (_, i) => `s${i}`);
    const { signature, warningSignaturesSeen } = buildBootstrapPromptWarning({
      analysis: analyze(stat('A.md', 20_000, 12_000)),
      mode: 'once',
      seenSignatures,
    });
    expect(warningSignaturesSeen).toEqual([...seenSignatures.slice(1), signature]);
  });

  it('is read back from an earlier report', () => {
    expect(resolveBootstrapWarningSignaturesSeen(undefined)).toEqual([]);
    expect(resolveBootstrapWarningSignaturesSeen({ bootstrapTruncation: { promptWarningSignature: ' x ' } })).toEqual([
      'x',
    ]);
    expect(
      resolveBootstrapWarningSignaturesSeen({
        bootstrapTruncation: { warningMode: 'off', promptWarningSignature: 'x' },
      }),
    ).toEqual([]);
    expect(
      resolveBootstrapWarningSignaturesSeen({
        bootstrapTruncation: { warningSignaturesSeen: ['y', ' y', ''], promptWarningSignature: 'x' },
      }),
    ).toEqual(['y']);
  });
});

describe('the warning in a prompt', () => {
  it('follows the prompt after a blank line', () => {
    expect(appendBootstrapPromptWarning('hi', ['a', ' b ', ' '])).toBe(
      'hi\n\n[Bootstrap truncation warning]\nSome workspace bootstrap files were truncated before injection.\n' +
        'Treat Project Context as partial and read the relevant files directly if details seem missing.\n- a\n- b',
    );
    expect(appendBootstrapPromptWarning('', ['a'])).toMatch(/^\[Bootstrap truncation warning\]/);
  });

  it('leaves alone a prompt without lines, and one that must stay exact', () => {
    expect(appendBootstrapPromptWarning('hi', [])).toBe('hi');
    expect(appendBootstrapPromptWarning('BEAT', ['a'], { preserveExactPrompt: 'BEAT' })).toBe('BEAT');
  });

  it('is three lines without sizes in a system prompt', () => {
    expect(buildBootstrapPromptWarningNotice(['a'])?.split('\n')).toHaveLength(3);
    expect(buildBootstrapPromptWarningNotice([])).toBeUndefined();
  });
});
