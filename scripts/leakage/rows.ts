// What was measured, one line of JSON a level, with the figures of every sentence: means and intervals follow from them.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type MeanWithInterval, meansWithIntervals } from '../../src/metrics/index.js';
import { seededSource } from '../../src/random/index.js';
import { type Level, levels, type ModelName, type TaskName } from './settings.js';

export interface Setting extends Level {
  readonly model: ModelName;
  readonly task: TaskName;
  readonly sentences: number;
  /** Digest of the model's weights. */
  readonly weights: string;
  /** Digest of the attack's code. */
  readonly attack: string;
}

/** One number a sentence. */
export interface Figures {
  /** ROUGE-L: share of the reference's words recovered in order. */
  readonly recall: readonly number[];
  /** ROUGE-L as in the paper: longest common subsequence over the longer text. */
  readonly ofLonger: readonly number[];
  /** The same two when the gradient is of another sentence. */
  readonly floorRecall: readonly number[];
  readonly floorOfLonger: readonly number[];
  /** Cosine of what was shared to the true gradient, overall. */
  readonly cosine: readonly number[];
}

export interface Row extends Setting {
  readonly figures: Figures;
  /** Of the fine-tuned model on the test part. */
  readonly accuracy: number;
  /** Norm of the shared gradient before it is bounded: the median. */
  readonly norm: number;
  readonly seconds: number;
}

export const keyOf = ({ model, task, mechanism, level, sentences, weights, attack }: Setting): string =>
  JSON.stringify([model, task, mechanism, level, sentences, weights, attack]);

export function readRows(path: string): Row[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  // A line cut off by a crash is measured again.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return whole.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}

export function appendRow(path: string, row: Row): void {
  mkdirSync(dirname(path), { recursive: true });
  const short = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);
  appendFileSync(path, `${JSON.stringify(row, short)}\n`);
}

/** The newest row of every level of the settings. */
export function newestRows(rows: readonly Row[]): Row[] {
  const wanted = new Set(levels.map(nameOf));
  const current = rows.filter((row) => wanted.has(nameOf(row)));
  return [...new Map(current.map((row) => [`${row.model} ${row.task} ${nameOf(row)}`, row])).values()];
}

const nameOf = ({ mechanism, level }: Level): string => `${mechanism} ${level}`;

export type Summary = Readonly<Record<keyof Figures, MeanWithInterval>>;

/** Means with 95 % bootstrap intervals over the sentences. */
export const summarize = ({ figures }: Row): Summary =>
  meansWithIntervals(seededSource('leakage').stream('intervals'), { ...figures }) as Summary;
