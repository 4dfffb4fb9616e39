// A trial is one piece of work whose result depends on its settings and on the trials it needs, and on nothing else. Its name is
// the hash of all that, so a trial that was done is never done again, by whatever study asks for it.

import { createHash } from 'node:crypto';
import type { Level } from '../analysis/results.js';
import type { AttackSettings, Study } from '../study/study.js';

export interface TrialSettings {
  /** The frozen part of the model run over the data. */
  readonly features: Origin & { readonly trainable: string; readonly maxTokens: number };
  readonly train: Origin &
    Study['training'] & { readonly maxTokens: number; readonly level: Level; readonly seed: number };
  readonly attack: GradientTrial | LossTrial;
}

export type TrialKind = keyof TrialSettings;

/** Digests of weights and data. */
interface Origin {
  readonly weights: string;
  readonly data: string;
}

/** Text from gradients that clients share: client and server are the same at every level, only the noise differs. */
export interface GradientTrial extends Origin {
  readonly sees: 'gradient';
  readonly attack: string;
  /** As the study has them. */
  readonly settings: AttackSettings;
  readonly level: Level;
  readonly newHead: boolean;
  /** Which gradients are shared, how they are clipped. */
  readonly shared: string;
  readonly scope: 'joint' | 'tensor';
  readonly clipNorm: number;
  readonly seed: number;
}

/** Tells who was in the training data of the model that the trial it needs has trained. */
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
  /** Trials that must be done before. */
  readonly needs: readonly string[];
  /** For people. */
  readonly title: string;
}

export type Trial = { [Kind in TrialKind]: TrialOf<Kind> }[TrialKind];

/** What a person calls it: features, train, or the attack's name. */
export const taskOf = (trial: Trial): string => (trial.kind === 'attack' ? trial.settings.attack : trial.kind);

/** Goes up when the same settings give other results. */
const version = 3;

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

/** Seeds the noise of one item of a study by what it means, so that it survives renamed settings: study seed, mechanism, level, item. */
export function noiseSeed({ seed, level }: { readonly seed: number; readonly level: Level }, item: string): string {
  const parameter = level.parameter === undefined ? [] : [level.parameter];
  return [`seed ${seed}`, level.mechanism, ...parameter, item].join(', ');
}

/** JSON with sorted keys: the same for equal values, however they were put together. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`;
}
