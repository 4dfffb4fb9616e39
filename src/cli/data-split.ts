// `epsilens data --split`: divides a data set, and writes a folder that other commands read as it is.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import {
  type DataSet,
  type Example,
  paperSplit,
  pick,
  type SplitName,
  splitNames,
  splitShares,
  splitWays,
  undersample,
} from '../data/index.js';
import { writePrivate, writePrivateJson } from '../platform/index.js';
import { seededSource } from '../random/index.js';
import { hang } from './wrap.js';

interface MadeSplit {
  readonly record: unknown;
  readonly parts: readonly { readonly name: string; readonly examples: readonly Example[] }[];
  /** Splits of the data set whose names the parts have now. */
  readonly replaced: readonly SplitName[];
}

/** Divides the split train. */
export function makeSplit(dataSet: DataSet, kind: string, seed: number): MadeSplit {
  const source = seededSource(seed);
  if (kind === 'calibration-paper') {
    const { record, dataSet: made } = paperSplit(dataSet, source);
    const parts = Object.entries(made.splits).map(([name, examples]) => ({ name, examples }));
    return { record, parts, replaced: [] };
  }
  const { train } = dataSet.splits;
  if (train === undefined) throw new ArgumentError(`${dataSet.name}: expected a split train to divide, got none`);
  const ways = /^(\d+)-way$/.exec(kind);
  const isShares = /^\d+(\.\d+)?(\/\d+(\.\d+)?)+$/.test(kind);
  if (kind !== 'balanced' && ways === null && !isShares) {
    throw new ArgumentError(
      `invalid --split: expected shares such as 90/10, 11-way, balanced or calibration-paper, got ${kind}`,
    );
  }
  const shares = kind.split('/').map((share) => Number(share) / 100);
  const { parts, record } = isShares
    ? splitShares(train, shares, source)
    : ways === null
      ? undersample(train, source)
      : splitWays(train, Number(ways[1]), source);
  const names = ways === null ? namesOf(parts.length, dataSet) : [];
  const made = parts.map((indices, index) => ({
    name: names[index] ?? `part-${index + 1}`,
    examples: pick(train, indices),
  }));
  return { record, ...withOthers(made, dataSet) };
}

/**
 * Up to three parts are splits that other commands know: train; train and test, or validation if there is a test split already;
 * all three. More parts are only numbered.
 */
function namesOf(count: number, { splits }: DataSet): readonly SplitName[] {
  if (count === 2)
    return ['train', splits.test !== undefined && splits.validation === undefined ? 'validation' : 'test'];
  return count <= splitNames.length ? splitNames.slice(0, count) : [];
}

/** Named parts come with the other splits of the data set, so that the folder is a whole one. */
function withOthers(parts: MadeSplit['parts'], { splits }: DataSet): Omit<MadeSplit, 'record'> {
  if (parts[0]?.name !== 'train') return { parts, replaced: [] };
  const others = splitNames.flatMap((name) => {
    const examples = name === 'train' ? undefined : splits[name];
    return examples === undefined ? [] : [{ name, examples }];
  });
  const isTaken = ({ name }: { readonly name: string }) => parts.some((part) => part.name === name);
  return {
    parts: [...parts, ...others.filter((other) => !isTaken(other))],
    replaced: others.filter(isTaken).map(({ name }) => name),
  };
}

/** Writes one file of JSON lines per part. */
export async function writeSplit(folder: string, split: MadeSplit, { classes }: DataSet): Promise<void> {
  const record = join(folder, 'split.json');
  await expectEmpty(folder);
  for (const { name, examples } of split.parts) {
    const lines = examples.map(({ text, label, group }) =>
      JSON.stringify({
        text,
        ...(label !== undefined && { label: classes[label] }),
        ...(group !== undefined && { group }),
      }),
    );
    await writePrivate(join(folder, `${name}.jsonl`), lines.map((line) => `${line}\n`).join(''));
  }
  // Written last, so that a folder with a record is complete.
  await writePrivateJson(record, split.record);
}

/** Files of the same names would be overwritten, perhaps the data themselves, and other ones read as splits too. */
async function expectEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [] as string[]);
  if (names.length === 0) return;
  const what = names.includes('split.json') ? 'a split' : `files, such as ${names.sort()[0]}`;
  throw new ArgumentError(`${folder} already holds ${what}: choose another folder with --out`);
}

/** The split in words. */
export function describeSplit({ parts, replaced }: MadeSplit, out: string | undefined): string[] {
  const sizes = parts.map(({ name, examples }) => `${name} ${examples.length.toLocaleString('en')}`);
  const use = parts.some(({ name }) => name === 'train')
    ? `; train, attack and calibrate take it as --data ${out}`
    : '; each file is a data set of its own';
  const below = ' '.repeat(8);
  return [
    ...hang('split   ', sizes.join(', ')),
    ...replaced.flatMap((name) => hang(below, `The data set’s own split ${name} is left out.`)),
    ...hang(
      below,
      out === undefined ? 'not written: give --out FOLDER' : `written to ${out}, recorded in split.json${use}`,
    ),
  ];
}
