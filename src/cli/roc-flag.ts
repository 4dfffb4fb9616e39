// The flag --roc of membership attacks: their ROC curves as a chart.

import type { MembershipBound, MembershipResult } from '../attacks/index.js';
import { ArgumentError } from '../checks/index.js';
import { writePrivate } from '../platform/index.js';
import { membershipBound } from '../privacy/index.js';
import type { Command } from './command.js';
import { hang } from './wrap.js';

export const addRocFlag = (command: Command): Command =>
  command.option('--roc <file>', 'write the ROC curve, with what the guarantee allows, as a chart: FILE.svg');

/** Throws an ArgumentError unless the path is that of an SVG file; to be called before anything is trained. */
export function expectSvg(path: string | undefined): void {
  if (path === undefined || /[^/\\]\.svg$/i.test(path)) return;
  throw new ArgumentError(`invalid --roc: expected the path of a file that ends in .svg, got ${path}`);
}

interface RocReport {
  readonly title: string;
  readonly curves: readonly { readonly name: string; readonly points: MembershipResult['roc'] }[];
  readonly members: number;
  readonly others: number;
  readonly bound?: MembershipBound;
}

/** Writes the chart, if one is asked for; returns lines that say where. */
export async function writeRoc(path: string | undefined, { bound, ...report }: RocReport): Promise<string> {
  if (path === undefined) return '';
  // Loading the charts takes half a second, which other calls need not wait for.
  const { drawRoc } = await import('../report/index.js');
  const allowed = bound && { ...bound, points: membershipBound(1 / report.others, bound.epsilon, bound.delta) };
  await writePrivate(path, drawRoc({ ...report, ...(allowed && { bound: allowed }) }));
  return `${['', ...hang('  ', `The ROC curve is in ${path}.`)].join('\n')}\n`;
}
