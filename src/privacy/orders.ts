// Rényi orders. The default is the union of the grids in use elsewhere; 'published' is the one most papers' numbers rest on.

const tenths = Array.from({ length: 99 }, (_, i) => (11 + i) / 10); // 1.1 … 10.9
const whole = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** 1.1 … 10.9 by tenths, then 12 … 63: no 11, and nothing above. */
export const publishedOrders: readonly number[] = Object.freeze([...tenths, ...whole(12, 63)]);

export const defaultOrders: readonly number[] = Object.freeze([...tenths, ...whole(11, 63), 128, 256, 512, 1024]);
