// What computes here: recorded with every trial, because figures may differ in their last digits between versions and machines.

import { readFileSync } from 'node:fs';
import { runtimeInfo } from '../../engine/index.js';
import type { ComputedWith } from '../analysis/results.js';

/** The version of this package. */
export const packageVersion: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version;

/** The versions of what computes in this process. */
export async function versionsHere(): Promise<ComputedWith> {
  const { version: onnxRuntime } = await runtimeInfo();
  const { versions, platform, arch } = process;
  return { epsilens: packageVersion, node: versions.node, onnxRuntime, machine: `${platform} ${arch}` };
}
