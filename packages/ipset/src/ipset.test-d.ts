import { expectTypeOf, test } from 'vitest'
import { ipset } from './ipset.ts'
import type { SetSpec } from './spec-types.ts'

test('an entry takes what its set can store', () => {
  const plain = ipset('host').set('plain', { type: 'hash:ip', family: 'ipv4' })
  expectTypeOf(plain.add).toBeCallableWith(['10.0.0.1', { entry: '10.0.0.2' }])
  // @ts-expect-error: no comments in this set
  void (() => plain.add({ entry: '10.0.0.1', comment: 'x' }))
  // @ts-expect-error: no time-outs in this set
  void (() => plain.add({ entry: '10.0.0.1', timeoutSeconds: 9 }))
  // @ts-expect-error: nomatch is for networks
  void (() => plain.add({ entry: '10.0.0.1', nomatch: true }))
  const rich = ipset('host').set('rich', { type: 'hash:net', family: 'ipv6', comment: true, timeoutSeconds: 0 })
  expectTypeOf(rich.add).toBeCallableWith({ entry: 'fd00::/8', comment: 'x', timeoutSeconds: 9, nomatch: true })
})

test('an entry with a port has a protocol', () => {
  const web = ipset('host').set('web', { type: 'hash:ip,port', family: 'ipv4' })
  expectTypeOf(web.test).toBeCallableWith('10.0.0.1,tcp:80')
  // @ts-expect-error: the protocol is missing
  void (() => web.test('10.0.0.1,80'))
})

test('a spec has what its type takes', () => {
  // @ts-expect-error: a hash of addresses needs a family
  void (() => ipset('host').set('x', { type: 'hash:ip' }))
  // @ts-expect-error: no such type
  void (() => ipset('host').set('x', { type: 'hash:nope', family: 'ipv4' }))
})

test('a spec known only at run time is checked then', () => {
  const set = ipset('host').set('x', {} as SetSpec)
  expectTypeOf(set.add).toBeCallableWith({ entry: '10.0.0.1', comment: 'x', timeoutSeconds: 9, nomatch: true })
})
