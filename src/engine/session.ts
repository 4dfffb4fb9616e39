// A session of ONNX Runtime: what it takes to open, run and close one, whichever way leads there.

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import type { OnnxModel } from './onnx.js';
import { type NodeTime, readProfile } from './profile.js';
import { type Buffers, openRuntime, type RuntimeSession } from './runtime.js';
import type { SessionOptions } from './session-options.js';
import { describeType, type ValueType } from './types.js';
import type { Node } from './value.js';

export class Session {
  readonly #session: RuntimeSession;
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #profileFolder: string | undefined;
  readonly #running = new Set<Promise<void>>();

  private constructor(session: RuntimeSession, nodes: ReadonlyMap<string, Node>, profileFolder: string | undefined) {
    this.#session = session;
    this.#nodes = nodes;
    this.#profileFolder = profileFolder;
  }

  static async open(model: OnnxModel, options: SessionOptions): Promise<Session> {
    const runtime = await openRuntime(options.runtime);
    const profileFolder = options.profile ? await mkdtemp(join(tmpdir(), 'epsilens-profile-')) : undefined;
    try {
      const prefix = profileFolder === undefined ? undefined : join(profileFolder, 'run');
      return new Session(await runtime.open(model, options, prefix), model.nodes, profileFolder);
    } catch (error) {
      await removeFolder(profileFolder);
      throw translated(error, model.nodes);
    }
  }

  /** Runs once; results are written into the given buffers. */
  async run(inputs: Buffers, results: Buffers): Promise<void> {
    const run = this.#session.run(inputs, results);
    this.#running.add(run);
    try {
      await run;
    } catch (error) {
      throw translated(error, this.#nodes);
    } finally {
      this.#running.delete(run);
    }
  }

  /** Ends profiling and returns what it recorded. */
  async profile(): Promise<NodeTime[]> {
    const folder = this.#profileFolder;
    if (folder === undefined) throw new ArgumentError('profile: expected a program compiled with { profile: true }');
    this.#session.endProfiling();
    const [file] = await readdir(folder);
    return readProfile(join(folder, file as string));
  }

  /** Waits for what is running. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#session.close();
    await removeFolder(this.#profileFolder);
  }
}

async function removeFolder(folder: string | undefined): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

/** ONNX Runtime names the node that failed; this says which of our operators that is, and where it was made. */
function translated(error: unknown, nodes: ReadonlyMap<string, Node>): Error {
  if (error instanceof ArgumentError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const name = /Name:'([^']*)'|[Nn]ode \(([^)]*)\)|Node:(\S+)/.exec(message)?.slice(1).find(Boolean);
  const node = name === undefined ? undefined : nodes.get(name);
  if (node === undefined) return new Error(`ONNX Runtime: ${message}`, { cause: error });
  const where = node.label === '' ? '' : ` in ${node.label}`;
  const reason = message.replace(/^.*Status Message: /s, '').trim();
  return new Error(`${node.op.name}${where} (${describeType(node.outputs[0] as ValueType)}): ${reason}`, {
    cause: error,
  });
}
