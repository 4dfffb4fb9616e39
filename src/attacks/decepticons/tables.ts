// The word and position tables that the server sends: room for the key in the first coordinates, positions of one length.

import { ArgumentError } from '../../checks/index.js';
import { type ModelCore, readParameter } from '../../models/index.js';
import { fillNormal, type SeededSource } from '../../random/index.js';
import type { Settings } from './settings.js';

/** Word and position tables, row by row. */
export interface Tables {
  /** [vocabulary, hidden] */
  readonly words: Float32Array;
  /** [positions, hidden]: the rows that tokens get. */
  readonly positions: Float32Array;
}

/** Tables as they are sent. */
export interface SentTables extends Tables {
  /** The whole position table, of which `positions` is a part. */
  readonly positionTable: Float32Array;
}

export async function makeTables(target: ModelCore, settings: Settings, source: SeededSource): Promise<SentTables> {
  const { embeddings } = target.layout;
  const { hidden } = target.config;
  const { keyLength, keyPosition, redrawn, deviation, exclusiveKey } = settings;
  const read = async (name: string): Promise<Float32Array> => {
    const numbers = await readParameter(target, name);
    return redrawn ? fillNormal(source.stream(name), numbers, { standardDeviation: deviation }) : numbers;
  };
  const positionTable = await read(embeddings.positions.weight);
  const positions = positionTable.subarray(embeddings.positions.first * hidden);
  const tables = { words: await read(embeddings.words.weight), positions, positionTable };
  const rowsOf = (table: Float32Array) =>
    Array.from({ length: table.length / hidden }, (_, row) => table.subarray(row * hidden, (row + 1) * hidden));
  for (const row of [...rowsOf(tables.words), ...rowsOf(tables.positions)]) row.fill(0, 0, keyLength);

  const places = rowsOf(tables.positions);
  const sought = soughtPart(tables, settings, hidden);
  // Attention sees differences from the mean, so what it seeks must have mean 0.
  if (exclusiveKey) shiftToMeanZero(sought);
  for (const row of places) divideByLength(row, row.subarray(keyLength, 2 * keyLength));
  if (exclusiveKey) {
    for (const row of [...rowsOf(tables.words), ...places.filter((_, p) => p !== keyPosition)])
      removeAlong(row.subarray(keyLength, 2 * keyLength), sought);
  }
  return tables;
}

/** The part of a position's row that the first attention seeks; of length 1. */
export const soughtPart = ({ positions }: Tables, { keyLength, keyPosition }: Settings, hidden: number): Float32Array =>
  positions.subarray(keyPosition * hidden + keyLength, keyPosition * hidden + 2 * keyLength);

function shiftToMeanZero(numbers: Float32Array): void {
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  for (let i = 0; i < numbers.length; i++) numbers[i] = (numbers[i] as number) - mean;
}

function divideByLength(row: Float32Array, part: Float32Array): void {
  const length = Math.hypot(...part);
  if (length === 0)
    throw new ArgumentError(
      'position table: expected rows that are not zero where the key is, got a zero row: set redrawn',
    );
  for (let i = 0; i < row.length; i++) row[i] = (row[i] as number) / length;
}

function removeAlong(part: Float32Array, unit: Float32Array): void {
  const along = part.reduce((sum, x, i) => sum + x * (unit[i] as number), 0);
  for (let i = 0; i < part.length; i++) part[i] = (part[i] as number) - along * (unit[i] as number);
}
