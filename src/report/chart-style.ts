// What all charts share. Mechanisms differ in colour and in shape; the colours (Okabe and Ito 2008) can be told apart by
// colour-blind readers, in grey, and on dark pages. Everything else is drawn in the colour of the text.

import type { MechanismName } from '../calibration/index.js';

export const colours: Readonly<Record<MechanismName, string>> = {
  none: 'currentColor',
  gaussian: '#0072b2',
  directional: '#d55e00',
};

export const symbols: Readonly<Record<MechanismName, 'square' | 'circle' | 'diamond'>> = {
  none: 'square',
  gaussian: 'circle',
  directional: 'diamond',
};

/** Narrow, so that text stays readable when a phone shrinks it. */
export const chartWidth = 420;

export const chartStyle = { fontSize: '13px', overflow: 'visible' } as const;

/** A quiet line in the colour of the text. */
export const quiet = { stroke: 'currentColor', strokeOpacity: 0.45 } as const;

export const titleStyle = { frameAnchor: 'top-left', textAnchor: 'start', fontWeight: 600, fontSize: 14 } as const;
