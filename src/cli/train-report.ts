// What `epsilens train` says at the end, as data and as text.

import { join } from 'node:path';
import { isNoisy, mechanismOf, type Plan } from '../mechanisms/index.js';
import type { Model } from '../models/index.js';
import type { PrivacyResult, Scores, TrainResult } from '../training/index.js';
import { WIDTH, wrap } from './wrap.js';

export interface TrainReport {
  readonly model: string;
  readonly data: string;
  readonly out: string;
  readonly classes: readonly string[];
  readonly trained: { readonly selection: string; readonly parameters: number; readonly drawn: readonly string[] };
  /** Whether the model may be called private: a guarantee, and noise that nobody can repeat. */
  readonly private: boolean;
  readonly plan: Plan;
  readonly privacy: PrivacyResult;
  readonly finished: boolean;
  readonly steps: number;
  readonly cachedFeatures: boolean;
  readonly seconds: number;
  readonly scores: { readonly train: Scores; readonly validation?: Scores; readonly test?: Scores };
  /** Accuracy on the training part minus accuracy on the test part (validation where there is no test). */
  readonly trainTestGap?: number;
}

export interface ReportContext {
  readonly flags: {
    readonly model: string;
    readonly data: string;
    readonly out: string;
    readonly trainable: string;
  };
  readonly model: Model;
  readonly trained: readonly string[];
  readonly classes: readonly string[];
  readonly plan: Plan;
  readonly seconds: number;
}

export function summarize(
  { flags, model, trained, classes, plan, seconds }: ReportContext,
  { finished, steps, cached, privacy, train, validation, test }: TrainResult,
): TrainReport {
  const parameters = trained.reduce((sum, one) => {
    const shape = model.parameters.get(one)?.shape ?? [];
    return sum + shape.reduce((product, size) => product * size, 1);
  }, 0);
  const other = test ?? validation;
  return {
    model: flags.model,
    data: flags.data,
    out: flags.out,
    classes,
    trained: { selection: flags.trainable, parameters, drawn: model.newlyInitialized },
    private: isPrivate(privacy),
    plan,
    privacy,
    finished,
    steps,
    cachedFeatures: cached,
    seconds,
    scores: { train, ...(validation && { validation }), ...(test && { test }) },
    ...(other && { trainTestGap: train.accuracy - other.accuracy }),
  };
}

const isPrivate = ({ guarantee, insecure }: PrivacyResult): boolean =>
  guarantee !== undefined && !insecure && Number.isFinite(guarantee.epsilon) && guarantee.bound !== 'approximate';

export function describe(report: TrainReport): string {
  const { model, data, out, trained, finished, steps, seconds, scores, cachedFeatures, privacy, trainTestGap } = report;
  const head = finished
    ? `Trained ${trained.parameters.toLocaleString('en')} parameters (${trained.selection}) of ${model} on ${data}: ${steps} steps, ${seconds.toFixed(1)} s.`
    : `Stopped after step ${steps}: give --resume to go on.`;
  const rows = Object.entries(scores).map(
    ([part, { loss, accuracy, matthews, macroF1 }]: [string, Scores]) =>
      `  ${part.padEnd(12)}${loss.toFixed(3).padStart(7)}${(100 * accuracy).toFixed(1).padStart(10)} %${matthews.toFixed(3).padStart(11)}${macroF1.toFixed(3).padStart(11)}`,
  );
  const gap =
    trainTestGap === undefined ? [] : [`  train–test gap ${(100 * trainTestGap).toFixed(1)} points of accuracy`];
  const notes = [
    trained.drawn.length > 0 ? `The model had no ${trained.drawn.join(', ')}: started at random.` : '',
    cachedFeatures ? 'The frozen part ran once; its features are kept for the next run.' : '',
    privacy.nonFinite > 0 ? `${privacy.nonFinite} gradients were not finite and contributed nothing.` : '',
    privacy.zero > 0 ? `${privacy.zero} gradients were zero.` : '',
    'Dropout is off.',
  ].filter((note) => note !== '');
  return `${head}

  ${''.padEnd(12)}${'loss'.padStart(7)}${'accuracy'.padStart(12)}${'Matthews'.padStart(11)}${'macro F1'.padStart(11)}
${[...rows, ...gap].join('\n')}

${settings(report)}
${privacy.statement.flatMap((sentence) => wrap(sentence, WIDTH - 4).map((line, i) => `${i === 0 ? '  ' : '    '}${line}`)).join('\n')}

${notes.join('\n')}
Saved in ${join(out, 'model')} (Hugging Face layout).
`;
}

function settings({ plan, privacy }: TrainReport): string {
  const { mechanism, sampler, batchSize } = plan;
  const noise = mechanismOf(mechanism).describePlan(plan);
  if (!isNoisy(mechanism)) return `Privacy: ${noise}`;
  const batches =
    sampler.kind === 'poisson'
      ? `Poisson batches of ${batchSize} on average (sample rate ${figure(sampler.sampleRate)})`
      : `shuffled batches of ${batchSize}`;
  return `Privacy: ${noise}; ${batches}; ${privacy.stepsCounted} steps counted`;
}

const figure = (number: number): string => `${Number(number.toPrecision(4))}`;
