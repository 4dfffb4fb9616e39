// Per-example gradients, derived from layer traces and never materialised: each use of a parameter contributes a term, a sum over
// the tokens s of an example, of one of four kinds. Norms, inner products, Gram matrices and weighted sums work on terms.

import { ArgumentError } from '../../checks/index.js';
import { gradients, mul, normalizedInput, reshape, type Value } from '../../engine/index.js';
import type { LayerTrace } from '../../models/index.js';

/** What one use of a parameter adds to its gradient. `right` is [batch, tokens, width]; the parameter [rows, width] or [width]. */
export type GradientTerm =
  /** Σ_s left_s ⊗ right_s; left is [batch, tokens, rows]. */
  | { readonly kind: 'outer'; readonly left: Value; readonly right: Value }
  /** Σ_s right_s into row index_s; indices are [batch, tokens]. */
  | { readonly kind: 'rows'; readonly indices: Value; readonly right: Value }
  /** Σ_s right_s, into one row if the parameter has several. */
  | { readonly kind: 'sum'; readonly right: Value; readonly row?: number }
  /** right_s into row first + s. */
  | { readonly kind: 'each'; readonly right: Value; readonly first: number };

/** A trainable parameter with the terms of its gradient. */
export interface ParameterTerms {
  readonly name: string;
  readonly parameter: Value;
  /** One per layer that uses the parameter: two for a tied weight. */
  readonly terms: readonly GradientTerm[];
}

/**
 * The terms of every trainable parameter, from the losses of the examples ([batch]) and the traces of their graph. With `slopes`,
 * `output` is any value with the batch on its first axis, and the gradients are those of Σ slopes∘output.
 */
export function gradientTerms(
  output: Value,
  traces: readonly LayerTrace[],
  trainable: Readonly<Record<string, Value>>,
  slopes?: Value,
): ParameterTerms[] {
  const used = traces.filter((trace) => namesOf(trace).some((name) => name in trainable));
  const found = gradients(
    output,
    used.map((trace) => trace.output),
    slopes,
  );
  const byName = new Map<string, GradientTerm[]>();
  for (const [place, trace] of used.entries()) {
    for (const [name, term] of traceTerms(trace, found[place] as Value, output.shape[0] as number)) {
      if (name in trainable) byName.set(name, [...(byName.get(name) ?? []), term]);
    }
  }
  return Object.entries(trainable).map(([name, parameter]) => {
    const terms = byName.get(name);
    if (terms === undefined) {
      throw new ArgumentError(`parameter ${name} gets no gradient: train only parameters that this loss depends on`);
    }
    return { name, parameter, terms };
  });
}

const namesOf = (trace: LayerTrace): string[] => [
  trace.weight.name,
  ...('bias' in trace && trace.bias !== undefined ? [trace.bias.name] : []),
];

function traceTerms(trace: LayerTrace, slope: Value, batch: number): [name: string, term: GradientTerm][] {
  const right = withTokens(slope, batch);
  const { name } = trace.weight;
  switch (trace.kind) {
    case 'linear': {
      const x = withTokens(trace.input, batch);
      const weight: GradientTerm = trace.transposed
        ? { kind: 'outer', left: right, right: x }
        : { kind: 'outer', left: x, right };
      return [
        [name, weight],
        ...(trace.bias ? [[trace.bias.name, { kind: 'sum', right }] as [string, GradientTerm]] : []),
      ];
    }
    case 'norm': {
      const gain = mul(right, withTokens(normalizedInput(trace.output), batch));
      return [
        [name, { kind: 'sum', right: gain }],
        [trace.bias.name, { kind: 'sum', right }],
      ];
    }
    case 'embedding':
      return [[name, { kind: 'rows', indices: reshape(trace.ids, [batch, -1]), right }]];
    case 'position':
      return [[name, { kind: 'each', right, first: trace.first }]];
    case 'row':
      return [[name, { kind: 'sum', right, row: trace.row }]];
  }
}

/** Reshapes [batch, …, width] to [batch, tokens, width], with one token if there is no such axis. */
const withTokens = (x: Value, batch: number): Value => reshape(x, [batch, -1, x.shape.at(-1) as number]);
