// The ledger of a run: every step is on disk before its noise is sampled. After a crash it may count one step too many, never
// one too few.

import { type FileHandle, open, readFile } from 'node:fs/promises';
import { FileError } from '../checks/index.js';
import type { Plan } from '../mechanisms/index.js';
import { explainFileError, lockFile, ownerOnly } from '../platform/index.js';
import { differing, writtenBefore } from './differing.js';
import { essentialPlan } from './plan.js';
import type { LedgerEntry } from './plan-guarantee.js';

/** The steps begun so far, on disk. */
export interface Ledger {
  readonly entries: readonly LedgerEntry[];
  /** Resolves once the entry is on disk. */
  readonly record: (entry: LedgerEntry) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The plan that a ledger belongs to. */
export interface LedgerOptions {
  readonly plan: Plan;
  /** Other plain settings that must not change within a run. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Continues an existing ledger. If false, an existing one is an error: a ledger is never overwritten. */
  readonly resume: boolean;
}

/** Raised when the format of plan or entries changes. */
const version = 2;

/** Opens and locks a ledger: lines of JSON, first the plan, then one line per step begun. */
export async function openLedger(path: string, { plan, settings = {}, resume }: LedgerOptions): Promise<Ledger> {
  const head = JSON.parse(JSON.stringify({ ledger: version, plan: essentialPlan(plan), settings }));
  const unlock = await lockFile(`${path}.lock`);
  try {
    return await openLocked(path, head, resume, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function openLocked(path: string, head: object, resume: boolean, unlock: () => Promise<void>): Promise<Ledger> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw explainFileError(error, { path, tried: 'read' });
  });
  if (text !== undefined && text !== '' && !resume) {
    throw new FileError(`${path}: a ledger exists already: resume that run, or use another folder`);
  }
  const found = text ? readEntries(path, text, head) : { entries: [], whole: 0, missing: `${JSON.stringify(head)}\n` };
  const file = await open(path, 'a', ownerOnly.file);
  const entries = [...found.entries];
  try {
    // A line cut off by a crash counts, although its noise was never used.
    if (found.missing !== '') {
      await file.truncate(found.whole);
      await append(file, found.missing);
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    entries,
    record: async ({ step }) => {
      await append(file, lineOf({ step }));
      entries.push({ step });
    },
    close: async () => {
      await file.close();
      await unlock();
    },
  };
}

const lineOf = (entry: LedgerEntry): string => `${JSON.stringify(entry)}\n`;

async function append(file: FileHandle, text: string): Promise<void> {
  await file.appendFile(text);
  await file.datasync();
}

interface Found {
  readonly entries: LedgerEntry[];
  /** Bytes of the complete lines. */
  readonly whole: number;
  /** The text to append after them. */
  readonly missing: string;
}

function readEntries(path: string, text: string, head: object): Found {
  const [first = '', ...rest] = text.split('\n');
  if (rest.length === 0) return { entries: [], whole: 0, missing: `${JSON.stringify(head)}\n` };
  checkHead(path, first, head);
  const torn = rest.pop() as string;
  const entries = rest.map((line, index) => parseEntry(path, line, index + 2));
  const whole = Buffer.byteLength(text) - Buffer.byteLength(torn);
  if (torn === '') return { entries, whole, missing: '' };
  const lost = { step: (entries.at(-1)?.step ?? -1) + 1 };
  return { entries: [...entries, lost], whole, missing: lineOf(lost) };
}

function checkHead(path: string, line: string, head: object): void {
  const saved = parseLine(path, line, 1) as { ledger?: unknown; plan?: object; settings?: object };
  if (saved.ledger === 1) throw new FileError(`${path}: the ledger ${writtenBefore}`);
  if (saved.ledger !== version || !saved.plan) {
    throw new FileError(`${path}: expected a ledger of version ${version}, got another file`);
  }
  const { plan, settings } = head as { plan: object; settings: object };
  const changed = differing(saved.plan, plan) ?? differing(saved.settings ?? {}, settings);
  if (changed !== undefined) {
    const [key, before, after] = changed;
    throw new FileError(
      `${path}: the run was started with ${key} = ${before}, this one has ${after}: use the same value, or start a new run in another folder`,
    );
  }
}

function parseEntry(path: string, line: string, number: number): LedgerEntry {
  const { step } = parseLine(path, line, number) as { step?: unknown };
  if (!Number.isSafeInteger(step) || (step as number) < 0) {
    throw new FileError(`${path}: line ${number}: expected a step number, got ${line}`);
  }
  return { step: step as number };
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
