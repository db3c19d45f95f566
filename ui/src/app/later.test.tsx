import { render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { expect, it } from 'vitest';
import { later } from './later';

const Form = () => <input aria-label="dates" />;

it('what was loaded ahead is drawn with the first key, without a moment of nothing', async () => {
  const place = later(async () => Form);
  await place.ahead();
  render(<Suspense fallback="nothing yet">{<place.Screen />}</Suspense>);
  expect(screen.queryByText('nothing yet')).toBeNull();
  expect(screen.getByLabelText('dates')).toBeDefined();
});

it('what was not loaded yet comes when it is there', async () => {
  const place = later(async () => Form);
  render(<Suspense fallback="nothing yet">{<place.Screen />}</Suspense>);
  expect(await screen.findByLabelText('dates')).toBeDefined();
});
