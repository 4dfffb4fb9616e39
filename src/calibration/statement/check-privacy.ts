// Checks every ε of a statement against the plan that the statement itself gives. The statement comes from a file, so nothing about its
// form is taken for granted.

import { ArgumentError } from '../../checks/index.js';
import type { Guarantee } from '../../privacy/index.js';
import { sharedGuaranteeOf } from '../analysis/guarantees.js';
import type { Level } from '../analysis/results.js';
import { parseStudy } from '../study/study-schema.js';
import { type Difference, differencesOf } from './differences.js';
import { figuresOf } from './figures-of.js';
import { accountAgain, accountPlanned, type PlanSource, possibleSizes } from './recompute.js';

/** What accounting again gives. */
export interface PrivacyCheck {
  /** Figures that do not follow from the plan. */
  readonly differences: readonly Difference[];
  /** What could not be accounted for again, in sentences. */
  readonly problems: readonly string[];
  /** At how many levels ε was computed again. */
  readonly levels: number;
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/** Computes the steps and the guarantee of every level again, from study, sizes and parameter. */
export function checkPrivacy(statement: object): PrivacyCheck {
  const { study, data, trainable, shared, levels } = statement as Fields;
  const entries = Array.isArray(levels) ? levels.map(fieldsOf) : [];
  try {
    const { layers } = fieldsOf(trainable);
    const source: PlanSource = {
      study: parseStudy(study, 'the study of the statement'),
      levels: entries.map(({ level }) => levelIn(level)),
      examples: fieldsOf(data).train as number,
      ...(typeof layers === 'number' && { layers }),
    };
    const { tensors, mostTensors } = fieldsOf(shared) as Partial<Sharing>;
    const sharing = {
      train: source.examples,
      tensors: tensors as number,
      ...(mostTensors !== undefined && { mostTensors }),
    };
    const checked = entries.map((entry, place) => checkLevel(source, sharing, entry, place));
    return {
      differences: checked.flatMap(({ differences }) => differences),
      problems: checked.flatMap(({ problems }) => problems),
      levels: checked.filter(({ accounted }) => accounted).length,
    };
  } catch (error) {
    return { differences: [], problems: [problem('ε', error)], levels: 0 };
  }
}

interface LevelCheck extends Omit<PrivacyCheck, 'levels'> {
  readonly accounted: boolean;
}

interface Sharing {
  readonly train: number;
  readonly tensors: number;
  readonly mostTensors?: number;
}

function checkLevel(source: PlanSource, sharing: Sharing, entry: Fields, place: number): LevelCheck {
  const figure = `levels[${place}]`;
  const { plan, privacy, planned, shared } = entry;
  if ([plan, privacy, planned, shared].every((part) => part === undefined))
    return { differences: [], problems: [], accounted: false };
  try {
    const level = source.levels[place] as Level;
    const local = sharedGuaranteeOf({ study: source.study, data: sharing, shared: sharing }, level).shared;
    const ofSharing = differencesOf(shared, local && figuresOf(local), `${figure}.shared`);
    if (plan === undefined) {
      // What no plan stands behind cannot be computed again, and must not pass for it.
      const isOpen = privacy !== undefined || planned !== undefined;
      const problems = isOpen ? [`${figure}.privacy cannot be computed again: the level has no plan.`] : [];
      return { differences: ofSharing, problems, accounted: !isOpen && local !== undefined };
    }
    const { steps, guarantee } = accountAgain(source, level, fieldsOf(plan).epochs as number);
    const differences = [
      ...sizeDifferences(source, fieldsOf(plan), `${figure}.plan`),
      ...differencesOf(fieldsOf(plan).steps, steps, `${figure}.plan.steps`),
      ...differencesOf(privacy, statedAgain(privacy, guarantee), `${figure}.privacy`),
      ...differencesOf(planned, statedAgain(planned, accountPlanned(source, level)), `${figure}.planned`),
      ...ofSharing,
    ];
    return { differences, problems: [], accounted: guarantee !== undefined };
  } catch (error) {
    return { differences: [], problems: [problem(`${figure}.privacy`, error)], accounted: false };
  }
}

/** Sizes of a level's run that its study and data do not give: a smaller training would have a smaller ε. */
function sizeDifferences(source: PlanSource, plan: Fields, figure: string): Difference[] {
  const possible = possibleSizes(source).map(({ examples, epochs, batchSize }) => ({ examples, epochs, batchSize }));
  const stated = { examples: plan.examples, epochs: plan.epochs, batchSize: plan.batchSize };
  const found = possible.find(({ epochs }) => epochs === stated.epochs) ?? possible[0];
  return differencesOf(stated, found, figure);
}

/** A guarantee in the fields of the statement; older ones do not name the unit. */
function statedAgain(stated: unknown, guarantee: Guarantee | undefined) {
  if (guarantee === undefined) return undefined;
  const { unit, epsilon, delta, neighbours, accountant, bound } = guarantee;
  const named = fieldsOf(stated).unit === undefined ? {} : { unit };
  return figuresOf({ ...named, epsilon, delta, neighbours, accountant, bound });
}

/** A level as the statement gives it; what it is not is found by making its plan. */
function levelIn(value: unknown): Level {
  const { mechanism, parameter } = fieldsOf(value);
  if (typeof mechanism !== 'string') throw new ArgumentError('expected the name of a mechanism at every level');
  return { mechanism, ...(parameter !== undefined && { parameter: parameter as number }) };
}

function problem(what: string, error: unknown): string {
  if (!(error instanceof ArgumentError)) throw error;
  return `${what} cannot be computed again: ${error.message}.`;
}
