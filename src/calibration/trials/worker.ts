// A child process that runs trials one after another, keeping model and data open between them.

import { ArgumentError, FileError } from '../../checks/index.js';
import { openSentenceEncoder, type SentenceEncoder } from '../../models/index.js';
import { makePrivateFolder, serveTasks } from '../../platform/index.js';
import { openStudyInputs, type StudyInputs } from '../study/inputs.js';
import type { Study } from '../study/study.js';
import type { Outcome } from './store.js';
import type { Trial } from './trial.js';
import { versionsHere } from './versions.js';
import { openKept } from './work/kept.js';
import { workOn } from './work/work.js';

export interface WorkerTask {
  readonly study: Study;
  readonly trial: Trial;
  readonly folder: string;
  /** The trials that it needs, by id: their folders and what they found. */
  readonly needs: Readonly<Record<string, { readonly folder: string; readonly outcome: Outcome }>>;
  /** Digests of the model and the data that the study began with. */
  readonly origin: { readonly weights: string; readonly data: string };
}

export type WorkerAnswer =
  | { readonly outcome: Outcome; readonly seconds: number }
  | { readonly error: string; readonly seconds: number };

export interface Worker {
  /** Runs one trial; an error becomes its answer. */
  readonly work: (task: WorkerTask) => Promise<WorkerAnswer>;
  /** Waits for the trial under way. */
  readonly close: () => Promise<void>;
}

export function makeWorker(): Worker {
  let open: { readonly study: string; readonly inputs: Promise<StudyInputs> } | undefined;
  let encoder: Promise<SentenceEncoder> | undefined;
  const kept = openKept();
  const openEncoder = () => {
    encoder ??= openSentenceEncoder();
    return encoder;
  };
  const work: Worker['work'] = async ({ study, trial, folder, needs, origin }) => {
    const start = performance.now();
    const seconds = () => (performance.now() - start) / 1000;
    try {
      const text = JSON.stringify(study);
      if (open?.study !== text) open = { study: text, inputs: openStudyInputs(study) };
      const inputs = await open.inputs;
      if (inputs.weights !== origin.weights || inputs.data !== origin.data) {
        throw new FileError('the model or the data changed while the study ran: run the same command again');
      }
      await makePrivateFolder(folder);
      const needed = (id: string) => needs[id] as WorkerTask['needs'][string];
      const outcome = await workOn(trial, {
        inputs,
        encoder: openEncoder,
        kept,
        folder,
        folderOf: (id) => needed(id).folder,
        outcomeOf: (id) => needed(id).outcome,
      });
      expectNumbers(outcome);
      const computedWith = await versionsHere();
      return { outcome: { ...outcome, details: { ...outcome.details, computedWith } }, seconds: seconds() };
    } catch (error) {
      // Inputs that could not be read may be readable next time.
      await open?.inputs.catch(() => {
        open = undefined;
      });
      return { error: describe(error), seconds: seconds() };
    }
  };
  let current: Promise<unknown> = Promise.resolve();
  return {
    work: (task) => {
      const answer = work(task);
      current = answer;
      return answer;
    },
    close: async () => {
      await current;
      await kept.close();
      await (await encoder)?.close();
    },
  };
}

function expectNumbers({ measurements }: Outcome): void {
  const wrong = measurements.find(({ value }) => !Number.isFinite(value));
  if (wrong) throw new Error(`${wrong.name} is ${wrong.value}`);
}

/** Our own errors are complete sentences; for others the stack helps too. */
function describe(error: unknown): string {
  if (error instanceof ArgumentError || error instanceof FileError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : `${error}`;
}

serveTasks(import.meta.url, () => makeWorker().work);
