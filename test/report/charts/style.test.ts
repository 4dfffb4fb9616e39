// Colours and shapes of mechanisms can be distinguished on white, on dark, by colour-blind readers and in grey.

import { describe, expect, it } from 'vitest';
import { mechanismColours, mechanismSymbols, styleOf } from '../../../src/report/charts/chart-style.js';
import { style } from '../../../src/report/page/style.js';

type Vector = readonly number[];

const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const linearRgb = (hex: string): Vector =>
  [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255));
const times = (matrix: readonly Vector[], vector: Vector): Vector =>
  matrix.map((row) => row.reduce((sum, x, i) => sum + x * (vector[i] as number), 0));

/** Machado, Oliveira and Fernandes (2009), severity 1. */
const sights: Readonly<Record<string, readonly Vector[]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** CIE L*a*b* (D65). */
function lab(rgb: Vector): Vector {
  const toXyz = [
    [0.4124, 0.3576, 0.1805],
    [0.2126, 0.7152, 0.0722],
    [0.0193, 0.1192, 0.9505],
  ];
  const white = [0.9505, 1, 1.089];
  const [x, y, z] = times(
    toXyz,
    rgb.map((part) => Math.min(1, Math.max(0, part))),
  ).map((value, i) => {
    const share = value / (white[i] as number);
    return share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116;
  }) as [number, number, number];
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const distance = (a: Vector, b: Vector) => Math.hypot(...a.map((x, i) => x - (b[i] as number)));
const luminance = (hex: string) => times([[0.2126, 0.7152, 0.0722]], linearRgb(hex))[0] as number;
const contrast = (a: string, b: string) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
};

describe('colours', () => {
  it.each(Object.keys(sights))('differ for readers with %s colour vision', (sight) => {
    for (const page of ['onWhite', 'onDark'] as const) {
      const seen = mechanismColours.map((colour) =>
        lab(times(sights[sight] as readonly Vector[], linearRgb(colour[page]))),
      );
      for (const [place, one] of seen.entries()) {
        // A difference of 2 can just be seen side by side.
        for (const other of seen.slice(place + 1)) expect(distance(one, other)).toBeGreaterThan(10);
      }
    }
  });

  it('stand out from the page', () => {
    for (const { onWhite, onDark } of mechanismColours) {
      expect(contrast(onWhite, '#ffffff')).toBeGreaterThan(3);
      expect(contrast(onDark, '#14171b')).toBeGreaterThan(3);
    }
  });
});

describe('styles', () => {
  it('are at least four colours and shapes, and differ for many more places', () => {
    expect(mechanismColours.length).toBeGreaterThanOrEqual(4);
    expect(new Set(mechanismSymbols).size).toBe(mechanismSymbols.length);
    const first = [...Array(12).keys()].map((place) => JSON.stringify(styleOf(place)));
    expect(new Set(first).size).toBe(12);
    // In grey the shape must do.
    expect(new Set([...Array(6).keys()].map((place) => styleOf(place).symbol)).size).toBe(6);
    expect(styleOf(0)).toEqual({ colour: '#0072b2', symbol: 'circle' });
    expect(styleOf(1)).toEqual({ colour: '#d55e00', symbol: 'diamond' });
    expect(styleOf(undefined)).toEqual({ colour: 'currentColor', symbol: 'square' });
  });

  it('are in the style sheet, each colour on white, on dark and on paper, each shape as a key', () => {
    for (const [index, { onWhite, onDark }] of mechanismColours.entries()) {
      expect(style.split(`--mechanism-${index}: ${onWhite};`)).toHaveLength(3);
      expect(style.split(`--mechanism-${index}: ${onDark};`)).toHaveLength(2);
      expect(style).toContain(`svg.chart [stroke="${onWhite}"] { stroke: var(--mechanism-${index}); }`);
    }
    for (const symbol of mechanismSymbols) expect(style).toContain(`.key.${symbol} {`);
    expect(style).not.toMatch(/undefined|\$\{/);
  });
});
