export { isOccupied, isUpgrade, reasonsText, reasonText } from './reasons';
export { SuggestionList } from './SuggestionList';
