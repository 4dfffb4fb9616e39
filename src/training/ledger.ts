// The ledger of a run: every step is on disk before its noise is sampled. After a crash it may count one step too many, never
// one too few.

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { FileError, option, say, setting } from '../checks/index.js';
import type { Plan } from '../mechanisms/index.js';
import { explainFileError, lockFile, ownerOnly } from '../platform/index.js';
import { otherData } from './data-digest.js';
import { differing } from './differing.js';
import { type LedgerContents, type LedgerHead, ledgerVersion, lineOf, parseLedger } from './ledger-file.js';
import { essentialPlan } from './plan.js';
import type { LedgerEntry } from './plan-guarantee.js';

/** The steps begun so far, on disk. */
export interface Ledger {
  /** Identity of the run. */
  readonly run: string;
  /** Every step in the file, those of other processes included. */
  readonly entries: readonly LedgerEntry[];
  /** Resolves once the entry is on disk. */
  readonly record: (entry: { readonly step: number }) => Promise<void>;
  /** Reads the file again if somebody else has written to it. */
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The run that a ledger belongs to. */
export interface LedgerOptions {
  readonly plan: Plan;
  /** Digest of the training data (`digestTrainingData`). */
  readonly data: string;
  /** Other plain settings that must not change within a run. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Continues an existing ledger. If false, an existing one is an error: a ledger is never overwritten. */
  readonly resume: boolean;
}

/** Opens and locks a ledger: lines of JSON, first the head, then one line per step begun. */
export async function openLedger(path: string, options: LedgerOptions): Promise<Ledger> {
  const unlock = await lockFile(`${path}.lock`);
  try {
    return await openLocked(path, options, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function openLocked(path: string, options: LedgerOptions, unlock: () => Promise<void>): Promise<Ledger> {
  const head = headOf(options);
  const text = await readText(path);
  if (text !== '' && !options.resume) {
    throw new FileError(
      say`${path}: a ledger exists already: continue that run with ${setting('resume', true)}, or choose another ${option('folder')}`,
    );
  }
  const found = parseLedger(path, text) ?? { head, entries: [], whole: 0, torn: text };
  if (found.head !== head) checkHead(path, found.head, head);
  const file = await open(path, 'a+', ownerOnly.file);
  try {
    return await writeTo(file, path, found, unlock);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function writeTo(
  file: FileHandle,
  path: string,
  found: LedgerContents,
  unlock: () => Promise<void>,
): Promise<Ledger> {
  const { head } = found;
  // Names this process, so that two ledgers of one run show where they part.
  const session = randomUUID().slice(0, 8);
  const entries = [...found.entries];
  let size = found.whole;
  const append = async (text: string): Promise<void> => {
    await file.appendFile(text);
    await file.datasync();
    size += Buffer.byteLength(text);
  };
  const refresh = async (): Promise<void> => {
    const [own, there] = [await file.stat(), await stat(path).catch(() => undefined)];
    // A file that was renamed over it, or removed, leaves this process writing where nobody reads.
    const isReplaced = there === undefined || there.ino !== own.ino || there.dev !== own.dev;
    if (!isReplaced && own.size === size) return;
    const text = isReplaced ? '' : await readText(path);
    const all = parseLedger(path, text);
    if (all === undefined || all.head.run !== head.run || all.entries.length < entries.length) {
      throw new FileError(`${path}: the ledger was cut or replaced while the run was working: the run cannot go on`);
    }
    entries.splice(0, entries.length, ...all.entries);
    size = Buffer.byteLength(text);
  };
  if (found.torn !== '') await file.truncate(found.whole);
  if (found.whole === 0) await append(lineOf(head));
  else if (found.torn !== '') await append(lineOf(found.entries.at(-1) as LedgerEntry));
  return {
    run: head.run,
    entries,
    refresh,
    record: async ({ step }) => {
      await refresh();
      await append(lineOf({ step, session }));
      entries.push({ step, session });
    },
    close: async () => {
      await file.close();
      await unlock();
    },
  };
}

/** Reads a ledger without opening it for a run. */
export async function readLedger(path: string): Promise<LedgerContents> {
  const contents = parseLedger(path, await readText(path));
  if (contents === undefined) throw new FileError(`${path}: expected the ledger of a run, got nothing`);
  return contents;
}

/** The head of a new ledger. */
const headOf = ({ plan, data, settings = {} }: LedgerOptions): LedgerHead =>
  JSON.parse(
    JSON.stringify({ ledger: ledgerVersion, run: randomUUID(), data, plan: essentialPlan(plan), settings }),
  ) as LedgerHead;

const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw explainFileError(error, { path, tried: 'read' });
  });

function checkHead(path: string, saved: LedgerHead, now: LedgerHead): void {
  const changed = differing(saved.plan, now.plan) ?? differing(saved.settings ?? {}, now.settings);
  if (changed !== undefined) {
    const [key, before, after] = changed;
    throw new FileError(
      say`${path}: the run was started with ${option(key)} = ${before}, this one has ${after}: use the same value, or start a new run in another ${option('folder')}`,
    );
  }
  if (saved.data !== now.data) throw new FileError(say`${path}: ${otherData}`);
}
