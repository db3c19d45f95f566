import { expect, it } from 'vitest';
import { hasText, isolate, t, tWord } from '.';

it('plurals are whole sentences of the catalogue', () => {
  expect(t('common.nights', { count: 1 })).toBe('1 night');
  expect(t('common.nights', { count: 2 })).toBe('2 nights');
  expect(t('strip.tasks', { count: 0 })).toBe('no tasks');
});

it('b94 a name from right to left does not turn the words around it', () => {
  expect(t('check_in.done', { name: 'נועה', room: '118' })).toBe('\u2068נועה\u2069 is in 118');
  expect(isolate('Ute Großmann')).toBe('Ute Großmann');
});

it('words of a newer desk are shown as they came', () => {
  expect(tWord('state', 'held')).toBe('on hold');
  expect(tWord('state', 'wait_listed')).toBe('wait listed');
  expect(hasText('toString')).toBe(false);
});

it('every reason that the server writes into a history has words', () => {
  const reasons =
    'guest released duplicate not_wanted hotel courtesy oversold room_failed vip early_departure ' +
    'overstay error channel service mistake wrong_guest wrong_room guest_came guest_returned guest_will_come';
  expect(reasons.split(' ').filter((reason) => !hasText(`why.${reason}`))).toEqual([]);
});
