import type { Problem } from '../../generated/Problem';
import { platform } from '../../platform';
import type { Method, RpcMethods } from './methods';

/** A refusal of the desk's, or a desk that does not answer. */
export class RpcFailure extends Error {
  constructor(readonly problem: Problem) {
    super(problem.title);
  }
}

/** The desk program itself gave no answer that can be read. */
function unreadable(cause: unknown): Problem {
  return {
    type: 'urn:nightdesk:problem:internal',
    title: 'The desk program does not answer',
    status: 500,
    code: 'internal',
    detail: cause instanceof Error ? cause.message : null,
  };
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'status' in value;
}

function problemOf(cause: unknown): Problem {
  if (typeof cause === 'object' && cause !== null && 'problem' in cause && isProblem(cause.problem)) {
    return cause.problem;
  }
  return isProblem(cause) ? cause : unreadable(cause);
}

/** Calls a method of the desk. Throws `RpcFailure` and nothing else. */
export async function call<M extends Method>(
  method: M,
  request: RpcMethods[M]['request'],
): Promise<RpcMethods[M]['answer']> {
  try {
    return (await platform().rpc(method, request)) as RpcMethods[M]['answer'];
  } catch (cause) {
    throw new RpcFailure(problemOf(cause));
  }
}
