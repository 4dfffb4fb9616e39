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

/** Throws an ArgumentError if nothing that the attack can read is shared. Undefined: all that it reads is shared. */
export function evidenceIn(
  model: Pick<AttackedModel, 'layout'>,
  shared: readonly string[] | undefined,
  loss: ClientLossName = 'class',
): Evidence {
  const [tables, projections] = [tableNames(model), spanParameters({ model })];
  const has = (names: readonly string[]) => names.every((name) => shared === undefined || shared.includes(name));
  // A language-model head is tied to the word table, and adds to the row of every token.
  const silent = !has(tables)
    ? 'they are not both shared'
    : loss === 'class'
      ? undefined
      : 'a language-model loss fills every row of the word table';
  const speaking = { tables: silent === undefined, span: has(projections) };
  const reads = [...(speaking.tables ? tables : []), ...(speaking.span ? projections : [])];
  if (reads.length > 0) return { ...speaking, reads, ...(silent !== undefined && { silent }) };
  const ways = [...(loss === 'class' ? [tables.join(' and ')] : []), projections.join(', ')];
  throw new ArgumentError(
    say`what the likelihood attack reads is not shared: add ${ways.join(', or ')} to ${option('shared')}`,
  );
}
