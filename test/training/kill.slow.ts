// Kill -9 at any moment: the checkpoint is intact, and training resumes from it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadTraining, sgd } from '../../src/training/index.js';

const size = 1_000_000;
const configuration = { what: 'kill' };

it('leaves an intact checkpoint, 25 times', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'epsilens-slow-'));
  const path = join(folder, 'checkpoint.safetensors');
  const training = join(import.meta.dirname, '..', '..', 'dist', 'training', 'index.js');
  // Every step adds 1 to every parameter and saves: a torn file would hold two numbers.
  const script = `
    import { runLoop, sgd } from ${JSON.stringify(training)};
    const parameters = { w: new Float32Array(${size}) };
    const gradients = { w: new Float32Array(${size}).fill(-1) };
    await runLoop({
      parameters,
      optimizer: sgd({ learningRate: 1, momentum: 1e-30 }),
      steps: 1e6,
      compute: async () => ({ loss: 1, gradients }),
      checkpoint: {
        path: ${JSON.stringify(path)}, every: 1, resume: true, configuration: ${JSON.stringify(configuration)},
      },
      onStep: ({ step }) => void process.stdout.write(step + '\\n'),
    });
  `;
  let last = 0;
  try {
    for (let kill = 0; kill < 25; kill++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = 0;
      child.stdout.on('data', (text: Buffer) => {
        said = Number(text.toString().trim().split('\n').at(-1));
      });
      // A step is printed before it is saved: when the second of this process is printed, the first is on disk.
      while (said < last + 2) await once(child.stdout, 'data');
      // Saving takes most of a step, so most kills fall into it.
      await new Promise((resolve) => setTimeout(resolve, 7 * kill + Math.random() * 20));
      child.kill('SIGKILL');
      await once(child, 'close');
      const parameters = { w: new Float32Array(size) };
      const state = { parameters, optimizer: sgd({ learningRate: 1, momentum: 1e-30 }).init(parameters) };
      expect(existsSync(path)).toBe(true);
      await loadTraining(path, state, configuration);
      const { step } = state.optimizer;
      // At most the current step is lost; the last line printed may not have arrived.
      expect([said - 1, said, said + 1]).toContain(step);
      expect(step).toBeGreaterThan(last);
      expect(parameters.w.every((number) => number === step)).toBe(true);
      last = step;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
