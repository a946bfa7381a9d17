import { describe, expect, test } from 'vitest'
import { ambientPod as pod } from '../../../../../istio-rules/test/ambient-pods.ts'
import { annotationPatch } from './annotation.ts'

describe('the annotation', () => {
  const path = '/api/v1/namespaces/shop/pods/web-0/status'
  const saying = (value: string | undefined) =>
    pod(value === undefined ? {} : { annotations: { 'ambient.istio.io/redirection': value } })
  const text = (patch: ReturnType<typeof annotationPatch>) => JSON.stringify(patch?.body?.document)

  test.each<[string | undefined, 'enabled' | 'pending' | undefined, string | undefined]>([
    [undefined, 'enabled', '{"metadata":{"annotations":{"ambient.istio.io/redirection":"enabled"}}}'],
    [undefined, 'pending', '{"metadata":{"annotations":{"ambient.istio.io/redirection":"pending"}}}'],
    ['enabled', undefined, '{"metadata":{"annotations":{"ambient.istio.io/redirection":null}}}'],
    ['pending', 'enabled', '{"metadata":{"annotations":{"ambient.istio.io/redirection":"enabled"}}}'],
    ['disabled', 'enabled', '{"metadata":{"annotations":{"ambient.istio.io/redirection":"enabled"}}}'],
    ['enabled', 'pending', '{"metadata":{"annotations":{"ambient.istio.io/redirection":"pending"}}}'],
    ['enabled', 'enabled', undefined],
    ['pending', 'pending', undefined],
    [undefined, undefined, undefined],
  ])('with the value %j and the wanted status %j is changed by %j', (is, shall, expected) => {
    const patch = annotationPatch(saying(is), shall)
    expect(text(patch)).toBe(expected)
    if (patch !== undefined)
      expect(patch).toMatchObject({ method: 'PATCH', path, body: { type: 'application/merge-patch+json' } })
  })
})
