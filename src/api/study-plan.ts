// The training that a study stands for: from the folder of a run or of a saved model, or from a YAML file. The plan of a run is made
// again from its ledger, or from the record of its model, so that a file that was changed by hand is refused.

import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseStudy, readPlan, type Study, type StudyPlan } from '../calibration/index.js';
import { ArgumentError, FileError, option, say } from '../checks/index.js';
import { digestExamples } from '../data/index.js';
import {
  isNoisy,
  type MechanismOptions,
  mechanismOf,
  type NoisyMechanism,
  type Plan,
  parameterOf,
  studyOptionsOf,
} from '../mechanisms/index.js';
import { readJsonObject } from '../platform/index.js';
import { readLedger, usualWarmup } from '../training/index.js';
import { loadDataSet } from './data-set.js';
import { readRecord } from './privacy-record.js';
import { type TrainedOn, trainingOf } from './trained-on.js';
import { planIn } from './verify-evidence.js';

/** A study with this plan. Throws if the plan does not fit it, or is that of a run on other data. */
export async function studyUnder(study: Study, given: string | StudyPlan): Promise<Study> {
  const { plan, trainedOn } =
    typeof given === 'string' ? await readGiven(given) : { plan: given, trainedOn: undefined };
  const made = parseStudy({ ...study, plan }, typeof given === 'string' ? given : 'the plan');
  if (trainedOn !== undefined) await expectSameData(String(given), trainedOn, made);
  return made;
}

interface FoundPlan {
  readonly plan: StudyPlan;
  /** What the run was trained on, if that is known. */
  readonly trainedOn?: TrainedOn | undefined;
}

async function readGiven(path: string): Promise<FoundPlan> {
  if (!existsSync(path)) {
    throw new FileError(
      `${path}: no such file or folder: expected the folder of a run or of a saved model, or a YAML file`,
    );
  }
  if (!statSync(path).isDirectory()) return { plan: await readPlan(path) };
  const record = await readRecord(path);
  const folder = record === undefined ? path : dirname(resolve(path));
  const ledgerPath = join(folder, 'ledger.jsonl');
  const ledger = existsSync(ledgerPath) ? (await readLedger(ledgerPath)).head : undefined;
  if (record === undefined) {
    // A run without noise has no ledger, but its model has a record.
    const plan = ledger ? planIn(ledger, ledgerPath) : await planOfModel(join(path, 'model'), path);
    return withSettings(plan, folder);
  }
  const plan = await planOfModel(path, path);
  // A model may have been copied beside the files of another run.
  return record.run === ledger?.run ? withSettings(plan, folder) : { plan: describePlan(plan) };
}

async function planOfModel(model: string, given: string): Promise<Plan> {
  const record = await readRecord(model);
  if (record) return planIn(record, join(model, 'privacy.json'), 'record');
  throw new FileError(
    `${given}: expected the folder of a run (with ledger.jsonl) or of a saved model (with privacy.json), got neither: give the folder that epsilens train wrote, or a YAML file`,
  );
}

/** A plan with what run.json in this folder says about the training and its data. */
async function withSettings(plan: Plan, folder: string): Promise<FoundPlan> {
  const trainedOn = await trainingOf(join(folder, 'model'));
  const settings = trainedOn === undefined ? {} : await settingsIn(join(folder, 'run.json'), trainedOn);
  return { plan: { ...settings, ...describePlan(plan) }, trainedOn };
}

/** What the settings of a run say about its training beside its plan. */
async function settingsIn(path: string, { trainable, maxTokens }: TrainedOn): Promise<Partial<StudyPlan>> {
  const { optimizer, learningRate, schedule = 'linear', warmup = usualWarmup } = await readJsonObject(path);
  // Studies train with AdamW, for which the rates of another optimizer mean nothing.
  const rates = optimizer === 'adamw' ? { learningRate, schedule, warmup } : {};
  return { trainable, maxTokens, ...(rates as Partial<StudyPlan>) };
}

/** A plan of training in the keys of a study. */
function describePlan(plan: Plan): StudyPlan {
  const { examples, batchSize, epochs, mechanism } = plan;
  const sizes = { examples, batchSize, epochs };
  if (!isNoisy(mechanism)) return sizes;
  const options = mechanismOf(mechanism).optionsOf(plan) as unknown as Readonly<Record<string, unknown>>;
  const { delta, clipNorm } = options as { readonly delta?: number; readonly clipNorm?: number };
  const { key, flag } = parameterOf(mechanism);
  return {
    ...sizes,
    ...(delta !== undefined && { delta }),
    ...(clipNorm !== undefined && { clipNorm }),
    mechanism,
    [flag]: options[key] as number,
    ...optionsIn(mechanism, options),
  };
}

/** The options of a mechanism that a study may set. A plan lists the groups of parameters that `layers` stands for. */
function optionsIn(mechanism: NoisyMechanism, options: Readonly<Record<string, unknown>>): MechanismOptions {
  const known = Object.keys(studyOptionsOf(mechanism)).filter((key) => options[key] !== undefined);
  return Object.fromEntries(
    known.map((key) => [key, Array.isArray(options[key]) ? 'layers' : (options[key] as string)]),
  );
}

/** A plan says nothing about data that its run was not trained on. */
async function expectSameData(path: string, { data, train }: TrainedOn, study: Study): Promise<void> {
  if (train === undefined || study.data.source.startsWith('needs:')) return;
  const { source, maxTokens: _, limit: __, split: ___, ...columns } = study.data;
  const { train: rows = [] } = (await loadDataSet(source, columns)).splits;
  if (rows.length === train.examples && digestExamples(rows) === train.digest) return;
  const found = rows.length === train.examples ? 'other texts, labels or groups' : `${rows.length} training rows`;
  throw new ArgumentError(
    say`${path}: its run was trained on ${train.examples} training rows of ${data}, but ${source} has ${found}: give the data of the run with ${option('data')}, or the sizes of the training as a YAML file with ${option('plan')}`,
  );
}
