import { coded } from '../errors.ts'
import { callError, type SystemError } from '../sys/errno.ts'
import { ENOTFOUND, type Target } from './target.ts'

/** The error of a connection that was not made, such as `connect ECONNREFUSED 127.0.0.1:80`. */
export function connectError(target: Target | undefined, result: number): SystemError {
  if (target === undefined || 'path' in target) {
    const address = target?.path ?? ''
    return Object.assign(callError(result, 'connect', address), { address })
  }
  const { host, port } = target
  if (result !== ENOTFOUND) {
    return Object.assign(callError(result, 'connect', `${host}:${port}`), { address: host, port })
  }
  const error = Object.assign(callError(result, 'getaddrinfo', host), { hostname: host })
  return Object.assign(coded(error, 'ENOTFOUND'), { message: `getaddrinfo ENOTFOUND ${host}` })
}
