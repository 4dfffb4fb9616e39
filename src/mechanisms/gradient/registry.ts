// The registry of mechanisms for gradients. A new one is a file and a line here; types, flags, study keys and checks follow.

import { ArgumentError, type OptionSchema, option, say } from '../../checks/index.js';
import { cosine } from './cosine.js';
import { directional } from './directional.js';
import { gaussian } from './gaussian.js';
import { gaussianNormalised } from './gaussian-normalised.js';
import type { GradientMechanism, MechanismParameter, Protector, TrainingSettings } from './gradient-mechanism.js';
import { none } from './none.js';
import { normalised } from './normalised.js';
import { normalisedLayers } from './normalised-layers.js';
import type { PlanSizeOptions } from './plan.js';

/** All mechanisms for gradients, by name. */
export const mechanisms = {
  none,
  normalised,
  'normalised-layers': normalisedLayers,
  gaussian,
  'gaussian-normalised': gaussianNormalised,
  directional,
} as const;

/** What is shared does not follow the layers of training, so this one protects as `normalised` does. */
const { 'normalised-layers': _, ...sharing } = mechanisms;

/** All ways to protect shared gradients, by name: the mechanisms, and `cosine`, which serves to measure attacks. */
export const protectors = { ...sharing, cosine } as const;

type Mechanisms = typeof mechanisms;
type Protectors = typeof protectors;

/** The name of a mechanism for gradients. */
export type MechanismName = keyof Mechanisms;
/** The name of a way to protect shared gradients. */
export type ProtectorName = keyof Protectors;

/** The names of mechanisms with a parameter for the noise. */
export type NoisyMechanism = {
  [Name in MechanismName]: Mechanisms[Name] extends { readonly parameter: MechanismParameter } ? Name : never;
}[MechanismName];

/** The plan of this mechanism. */
export type PlanFor<Name extends MechanismName> = { [N in Name]: ReturnType<Mechanisms[N]['plan']> }[Name];
/** The plan of any mechanism: a union discriminated by `mechanism`. */
export type Plan = PlanFor<MechanismName>;

/** The options, with the sizes of the run, from which a plan of this mechanism is made. */
export type PlanOptionsFor<Name extends MechanismName> = {
  [N in Name]: ReturnType<Mechanisms[N]['optionsOf']> & PlanSizeOptions;
}[Name];
/** The options from which a plan of any mechanism is made. */
export type PlanOptions = PlanOptionsFor<MechanismName>;

/** The protection of shared gradients as plain data: a mechanism's name and its settings. */
export type Protection = { [N in ProtectorName]: ReturnType<Protectors[N]['protectionAt']> }[ProtectorName];

/** The amounts of noise of each mechanism in a study, under one of its keys, and its options for all levels. */
export type StudyMechanisms = {
  readonly [Name in NoisyMechanism]?: {
    [Grid in keyof Mechanisms[Name]['grids']]: { readonly [Key in Grid]: readonly number[] };
  }[keyof Mechanisms[Name]['grids']] &
    Partial<Omit<PlanOptionsFor<Name>, DecidedByStudy>>;
};

/** What other keys of a study decide. */
type DecidedByStudy = keyof PlanSizeOptions | keyof TrainingSettings | 'mechanism' | ParameterKey | 'epsilon';
type ParameterKey = { [Name in NoisyMechanism]: Mechanisms[Name]['parameter']['key'] }[NoisyMechanism];

/** The options of a mechanism's plan that a study may set for all of its levels. */
export function studyOptionsOf(name: NoisyMechanism): OptionSchema {
  const { planOptions, grids } = mechanismOf(name);
  const elsewhere = new Set([parameterOf(name).key, ...Object.keys(grids), 'clipNorm', 'delta']);
  return Object.fromEntries(Object.entries(planOptions).filter(([key]) => !elsewhere.has(key)));
}

/** The names of all mechanisms for gradients. */
export const mechanismNames = Object.freeze(Object.keys(mechanisms)) as readonly MechanismName[];
/** The names of the mechanisms that commands offer for training. */
export const trainingNames: readonly MechanismName[] = mechanismNames.filter(
  (name) => !('isControl' in mechanisms[name]),
);
/** The names of all ways to protect shared gradients. */
export const protectorNames = Object.freeze(Object.keys(protectors)) as readonly ProtectorName[];

/** A mechanism, for code that works with any of them. */
export type AnyMechanism = GradientMechanism<MechanismName, PlanOptions, Plan, Protection>;
/** A way to protect shared gradients, for code that works with any of them. */
export type AnyProtector = Protector<ProtectorName, Protection>;

/** The mechanism of this name. Throws, listing the names, if there is none. */
export const mechanismOf = (name: string): AnyMechanism =>
  find(mechanisms as unknown as Readonly<Record<string, AnyMechanism>>, name);

/** The protection of this name. Throws, listing the names, if there is none. */
export const protectorOf = (name: string): AnyProtector =>
  find(protectors as unknown as Readonly<Record<string, AnyProtector>>, name);

function find<Entry>(registry: Readonly<Record<string, Entry>>, name: string): Entry {
  if (Object.hasOwn(registry, name)) return registry[name] as Entry;
  const names = Object.keys(registry);
  throw new ArgumentError(
    say`invalid ${option('mechanism')}: expected ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, got ${name}`,
  );
}

/** Whether the mechanism of this name has a parameter for the noise. */
export const isNoisy = (name: string): name is NoisyMechanism => mechanismOf(name).parameter !== undefined;

/** The names of all mechanisms with a parameter for the noise. */
export const noisyNames: readonly NoisyMechanism[] = mechanismNames.filter(isNoisy);

/** The parameter that sets the noise of this mechanism. */
export const parameterOf = (name: NoisyMechanism): MechanismParameter => mechanisms[name].parameter;
