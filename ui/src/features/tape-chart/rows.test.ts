import { describe, expect, it } from 'vitest';
import { chartRows } from './rows';
import { aRoom, aType } from './testing';

const types = [aType('DLX', 2), aType('STD', 1)];
const rooms = [aRoom('10'), aRoom('2'), aRoom('201', 'DLX', '2'), { ...aRoom('3'), active: false }];

describe('rows', () => {
  it('are grouped by type in the order of the hotel, rooms by number as people count', () => {
    expect(chartRows(rooms, types, 'type').map((row) => row.key)).toEqual([
      'type:t-STD',
      'r-2',
      'r-10',
      'type:t-DLX',
      'r-201',
    ]);
  });

  it('are grouped by floor', () => {
    expect(chartRows(rooms, types, 'floor').map((row) => row.key)).toEqual([
      'floor:1',
      'r-2',
      'r-10',
      'floor:2',
      'r-201',
    ]);
  });

  it('hide the rooms of a closed group and keep its head', () => {
    expect(chartRows(rooms, types, 'type', new Set(['type:t-STD'])).map((row) => row.key)).toEqual([
      'type:t-STD',
      'type:t-DLX',
      'r-201',
    ]);
  });
});
