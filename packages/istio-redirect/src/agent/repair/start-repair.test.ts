import type { ApiServer } from '@cni/kube/testing'
import { describe, expect, test, vi } from 'vitest'
import { repairFixture, validatedPod } from '../../../test/repair/repair-fixture.ts'
import { plainPod } from '../../testing/pods.ts'

const until = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 5 })
const label = { labelPods: true }
const sent = (api: ApiServer, method: string, part = '') =>
  api.requests.filter((request) => request.method === method && request.url.includes(part))
const labels = (api: ApiServer, name = 'web') => api.getPod('demo', name)?.metadata.labels

describe('label mode', () => {
  test('labels only broken pods, and counts its own change as a skip', async () => {
    const fine = validatedPod(0, { name: 'fine' })
    await using node = await repairFixture({ config: label, pods: [fine, plainPod({ name: 'p' }), validatedPod(126)] })
    await until(() => expect(node.pods('label/skip')).toBe(1))
    expect([node.pods('label/success'), node.pods('label/fail')]).toEqual([1, 0])
    expect(labels(node.api)).toEqual({ 'cni.istio.io/uninitialized': 'true' })
    expect(labels(node.api, 'fine')).toBeUndefined()
    const [patch, ...more] = sent(node.api, 'PATCH')
    expect(more).toEqual([])
    expect(patch).toMatchObject({
      url: '/api/v1/namespaces/demo/pods/web/status',
      headers: { 'content-type': 'application/merge-patch+json', authorization: `Bearer ${node.api.token}` },
      body: '{"metadata":{"labels":{"cni.istio.io/uninitialized":"true"}}}',
    })
  })

  test('keeps an existing label, and restores a removed one', async () => {
    const before = { 'cni.istio.io/uninitialized': 'false' }
    await using node = await repairFixture({ config: label, pods: [validatedPod(126, { labels: before })] })
    await until(() => expect(node.pods('label/skip')).toBe(1))
    expect(labels(node.api)).toEqual(before)
    node.api.setPod(validatedPod(126))
    await until(() => expect(node.pods('label/success')).toBe(1))
    expect(labels(node.api)).toEqual({ 'cni.istio.io/uninitialized': 'true' })
  })

  test('fails five times without the permission, reports it in one event, and retries when the pod changes', async () => {
    const grants = ['list pods', 'watch pods', 'create events', 'patch events'] as const
    await using node = await repairFixture({ config: label, pods: [validatedPod(126)], grants })
    await until(() => expect(node.pods('label/fail')).toBe(5))
    await until(() => expect(node.api.events()).toMatchObject([{ count: 5 }]))
    expect(node.api.events()).toMatchObject([
      {
        type: 'Warning',
        reason: 'LabelBrokenPod',
        source: { component: 'cni-repair' },
        involvedObject: {
          kind: 'Pod',
          namespace: 'demo',
          name: 'web',
          uid: node.api.getPod('demo', 'web')?.metadata.uid,
        },
        message: expect.stringMatching(
          /^pod detected as broken, but failed to label: pods "web" is forbidden: User .* cannot patch resource "pods\/status"/,
        ),
      },
    ])
    expect(node.log.filter((line) => line.includes('no further attempt until it changes'))).toHaveLength(1)
    expect(sent(node.api, 'POST')).toHaveLength(1)
    node.api.setPod(validatedPod(126, { labels: { a: 'b' } }))
    await until(() => expect(node.pods('label/fail')).toBe(10))
  })

  test('escapes texts of the server and of pods in logs and events', async () => {
    const hostile = `no\u001b[2J\nforged \u202e line, Bearer test-token`
    const how = { status: 403, body: JSON.stringify({ message: hostile }) }
    const odd = validatedPod(126, {
      name: 'odd',
      annotations: { 'sidecar.istio.io/status': hostile },
      labels: { [hostile]: hostile },
    })
    await using node = await repairFixture({
      config: label,
      pods: [odd],
      prepare: (api) => api.misbehave({}, how, how),
    })
    await until(() => expect(node.pods('label/success')).toBe(1))
    await until(() => expect(node.api.events().length).toBe(2))
    const said = [...node.log, ...node.api.events().map((event) => JSON.stringify(event))].join('')
    expect(said).toContain('no [2J forged line, Bearer …')
    expect(said).not.toMatch(/\p{Cc}|\p{Cf}|\\u001b|\\n|test-token/u)
  })

  test('continues without the permission to create events', async () => {
    const grants = ['list pods', 'watch pods', 'patch pods/status'] as const
    const pods = ['a', 'b'].map((name) => validatedPod(126, { name }))
    await using node = await repairFixture({ config: label, pods, grants })
    await until(() => expect(node.errors('event')).toBe(2))
    expect(node.pods('label/success')).toBe(2)
    const lines = node.log.filter((line) => line.startsWith('warn'))
    expect(lines).toEqual([expect.stringContaining('cannot write an event: POST')])
  })
})

describe('delete mode', () => {
  const config = { deletePods: true, labelPods: true }

  test('deletes exactly the observed pod', async () => {
    const fine = validatedPod(0, { name: 'fine' })
    await using node = await repairFixture({ config, pods: [fine, validatedPod(126)] })
    const uid = node.api.getPod('demo', 'web')?.metadata.uid
    await until(() => expect(node.pods('delete/success')).toBe(1))
    expect(node.api.getPod('demo', 'web')).toBeUndefined()
    expect(node.api.getPod('demo', 'fine')).toBeDefined()
    const [request] = sent(node.api, 'DELETE')
    expect(JSON.parse(request?.body ?? '')).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid, resourceVersion: '102' },
    })
    await until(() =>
      expect(node.api.events()).toMatchObject([
        { reason: 'DeleteBrokenPod', message: 'pod detected as broken, deleted' },
      ]),
    )
    expect(node.pods('label/success')).toBe(0)
  })

  test('checks a pod again that changed before its deletion', async () => {
    await using node = await repairFixture({
      config,
      prepare: (api) => {
        api.setPod(validatedPod(126))
        // Fails the watch and the first attempt, in either order, after a successful list.
        api.misbehave({}, { status: 409 }, { status: 409 })
      },
    })
    await until(() => expect(node.pods('delete/success')).toBe(1))
    expect(node.pods('delete/fail')).toBe(1)
  })
})

describe('repair mode', () => {
  const config = { repairPods: true, deletePods: true }
  const counting = () => {
    const done: string[] = []
    return { done, repair: async ({ name }: { readonly name: string }) => void done.push(name) }
  }

  test('repairs a pod once despite later changes, and neither deletes it nor writes events', async () => {
    const { done, repair } = counting()
    await using node = await repairFixture({ config, repair, pods: [validatedPod(126)] })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    node.api.setPod(validatedPod(126, { labels: { a: 'b' } }))
    node.api.setPod(validatedPod(126, { name: 'next' }))
    await until(() => expect(node.pods('repair/success')).toBe(2))
    expect(done).toEqual(['web', 'next'])
    expect(node.api.requests.every(({ method }) => method === 'GET')).toBe(true)
  })

  test('treats a new pod of the same name as another pod, even without a deletion event', async () => {
    const { done, repair } = counting()
    await using node = await repairFixture({ config, repair, pods: [validatedPod(126)] })
    await until(() => expect(node.pods('repair/success')).toBe(1))
    node.api.cutAll()
    node.api.deletePod('demo', 'web')
    node.api.setPod(validatedPod(126))
    node.api.compact()
    await until(() => expect(node.pods('repair/success')).toBe(2))
    expect(done).toEqual(['web', 'web'])
  })

  test('logs the reason of a failed repair in one line, with unsafe characters removed', async () => {
    const repair = () => Promise.reject(new Error('annotation x has the value a\u001b[2J\nforged\u202e'))
    await using node = await repairFixture({ config, repair, pods: [validatedPod(126)] })
    await until(() => expect(node.pods('repair/fail')).toBe(1))
    expect(node.log).toContainEqual(expect.stringContaining('annotation x has the value a [2J forged'))
    expect(node.log.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  test('does not wait for a hanging repair at the end', async () => {
    await using node = await repairFixture({ config, repair: () => new Promise(() => {}), pods: [validatedPod(126)] })
    await until(() => expect(node.api.watches()).toBe(1))
    const began = performance.now()
    await node.stop()
    expect(performance.now() - began).toBeLessThan(1000)
    expect([node.pods('repair/fail'), node.pods('repair/success')]).toEqual([0, 0])
  })
})
