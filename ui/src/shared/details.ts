import type { DetailsRequest } from '../generated/DetailsRequest';

/** Nothing changed yet of what may change without touching a night; spread it and name what does. */
export function sameDetails(version: number): DetailsRequest {
  return {
    version,
    adults: null,
    children: null,
    guest_id: null,
    further_guest_ids: null,
    guarantee: null,
    notes: null,
    expected_time: null,
    expected_time_unknown: false,
    do_not_move: null,
    lateness: null,
  };
}
