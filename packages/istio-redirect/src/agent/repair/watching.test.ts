import { writeFileSync } from 'node:fs'
import type { ApiServer, Misbehaviour } from '@cni/kube/testing'
import { describe, expect, test, vi } from 'vitest'
import { type RepairFixtureOptions, repairFixture, validatedPod } from '../../../test/repair/repair-fixture.ts'

const until = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 5 })
const label = { labelPods: true }
const sent = (api: ApiServer, method: string, part = '') =>
  api.requests.filter((request) => request.method === method && request.url.includes(part))

describe('the API server', () => {
  test.each<[string, RepairFixtureOptions['config'], string]>([
    [
      'is asked for the pods of the node',
      {},
      '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&limit=500&resourceVersion=0',
    ],
    ['is asked for the pods of all nodes if the settings name no node', { nodeName: '' }, '/api/v1/pods?limit=500'],
    [
      'is asked with the selectors of the settings',
      { fieldSelectors: 'metadata.namespace=demo', labelSelectors: 'app=web' },
      '/api/v1/pods?fieldSelector=metadata.namespace%3Ddemo%2Cspec.nodeName%3Dn1&labelSelector=app%3Dweb&limit=500&resourceVersion=0',
    ],
  ])('%s', async (_, config, url) => {
    await using node = await repairFixture({ config: { ...label, ...config } })
    await until(() => expect(node.api.watches()).toBe(1))
    expect(node.api.requests[0]?.url).toBe(url)
  })

  test('is not asked without an action', async () => {
    await using node = await repairFixture()
    await node.stop()
    expect(node.api.requests).toEqual([])
    expect(node.log).toEqual([expect.stringContaining('nothing is watched')])
  })

  test('is asked with the current token of the file', async () => {
    await using node = await repairFixture({ config: label })
    await until(() => expect(node.api.watches()).toBe(1))
    node.api.token = 'another'
    writeFileSync(node.tokenFile, 'another')
    node.api.setPod(validatedPod(126))
    await until(() => expect(node.pods('label/success')).toBe(1))
  })

  test('is asked page by page', async () => {
    const pods = Array.from({ length: 1200 }, (_, index) => validatedPod(0, { name: `fine-${index}` }))
    await using node = await repairFixture({ config: { ...label, nodeName: '' }, pods: [...pods, validatedPod(126)] })
    await until(() => expect(node.pods('label/success')).toBe(1))
    expect(sent(node.api, 'GET', 'continue=')).toHaveLength(2)
  })
})

describe('repair continues when the API server', () => {
  const failing: readonly [string, Misbehaviour, string][] = [
    ['refuses the token', { status: 401 }, 'status_401'],
    ['forbids the request', { status: 403 }, 'status_403'],
    ['is overloaded', { status: 429, headers: { 'retry-after': '7' } }, 'status_429'],
    ['has an internal error', { status: 500 }, 'status_500'],
    ['cuts connections', { cut: true }, 'network'],
    ['answers without JSON', { body: '<html>' }, 'bad_answer'],
    ['answers with another document', { body: '{"kind":"Status"}' }, 'bad_answer'],
    ['answers with null', { body: 'null' }, 'bad_answer'],
    ['cuts an answer', { partial: '{"items":[{"meta' }, 'network'],
    ['has compacted the requested version', { status: 410 }, 'status_410'],
  ]
  test.each(failing)('%s instead of a list', async (_, how, type) => {
    await using node = await repairFixture({
      config: label,
      pods: [validatedPod(126)],
      prepare: (api) => api.misbehave(...Array.from({ length: 7 }, () => how)),
    })
    await until(() => expect(node.pods('label/success')).toBe(1))
    expect(node.errors(type)).toBe(7)
    // After 410 the next request differs, and so does its message.
    const lines = node.log.filter((line) => line.includes('cannot watch pods'))
    expect(lines).toHaveLength(type === 'status_410' ? 2 : 1)
    expect(node.log).toContainEqual(expect.stringMatching(/^info pods are watched again .*"failures":7/))
    if (type === 'status_429') expect(node.pauses.every((ms) => ms >= 7000)).toBe(true)
    else expect(node.pauses.map((ms, index) => isSpread(ms, 1000 * 2 ** index))).toEqual(Array(7).fill(true))
    expect(node.log.join('\n')).not.toContain(node.api.token)
  })

  test.each(failing)('%s instead of a watch', async (_, how) => {
    await using node = await repairFixture({ config: label, prepare: (api) => api.misbehave({}, how, how) })
    await until(() => expect(node.api.watches()).toBe(1))
    node.api.setPod(validatedPod(126))
    await until(() => expect(node.pods('label/success')).toBe(1))
    expect(node.pauses).toHaveLength(2)
  })

  test('refuses several watches, and logs the refusal once', async () => {
    const refused = { status: 403 }
    await using node = await repairFixture({
      config: label,
      prepare: (api) => api.misbehave({}, refused, refused, refused),
    })
    await until(() => expect(node.api.watches()).toBe(1))
    expect(node.errors('status_403')).toBe(3)
    expect(node.log.filter((line) => line.includes('cannot watch pods'))).toHaveLength(1)
  })

  test('does not answer a list, and repair ends nevertheless', async () => {
    await using node = await repairFixture({ config: label, prepare: (api) => api.misbehave({ hang: true }) })
    await until(() => expect(node.api.requests).toHaveLength(1))
    await node.stop()
  })

  test('sends an endless list', async () => {
    await using node = await repairFixture({ config: label, prepare: (api) => api.misbehave({ endless: true }) })
    await until(() => expect(node.errors('bad_answer')).toBe(1))
    expect(node.log).toContainEqual(expect.stringMatching(/the answer is not a list: most of it are no items/))
    node.api.setPod(validatedPod(126))
    await until(() => expect(node.pods('label/success')).toBe(1))
  })

  test('falls silent during a watch', async () => {
    await using node = await repairFixture({ config: label, watching: { silenceMs: 50 } })
    await until(() => expect(node.api.requests.length).toBeGreaterThan(3))
    expect(node.errors('timeout')).toBe(0)
    node.api.setPod(validatedPod(126))
    await until(() => expect(node.pods('label/success')).toBe(1))
  })

  test.each<[string, (api: ApiServer) => void]>([
    ['cuts a watch', (api) => api.cutAll()],
    [
      'cuts a watch in the middle of a pod',
      (api) => {
        api.say('{"type":"ADDED","object":{"metadata":{"name":"we')
        api.cutAll()
      },
    ],
    ['sends a line that is not an event', (api) => api.say('garbage\n')],
    ['sends an event that is not an object', (api) => api.say('[]\n')],
    ['ends a watch with an error', (api) => api.say('{"type":"ERROR","object":{"code":500,"message":"x"}}\n')],
    [
      'has compacted the version of the watch',
      (api) => {
        api.compact()
        api.cutAll()
      },
    ],
    [
      'sends an event that the version has expired',
      (api) => api.say('{"type":"ERROR","object":{"kind":"Status","code":410}}\n'),
    ],
    ['sends an endless line', (api) => api.say('x'.repeat(5 * 1024 * 1024))],
  ])('%s', async (_, happens) => {
    await using node = await repairFixture({ config: label })
    await until(() => expect(node.api.watches()).toBe(1))
    happens(node.api)
    // The pod is found, by an event of the old watch or by the new list.
    node.api.setPod(validatedPod(126))
    await until(() => expect(node.pods('label/success')).toBe(1))
    await until(() => expect(node.api.watches()).toBe(1))
  })

  test('sends malformed pods, which are counted and skipped', async () => {
    const odd = [null, 3, [], {}, { metadata: {} }, { metadata: { name: '../x', namespace: 'demo', uid: '1' } }]
    const items = [...odd, { ...validatedPod(126), status: 'x' }]
    await using node = await repairFixture({
      config: label,
      prepare: (api) => api.misbehave({ body: JSON.stringify({ metadata: { resourceVersion: '100' }, items }) }),
    })
    await until(() => expect(node.api.watches()).toBe(1))
    expect(node.errors('pod')).toBe(7)
    for (const object of odd) node.api.say(`${JSON.stringify({ type: 'MODIFIED', object })}\n`)
    node.api.say('{"type":"NEWS","object":{}}\n')
    node.api.setPod(validatedPod(126))
    await until(() => expect(node.pods('label/success')).toBe(1))
    expect(node.log.filter((line) => line.includes('not a pod'))).toHaveLength(1)
    expect(node.pauses).toEqual([])
  })

  test('sends bookmarks, and a cut watch resumes from the last one', async () => {
    await using node = await repairFixture({ config: label })
    await until(() => expect(node.api.watches()).toBe(1))
    node.api.setPod({ ...validatedPod(126), spec: { ...validatedPod(126).spec, nodeName: 'n2' } })
    node.api.bookmark()
    node.api.say('{"type":"ADDED","object":{}}\n')
    await until(() => expect(node.errors('pod')).toBe(1))
    node.api.cutAll()
    await until(() => expect(sent(node.api, 'GET', 'resourceVersion=101')).toHaveLength(1))
    expect(sent(node.api, 'GET', 'limit=500')).toHaveLength(1)
  })

  test.each([
    ['an empty token', '', /token: it is empty/],
    ['an invalid token', 'a b\nc', /it holds blanks or control characters/],
  ])('gets no request with %s', async (_, token, message) => {
    await using node = await repairFixture({ config: label })
    await until(() => expect(node.api.watches()).toBe(1))
    writeFileSync(node.tokenFile, token)
    node.api.cutAll()
    await until(() => expect(node.pauses.length).toBeGreaterThan(5))
    expect(node.log).toContainEqual(expect.stringMatching(message))
    writeFileSync(node.tokenFile, node.api.token)
    await until(() => expect(node.api.watches()).toBe(1))
  })
})

/**
 * True if the pause is between a growing base of at most 30 s and twice the base. Clients of many nodes thus return at
 * different times.
 */
function isSpread(ms: number, growing: number): boolean {
  const least = Math.min(growing, 30_000)
  return ms >= least && ms <= 2 * least
}
