import type { SysctlPort } from '@cni/netns'
import type { Where } from '@cni/netns/handle'
import { describe, expect, test } from 'vitest'
import { failingCall } from './call-undo.ts'

/** Namespace of a fake or a real kernel with the link `lo`. */
export interface Settings extends AsyncDisposable {
  readonly where: Parameters<typeof failingCall>[0]
  open(where: Where): SysctlPort
}

const NAME = 'net.ipv4.conf.lo.arp_notify'

/** Tests of `sysctl()` that run over a fake and over a real kernel. */
export function sysctlBehaviour(name: string, start: () => Promise<Settings>): void {
  describe(`settings (${name})`, () => {
    test('are written only if they differ, and return the previous value', async () => {
      await using machine = await start()
      const settings = machine.open(machine.where)
      expect(await settings.get(NAME)).toBe('0')
      expect(await settings.set(NAME, true)).toEqual({ changed: true, previous: '0' })
      expect(await settings.set('net/ipv4/conf/lo/arp_notify', 1)).toEqual({ changed: false, previous: '1' })
      expect(await settings.get(NAME)).toBe('1')
      const range = 'net.ipv4.ip_local_port_range'
      expect(await settings.set(range, '20000 20100')).toMatchObject({ changed: true })
      expect(await settings.set(range, '20000\t20100')).toMatchObject({ changed: false })
    })

    test('keep their value if the new one is refused', async () => {
      await using machine = await start()
      const settings = machine.open(machine.where)
      for (const [setting, value, code] of [
        ['net.ipv4.conf.lo.nothing', 1, 'ENOENT'],
        [NAME, 'yes', 'EINVAL'],
        [NAME, '1\n2', 'INVALID'],
        ['net/../kernel/hostname', 'x', 'INVALID'],
        ['kernel.hostname', 'x', 'INVALID'],
        ['net.ipv4.conf.//.arp_notify', 1, 'INVALID'],
      ] as const) {
        await expect(settings.set(setting, value)).rejects.toMatchObject({ name: 'NetnsError', code })
      }
      expect(await settings.get(NAME)).toBe('0')
      expect(await settings.get('net.ipv4.conf.lo.nothing')).toBeUndefined()
    })

    test('are restored if ADD fails', async () => {
      await using machine = await start()
      const c = failingCall(machine.where)
      const settings = machine.open(c)
      await settings.set(NAME, 1)
      await settings.set(NAME, 1)
      expect(c.steps).toBe(1)
      await c.unwind()
      expect(await settings.get(NAME)).toBe('0')
    })
  })
}
