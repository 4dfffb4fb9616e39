// npm run pretrain -- gpt2-mini|bert-mini --tokens N: trains a bundled model with our own engine. It may be stopped at
// any time; the same command resumes. The learning rate warms up, stays constant, and falls over the last fifth of the tokens. The
// state before the fall is kept, so that a later run with more tokens can start from there.

import { appendFileSync, copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { adamW, runLoop, type Schedule } from '../src/training/index.js';
import { causalTask } from './pretrain/causal.js';
import { exportModel } from './pretrain/export.js';
import { maskedTask } from './pretrain/masked.js';
import { type Places, prepare } from './pretrain/prepare.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tokens: { type: 'string', default: '25000000' },
    shared: { type: 'string', default: join('..', 'shared') },
    cache: { type: 'string', default: join('.cache', 'pretrain') },
  },
});
const name = positionals[0];
if (name !== 'gpt2-mini' && name !== 'bert-mini') {
  process.stderr.write('pretrain: expected gpt2-mini or bert-mini\n');
  process.exit(2);
}
const budget = Number(values.tokens);
const places: Places = {
  novels: join(values.cache, 'novels'),
  irc: join(values.shared, 'data', 'ubuntu-irc', 'users.jsonl.gz'),
  cache: values.cache,
  models: 'models',
};
if (!existsSync(places.novels)) {
  process.stderr.write(`pretrain: expected the novels as text files in ${places.novels}: unpack novels.tar.xz there\n`);
  process.exit(2);
}
mkdirSync(values.cache, { recursive: true });
const log = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

const prepared = await prepare(places, log);
const task = await (name === 'gpt2-mini'
  ? causalTask(prepared)
  : maskedTask(prepared, { teacher: join(values.shared, 'models', 'minilm-l6'), ...places }));
const steps = Math.ceil(budget / task.tokensPerStep);
const [warmup, fall] = [300, Math.round(0.8 * steps)];
const peak = 1e-3;
const schedule: Schedule = (step) =>
  peak * Math.min((step + 1) / warmup, 1, 0.05 + (0.95 * Math.max(0, steps - step)) / (steps - fall));

const folder = join(values.cache, name);
mkdirSync(folder, { recursive: true });
const [path, beforeFall] = [join(folder, `to-${steps}.safetensors`), join(folder, 'before-fall.safetensors')];
if (!existsSync(path) && existsSync(beforeFall)) copyFileSync(beforeFall, path);
const curve = join(folder, 'curve.jsonl');
mkdirSync(join('models', name), { recursive: true });

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
let [average, start, first] = [0, performance.now(), -1];
const result = await runLoop({
  parameters: task.parameters,
  optimizer: adamW({ learningRate: schedule, weightDecay: 0.01, beta2: 0.98 }),
  steps,
  compute: task.compute,
  checkpoint: { path, every: 100, configuration: { model: name, version: 1 }, resume: true },
  signal: stop.signal,
  record: async ({ step, loss }) => {
    if (first < 0) {
      [first, start, average] = [step, performance.now(), loss];
      return;
    }
    average = 0.98 * average + 0.02 * loss;
    if (step === fall || (step < fall && step % 500 === 0)) copyFileSync(path, beforeFall);
    if (step % 50 === 0) {
      const rate = ((step - first) * task.tokensPerStep * 1000) / (performance.now() - start);
      log(`step ${step}/${steps} loss ${average.toFixed(4)} ${rate.toFixed(0)} tokens/s`);
    }
    if (step % 250 === 0 || step === steps) {
      const measured = await task.measure();
      log(`step ${step} held out ${JSON.stringify(measured)}`);
      appendFileSync(
        curve,
        `${JSON.stringify({ step, tokens: step * task.tokensPerStep, loss: average, ...measured })}\n`,
      );
    }
    if (step === steps) {
      await exportModel(join('models', name), task);
      copyFileSync(curve, join('models', name, 'curve.jsonl'));
    }
  },
});
if (!result.finished) log(`stopped at step ${result.step} of ${steps}: the same command resumes`);
process.exit(0);
