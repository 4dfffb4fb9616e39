// What `epsilens train` reports at the end, as data and as text.

import { join } from 'node:path';
import { describeRun, type FineTuneRun, type HoldOutRecord } from '../api/index.js';
import { isNoisy, mechanismOf } from '../mechanisms/index.js';
import { isAdapterParameter } from '../models/index.js';
import type { Scores } from '../training/index.js';
import { describeNotes } from './data-notes-text.js';
import { hang, WIDTH, wrap } from './wrap.js';

/** A run as `--json` prints it. */
export type TrainReport = ReturnType<typeof summarize>;

/** All but the model itself, and where it came from and went. */
export const summarize = (
  { model, data, out }: { readonly model: string; readonly data: string; readonly out: string },
  run: FineTuneRun,
) => ({ model, data, out, ...describeRun(run) });

export function describe(report: TrainReport): string {
  const { model, data, out, trainable, newlyInitialized, finished, steps, seconds, scores } = report;
  const { cachedFeatures, privacy, trainTestGap, adapter } = report;
  const head = finished
    ? `Trained ${trainable.parameters.toLocaleString('en')} parameters (${trainable.selection}) of ${model} on ${data}: ${steps} steps, ${seconds.toFixed(1)} s.`
    : `Stopped after step ${steps}: give the same command with --resume to continue.`;
  const rows = Object.entries(scores).map(
    ([part, { loss, accuracy, matthews, macroF1 }]: [string, Scores]) =>
      `  ${part.padEnd(12)}${loss.toFixed(3).padStart(7)}${(100 * accuracy).toFixed(1).padStart(10)} %${matthews.toFixed(3).padStart(11)}${macroF1.toFixed(3).padStart(11)}`,
  );
  const gap =
    trainTestGap === undefined
      ? []
      : [`  train − ${scores.test ? 'test' : 'validation'}: ${(100 * trainTestGap).toFixed(1)} points of accuracy`];
  const notes = [
    describeHoldOut(report.holdOut),
    describeNew(newlyInitialized),
    cachedFeatures ? 'The frozen part ran once; its features are cached for the next run.' : '',
    privacy.nonFinite > 0 ? `${privacy.nonFinite} gradients were not finite and contributed nothing.` : '',
    privacy.zero > 0 ? `${privacy.zero} gradients were zero.` : '',
    ...describeNotes(report.dataNotes, privacy.guarantee !== undefined),
    describeDropout(report.dropout),
  ].filter((note) => note !== '');
  return `${wrap(head).join('\n')}

  ${''.padEnd(12)}${'loss'.padStart(7)}${'accuracy'.padStart(12)}${'Matthews'.padStart(11)}${'macro F1'.padStart(11)}
${[...rows, ...gap].join('\n')}

${settings(report)}
${privacy.statement.flatMap((sentence) => wrap(sentence, WIDTH - 4).map((line, i) => `${i === 0 ? '  ' : '    '}${line}`)).join('\n')}

${notes.flatMap((note) => wrap(note)).join('\n')}
Saved in ${join(out, 'model')} (${adapter ? 'a LoRA adapter in PEFT’s layout, which names its base model' : 'Hugging Face layout'}).
`;
}

/** Whether units were dropped in training, where, and how often. */
function describeDropout(dropout: TrainReport['dropout']): string {
  if (dropout === undefined) return 'Dropout is off.';
  const { rates, frozen } = dropout;
  const [first, ...rest] = [...new Set(Object.values(rates))];
  const each =
    rest.length === 0
      ? `${first}`
      : Object.entries(rates)
          .map(([role, rate]) => `${role} ${rate}`)
          .join(', ');
  const where = frozen
    ? 'everywhere, in the frozen part too'
    : 'on what depends on trainable parameters and before the classifier';
  return `Dropout in training: ${each}; it acts ${where}. Scores are without dropout.`;
}

/** Parameters that started at random; an adapter is one word, because it changes nothing at first. */
function describeNew(names: readonly string[]): string {
  const [others, own] = [names.filter((one) => !isAdapterParameter(one)), names.filter(isAdapterParameter)];
  const adapter = own.length > 0 ? `A new LoRA adapter of ${own.length / 2} layers was added.` : '';
  const random = others.length > 0 ? `The model had no ${others.join(', ')}: these parameters started at random.` : '';
  return [random, adapter].filter((one) => one !== '').join(' ');
}

/** What was held out, and why; nothing to say if nothing was. */
function describeHoldOut({ share, examples, heldOut, omitted, byDefault, asValidation }: HoldOutRecord): string {
  if (heldOut === 0) return '';
  const why = byDefault ? ', because the data has neither validation nor test labels (--hold-out 0 trains on all)' : '';
  const use = asValidation ? ' They are the validation above.' : '';
  const rest = omitted === 0 ? '' : ` ${omitted} of their groups whose text is trained on serve neither.`;
  return `Held out ${heldOut.toLocaleString('en')} of ${examples.toLocaleString('en')} training examples at random (a share of ${share})${why}.${use}${rest}`;
}

function settings({ plan, privacy }: Pick<TrainReport, 'plan' | 'privacy'>): string {
  const { mechanism, sampler, batchSize } = plan;
  const noise = mechanismOf(mechanism).describePlan(plan);
  if (!isNoisy(mechanism)) return hang('Privacy: ', noise).join('\n');
  const batches =
    sampler.kind === 'poisson'
      ? `Poisson batches of ${batchSize} on average (sample rate ${figure(sampler.sampleRate)})`
      : `shuffled batches of ${batchSize}`;
  return hang('Privacy: ', `${noise}; ${batches}; ${privacy.stepsCounted} steps counted`).join('\n');
}

const figure = (number: number): string => `${Number(number.toPrecision(4))}`;
