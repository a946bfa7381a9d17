import { type Filter, isNetnsError, type LinkRef, type RtnlPort } from '@cni/netns'
import { FOR_FILTERS, missingCapability } from './capabilities.ts'
import { EbpfError } from './errors.ts'
import { realKernel } from './kernel.ts'
import type { Program } from './types.ts'

const ETH_P_ALL = 3

/**
 * Attaches a program to a link as a tc filter. Adds the qdisc `clsact` if the link has none. Replaces a filter of the
 * same name and priority atomically. A failed CNI call detaches the program if `rtnl` comes from the call's context.
 *
 * If `attachFilter` fails, it undoes its changes and throws `EbpfError`:
 * - `NO_LINK`: the link does not exist or disappears.
 * - `EXISTS`: a filter of another kind or protocol has the priority, or another qdisc prevents `clsact`.
 * - `NOT_SUPPORTED`: the kernel has no clsact or no cls_bpf.
 * - `EPERM`: the process lacks a capability.
 */
export async function attachFilter(
  rtnl: RtnlPort,
  wanted: {
    readonly link: LinkRef
    /** Direction of the packets that the program sees: `ingress` for incoming, `egress` for outgoing packets. */
    readonly direction: Filter['direction']
    /** Program to attach, loaded or opened from a pin. The caller may close it afterwards. */
    readonly program: Pick<Program, 'fd' | 'id' | 'name'>
    /** Name that identifies the tc filter. `tc filter show` prints it. Default: the program's name. */
    readonly name?: string | undefined
    /** Priority of the tc filter. Filters with a lower number run earlier. Default: 1. */
    readonly priority?: number | undefined
  },
): Promise<{
  /** True if this call attached the program. False if the filter already ran this program. */
  readonly attached: boolean
  /** Id of the program that the filter ran before. Missing if there was no such filter. */
  readonly replaced?: number
  readonly filter: Pick<Filter, 'linkIndex' | 'direction' | 'priority' | 'handle'> & { readonly name: string }
}> {
  const { direction, program, priority = 1, name = program.name } = wanted
  const what = `Attach ${name} to ${JSON.stringify(wanted.link)} (${direction})`
  return await withContext(what, async () => {
    const link = await linkIndex(rtnl, wanted.link, what)
    const there = (await rtnl.getFilters({ link, direction })).filter((each) => each.priority === priority)
    // The kernel requires that all tc filters with the same priority have the same kind and protocol.
    const other = there.find(({ kind, protocol }) => kind !== 'bpf' || protocol !== ETH_P_ALL)
    if (other !== undefined) {
      const { kind, protocol } = other
      const whose = `filters of kind ${kind} for protocol ${protocol} have priority ${priority}`
      throw new EbpfError('EXISTS', `${what}: ${whose}; choose another one`)
    }
    const ours = there.find((each) => each.name === name)
    const place = { linkIndex: link, direction, priority, handle: ours?.handle ?? freeHandle(there), name }
    if (ours?.program?.id === program.id) return { attached: false, filter: place }
    const filter = { ...place, program: program.fd }
    if (ours !== undefined) {
      await rtnl.replaceFilter(filter)
      return { attached: true, filter: place, ...(ours.program === undefined ? {} : { replaced: ours.program.id }) }
    }
    const added = await addClsact(rtnl, link, direction, what)
    try {
      await rtnl.addFilter(filter)
    } catch (error) {
      if (added) await removeClsact(rtnl, link)
      throw error
    }
    return { attached: true, filter: place }
  })
}

/**
 * Detaches the programs of filters with the given name from a link. Deletes the qdisc `clsact` if no filter is left. A
 * missing link or filter is not an error.
 */
export async function detachFilter(
  rtnl: RtnlPort,
  wanted: {
    readonly link: LinkRef
    /** Direction of the filters to detach. Default: both directions. */
    readonly direction?: Filter['direction'] | undefined
    readonly name: string
    /** Default: 1. */
    readonly priority?: number | undefined
  },
): Promise<{ detached: number }> {
  return await withContext(`Detach ${wanted.name} from ${JSON.stringify(wanted.link)}`, async () => {
    const link = await indexOf(rtnl, wanted.link)
    if (link === undefined) return { detached: 0 }
    let detached = 0
    for (const filter of await findFilters(rtnl, { ...wanted, link })) {
      if ((await rtnl.deleteFilter(filter)).deleted) detached++
    }
    if (detached > 0) await removeClsact(rtnl, link)
    return { detached }
  }).catch((error) => {
    // Ignores the error: the link has disappeared, and the kernel has removed its filters.
    if (error instanceof EbpfError && error.code === 'NO_LINK') return { detached: 0 }
    throw error
  })
}

/**
 * Finds a link's tc filter by the filter's name. `undefined` if the filter or the link is missing. Compare the filter's
 * `program.id` to test which program is attached.
 */
export async function findFilter(
  rtnl: RtnlPort,
  wanted: Parameters<typeof detachFilter>[1] & Pick<Filter, 'direction'>,
): Promise<Filter | undefined> {
  const link = await indexOf(rtnl, wanted.link)
  return link === undefined ? undefined : (await findFilters(rtnl, { ...wanted, link }))[0]
}

/** Finds the bpf filters of a link that have the given name and priority. */
async function findFilters(
  rtnl: RtnlPort,
  { link, direction, name, priority = 1 }: Parameters<typeof detachFilter>[1],
): Promise<Filter[]> {
  try {
    const filters = await rtnl.getFilters({ link, ...(direction === undefined ? {} : { direction }) })
    return filters.filter((each) => each.kind === 'bpf' && each.name === name && each.priority === priority)
  } catch (error) {
    if (isNetnsError(error) && error.code === 'ENODEV') return []
    throw error
  }
}

/** Index of a link with the given name; `undefined` if the link is missing. */
const indexOf = async (rtnl: RtnlPort, link: LinkRef): Promise<number | undefined> =>
  typeof link === 'number' ? link : (await rtnl.getLink(link))?.index

async function linkIndex(rtnl: RtnlPort, link: LinkRef, what: string): Promise<number> {
  const found = await rtnl.getLink(link)
  if (found !== undefined) return found.index
  throw new EbpfError('NO_LINK', `${what}: the link does not exist`)
}

function freeHandle(filters: readonly Filter[]): number {
  const taken = new Set(filters.map(({ handle }) => handle))
  let handle = 1
  while (taken.has(handle)) handle++
  return handle
}

/** Adds the qdisc `clsact` to a link. Returns false if the link already has it. */
async function addClsact(rtnl: RtnlPort, link: number, direction: Filter['direction'], what: string): Promise<boolean> {
  try {
    return (await rtnl.addQdisc({ kind: 'clsact', linkIndex: link })).added
  } catch (error) {
    if (!isNetnsError(error)) throw error
    if (error.code === 'ENOENT' || error.code === 'EOPNOTSUPP') {
      throw new EbpfError(
        'NOT_SUPPORTED',
        `${what}: the kernel has no clsact (CONFIG_NET_SCH_INGRESS, CONFIG_NET_CLS_ACT)`,
        {
          cause: error,
        },
      )
    }
    if (error.code !== 'EEXIST') throw error
    const ingress = (await rtnl.getQdiscs({ link })).some(({ kind }) => kind === 'ingress')
    if (ingress && direction === 'ingress') return false
    throw new EbpfError('EXISTS', `${what}: the link has a qdisc ingress, which excludes clsact`, { cause: error })
  }
}

async function removeClsact(rtnl: RtnlPort, link: number): Promise<void> {
  if ((await rtnl.getFilters({ link })).length === 0) await rtnl.deleteQdisc({ kind: 'clsact', linkIndex: link })
}

/** Converts rtnetlink errors to `EbpfError`s. */
async function withContext<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!isNetnsError(error)) throw error
    const because = (code: string, text: string) => new EbpfError(code, `${what}: ${text}`, { cause: error })
    switch (error.code) {
      case 'ENODEV':
        throw because('NO_LINK', 'the link has disappeared')
      case 'EPERM':
        throw because('EPERM', `EPERM, ${missingCapability(realKernel(), FOR_FILTERS)}`)
      case 'ENOENT':
      case 'EOPNOTSUPP':
        throw because('NOT_SUPPORTED', 'the kernel has no filters of kind bpf (CONFIG_NET_CLS_BPF)')
      default:
        throw because(error.code, error.message)
    }
  }
}
