// What is known about a saved model: its privacy record, its weights, the ledger of its run.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ArgumentError, FileError } from '../checks/index.js';
import type { Plan } from '../mechanisms/index.js';
import { digestOfFiles, loadModel, placeModel } from '../models/index.js';
import { type LedgerContents, readLedger, restorePlan } from '../training/index.js';
import { digestWeights, readRecord, type SavedRecord, weightsFile } from './privacy-record.js';

/** Everything that is known about one model. */
export interface Evidence {
  readonly model: string;
  readonly record?: SavedRecord;
  /** SHA-256 of the weights as they are. */
  readonly weights: string;
  /** The name of the file that holds them. */
  readonly weightsFile: string;
  /** The SHA-256 of an adapter's base model as it is, or why it could not be read. */
  readonly base?: { readonly digest: string } | { readonly missing: string };
  /** The text of README.md; empty if there is none. */
  readonly card: string;
  readonly ledgerPath: string;
  readonly ledger?: LedgerContents;
}

/** Reads the record, the weights and the ledger of a model. */
export async function gather(name: string, given: string | undefined): Promise<Evidence> {
  const { folder: model } = await placeModel(name);
  if (!existsSync(join(model, weightsFile(model)))) {
    const inside = existsSync(join(model, 'model', weightsFile(join(model, 'model'))));
    const hint = inside ? `: its model is in ${join(model, 'model')}` : '';
    const got = existsSync(model) ? `no ${weightsFile(model)} in it` : 'nothing there';
    throw new FileError(`${model}: expected the folder of a saved model, got ${got}${hint}`);
  }
  if (given !== undefined && !existsSync(given)) throw new FileError(`${given}: no such file`);
  const ledgerPath = given ?? join(dirname(resolve(model)), 'ledger.jsonl');
  const record = await readRecord(model);
  return {
    model: name,
    ...(record && { record }),
    weights: await digestWeights(model),
    weightsFile: weightsFile(model),
    ...(record?.base !== undefined && { base: await digestBase(model) }),
    card: await readFile(join(model, 'README.md'), 'utf8').catch(() => ''),
    ledgerPath,
    ...(existsSync(ledgerPath) && { ledger: await readLedger(ledgerPath) }),
  };
}

async function digestBase(folder: string): Promise<NonNullable<Evidence['base']>> {
  try {
    const { adapter } = await loadModel(folder);
    return adapter === undefined ? { missing: 'the folder holds no adapter' } : { digest: digestOfFiles(adapter.base) };
  } catch (error) {
    if (!(error instanceof FileError || error instanceof ArgumentError)) throw error;
    return { missing: error.message };
  }
}

/** The plan of a ledger or of a privacy record, made again. */
export function planIn({ plan }: { readonly plan: object }, path: string, kind = 'ledger'): Plan {
  try {
    return restorePlan(plan);
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error;
    throw new FileError(`${path}: ${error.message}: the ${kind} was changed`);
  }
}
