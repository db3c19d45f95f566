export { call, RpcFailure } from './client';
export { invalidateTags, makeQueryClient, useChanges, useColleagues, useRpc } from './hooks';
export type { Method, RpcMethods } from './methods';
export { newId, SUBMIT_WAIT_MS, useSubmit, type Submit } from './submit';
