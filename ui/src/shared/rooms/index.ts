export { isUpgrade, reasonsText, reasonText } from './reasons';
export { SuggestionList } from './SuggestionList';
