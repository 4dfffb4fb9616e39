// The statement of a study: everything that it claims, as plain data that `epsilens verify` can compute again. It holds figures, digests
// and settings, no text of the data set and no path of the machine.

import { createHash } from 'node:crypto';
import type { ComputedWith, LevelGuarantee, LevelResults, StudyResults } from '../analysis/results.js';
import type { Study } from '../study/study.js';
import { canonical } from '../trials/trial.js';
import { type Figures, figuresOf } from './figures-of.js';
import { publicStudy, sourceName } from './public-study.js';

/** What the field `kind` of a statement says. */
export const statementKind = 'epsilens statement of a study';

/** Increases when fields change their meaning. */
export const statementFormat = 1;

/** What a study claims. `digest` is a SHA-256 of all the rest: it shows accidental changes, and is no signature. */
export interface Statement {
  readonly kind: typeof statementKind;
  readonly format: number;
  readonly digest: string;
  /** Whether the digest of the data is left out, so that the statement can be passed on. */
  readonly redacted: boolean;
  /** What a reader must know about every ε below. */
  readonly note: string;
  /** The version that wrote the statement. */
  readonly epsilens: string;
  /** What computed the trials, each combination once. */
  readonly computedWith: readonly ComputedWith[];
  /** When the last trial was finished, as an ISO time. */
  readonly finished: string;
  /** As it was run, without folders and names of classes. */
  readonly study: Study;
  /** SHA-256 of `study`. */
  readonly studyDigest: string;
  readonly model: { readonly name: string; readonly parameters: number; readonly digest: string };
  readonly data: { readonly name: string; readonly classes: number; readonly digest?: string; readonly train: number };
  readonly trainable: Figures;
  readonly shared: Figures;
  readonly levels: readonly StatementLevel[];
  readonly tuning: Figures;
  readonly behaviours: Figures;
  readonly equalLeakage: Figures;
  readonly equalCosine: Figures;
  readonly noiseRatios: Figures;
  readonly conclusions: Figures;
  /** Sizes of the training that the study stands for; absent if that is its own. */
  readonly plan?: Figures;
  /** What each attacker gets, by who sees what, with the question that was asked. */
  readonly answers: Figures;
  readonly bridges: Figures;
  /** Numbers of trials that failed, and that are still to be run. */
  readonly failed: number;
  readonly missing: number;
}

/** What was measured and is promised at one noise level. */
export interface StatementLevel {
  readonly level: Figures;
  readonly plan?: Figures;
  readonly privacy?: Figures;
  /** ε of the training that the study stands for. */
  readonly planned?: Figures;
  /** ε of the gradients that a client shares. */
  readonly shared?: Figures;
  readonly noiseLength?: number;
  readonly utility?: Figures;
  /** By the name of the attack: the main measure with its interval, its floor, and everything else that was measured. */
  readonly leakage: Figures;
}

const note =
  'The noise of a study comes from seeds, so its models must not be released: every epsilon says what would hold with secret noise.';

/** Makes the statement of a study. `redact` leaves out the digest of the data, by which a guess at a record could be tested. */
export function statementOf(results: StudyResults, { redact = false }: { readonly redact?: boolean } = {}): Statement {
  const { model, data, levels, version, computedWith = [], finished, failures, missing } = results;
  const study = publicStudy(results.study);
  const { digest: dataDigest, classes, ...described } = data;
  const redacted = redact || dataDigest === undefined;
  const content: Omit<Statement, 'digest'> = {
    kind: statementKind,
    format: statementFormat,
    redacted,
    note,
    epsilens: version,
    computedWith,
    finished,
    study,
    studyDigest: sha256(canonical(study)),
    model: { ...model, name: sourceName(model.name) },
    data: {
      ...described,
      name: sourceName(data.name),
      classes: classes.length,
      ...(!redacted && { digest: dataDigest }),
    },
    trainable: figuresOf(results.trainable),
    shared: figuresOf(results.shared),
    levels: levels.map((level) => levelOf(results, level)),
    tuning: figuresOf(results.tuning),
    behaviours: figuresOf(results.behaviours),
    equalLeakage: figuresOf(results.equalLeakage),
    equalCosine: figuresOf(results.equalCosine),
    noiseRatios: figuresOf(results.noiseRatios),
    conclusions: figuresOf(results.conclusions),
    ...(results.plan && { plan: figuresOf(results.plan) }),
    answers: figuresOf(results.answers),
    bridges: figuresOf(results.bridges),
    failed: failures.length,
    missing,
  };
  const plain = JSON.parse(JSON.stringify(content)) as Omit<Statement, 'digest'>;
  return { ...plain, digest: digestOfStatement(plain) };
}

function levelOf({ study, data }: StudyResults, results: LevelResults): StatementLevel {
  const { level, settings, steps, guarantee, planned, shared, noiseLength, utility, leakage } = results;
  const sizes = { examples: data.train, batchSize: Math.min(study.training.batchSize, data.train) };
  return {
    level: figuresOf(level),
    ...(settings && { plan: figuresOf({ ...sizes, ...settings, steps }) }),
    ...(guarantee && { privacy: figuresOf(withoutSentences(guarantee)) }),
    ...(planned && { planned: figuresOf(withoutSentences(planned)) }),
    ...(shared && { shared: figuresOf(shared) }),
    ...(noiseLength !== undefined && { noiseLength }),
    ...(utility && { utility: figuresOf(utility) }),
    leakage: figuresOf(
      Object.fromEntries(
        Object.entries(leakage).map(([attack, { main, floor, priorFloor, measures, ...rest }]) => {
          // Named one by one: whatever else an attack leaves may be text, or be about single records.
          const { search, genie, reliability, cosine, cosineRead, kind, roc } = rest;
          const more = { search, genie, reliability, cosine, cosineRead, kind, roc };
          return [attack, { ...(figuresOf(main) as object), floor, priorFloor, measures, ...more }];
        }),
      ),
    ),
  };
}

const withoutSentences = ({ statement: _, ...figures }: LevelGuarantee) => figures;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The digest that the content of a statement must have. */
export function digestOfStatement(statement: object): string {
  const { digest: _, ...content } = statement as { readonly digest?: unknown };
  return sha256(canonical(content));
}

/** The digest that a study has in its statement. */
export const digestOfStudy = (study: Study): string =>
  sha256(canonical(JSON.parse(JSON.stringify(publicStudy(study)))));

/** A statement as the text of a file: keys in a fixed order, so that equal statements are equal files. */
export const statementText = (statement: Statement): string => `${JSON.stringify(sorted(statement), null, 2)}\n`;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
