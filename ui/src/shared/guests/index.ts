export { GuestFacts } from './GuestFacts';
export { GuestForm } from './GuestForm';
