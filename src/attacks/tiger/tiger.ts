// TIGER (after Kalikman et al. 2026, written from its description) for one sentence of known length. Adam moves continuous word
// embeddings until the inputs of the blocks lie in the subspaces of their gradients, in several restarts at once. Each embedding then
// becomes the nearest token. The tokens that fit best are decided, and the others are looked for anew with these in place.

import { ArgumentError, check } from '../../checks/index.js';
import { fillNormal, seededSource } from '../../random/index.js';
import { adam } from '../../training/index.js';
import { tokensAroundText } from '../model.js';
import type { FirstInputs } from '../span/inputs.js';
import { findSubspace } from '../span/subspace.js';
import type { GradientView, Recovery } from '../view.js';
import { solveCoefficients } from './coefficients.js';
import type { WordTable } from './nearest.js';
import { blockNames, type ObjectiveProgram } from './objective.js';

export interface TigerOptions {
  readonly steps: number;
  readonly rounds: number;
  readonly restarts: number;
  /** In standard deviations of the numbers of the word table. */
  readonly learningRate: number;
  readonly blocks: readonly number[];
  readonly table: WordTable;
  readonly inputs: FirstInputs;
  /** The compiled objective for sentences of at least this many tokens, and the tokens that it has room for. */
  readonly objective: (length: number) => Promise<{ readonly program: ObjectiveProgram; readonly tokens: number }>;
}

/** What stays the same in all rounds on one gradient. */
interface Setting extends TigerOptions {
  readonly length: number;
  readonly tokens: number;
  readonly program: ObjectiveProgram;
  /** The subspace of each block, by the name of the program's input. */
  readonly bases: Readonly<Record<string, Float32Array>>;
}

export async function tigerAttack(view: GradientView, options: TigerOptions): Promise<Recovery> {
  const { blocks, inputs, rounds } = options;
  const { hidden } = view.model.config;
  const [length] = view.lengths ?? [];
  if (length === undefined) throw new ArgumentError('TIGER needs the length of the sentence, got none');
  const isLength = (count: number) => Number.isInteger(count) && count >= 1 && count <= inputs.positions;
  check({ length }, `a whole number from 1 to ${inputs.positions}`, isLength);
  const { program, tokens } = await options.objective(length);
  const bases: Record<string, Float32Array> = {};
  for (const block of blocks) {
    const { basis } = await findSubspace(view, Math.min(length, hidden), true, block);
    const padded = new Float32Array(tokens * hidden);
    padded.set(basis);
    bases[blockNames(block).basis] = padded;
  }
  const setting = { ...options, length, tokens, program, bases };
  const known = tokensAroundText(view.model.tokenizer, length);
  const decided = new Map(known);
  const confidence = new Float64Array(length).fill(1);
  let objective = 0;
  for (let round = 0; round < rounds && decided.size < length; round++) {
    const found = await optimise(setting, decided, round);
    objective = found.objective;
    const guesses = await bestGuesses(setting, found.words, decided);
    const count = Math.ceil(guesses.length / (rounds - round));
    for (const { position, token, distance } of guesses.slice(0, count)) {
      decided.set(position, token);
      confidence[position] = 1 - distance;
    }
  }
  const sentence = Array.from({ length }, (_, position) => decided.get(position) as number);
  return {
    sentences: [sentence],
    confidence: [[...confidence]],
    figures: { objective: objective / (blocks.length * length) },
  };
}

/** Optimises the embeddings of all restarts from new random ones; those of decided tokens stay at their words. */
async function optimise(
  { program, bases, blocks, table, length, tokens, restarts, steps, learningRate, inputs }: Setting,
  decided: ReadonlyMap<number, number>,
  round: number,
): Promise<{ words: Float32Array; objective: number }> {
  const { hidden } = inputs;
  const { mean, deviation } = table;
  const words = new Float32Array(restarts * tokens * hidden);
  const normal = fillNormal(seededSource(`tiger ${round}`), new Float64Array(words.length));
  for (let i = 0; i < words.length; i++) words[i] = (mean[i % hidden] as number) + deviation * (normal[i] as number);
  const mask = Float32Array.from({ length: restarts * tokens }, (_, i) => (i % tokens < length ? 1 : 0));
  const coefficients = Object.fromEntries(
    blocks.map((block) => [blockNames(block).coefficients, new Float32Array(restarts * tokens * tokens)]),
  );
  const given = { words, mask, ...bases, ...coefficients };
  const feeds = Object.fromEntries(Object.entries(given).filter(([name]) => name in program.inputs));
  const optimizer = adam({ learningRate: learningRate * deviation });
  const state = optimizer.init({ words });
  const putDecided = () => {
    for (let start = 0; start < words.length; start += tokens * hidden)
      for (const [position, token] of decided)
        words.set(table.words.subarray(token * hidden, (token + 1) * hidden), start + position * hidden);
  };
  putDecided();
  let objective = 0;
  for (let step = 0; step < steps; step++) {
    const result = await program.run(feeds);
    for (const block of blocks) {
      const names = blockNames(block);
      const [gram, along] = [result[names.gram] as Float32Array, result[names.along] as Float32Array];
      // They serve the next step: the inputs change little from one to the next.
      solveCoefficients(gram, along, tokens, coefficients[names.coefficients] as Float32Array);
    }
    optimizer.update({ words }, { words: result.slopes as Float32Array }, state);
    putDecided();
    objective = Math.min(...(result.objective as Float32Array));
  }
  return { words, objective };
}

interface Guess {
  readonly position: number;
  readonly token: number;
  /** Squared distance of its unit input to the subspace of the first block. */
  readonly distance: number;
}

/** For each undecided position, the best of the nearest tokens of all restarts; the closest to the first block's subspace come first. */
async function bestGuesses(
  { table, tokens, length, restarts, bases, inputs }: Setting,
  words: Float32Array,
  decided: ReadonlyMap<number, number>,
): Promise<Guess[]> {
  const { hidden } = inputs;
  const open = Array.from({ length }, (_, position) => position).filter((position) => !decided.has(position));
  const places = open.flatMap((position) =>
    Array.from({ length: restarts }, (_, restart) => ({ position, start: (restart * tokens + position) * hidden })),
  );
  const nearest = await table.nearest(places.map(({ start }) => words.subarray(start, start + hidden)));
  const basis = bases[blockNames(0).basis] as Float32Array;
  const best = new Map<number, Guess>();
  for (const [i, { position }] of places.entries()) {
    const token = nearest[i] as number;
    const distance = distanceTo(basis, inputs, token, position);
    if (distance < (best.get(position)?.distance ?? Number.POSITIVE_INFINITY))
      best.set(position, { position, token, distance });
  }
  return [...best.values()].sort((a, b) => a.distance - b.distance);
}

function distanceTo(basis: Float32Array, { hidden, unit }: FirstInputs, token: number, position: number): number {
  const x = new Float64Array(hidden);
  unit(token, position, x, 0);
  let inside = 0;
  for (let start = 0; start < basis.length; start += hidden) {
    let along = 0;
    for (let i = 0; i < hidden; i++) along += (x[i] as number) * (basis[start + i] as number);
    inside += along * along;
  }
  return Math.max(0, 1 - inside);
}
