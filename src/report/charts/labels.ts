// Labels beside points, left out where they would cover each other or a point.

export interface LabelPoint {
  /** In pixels. */
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

export interface PlacedLabel {
  readonly point: number;
  readonly dx: number;
  readonly dy: number;
  readonly textAnchor: 'start' | 'end' | 'middle';
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Approximate width of a letter at 11.5 pixels. */
const [letter, height, radius] = [6.3, 12, 7];

const places = [
  { dx: 0, dy: -14, textAnchor: 'middle' },
  { dx: 0, dy: 14, textAnchor: 'middle' },
  { dx: 9, dy: 0, textAnchor: 'start' },
  { dx: -9, dy: 0, textAnchor: 'end' },
] as const;

export function placeLabels(points: readonly LabelPoint[], frame: Box): PlacedLabel[] {
  const taken: Box[] = points.map(({ x, y }) => ({
    left: x - radius,
    right: x + radius,
    top: y - radius,
    bottom: y + radius,
  }));
  return points.flatMap(({ x, y, label }, point) => {
    const width = label.length * letter;
    for (const { dx, dy, textAnchor } of places) {
      const left = x + dx - (textAnchor === 'middle' ? width / 2 : textAnchor === 'end' ? width : 0);
      const box = { left, right: left + width, top: y + dy - height / 2, bottom: y + dy + height / 2 };
      const inside =
        box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
      if (!inside || taken.some((other, place) => place !== point && overlap(box, other))) continue;
      taken.push(box);
      return [{ point, dx, dy, textAnchor }];
    }
    return [];
  });
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
