import fc from 'fast-check'
import { expect, test } from 'vitest'
import { podInfo } from '../redirect/pod-info.ts'
import { meshPod } from '../testing/pods.ts'
import { readAnswer } from './answer.ts'
import { answerCall } from './answer-call.ts'
import { type AnsweredCall, isForCall } from './is-for-call.ts'
import type { NamespaceFacts, ProgramAnswer, ServeRequest } from './protocol.ts'

const facts: NamespaceFacts = { netns: { dev: 4, ino: 26 }, backend: 'nft', fresh: true, generation: 4, inet6: '' }
const prevResult = { cniVersion: '1.0.0', ips: [{ address: '10.1.2.3/24' }, { address: 'fd00::3/64' }] }
const conf = { cniVersion: '1.0.0', name: 'pods', type: 'istio-cni', cni_agent_run_dir: '/run/istio-cni', prevResult }
const request: ServeRequest = {
  protocol: 3,
  version: '1',
  env: {
    ...{ CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'c', CNI_IFNAME: 'eth0', CNI_PATH: '/opt/cni/bin' },
    ...{ CNI_ARGS: 'K8S_POD_NAMESPACE=demo;K8S_POD_NAME=web;K8S_POD_UID=7', CNI_NETNS: '/run/netns/x' },
  },
  stdin: Buffer.from(JSON.stringify(conf)),
}
const call: AnsweredCall = {
  key: { network: 'pods', containerID: 'c', ifName: 'eth0' },
  netns: facts.netns,
  backend: 'nft',
}

/** The answer for a pod with both families and TPROXY: it has every member that one may have. */
async function program(): Promise<ProgramAnswer> {
  const pod = meshPod({
    annotations: { 'sidecar.istio.io/interceptionMode': 'TPROXY' },
    proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] },
  })
  const answer = await answerCall(request, {
    pod: async () => podInfo(pod),
    facts: async () => ({ ...facts, inet6: 'fd000000000000000000000000000003 02 40 00 80 eth0\n' }),
  })
  if (answer.act !== 'program') throw new Error(`no program: ${JSON.stringify(answer)}`)
  return answer
}

/** What the plugin would do with an answer as it came: nothing, or what it says. */
function accepted(head: unknown, batch: Uint8Array): ProgramAnswer | undefined {
  const answer = readAnswer({ json: JSON.stringify(head), bytes: batch })
  return answer?.act === 'program' && isForCall(answer, call) ? answer : undefined
}

/** All members of a document, as paths. */
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
  fc.constantFrom(
    'a\u001b[2J',
    'line\nline',
    '{"level":"info"}\n',
    '{"v":1}',
    Array.from({ length: 300 }, () => 'x'),
  ),
  fc.jsonValue(),
)

test('a served answer is accepted as it is', async () => {
  const { batch, ...head } = await program()
  expect(accepted(head, batch)?.record).toEqual(head.record)
})

test('an answer with another member anywhere is refused, or nothing of it decides otherwise', async () => {
  const { batch, ...head } = await program()
  fc.assert(
    fc.property(fc.constantFrom(...paths(head)), others, (path, member) => {
      const found = accepted(withMember(head, path, member), batch)
      if (found === undefined) return
      // Where another text is as good: a line of the log, the result, the level, and what is no member of an answer.
      expect(['log', 'logLevel', 'stdout']).toContain(path[0])
      expect({ ...found, log: [], logLevel: '', stdout: '' }).toEqual({
        ...head,
        batch,
        log: [],
        logLevel: '',
        stdout: '',
      })
      for (const { text } of found.log) expect(() => JSON.parse(text)).not.toThrow()
      expect(JSON.parse(found.stdout)).toBeTypeOf('object')
    }),
    { numRuns: 1000 },
  )
})

test('a record with another member anywhere is refused', async () => {
  const { batch, ...head } = await program()
  for (const name of ['begun', 'applied'] as const) {
    const record: unknown = JSON.parse(head.record[name])
    fc.assert(
      fc.property(fc.constantFrom(...paths(record)), others, (path, member) => {
        const text = JSON.stringify(withMember(record, path, member))
        fc.pre(text !== JSON.stringify(record))
        const found = accepted({ ...head, record: { ...head.record, [name]: text } }, batch)
        if (found !== undefined) expect(path).toEqual(['generation'])
      }),
      { numRuns: 500 },
    )
  }
})

test.each<[string, Partial<AnsweredCall>]>([
  ['network', { key: { ...call.key, network: 'other' } }],
  ['container', { key: { ...call.key, containerID: 'd' } }],
  ['interface', { key: { ...call.key, ifName: 'net1' } }],
  ['namespace', { netns: { dev: 4, ino: 27 } }],
  ['back end', { backend: 'nftables' }],
])('an answer for another %s is refused', async (_, other) => {
  expect(isForCall(await program(), { ...call, ...other })).toBe(false)
})

test('a batch that is cut, or whose lengths do not add up, is refused', async () => {
  const { batch, ...head } = await program()
  expect(accepted(head, new Uint8Array())).toBeUndefined()
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 15 }), (cut) => accepted(head, batch.subarray(0, -cut)) === undefined),
  )
  const zero = Uint8Array.from(batch)
  zero.set([0, 0, 0, 0])
  expect(accepted(head, zero)).toBeUndefined()
})
