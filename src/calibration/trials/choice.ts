// Chooses the trials to run, and deletes the results of those to run again.

import { rm } from 'node:fs/promises';
import { ArgumentError } from '../../checks/index.js';
import { artefactsOf } from './folder.js';
import type { Store } from './store.js';
import { type Trial, taskOf } from './trial.js';

/** Deletes the results and artefacts of trials, and of the trials that need them. */
export async function forget(
  store: Store,
  folder: string,
  trials: readonly Trial[],
  wanted: readonly Trial[],
): Promise<void> {
  const gone = new Set(wanted.map(({ id }) => id));
  for (const { id, needs } of trials) if (needs.some((one) => gone.has(one))) gone.add(id);
  for (const id of gone) {
    store.forget(id);
    await rm(artefactsOf(folder, id), { recursive: true, force: true });
  }
}

/** The trials of these names (features, tuning, train, or an attack), and the trials that they need. */
export function choose(trials: readonly Trial[], only: readonly string[] | undefined): readonly Trial[] {
  if (only === undefined) return trials;
  const byId = new Map(trials.map((trial) => [trial.id, trial]));
  const chosen = new Set<string>();
  const add = (trial: Trial) => {
    chosen.add(trial.id);
    for (const id of trial.needs) add(byId.get(id) as Trial);
  };
  for (const name of only) {
    const own = trials.filter((trial) => taskOf(trial) === name);
    if (own.length > 0) own.forEach(add);
    else throw new ArgumentError(`the study has no trials of ${name}: add ${name} to it, or leave it out`);
  }
  return trials.filter(({ id }) => chosen.has(id));
}
