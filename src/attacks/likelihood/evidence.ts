// Which pieces of evidence a gradient offers: that depends on what is shared, and on the client's loss.

import { ArgumentError, option, say } from '../../checks/index.js';
import type { ClientLossName } from '../client-loss.js';
import type { AttackedModel } from '../model.js';
import { spanParameters } from '../span/first-block.js';
import { tableNames } from './table-products.js';

export interface Evidence {
  readonly tables: boolean;
  readonly span: boolean;
  /** Names of the parameters that the pieces read. */
  readonly reads: readonly string[];
  /** Why the tables do not speak, in words. */
  readonly silent?: string;
}

/** What the shared gradients offer. Undefined: all that tables and first block need is shared. */
export function evidenceIn(
  model: Pick<AttackedModel, 'layout'>,
  shared: readonly string[] | undefined,
  loss: ClientLossName = 'class',
): Evidence {
  const [tables, projections] = [tableNames(model), spanParameters({ model, shared })];
  const has = (names: readonly string[]) => names.every((name) => shared === undefined || shared.includes(name));
  // A language-model head is tied to the word table, and adds to the row of every token.
  const silent = !has(tables)
    ? 'they are not both shared'
    : loss === 'class'
      ? undefined
      : 'a language-model loss fills every row of the word table';
  const speaking = { tables: silent === undefined, span: has(projections) };
  const reads = [...(speaking.tables ? tables : []), ...(speaking.span ? projections : [])];
  return { ...speaking, reads, ...(silent !== undefined && { silent }) };
}

/** Throws an ArgumentError where neither tables nor first block speak and something needs them. */
export function expectFirstEvidence(
  model: Pick<AttackedModel, 'layout'>,
  { tables, span }: Evidence,
  what: string,
): void {
  if (tables || span) return;
  const ways = `${tableNames(model).join(' and ')}, or ${spanParameters({ model }).join(', ')}`;
  throw new ArgumentError(say`${what} needs gradients that are not shared: add ${ways} to ${option('shared')}`);
}
