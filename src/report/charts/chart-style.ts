// Style shared by all charts. Mechanisms differ in colour and shape, by their place in the study. Colour-blind readers can tell the
// colours apart (Okabe and Ito 2008), also on dark pages; shapes also work in grey. Everything else has the colour of the text.

/** Colours on white and on dark pages. */
export const mechanismColours = [
  { onWhite: '#0072b2', onDark: '#56b4e9' },
  { onWhite: '#d55e00', onDark: '#ff9248' },
  { onWhite: '#009e73', onDark: '#2fd0a0' },
  { onWhite: '#cc79a7', onDark: '#f4b6d8' },
] as const;

export const mechanismSymbols = ['circle', 'diamond', 'triangle', 'star', 'cross', 'wye'] as const;

export interface Style {
  readonly colour: string;
  readonly symbol: (typeof mechanismSymbols)[number] | 'square';
}

/** The colour and shape of a place. A fifth mechanism has the first one's colour in another shape. */
export const styleIndex = (place: number): { readonly colour: number; readonly symbol: number } => ({
  colour: place % mechanismColours.length,
  symbol: place % mechanismSymbols.length,
});

/** No noise has no place and is a square in the colour of the text. */
export function styleOf(place: number | undefined): Style {
  if (place === undefined) return { colour: 'currentColor', symbol: 'square' };
  const { colour, symbol } = styleIndex(place);
  return {
    colour: mechanismColours[colour]?.onWhite ?? 'currentColor',
    symbol: mechanismSymbols[symbol] ?? 'square',
  };
}

/** Narrow, so that text stays readable when a phone shrinks it. */
export const chartWidth = 420;

export const chartStyle = { fontSize: '13px', overflow: 'visible' } as const;

/** A faint line in the colour of the text. */
export const quiet = { stroke: 'currentColor', strokeOpacity: 0.45 } as const;

export const titleStyle = { frameAnchor: 'top-left', textAnchor: 'start', fontWeight: 600, fontSize: 14 } as const;

/** Size and margins of charts against noise, which stand side by side. */
export const noiseFrame = {
  width: chartWidth,
  height: 232,
  marginLeft: 50,
  marginRight: 12,
  marginTop: 32,
  marginBottom: 42,
  className: 'chart',
  style: chartStyle,
} as const;
