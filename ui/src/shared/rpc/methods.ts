export { rpcTags as METHOD_TAGS, type RpcMethods } from '../../generated/methods';
import type { RpcMethods } from '../../generated/methods';

export type Method = keyof RpcMethods;
