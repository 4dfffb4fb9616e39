// Computes every figure of a study's statement again: measurements from the store, ε from the plan.

import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  checkPrivacy,
  chooseStated,
  collectChosen,
  countFigures,
  type Difference,
  differencesOf,
  digestOfStatement,
  packageVersion,
  type Question,
  type Statement,
  type StudyResults,
  statementFormat,
  statementKind,
  statementOf,
  storePath,
  usualQuestion,
  withQuestion,
} from '../calibration/index.js';
import { ArgumentError, FileError } from '../checks/index.js';
import { readJsonObject } from '../platform/index.js';
import { expectOptions } from './known-options.js';

/** Options of `verifyStatement`. */
export interface VerifyStatementOptions {
  /** The folder of the study, with its store. Default: the folder that holds the statement. */
  readonly folder?: string;
}

/** A figure that is not what the store or the plan gives. */
export interface StatementDifference extends Difference {
  /** `store`: computed again from the measurements. `plan`: computed again by the accountant. */
  readonly by: 'store' | 'plan';
}

/** What was found about a statement. */
export interface StatementVerification {
  /** The path of the statement. */
  readonly statement: string;
  /** The name of the study. */
  readonly study: string;
  /**
   * `confirmed`: store and plan give every figure. `contradicted`: some figure is not what they give, or the file was changed.
   * `unconfirmed`: figures cannot be computed again, or the study has gone on since.
   */
  readonly status: 'confirmed' | 'contradicted' | 'unconfirmed';
  /** What was found, in sentences, without the differences. */
  readonly findings: readonly string[];
  readonly differences: readonly StatementDifference[];
  /** How many figures were compared with the store; 0 without one. */
  readonly figures: number;
}

/**
 * Checks the statement of a study: computes all figures again from the store, and every ε from mechanism, parameter, sizes and δ,
 * whatever ε is recorded. `path` is the file, or the folder of a study with one.
 */
export async function verifyStatement(
  path: string,
  options: VerifyStatementOptions = {},
): Promise<StatementVerification> {
  expectOptions(options, ['folder'], 'verifyStatement');
  if (typeof path !== 'string' || path === '') {
    throw new ArgumentError(`expected the path of a statement, got ${path === '' ? 'an empty one' : typeof path}`);
  }
  const file = isFolder(path) ? join(path, 'statement.json') : path;
  const stated = await readStatement(file);
  const { name } = (stated.study ?? {}) as { readonly name?: unknown };
  const about = { statement: file, study: typeof name === 'string' ? name : 'without a name' };
  if (stated.format !== statementFormat) {
    const finding = `It has format ${JSON.stringify(stated.format)}, and this version of epsilens reads format ${statementFormat}: verify it with the version that wrote it.`;
    return { ...about, status: 'unconfirmed', findings: [finding], differences: [], figures: 0 };
  }
  return { ...about, ...(await compare(stated, options.folder ?? dirname(file))) };
}

/** The statements that a path stands for: itself, or all of a folder. Throws if the folder has none. */
export async function findStatements(path: string): Promise<string[]> {
  if (!isFolder(path)) return [path];
  const names = (await readdir(path)).filter((name) => /^statement(-.*)?\.json$/.test(name)).sort();
  if (names.length > 0) return names.map((name) => join(path, name));
  throw new FileError(`${path}: expected a statement of the study, got none: write it with epsilens report ${path}`);
}

/** Whether a path is meant as a statement, not as a saved model: a JSON file, or the folder of a study. */
export const isStatementPath = (path: string): boolean =>
  isFolder(path) ? existsSync(storePath(path)) && !existsSync(join(path, 'model.safetensors')) : /\.json$/i.test(path);

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

type Stated = Readonly<Record<keyof Statement, unknown>>;

async function readStatement(file: string): Promise<Stated> {
  const read = await readJsonObject(file);
  if (read.kind === statementKind) return read as Stated;
  const got = read.kind === undefined ? 'a file without one' : JSON.stringify(read.kind);
  throw new FileError(
    `${file}: expected a statement of a study (kind “${statementKind}”), got ${got}: give a statement that epsilens report wrote`,
  );
}

type Compared = Omit<StatementVerification, 'statement' | 'study'>;

async function compare(stated: Stated, folder: string): Promise<Compared> {
  const isWhole = stated.digest === digestOfStatement(stated);
  const privacy = checkPrivacy(stated);
  const store = await compareWithStore(stated, folder);
  const known = new Set(store.differences.map(({ figure, found }) => JSON.stringify([figure, found])));
  const byPlan = privacy.differences.filter(({ figure, found }) => !known.has(JSON.stringify([figure, found])));
  const contradicted = !isWhole || privacy.differences.length > 0 || (store.differences.length > 0 && !store.outdated);
  const doubts = privacy.problems.length > 0 || store.problem !== undefined || store.differences.length > 0;
  return {
    status: contradicted ? 'contradicted' : doubts ? 'unconfirmed' : 'confirmed',
    findings: [
      ...(isWhole ? [] : ['The digest does not fit the content: the file was changed after it was written.']),
      ...(store.problem === undefined ? [] : [store.problem]),
      ...(store.figures === 0 ? [] : [`${store.figures} figures were computed again from the store.`]),
      ...(privacy.levels === 0 ? [] : [`ε was computed again from the plan at ${count(privacy.levels, 'level')}.`]),
      ...privacy.problems,
    ],
    differences: [
      ...store.differences.map((one) => ({ ...one, by: 'store' as const })),
      ...byPlan.map((one) => ({ ...one, by: 'plan' as const })),
    ],
    figures: store.figures,
  };
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

interface StoreCheck {
  readonly differences: readonly Difference[];
  readonly figures: number;
  /** Why the store does not decide, in a sentence. */
  readonly problem?: string;
  /** Whether the store explains differences by having gone on, or by another version that wrote the statement. */
  readonly outdated?: boolean;
}

/** What no store knows: how the file was made. */
const ownFields = ['digest', 'epsilens'] as const satisfies readonly (keyof Statement)[];

async function compareWithStore(stated: Stated, folder: string): Promise<StoreCheck> {
  const nothing = { differences: [], figures: 0 };
  const path = storePath(folder);
  if (!existsSync(path)) {
    return { ...nothing, problem: `There is no store at ${path}: give the folder of the study.` };
  }
  let results: StudyResults;
  try {
    const collected = await collectChosen(folder, (known) => chooseStated(known, stated));
    results = withQuestion(collected, questionIn(stated));
  } catch (error) {
    if (!(error instanceof FileError || error instanceof ArgumentError)) throw error;
    return { ...nothing, problem: `The store cannot answer: ${error.message}.` };
  }
  const found = statementOf(results, { redact: stated.redacted === true });
  const differences = differencesOf(without(stated), without(found));
  return { differences, figures: countFigures(without(stated)), ...reasonFor(stated, found, differences.length > 0) };
}

/** The question that the statement answers; a broken one is refused as an error of the statement. */
function questionIn({ answers }: Stated): Question {
  const { question } = (answers ?? {}) as { readonly question?: unknown };
  return typeof question === 'object' && question !== null ? (question as Question) : usualQuestion;
}

const without = (statement: object): object =>
  Object.fromEntries(Object.entries(statement).filter(([key]) => !(ownFields as readonly string[]).includes(key)));

function reasonFor(stated: Stated, found: Statement, differs: boolean): Pick<StoreCheck, 'problem' | 'outdated'> {
  if (!differs) return {};
  if (typeof stated.finished === 'string' && stated.finished < found.finished) {
    const problem = `The last trial of the store finished at ${found.finished}, that of the statement is said to have at ${stated.finished}: either the study has gone on since, or the statement was changed; epsilens report writes it again.`;
    return { problem, outdated: true };
  }
  if (stated.epsilens !== packageVersion) {
    const problem = `It says that epsilens ${stated.epsilens} wrote it, and this is ${packageVersion}, whose figures may differ: verify it with that version.`;
    return { problem, outdated: true };
  }
  return {};
}
