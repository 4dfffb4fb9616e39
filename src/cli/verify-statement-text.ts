// What `epsilens verify` prints about the statement of a study.

import type { StatementDifference, StatementVerification } from '../api/index.js';
import { paragraph } from './wrap.js';

/** Differences printed per statement; --json has all of them. */
const most = 20;

/** The result as text: the status, what was found, and every figure that differs. */
export function describeStatement({ statement, study, status, findings, differences }: StatementVerification): string {
  const rest = differences.length - most;
  const sentences = [
    `Study ${study}.`,
    ...findings,
    ...differences.slice(0, most).map(describeDifference),
    ...(rest > 0 ? [`${rest} more figures differ; --json lists all of them.`] : []),
  ];
  return `${paragraph(`${statement}: ${status}`, ...sentences.map(printable))}\n`;
}

/** Such as “levels[3].leakage.span.mean: the statement says 0.05, the store gives 0.28”. */
function describeDifference({ figure, stated, found, by }: StatementDifference): string {
  const says = stated === undefined ? 'the statement says nothing' : `the statement says ${written(stated)}`;
  return `${figure}: ${says}, the ${by} gives ${found === undefined ? 'nothing' : written(found)}.`;
}

function written(value: StatementDifference['stated']): string {
  if (typeof value === 'string' && /^-?Infinity$/.test(value)) return value;
  const text = JSON.stringify(value) ?? '';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** A statement may come from anybody: what would move the cursor or turn the direction of text is shown as �. */
const printable = (text: string): string => text.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '�');
