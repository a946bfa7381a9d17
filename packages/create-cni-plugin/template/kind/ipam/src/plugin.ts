import { mkdirSync } from 'node:fs'
import { lock } from '@cni/netns/sys'
import { type CallContext, definePlugin, netConf } from '@cni/skel'
import { CniError, ErrorCode } from '@cni/types'
import { contains } from '@cni/types/subnet'
import * as z from 'zod/mini'
import { type Holder, type Lease, leasesIn } from './leases.ts'
import { freeIn, type Range, range, rangeOf } from './ranges.ts'

const ranges = z.array(range).check(z.minLength(1))
const routes = z.optional(z.array(z.object({ dst: z.string(), gw: z.optional(z.string()) })))

/** An IPAM plugin that leases an address of each range to an attachment. */
export const plugin = (folder = '/run/cni/@NAME@') => {
  const pathOf = (c: CallContext) => `${folder}/${c.networkName}`

  /** Locks the network's folder until the plugin call is over, including the undo steps of a failed call. */
  const lockOf = async (c: CallContext, create: boolean) =>
    c.hold(await lock(`${pathOf(c)}/lock`, { create, timeoutMs: 20_000 }))

  return definePlugin({
    name: '@NAME@',
    about: 'gives pods addresses of ranges of this node',
    config: netConf({ ipam: z.looseObject({ ranges, routes }) }),
    async add(c) {
      const wanted = c.conf.ipam.ranges.map(rangeOf)
      mkdirSync(pathOf(c), { recursive: true, mode: 0o700 })
      await lockOf(c, true)
      const leases = leasesIn(pathOf(c))
      const found = leases.list()
      const taken = new Set(found.map(({ address }) => address))
      const own = new Set(found.filter(isOf(c)).map(({ address }) => address))
      const ips = wanted.map((range) => {
        // A repeated ADD returns the address that the attachment already has in the range.
        const known = [...own].find((address) => contains(range.cidr, address))
        const address = known ?? freeIn(range, taken)
        if (address === undefined) throw full(range, ErrorCode.tryAgainLater)
        if (known === undefined) c.undo(leases.take(address, c))
        taken.add(address)
        own.delete(address)
        return { address: `${address}/${range.prefixLength}`, gateway: range.gateway }
      })
      return { ips, routes: c.conf.ipam.routes ?? [] }
    },
    check(c) {
      const own = leasesIn(pathOf(c)).list().filter(isOf(c))
      for (const { cidr } of c.conf.ipam.ranges.map(rangeOf)) {
        if (own.some(({ address }) => contains(cidr, address))) continue
        throw new CniError(100, `${c.ifName} of container ${c.containerID} has no address of ${cidr}`)
      }
    },
    async del(c) {
      if ((await lockOf(c, false)) === undefined) return // a missing lock file means that this network has no leases
      const leases = leasesIn(pathOf(c))
      for (const { address } of leases.list().filter(isOf(c))) leases.release(address)
    },
    async gc(c) {
      const { validAttachments } = c
      if (validAttachments === undefined || (await lockOf(c, false)) === undefined) return
      const valid = validAttachments.map(({ containerID, ifname }) => isOf({ containerID, ifName: ifname }))
      const leases = leasesIn(pathOf(c))
      for (const lease of leases.list()) {
        if (lease.holder === undefined) c.log.warn('a lease cannot be read, its address stays taken', { ...lease })
        else if (!valid.some((isValid) => isValid(lease))) leases.release(lease.address)
      }
    },
    status(c) {
      const taken = new Set(
        leasesIn(pathOf(c))
          .list()
          .map(({ address }) => address),
      )
      for (const range of c.conf.ipam.ranges.map(rangeOf)) {
        if (freeIn(range, taken) === undefined) throw full(range, ErrorCode.pluginNotAvailable)
      }
    },
  })
}

const isOf =
  ({ containerID, ifName }: Holder) =>
  ({ holder }: Lease): boolean =>
    holder?.containerID === containerID && holder.ifName === ifName

const full = ({ cidr, first, last }: Range, code: number): CniError =>
  new CniError(code, `no address of ${cidr} is free from ${first} to ${last}`)
