// A trial is one piece of work whose result depends only on its settings and on the trials that it needs. Its id is the hash of
// these, so a finished trial is never run again, whichever study asks for it.

import { createHash } from 'node:crypto';
import type { MechanismOptions, Protection } from '../../mechanisms/index.js';
import type { Level } from '../analysis/results.js';
import type { AttackSettings, StudyTraining } from '../study/study.js';

export interface TrialSettings {
  /** The frozen part of the model run over the data. */
  readonly features: Origin & { readonly trainable: string; readonly maxTokens: number };
  readonly train: TrainTrial;
  readonly attack: GradientTrial | LossTrial | WorldTrial;
}

export type TrialKind = keyof TrialSettings;

/** Digests of weights and data. */
interface Origin {
  readonly weights: string;
  readonly data: string;
}

/** One training run at one noise level. Settings that are still to be chosen follow from the tuning runs that it needs. */
export interface TrainTrial extends Origin, Omit<StudyTraining, 'tuning'> {
  readonly maxTokens: number;
  /** Examples of the training that this run stands for, which decide its number of steps; absent if it stands for itself. */
  readonly plannedExamples?: number;
  /** What the study sets for the mechanism; absent if nothing. */
  readonly options?: MechanismOptions;
  readonly level: Level;
  readonly seed: number;
  /** A run that serves only to choose settings is scored on validation data and nothing else. */
  readonly purpose?: 'tuning';
  /** Whether the guarantee counts the tuning runs that it needs, too. */
  readonly accounted?: true;
}

/** Recovers text from shared gradients. Client and server are the same at every level; only the noise differs. */
export interface GradientTrial extends Origin {
  readonly sees: 'gradient';
  readonly attack: string;
  /** As the study has them. */
  readonly settings: AttackSettings;
  readonly level: Level;
  readonly newHead: boolean;
  /** Which gradients are shared. */
  readonly shared: string;
  readonly protection: Protection;
  readonly seed: number;
}

/** Tells members of a target's training data from others by models of the attacker's own: trains all of them, the target with the noise of the level. */
export interface WorldTrial extends Origin {
  readonly sees: 'models';
  readonly attack: string;
  readonly settings: AttackSettings;
  readonly trainable: string;
  readonly maxTokens: number;
  /** Bounds of the target's plan. */
  readonly clipNorm: number;
  readonly delta?: number;
  /** What the study sets for the mechanism; absent if nothing. */
  readonly options?: MechanismOptions;
  readonly level: Level;
  readonly seed: number;
}

/** Tells members of the training data from others, on the model of the training trial that it needs. */
export interface LossTrial {
  readonly sees: 'losses';
  readonly attack: string;
  readonly settings: AttackSettings;
  readonly seed: number;
  /** Chooses the non-members that the attack compares members with. */
  readonly split?: 'calibration-paper';
}

interface TrialOf<Kind extends TrialKind> {
  readonly id: string;
  readonly kind: Kind;
  readonly settings: TrialSettings[Kind];
  /** Ids of the trials that must be done first. */
  readonly needs: readonly string[];
  /** For people. */
  readonly title: string;
}

export type Trial = { [Kind in TrialKind]: TrialOf<Kind> }[TrialKind];

/** The trial's name for people: features, tuning, train, or the name of the attack. */
export function taskOf(trial: Trial): string {
  if (trial.kind === 'attack') return trial.settings.attack;
  return trial.kind === 'train' ? (trial.settings.purpose ?? 'train') : trial.kind;
}

export const isTuningRun = (trial: Trial): boolean => trial.kind === 'train' && trial.settings.purpose === 'tuning';

/** Increases when equal settings give other results than before. */
const version = 8;

export function makeTrial<Kind extends TrialKind>(
  kind: Kind,
  settings: TrialSettings[Kind],
  needs: readonly string[],
  title: string,
): Trial {
  const text = canonical({ version, kind, settings, needs });
  const id = createHash('sha256').update(text).digest('hex').slice(0, 20);
  return { id, kind, settings, needs, title } as unknown as Trial;
}

/** Seeds the noise of one item by its meaning (study seed, mechanism, level, item), so that renamed settings do not change it. */
export function noiseSeed({ seed, level }: { readonly seed: number; readonly level: Level }, item: string): string {
  const parameter = level.parameter === undefined ? [] : [level.parameter];
  return [`seed ${seed}`, level.mechanism, ...parameter, item].join(', ');
}

/** JSON with sorted keys: equal values give equal text, whatever the order of their keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`;
}
