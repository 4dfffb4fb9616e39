// Kill -9 at any moment: the checkpoint is intact, every step that was reported is in it, and at most the step under way is lost.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadTraining, sgd } from '../../src/training/index.js';

const size = 1_000_000;
const configuration = { what: 'kill' };

/** The numbers that a process printed, one per line; a line that is cut off does not count. */
function listen(child: ChildProcess): { readonly last: () => number; readonly reach: (step: number) => Promise<void> } {
  let text = '';
  child.stdout?.on('data', (more: Buffer) => {
    text += more;
  });
  const ended = once(child, 'close');
  const last = () =>
    Number(
      text
        .slice(0, text.lastIndexOf('\n') + 1)
        .trim()
        .split('\n')
        .at(-1),
    );
  const reach = async (step: number) => {
    while (last() < step) {
      await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
      if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode} at step ${last()}`);
    }
  };
  return { last, reach };
}

it('leaves an intact checkpoint, 25 times', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'epsilens-slow-'));
  const path = join(folder, 'checkpoint.safetensors');
  const training = join(import.meta.dirname, '..', '..', 'dist', 'training', 'index.js');
  // Every step adds 1 to every parameter and saves: a torn file would hold two numbers. So many steps that no process gets to the end.
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
  let saved = 0;
  try {
    for (let kill = 0; kill < 25; kill++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const printed = listen(child);
      // At least one step of every process, and then any moment: saving takes most of a step, so most kills fall into it.
      await printed.reach(saved + 1 + (kill % 3));
      await new Promise((resolve) => setTimeout(resolve, 40 * Math.random()));
      child.kill('SIGKILL');
      await once(child, 'close');
      const parameters = { w: new Float32Array(size) };
      const state = { parameters, optimizer: sgd({ learningRate: 1, momentum: 1e-30 }).init(parameters) };
      await loadTraining(path, state, configuration);
      const { step } = state.optimizer;
      // What was said had been saved, and one more may have been saved than was said.
      expect([printed.last(), printed.last() + 1]).toContain(step);
      expect(parameters.w.every((number) => number === step)).toBe(true);
      saved = step;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
