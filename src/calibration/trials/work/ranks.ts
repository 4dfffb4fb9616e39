// Stores in which order a membership attack put its candidates, beside the store, and once for all trials which records these are. Both are private:
// they tell who is most exposed.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CandidateResult } from '../../../attacks/index.js';
import type { DataSet, Example, RowNumber } from '../../../data/index.js';
import { readJsonObject, writePrivate } from '../../../platform/index.js';
import type { StudyInputs } from '../../study/inputs.js';
import { recordsBeside } from '../folder.js';

/** The order in which an attack put its candidates, from 1 for the highest score: see `ranksOf` of `epsilens/metrics`. */
export interface CandidateRanks {
  /** The members, by their places among the records of the study. */
  readonly records: readonly number[];
  /** Ranks of the members, in the same order. */
  readonly members: readonly number[];
  readonly others: readonly number[];
}

/** One record of the study: where it stands in the data as they were loaded, and how its text begins. */
export interface StudyRecord extends RowNumber {
  readonly text: string;
}

/** Longer texts are cut: they serve to recognise a record. */
const longest = 300;

const fileName = 'ranks.json';

/** All labelled rows of a data set, in the order by which records are counted: those of the split train are the first. */
export function labelledRows({ splits }: DataSet): readonly Example[] {
  const { train = [], validation = [], test = [] } = splits;
  return [...train, ...validation, ...test].filter(({ label }) => label !== undefined);
}

/** Writes the ranks of a trial, and the records of its data if no other trial has. */
export async function writeRanks(
  folder: string,
  inputs: StudyInputs,
  records: readonly number[],
  { members, others }: CandidateResult['ranks'],
): Promise<void> {
  const path = recordsBeside(folder, inputs.data);
  if (!existsSync(path)) {
    const all = labelledRows(inputs.dataSet).map((one) => ({ ...rowOf(inputs, one), text: beginning(one.text) }));
    await writePrivate(path, `${JSON.stringify({ records: all })}\n`);
  }
  const ranks: CandidateRanks = { records, members: [...members], others: [...others] };
  await writePrivate(join(folder, fileName), `${JSON.stringify(ranks)}\n`);
}

function rowOf(inputs: StudyInputs, example: Example): RowNumber {
  const row = inputs.rowOf(example);
  if (row === undefined) throw new Error('an example of the study is not among those that were loaded');
  return row;
}

const beginning = (text: string): string => {
  const characters = [...text.slice(0, 2 * longest + 2)];
  return characters.length > longest ? `${characters.slice(0, longest).join('')} …` : text;
};

export const readRanks = async (folder: string): Promise<CandidateRanks> =>
  (await readJsonObject(join(folder, fileName))) as unknown as CandidateRanks;

/** The records of the data with this digest; none if the file was removed. */
export async function readRecords(artefacts: string, digest: string): Promise<readonly StudyRecord[]> {
  const path = recordsBeside(artefacts, digest);
  return existsSync(path) ? ((await readJsonObject(path)).records as StudyRecord[]) : [];
}
