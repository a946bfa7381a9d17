import { coded } from '../errors.ts'
import { callError, type SystemError } from '../sys/errno.ts'
import { EAI_AGAIN, ENOTFOUND } from './resolve.ts'
import type { Target } from './target.ts'

/** Creates Node's error for a failed connection, such as `connect ECONNREFUSED 127.0.0.1:80`. */
export function connectError(target: Target, result: number): SystemError {
  if ('path' in target) {
    const address = target.path
    return Object.assign(callError(result, 'connect', address), { address })
  }
  const { host, port } = target
  if (result !== ENOTFOUND && result !== EAI_AGAIN) {
    return Object.assign(callError(result, 'connect', `${host}:${port}`), { address: host, port })
  }
  const code = result === ENOTFOUND ? 'ENOTFOUND' : 'EAI_AGAIN'
  const error = Object.assign(callError(result, 'getaddrinfo', host), { hostname: host })
  return Object.assign(coded(error, code), { message: `getaddrinfo ${code} ${host}` })
}
