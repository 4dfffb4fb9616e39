// Per-example gradients as they follow from sites, without ever being made: each use of a parameter is a sum over the tokens s
// of an example, in one of four forms. Norms, inner products, Gram matrices and weighted sums are written for forms.

import { ArgumentError } from '../../checks/index.js';
import { gradients, mul, normalizedInput, reshape, type Value } from '../../engine/index.js';
import type { Site } from '../../models/index.js';

/** `right` is [batch, tokens, width]; the parameter is [rows, width], or [width]. */
export type Form =
  /** Σ_s left_s ⊗ right_s; left is [batch, tokens, rows]. */
  | { readonly form: 'outer'; readonly left: Value; readonly right: Value }
  /** Σ_s right_s into the row that index_s names; indices are [batch, tokens]. */
  | { readonly form: 'rows'; readonly indices: Value; readonly right: Value }
  /** Σ_s right_s, into one row where the parameter has several. */
  | { readonly form: 'sum'; readonly right: Value; readonly row?: number }
  /** right_s into row s. */
  | { readonly form: 'each'; readonly right: Value };

export interface ParameterForms {
  readonly name: string;
  readonly parameter: Value;
  /** One for each site that uses it: two for a tied weight. */
  readonly forms: readonly Form[];
}

/** The forms of every trained parameter, from the loss of each example ([batch]) and the sites of its graph. */
export function formsOf(
  losses: Value,
  sites: readonly Site[],
  trained: Readonly<Record<string, Value>>,
): ParameterForms[] {
  const used = sites.filter((site) => namesOf(site).some((name) => name in trained));
  const slopes = gradients(
    losses,
    used.map(({ output }) => output),
  );
  const found = new Map<string, Form[]>();
  for (const [place, site] of used.entries()) {
    for (const [name, form] of siteForms(site, slopes[place] as Value, losses.shape[0] as number)) {
      if (name in trained) found.set(name, [...(found.get(name) ?? []), form]);
    }
  }
  return Object.entries(trained).map(([name, parameter]) => {
    const forms = found.get(name);
    if (forms === undefined) {
      throw new ArgumentError(
        `parameter ${name} gets no gradient: train only parameters that this use of the model has`,
      );
    }
    return { name, parameter, forms };
  });
}

const namesOf = (site: Site): string[] => [
  site.weight.name,
  ...('bias' in site && site.bias !== undefined ? [site.bias.name] : []),
];

function siteForms(site: Site, slope: Value, batch: number): [name: string, form: Form][] {
  const right = withTokens(slope, batch);
  const { name } = site.weight;
  switch (site.kind) {
    case 'linear': {
      const x = withTokens(site.input, batch);
      const weight: Form = site.transposed
        ? { form: 'outer', left: right, right: x }
        : { form: 'outer', left: x, right };
      return [[name, weight], ...(site.bias ? [[site.bias.name, { form: 'sum', right }] as [string, Form]] : [])];
    }
    case 'norm': {
      const gain = mul(right, withTokens(normalizedInput(site.output), batch));
      return [
        [name, { form: 'sum', right: gain }],
        [site.bias.name, { form: 'sum', right }],
      ];
    }
    case 'embedding':
      return [[name, { form: 'rows', indices: reshape(site.ids, [batch, -1]), right }]];
    case 'position':
      return [[name, { form: 'each', right }]];
    case 'row':
      return [[name, { form: 'sum', right, row: site.row }]];
  }
}

/** [batch, …, width] as [batch, tokens, width], with one token where there was no such axis. */
const withTokens = (x: Value, batch: number): Value => reshape(x, [batch, -1, x.shape.at(-1) as number]);
