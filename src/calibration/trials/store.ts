// Stores trials and their measurements in SQLite (doorway to libsql). One process writes; a trial is recorded whole or not at all.

import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type Database from 'libsql';
import { FileError } from '../../checks/index.js';
import { explainFileError, ownerOnly } from '../../platform/index.js';
import type { Study } from '../study/study.js';
import { type Trial, taskOf } from './trial.js';

/** A number that a trial measured; `item` counts sentences if there are several. */
export interface Measurement {
  readonly item: number;
  readonly name: string;
  readonly value: number;
}

export interface Outcome {
  readonly measurements: readonly Measurement[];
  /** Results that are not numbers, as plain data. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface RecordedTrial extends Outcome {
  readonly id: string;
  readonly state: 'done' | 'failed';
  readonly error?: string;
  readonly seconds: number;
  readonly finished: string;
}

export interface RecordedStudy {
  readonly id: number;
  readonly name: string;
  readonly study: Study;
  /** What the results need to know about model and data. */
  readonly inputs: unknown;
  readonly trials: readonly string[];
  readonly started: string;
}

export interface Store {
  readonly recordDone: (trial: Trial, outcome: Outcome, seconds: number) => void;
  readonly recordFailed: (trial: Trial, error: string, seconds: number) => void;
  readonly find: (id: string) => RecordedTrial | undefined;
  /** Ids of the trials that are done. */
  readonly done: () => Set<string>;
  readonly forget: (id: string) => void;
  /** Mean seconds of done trials, by kind. */
  readonly pace: () => Map<string, number>;
  readonly addStudy: (study: Study, inputs: unknown, trials: readonly Trial[]) => void;
  /** The latest last. */
  readonly studies: () => RecordedStudy[];
  readonly close: () => void;
}

/** Layout 1 was that of epsilens 0.1, whose trials have other names. */
const layout = 2;
const tables = `
  CREATE TABLE IF NOT EXISTS trials (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, title TEXT NOT NULL, settings TEXT NOT NULL, needs TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('done', 'failed')), error TEXT, details TEXT NOT NULL, seconds REAL NOT NULL,
    finished TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS measurements (
    trial TEXT NOT NULL REFERENCES trials (id) ON DELETE CASCADE, item INTEGER NOT NULL, name TEXT NOT NULL,
    value REAL NOT NULL, PRIMARY KEY (trial, item, name)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS studies (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, study TEXT NOT NULL, inputs TEXT NOT NULL, trials TEXT NOT NULL,
    started TEXT NOT NULL, UNIQUE (study, trials));
`;

export function openStore(path: string, options: { readonly mustExist?: boolean } = {}): Store {
  return guarded(path, () => {
    if (options.mustExist && !existsSync(path)) {
      throw new FileError(`${path}: no such file: expected a folder that epsilens calibrate wrote`);
    }
    const Connection = loadLibsql();
    mkdirSync(dirname(path), { recursive: true, mode: ownerOnly.folder });
    // Made here, because SQLite would let everybody read it; its journal has the mode of the store.
    if (!existsSync(path)) closeSync(openSync(path, 'a', ownerOnly.file));
    const database = new Connection(path);
    // Reader and writer wait for each other.
    database.pragma('busy_timeout = 10000');
    database.pragma('foreign_keys = ON');
    const [found] = database.pragma('user_version') as { user_version: number }[];
    const version = found?.user_version ?? 0;
    if (version !== 0 && version !== layout) {
      const writer = version === 1 ? 'epsilens 0.1' : 'another version of epsilens';
      throw new FileError(`${path}: a store of ${writer}: run the study again in another folder (--out)`);
    }
    if (version === 0) {
      database.exec(tables);
      database.pragma(`user_version = ${layout}`);
    }
    return storeOn(database, path);
  });
}

interface Connection {
  readonly database: Database.Database;
  readonly path: string;
}

/** At first use: its library is an optional package, and commands without a store work without it. */
function loadLibsql(): typeof Database {
  try {
    return createRequire(import.meta.url)('libsql') as typeof Database;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : error;
    throw new FileError(
      `libsql, which stores the results of studies, cannot be loaded (${reason}): run npm install libsql`,
    );
  }
}

function storeOn(database: Database.Database, path: string): Store {
  const connection = { database, path };
  return { ...trialTable(connection), ...studyTable(connection), close: () => void database.close() };
}

const allRows = <Row>({ database, path }: Connection, sql: string, ...values: unknown[]): Row[] =>
  guarded(path, () => database.prepare(sql).all(...values) as Row[]);

function trialTable(
  connection: Connection,
): Pick<Store, 'recordDone' | 'recordFailed' | 'find' | 'done' | 'forget' | 'pace'> {
  const { database, path } = connection;
  const record = recorder(database);
  return {
    recordDone: (trial, outcome, seconds) => guarded(path, () => record(trial, 'done', null, outcome, seconds)),
    recordFailed: (trial, error, seconds) =>
      guarded(path, () => record(trial, 'failed', error, { measurements: [], details: {} }, seconds)),
    find: (id) => findTrial(connection, id),
    done: () =>
      new Set(allRows<{ id: string }>(connection, "SELECT id FROM trials WHERE state = 'done'").map(({ id }) => id)),
    forget: (id) => guarded(path, () => void database.prepare('DELETE FROM trials WHERE id = ?').run(id)),
    pace: () => {
      const rows = allRows<{ kind: string; seconds: number }>(
        connection,
        "SELECT kind, AVG(seconds) AS seconds FROM trials WHERE state = 'done' GROUP BY kind",
      );
      return new Map(rows.map(({ kind, seconds }) => [kind, seconds]));
    },
  };
}

/** Writes a trial with all of its measurements, or nothing. */
function recorder(database: Database.Database) {
  const insertTrial = database.prepare(
    'INSERT OR REPLACE INTO trials VALUES (:id, :kind, :title, :settings, :needs, :state, :error, :details, :seconds, :finished)',
  );
  const insertMeasurement = database.prepare('INSERT INTO measurements VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM measurements WHERE trial = ?');
  return (
    trial: Trial,
    state: 'done' | 'failed',
    error: string | null,
    { measurements, details }: Outcome,
    seconds: number,
  ) =>
    atOnce(database, () => {
      const { id, title } = trial;
      remove.run(id);
      insertTrial.run({
        id,
        kind: taskOf(trial),
        title,
        settings: JSON.stringify(trial.settings),
        needs: JSON.stringify(trial.needs),
        state,
        error,
        details: JSON.stringify(details),
        seconds,
        finished: new Date().toISOString(),
      });
      for (const { item, name, value } of measurements) insertMeasurement.run(id, item, name, value);
    });
}

function findTrial(connection: Connection, id: string): RecordedTrial | undefined {
  type Row = { state: 'done' | 'failed'; error: string | null; details: string; seconds: number; finished: string };
  const columns = 'state, error, details, seconds, finished';
  const [row] = allRows<Row>(connection, `SELECT ${columns} FROM trials WHERE id = ?`, id);
  if (row === undefined) return undefined;
  const measurements = allRows<Measurement>(
    connection,
    'SELECT item, name, value FROM measurements WHERE trial = ? ORDER BY item, name',
    id,
  );
  const { state, error, seconds, finished, details } = row;
  return { id, state, ...(error !== null && { error }), seconds, finished, details: JSON.parse(details), measurements };
}

function studyTable(connection: Connection): Pick<Store, 'addStudy' | 'studies'> {
  const { database, path } = connection;
  return {
    addStudy: (study, inputs, trials) =>
      guarded(path, () => {
        const values = [study, inputs, trials.map(({ id }) => id)].map((value) => JSON.stringify(value)) as string[];
        database
          .prepare(
            `INSERT INTO studies (name, study, inputs, trials, started) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (study, trials) DO UPDATE SET started = excluded.started, inputs = excluded.inputs`,
          )
          .run(study.name, ...values, new Date().toISOString());
      }),
    studies: () =>
      allRows<Record<'name' | 'study' | 'inputs' | 'trials' | 'started', string> & { id: number }>(
        connection,
        'SELECT * FROM studies ORDER BY started, id',
      ).map(({ id, name, study, inputs, trials, started }) => ({
        id,
        name,
        study: JSON.parse(study),
        inputs: JSON.parse(inputs),
        trials: JSON.parse(trials),
        started,
      })),
  };
}

/** Runs a transaction. A full disk ends it by itself; the first error is the one to report. */
function atOnce(database: Database.Database, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Turns SQLite's errors into one sentence that names the file. */
function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const explained = explainFileError(error, { path, tried: 'written' });
    if (!(error instanceof Error) || explained instanceof FileError) throw explained;
    const code = `${(error as { code?: unknown }).code ?? ''}`;
    const known: Readonly<Record<string, string>> = {
      SQLITE_FULL: 'the disk is full: make room, then run the same command again',
      SQLITE_NOTADB: 'not a store of studies: use another folder',
      SQLITE_CORRUPT:
        'the store is damaged: move it away and run the study again; the artefacts of its trials are beside it',
      SQLITE_CANTOPEN: 'the store cannot be opened: is this the folder of a study?',
      SQLITE_BUSY: 'another process is writing to this store: wait for it',
      SQLITE_READONLY: 'the store cannot be written',
    };
    throw new FileError(`${path}: ${known[code] ?? error.message}`);
  }
}
