/** The tape chart. */
export const tapeChart = {
  'chart.title': 'Tape chart',
} as const;
