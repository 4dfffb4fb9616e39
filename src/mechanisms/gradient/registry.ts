// All mechanisms for gradients. A new one is a file and a line here; types, flags, study keys and checks follow.

import { ArgumentError } from '../../checks/index.js';
import { cosine } from './cosine.js';
import { directional } from './directional.js';
import { gaussian } from './gaussian.js';
import type { GradientMechanism, MechanismParameter, Protector } from './gradient-mechanism.js';
import { none } from './none.js';
import type { PlanSizeOptions } from './plan.js';

export const mechanisms = { none, gaussian, directional } as const;

/** What a client may do to what it shares: any mechanism, and what is there to measure attacks. */
export const protectors = { ...mechanisms, cosine } as const;

type Mechanisms = typeof mechanisms;
type Protectors = typeof protectors;

export type MechanismName = keyof Mechanisms;
export type ProtectorName = keyof Protectors;

/** Those that have a parameter: how much noise. */
export type NoisyMechanism = {
  [Name in MechanismName]: Mechanisms[Name] extends { readonly parameter: MechanismParameter } ? Name : never;
}[MechanismName];

export type PlanFor<Name extends MechanismName> = { [N in Name]: ReturnType<Mechanisms[N]['plan']> }[Name];
export type Plan = PlanFor<MechanismName>;

export type PlanOptionsFor<Name extends MechanismName> = {
  [N in Name]: ReturnType<Mechanisms[N]['optionsOf']> & PlanSizeOptions;
}[Name];
export type PlanOptions = PlanOptionsFor<MechanismName>;

export type Protection = { [N in ProtectorName]: ReturnType<Protectors[N]['protectionAt']> }[ProtectorName];

/** How much noise each mechanism of a study has, said in one of its ways. */
export type StudyNoise = {
  readonly [Name in NoisyMechanism]?: {
    [Grid in keyof Mechanisms[Name]['grids']]: { readonly [Key in Grid]: readonly number[] };
  }[keyof Mechanisms[Name]['grids']];
};

export const mechanismNames = Object.freeze(Object.keys(mechanisms)) as readonly MechanismName[];
export const protectorNames = Object.freeze(Object.keys(protectors)) as readonly ProtectorName[];

/** A mechanism as code that knows none of them sees it. */
export type AnyMechanism = GradientMechanism<MechanismName, PlanOptions, Plan, Protection>;
export type AnyProtector = Protector<ProtectorName, Protection>;

/** Throws where there is none of this name. */
export const mechanismOf = (name: string): AnyMechanism =>
  find(mechanisms as unknown as Readonly<Record<string, AnyMechanism>>, name);

export const protectorOf = (name: string): AnyProtector =>
  find(protectors as unknown as Readonly<Record<string, AnyProtector>>, name);

function find<Entry>(registry: Readonly<Record<string, Entry>>, name: string): Entry {
  if (Object.hasOwn(registry, name)) return registry[name] as Entry;
  const names = Object.keys(registry);
  throw new ArgumentError(
    `invalid mechanism: expected ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, got ${name}`,
  );
}

export const isNoisy = (name: string): name is NoisyMechanism => mechanismOf(name).parameter !== undefined;

export const noisyNames: readonly NoisyMechanism[] = mechanismNames.filter(isNoisy);

/** The parameter of a mechanism that has one. */
export const parameterOf = (name: NoisyMechanism): MechanismParameter => mechanisms[name].parameter;
