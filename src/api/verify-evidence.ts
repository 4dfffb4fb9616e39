// What is known about a saved model: its privacy record, its weights, the ledger of its run.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ArgumentError, FileError } from '../checks/index.js';
import type { Plan } from '../mechanisms/index.js';
import { placeModel } from '../models/index.js';
import { type LedgerContents, readLedger, restorePlan } from '../training/index.js';
import { digestWeights, readRecord, type SavedRecord } from './privacy-record.js';

/** Everything that is known about one model. */
export interface Evidence {
  readonly model: string;
  readonly record?: SavedRecord;
  /** SHA-256 of the weights as they are. */
  readonly weights: string;
  /** The text of README.md; empty if there is none. */
  readonly card: string;
  readonly ledgerPath: string;
  readonly ledger?: LedgerContents;
}

/** Reads the record, the weights and the ledger of a model. */
export async function gather(name: string, given: string | undefined): Promise<Evidence> {
  const { folder: model } = await placeModel(name);
  if (!existsSync(join(model, 'model.safetensors'))) {
    const inside = existsSync(join(model, 'model', 'model.safetensors'));
    const hint = inside ? `: its model is in ${join(model, 'model')}` : '';
    const got = existsSync(model) ? 'no model.safetensors in it' : 'nothing there';
    throw new FileError(`${model}: expected the folder of a saved model, got ${got}${hint}`);
  }
  if (given !== undefined && !existsSync(given)) throw new FileError(`${given}: no such file`);
  const ledgerPath = given ?? join(dirname(resolve(model)), 'ledger.jsonl');
  const record = await readRecord(model);
  return {
    model: name,
    ...(record && { record }),
    weights: await digestWeights(model),
    card: await readFile(join(model, 'README.md'), 'utf8').catch(() => ''),
    ledgerPath,
    ...(existsSync(ledgerPath) && { ledger: await readLedger(ledgerPath) }),
  };
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
