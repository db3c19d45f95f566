import { common } from './common';
import { errors } from './errors';
import { house } from './house';
import { newReservation } from './new-reservation';
import { reservation } from './reservation';
import { shell } from './shell';
import { tapeChart } from './tape-chart';
import { today } from './today';

export const en = {
  ...common,
  ...errors,
  ...house,
  ...newReservation,
  ...reservation,
  ...shell,
  ...tapeChart,
  ...today,
} as const;

export type MessageId = keyof typeof en;
