import type { ConntrackEntry, ConntrackPort } from '@cni/netns/conntrack'
import type { NetnsTarget } from '@cni/netns/handle'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

/** Connection table of a fake or a real kernel, empty at first. */
export interface ConntrackTable extends AsyncDisposable {
  readonly where: NetnsTarget
  open(where: NetnsTarget): ConntrackPort
  add(entry: ConntrackEntry): void
}

const rest = { zone: 0, mark: 0, timeoutSeconds: 30 }
/** Creates a connection from the node to port 53 that NAT redirects to a pod. */
const mapped = (sport: number): ConntrackEntry => ({
  family: 'ipv4',
  protocol: 'udp',
  original: { src: '10.90.0.2', dst: '10.90.0.1', sport, dport: 53 },
  reply: { src: '10.81.0.2', dst: '10.90.0.2', sport: 5300, dport: sport },
  ...rest,
})
const elsewhere: ConntrackEntry = {
  family: 'ipv4',
  protocol: 'udp',
  original: { src: '10.81.0.2', dst: '8.8.8.8', sport: 5, dport: 53 },
  reply: { src: '8.8.8.8', dst: '10.81.0.2', sport: 53, dport: 5 },
  ...rest,
}
const tcp: ConntrackEntry = { ...elsewhere, protocol: 'tcp' }
const ipv6: ConntrackEntry = {
  family: 'ipv6',
  protocol: 'udp',
  original: { src: 'fd00::2', dst: 'fd00::1', sport: 6, dport: 53 },
  reply: { src: 'fd00::1', dst: 'fd00::2', sport: 53, dport: 6 },
  ...rest,
}

/** Tests of `conntrack()` that run over a fake and over a real kernel. */
export function conntrackBehaviour(name: string, start: () => Promise<ConntrackTable>): void {
  describe(`conntrack (${name})`, () => {
    let table: ConntrackTable
    let port: ConntrackPort
    beforeEach(async () => {
      table = await start()
      port = table.open(table.where)
      for (const entry of [mapped(1001), mapped(1002), elsewhere, tcp, ipv6]) table.add(entry)
    })
    afterEach(() => table[Symbol.asyncDispose]())

    /** Lists connections by protocol and source port only, because the timeout of a connection changes with time. */
    const listed = async (filter?: Parameters<ConntrackPort['list']>[0]) =>
      (await port.list(filter)).map(({ original, protocol }) => `${protocol} ${original.sport}`).sort()
    const all = ['tcp 5', 'udp 1001', 'udp 1002', 'udp 5', 'udp 6']

    test('lists entries with both tuples', async () => {
      const [entry, ...others] = await port.list({ protocol: 'udp', original: { sport: 1001 } })
      expect(others).toEqual([])
      expect(entry).toEqual({ ...mapped(1001), timeoutSeconds: expect.any(Number) })
    })

    test.each<[filter: Parameters<ConntrackPort['list']>[0], found: string[]]>([
      [undefined, all],
      [{}, all],
      [{ family: 'ipv6' }, ['udp 6']],
      [{ protocol: 'tcp' }, ['tcp 5']],
      [{ protocol: 17 }, all.slice(1)],
      [{ protocol: 'udp', family: 'ipv4' }, ['udp 1001', 'udp 1002', 'udp 5']],
      [{ original: { dport: 53 } }, all],
      [{ protocol: 'udp', original: { dport: 53, dst: '10.90.0.1' } }, ['udp 1001', 'udp 1002']],
      [{ protocol: 'udp', original: { dport: 54 } }, []],
      [{ original: { dst: 'FD00:0::1' } }, ['udp 6']],
      [{ reply: { src: '10.81.0.2' } }, ['udp 1001', 'udp 1002']],
      [{ protocol: 'udp', reply: { src: '10.81.0.2', sport: 5300 }, original: { sport: 1002 } }, ['udp 1002']],
      [{ zone: 7 }, []],
    ])('lists the matching entries for %j', async (filter, found) => {
      expect(await listed(filter)).toEqual(found)
    })

    test('refuses a list beyond its limit, and an invalid filter', async () => {
      expect(await port.list({}, { limit: 5 })).toHaveLength(5)
      await expect(port.list({}, { limit: 4 })).rejects.toMatchObject({ name: 'NetnsError', code: 'TOO_MANY' })
      for (const [filter, says] of [
        [{ protocol: 'x'.repeat(9999) }, 'protocol: expected a number or one of icmp, tcp'],
        [{ original: { dport: 65_536 } }, 'original.dport: expected an integer from 0 to 65535, got 65536'],
        [{ reply: { src: '10.0.0.256' } }, 'reply.src: expected an IP address, got "10.0.0.256"'],
        [{ original: { src: '10.0.0.1', dst: 'fd00::1' } }, 'the filter has IPv4 and IPv6'],
        [{ family: 'ipv6', original: { src: '10.0.0.1' } }, 'the filter has IPv4 and IPv6'],
      ] as const) {
        const error: unknown = await port.list(filter).catch((thrown) => thrown)
        expect(error).toMatchObject({ name: 'NetnsError', code: 'INVALID', message: expect.stringContaining(says) })
        expect(String(error).length).toBeLessThan(250)
      }
    })

    test('deletes exactly the matching entries; an entry as read is a filter', async () => {
      expect(await port.delete({ protocol: 'udp', original: { dst: '10.90.0.1', dport: 53 } })).toEqual({ deleted: 2 })
      expect(await listed()).toEqual(['tcp 5', 'udp 5', 'udp 6'])
      expect(await port.delete({ protocol: 'udp', original: { dst: '10.90.0.1', dport: 53 } })).toEqual({ deleted: 0 })
      const [entry] = await port.list({ family: 'ipv6' })
      expect(await port.delete(entry ?? {})).toEqual({ deleted: 1 })
      expect(await listed()).toEqual(['tcp 5', 'udp 5'])
    })

    test('deletes the entries that `only` selects', async () => {
      const only = ({ original }: ConntrackEntry) => original.dst === '10.90.0.1'
      expect(await port.delete({ original: { dport: 53 } }, only)).toEqual({ deleted: 2 })
      expect(await listed()).toEqual(['tcp 5', 'udp 5', 'udp 6'])
    })

    test('refuses to delete with an empty filter', async () => {
      for (const filter of [{}, { original: {} }, { protocol: undefined, reply: { dst: undefined } }]) {
        await expect(port.delete(filter)).rejects.toMatchObject({ code: 'INVALID' })
      }
      expect(await listed()).toEqual(all)
    })

    test('yields matching events until the signal aborts', async () => {
      const stop = new AbortController()
      const events = port.watch({ protocol: 'udp', original: { dport: 53 } }, { signal: stop.signal })
      const first = events.next()
      table.add({ ...tcp, original: { ...tcp.original, sport: 7 }, reply: { ...tcp.reply, dport: 7 } })
      table.add(mapped(1003))
      expect((await first).value).toMatchObject({ type: 'new', entry: { original: { sport: 1003 } } })
      await port.delete({ protocol: 'udp', original: { sport: 1003 } })
      expect((await events.next()).value).toMatchObject({
        type: 'destroy',
        entry: { original: mapped(1003).original, reply: mapped(1003).reply },
      })
      stop.abort()
      expect(await events.next()).toEqual({ done: true, value: undefined })
    })
  })
}
