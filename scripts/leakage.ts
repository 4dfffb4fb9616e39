// npm run leakage: how much text the span attack recovers from gradients of fine-tuned models, at every noise level. Models
// and rows are kept in .cache/leakage, so that an interrupted study goes on; new weights or a changed attack make new rows.
// At the end the tables in docs/results.md and docs/figures/leakage.svg are written anew. --only "bert-mini CoLA" measures that
// and draws nothing, --draw draws the newest rows and measures nothing.

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { drawFigure } from './leakage/figure.js';
import { fineTuned, loadTask } from './leakage/fine-tune.js';
import { attackDigest, openVictim, type Victim } from './leakage/measure.js';
import { writeFigure, writeTables } from './leakage/pages.js';
import { appendRow, keyOf, newestRows, readRows, summarize } from './leakage/rows.js';
import { levels, type ModelName, models, sentenceCount, type TaskName, tasks } from './leakage/settings.js';
import { printTables } from './leakage/tables.js';

const { values } = parseArgs({
  options: {
    shared: { type: 'string', default: join('..', 'shared') },
    cache: { type: 'string', default: join('.cache', 'leakage') },
    only: { type: 'string' },
    draw: { type: 'boolean', default: false },
  },
});
const path = join(values.cache, 'rows.jsonl');
const pairs = (Object.keys(models) as ModelName[]).flatMap((model) =>
  (Object.keys(tasks) as TaskName[]).map((task) => ({ model, task, name: `${model} ${task}` })),
);

if (values.only !== undefined) {
  const chosen = pairs.filter(({ name }) => name === values.only);
  if (chosen.length === 0) throw new Error(`expected one of ${pairs.map(({ name }) => name).join(', ')}`);
  for (const { model, task } of chosen) await study(model, task);
  process.exit(0);
}
if (!values.draw) await studyAll();
const rows = newestRows(readRows(path));
const tables = printTables(rows);
process.stdout.write(`${tables}\n`);
writeTables(tables);
writeFigure(drawFigure(rows));
process.exit(0);

/** One process for each pair, as many at a time as there are cores: most of the attack runs on one thread. */
async function studyAll(): Promise<void> {
  const waiting = [...pairs];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const args = [import.meta.filename, '--shared', values.shared, '--cache', values.cache, '--only', next.name];
      const child = spawn(process.execPath, args, { stdio: 'inherit' });
      const code = await new Promise((resolve) => child.once('exit', resolve));
      if (code !== 0) throw new Error(`${next.name}: stopped with ${code}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(pairs.length, availableParallelism()) }, work));
}

async function study(name: ModelName, task: TaskName): Promise<void> {
  const data = await loadTask(task, values.shared);
  const { model, accuracy } = await fineTuned(name, task, data, values);
  const { tokens } = tasks[task];
  const setting = { model: name, task, sentences: sentenceCount, weights: model.digest, attack: attackDigest() };
  const done = new Set(readRows(path).map(keyOf));
  let victim: Victim | undefined;
  for (const level of levels) {
    if (done.has(keyOf({ ...setting, ...level }))) continue;
    victim ??= await openVictim(model, data, { count: sentenceCount, tokens });
    const start = performance.now();
    const figures = await victim.attackAt(level);
    const seconds = (performance.now() - start) / 1000;
    const row = { ...setting, ...level, figures, accuracy, norm: victim.norm, seconds };
    appendRow(path, row);
    const { recall, cosine } = summarize(row);
    const said = `ROUGE-L ${recall.mean.toFixed(3)}, cosine ${cosine.mean.toFixed(3)}, ${seconds.toFixed(1)} s`;
    process.stderr.write(`${name} ${task} ${level.mechanism} ${level.level}: ${said}\n`);
  }
  await victim?.close();
}
