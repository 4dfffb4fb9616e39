// npm run leakage: how much text the span attack recovers from gradients of fine-tuned models, at every noise level. Models
// and rows are kept in .cache/leakage, so that an interrupted study goes on; new weights or a changed attack make new rows.
// At the end the tables in docs/results.md and docs/figures/leakage.svg are written anew. --only "bert-mini CoLA" (or part of
// it) runs less, --draw nothing: the newest rows are drawn.

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
    only: { type: 'string', default: '' },
    draw: { type: 'boolean', default: false },
  },
});
const path = join(values.cache, 'rows.jsonl');

if (!values.draw) {
  for (const task of Object.keys(tasks) as TaskName[]) {
    const data = await loadTask(task, values.shared);
    for (const name of Object.keys(models) as ModelName[]) {
      if (`${name} ${task}`.includes(values.only)) await study(name, task, data);
    }
  }
}
const rows = newestRows(readRows(path));
const tables = printTables(rows);
process.stdout.write(`${tables}\n`);
writeTables(tables);
writeFigure(drawFigure(rows));
process.exit(0);

async function study(name: ModelName, task: TaskName, data: Awaited<ReturnType<typeof loadTask>>): Promise<void> {
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
