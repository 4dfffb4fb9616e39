// Kill -9 at any moment of a private run: the ledger is never behind the checkpoint, and the run ends as without kills.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadModel, openSafetensors } from '../../src/models/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const [model, data] = [join(root, 'model'), join(root, 'data')];
// Far more than the steps that fifty processes do before they are killed.
const epochs = 400;
const steps = 5 * epochs;
const kills = 50;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits for an event, or for the end of the process. */
async function waitFor(child: ChildProcess, isReached: () => boolean | Promise<boolean>): Promise<void> {
  while (child.exitCode === null && !(await isReached())) await pause(2);
}

/** Stops the process where a step is in the ledger and not yet in the checkpoint. */
async function stopInStep(child: ChildProcess, out: string): Promise<void> {
  const isUnderWay = async () => new Set(ledgerOf(out)).size > (await savedStep(out));
  await waitFor(child, async () => {
    if (!(await isUnderWay())) return false;
    child.kill('SIGSTOP');
    // What was on disk before it stopped may have changed until it did.
    if (await isUnderWay()) return true;
    child.kill('SIGCONT');
    return false;
  });
}

/** Kills are at the start, at a step, and where a step is certainly under way. None depends on how fast the machine is. */
async function waitForMoment(child: ChildProcess, out: string, kill: number): Promise<void> {
  const before = ledgerOf(out).length;
  const begun = (count: number) => waitFor(child, () => ledgerOf(out).length >= before + count);
  if (kill % 5 === 0 && process.platform !== 'win32') {
    await begun(1);
    await stopInStep(child, out);
  } else if (kill % 2 === 0) await Promise.race([pause(1500 * Math.random()), begun(5)]);
  else {
    await begun(2);
    await pause(20 * Math.random());
  }
}

/** Steps in the ledger; a line that is cut off does not count. */
function ledgerOf(out: string): number[] {
  const path = join(out, 'ledger.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(1, -1);
  return lines.map((line) => JSON.parse(line).step as number);
}

async function savedStep(out: string): Promise<number> {
  const path = join(out, 'checkpoint.safetensors');
  return existsSync(path) ? Number((await openSafetensors(path)).metadata.step) : 0;
}

const weightsOf = async (out: string) => {
  const { parameters } = await loadModel(join(out, 'model'));
  return [...((await parameters.get('classifier.weight')?.read()) ?? [])];
};

it.each([
  ['gaussian', ['--noise', '1', '--accountant', 'rdp']],
  ['directional', ['--concentration', '50']],
])(
  `%s: ${kills} kills lose no entry and change no number`,
  async (mechanism, own) => {
    if (!existsSync(data)) {
      await writeTiny(model, 'bert', { without: /^classifier/ });
      mkdirSync(data);
      const rows = Array.from({ length: 40 }, (_, i) => `${i % 2 === 0 ? 'a a' : 'b b'}\t${i % 2}`);
      writeFileSync(join(data, 'train.tsv'), ['sentence\tlabel', ...rows].join('\n'));
    }
    const out = join(root, mechanism);
    const args = [
      ...[
        'train',
        '--model',
        model,
        '--data',
        data,
        '--trainable',
        'head',
        '--batch-size',
        '8',
        '--epochs',
        `${epochs}`,
      ],
      ...['--mechanism', mechanism, ...own, '--insecure-seed', '3', '--quiet', '--json'],
    ];
    const finish = (folder: string) => {
      const { status, stdout } = spawnSync(process.execPath, [main, ...args, '--out', folder, '--resume'], {
        encoding: 'utf8',
      });
      expect(status).toBe(0);
      return JSON.parse(stdout);
    };

    let undone = 0;
    for (let kill = 0; kill < kills; kill++) {
      const before = ledgerOf(out).length;
      const child = spawn(process.execPath, [main, ...args, '--out', out, '--resume'], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      await waitForMoment(child, out, kill);
      child.kill('SIGKILL');
      const [code] = await ended;
      // On a machine so fast that all steps are done, there is nothing left to kill.
      if (code === 0) break;
      expect(code).toBe(null);
      const entries = ledgerOf(out);
      const counted = new Set(entries);
      const saved = await savedStep(out);
      for (let step = 0; step < saved; step++) expect(counted.has(step)).toBe(true);
      // At most the step under way is lost.
      expect(counted.size - saved).toBeLessThanOrEqual(1);
      // A step of this process that is not in the checkpoint will be repeated and counted again.
      undone += Number(entries.length > before && counted.size > saved);
    }
    const saved = await savedStep(out);

    const killed = finish(out);
    const whole = finish(join(root, `${mechanism} whole`));
    expect([killed.finished, killed.steps, whole.steps]).toEqual([true, steps, steps]);
    expect(undone).toBeGreaterThan(0);
    expect(killed.privacy.stepsCounted).toBeGreaterThanOrEqual(steps + undone);
    expect(killed.privacy.guarantee.epsilon).toBeGreaterThanOrEqual(whole.privacy.guarantee.epsilon);
    expect(whole.privacy.stepsCounted).toBe(steps);
    expect(await weightsOf(out)).toEqual(await weightsOf(join(root, `${mechanism} whole`)));
    console.log(
      `${mechanism}: ${saved} steps during ${kills} kills, ${killed.privacy.stepsCounted} counted for ${steps}, ε ${killed.privacy.guarantee.epsilon} against ${whole.privacy.guarantee.epsilon}`,
    );
  },
  1_200_000,
);
