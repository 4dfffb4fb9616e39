// Detaches terms from their graph: one graph computes their values, later graphs read them as inputs.

import { input, type Value } from '../../engine/index.js';
import type { GradientTerm, ParameterTerms } from './gradient-terms.js';

interface DetachedTerms {
  /** The values to compute, by the names of the inputs that stand for them. */
  readonly values: Readonly<Record<string, Value>>;
  /** The same terms on inputs. */
  readonly restored: ParameterTerms[];
}

/** Replaces the values in the terms by inputs. */
export function detachTerms(parameters: readonly ParameterTerms[]): DetachedTerms {
  const names = new Map<number, { readonly name: string; readonly made: Value; readonly value: Value }>();
  const cut = (value: Value): Value => {
    const known = names.get(value.id);
    if (known !== undefined) return known.value;
    const name = `kept ${names.size}`;
    const restored = input(name, value.shape, value.dtype);
    names.set(value.id, { name, made: value, value: restored });
    return restored;
  };
  const cutTerm = (term: GradientTerm): GradientTerm => {
    const right = cut(term.right);
    if (term.kind === 'outer') return { ...term, right, left: cut(term.left) };
    return term.kind === 'rows' ? { ...term, right, indices: cut(term.indices) } : { ...term, right };
  };
  const restored = parameters.map((one) => ({ ...one, terms: one.terms.map(cutTerm) }));
  return { values: Object.fromEntries([...names.values()].map(({ name, made }) => [name, made])), restored };
}
