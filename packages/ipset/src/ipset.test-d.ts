import { expectTypeOf, test } from 'vitest'
import { ipset } from './ipset.ts'
import type { SetSpec } from './spec-types.ts'

test('an entry takes only options that its set can store', () => {
  const plain = ipset('host').set('plain', { type: 'hash:ip', family: 'ipv4' })
  expectTypeOf(plain.add).toBeCallableWith(['10.0.0.1', { entry: '10.0.0.2' }])
  // @ts-expect-error: this set has no comments
  void (() => plain.add({ entry: '10.0.0.1', comment: 'x' }))
  // @ts-expect-error: this set has no time-outs
  void (() => plain.add({ entry: '10.0.0.1', timeoutSeconds: 9 }))
  // @ts-expect-error: nomatch is for networks
  void (() => plain.add({ entry: '10.0.0.1', nomatch: true }))
  const rich = ipset('host').set('rich', { type: 'hash:net', family: 'ipv6', comment: true, timeoutSeconds: 0 })
  expectTypeOf(rich.add).toBeCallableWith({ entry: 'fd00::/8', comment: 'x', timeoutSeconds: 9, nomatch: true })
})

test('an entry with a port needs a protocol', () => {
  const web = ipset('host').set('web', { type: 'hash:ip,port', family: 'ipv4' })
  expectTypeOf(web.test).toBeCallableWith('10.0.0.1,tcp:80')
  // @ts-expect-error: the protocol is missing
  void (() => web.test('10.0.0.1,80'))
})

test('a spec takes only the options of its type', () => {
  // @ts-expect-error: a hash of addresses needs a family
  void (() => ipset('host').set('x', { type: 'hash:ip' }))
  // @ts-expect-error: unknown type
  void (() => ipset('host').set('x', { type: 'hash:nope', family: 'ipv4' }))
})

test('a spec that is known only at run time is validated then', () => {
  const set = ipset('host').set('x', {} as SetSpec)
  expectTypeOf(set.add).toBeCallableWith({ entry: '10.0.0.1', comment: 'x', timeoutSeconds: 9, nomatch: true })
})
