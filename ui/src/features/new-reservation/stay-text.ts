export * from '../../shared/stay-text';
