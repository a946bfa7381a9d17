import { KubeError } from '@cni/kube'
import { expect, test } from 'vitest'
import { type Outage, serverReach } from './server-reach.ts'

const refused = new KubeError('NETWORK', 'GET https://10.96.0.1/: connection refused')

function watched() {
  let now = 0
  const outages: Outage[] = []
  const reach = serverReach({ now: () => now })
  const pods = reach.of('pods')
  const leave = reach.onReturn((outage) => void outages.push(outage))
  const refusals: string[] = []
  reach.onRefusal((problem) => void refusals.push(problem))
  const at = (ms: number, error?: KubeError): void => {
    now = ms
    if (error === undefined) pods.answered()
    else pods.failed(error)
  }
  return { at, outages, refusals, leave, reach }
}

test('an outage is reported once, when it is over, with the times of its first and last failed request', () => {
  const { at, outages } = watched()
  at(0)
  at(1000, refused)
  at(3000, refused)
  at(9000, new KubeError('STATUS', 'GET /: 503', { status: 503 }))
  expect(outages).toEqual([])
  at(20_000)
  at(21_000)
  expect(outages).toEqual([{ first: 1000, last: 9000, problem: 'GET /: 503' }])
})

test('a short failure and a refusal are not reported as outages', () => {
  const { at, outages } = watched()
  at(0, refused)
  at(2000, refused)
  at(3000)
  const forbidden = new KubeError('STATUS', '403', { status: 403 })
  at(4000, forbidden)
  at(60_000, forbidden)
  at(61_000)
  expect(outages).toEqual([])
})

test('a refusal is reported once, until its status changes or a request succeeds', () => {
  const { at, refusals } = watched()
  const forbidden = (pod: string) => new KubeError('STATUS', `403: cannot patch ${pod}`, { status: 403 })
  at(0, forbidden('web-1'))
  at(1, forbidden('web-1'))
  at(2, forbidden('web-2'))
  at(3, new KubeError('STATUS', '401: who are you?', { status: 401 }))
  at(4)
  at(5, forbidden('web-2'))
  at(6, refused)
  expect(refusals).toEqual(['403: cannot patch web-1', '401: who are you?', '403: cannot patch web-2'])
})

test('a refusal persists while requests for other things succeed, and is reported to new listeners', () => {
  const { at, refusals, reach } = watched()
  const namespaces = reach.of('namespaces')
  const forbidden = new KubeError('STATUS', '403: cannot list namespaces', { status: 403 })
  namespaces.failed(forbidden)
  at(1)
  namespaces.failed(forbidden)
  expect(refusals).toEqual(['403: cannot list namespaces'])
  reach.onRefusal((problem) => void refusals.push(problem))
  expect(refusals).toHaveLength(2)
  namespaces.answered()
  reach.onRefusal((problem) => void refusals.push(problem))
  expect(refusals).toHaveLength(2)
})

test('a removed listener is not called', () => {
  const { at, outages, leave } = watched()
  at(0, refused)
  at(10_000, refused)
  leave()
  at(11_000)
  expect(outages).toEqual([])
})
