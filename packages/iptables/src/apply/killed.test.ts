import { RunError } from '@cni/host'
import { describe, expect, test } from 'vitest'
import { iptables } from '../iptables.ts'
import { ruleset } from '../rules/ruleset.ts'
import type { IptablesPort } from '../run/port.ts'
import { type FakeKernel, fakeKernel } from '../testing/fake-iptables.ts'

const rules = ruleset({ mangle: ['EX_M'], nat: ['EX_N'] }, (t) => [
  t.mangle.on('OUTPUT').jump('EX_M'),
  t.mangle.on('EX_M').setMark(1),
  t.nat.on('OUTPUT').jump('EX_N'),
  t.nat.on('EX_N').return(),
])

/** Port whose first IPv6 restore is killed after it has committed `tables` tables. */
function killing(kernel: FakeKernel, tables: number): IptablesPort {
  let killed = false
  return {
    ...kernel.port,
    async run(argv, options) {
      if (killed || argv[0] !== 'ip6tables-restore') return kernel.port.run(argv, options)
      killed = true
      const text =
        options.input
          ?.split(/(?<=COMMIT\n)/)
          .slice(0, tables)
          .join('') ?? ''
      if (text !== '') kernel.tamper(text, 'ipv6')
      throw new RunError('SIGNAL', 'Command was killed', {
        ...{ command: argv.join(' '), argv, exitCode: null, signal: 'SIGKILL', stdout: '', stderr: '' },
        ...{ durationMs: 1, timedOut: false, aborted: false },
      })
    },
  }
}

const dumps = (kernel: FakeKernel) => [kernel.dump('ipv4'), kernel.dump('ipv6')]

describe('a restore that is killed without a message', () => {
  test.for([0, 1, 2])('after %i tables is rolled back completely, in both families', async (tables) => {
    const kernel = fakeKernel()
    await expect(iptables('host', { port: killing(kernel, tables) }).apply(rules)).rejects.toMatchObject({
      code: 'EXIT',
    })
    expect(dumps(kernel)).toEqual(['', ''])
  })

  test('leaves rules of other programs', async () => {
    const kernel = fakeKernel()
    kernel.tamper('*mangle\n-A OUTPUT -p udp -j ACCEPT\nCOMMIT\n', 'ipv6')
    const before = dumps(kernel)
    await expect(iptables('host', { port: killing(kernel, 1) }).apply(rules)).rejects.toThrow('SIGKILL')
    expect(dumps(kernel)).toEqual(before)
  })

  test('leaves rules of an earlier apply, complete or with drift', async () => {
    for (const tampering of ['', '*nat\n-I EX_N 1 -j ACCEPT\nCOMMIT\n']) {
      const kernel = fakeKernel()
      await iptables('host', { port: kernel.port }).apply(rules)
      if (tampering !== '') kernel.tamper(tampering, 'ipv6')
      const before = dumps(kernel)
      await expect(iptables('host', { port: killing(kernel, 0) }).apply(rules)).rejects.toThrow('SIGKILL')
      expect(dumps(kernel)).toEqual(before)
    }
  })
})
