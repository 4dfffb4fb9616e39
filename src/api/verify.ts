// Compares what saved models promise with the ledgers of their runs. `epsilens verify` prints this.

import { ArgumentError, option, say } from '../checks/index.js';
import type { Guarantee } from '../privacy/index.js';
import { guaranteeOf, type LedgerContents, planStatement } from '../training/index.js';
import { expectOptions } from './known-options.js';
import { cardFits } from './model-card.js';
import { type SavedRecord, startedFrom } from './privacy-record.js';
import { type Evidence, gather, planIn } from './verify-evidence.js';
import { type ModelsOfOneRun, type ModelsOnSameData, modelsOfOneRun, modelsOnSameData } from './verify-runs.js';

/** Options of `verifyModels`. */
export interface VerifyOptions {
  /** The ledger of the one model given. Default: ledger.jsonl in the folder that holds the model's folder, as `fineTune` writes it. */
  readonly ledger?: string;
}

/**
 * `confirmed`: the ledger gives the stated ε, for these weights. `contradicted`: it does not. `unconfirmed`: it cannot be checked, the run
 * went on after the model was saved, or training started from a model with a history of its own. `no promise`: the model states no valid
 * guarantee.
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
  /** Models of different runs on the same data: their guarantees add up. */
  readonly sameData: readonly ModelsOnSameData[];
  /** Whether every model is confirmed, and no two of them are of one run or on the same data. */
  readonly confirmed: boolean;
}

/** Checks saved models: their weights, and the ε they state, which is computed again from the ledger of their run. */
export async function verifyModels(folders: readonly string[], options: VerifyOptions = {}): Promise<Verification> {
  expectOptions(options, ['ledger'], 'verifyModels');
  if (!Array.isArray(folders) || folders.length === 0) {
    const got = Array.isArray(folders) ? 'none' : typeof folders;
    throw new ArgumentError(`expected a list of folders of saved models, at least one, got ${got}`);
  }
  if (options.ledger !== undefined && folders.length > 1) {
    throw new ArgumentError(
      say`${option('ledger')} belongs to one model, got ${folders.length} models: check them one by one`,
    );
  }
  const evidence: Evidence[] = [];
  for (const folder of folders) evidence.push(await gather(folder, options.ledger));
  const models = evidence.map(verifyOne);
  const [oneRun, sameData] = [modelsOfOneRun(evidence), modelsOnSameData(evidence)];
  const alone = oneRun.length === 0 && sameData.length === 0;
  return { models, oneRun, sameData, confirmed: alone && models.every(({ status }) => status === 'confirmed') };
}

function verifyOne(evidence: Evidence): ModelVerification {
  const { model, record, weights, weightsFile, base, card, ledgerPath, ledger } = evidence;
  const answer = (status: VerificationStatus, ...findings: string[]) => ({ model, status, findings });
  if (record === undefined) {
    return answer('unconfirmed', 'The folder has no privacy.json: nothing is stated, and nothing can be checked.');
  }
  const { guarantee: stated, run } = record;
  const known = { ...(run !== undefined && { run }), ...(stated && { stated }) };
  if (record.weights !== weights) {
    const finding = `privacy.json belongs to other weights than those in ${weightsFile}.`;
    return { ...answer('contradicted', finding), ...known };
  }
  if (base !== undefined && 'digest' in base && base.digest !== record.base) {
    const finding =
      'privacy.json belongs to an adapter of another base model than the one that adapter_config.json names.';
    return { ...answer('contradicted', finding), ...known };
  }
  if (!cardFits(card, record)) {
    return { ...answer('contradicted', 'README.md does not list the sentences of privacy.json.'), ...known };
  }
  if (stated === undefined) return { ...answer('no promise', ...record.statement.slice(0, 1)), ...known };
  if (ledger === undefined) {
    const finding = `There is no ledger at ${ledgerPath}: give the ledger of the run.`;
    return { ...answer('unconfirmed', finding), ...known };
  }
  const compared = compare(record, stated, ledger, ledgerPath);
  if (base === undefined || !('missing' in base) || compared.status !== 'confirmed')
    return { model, ...compared, ...known };
  const finding = `The adapter fits, but its base model could not be compared: ${base.missing}.`;
  return { model, ...compared, status: 'unconfirmed', findings: [...compared.findings, finding], ...known };
}

type Compared = Pick<ModelVerification, 'status' | 'findings' | 'counted'>;

function compare(record: SavedRecord, stated: Guarantee, ledger: LedgerContents, path: string): Compared {
  const { head, entries } = ledger;
  if (head.run !== record.run) {
    return {
      status: 'contradicted',
      findings: [`The ledger is that of run ${head.run}, the model is of run ${record.run}.`],
    };
  }
  const plan = planIn(head, path);
  const counted = guaranteeOf(plan, entries);
  if (counted === undefined) {
    return { status: 'contradicted', findings: ['The plan in the ledger has no noise, so it promises nothing.'] };
  }
  const insecure = (head.settings as { insecure?: unknown } | undefined)?.insecure === true;
  const steps = `The ledger counts ${entries.length} steps, the statement ${record.stepsCounted}`;
  const wrong = [
    ...(entries.length < record.stepsCounted ? [`${steps}: the ledger was cut.`] : []),
    ...(JSON.stringify(head.plan) === JSON.stringify(record.plan) ? [] : ['The model states another plan.']),
    ...(insecure === record.insecure ? [] : ['The model does not say that its noise came from a seed.']),
    ...(entries.length === record.stepsCounted ? differences(record, stated, counted) : []),
    ...(entries.length === record.stepsCounted
      ? sentencesThatDiffer(record, planStatement(plan, entries, { insecure, run: head.run, guarantee: counted }))
      : []),
  ];
  if (wrong.length > 0) return { status: 'contradicted', findings: wrong, counted };
  return { ...judge(record, steps, entries.length), counted };
}

/** What a statement that fits its ledger is worth. */
function judge(record: SavedRecord, steps: string, counted: number): Omit<Compared, 'counted'> {
  if (record.insecure) {
    const findings = ['The noise came from a seed: the guarantee is void, do not release this model.'];
    return { status: 'no promise', findings };
  }
  if (!record.private) {
    return { status: 'no promise', findings: ['Its ε is infinite or only an approximation, so it is no guarantee.'] };
  }
  if (counted > record.stepsCounted) {
    const why = 'the run went on after this model was saved, and a later model of it may exist';
    return { status: 'unconfirmed', findings: [`${steps}: ${why}.`] };
  }
  const findings = [`The ledger counts ${counted} steps.`];
  if (record.before === undefined) return { status: 'confirmed', findings };
  return { status: 'unconfirmed', findings: [...findings, startedFrom(record.before)] };
}

/** A record may be written by another version, whose last digits differ. */
const tolerance = 1e-6;

function differences(record: SavedRecord, stated: Guarantee, counted: Guarantee): string[] {
  const isPrivate = !record.insecure && Number.isFinite(counted.epsilon) && counted.bound !== 'approximate';
  const words = (['neighbours', 'unit', 'accountant', 'bound'] as const).filter((key) => stated[key] !== counted[key]);
  const isBelow = (key: Figure) => (stated[key] ?? 0) < (counted[key] ?? 0) * (1 - tolerance);
  const figures = (['epsilon', 'delta', 'estimate', 'upper'] as const).filter(isBelow);
  return [
    ...[...figures, ...words].map((key) => `The model states ${key} ${stated[key]}, its ledger gives ${counted[key]}.`),
    ...(record.private === isPrivate
      ? []
      : [`The model says private: ${record.private}, which its ledger does not give.`]),
  ];
}

type Figure = 'epsilon' | 'delta' | 'estimate' | 'upper';

/** Notes tell how the plan was made, which the ledger does not hold. */
const isNote = (sentence: string): boolean => sentence.startsWith('Note: ');

function sentencesThatDiffer(record: SavedRecord, expected: readonly string[]): string[] {
  const all = [...expected, ...(record.before ? [startedFrom(record.before)] : [])].filter((one) => !isNote(one));
  const said = record.statement.filter((one) => !isNote(one));
  if (said.join('\n') === all.join('\n')) return [];
  const strange = said.find((sentence) => !all.includes(sentence));
  return [
    `The sentences of the statement are not those of the ledger, as this version writes them${strange === undefined ? '' : `: “${strange}”`}.`,
  ];
}
