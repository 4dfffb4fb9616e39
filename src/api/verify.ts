// Compares what saved models promise with the ledgers of their runs. `epsilens verify` prints this.

import { ArgumentError, option, say } from '../checks/index.js';
import type { Guarantee } from '../privacy/index.js';
import { guaranteeOf, type LedgerContents, planStatement } from '../training/index.js';
import { expectOptions } from './known-options.js';
import type { SavedRecord } from './privacy-record.js';
import { type Evidence, gather, planIn } from './verify-evidence.js';
import { type ModelsOfOneRun, modelsOfOneRun } from './verify-runs.js';

/** Options of `verifyModels`. */
export interface VerifyOptions {
  /** The ledger of the one model given. Default: ledger.jsonl in the folder that holds the model's folder, as `fineTune` writes it. */
  readonly ledger?: string;
}

/**
 * `confirmed`: the ledger gives the stated ε, for these weights. `contradicted`: it does not. `unconfirmed`: it cannot be checked, or the run
 * went on after the model was saved. `no promise`: the model states no guarantee.
 */
export type VerificationStatus = 'confirmed' | 'contradicted' | 'unconfirmed' | 'no promise';

/** What was found about one model. */
export interface ModelVerification {
  readonly model: string;
  readonly status: VerificationStatus;
  /** What was found, in sentences. */
  readonly findings: readonly string[];
  readonly run?: string;
  /** The guarantee in the model's privacy.json. */
  readonly stated?: Guarantee;
  /** The guarantee of every step in the ledger. */
  readonly counted?: Guarantee;
}

/** What was found about several models. */
export interface Verification {
  readonly models: readonly ModelVerification[];
  /** Different models of one run: whoever sees them all has more than what each states. */
  readonly oneRun: readonly ModelsOfOneRun[];
  /** Whether every model is confirmed and no two of them are of one run. */
  readonly confirmed: boolean;
}

/** Checks saved models: their weights, and the ε they state, which is computed again from the ledger of their run. */
export async function verifyModels(folders: readonly string[], options: VerifyOptions = {}): Promise<Verification> {
  expectOptions(options, ['ledger'], 'verifyModels');
  if (!Array.isArray(folders) || folders.length === 0) {
    throw new ArgumentError('expected the folder of at least one model, got none');
  }
  if (options.ledger !== undefined && folders.length > 1) {
    throw new ArgumentError(
      say`${option('ledger')} belongs to one model, got ${folders.length} models: check them one by one`,
    );
  }
  const evidence: Evidence[] = [];
  for (const folder of folders) evidence.push(await gather(folder, options.ledger));
  const models = evidence.map(verifyOne);
  const oneRun = modelsOfOneRun(evidence);
  return { models, oneRun, confirmed: oneRun.length === 0 && models.every(({ status }) => status === 'confirmed') };
}

function verifyOne({ model, record, weights, ledgerPath, ledger }: Evidence): ModelVerification {
  const answer = (status: VerificationStatus, ...findings: string[]) => ({ model, status, findings });
  if (record === undefined) {
    return answer('unconfirmed', 'The folder has no privacy.json: nothing is stated, and nothing can be checked.');
  }
  const known = { ...(record.run !== undefined && { run: record.run }) };
  if (record.weights !== weights) {
    return {
      ...answer('contradicted', 'privacy.json belongs to other weights than those in model.safetensors.'),
      ...known,
    };
  }
  const { guarantee: stated } = record;
  if (stated === undefined) return { ...answer('no promise', ...record.statement.slice(0, 1)), ...known };
  const base = { ...known, stated };
  if (ledger === undefined) {
    const where = `There is no ledger at ${ledgerPath}: give the ledger of the run.`;
    return { ...answer('unconfirmed', where), ...base };
  }
  return { ...compare({ model, record, stated, ledger, ledgerPath }), ...base };
}

interface Comparison {
  readonly model: string;
  readonly record: SavedRecord;
  readonly stated: Guarantee;
  readonly ledger: LedgerContents;
  readonly ledgerPath: string;
}

function compare({ model, record, stated, ledger: { head, entries }, ledgerPath }: Comparison): ModelVerification {
  if (head.run !== record.run) {
    const findings = [`The ledger is that of run ${head.run}, the model is of run ${record.run}.`];
    return { model, status: 'contradicted', findings };
  }
  const plan = planIn(head, ledgerPath);
  const counted = guaranteeOf(plan, entries) as Guarantee;
  const insecure = (head.settings as { insecure?: unknown }).insecure === true;
  const later = entries.length - record.stepsCounted;
  const wrong = [
    ...(entries.length < record.stepsCounted
      ? [`The ledger counts ${entries.length} steps, the statement ${record.stepsCounted}: the ledger was cut.`]
      : []),
    ...(later === 0 ? differences(record, stated, counted) : []),
    ...(JSON.stringify(head.plan) === JSON.stringify(record.plan) ? [] : ['The model states another plan.']),
    ...(insecure === record.insecure ? [] : ['The model does not say that its noise came from a seed.']),
    ...(later === 0 &&
    !record.statement.includes(planStatement(plan, entries, { insecure })[insecure ? 1 : 0] as string)
      ? ['The sentences of the statement do not say what the ledger gives.']
      : []),
  ];
  if (wrong.length > 0) return { model, status: 'contradicted', findings: wrong, counted };
  if (insecure) {
    const findings = ['The noise came from a seed: the guarantee is void, do not release this model.'];
    return { model, status: 'no promise', findings, counted };
  }
  if (later > 0) {
    const findings = [
      `The ledger counts ${entries.length} steps, the statement ${record.stepsCounted}: the run went on after this model was saved, and a later model of it may exist.`,
    ];
    return { model, status: 'unconfirmed', findings, counted };
  }
  return { model, status: 'confirmed', findings: [`The ledger counts ${entries.length} steps.`], counted };
}

/** A record may be written by another version, whose last digits differ. */
const tolerance = 1e-6;

function differences(record: SavedRecord, stated: Guarantee, counted: Guarantee): string[] {
  const differ = (['delta', 'neighbours', 'unit', 'accountant', 'bound'] as const).filter(
    (key) => stated[key] !== counted[key],
  );
  return [
    ...(stated.epsilon >= counted.epsilon * (1 - tolerance)
      ? []
      : [`The model states epsilon ${stated.epsilon}, its ledger gives ${counted.epsilon}.`]),
    ...differ.map((key) => `The model states ${key} ${stated[key]}, its ledger gives ${counted[key]}.`),
    ...(record.private === (!record.insecure && Number.isFinite(counted.epsilon) && counted.bound !== 'approximate')
      ? []
      : [`The model says private: ${record.private}, which its ledger does not give.`]),
  ];
}
