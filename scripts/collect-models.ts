// The command `npm run collect:models -- FOLDER DATE`: reads windows, limits, input kinds and prices of models out of an
// unpacked npm package @earendil-works/pi-ai and writes them as data into src/config/model-catalog/. DATE is the day on
// which that version was published. Only facts are taken. A price of zero stands for an unknown one there, except for
// models that call themselves free, so it is left out.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROVIDERS = [
  ...['anthropic', 'deepseek', 'fireworks', 'google', 'groq', 'mistral', 'openai', 'openrouter', 'together', 'xai'],
];
const TARGET = fileURLToPath(new URL('../src/config/model-catalog/', import.meta.url));

interface GivenModel {
  readonly id: string;
  readonly type: string;
  readonly input: readonly string[];
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly cost: GivenPrices & { readonly tiers?: readonly (GivenPrices & { readonly inputTokensAbove: number })[] };
}

interface GivenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

function collect(folder: string, date: string): void {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  writeFileSync(
    join(TARGET, 'catalog-source.ts'),
    `// Where the figures of this folder come from. Written by scripts/collect-models.ts.\n\nexport const CATALOG_DATE = '${date}';\nexport const CATALOG_SOURCE = '${name} ${version}';\n`,
  );
  for (const provider of PROVIDERS) {
    const given = JSON.parse(readFileSync(join(folder, 'dist/providers/data', `${provider}.json`), 'utf8')) as Record<
      string,
      Record<string, GivenModel>
    >;
    const models = Object.values(given)
      .flatMap((group) => Object.values(group))
      .filter(({ type, id }) => type === 'chat' && !id.startsWith('~'));
    const rows = models.map((model) => `  ${JSON.stringify(rowOf(model))},`).toSorted();
    writeFileSync(
      join(TARGET, `${provider}.ts`),
      `// Models of ${provider}, of ${date}, from ${name} ${version}. Written by scripts/collect-models.ts.\n\nimport type { CatalogRow } from './catalog.ts';\n\n// biome-ignore format: one line for each model.\nexport const MODELS: readonly CatalogRow[] = [\n${rows.join('\n')}\n];\n`.replaceAll(
        '"',
        "'",
      ),
    );
  }
}

function rowOf({ id, contextWindow, maxTokens, input, cost }: GivenModel): readonly (string | number)[] {
  const kinds = input.filter((kind) => /^[a-z]+$/.test(kind)).join(' ');
  const isKnown = cost.input > 0 || cost.output > 0 || id.endsWith(':free');
  const tiers = (cost.tiers ?? []).toSorted((a, b) => a.inputTokensAbove - b.inputTokensAbove);
  const prices = isKnown
    ? [...pricesOf(cost), ...tiers.flatMap((tier) => [tier.inputTokensAbove + 1, ...pricesOf(tier)])]
    : [];
  return [id, contextWindow, maxTokens, kinds, ...prices];
}

function pricesOf({ input, output, cacheRead, cacheWrite }: GivenPrices): readonly number[] {
  return [input, output, cacheRead || -1, cacheWrite || -1];
}

const [folder, date] = process.argv.slice(2);
if (!folder || !/^\d{4}-\d\d-\d\d$/.test(date ?? '')) {
  process.stderr.write('Usage: npm run collect:models -- FOLDER YYYY-MM-DD\n');
  process.exitCode = 2;
} else collect(folder, date ?? '');
