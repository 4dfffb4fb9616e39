// A study's model and data, read and checked once per process.

import { createHash } from 'node:crypto';
import { compareKinds, type KindTest } from '../../attacks/index.js';
import { ArgumentError, FileError, inTermsOf, type OptionWord } from '../../checks/index.js';
import {
  type DataSet,
  digestExamples,
  type Example,
  loadDataSet,
  numberRows,
  paperSplit,
  pick,
  type RowNumber,
  type SplitName,
  splitNames,
  splitShares,
} from '../../data/index.js';
import {
  type LoadOptions,
  loadModel,
  loraOptions,
  type Model,
  selectParameters,
  withAdapter,
} from '../../models/index.js';
import { seededSource } from '../../random/index.js';
import { encodeDataSet, type LabelledExamples } from '../../training/index.js';
import type { PlanResults, SetSize } from '../analysis/results.js';
import { planResults } from './plan-sizes.js';
import { chooseRows } from './rows.js';
import type { Study } from './study.js';
import { checkGiven } from './study-file.js';

export interface StudyInputs {
  readonly study: Study;
  /** The model, with a classifier initialised by this seed where it has none. */
  readonly modelFor: (seed: number) => Promise<Model>;
  readonly model: Model;
  readonly dataSet: DataSet;
  /** The rows that attacks with models of their own use: the limit of the data applies to all of their splits. */
  readonly sample: DataSet;
  /** Both sizes, if the study stands for another training than its own. */
  readonly plan?: PlanResults;
  /** Where an example stands in the data as they were loaded, before they were split and limited. */
  readonly rowOf: (example: Example) => RowNumber | undefined;
  readonly train: LabelledExamples;
  readonly test: LabelledExamples;
  /** Examples by which tuned settings are chosen: neither trained nor tested on. Absent if nothing is tuned. */
  readonly validation?: LabelledExamples;
  /** Examples like the training data but not trained on: the non-members of the membership attack. */
  readonly outsiders: LabelledExamples;
  /** Whether the study itself held the outsiders out at random, from examples without groups. */
  readonly drawnAlike: boolean;
  /** Whether the training data and the outsiders are of one kind; undefined if they are too few to test. Computed once. */
  readonly kind: () => KindTest | undefined;
  readonly trainable: SetSize & { readonly names: readonly string[] };
  readonly shared: SetSize & { readonly names: readonly string[] };
  /** SHA-256 of the weights, without newly initialised ones, and of the model's sizes. */
  readonly weights: string;
  /** SHA-256 of the texts, labels and splits that are used, and of the tokenizer. */
  readonly data: string;
}

export async function openStudyInputs(study: Study): Promise<StudyInputs> {
  checkGiven(study);
  const { source, maxTokens, limit, split, ...columns } = study.data;
  const loaded = await inTermsOf(keyOf, () => loadDataSet(source, columns));
  const parted = split === 'calibration-paper' ? paperSplit(loaded, seededSource('paper')).dataSet : withTest(loaded);
  const whole = study.training.tuning ? withValidation(parted) : parted;
  const { newHead } = study.training;
  const load = (seed: number) =>
    inTermsOf(keyOf, () => loadStudyModel(study, { numLabels: Math.max(2, whole.classes.length), seed, newHead }));
  const model = await load(study.seeds[0] as number);
  const trainable = sizeOf(model, study.training.trainable);
  const { dataSet, sample, cached } = chooseRows(study, whole, model, trainable.names);
  const weights = weightsOf(model);
  const { train, test, validation } = await inTermsOf(keyOf, async () => encodeDataSet(dataSet, model, { maxTokens }));
  const held = test ?? validation;
  if (held === undefined) throw new ArgumentError(`${source}: expected labelled examples to test on, got none`);
  for (const [part, { labels }] of Object.entries({ training: train, test: held })) {
    if (new Set(labels).size < 2) {
      throw new ArgumentError(
        `${source}: expected ${part} examples of at least two classes, got ${dataSet.classes[labels[0] as number]} only`,
      );
    }
  }
  // The paper tests on other kinds of text (out of domain, whole sentences): the attack would detect the change of domain instead.
  const outside =
    split === 'calibration-paper' && validation !== undefined ? 'validation' : test ? 'test' : 'validation';
  const outsiders = (outside === 'validation' ? validation : test) ?? held;
  const offered = whole.splits.train?.length ?? 0;
  const plan = planResults(study, { trained: train.inputIds.length, offered, cached });
  const hash = createHash('sha256').update(`${model.tokenizer.digest} ${dataSet.classes.join('\n')}`);
  if (sample !== dataSet) hash.update(`limit ${limit}\n`);
  for (const part of splitNames) hash.update(`${part} ${digestExamples(dataSet.splits[part] ?? [])}\n`);
  return {
    study,
    modelFor: async (seed) => {
      const one = await load(seed);
      if (weightsOf(one) === weights) return one;
      throw new FileError(`${study.model}: the model changed while the study ran: run the same command again`);
    },
    model,
    dataSet,
    sample,
    ...(plan && { plan }),
    rowOf: numberRows(loaded),
    train,
    test: held,
    ...(study.training.tuning && validation && { validation }),
    outsiders,
    drawnAlike:
      outside === 'test' &&
      parted.splits.test !== loaded.splits.test &&
      !loaded.splits.train?.some(({ group }) => group !== undefined),
    kind: once(() => {
      const withGroups = (part: SplitName, examples: LabelledExamples) => ({
        ...examples,
        groups: dataSet.splits[part]?.map(({ group }) => group) ?? [],
      });
      return compareKinds(withGroups('train', train), withGroups(outside, outsiders), seededSource('kind'));
    }),
    trainable,
    shared: sizeOf(model, study.sharing.parameters),
    weights,
    data: hash.digest('hex'),
  };
}

/** The model of a study, with the adapter that the study adds to it. */
export async function loadStudyModel(
  { model: source, training: { lora } }: Study,
  options: LoadOptions & { readonly seed: number },
): Promise<Model> {
  const model = await loadModel(source, options);
  return lora === undefined ? model : withAdapter(model, { ...lora, seed: options.seed });
}

function once<Result>(compute: () => Result): () => Result {
  let done: { readonly result: Result } | undefined;
  return () => {
    done ??= { result: compute() };
    return done.result;
  };
}

/** The key of a study that holds an option. */
const keyOf = ({ of: _, ...word }: OptionWord): OptionWord => ({
  ...word,
  option: `${sectionOf(word.option)}.${word.option}`,
});

const sectionOf = (option: string): string => {
  if (Object.hasOwn(loraOptions, option)) return 'training.lora';
  return option === 'newHead' ? 'training' : 'data';
};

const weightsOf = (model: Model): string =>
  createHash('sha256')
    .update(
      `${model.frozenDigest(model.newlyInitialized)} ${JSON.stringify([model.rawConfig.model_type, model.config])}`,
    )
    .digest('hex');

function sizeOf(model: Model, selection: string): StudyInputs['trainable'] {
  const names = selectParameters(model, selection);
  const numbers = names.reduce((sum, name) => sum + product(model.parameters.get(name)?.shape ?? []), 0);
  return { selection, names, tensors: names.length, numbers };
}

const product = (shape: readonly number[]): number => shape.reduce((size, length) => size * length, 1);

const isLabelled = (part: readonly Example[] | undefined): part is readonly Example[] =>
  part?.every(({ label }) => label !== undefined) ?? false;

/** Takes a share out of the examples at random; groups stay together. */
function holdOutShare(examples: readonly Example[], share: number, name: string) {
  const { parts } = splitShares(examples, [1 - share, share], seededSource(name));
  const [kept, held] = parts as [Uint32Array, Uint32Array];
  return { kept: pick(examples, kept), held: pick(examples, held) };
}

/** Holds out a fifth of the data where nothing is held out yet. */
function withTest(dataSet: DataSet): DataSet {
  const { train, validation, test } = dataSet.splits;
  if (train === undefined || isLabelled(validation) || isLabelled(test)) return dataSet;
  const { kept, held } = holdOutShare(train, 0.2, 'held out');
  return { ...dataSet, splits: { train: kept, test: held } };
}

/** Settings are not chosen on the data that are tested on: without labelled data for both, a tenth of the training data is taken. */
function withValidation(dataSet: DataSet): DataSet {
  const { train, validation, test } = dataSet.splits;
  if (train === undefined || (isLabelled(validation) && isLabelled(test))) return dataSet;
  const { kept, held } = holdOutShare(train, 0.1, 'validation');
  if (held.length === 0) {
    throw new ArgumentError(`${dataSet.name}: expected enough training examples to hold a tenth out for tuning`);
  }
  const tested = isLabelled(test) ? test : validation;
  return { ...dataSet, splits: { train: kept, validation: held, ...(tested && { test: tested }) } };
}
