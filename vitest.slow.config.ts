import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/**/*.slow.ts'], testTimeout: 1_800_000, hookTimeout: 600_000, fileParallelism: false },
});
