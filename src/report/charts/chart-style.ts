// What all charts share. Mechanisms differ in colour and in shape, by their place in the study; the colours (Okabe and Ito
// 2008) can be told apart by colour-blind readers and on dark pages, the shapes also in grey. Everything else is drawn in the
// colour of the text.

export interface MechanismStyle {
  /** On white. */
  readonly colour: string;
  readonly onDark: string;
  readonly symbol: 'circle' | 'diamond' | 'triangle' | 'star' | 'cross' | 'wye';
}

/** By place in the study. */
export const mechanismStyles: readonly MechanismStyle[] = [
  { colour: '#0072b2', onDark: '#56b4e9', symbol: 'circle' },
  { colour: '#d55e00', onDark: '#ff9248', symbol: 'diamond' },
  { colour: '#009e73', onDark: '#2fc79b', symbol: 'triangle' },
  { colour: '#a6477f', onDark: '#e59cc4', symbol: 'star' },
  { colour: '#9a6f00', onDark: '#f0c14b', symbol: 'cross' },
  { colour: '#5b5fc7', onDark: '#a9acf5', symbol: 'wye' },
];

/** Studies with more mechanisms than there are styles use them again. */
export const styleIndex = (place: number): number => place % mechanismStyles.length;

/** No noise has no place: a square in the colour of the text. */
export const styleOf = (place: number | undefined) =>
  place === undefined
    ? ({ colour: 'currentColor', symbol: 'square' } as const)
    : (mechanismStyles[styleIndex(place)] as MechanismStyle);

/** Narrow, so that text stays readable when a phone shrinks it. */
export const chartWidth = 420;

export const chartStyle = { fontSize: '13px', overflow: 'visible' } as const;

/** A quiet line in the colour of the text. */
export const quiet = { stroke: 'currentColor', strokeOpacity: 0.45 } as const;

export const titleStyle = { frameAnchor: 'top-left', textAnchor: 'start', fontWeight: 600, fontSize: 14 } as const;
