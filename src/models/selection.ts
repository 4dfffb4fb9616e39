// Selects the parameters that are trained, or shared with an attacker.

import { ArgumentError } from '../checks/index.js';
import type { Model, Task } from './model.js';

/**
 * Names of the parameters that a selector stands for, in the order of the layers: `all`; `head` (the classifier alone);
 * `pooler+classifier` (what the calibration paper trains; for GPT-2, which has no pooler, final norm and score, also called
 * `norm+score`); or names separated by commas, where * stands for anything. Throws if a name matches no parameter of the task.
 */
export function selectParameters(model: Model, selector: string, task: Task = 'classification'): string[] {
  const names = model.parametersOf(task);
  if (selector === 'all') return names;
  const { selections } = model.architecture;
  const named = Object.hasOwn(selections, selector) ? selections[selector] : undefined;
  if (named !== undefined)
    return expectSome(
      names.filter((name) => named.test(name)),
      selector,
      names,
    );
  const wanted = selector.split(',').map((pattern) => pattern.trim());
  const chosen = new Set<string>();
  for (const pattern of wanted) {
    const matcher = wildcard(pattern);
    for (const name of expectSome(
      names.filter((one) => matcher.test(one)),
      pattern,
      names,
    ))
      chosen.add(name);
  }
  return names.filter((name) => chosen.has(name));

  function expectSome(found: string[], pattern: string, all: readonly string[]): string[] {
    if (found.length > 0) return found;
    const sets = ['all', ...Object.keys(selections)].join(', ');
    throw new ArgumentError(
      `no parameter is called ${JSON.stringify(pattern)}: expected ${sets}, or names such as ${all.at(-1)}, with * for anything`,
    );
  }
}

const wildcard = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
