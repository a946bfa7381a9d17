import fc from 'fast-check'
import { expect, test } from 'vitest'
import { podInfo } from '../../../istio-rules/src/pod/pod-info.ts'
import { requestFor } from '../../test/serve/serve-client.ts'
import { answerAdd } from '../agent/serve/answer-add.ts'
import { meshPod } from '../testing/pods.ts'
import { encodeAnswer, readAnswer, type ServeAnswer } from './answer.ts'

/** Answer for a pod with both families and TPROXY. It contains every member that an answer can have. */
async function redirect(): Promise<ServeAnswer & { act: 'redirect' }> {
  const pod = meshPod({
    annotations: { 'sidecar.istio.io/interceptionMode': 'TPROXY' },
    proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] },
  })
  const request = requestFor('web')
  const addresses = { ...request.addresses, found: ['fd00::3/64'] }
  const answer = await answerAdd({ ...request, addresses }, { pod: async () => podInfo(pod) })
  if (answer.act !== 'redirect') throw new Error(`no redirect: ${JSON.stringify(answer)}`)
  return answer
}

function read(document: unknown): ServeAnswer | undefined {
  try {
    return readAnswer(JSON.stringify(document))
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return undefined
  }
}

/** Paths of all members of a document. */
function paths(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [
    ...(path.length > 0 ? [path] : []),
    ...Object.entries(value).flatMap(([key, member]) => paths(member, [...path, key])),
  ]
}

function withMember(value: unknown, [key, ...more]: readonly string[], member: unknown): unknown {
  if (key === undefined) return member
  const changed = (each: unknown) => withMember(each, more, member)
  if (Array.isArray(value)) return value.map((each, at) => (String(at) === key ? changed(each) : each))
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([name, each]) => [name, name === key ? changed(each) : each]),
  )
}

const others = fc.oneof(
  fc.constantFrom(null, -1, 1.5, 2 ** 53, '', '../x', '/etc/passwd', 'x'.repeat(3_000_000), [], {}, true),
  fc.jsonValue(),
)

test('an answer survives encoding and decoding', async () => {
  const answer = await redirect()
  const found = readAnswer(encodeAnswer(answer))
  expect(found).toEqual({ ...answer, batch: Buffer.from(answer.batch ?? []) })
})

test('an answer with any one member changed is rejected, or still has valid types', async () => {
  const document: unknown = JSON.parse(encodeAnswer(await redirect()))
  fc.assert(
    fc.property(fc.constantFrom(...paths(document)), others, (path, member) => {
      const found = read(withMember(document, path, member))
      if (found?.act !== 'redirect') return
      expect(read(JSON.parse(encodeAnswer(found)))).toEqual(found)
    }),
    { numRuns: 1000 },
  )
})

test('a batch that is truncated, or whose lengths do not add up, is rejected', async () => {
  const answer = await redirect()
  const batch = Buffer.from(answer.batch ?? [])
  const withBatch = (bytes: Uint8Array) => read(JSON.parse(encodeAnswer({ ...answer, batch: bytes })))
  expect(withBatch(batch)).toBeDefined()
  expect(withBatch(new Uint8Array())).toBeUndefined()
  fc.assert(fc.property(fc.integer({ min: 1, max: 15 }), (cut) => withBatch(batch.subarray(0, -cut)) === undefined))
  expect(withBatch(Buffer.concat([Buffer.alloc(4), batch.subarray(4)]))).toBeUndefined()
})
