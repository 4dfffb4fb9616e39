// Per-example gradients as they follow from sites, without ever being made: each use of a parameter is a sum over the tokens s
// of an example, in one of four forms. Norms, inner products, Gram matrices and weighted sums are written for forms.

import { ArgumentError } from '../../checks/index.js';
import { gradients, mul, normalizedInput, reshape, type Value } from '../../engine/index.js';
import type { LayerTrace } from '../../models/index.js';

/** `right` is [batch, tokens, width]; the parameter is [rows, width], or [width]. */
export type GradientTerm =
  /** Σ_s left_s ⊗ right_s; left is [batch, tokens, rows]. */
  | { readonly form: 'outer'; readonly left: Value; readonly right: Value }
  /** Σ_s right_s into the row that index_s names; indices are [batch, tokens]. */
  | { readonly form: 'rows'; readonly indices: Value; readonly right: Value }
  /** Σ_s right_s, into one row where the parameter has several. */
  | { readonly form: 'sum'; readonly right: Value; readonly row?: number }
  /** right_s into row s. */
  | { readonly form: 'each'; readonly right: Value };

export interface ParameterTerms {
  readonly name: string;
  readonly parameter: Value;
  /** One for each site that uses it: two for a tied weight. */
  readonly terms: readonly GradientTerm[];
}

/** The forms of every trained parameter, from the loss of each example ([batch]) and the sites of its graph. */
export function gradientTerms(
  losses: Value,
  traces: readonly LayerTrace[],
  trainable: Readonly<Record<string, Value>>,
): ParameterTerms[] {
  const used = traces.filter((trace) => namesOf(trace).some((name) => name in trainable));
  const slopes = gradients(
    losses,
    used.map(({ output }) => output),
  );
  const found = new Map<string, GradientTerm[]>();
  for (const [place, trace] of used.entries()) {
    for (const [name, form] of siteForms(trace, slopes[place] as Value, losses.shape[0] as number)) {
      if (name in trainable) found.set(name, [...(found.get(name) ?? []), form]);
    }
  }
  return Object.entries(trainable).map(([name, parameter]) => {
    const terms = found.get(name);
    if (terms === undefined) {
      throw new ArgumentError(
        `parameter ${name} gets no gradient: train only parameters that this use of the model has`,
      );
    }
    return { name, parameter, terms };
  });
}

const namesOf = (trace: LayerTrace): string[] => [
  trace.weight.name,
  ...('bias' in trace && trace.bias !== undefined ? [trace.bias.name] : []),
];

function siteForms(trace: LayerTrace, slope: Value, batch: number): [name: string, form: GradientTerm][] {
  const right = withTokens(slope, batch);
  const { name } = trace.weight;
  switch (trace.kind) {
    case 'linear': {
      const x = withTokens(trace.input, batch);
      const weight: GradientTerm = trace.transposed
        ? { form: 'outer', left: right, right: x }
        : { form: 'outer', left: x, right };
      return [
        [name, weight],
        ...(trace.bias ? [[trace.bias.name, { form: 'sum', right }] as [string, GradientTerm]] : []),
      ];
    }
    case 'norm': {
      const gain = mul(right, withTokens(normalizedInput(trace.output), batch));
      return [
        [name, { form: 'sum', right: gain }],
        [trace.bias.name, { form: 'sum', right }],
      ];
    }
    case 'embedding':
      return [[name, { form: 'rows', indices: reshape(trace.ids, [batch, -1]), right }]];
    case 'position':
      return [[name, { form: 'each', right }]];
    case 'row':
      return [[name, { form: 'sum', right, row: trace.row }]];
  }
}

/** [batch, …, width] as [batch, tokens, width], with one token where there was no such axis. */
const withTokens = (x: Value, batch: number): Value => reshape(x, [batch, -1, x.shape.at(-1) as number]);
