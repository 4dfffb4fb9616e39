// A study that is killed at random moments, with all its processes, and run again: the same rows in the end.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectResults, studyToYaml } from '../../src/calibration/index.js';
import { openStore } from '../../src/calibration/trials/store.js';
import { seededSource, uniform } from '../../src/random/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const root = makeRoot();
const kills = 20;

/** One run of the command as a process group of its own, killed after a while unless it is done by then. */
async function runAndKill(args: readonly string[], milliseconds: number): Promise<boolean> {
  const child: ChildProcess = spawn(process.execPath, [main, ...args], { detached: true, stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const first = await Promise.race([ended.then(() => 'ended'), setTimeout(milliseconds, 'time')]);
  if (first === 'ended') return (await ended) === 0;
  process.kill(-(child.pid as number), 'SIGKILL');
  await ended;
  return false;
}

it(`gives the same rows after ${kills} kills, none twice, with whole ledgers`, async () => {
  const study = await tinyStudy(root, 'description: killed');
  const file = join(root, 'tiny.yaml');
  writeFileSync(file, studyToYaml(study));
  const [killed, whole] = [join(root, 'killed'), join(root, 'whole')];
  const random = seededSource('kills');
  let times = 0;
  while (times < kills) {
    const done = await runAndKill(['calibrate', file, '--out', killed, '--quiet'], 700 + 5000 * uniform(random));
    times++;
    // Done before the last kill: some trials are forgotten, so that there is work to be killed at.
    if (done) forgetSome(killed);
  }
  while (!(await runAndKill(['calibrate', file, '--out', killed, '--quiet'], 600_000)));
  expect(await runAndKill(['calibrate', file, '--out', whole, '--quiet', '--jobs', '1'], 600_000)).toBe(true);
  const { finished: _, ...rows } = await collectResults(killed);
  const { finished: __, ...expected } = await collectResults(whole);
  expect(rows).toEqual(expected);
  expect(rows.missing).toBe(0);
  for (const id of readdirSync(join(whole, 'artefacts'))) {
    const steps = (folder: string) => {
      const path = join(folder, 'artefacts', id, 'ledger.jsonl');
      return existsSync(path)
        ? readFileSync(path, 'utf8')
            .trim()
            .split('\n')
            .slice(1)
            .map((line) => JSON.parse(line).step as number)
        : [];
    };
    // Every step of the whole run is in the other's ledger at least once.
    expect([...new Set(steps(killed))].sort()).toEqual(steps(whole).sort());
  }
}, 1_200_000);

function forgetSome(folder: string): void {
  const store = openStore(join(folder, 'store.db'));
  for (const id of [...store.done()].slice(0, 12)) store.forget(id);
  store.close();
}
