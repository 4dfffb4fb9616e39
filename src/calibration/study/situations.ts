// Which attacks of a study apply, by who is taken to see what.

import { findAttack, type SituationName, situationOf, situations } from '../../attacks/index.js';
import { ArgumentError, readOptions } from '../../checks/index.js';
import type { Study } from './study.js';

/** The situation of an attack with the settings of a study. */
export function situationIn({ attacks }: Pick<Study, 'attacks'>, name: string): SituationName {
  const attack = findAttack(name);
  const given = Object.entries(attacks[name] ?? {}).filter(([key]) => key in attack.options);
  return situationOf(attack, readOptions(attack.options, Object.fromEntries(given)));
}

/** Leaves only the attacks that are possible in the situations that a study names. Throws an ArgumentError if one of them has none. */
export function inSituations(study: Study, origin: string): Study {
  const { situations: chosen } = study;
  if (chosen === undefined) return study;
  const own = Object.keys(study.attacks).map((name) => [name, situationIn(study, name)] as const);
  const missing = chosen.find((one) => own.every(([, situation]) => situation !== one));
  if (missing !== undefined) {
    const known = [...new Set(own.map(([, situation]) => situation))].join(', ') || 'none';
    throw new ArgumentError(
      `${origin}: invalid situations: expected those that some attack of the study belongs to (${known}), got ${missing}: add an attack, such as ${situations.find(({ name }) => name === missing)?.example}`,
    );
  }
  const needed = chosen.flatMap((one) => [one, situations.find(({ name }) => name === one)?.includes]);
  const kept = own.filter(([, situation]) => needed.includes(situation)).map(([name]) => name);
  return {
    ...study,
    attacks: Object.fromEntries(Object.entries(study.attacks).filter(([name]) => kept.includes(name))),
  };
}
