import { expect, test } from 'vitest'
import { KubeError } from '../kube-error.ts'
import type { KubeClient, KubeRequest } from './client.ts'
import { eventRecorder } from './event-recorder.ts'

const pod = { namespace: 'demo', name: 'web', uid: 'uid-1', resourceVersion: '7' }

/** A recorder whose requests have the given outcomes in order: an error, or success. */
function recording(...answers: (KubeError | undefined)[]) {
  const sent: KubeRequest[] = []
  const failures: unknown[] = []
  const client: KubeClient = {
    get: () => Promise.reject(new Error('not asked')),
    async send(request) {
      sent.push(request)
      const error = answers.shift()
      if (error !== undefined) throw error
      return {}
    },
  }
  const stop = new AbortController()
  const failed = (error: unknown): void => void failures.push(error)
  const now = (): number => Date.parse('2026-01-01T00:00:00.5Z')
  const recorder = eventRecorder({ connect: () => client, component: 'test', signal: stop.signal, failed, now })
  return { recorder, sent, failures, stop }
}

const status = (code: number) => new KubeError('STATUS', `POST /: ${code}`, { status: code })

test('a warning is created once, then counted', async () => {
  const { recorder, sent } = recording()
  for (const message of ['no\nroute', 'no\nroute', 'another']) recorder.warn(pod, 'NotReady', message)
  await recorder.idle()
  expect(sent).toMatchObject([
    {
      method: 'POST',
      path: '/api/v1/namespaces/demo/events',
      body: {
        document: {
          involvedObject: { kind: 'Pod', ...pod },
          reason: 'NotReady',
          message: 'no route',
          source: { component: 'test' },
          lastTimestamp: '2026-01-01T00:00:00Z',
          count: 1,
        },
      },
    },
    { method: 'PATCH', body: { document: { count: 2 } } },
    { method: 'POST', body: { document: { message: 'another', count: 1 } } },
  ])
  expect(sent[1]?.path).toMatch(/^\/api\/v1\/namespaces\/demo\/events\/web\.[0-9a-f]+$/)
})

test('an event that the server has removed is created again, and other errors are reported', async () => {
  const { recorder, sent, failures, stop } = recording(undefined, status(404), undefined, status(403))
  for (let times = 0; times < 3; times += 1) recorder.warn(pod, 'NotReady', 'why')
  await recorder.idle()
  expect(sent.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'POST', 'PATCH'])
  expect(failures).toEqual([status(403)])
  stop.abort()
  recorder.warn(pod, 'NotReady', 'too late')
  await recorder.idle()
  expect(sent).toHaveLength(4)
})
