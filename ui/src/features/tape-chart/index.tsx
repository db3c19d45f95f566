export { TapeChart } from './TapeChart';
