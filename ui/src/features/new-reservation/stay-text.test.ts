import { describe, expect, it } from 'vitest';
import { readStay, type StayWish, writeStay } from './stay-text';

const types = [
  { id: 't-std', code: 'STD', name: 'Standard double' },
  { id: 't-twn', code: 'TWN', name: 'Twin' },
  { id: 't-dlx', code: 'DLX', name: 'Deluxe sea view' },
  { id: 't-sui', code: 'SUI', name: 'Suite' },
];
const context = { today: '2026-11-30', types };

function read(text: string, today = context.today): StayWish {
  const reading = readStay(text, { today, types });
  if (!reading.ok) throw new Error(`${text}: ${JSON.stringify(reading.problem)}`);
  return reading.stay;
}

function refused(text: string, today = context.today) {
  const reading = readStay(text, { today, types });
  if (reading.ok) throw new Error(`${text} was read as ${JSON.stringify(reading.stay)}`);
  return reading;
}

describe('a stay in one typed line', () => {
  it.each([
    ['30.11 2n 2 dbl', '2026-11-30', '2026-12-02', [{ count: 2, typeId: 't-std' }]],
    ['2027-06-10 > 2027-06-12', '2027-06-10', '2027-06-12', [{ count: 1, typeId: undefined }]],
    ['10.06.2027', '2027-06-10', '2027-06-11', [{ count: 1, typeId: undefined }]],
    ['10.06.2027 - 12.06.2027 sui', '2027-06-10', '2027-06-12', [{ count: 1, typeId: 't-sui' }]],
    ['today 3n', '2026-11-30', '2026-12-03', [{ count: 1, typeId: undefined }]],
    ['tomorrow 1 night dlx', '2026-12-01', '2026-12-02', [{ count: 1, typeId: 't-dlx' }]],
    ['fri 2n', '2026-12-04', '2026-12-06', [{ count: 1, typeId: undefined }]],
    ['friday to sunday', '2026-12-04', '2026-12-06', [{ count: 1, typeId: undefined }]],
    ['10 jun 2027 3 nights', '2027-06-10', '2027-06-13', [{ count: 1, typeId: undefined }]],
    ['10jun 3n', '2027-06-10', '2027-06-13', [{ count: 1, typeId: undefined }]],
    ['june 10 3n', '2027-06-10', '2027-06-13', [{ count: 1, typeId: undefined }]],
    ['30/11 1n', '2026-11-30', '2026-12-01', [{ count: 1, typeId: undefined }]],
    ['30.12 > 02.01', '2026-12-30', '2027-01-02', [{ count: 1, typeId: undefined }]],
    [
      '1.12 2n 1 std + 2 twn',
      '2026-12-01',
      '2026-12-03',
      [
        { count: 1, typeId: 't-std' },
        { count: 2, typeId: 't-twn' },
      ],
    ],
    ['1.12 2n 2x std', '2026-12-01', '2026-12-03', [{ count: 2, typeId: 't-std' }]],
    ['1.12 2n 2std', '2026-12-01', '2026-12-03', [{ count: 2, typeId: 't-std' }]],
    ['1.12 2n 3 rooms', '2026-12-01', '2026-12-03', [{ count: 3, typeId: undefined }]],
    ['1.12 2n 3 rooms dlx', '2026-12-01', '2026-12-03', [{ count: 3, typeId: 't-dlx' }]],
    ['1.12 2 noches', '2026-12-01', '2026-12-03', [{ count: 1, typeId: undefined }]],
    ['1.12 2 ночи', '2026-12-01', '2026-12-03', [{ count: 1, typeId: undefined }]],
  ])('%s', (text, checkIn, checkOut, rooms) => {
    const stay = read(text);
    expect([stay.checkIn, stay.checkOut]).toEqual([checkIn, checkOut]);
    expect(stay.rooms).toEqual(rooms);
  });

  it('takes the guests with it', () => {
    expect(read('today 2n 2a 1c')).toMatchObject({ adults: 2, children: 1 });
    expect(read('today 2n')).toMatchObject({ adults: undefined, children: undefined });
  });

  it('says when it took one night for want of a departure', () => {
    expect(read('10.06.2027').nightsAssumed).toBe(true);
    expect(read('10.06.2027 1n').nightsAssumed).toBe(false);
  });

  it('takes a day without a year as the next one, today included', () => {
    expect(read('30.11').checkIn).toBe('2026-11-30');
    expect(read('29.11').checkIn).toBe('2027-11-29');
    expect(read('1.1').checkIn).toBe('2027-01-01');
  });

  it('b92_reads_10_06_2027_and_2027_06_10_alike_and_refuses_06_10_as_unclear', () => {
    expect(read('10.06.2027').checkIn).toBe('2027-06-10');
    expect(read('2027-06-10').checkIn).toBe('2027-06-10');
    const unclear = refused('06/10 2n');
    expect(unclear.problem).toEqual({
      code: 'unclear_date',
      text: '06/10',
      readings: ['2027-10-06', '2027-06-10'],
    });
    expect(unclear.repairs).toEqual(['2027-10-06', '2027-06-10']);
    expect(refused('06/10/2027').problem.code).toBe('unclear_date');
    expect(refused('06-10-2027').problem.code).toBe('unclear_date');
    expect(read('06/06').checkIn).toBe('2027-06-06');
    expect(read('25/12').checkIn).toBe('2026-12-25');
    expect(read('12/25').checkIn).toBe('2026-12-25');
  });

  it('b26_29_february_in_a_common_year_is_refused_never_coerced', () => {
    for (const text of ['29.02.2027', '2027-02-29', '29 feb 2027', '29/02/2027', '02/29/2027']) {
      expect(refused(text).problem).toMatchObject({
        code: 'no_such_date',
        day: 29,
        month: 2,
        year: 2027,
        nextYear: 2028,
      });
    }
    expect(refused('29.02').problem.code).toBe('no_such_date');
    expect(read('2028-02-28 > 2028-03-01', '2028-01-01').nights).toBe(2);
    expect(read('29.02.2028').checkIn).toBe('2028-02-29');
    expect(refused('31.04.2027').problem).toMatchObject({
      code: 'no_such_date',
      nextYear: undefined,
    });
    expect(refused('2027-13-01').problem).toMatchObject({
      code: 'no_such_date',
      nextYear: undefined,
    });
  });

  it('b31_departure_must_be_after_arrival', () => {
    expect(refused('2027-06-10 > 2027-06-10').problem.code).toBe('not_after');
    expect(refused('2027-06-10 > 2027-06-08').problem.code).toBe('not_after');
    expect(refused('2027-06-10 > 2027-06-12 3n').problem).toEqual({
      code: 'nights_and_departure_differ',
      nights: 3,
      dates: 2,
    });
  });

  it('b98_counts_out_of_bounds_are_refused', () => {
    for (const text of [
      'today 0n',
      'today -1n',
      'today 366n',
      'today 2147483648n',
      'today 2n 0 rooms',
      'today 2n 51 rooms',
      'today 0a',
      'today 2n 30 std 30 dlx',
    ]) {
      expect(refused(text).problem.code, text).toBe('bad_count');
    }
    for (const text of ['today 1e3n', 'today ２n', 'today 1,000n'])
      expect(readStay(text, context).ok, text).toBe(false);
  });

  it('refuses what is past, too long, unknown, or a bare number, and names it', () => {
    expect(refused('2026-11-29').problem).toEqual({ code: 'past', day: '2026-11-29' });
    expect(refused('2026-12-01 > 2028-01-01').problem.code).toBe('too_many_nights');
    expect(refused('today 2n penthouse').problem).toEqual({
      code: 'unknown_word',
      text: 'penthouse',
    });
    expect(refused('today 2').problem).toEqual({ code: 'unclear_number', text: '2' });
    expect(refused('2 std').problem.code).toBe('no_arrival');
    expect(refused('   ').problem.code).toBe('empty');
    expect(refused('1.12 2.12 3.12').problem.code).toBe('too_many_dates');
  });

  it('asks which type when several fit', () => {
    const two = [...types, { id: 't-sup', code: 'SUP', name: 'Superior double' }];
    const reading = readStay('today 1n dbl', { today: context.today, types: two });
    expect(reading).toMatchObject({
      ok: false,
      problem: { code: 'unclear_type', choices: ['STD', 'SUP'] },
    });
  });

  it('writes a line that reads back as the same stay', () => {
    const rooms = [
      { count: 2, typeId: 't-std' },
      { count: 1, typeId: 't-dlx' },
    ];
    const line = writeStay('2027-06-10', '2027-06-12', rooms, types);
    expect(line).toBe('2027-06-10 > 2027-06-12 2 std 1 dlx');
    expect(read(line)).toMatchObject({ checkIn: '2027-06-10', checkOut: '2027-06-12', rooms });
  });
});
