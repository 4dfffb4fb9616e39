// privacy.json: what a saved model promises, so that ε travels with the weights. Nothing in it depends on the data beyond what the
// statement calls public.

import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FileError } from '../checks/index.js';
import type { Plan } from '../mechanisms/index.js';
import { adapterWeightsFile, isAdapterFolder } from '../models/index.js';
import { readJsonObject, writeJson } from '../platform/index.js';
import type { Guarantee } from '../privacy/index.js';
import { essentialPlan, type PrivacyResult } from '../training/index.js';

/** The privacy of a trained model. */
export interface PrivacyRecord {
  /** Identity of the run that trained it. Several models of one run cost more than one. */
  readonly run?: string;
  /** Whether the model may be called private. */
  readonly private: boolean;
  /** Whether the noise came from a seed, so that the guarantee is void. */
  readonly insecure: boolean;
  /** Absent if nothing is promised. */
  readonly guarantee?: Guarantee;
  readonly statement: readonly string[];
  readonly stepsCounted: number;
  /** The part of the plan that decides what is promised. */
  readonly plan: object;
  /** The record of the model that training started from, if it was itself trained by Epsilens. */
  readonly before?: PrivacyRecord;
}

/** A record as it is saved: with its format, and the SHA-256 of the weights, so that it cannot be taken for others. */
export interface SavedRecord extends PrivacyRecord {
  readonly privacyRecord: number;
  /** That of model.safetensors, or of adapter_model.safetensors. */
  readonly weights: string;
  /** For an adapter: the SHA-256 of the weights files of its base model. */
  readonly base?: string;
}

const version = 1;
const fileName = 'privacy.json';

/** What is recorded about a finished run. Counts that depend on the data are left out. */
export const recordOf = (
  { run, insecure, guarantee, statement, stepsCounted }: PrivacyResult,
  plan: Plan,
  isPrivate: boolean,
  before: PrivacyRecord | undefined,
): PrivacyRecord => ({
  ...(run !== undefined && { run }),
  private: isPrivate,
  insecure,
  ...(guarantee && { guarantee }),
  statement: before === undefined ? statement : [...statement, startedFrom(before)],
  stepsCounted,
  plan: essentialPlan(plan),
  ...(before && { before }),
});

/** The records of all runs that led to a model, the latest first. */
export const chainOf = (record: PrivacyRecord): PrivacyRecord[] => [
  record,
  ...(record.before === undefined ? [] : chainOf(record.before)),
];

/** What earlier runs mean for data that this one used too. */
export function startedFrom(before: PrivacyRecord): string {
  const chain = chainOf(before);
  if (!chain.every((one) => one.private)) {
    return 'Training started from a model that was trained without a valid guarantee: for data that it was trained on, nothing is promised.';
  }
  const runs = chain.map(({ run, statement }) => `${statement[0]}${run === undefined ? '' : ` Run ${run}.`}`);
  return `Training started from a model with a guarantee of its own: for data that these runs used too, the guarantees add up. ${runs.join(' ')}`;
}

/** Writes the record beside the weights it belongs to; without one, removes that of the model that was there before. */
export async function writeRecord(folder: string, record: PrivacyRecord | undefined, base?: string): Promise<void> {
  const path = join(folder, fileName);
  if (record === undefined) return rm(path, { force: true });
  const saved: SavedRecord = {
    privacyRecord: version,
    ...record,
    weights: await digestWeights(folder),
    ...(base && { base }),
  };
  await writeJson(path, saved);
}

/** The record of a saved model; undefined if it has none. */
export async function readRecord(folder: string): Promise<SavedRecord | undefined> {
  const path = join(folder, fileName);
  if (!existsSync(path)) return undefined;
  const record = await readJsonObject(path);
  if (record.privacyRecord === version && Array.isArray(record.statement) && typeof record.weights === 'string') {
    return record as unknown as SavedRecord;
  }
  throw new FileError(
    `${path}: expected a privacy record of version ${version}, got another file: move it out of the model's folder`,
  );
}

/** The file that holds the weights of a saved model. */
export const weightsFile = (folder: string): string =>
  isAdapterFolder(folder) ? adapterWeightsFile : 'model.safetensors';

/** SHA-256 of the weights of a saved model. */
export async function digestWeights(folder: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, weightsFile(folder))), hash);
  return hash.digest('hex');
}
