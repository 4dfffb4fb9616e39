// Gradients of a client that follows the protocol, at parameters that it did not choose.

import { ArgumentError, check } from '../../checks/index.js';
import {
  compile,
  crossEntropy,
  gradients,
  input,
  type Program,
  reduceMean,
  sliceAxis,
  type Value,
} from '../../engine/index.js';
import { type ModelCore, readParameter } from '../../models/index.js';
import type { Arrays } from '../../training/index.js';
import type { ClientLoss } from '../client-loss.js';
import { endToEnd } from '../end-to-end.js';

/** A client's sentences, and what it shares. */
export interface ClientInputs {
  /** Token ids of each sentence. */
  readonly inputIds: readonly (readonly number[])[];
  /** Names of the parameters whose gradients are shared. */
  readonly shared: readonly string[];
}

export interface SentenceGradients {
  /** The gradient of each sentence's mean loss, by the names of the shared parameters; `protect` takes them. */
  readonly of: (inputIds: ClientInputs['inputIds'], loss: ClientLoss) => Promise<Arrays[]>;
  readonly close: () => Promise<void>;
}

/** `parameters` replace the model's own. One graph per sentence length stays compiled until `close`. */
export async function openSentenceGradients(
  target: ModelCore,
  parameters: Arrays,
  shared: readonly string[],
): Promise<SentenceGradients> {
  check({ shared: shared.length }, 'at least one parameter', (count) => count > 0);
  const weights = { ...parameters };
  for (const name of shared) weights[name] ??= await readParameter(target, name);
  const programs = new Map<string, Promise<Program<string>>>();
  const gradientsOf = async (example: Example, loss: ClientLoss): Promise<Arrays> => {
    const key = `${loss.loss} ${example.ids.length} ${example.places.length}`;
    const compiling = programs.get(key) ?? compileGradients(target, Object.keys(weights), shared, loss, example);
    programs.set(key, compiling);
    const program = await compiling;
    const feeds = {
      ...weights,
      ids: bigints(example.ids),
      targets: bigints(example.targets),
      places: bigints(example.places),
      mask: new Float32Array(example.ids.length).fill(1),
    };
    const used = Object.entries(feeds).filter(([name]) => name in program.inputs);
    return (await program.run(Object.fromEntries(used), endToEnd(weights, shared))) as Arrays;
  };
  return {
    of: async (inputIds, loss) => {
      const found: Arrays[] = [];
      for (const index of inputIds.keys()) found.push(await gradientsOf(exampleOf(inputIds, index, loss), loss));
      return found;
    },
    close: async () => {
      // A graph that failed to compile has been reported where it was needed.
      for (const program of programs.values()) await (await program.catch(() => undefined))?.close();
    },
  };
}

/**
 * The gradient of each sentence's mean loss, at the model's parameters with `parameters` in place of some: what a client of a
 * malicious server computes. `protect` then clips, sums and adds noise.
 */
export async function sentenceGradients(
  target: ModelCore,
  parameters: Arrays,
  { inputIds, shared, ...loss }: ClientInputs & ClientLoss,
): Promise<Arrays[]> {
  const gradients = await openSentenceGradients(target, parameters, shared);
  try {
    return await gradients.of(inputIds, loss);
  } finally {
    await gradients.close();
  }
}

interface Example {
  readonly ids: readonly number[];
  readonly targets: readonly number[];
  /** Positions of the hidden tokens, where the loss is masked. */
  readonly places: readonly number[];
}

function exampleOf(inputIds: ClientInputs['inputIds'], index: number, loss: ClientLoss): Example {
  const ids = inputIds[index] as readonly number[];
  const least = loss.loss === 'next' ? 2 : 1;
  check({ [`tokens of sentence ${index}`]: ids.length }, `at least ${least}`, (count) => count >= least);
  switch (loss.loss) {
    case 'next':
      return { ids, targets: ids.slice(1), places: [] };
    case 'all':
      return { ids, targets: ids, places: [] };
    case 'masked': {
      const places = loss.places[index] ?? [];
      const good = places.length > 0 && places.every((place) => place >= 0 && place < ids.length);
      if (!good) throw new ArgumentError(`sentence ${index}: expected places to hide from 0 to ${ids.length - 1}`);
      const hidden = ids.map((id, place) => (places.includes(place) ? loss.maskToken : id));
      return { ids: hidden, targets: places.map((place) => ids[place] as number), places };
    }
    case 'class': {
      const label = loss.labels[index];
      if (label === undefined) throw new ArgumentError(`sentence ${index}: expected a label, got none`);
      return { ids, targets: [label], places: [] };
    }
  }
}

function compileGradients(
  target: ModelCore,
  trainable: readonly string[],
  shared: readonly string[],
  { loss }: ClientLoss,
  { ids, targets, places }: Example,
): Promise<Program<string>> {
  const tokens = ids.length;
  const built = target.build({ batch: 1, tokens, trainable });
  const wanted = (...shape: number[]) => input('targets', shape, 'i64');
  const losses = {
    next: () => crossEntropy(sliceAxis(built.lmLogits(), 1, 0, tokens - 1), wanted(1, tokens - 1)),
    all: () => crossEntropy(built.lmLogits(), wanted(1, tokens)),
    masked: () => crossEntropy(built.lmLogits(input('places', [places.length], 'i64')), wanted(targets.length)),
    class: () => crossEntropy(built.classify(), wanted(1)),
  }[loss]();
  const values = shared.map((name) => {
    const value = built.trainable[name];
    if (value === undefined)
      throw new ArgumentError(`parameter ${name} gets no gradient from this loss: do not share it`);
    return value;
  });
  const slopes = gradients(reduceMean(losses), values);
  return compile(Object.fromEntries(shared.map((name, i) => [name, slopes[i] as Value])));
}

const bigints = (numbers: readonly number[]): BigInt64Array => BigInt64Array.from(numbers, BigInt);
