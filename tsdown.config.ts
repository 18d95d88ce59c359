import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/public/context.ts', 'src/cli/main.ts'],
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  unbundle: true,
  clean: true,
  fixedExtension: false,
});
