/** What all membership attacks are judged by. */
export const membershipMeasure = {
  key: 'auc',
  name: 'AUC',
  scale: '1 is certainty, 0.5 guessing',
  range: [0.5, 0.6],
  chance: 0.5,
} as const;
