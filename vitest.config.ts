import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Left to itself it uses one worker on two cores.
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: availableParallelism(),
    isolate: false,
    // Nothing is asked of the network; tests of the Hub have a server of their own.
    env: { HF_HUB_OFFLINE: '1' },
  },
});
