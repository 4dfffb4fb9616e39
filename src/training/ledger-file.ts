// The ledger as a file: lines of JSON, first the head, then one line per step begun.

import { FileError, option, say } from '../checks/index.js';
import type { LedgerEntry } from './plan-guarantee.js';

/** The first line: which run this is, on which data, by which plan. */
export interface LedgerHead {
  readonly ledger: number;
  /** Identity of the run, made when it began. A copy of its folder has the same one. */
  readonly run: string;
  /** Digest of the training data (`digestTrainingData`). */
  readonly data: string;
  readonly plan: object;
  readonly settings: object;
}

/** Raised when the format of head or entries changes. */
export const ledgerVersion = 3;

/** The contents of a ledger. */
export interface LedgerContents {
  readonly head: LedgerHead;
  /** Every step begun, by any process. */
  readonly entries: readonly LedgerEntry[];
  /** Bytes of the complete lines. */
  readonly whole: number;
  /** Text after them that a crash cut off. */
  readonly torn: string;
}

/** One line of the file. */
export const lineOf = (value: LedgerEntry | LedgerHead): string => `${JSON.stringify(value)}\n`;

/** Reads a ledger; undefined if not even its head is complete. A line that a crash cut off counts as a step. */
export function parseLedger(path: string, text: string): LedgerContents | undefined {
  const [first = '', ...rest] = text.split('\n');
  if (rest.length === 0) return undefined;
  const head = parseHead(path, first);
  const torn = rest.pop() as string;
  const entries = rest.map((line, index) => parseEntry(path, line, index + 2));
  // Its noise was never used, but its number may be lost.
  const lost = torn === '' ? [] : [{ step: (entries.at(-1)?.step ?? -1) + 1 }];
  return { head, entries: [...entries, ...lost], whole: Buffer.byteLength(text) - Buffer.byteLength(torn), torn };
}

function parseHead(path: string, line: string): LedgerHead {
  const head = parseLine(path, line, 1) as Partial<LedgerHead>;
  if (head.ledger === 1 || head.ledger === 2) {
    throw new FileError(
      say`${path}: the ledger was written by an earlier version of epsilens, which recorded less: finish the run with that version, or start a new run in another ${option('folder')}`,
    );
  }
  if (head.ledger !== ledgerVersion || !head.plan || typeof head.run !== 'string') {
    throw new FileError(`${path}: expected a ledger of version ${ledgerVersion}, got another file`);
  }
  return head as LedgerHead;
}

function parseEntry(path: string, line: string, number: number): LedgerEntry {
  const entry = parseLine(path, line, number) as Partial<LedgerEntry>;
  const { step } = entry;
  if (!Number.isSafeInteger(step) || (step as number) < 0) {
    throw new FileError(`${path}: line ${number}: expected a step number, got ${line}`);
  }
  return entry as LedgerEntry;
}

function parseLine(path: string, line: string, number: number): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw new FileError(
    `${path}: line ${number}: expected JSON, got ${JSON.stringify(line.slice(0, 60))}: the ledger is damaged`,
  );
}
