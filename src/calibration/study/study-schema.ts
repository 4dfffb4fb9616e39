// From plain data to a study: fills in defaults, and reports all that is wrong, one sentence each (doorway to zod).

import { z } from 'zod';
import { type Attack, attacks, situationNames, type WorldRecipe, worldRecipes } from '../../attacks/index.js';
import { expectationOf, isOption, type Option, type OptionSchema } from '../../checks/index.js';
import { dataFormats, textEncodings } from '../../data/index.js';
import { mechanismOf, type NoisyMechanism, noisyNames, studyOptionsOf } from '../../mechanisms/index.js';
import { loraOptions } from '../../models/index.js';
import { scheduleNames, usualWarmup } from '../../training/index.js';
import type { KeyFault } from './key-fault.js';
import { nearest } from './nearest.js';
import { mechanismKeys, planFaults, studyPlanFaults, underPlan } from './plan-keys.js';
import { inSituations } from './situations.js';
import type { Study, StudyPlan } from './study.js';
import { type StudyFault, studyError } from './study-errors.js';
import { tuningFaults, withTuning } from './tuning-keys.js';

const count = z.int().min(1);
const positive = z.number().positive();
const column = z.union([z.string(), z.int().min(0)], { error: 'expected a name or a number from 0' });

/** A probability of dropout, or those of the model. */
const dropout = (isRate: (value: number) => boolean, what: string) =>
  z.custom((value) => value === 'config' || (typeof value === 'number' && isRate(value) && value < 1), {
    error: `expected config or a number ${what} and below 1`,
  });

/** A list of values: at least one, none twice. */
const grid = (level: z.ZodType<number>) =>
  z
    .array(level)
    .min(1)
    .refine((levels) => new Set(levels).size === levels.length, { error: 'expected every value once' });

const checkedOption = (option: Option) =>
  z.custom((value) => isOption(option, value), { error: `expected ${expectationOf(option)}` });

/** A mechanism: exactly one way of saying how much noise there is, and its options for all levels. */
function mechanismSchema(mechanism: NoisyMechanism) {
  const { grids } = mechanismOf(mechanism);
  const amounts = Object.entries(grids).map(([key, { option }]) => [
    key,
    grid(option.below === undefined ? positive : positive.lt(option.below)).optional(),
  ]);
  const options = Object.entries(studyOptionsOf(mechanism)).map(([key, option]) => [
    key,
    checkedOption(option).optional(),
  ]);
  const ways = Object.keys(grids);
  return z
    .strictObject(Object.fromEntries([...amounts, ...options]))
    .refine((given) => ways.filter((key) => given[key] !== undefined).length === 1, {
      error: `expected one of ${ways.join(', ')}`,
    });
}

const optionSchema = (option: Option): z.ZodType => {
  const schema = checkedOption(option);
  return option.default === undefined ? schema.optional() : schema.default(option.default);
};

const optionFields = (schema: OptionSchema) =>
  Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, optionSchema(one)]));

/** A number, or `{tune: […]}` with at least two to choose from. */
const tunable = (value: z.ZodType<number>, what: string) =>
  z.union([value, z.strictObject({ tune: grid(value).min(2) })], {
    error: `expected ${what}, or {tune: [..]} with two or more, none twice`,
  });

/** About twenty sentences, in at least three batches. */
const defaultCount = (batchSize: number): number => Math.max(3, Math.ceil(20 / batchSize)) * batchSize;

/** How target and other models are trained, for attacks that train them. */
const worldFields = {
  references: count.default(10),
  examples: z.enum(['paper', 'halves']).optional(),
  recipe: z.enum(Object.keys(worldRecipes) as [WorldRecipe, ...WorldRecipe[]]).default('overfit'),
  epochs: count.optional(),
  batchSize: count.optional(),
  learningRate: positive.optional(),
};

/** The options of the descriptor and, for attacks on gradients, those of the sentences. */
function attackSchema(attack: Attack): z.ZodType {
  const options = optionFields(attack.options);
  if (attack.sees === 'losses') return z.strictObject(options).optional();
  if (attack.sees === 'models') return z.strictObject({ ...worldFields, ...options }).optional();
  const sentences = {
    // The floor needs a second batch.
    count: z.int().min(2).default(defaultCount(attack.batchSize)),
    batchSize: count.default(attack.batchSize),
    maxTokens: z.int().min(3).default(32),
    loss: z.string().optional(),
    // Without a default, so that studies without a genie keep their trials.
    ...(attack.confidence === 'probability' && { genie: z.int().min(0).optional() }),
  };
  return z
    .strictObject({ ...sentences, ...options })
    .refine(({ count: all, batchSize }) => all >= 2 * batchSize && all % batchSize === 0, {
      error: 'expected a count of two or more whole batches',
    })
    .optional();
}

/** Keys that belong to a mechanism, of all mechanisms: `planFaults` tells them apart. */
const planOptions = Object.fromEntries(
  noisyNames.flatMap((name) =>
    Object.entries(mechanismKeys(name)).map(([key, option]) => [key, checkedOption(option).optional()]),
  ),
);

const plan = z.strictObject({
  examples: count,
  batchSize: count,
  epochs: count,
  delta: z.number().gt(0).lt(1).optional(),
  clipNorm: positive.optional(),
  trainable: z.string().optional(),
  learningRate: positive.optional(),
  schedule: z.enum(scheduleNames).optional(),
  warmup: z.number().min(0).max(1).optional(),
  maxTokens: z.int().min(3).optional(),
  mechanism: z.enum(noisyNames as [NoisyMechanism, ...NoisyMechanism[]]).optional(),
  ...planOptions,
});

const fields = z.strictObject({
  name: z
    .string()
    .regex(/^\w[\w.-]*$/, { error: 'expected letters, digits, dots and dashes' })
    // report-NAME.html must not look like a report without texts.
    .regex(/^(?!(.*-)?redacted$)/, { error: 'expected another name than redacted' }),
  description: z.string().default(''),
  model: z.string().min(1).default('bundled:bert-mini'),
  data: z
    .strictObject({
      source: z.string().min(1).default('bundled:mail'),
      split: z.enum(['calibration-paper']).optional(),
      maxTokens: z.int().min(3).default(64),
      limit: count.optional(),
      format: z.enum(dataFormats).optional(),
      textColumn: column.optional(),
      labelColumn: column.optional(),
      groupColumn: column.optional(),
      header: z.boolean().optional(),
      skipEmpty: z.boolean().optional(),
      textBy: z.enum(['paragraphs', 'lines']).optional(),
      delimiter: z.string().min(1).optional(),
      encoding: z.enum(textEncodings).optional(),
      classes: z.array(z.string().min(1)).min(1).optional(),
    })
    .prefault({}),
  training: z
    .strictObject({
      trainable: z.string().optional(),
      lora: z.strictObject(optionFields(loraOptions)).optional(),
      newHead: z.boolean().default(false),
      epochs: tunable(count, 'a whole number >= 1').default(10),
      batchSize: count.default(256),
      learningRate: tunable(positive, 'a number > 0').default(2e-3),
      schedule: z.enum(scheduleNames).default('linear'),
      warmup: z.number().min(0).max(1).default(usualWarmup),
      dropout: dropout((rate) => rate >= 0, '>= 0').optional(),
      tuning: z
        .strictObject({
          seeds: count.optional(),
          levels: count.optional(),
          accounted: z.boolean().default(false),
        })
        .optional(),
      clipNorm: positive.default(1),
      delta: z.number().gt(0).lt(1).optional(),
    })
    .prefault({}),
  plan: plan.optional(),
  control: z.strictObject({ dropout: dropout((rate) => rate > 0, '> 0') }).optional(),
  sharing: z
    .strictObject({
      parameters: z.string().default('all'),
      scope: z.enum(['joint', 'tensor']).default('joint'),
      clipNorm: positive.default(1),
      rounds: count.optional(),
    })
    .prefault({}),
  mechanisms: z
    .strictObject(Object.fromEntries(noisyNames.map((name) => [name, mechanismSchema(name).optional()])))
    .default({}),
  attacks: z.strictObject(Object.fromEntries(attacks.map((attack) => [attack.name, attackSchema(attack)]))).default({}),
  situations: z
    .array(z.enum(situationNames))
    .min(1)
    .refine((names) => new Set(names).size === names.length, { error: 'expected every situation once' })
    .optional(),
  seeds: z
    .array(z.int().min(0))
    .min(1)
    .refine((seeds) => new Set(seeds).size === seeds.length, { error: 'expected every seed once' })
    .default([1, 2, 3]),
});

const addFaults = (faults: readonly KeyFault[], context: z.RefinementCtx): void => {
  for (const { path, expected, got } of faults) {
    context.addIssue({ code: 'custom', path: [...path], message: expected, input: got });
  }
};

const schema = fields.superRefine((given, context) => {
  const study = given as unknown as Study;
  const faults = studyPlanFaults(study);
  addFaults(faults.length > 0 ? faults : tuningFaults(underPlan(study)), context);
});

const planSchema = plan.superRefine((given, context) => {
  addFaults(planFaults(given as unknown as StudyPlan, []), context);
});

/** The line of a key in the file that was read, if there is one. */
type LineOf = (path: readonly PropertyKey[]) => number | undefined;

/** Checks plain data and fills in defaults. `origin` names the file in errors, which name all that is wrong. */
export const parseStudy = (value: unknown, origin: string, lineOf?: LineOf): Study =>
  inSituations(withTuning(underPlan(withTrainable(parse(schema, value, origin, lineOf) as unknown as Study))), origin);

/** What is trained if the study does not say: with an adapter, that. */
function withTrainable(study: Study): Study {
  const { training } = study;
  const { trainable = training.lora === undefined ? 'pooler+classifier' : 'lora' } = training;
  return { ...study, training: { ...training, trainable } };
}

/** Checks a plan that stands in a file of its own. */
export const parsePlan = (value: unknown, origin: string, lineOf?: LineOf): StudyPlan =>
  parse(planSchema, value, origin, lineOf) as unknown as StudyPlan;

function parse<Of extends z.ZodType>(
  expected: Of,
  value: unknown,
  origin: string,
  lineOf: LineOf = () => undefined,
): z.output<Of> {
  const parsed = expected.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  throw studyError(
    origin,
    parsed.error.issues.flatMap((issue) => faultsOf(expected, issue, lineOf)),
  );
}

function faultsOf(expected: z.ZodType, issue: z.core.$ZodIssue, lineOf: LineOf): StudyFault[] {
  const fault = (path: readonly PropertyKey[], sentence: string): StudyFault => {
    const line = lineOf(path);
    return { sentence, ...(line !== undefined && { line }) };
  };
  if (issue.code !== 'unrecognized_keys')
    return [fault(issue.path, explain(issue, expected === planSchema ? 'plan' : 'study'))];
  return issue.keys.map((key) => fault([...issue.path, key], explainUnknown(expected, issue.path, key)));
}

function explainUnknown(expected: z.ZodType, above: readonly PropertyKey[], key: string): string {
  const path = [...above, key].join('.');
  const renamed = newNameOf(path);
  if (renamed !== undefined) return renamed;
  const known = keysAt(expected, above);
  const guess = nearest(key, known);
  return `unknown key ${path}: ${guess === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${guess}?`}`;
}

function explain(issue: z.core.$ZodIssue, whole: string): string {
  const where = issue.path.join('.');
  const got = issue.input === undefined ? 'nothing' : written(issue.input);
  const said = issue.message.replace(/^Invalid input: /, '').replace(/^(Too \w+|Invalid \w+): /, '');
  return `invalid ${where || whole}: ${said.replace(/, received .*$/, '')}, got ${got}`;
}

/** Keys of epsilens 0.1, and what replaces them. */
const renamedKeys: Readonly<Record<string, string>> = {
  'training.lotSize': 'training.batchSize',
  'training.parameters': 'training.trainable',
  'mechanisms.vmf': 'mechanisms.directional, with concentration in place of kappa',
  'mechanisms.directional.kappa': 'mechanisms.directional.concentration',
  'attacks.span.sentences': 'attacks.span.count',
  'attacks.decepticons.sentences': 'attacks.decepticons.batchSize, and count for all sentences of all batches',
  'attacks.decepticons.batches': 'attacks.decepticons.count, all sentences of all batches, beside batchSize',
};

const newNameOf = (path: string): string | undefined =>
  renamedKeys[path] && `${path} of epsilens 0.1 is now ${renamedKeys[path]}`;

const written = (value: unknown): string => (typeof value === 'number' ? `${value}` : JSON.stringify(value));

/** The keys that are allowed at this place. */
function keysAt(expected: z.ZodType, path: readonly PropertyKey[]): string[] {
  let here: z.core.$ZodType = expected;
  for (const step of path) {
    const shape = shapeOf(here);
    const next = shape?.[String(step)];
    if (next === undefined) return [];
    here = next;
  }
  return Object.keys(shapeOf(here) ?? {});
}

/** The shape of an object, also inside defaults and `optional`. */
function shapeOf(type: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> | undefined {
  if (type instanceof z.ZodObject) return type.shape;
  const inner = (type as { def?: { innerType?: z.core.$ZodType } }).def?.innerType;
  return inner === undefined ? undefined : shapeOf(inner);
}
