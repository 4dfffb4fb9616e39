// A trial is one piece of work whose result depends on its settings and on the trials it needs, and on nothing else. Its name is
// the hash of all that, so a trial that was done is never done again, by whatever study asks for it.

import { createHash } from 'node:crypto';
import type { Level } from './results.js';
import type { Study } from './study.js';

export interface TrialSettings {
  /** The frozen part of the model run over the data. */
  readonly features: Origin & { readonly trainable: string; readonly maxTokens: number };
  readonly train: Origin &
    Study['training'] & { readonly maxTokens: number; readonly level: Level; readonly seed: number };
  /** Who was in the training data of the model that the trial it needs has trained. */
  readonly membership: { readonly seed: number; readonly split?: 'calibration-paper' };
  readonly span: Reconstruction;
  readonly decepticons: Reconstruction & {
    readonly batches: number;
    readonly attacker: 'published' | 'noise-aware';
  };
  /** How much of the text the attack it needs has recovered. */
  readonly score: Readonly<Record<string, never>>;
}

export const trialKinds = ['features', 'train', 'membership', 'span', 'decepticons', 'score'] as const;
export type TrialKind = (typeof trialKinds)[number];

/** Digests of weights and data. */
interface Origin {
  readonly weights: string;
  readonly data: string;
}

interface Reconstruction extends Origin {
  readonly level: Level;
  readonly newHead: boolean;
  /** Which gradients are shared, how they are bounded. */
  readonly shared: string;
  readonly scope: 'joint' | 'tensor';
  readonly clipNorm: number;
  /** In a batch; for the span attack, one after the other. */
  readonly sentences: number;
  readonly maxTokens: number;
  readonly seed: number;
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

/** Goes up when the same settings give other results. */
const version = 2;

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
  const { mechanism, parameter } = level;
  return [`seed ${seed}`, mechanism, ...(parameter === undefined ? [] : [parameter]), item].join(', ');
}

/** JSON with sorted keys: the same for equal values, however they were put together. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`;
}
