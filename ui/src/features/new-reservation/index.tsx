export { NewReservation } from './NewReservation';
