// A study that is killed at random moments, with all its processes, and run again: the same rows in the end.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectResults, studyToYaml } from '../../src/calibration/index.js';
import { openStore } from '../../src/calibration/trials/store.js';
import { integerBelow, type RandomSource, seededSource, uniform } from '../../src/random/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const root = makeRoot();
const kills = 20;

/** Runs the command as a process group of its own and kills it at a moment; true if it was done by then. */
async function runAndKill(args: readonly string[], moment?: () => boolean): Promise<boolean> {
  const child: ChildProcess = spawn(process.execPath, [main, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (text: Buffer) => {
    said += text;
  });
  const ended = once(child, 'exit');
  while (child.exitCode === null && child.signalCode === null && !moment?.()) await setTimeout(5);
  try {
    process.kill(-(child.pid as number), 'SIGKILL');
  } catch (error) {
    // The whole group has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  if (child.exitCode === null && child.signalCode === null) await ended;
  if (child.exitCode !== null && child.exitCode !== 0) throw new Error(`it ended with ${child.exitCode}: ${said}`);
  return child.exitCode === 0;
}

/** Files that trials have written so far: their number grows while a study runs, however fast. */
const countFiles = (folder: string): number =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true }).filter((name) => !`${name}`.endsWith('.tmp')).length
    : 0;

/** At some new file of a trial, and a little later; now and then while the command starts. */
function someMoment(random: RandomSource, folder: string): () => boolean {
  const files = countFiles(join(folder, 'artefacts')) + 1 + integerBelow(random, 12);
  const start = integerBelow(random, 4) === 0 ? performance.now() + 1500 * uniform(random) : Number.POSITIVE_INFINITY;
  let reached = Number.POSITIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (reached === Number.POSITIVE_INFINITY && countFiles(join(folder, 'artefacts')) >= files) {
      reached = now + 100 * uniform(random);
    }
    return now >= Math.min(start, reached);
  };
}

it(`gives the same rows after ${kills} kills, none twice, and leaves no part of a trial behind`, async () => {
  const study = await tinyStudy(root, 'description: killed');
  const file = join(root, 'tiny.yaml');
  writeFileSync(file, studyToYaml(study));
  const [killed, whole] = [join(root, 'killed'), join(root, 'whole')];
  const random = seededSource('kills');
  let times = 0;
  // After a run that was done before its kill, some trials are forgotten, so that there is work to be killed at.
  while (times < kills) {
    if (await runAndKill(['calibrate', file, '--out', killed, '--quiet'], someMoment(random, killed)))
      forgetSome(killed);
    else times++;
  }
  expect(await runAndKill(['calibrate', file, '--out', killed, '--quiet'])).toBe(true);
  expect(await runAndKill(['calibrate', file, '--out', whole, '--quiet', '--jobs', '1'])).toBe(true);
  const { finished: _, ...rows } = await collectResults(killed);
  const { finished: __, ...expected } = await collectResults(whole);
  expect(rows).toEqual(expected);
  expect(rows.missing).toBe(0);
  // Trained parameters are the same to the bit, and checkpoints are gone.
  const inside = (folder: string) => readdirSync(join(folder, 'artefacts')).filter((name) => !name.endsWith('.tmp'));
  expect(inside(killed).sort()).toEqual(inside(whole).sort());
  for (const id of inside(whole)) {
    const textOf = (folder: string) => readFileSync(join(folder, 'artefacts', id), 'utf8');
    // The records of the study lie beside the folders of its trials.
    if (id.endsWith('.json')) {
      expect(textOf(killed)).toBe(textOf(whole));
      continue;
    }
    const files = (folder: string) =>
      readdirSync(join(folder, 'artefacts', id)).filter((name) => !name.endsWith('.tmp'));
    expect(files(killed).sort()).toEqual(files(whole).sort());
    for (const name of files(whole).filter((file) => file === 'trained.safetensors')) {
      const bytes = (folder: string) => readFileSync(join(folder, 'artefacts', id, name));
      expect(bytes(killed).equals(bytes(whole))).toBe(true);
    }
  }
});

function forgetSome(folder: string): void {
  const store = openStore(join(folder, 'store.db'));
  for (const id of [...store.done()].slice(0, 12)) {
    store.forget(id);
    rmSync(join(folder, 'artefacts', id), { recursive: true, force: true });
  }
  store.close();
}
