import { beforeEach, describe, expect, it } from 'vitest';
import { emptyDraft, loadHold, NO_GUEST, readAges, readTime, saveDraft, saveHold } from './draft';

describe('what is kept on the machine', () => {
  beforeEach(() => localStorage.clear());

  it('n13_is_never_a_guest', () => {
    saveDraft({
      ...emptyDraft('30.11 2n'),
      guest: {
        ...NO_GUEST,
        name: 'Ana García',
        phone: '+34600000001',
        email: 'a@x.com',
        notes: 'x',
      },
      notes: 'late',
    });
    const kept = JSON.stringify({ ...localStorage });
    expect(kept).toContain('30.11 2n');
    for (const secret of ['Ana', 'García', '600000001', 'a@x.com', 'late'])
      expect(kept).not.toContain(secret);
  });

  it('reads nothing from a record that cannot be read', () => {
    localStorage.setItem('nightdesk.hold', '{');
    expect(loadHold()).toBeUndefined();
    saveHold(undefined);
    expect(localStorage.length).toBe(0);
  });
});

describe('typed ages and times', () => {
  it('are read as people write them', () => {
    expect(readAges('')).toEqual([]);
    expect(readAges('4, 7')).toEqual([4, 7]);
    expect(readAges('4 7;12')).toEqual([4, 7, 12]);
    expect(readTime('15:30')).toBe('15:30:00');
    expect(readTime('15.30')).toBe('15:30:00');
    expect(readTime('1530')).toBe('15:30:00');
    expect(readTime('9')).toBe('09:00:00');
  });

  it('b98_refuse_what_is_none', () => {
    for (const text of ['-1', '18', '4.5', 'four', '1e1', '1 2 3 4 5 6 7 8 9 10 11'])
      expect(readAges(text), text).toBeUndefined();
    for (const text of ['24:00', '12:60', 'noon', '-1', '1:2'])
      expect(readTime(text), text).toBeUndefined();
  });
});
