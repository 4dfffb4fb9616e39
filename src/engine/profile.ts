// ONNX Runtime's profile: a list of events in a JSON file.

import { readFile } from 'node:fs/promises';

/** One ONNX node of a profile: how often it ran, and its total time. */
export interface NodeTime {
  readonly node: string;
  readonly opType: string;
  readonly calls: number;
  readonly milliseconds: number;
}

export async function readProfile(file: string): Promise<NodeTime[]> {
  return nodeTimes(JSON.parse(await readFile(file, 'utf8')) as ProfileEvent[]);
}

interface ProfileEvent {
  readonly cat: string;
  readonly name: string;
  readonly dur: number;
  readonly args?: { readonly op_name?: string };
}

const kernelTime = '_kernel_time';

function nodeTimes(events: readonly ProfileEvent[]): NodeTime[] {
  const byNode = new Map<string, NodeTime>();
  for (const { cat, name, dur, args } of events) {
    if (cat !== 'Node' || !name.endsWith(kernelTime)) continue;
    const node = name.slice(0, -kernelTime.length);
    const sum = byNode.get(node) ?? { node, opType: args?.op_name ?? '', calls: 0, milliseconds: 0 };
    byNode.set(node, { ...sum, calls: sum.calls + 1, milliseconds: sum.milliseconds + dur / 1000 });
  }
  return [...byNode.values()].sort((a, b) => b.milliseconds - a.milliseconds);
}
