// Rényi orders. The default is the union of the grids that other libraries use; 'published' is the one behind most papers' numbers.

const tenths = Array.from({ length: 99 }, (_, i) => (11 + i) / 10); // 1.1 … 10.9
const whole = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** 1.1 … 10.9 in tenths, then 12 … 63: no 11, and nothing above 63. */
export const publishedOrders: readonly number[] = Object.freeze([...tenths, ...whole(12, 63)]);

/** 1.1 … 10.9 in tenths, 11 … 63, then 128, 256, 512 and 1024. */
export const defaultOrders: readonly number[] = Object.freeze([...tenths, ...whole(11, 63), 128, 256, 512, 1024]);
