// Forms cut off from the graph that made them: their values are computed once and given to later graphs as inputs.

import { input, type Value } from '../../engine/index.js';
import type { GradientTerm, ParameterTerms } from './gradient-terms.js';

interface KeptForms {
  /** The values to compute, by the names under which the restored forms ask for them. */
  readonly kept: Readonly<Record<string, Value>>;
  readonly restored: ParameterTerms[];
}

export function detachTerms(parameters: readonly ParameterTerms[]): KeptForms {
  const names = new Map<number, { readonly name: string; readonly made: Value; readonly value: Value }>();
  const cut = (value: Value): Value => {
    const known = names.get(value.id);
    if (known !== undefined) return known.value;
    const name = `kept ${names.size}`;
    const restored = input(name, value.shape, value.dtype);
    names.set(value.id, { name, made: value, value: restored });
    return restored;
  };
  const cutForm = (form: GradientTerm): GradientTerm => {
    const right = cut(form.right);
    if (form.form === 'outer') return { ...form, right, left: cut(form.left) };
    return form.form === 'rows' ? { ...form, right, indices: cut(form.indices) } : { ...form, right };
  };
  const restored = parameters.map((one) => ({ ...one, terms: one.terms.map(cutForm) }));
  return { kept: Object.fromEntries([...names.values()].map(({ name, made }) => [name, made])), restored };
}
