// What models that were trained elsewhere say of examples, as a table: one row per model and example.

import { FileError } from '../../checks/index.js';
import { type NamedRecord, readNamedRecords } from '../../data/index.js';
import type { MembershipTruth, ReferenceTruth } from '../evaluation/membership.js';
import { lossOfMargin, marginOfLoss, marginsOf } from './margins.js';

/** One row: a model's log-odds of an example, and whether it was trained on it; undefined where it is not said. */
interface Saying {
  readonly margin: number;
  readonly inside: boolean | undefined;
}

/** Fewer members or non-members than this say nothing. */
const fewest = 8;

/** By example. */
type Sayings = ReadonlyMap<string, Saying>;

/**
 * Reads a table with the columns `member` (1 or 0; empty: a known non-member that is only compared with) and one of `loss`, `margin` (log-odds),
 * `probability` (of the example's own label), `logits` (a list, in JSON) or `logit_0`, `logit_1` and so on with `label`; with several models also
 * `model` and `example`. The target is the model of that name, otherwise the one named target, otherwise the first.
 */
export async function readScoreFile(path: string, target?: string): Promise<MembershipTruth> {
  const models = new Map<string, Map<string, Saying>>();
  const records = await readNamedRecords(path);
  const named = 'model' in (records[0] as NamedRecord).fields;
  if (named && !('example' in (records[0] as NamedRecord).fields)) {
    throw new FileError(
      `${path}: expected a column example beside model, so that rows of different models can be matched`,
    );
  }
  for (const [row, record] of records.entries()) {
    const place = `${path}: line ${record.line}`;
    const model = named ? textOf(record, 'model', place) : 'target';
    const example = 'example' in record.fields ? textOf(record, 'example', place) : `${row}`;
    const sayings = models.get(model) ?? new Map<string, Saying>();
    models.set(model, sayings);
    if (sayings.has(example)) throw new FileError(`${place}: a second row for example ${example} of model ${model}`);
    sayings.set(example, { margin: marginIn(record, place), inside: memberIn(record, place) });
  }
  const name = target ?? (models.has('target') ? 'target' : (models.keys().next().value as string));
  const own = models.get(name);
  if (own === undefined) {
    throw new FileError(
      `${path}: expected rows of the model ${name}, got ${[...models.keys()].slice(0, 5).join(', ')}`,
    );
  }
  models.delete(name);
  return truthFrom(path, own, models);
}

function truthFrom(path: string, own: Sayings, others: ReadonlyMap<string, Sayings>): MembershipTruth {
  const side = (inside: boolean | undefined) => [...own].filter(([, one]) => one.inside === inside).map(([key]) => key);
  const [members, outside, unused] = [side(true), side(false), side(undefined)];
  for (const [what, found] of [
    ['members', members],
    ['non-members', outside],
  ] as const)
    if (found.length < fewest) {
      throw new FileError(`${path}: expected at least ${fewest} ${what} of the target, got ${found.length}`);
    }
  const sides = <T>(of: (example: string) => T) => ({ members: members.map(of), others: outside.map(of) });
  const margins = sides((example) => (own.get(example) as Saying).margin);
  const at = (sayings: Sayings, model: string) => (example: string) => {
    const found = sayings.get(example);
    if (found !== undefined) return found;
    throw new FileError(`${path}: expected a row for example ${example} of model ${model}, as the target has one`);
  };
  return {
    members: margins.members.map(lossOfMargin),
    others: margins.others.map(lossOfMargin),
    margins,
    references: [...others].map(([model, sayings]): ReferenceTruth => {
      const all = [...sayings.values()];
      const ownSide = (inside: boolean) =>
        Float64Array.from(
          all.filter((one) => one.inside === inside),
          ({ margin }) => margin,
        );
      return {
        margins: sides((example) => at(sayings, model)(example).margin),
        inside: sides((example) => Number(at(sayings, model)(example).inside ?? false)),
        own: { members: ownSide(true), others: ownSide(false) },
      };
    }),
    ...(unused.length > 0 && {
      population: {
        margins: Float64Array.from(unused, (example) => (own.get(example) as Saying).margin),
        references: [...others].map(([model, sayings]) =>
          Float64Array.from(unused, (example) => at(sayings, model)(example).margin),
        ),
      },
    }),
  };
}

function textOf({ fields }: NamedRecord, name: string, place: string): string {
  const value = fields[name];
  if (value === undefined || value === null || value === '')
    throw new FileError(`${place}: expected ${name}, got nothing`);
  return String(value);
}

function numberOf(value: unknown, name: string, place: string): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new FileError(`${place}: ${name}: expected a finite number, got ${JSON.stringify(value)}`);
}

const yes = new Set(['1', 'true', 'yes', 'in']);
const no = new Set(['0', 'false', 'no', 'out']);

function memberIn({ fields }: NamedRecord, place: string): boolean | undefined {
  if (!('member' in fields))
    throw new FileError(`${place}: expected a column member (1 or 0), got ${Object.keys(fields).join(', ')}`);
  const word = String(fields.member ?? '').toLowerCase();
  if (word === '') return undefined;
  if (yes.has(word)) return true;
  if (no.has(word)) return false;
  throw new FileError(`${place}: member: expected 1 or 0 (or nothing), got ${word}`);
}

/** The log-odds of the example's own label, from whatever the table has. */
function marginIn({ fields }: NamedRecord, place: string): number {
  const of = (name: string) => numberOf(fields[name], name, place);
  if ('margin' in fields) return of('margin');
  if ('loss' in fields) {
    const loss = of('loss');
    if (loss < 0) throw new FileError(`${place}: loss: expected a number from 0 on, got ${loss}`);
    return marginOfLoss(loss);
  }
  if ('probability' in fields) {
    const probability = of('probability');
    if (probability > 0 && probability <= 1) return marginOfLoss(-Math.log(probability));
    throw new FileError(`${place}: probability: expected above 0 and at most 1, got ${probability}`);
  }
  const columns = Object.keys(fields).filter((name) => /^logit_\d+$/.test(name));
  const logits = Array.isArray(fields.logits)
    ? fields.logits.map((one) => numberOf(one, 'logits', place))
    : columns.sort((a, b) => Number(a.slice(6)) - Number(b.slice(6))).map(of);
  if (logits.length < 2) {
    throw new FileError(
      `${place}: expected loss, margin, probability or logits, got ${Object.keys(fields).join(', ')}`,
    );
  }
  const label = of('label');
  if (!Number.isInteger(label) || label < 0 || label >= logits.length) {
    throw new FileError(`${place}: label: expected 0 to ${logits.length - 1}, got ${label}`);
  }
  return marginsOf(logits, [label], logits.length)[0] as number;
}
