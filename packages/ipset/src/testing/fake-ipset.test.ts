import { describe, expect, test } from 'vitest'
import { ipsetSuite } from '../../test/ipset.suite.ts'
import { fakeIpset } from './fake-ipset.ts'

describe('fakeIpset is an Ipset', () => ipsetSuite(async () => fakeIpset()))

const spec = { type: 'hash:ip', family: 'ipv4', maxelem: 9 } as const

describe('fakeIpset', () => {
  test('dump prints like ipset save, and tamper changes sets as another program', async () => {
    const fake = fakeIpset()
    const set = fake.set('pods', spec)
    await set.replace('10.0.0.5')
    expect(fake.dump()).toBe('create pods hash:ip family inet maxelem 9\nadd pods 10.0.0.5\n')
    fake.tamper('del pods 10.0.0.5\n')
    expect((await set.diff('10.0.0.5')).missing).toEqual([{ entry: '10.0.0.5' }])
    expect(() => fake.tamper('add nope 10.0.0.5\n')).toThrow('Error in line 1: The set with the given name does not')
  })

  test('records one process for a write and one for a read', async () => {
    const fake = fakeIpset()
    await fake
      .set('pods', spec)
      .add(['10.0.0.5', '10.0.0.6'])
      .catch(() => undefined)
    await fake.list()
    expect(fake.commands).toEqual([
      { argv: ['ipset', 'restore', '-exist'], input: 'add pods 10.0.0.5\nadd pods 10.0.0.6\n' },
      { argv: ['ipset', 'list', '-terse'] },
    ])
  })

  test('prints hardware addresses in lower case', async () => {
    const set = fakeIpset().set('macs', { type: 'hash:mac' })
    await set.replace('02:00:00:00:00:AB')
    expect(await set.list()).toEqual([{ entry: '02:00:00:00:00:ab' }])
  })
})

describe('a failing ipset throws an error with a code and a hint', () => {
  test.for<[string, string, string]>([
    ['Kernel error received: set type not supported', 'NO_KERNEL', 'lacks the module'],
    ['Cannot open session to kernel.', 'NO_KERNEL', 'load the kernel module ip_set'],
    ['Kernel error received: Operation not permitted', 'EXIT', 'CAP_NET_ADMIN'],
    ['Error in line 1: Hash is full, cannot add more elements', 'FULL', 'line 1 ("add pods 10.0.0.5")'],
    ['Error in line 1: something new', 'EXIT', 'something new'],
  ])('%s', async ([stderr, code, words]) => {
    const fake = fakeIpset({ fail: () => `ipset v7.17: ${stderr}\n` })
    const error = await fake
      .set('pods', spec)
      .add('10.0.0.5')
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'SetError', code })
    expect(String(error)).toContain(words)
  })

  test('a missing program names the package', async () => {
    const fake = fakeIpset({ installed: false })
    await expect(fake.list()).rejects.toMatchObject({ code: 'NO_BINARY', message: /install the package ipset/ })
  })

  test('a swap that fails removes its temporary set', async () => {
    const fake = fakeIpset({ fail: ({ input = '' }) => (input.includes('swap') ? 'Error in line 2: no' : undefined) })
    await expect(fake.set('pods', spec).replace('10.0.0.5')).rejects.toMatchObject({ code: 'EXIT' })
    expect(fake.commands.at(-1)?.input).toMatch(/^destroy cni-tmp-[0-9a-f]{8}-[0-9a-f]{12}\n$/)
  })
})
