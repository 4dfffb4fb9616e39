// The malicious parameters (Fowl et al., "Decepticons", 2023): the architecture is unchanged, every sentence gets a key, every token
// is measured, and the units of all feed-forwards together sort the tokens by that measurement.

import { ArgumentError } from '../../checks/index.js';
import { type ModelCore, parameterNames } from '../../models/index.js';
import type { SeededSource } from '../../random/index.js';
import type { Arrays } from '../../training/index.js';
import { drawMeasurement, makeThresholds, measureRows, randomRows } from './measurement.js';
import { makeParameterWriter, type ParameterWriter } from './parameter-writer.js';
import { type Attacker, type Settings, settingsFor } from './settings.js';
import { makeTables, type SentTables, soughtPart, type Tables } from './tables.js';

/** Settings of the attack. Default: those of the attacker for this model. */
export interface MaliciousOptions extends Partial<Omit<Settings, 'attacker'>> {
  /** Default: `noise-aware`. */
  readonly attacker?: Attacker;
  /** Token ids of other sentences like the expected ones, which place the thresholds. Default: random tokens. */
  readonly text?: readonly (readonly number[])[];
  /** The random source of tables, measurement and random tokens. */
  readonly random: SeededSource;
}

/** One change that the server made to the model. */
interface Change {
  /** Names of the parameters. */
  readonly names: readonly string[];
  /** How they were changed, in words. */
  readonly what: string;
}

/** The parameters that the server sends, and what it keeps to read the gradients that come back. */
export interface Malicious {
  /** Only parameters that differ from the model's own. */
  readonly parameters: Arrays;
  readonly changes: readonly Change[];
  readonly settings: Settings;
  /** The word and position tables that were sent. */
  readonly tables: Tables;
  /** The thresholds of each feed-forward that is read; the last of one is the first of the next. */
  readonly thresholds: readonly Float64Array[];
}

/** Computes the parameters that a malicious server sends, by which gradients reveal single tokens. */
export async function maliciousParameters(target: ModelCore, options: MaliciousOptions): Promise<Malicious> {
  const { attacker = 'noise-aware', text, random, ...changed } = options;
  const settings = settingsFor(target, attacker, changed);
  const { hidden, intermediateSize: inner, layers } = target.config;
  const read = settings.equalise ? layers - 1 : layers;
  if (read === 0) throw new ArgumentError('equalise: expected a model with two or more layers, got one');

  const tables = await makeTables(target, settings, random);
  const measurement = drawMeasurement(random.stream('measurement'), hidden, settings.keyLength);
  const rows = text ?? randomRows(random.stream('rows'), target.config);
  const values = measureRows(target, tables, settings, measurement, rows);
  if (values.length < 2) throw new ArgumentError(`text: expected at least two tokens to measure, got ${values.length}`);
  const all = makeThresholds(values, read * (inner - 1) + 1);
  const thresholds = Array.from({ length: read }, (_, layer) =>
    all.slice(layer * (inner - 1), (layer + 1) * (inner - 1) + 1),
  );
  const message = { writer: makeParameterWriter(target), target, settings };
  const changes = [
    ...setTables(message, tables),
    setNorms(message),
    ...setAttention(message, soughtPart(tables, settings, hidden)),
    ...setFeedForwards(message, measurement, thresholds),
  ];
  return { parameters: message.writer.arrays, changes, settings, tables, thresholds };
}

interface Message {
  readonly writer: ParameterWriter;
  readonly target: ModelCore;
  readonly settings: Settings;
}

function setTables({ writer, target, settings }: Message, tables: SentTables): Change[] {
  const { words, positions, tokenTypes } = target.layout.embeddings;
  writer.set(words.weight, tables.words);
  writer.set(positions.weight, tables.positionTable);
  const change = { names: parameterNames(words, positions), what: describeTables(settings) };
  if (tokenTypes === undefined) return [change];
  writer.fill(tokenTypes.weight, 0);
  return [change, { names: parameterNames(tokenTypes), what: 'zero: sentence types would only blur the tables' }];
}

function setNorms({ writer, target, settings: { gain } }: Message): Change {
  const { embeddings, blocks } = target.layout;
  const others = blocks.flatMap(({ norms }) => [norms.beforeAttention, norms.afterFeedForward]);
  const plain = [embeddings.norm, ...others].filter((norm) => norm !== undefined);
  const read = blocks.map(({ norms }) => norms.beforeFeedForward);
  for (const [norms, size] of [
    [plain, 1],
    [read, gain],
  ] as const) {
    for (const { weight, bias } of norms) {
      writer.fill(weight, size);
      writer.fill(bias, 0);
    }
  }
  return {
    names: parameterNames(...plain, ...read),
    what: `shift 0, gain 1${gain === 1 ? '' : `, before the feed-forwards ${gain}`}`,
  };
}

function setAttention({ writer, target, settings }: Message, sought: Float32Array): Change[] {
  const { keyLength, keyPosition, skew, equalise } = settings;
  return target.layout.blocks.map(({ query, key, value, attentionOutput: output }, layer) => {
    const maps = [query, key, value, output];
    for (const map of maps) writer.clear(map);
    const names = parameterNames(...maps);
    if (layer === 0) {
      for (let i = 0; i < keyLength; i++) {
        writer.bias(query, keyLength + i, skew * (sought[i] as number));
        writer.weight(value, i, keyLength + i, 1);
        writer.bias(value, i, -(sought[i] as number));
      }
      writer.diagonal(key, 1);
      writer.diagonal(output, 1);
      return { names, what: `all tokens attend to position ${keyPosition}: its embedding is the key of the sentence` };
    }
    if (!equalise || layer < target.config.layers - 1) return { names, what: 'zero: sentences are left as they are' };
    writer.diagonal(key, 1);
    writer.diagonal(value, 1);
    writer.diagonal(output, 10);
    return { names, what: 'all tokens attend equally to all: each gets a share of every loss' };
  });
}

function setFeedForwards(
  { writer, target, settings }: Message,
  measurement: Float64Array,
  thresholds: readonly Float64Array[],
): Change[] {
  const { hidden, intermediateSize: inner } = target.config;
  const { scale, gain, eps } = settings;
  return target.layout.blocks.flatMap(({ intermediate: first, feedForwardOutput: second }, layer) => {
    for (const map of [first, second]) writer.clear(map);
    const own = thresholds[layer];
    if (own === undefined)
      return [{ names: parameterNames(first, second), what: 'zero: nothing is read after equalising' }];
    for (let unit = 0; unit < inner; unit++) {
      for (let i = 0; i < hidden; i++) writer.weight(first, unit, i, (scale / gain) * (measurement[i] as number));
      writer.bias(first, unit, -scale * (own[unit] as number));
      writer.weight(second, hidden - 1, unit, eps / hidden);
    }
    return [
      {
        names: parameterNames(first),
        what: `every row holds the same measurement, times ${scale / gain}; the biases are thresholds from ${own[0]} to ${own.at(-1)}, times ${-scale}`,
      },
      { names: parameterNames(second), what: `every unit adds only to the last coordinate, times ${eps / hidden}` },
    ];
  });
}

const describeTables = ({ keyLength, redrawn, exclusiveKey, keyPosition }: Settings): string =>
  [
    redrawn ? 'redrawn' : 'kept',
    `the first ${keyLength} columns zero`,
    `positions divided by the length of their columns ${keyLength} to ${2 * keyLength}`,
    ...(exclusiveKey ? [`only position ${keyPosition} has a part along its own`] : []),
  ].join(', ');
