import { describe, expect, test } from 'vitest'
import { KubeError } from '../kube-error.ts'
import { nextStep } from './retry.ts'

type KubeErrorCode = KubeError['code']

const failure = (code: KubeErrorCode, status?: number, retryAfterMs?: number) =>
  new KubeError(code, 'failed', { ...(status !== undefined && { status }), retryAfterMs })
const first = { made: 1, overloaded: 0, reloaded: false }
const stop = { act: 'stop' }
const wait = (ms: number) => ({ act: 'wait', ms })

describe('the next step after a failed request', () => {
  test.each([
    ['an unreachable server is retried after a second', failure('NETWORK'), first, wait(1000)],
    ['a silent server is retried after a second', failure('TIMEOUT'), first, wait(1000)],
    ['the thirtieth request is the last', failure('NETWORK'), { ...first, made: 30 }, stop],
    ['a rejected token reloads the kubeconfig', failure('STATUS', 401), first, { act: 'reload' }],
    ['a second rejected token is final', failure('STATUS', 401), { ...first, made: 2, reloaded: true }, stop],
    ['a forbidden pod is final', failure('STATUS', 403), first, stop],
    ['an unknown pod is retried after a second', failure('STATUS', 404), first, wait(1000)],
    ['an unknown pod is final after four requests', failure('STATUS', 404), { ...first, made: 4 }, stop],
    ['overload backs off', failure('STATUS', 429), { ...first, made: 3, overloaded: 2 }, wait(4000)],
    ['overload backs off as Retry-After says', failure('STATUS', 429, 3000), first, wait(3000)],
    ['overload backs off for at most ten seconds', failure('STATUS', 503, 90_000), first, wait(10_000)],
    [
      'a broken server backs off up to eight seconds',
      failure('STATUS', 500),
      { ...first, made: 9, overloaded: 8 },
      wait(8000),
    ],
    ['a redirect is final', failure('STATUS', 302), first, stop],
    ['an untrusted certificate reloads the kubeconfig', failure('UNTRUSTED'), first, { act: 'reload' }],
    ['a second untrusted certificate is final', failure('UNTRUSTED'), { ...first, made: 2, reloaded: true }, stop],
    ['an invalid answer is retried after a second', failure('BAD_ANSWER'), first, wait(1000)],
    ['an invalid answer is final after four requests', failure('BAD_ANSWER'), { ...first, made: 4 }, stop],
    ['a missing kubeconfig is final', failure('NO_KUBECONFIG'), first, stop],
    ['a node that cannot sandbox TLS is final', failure('NO_SANDBOX'), first, stop],
  ])('%s', (_, error, attempts, expected) => {
    expect(nextStep(error, attempts)).toEqual(expected)
  })
})

describe('the CNI code', () => {
  const carried = (code: KubeErrorCode, status?: number) =>
    Reflect.get(failure(code, status), Symbol.for('cni.error')) as { code: number; details?: string }
  test.each<[string, KubeErrorCode, number | undefined, number, string?]>([
    ['try again later: the agent renews the token', 'STATUS', 401, 11, 'renews the token'],
    ['not available: the permission is missing', 'STATUS', 403, 50, '"get" on pods'],
    ['try again later: the pod may be new', 'STATUS', 404, 11],
    ['try again later: overload passes', 'STATUS', 429, 11],
    ['try again later: servers recover', 'STATUS', 503, 11],
    ['not available: another kind of server', 'STATUS', 302, 50],
    ['not available: an invalid request', 'STATUS', 400, 50],
    ['try again later: connection refused', 'NETWORK', undefined, 11],
    ['try again later: no answer', 'TIMEOUT', undefined, 11],
    ['try again later: the agent writes it', 'NO_KUBECONFIG', undefined, 11],
    ['not available: the node cannot sandbox TLS', 'NO_SANDBOX', undefined, 50, 'seccomp'],
    ['try again later: the agent renews the authority', 'UNTRUSTED', undefined, 11, 'up to date'],
    ['decoding failure of the kubeconfig', 'BAD_KUBECONFIG', undefined, 6],
    ['decoding failure of the answer', 'BAD_ANSWER', undefined, 6],
  ])('%s (%s %s)', (_, code, status, expected, hint) => {
    const { code: number, details } = carried(code, status)
    expect(number).toBe(expected)
    if (hint === undefined) expect(details).toBeUndefined()
    else expect(details).toContain(hint)
  })
})
