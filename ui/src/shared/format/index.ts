export * from './money';
export * from './nights';
export * from './people';
export * from './position';
export * from './times';
